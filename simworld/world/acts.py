"""What acts on a world: scripted launches, movers, and the handles whose moment has come."""

from __future__ import annotations

import math

from simworld.world.engine import GRAVITY_M_S2, STEP_S
from simworld.world.handles import (
    ForceHandle,
    ForceLaunch,
    ForceStart,
    ForceToss,
    Handle,
    HoldHandle,
    HoldMoved,
    HoldNear,
    HoldTilted,
    HoldTurned,
    KeepStill,
    KeepWhole,
    handle_key,
)
from simworld.world.movers import Mover, velocity_m_s
from simworld.world.rollout import Break, Start
from simworld.world.run import Run
from simworld.world.spec import STEPS_PER_S, Launch


def act(run: Run) -> bool:
    """Do what is scripted for this step, then what the armed handles do; tell if anything."""
    acted = False
    for action in run.spec.actions:
        if isinstance(action, Launch) and action.step == run.step:
            run.engine.set_velocity(action.body, action.velocity_m_s, action.spin_rad_s)
            acted = True
    for handle in run.party.acting([h for h in run.party.handles if _is_due(run, h)]):
        if _do(run, handle):
            run.count(handle)
            acted = True
    run.driven.clear()
    for mover in run.movers:
        _drive(run, mover)
    return acted


def _drive(run: Run, mover: Mover) -> None:
    """Send a mover along its path for this step, if it has started and has not yet arrived."""
    start = run.starts.get(mover.body)
    if start is None or not run.present(mover.body):
        return
    done = run.step - start.step
    if not 0 <= done <= mover.steps:
        return
    keepers = _keepers(run, KeepStill, mover.body)
    if keepers:
        for handle in keepers if done == 0 else ():
            run.count(handle)
    elif done == mover.steps:
        run.engine.set_velocity(mover.body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    elif mover.in_place:
        run.driven.add(mover.body)
        run.engine.run_belt(mover.body, mover.velocity_m_s)
    else:
        run.driven.add(mover.body)
        velocity = velocity_m_s(mover, run.start(mover.body), done, STEP_S)
        run.engine.set_velocity(mover.body, velocity, mover.spin_rad_s)


def is_driven(run: Run) -> bool:
    """Tell whether a mover on its way has touched something in this step, and may have pushed."""
    return any(a in run.driven or b in run.driven for a, b, _ in run.contacts[-1])


def _keepers(run: Run, kind: type[KeepWhole | KeepStill], body: str) -> tuple[Handle, ...]:
    """Return the armed handles that keep a body as it is, now that it matters."""
    due = [h for h in run.party.handles if isinstance(h, kind) and h.body == body]
    return run.party.acting(due)


def _is_due(run: Run, handle: Handle) -> bool:
    """Tell whether a handle would act now if it is armed."""
    if isinstance(handle, KeepWhole | KeepStill) or handle.body in run.gone:
        return False
    fired = run.fired[handle_key(handle)] > 0
    if isinstance(handle, ForceToss) and run.step == handle.step + handle.rise_steps:
        return fired
    if isinstance(handle, ForceHandle):
        return run.step == handle.step and handle.variable not in run.onsets
    return not fired and _hold_is_due(run, handle)


def _do(run: Run, handle: Handle) -> bool:
    """Let a handle act; tell whether it changed anything."""
    if isinstance(handle, ForceHandle):
        return _force(run, handle)
    run.engine.hold(handle.body)
    return True


def _hold_is_due(run: Run, handle: HoldHandle) -> bool:
    if isinstance(handle, HoldNear):
        near = handle.other not in run.gone
        return near and run.engine.gap_m(handle.body, handle.other, handle.gap_m) < handle.gap_m
    if isinstance(handle, HoldTilted):
        tilt = run.tilt_deg(handle.body)
        return tilt is not None and tilt > handle.degrees
    if isinstance(handle, HoldTurned):
        turned = run.turned_deg(handle.body)
        return turned is not None and turned > handle.degrees
    place = run.rows[-1][handle.body]
    if isinstance(handle, HoldMoved):
        start = run.start(handle.body)
        return math.hypot(place[0] - start[0], place[1] - start[1]) > handle.distance_m
    along = sum(p * d for p, d in zip(place[:3], handle.direction, strict=True))
    return along > handle.limit_m


def _force(run: Run, handle: ForceHandle) -> bool:
    """Make an event happen; tell whether that changed anything."""
    engine = run.engine
    if isinstance(handle, ForceToss) and run.step > handle.step:
        _carry(run, handle)
        return True
    if isinstance(handle, ForceStart):
        return start_mover(run, Start(handle.body, run.step, ()))
    engine.release(handle.body)
    if isinstance(handle, ForceLaunch):
        engine.set_velocity(handle.body, handle.velocity_m_s, handle.spin_rad_s)
    elif isinstance(handle, ForceToss):
        engine.set_velocity(handle.body, (0.0, 0.0, handle.lift_m_s), (0.0, 0.0, 0.0))
    else:
        _break(run, handle.body)
    return True


def start_mover(run: Run, start: Start) -> bool:
    """Have a mover start, unless it has or will by then; tell whether that changes anything."""
    known = run.starts.get(start.body)
    if known is not None and known.step <= start.step:
        return False
    run.starts[start.body] = start
    return True


def _carry(run: Run, handle: ForceToss) -> None:
    """Send a tossed body sideways, so that it is there when it has come down again."""
    risen_s = handle.rise_steps / STEPS_PER_S
    left_s = 2.0 * handle.lift_m_s / GRAVITY_M_S2 - risen_s
    state = run.rows[-1][handle.body]
    x_m_s, y_m_s = (
        0.0 if there is None else (there - here) / left_s
        for here, there in zip(state[:2], (handle.x_m, handle.y_m), strict=True)
    )
    run.engine.set_velocity(handle.body, (x_m_s, y_m_s, state[9]), (0.0, 0.0, 0.0))


def break_unless_kept(run: Run, body: str) -> None:
    """Break a body, unless an armed handle keeps it whole."""
    keepers = _keepers(run, KeepWhole, body)
    for handle in keepers:
        run.count(handle)
    if not keepers:
        _break(run, body)


def _break(run: Run, body: str) -> None:
    run.breaks.append(Break(body, run.step, run.engine.shatter(body)))
    run.gone.add(body)
