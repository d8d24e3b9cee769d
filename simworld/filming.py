"""Film a rollout: frames, ids, tracks, events and segments, written as one clip's folder."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simworld.annotate.segments import Segment, Span, cut, merge_short
from simworld.annotate.tracker import Tracker
from simworld.benchmarks.causal2needles.written import MIN_CLIP_S
from simworld.clock import frame_of_step, frames_in
from simworld.events import events_of
from simworld.qa.captions import caption_segments, narrate_spans
from simworld.recipe import VideoSettings
from simworld.records import event_record, truth_record
from simworld.render.base import Renderer, make_renderer
from simworld.scene import Scene
from simworld.store import write_json
from simworld.truth import FACTUAL, Event
from simworld.twins import World
from simworld.video import IdWriter, VideoWriter
from simworld.world.rollout import Rollout

MIN_SEGMENT_FRAMES = 2


@dataclass(frozen=True, slots=True)
class Cut:
    """A clip's events, and two ways to cut it, with a sentence for each part.

    `segments` begin with a key event each; `spans` are as many of these together as make up the
    shortest scene that Causal2Needles shows.
    """

    events: tuple[Event, ...]
    segments: tuple[Segment, ...]
    spans: tuple[Segment, ...]


def cut_clip(scene: Scene, world: World, video: VideoSettings) -> Cut:
    """Find a clip's events and cut it at the onsets of its key events.

    Raises:
        CheckError: Two key events are too close together to tell them apart.
    """
    stride = video.steps_per_frame
    events = events_of(scene, world.truth.context, world.rollout, stride)
    onsets = [("opening", 0)]
    for name in scene.key_events:
        if name in world.truth.onsets:
            onsets.append((name, frame_of_step(world.truth.onsets[name], stride)))
    count = frames_in(world.rollout.steps, stride)
    cuts: tuple[Span, ...] = cut(onsets, count, MIN_SEGMENT_FRAMES)
    long = merge_short(cuts, math.ceil(MIN_CLIP_S * video.fps))
    told = scene, world.truth, events
    return Cut(events, caption_segments(*told, cuts), narrate_spans(*told, long))


def poses_of(rollout: Rollout, stride: int) -> Iterator[NDArray[np.float64]]:
    """Yield the poses (N, 7) that each frame shows."""
    for frame in range(frames_in(rollout.steps, stride)):
        yield rollout.states[frame * stride, :, :7]


def film_clip(
    scene: Scene, world: World, shots: Cut, video: VideoSettings, folder: Path
) -> tuple[str, ...]:
    """Write a clip's files; return a digest of each frame's pixels.

    Frames go from the renderer to the encoder one by one, so memory does not grow with length.
    """
    spec = scene.world(world.truth.context, FACTUAL)
    stride, size = video.steps_per_frame, (video.width, video.height)
    tracker = Tracker(spec, world.rollout.bodies, size)
    digests = []
    folder.mkdir(parents=True)
    with (
        make_renderer(video.renderer, spec, world.rollout.bodies, size) as renderer,
        VideoWriter(folder / "video.mp4", size, video.fps) as pictures,
        IdWriter(folder / "ids.mkv", size, video.fps, len(renderer.objects)) as ids,
    ):
        for poses in poses_of(world.rollout, stride):
            frame = renderer.render(poses)
            pictures.write(frame.rgb)
            ids.write(frame.ids)
            tracker.add(frame.ids, poses, frame.amodal)
            digests.append(hashlib.sha256(frame.rgb.tobytes()).hexdigest())
        things = _things(scene, world, renderer, video)
    tracker.build().save(folder / "tracks.npz")
    write_json(folder / "events.json", [event_record(event) for event in shots.events])
    write_json(folder / "segments.json", [asdict(segment) for segment in shots.segments])
    write_json(folder / "spans.json", [asdict(span) for span in shots.spans])
    write_json(folder / "truth.json", truth_record(world.truth, things))
    return tuple(digests)


def _things(
    scene: Scene, world: World, renderer: Renderer, video: VideoSettings
) -> dict[str, object]:
    """Describe the visible objects, the camera and the pictures."""
    spec = scene.world(world.truth.context, FACTUAL)
    shown = {body.object_name: body for body in reversed(spec.bodies) if body.present}
    return {
        "objects": {
            name: {
                "shape": type(shown[name].shape).__name__.lower(),
                "color": shown[name].color,
                "words": scene.things.get(name, name),
            }
            for name in renderer.objects
            if name in shown
        },
        "camera": spec.to_json()["camera"],
        "video": video.model_dump(),
        "world": spec.digest(),
    }


def likeness(
    scene: Scene, worlds: tuple[World, World], event: str, video: VideoSettings
) -> dict[str, object]:
    """Compare how one event comes out in two worlds, each from the frame of its onset on.

    Returns:
        `frames`, how many were compared; `identical_px`, the share of their pixels that are the
        same; `same_motion`, whether the event's objects move alike to the last bit.
    """
    stride, size = video.steps_per_frame, (video.width, video.height)
    steps = [world.truth.onsets[event] for world in worlds]
    starts = [frame_of_step(step, stride) for step in steps]
    lasts = [frames_in(w.rollout.steps, stride) - s for w, s in zip(worlds, starts, strict=True)]
    count = min(lasts)
    pictures: list[list[NDArray[np.uint8]]] = []
    for world, start in zip(worlds, starts, strict=True):
        spec = scene.world(world.truth.context, FACTUAL)
        frames = [world.rollout.states[(start + k) * stride, :, :7] for k in range(count)]
        with make_renderer(video.renderer, spec, world.rollout.bodies, size) as renderer:
            pictures.append([renderer.render(poses).rgb for poses in frames])
    same = [float((a == b).all(axis=2).mean()) for a, b in zip(*pictures, strict=True)]
    return {
        "event": event,
        "frames": count,
        "identical_px": round(math.fsum(same) / count, 4),
        "same_motion": _same_motion(scene, worlds, event, steps),
    }


def _same_motion(
    scene: Scene, worlds: tuple[World, World], event: str, steps: Sequence[int]
) -> bool:
    """Tell whether an event's objects, shards included, move alike from its onset on."""
    things = scene.phrases[event].participants
    moved = []
    for world, step in zip(worlds, steps, strict=True):
        spec, rollout = scene.world(world.truth.context, FACTUAL), world.rollout
        bodies = {b.name for b in spec.bodies if b.object_name in things}
        of = [k for k, name in enumerate(rollout.bodies) if name.partition("#")[0] in bodies]
        moved.append(rollout.states[step:, of])
    length = min(len(states) for states in moved)
    return np.array_equal(moved[0][:length], moved[1][:length], equal_nan=True)


def first_difference(
    scene: Scene, worlds: tuple[World, World], frame: int, video: VideoSettings
) -> tuple[int, int] | None:
    """Return the first pixel (x, y) in which two worlds' frames differ, in reading order."""
    stride, size = video.steps_per_frame, (video.width, video.height)
    pictures = []
    for world in worlds:
        spec = scene.world(world.truth.context, FACTUAL)
        bodies = world.rollout.bodies
        with make_renderer(video.renderer, spec, bodies, size) as renderer:
            pictures.append(renderer.render(world.rollout.states[frame * stride, :, :7]).rgb)
    differs = np.argwhere((pictures[0] != pictures[1]).any(axis=2))
    return (int(differs[0][1]), int(differs[0][0])) if len(differs) else None
