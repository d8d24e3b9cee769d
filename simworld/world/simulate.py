"""Run a spec: scripted actions, handles, physics, breaks, detectors, step after step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from simworld.errors import PlausibilityError
from simworld.world.acts import act, break_unless_kept, is_driven, start_mover
from simworld.world.engine import open_engine
from simworld.world.movers import due_step
from simworld.world.plausibility import Watch
from simworld.world.rollout import Contacts, Rollout, Start
from simworld.world.run import Run, finish
from simworld.world.sharing import Party
from simworld.world.spec import Body, WorldSpec, bodies_named_by

Until = Literal["settled", "end"]


def simulate(spec: WorldSpec, until: Until = "end") -> Rollout:
    """Simulate a world to its end, or until every event variable has its value.

    Runs in a worker process only.

    Args:
        spec: The world.
        until: "end" for the whole duration, "settled" to stop once each event has occurred
            or its deadline has passed.

    Returns:
        The rollout; its digest reaches to the settled step either way, so both give one.

    Raises:
        PlausibilityError: It tunnelled, overlapped, gained energy, lost a body, or an event
            came after its deadline.
    """
    [result] = simulate_all(spec, [spec.armed], until)
    if isinstance(result, PlausibilityError):
        raise result
    return result


def simulate_all(
    spec: WorldSpec, armings: Sequence[Mapping[str, int]], until: Until = "end"
) -> list[Rollout | PlausibilityError]:
    """Simulate one world under several armings; what they have in common is simulated once.

    Args:
        spec: The world; what it arms itself does not count.
        armings: For each run, which variables' handles are armed, and for which value.
        until: As for `simulate`.

    Returns:
        What `simulate` returns, or raises, for each.
    """
    party = Party(spec.handles, dict(enumerate(armings)))
    with open_engine(spec) as engine:
        try:
            result: Rollout | PlausibilityError
            try:
                result = _run_to_end(Run(spec, engine, party), until)
            except PlausibilityError as error:
                result = error
            for index, armed in party.armings.items():
                party.results[index] = _judged(result, armed)
        except BaseException as error:
            if party.is_fork:
                party.leave(error)
            raise
        if party.is_fork:
            party.leave(party.results)
    return [party.results[index] for index in range(len(armings))]


def _run_to_end(run: Run, until: Until) -> Rollout:
    spec, engine = run.spec, run.engine
    watch = Watch(spec)
    run.read_states()
    settled_step: int | None = None
    while run.step < spec.duration_steps:
        if act(run):
            run.disturbed.add(run.step + 1)
        _advance(run)
        if run.movers and is_driven(run):
            run.disturbed.add(run.step)
        watch.check_overlap(run.step, engine)
        _detect(run)
        if settled_step is None and run.settled():
            settled_step = run.step
            if until == "settled":
                break
    rollout = finish(run, settled_step if settled_step is not None else run.step)
    watch.check_late(run.late)
    watch.check_states(rollout, engine, run.disturbed)
    return rollout


def _judged(
    result: Rollout | PlausibilityError, armed: Mapping[str, int]
) -> Rollout | PlausibilityError:
    """Mark a run as void in which an armed handle did not bring about its value."""
    if isinstance(result, PlausibilityError):
        return result
    values = result.outcome.values
    void = any(values[name] != value for name, value in armed.items() if name in values)
    return replace(result, outcome=replace(result.outcome, void=void)) if void else result


def _advance(run: Run) -> None:
    """Step the physics, read contacts and states, and break what was hit too hard.

    A held body does not break: the hold takes the blow.
    """
    contacts = run.engine.step()
    run.step += 1
    run.contacts.append(contacts)
    run.impulses = {(a, b): impulse for a, b, impulse in contacts}
    run.read_states()
    for body in run.breakable_bodies:
        held = body.name in run.engine.held
        if not held and body.name not in run.gone and _is_hit_too_hard(body, contacts):
            break_unless_kept(run, body.name)


def _is_hit_too_hard(body: Body, contacts: Contacts) -> bool:
    if body.breakable is None or body.breakable.peak_m_s is None:
        return False
    hardest = max((n for a, b, n in contacts if body.name in (a, b)), default=0.0)
    return hardest > body.breakable.peak_m_s * body.mass_kg


def _detect(run: Run) -> None:
    """Note the onset of each event that sets in now, and which movers that starts.

    An event after its deadline is late.
    """
    found = [name for name, detector in run.watched.items() if detector.fires(run)]
    for name in found:
        del run.watched[name]
        on_time = run.step <= run.spec.deadlines[name]
        (run.onsets if on_time else run.late)[name] = run.step
    for mover in run.movers:
        detector = mover.start
        if mover.body in run.starts or isinstance(detector, int) or not detector.fires(run):
            continue
        causes = tuple(bodies_named_by(detector))
        start_mover(run, Start(mover.body, due_step(mover, run.step), causes))
