"""Events: what happened in a rollout, by the names that people give things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from simworld.clock import frame_span, frames_in
from simworld.scene import Context, Scene
from simworld.truth import FACTUAL, Event
from simworld.world.contacts import ContactSpan, contact_spans
from simworld.world.detectors import (
    Broke,
    Detector,
    DroppedBelow,
    Moved,
    Slid,
    Tilted,
    Touched,
    Turned,
)
from simworld.world.rollout import Rollout
from simworld.world.spec import WorldSpec

KINDS: Mapping[type, str] = {
    Touched: "hit",
    Slid: "slide",
    DroppedBelow: "fall",
    Tilted: "fall",
    Turned: "turn",
    Moved: "move",
    Broke: "break",
}
BREAK_STEPS = 24
STILL_STEPS = 12
STILL_M = 0.0005
"""What moves less than this in `STILL_STEPS` is still; its velocity may tremble all the same."""
STILL_DEG = 0.1
"""The same of what turns."""


def events_of(
    scene: Scene, context: Context, rollout: Rollout, steps_per_frame: int
) -> tuple[Event, ...]:
    """Return every event of a rollout that some frame shows, in order of time.

    Each variable that occurred is one; so is every other contact of two objects: `hit`, or
    `rest` for those that touch from the start.
    """
    spec = scene.world(context, FACTUAL)
    objects = {body.name: body.object_name for body in spec.bodies}
    spans = contact_spans(rollout)
    events: list[Event] = []
    used: set[ContactSpan] = set()
    for name, onset in sorted(rollout.outcome.onsets.items(), key=lambda pair: pair[1]):
        detector = spec.detectors[name]
        span = _span_at(detector, onset, spans)
        if span is not None:
            used.add(span)
            stop = max(span.stop_step, onset + 1)
        else:
            stop = _stop_step(detector, onset, rollout, spec)
        people = _participants(scene.phrases[name].participants, detector, span, objects)
        frames = frame_span(onset, stop, steps_per_frame)
        events.append(Event(name, name, KINDS[type(detector)], people, onset, stop, *frames))
    for span in spans:
        a, b = sorted(objects[body] for body in span.bodies)
        if span in used or a == b:
            continue
        kind = "rest" if span.from_the_start else "hit"
        frames = frame_span(span.start_step, span.stop_step, steps_per_frame)
        events.append(
            Event(f"{kind}({a}, {b})", None, kind, (a, b), span.start_step, span.stop_step, *frames)
        )
    count = frames_in(rollout.steps, steps_per_frame)
    shown = [
        replace(event, stop_frame=min(event.stop_frame, count))
        for event in events
        if event.start_frame < count
    ]
    return tuple(sorted(shown, key=lambda event: (event.start_step, event.name)))


def _span_at(detector: Detector, onset: int, spans: tuple[ContactSpan, ...]) -> ContactSpan | None:
    """Find the contact that a touch detector fired at."""
    if not isinstance(detector, Touched):
        return None
    pairs = {tuple(sorted((detector.body, other))) for other in detector.others}
    return next(s for s in spans if s.bodies in pairs and s.start_step <= onset < s.stop_step)


def _participants(
    declared: tuple[str, ...],
    detector: Detector,
    span: ContactSpan | None,
    objects: Mapping[str, str],
) -> tuple[str, ...]:
    """Name who took part: as declared, unless the contact was with something else.

    Where more than two are declared, such as a ball that splits a pair, any two of them will do.
    """
    if span is None or not isinstance(detector, Touched):
        return declared
    other = next(body for body in span.bodies if body != detector.body)
    actual = (objects[detector.body], objects[other])
    return declared if set(declared) >= set(actual) else actual


def _stop_step(detector: Detector, onset: int, rollout: Rollout, spec: WorldSpec) -> int:
    """Find where an event without a contact ends: at the body's next, or when it is still."""
    if isinstance(detector, Broke):
        return min(onset + BREAK_STEPS, rollout.steps)
    body = detector.body
    later = [broken.step for broken in rollout.breaks if broken.body == body]
    later += [s for name, s in rollout.outcome.onsets.items() if spec.detectors[name].body == body]
    track = rollout.states[onset + 1 :, rollout.index(body)]
    earlier, now = track[:-STILL_STEPS], track[STILL_STEPS:]
    if isinstance(detector, Turned):
        same = np.abs((earlier[:, 3:7] * now[:, 3:7]).sum(axis=1)).clip(max=1.0)
        still = np.flatnonzero(np.degrees(2.0 * np.arccos(same)) < STILL_DEG)
    else:
        moved = np.linalg.norm(now[:, :3] - earlier[:, :3], axis=1)
        still = np.flatnonzero(moved < STILL_M)
    rest = onset + 1 + int(still[0]) if len(still) else rollout.steps
    return max(onset + 1, min([*(s for s in later if s > onset), rest, rollout.steps]))
