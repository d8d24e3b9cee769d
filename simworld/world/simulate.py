"""Run a spec: scripted actions, handles, physics, breaks, detectors, step after step."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from simworld.world.detectors import ConditionDetector, EventDetector
from simworld.world.engine import GRAVITY_M_S2, Engine, creation_order, open_engine
from simworld.world.handles import (
    ForceBreak,
    ForceHandle,
    ForceLaunch,
    ForceToss,
    Handle,
    HoldMoved,
    HoldNear,
    HoldPast,
    HoldTilted,
    KeepWhole,
    handle_key,
)
from simworld.world.plausibility import Watch
from simworld.world.rollout import Break, Contacts, Outcome, Rollout
from simworld.world.spec import STEPS_PER_S, Body, Vec3, WorldSpec

Until = Literal["settled", "end"]


@dataclass(slots=True)
class _Run:
    """A simulation under way; also the view that detectors get."""

    spec: WorldSpec
    engine: Engine
    step: int = 0
    impulses: dict[tuple[str, str], float] = field(default_factory=dict)
    rows: list[dict[str, tuple[float, ...]]] = field(default_factory=list)
    contacts: list[Contacts] = field(default_factory=lambda: [()])
    breaks: list[Break] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    onsets: dict[str, int] = field(default_factory=dict)
    late: dict[str, int] = field(default_factory=dict)
    fired: dict[str, int] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    disturbed: set[int] = field(default_factory=set)
    armed: tuple[Handle, ...] = ()
    watched: dict[str, EventDetector] = field(default_factory=dict)
    pending: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Note which handles are armed and which events are waited for."""
        spec = self.spec
        self.fired = {handle_key(handle): 0 for handle in spec.handles}
        self.armed = tuple(h for h in spec.handles if spec.armed.get(h.variable) == h.value)
        self.pending = set(spec.deadlines)
        for name, detector in spec.detectors.items():
            if isinstance(detector, ConditionDetector):
                self.values[name] = int(detector.holds(self))
            else:
                self.watched[name] = detector

    def position(self, body: str) -> Vec3 | None:
        state = self.rows[-1].get(body)
        return None if state is None else state[:3]  # type: ignore[return-value]

    def tilt_deg(self, body: str) -> float | None:
        state = self.rows[-1].get(body)
        if state is None:
            return None
        x, y = state[3:5]
        return math.degrees(math.acos(max(-1.0, 1.0 - 2.0 * (x * x + y * y))))

    def start(self, body: str) -> Vec3:
        return self.spec.body(body).position_m

    def impulse(self, a: str, b: str) -> float:
        return self.impulses.get((a, b) if a < b else (b, a), 0.0)

    def broken(self, body: str) -> bool:
        return body in self.gone

    def present(self, body: str) -> bool:
        return self.spec.body(body).present

    def breakable(self, body: str) -> bool:
        breakable = self.spec.body(body).breakable
        return breakable is not None and breakable.peak_m_s is not None

    def read_states(self) -> None:
        self.rows.append({name: self.engine.state(name) for name in self.engine.moving})

    def count(self, handle: Handle) -> None:
        self.fired[handle_key(handle)] += 1

    def settled(self) -> bool:
        deadlines = self.spec.deadlines
        self.pending = {n for n in self.pending - self.onsets.keys() if self.step < deadlines[n]}
        return not self.pending


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
    with open_engine(spec) as engine:
        run = _Run(spec, engine)
        watch = Watch(spec)
        run.read_states()
        settled_step: int | None = None
        while run.step < spec.duration_steps:
            if _act(run):
                run.disturbed.add(run.step + 1)
            _advance(run)
            watch.check_overlap(run.step, engine)
            _detect(run)
            if settled_step is None and run.settled():
                settled_step = run.step
                if until == "settled":
                    break
        rollout = _finish(run, settled_step if settled_step is not None else run.step)
        watch.check_late(run.late)
        watch.check_states(rollout, engine, run.disturbed)
        return rollout


def _act(run: _Run) -> bool:
    """Do what is scripted for this step, then what the armed handles do; tell if anything."""
    acted = False
    for action in run.spec.actions:
        if action.step == run.step:
            run.engine.set_velocity(action.body, action.velocity_m_s, action.spin_rad_s)
            acted = True
    for handle in run.armed:
        if _handle(run, handle):
            run.count(handle)
            acted = True
    return acted


def _handle(run: _Run, handle: Handle) -> bool:
    """Let one armed handle act if its moment has come; tell whether it acted."""
    if isinstance(handle, KeepWhole) or handle.body in run.gone:
        return False
    if isinstance(handle, ForceLaunch | ForceToss | ForceBreak):
        return _force(run, handle)
    if run.fired[handle_key(handle)] or not _hold_is_due(run, handle):
        return False
    run.engine.hold(handle.body)
    return True


def _hold_is_due(run: _Run, handle: HoldNear | HoldMoved | HoldPast | HoldTilted) -> bool:
    if isinstance(handle, HoldNear):
        near = handle.other not in run.gone
        return near and run.engine.gap_m(handle.body, handle.other, handle.gap_m) < handle.gap_m
    if isinstance(handle, HoldTilted):
        tilt = run.tilt_deg(handle.body)
        return tilt is not None and tilt > handle.degrees
    place = run.rows[-1][handle.body]
    if isinstance(handle, HoldMoved):
        start = run.start(handle.body)
        return math.hypot(place[0] - start[0], place[1] - start[1]) > handle.distance_m
    along = sum(p * d for p, d in zip(place[:3], handle.direction, strict=True))
    return along > handle.limit_m


def _force(run: _Run, handle: ForceHandle) -> bool:
    """Make an event happen at its step, unless it has happened; tell whether it acted."""
    engine = run.engine
    if isinstance(handle, ForceToss) and run.step == handle.step + handle.rise_steps:
        if not run.fired[handle_key(handle)]:
            return False
        _carry(run, handle)
        return True
    if run.step != handle.step or handle.variable in run.onsets:
        return False
    engine.release(handle.body)
    if isinstance(handle, ForceLaunch):
        engine.set_velocity(handle.body, handle.velocity_m_s, handle.spin_rad_s)
    elif isinstance(handle, ForceToss):
        engine.set_velocity(handle.body, (0.0, 0.0, handle.lift_m_s), (0.0, 0.0, 0.0))
    else:
        _break(run, handle.body)
    return True


def _carry(run: _Run, handle: ForceToss) -> None:
    """Send a tossed body sideways, so that it is at `x_m` when it has come down again."""
    risen_s = handle.rise_steps / STEPS_PER_S
    left_s = 2.0 * handle.lift_m_s / GRAVITY_M_S2 - risen_s
    x, velocity = run.rows[-1][handle.body][0], run.rows[-1][handle.body][7:10]
    sideways = (handle.x_m - x) / left_s
    run.engine.set_velocity(handle.body, (sideways, 0.0, velocity[2]), (0.0, 0.0, 0.0))


def _advance(run: _Run) -> None:
    """Step the physics, read contacts and states, and break what was hit too hard.

    A held body does not break: the hold takes the blow.
    """
    contacts = run.engine.step()
    run.step += 1
    run.contacts.append(contacts)
    run.impulses = {(a, b): impulse for a, b, impulse in contacts}
    run.read_states()
    for body in run.spec.bodies:
        intact = body.present and body.name not in run.gone
        if intact and body.name not in run.engine.held and _is_hit_too_hard(body, contacts):
            _break_unless_kept(run, body.name)


def _is_hit_too_hard(body: Body, contacts: Contacts) -> bool:
    if body.breakable is None or body.breakable.peak_m_s is None:
        return False
    hardest = max((n for a, b, n in contacts if body.name in (a, b)), default=0.0)
    return hardest > body.breakable.peak_m_s * body.mass_kg


def _break_unless_kept(run: _Run, body: str) -> None:
    keepers = [h for h in run.armed if isinstance(h, KeepWhole) and h.body == body]
    for handle in keepers:
        run.count(handle)
    if not keepers:
        _break(run, body)


def _break(run: _Run, body: str) -> None:
    run.breaks.append(Break(body, run.step, run.engine.shatter(body)))
    run.gone.add(body)


def _detect(run: _Run) -> None:
    """Note the onset of each event that sets in now; one after its deadline is late."""
    found = [name for name, detector in run.watched.items() if detector.fires(run)]
    for name in found:
        del run.watched[name]
        on_time = run.step <= run.spec.deadlines[name]
        (run.onsets if on_time else run.late)[name] = run.step


def _finish(run: _Run, settled_step: int) -> Rollout:
    names = [body.name for body in creation_order(run.spec)]
    names += [shard for broken in run.breaks for shard in broken.shards]
    states = np.full((len(run.rows), len(names), 13), np.nan)
    for column, name in enumerate(names):
        known = [k for k, row in enumerate(run.rows) if name in row]
        if known:
            states[known, column] = [run.rows[k][name] for k in known]
        elif run.engine.mass_kg[name] == 0:
            states[:, column] = run.engine.state(name)
    values = dict(run.values)
    for name in run.spec.deadlines:
        values[name] = int(name in run.onsets)
    void = any(values[name] != value for name, value in run.spec.armed.items() if name in values)
    outcome = Outcome(
        values={name: values[name] for name in sorted(values)},
        onsets=dict(sorted(run.onsets.items())),
        fired=dict(sorted(run.fired.items())),
        settled_step=settled_step,
        digest=_digest(names, states[: settled_step + 1]),
        void=void,
    )
    return Rollout(tuple(names), states, tuple(run.contacts), tuple(run.breaks), outcome)


def _digest(names: list[str], states: NDArray[np.float64]) -> str:
    """Hash the states of the bodies that existed, canonically."""
    exists = [k for k in range(len(names)) if not np.isnan(states[:, k, 0]).all()]
    text = "\n".join(names[k] for k in exists)
    hasher = hashlib.sha256(text.encode())
    hasher.update(np.ascontiguousarray(states[:, exists]).tobytes())
    return hasher.hexdigest()
