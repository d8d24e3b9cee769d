"""The events of a rollout, found in its contacts and states apart from the generator's own way."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simworld.clock import frame_span, frames_in
from simworld.scene import Scene
from simworld.world.detectors import (
    Broke,
    DroppedBelow,
    Moved,
    Slid,
    Tilted,
    Touched,
    Turned,
)
from simworld.world.rollout import Rollout
from simworld.world.spec import WorldSpec

APART_STEPS = 12
"""Two objects that part for longer touch anew (0.05 s)."""

RESTING_STEPS = 2
"""What touches by then was resting there."""

BREAKING_STEPS = 24
"""For how long a break is said to go on (0.1 s)."""

STILL_STEPS, STILL_M = 12, 0.0005
"""A body stands still once it gets less far than this in so many steps."""

STILL_DEG = 0.1
"""What turns stands still once it turns by less than this in as many."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Two bodies in touch over the steps [start_step, stop_step)."""

    bodies: frozenset[str]
    start_step: int
    stop_step: int


def touches(rollout: Rollout) -> list[Touch]:
    """Return every time that two intact bodies touched, in order of time."""
    steps: dict[tuple[str, str], list[int]] = {}
    for step, contacts in enumerate(rollout.contacts):
        for a, b, _ in contacts:
            if "#" not in a and "#" not in b:
                steps.setdefault((a, b), []).append(step)
    found = []
    for pair, when in sorted(steps.items()):
        marks = np.array(when)
        breaks = np.flatnonzero(np.diff(marks) > APART_STEPS + 1) + 1
        for part in np.split(marks, breaks):
            found.append(Touch(frozenset(pair), int(part[0]), int(part[-1]) + 1))
    return sorted(found, key=lambda touch: (touch.start_step, sorted(touch.bodies)))


def records(
    scene: Scene, spec: WorldSpec, rollout: Rollout, steps_per_frame: int
) -> list[dict[str, Any]]:
    """Return the events of a rollout as events.json lists them: by time, then by name.

    What sets in after the last frame is not listed; what goes on beyond it ends with the clip.
    """
    touched = touches(rollout)
    rows, taken = [], []
    for name, onset in rollout.outcome.onsets.items():
        row, touch = _variable(scene, spec, rollout, name, onset, touched)
        rows.append(row)
        taken.append(touch)
    objects = {body.name: body.object_name for body in spec.bodies}
    rows += _others([touch for touch in touched if touch not in taken], objects)
    count = frames_in(rollout.steps, steps_per_frame)
    for row in rows:
        start, stop = frame_span(row["start_step"], row["stop_step"], steps_per_frame)
        row["start_frame"], row["stop_frame"] = start, min(stop, count)
    shown = [row for row in rows if row["start_frame"] < count]
    return sorted(shown, key=lambda row: (row["start_step"], row["event"]))


def _others(touched: list[Touch], objects: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the contacts of two objects that are no variable's."""
    for touch in touched:
        names = sorted(objects[body] for body in touch.bodies)
        kind = "rest" if touch.start_step <= RESTING_STEPS else "hit"
        if names[0] != names[1]:
            yield {
                "event": f"{kind}({names[0]}, {names[1]})",
                "variable": None,
                "kind": kind,
                "participants": names,
                "start_step": touch.start_step,
                "stop_step": touch.stop_step,
            }


def _variable(
    scene: Scene, spec: WorldSpec, rollout: Rollout, name: str, onset: int, touched: list[Touch]
) -> tuple[dict[str, Any], Touch | None]:
    """Return the record of a variable's event, without frames, and the contact that it is."""
    detector = spec.detectors[name]
    people = list(scene.phrases[name].participants)
    touch = None
    match detector:
        case Touched(body=body, others=others):
            kind = "hit"
            touch = next(
                t
                for t in touched
                if any(t.bodies == {body, other} for other in others)
                and t.start_step <= onset < t.stop_step
            )
            stop = touch.stop_step
            [other] = touch.bodies - {body}
            met = [spec.body(body).object_name, spec.body(other).object_name]
            people = people if set(people) >= set(met) else met
        case Broke():
            kind, stop = "break", min(onset + BREAKING_STEPS, rollout.steps)
        case Slid(body=body) | DroppedBelow(body=body) | Tilted(body=body):
            kind = "slide" if isinstance(detector, Slid) else "fall"
            stop = _comes_to_rest(spec, rollout, body, onset, _gone_m, STILL_M)
        case Moved(body=body):
            kind, stop = "move", _comes_to_rest(spec, rollout, body, onset, _gone_m, STILL_M)
        case Turned(body=body):
            kind, stop = "turn", _comes_to_rest(spec, rollout, body, onset, _turned_deg, STILL_DEG)
        case _:
            raise ValueError(f"{name} is a condition and has no onset")
    record = {
        "event": name,
        "variable": name,
        "kind": kind,
        "participants": people,
        "start_step": onset,
        "stop_step": stop,
    }
    return record, touch


def _gone_m(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return how far apart two states of a body are."""
    return float(np.linalg.norm(other[:3] - one[:3]))


def _turned_deg(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the angle between two states of a body."""
    return math.degrees(2.0 * math.acos(min(1.0, abs(float(one[3:7] @ other[3:7])))))


def _comes_to_rest(
    spec: WorldSpec,
    rollout: Rollout,
    body: str,
    onset: int,
    change: Callable[[NDArray[np.float64], NDArray[np.float64]], float],
    least: float,
) -> int:
    """Return when a movement ends: at the body's next event, when it is still, or at the end."""
    onsets = rollout.outcome.onsets.items()
    ends = [step for name, step in onsets if getattr(spec.detectors[name], "body", "") == body]
    ends += [broken.step for broken in rollout.breaks if broken.body == body]
    end = min([step for step in ends if step > onset] + [rollout.steps])
    track = rollout.states[:, rollout.index(body)]
    for step in range(onset + 1, min(end, rollout.steps - STILL_STEPS + 1)):
        if change(track[step], track[step + STILL_STEPS]) < least:
            return step
    return max(onset + 1, end)
