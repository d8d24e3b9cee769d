"""Film a rollout: frames, ids, tracks, events and segments, written as one clip's folder."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import islice, takewhile
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
from simworld.render.base import Frame, Poses, make_renderer
from simworld.scene import Scene
from simworld.store import write_json
from simworld.truth import FACTUAL, Event
from simworld.twins import World
from simworld.video import IdWriter, VideoWriter
from simworld.world.rollout import Rollout
from simworld.world.spec import WorldSpec

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


@dataclass(frozen=True, slots=True)
class Take:
    """A clip to film: its world, how it is cut, and the folder to make and fill."""

    world: World
    shots: Cut
    folder: Path


def film_clip(
    scene: Scene, world: World, shots: Cut, video: VideoSettings, folder: Path
) -> tuple[str, ...]:
    """Write a clip's files; return a digest of each frame's pixels.

    Frames go from the renderer to the encoder one by one, so memory does not grow with length.
    """
    return film_clips(scene, [Take(world, shots, folder)], video)[0]


def film_clips(scene: Scene, takes: Sequence[Take], video: VideoSettings) -> list[tuple[str, ...]]:
    """Write the files of several clips; return a digest of each frame's pixels for each clip.

    As long as a clip shows what the first one shows, it takes the first one's frames, which are
    the very ones that would be drawn for it.
    """
    size, stride = (video.width, video.height), video.steps_per_frame
    shared = [_frames_shared(scene, takes[0].world, take.world, stride) for take in takes]
    with ExitStack() as stack:
        reels = [stack.enter_context(_reel(scene, take, video)) for take in takes]
        for number, (take, reel) in enumerate(zip(takes, reels, strict=True)):
            start = shared[number] if number else 0
            rollout, spec = take.world.rollout, _spec(scene, take.world)
            with make_renderer(video.renderer, spec, rollout.bodies, size) as renderer:
                for at, poses in enumerate(islice(poses_of(rollout, stride), start, None), start):
                    frame = renderer.render(poses)
                    digest = hashlib.sha256(frame.rgb.data).hexdigest()
                    reel.add(frame, poses, digest)
                    if number == 0:
                        for other, count in zip(reels[1:], shared[1:], strict=True):
                            if at < count:
                                other.add(frame, poses, digest)
    return [tuple(reel.digests) for reel in reels]


def _spec(scene: Scene, world: World) -> WorldSpec:
    return scene.world(world.truth.context, FACTUAL)


def _frames_shared(scene: Scene, first: World, other: World, stride: int) -> int:
    """Count the frames from the beginning on in which two worlds look alike to the last bit."""
    looks = [_look(_spec(scene, world)) for world in (first, other)]
    if looks[0] != looks[1] or first.rollout.bodies != other.rollout.bodies:
        return 0
    pairs = zip(poses_of(first.rollout, stride), poses_of(other.rollout, stride), strict=False)
    alike = (np.array_equal(one, two, equal_nan=True) for one, two in pairs)
    return sum(1 for _ in takewhile(bool, alike))


def _look(spec: WorldSpec) -> tuple[object, ...]:
    """Return all of a world that is drawn but for where its bodies are.

    What cannot be seen of a body is left out; whether it has mass and how it breaks can be, for
    they tell what it is made of.
    """
    bodies = tuple(
        replace(
            body,
            position_m=(0.0, 0.0, 0.0),
            quat_xyzw=(0.0, 0.0, 0.0, 1.0),
            mass_kg=float(body.mass_kg > 0),
            friction=0.0,
            rolling_friction=0.0,
            restitution=0.0,
        )
        for body in spec.bodies
    )
    moving = tuple(spec.moves(body.name) for body in spec.bodies)
    return bodies, moving, spec.camera, spec.light_direction


class _Reel:
    """A clip's files while they are written, frame by frame."""

    def __init__(self, tracker: Tracker, pictures: VideoWriter, ids: IdWriter) -> None:
        self._tracker, self._pictures, self._ids = tracker, pictures, ids
        self.digests: list[str] = []

    def add(self, frame: Frame, poses: Poses, digest: str) -> None:
        self._pictures.write(frame.rgb)
        self._ids.write(frame.ids)
        self._tracker.add(frame.ids, poses, frame.amodal)
        self.digests.append(digest)


@contextmanager
def _reel(scene: Scene, take: Take, video: VideoSettings) -> Iterator[_Reel]:
    """Open a clip's files; write what does not come frame by frame at the end."""
    world, shots, folder = take.world, take.shots, take.folder
    spec, size = _spec(scene, world), (video.width, video.height)
    tracker = Tracker(spec, world.rollout.bodies, size)
    folder.mkdir(parents=True)
    with (
        VideoWriter(folder / "video.mp4", size, video.fps) as pictures,
        IdWriter(folder / "ids.mkv", size, video.fps, len(tracker.names)) as ids,
    ):
        yield _Reel(tracker, pictures, ids)
    tracker.build().save(folder / "tracks.npz")
    write_json(folder / "events.json", [event_record(event) for event in shots.events])
    write_json(folder / "segments.json", [asdict(segment) for segment in shots.segments])
    write_json(folder / "spans.json", [asdict(span) for span in shots.spans])
    write_json(
        folder / "truth.json", truth_record(world.truth, _things(scene, spec, tracker.names, video))
    )


def _things(
    scene: Scene, spec: WorldSpec, objects: tuple[str, ...], video: VideoSettings
) -> dict[str, object]:
    """Describe the visible objects, the camera and the pictures."""
    shown = {body.object_name: body for body in reversed(spec.bodies) if body.present}
    return {
        "objects": {
            name: {
                "shape": type(shown[name].shape).__name__.lower(),
                "color": shown[name].color,
                "words": scene.things.get(name, name),
            }
            for name in objects
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
        spec = _spec(scene, world)
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
        spec, rollout = _spec(scene, world), world.rollout
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
        spec = _spec(scene, world)
        bodies = world.rollout.bodies
        with make_renderer(video.renderer, spec, bodies, size) as renderer:
            pictures.append(renderer.render(world.rollout.states[frame * stride, :, :7]).rgb)
    differs = np.argwhere((pictures[0] != pictures[1]).any(axis=2))
    return (int(differs[0][1]), int(differs[0][0])) if len(differs) else None
