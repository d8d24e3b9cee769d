"""A clip simulated to its end and drawn again, and how far its video files differ from that.

Runs in a worker. Codecs lose detail, so a video is compared in small blocks: an object in the
wrong place changes a block or two by far more than the codec does, though it hardly moves the
mean of the whole frame.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simworld.annotate.tracker import Tracker
from simworld.annotate.tracks import Tracks
from simworld.clock import frames_in
from simworld.errors import SimworldError
from simworld.executors import Workers
from simworld.recipe import VideoSettings
from simworld.render.base import Frame, make_renderer
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL
from simworld.video import certify, read_frames, read_ids
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import WorldSpec

VIDEO, IDS = "video.mp4", "ids.mkv"

BLOCK_PX = 8
BLOCK_LIMIT = 24.0
"""Largest mean difference of a block, of 255 levels. Between a video and its own frames it is
about 10 (H.264 at crf 20); another twin's gives 45 and more in every frame that differs."""


@dataclass(frozen=True, slots=True)
class FilmJob:
    """What a worker needs to film a clip again. `folder` holds its video.mp4 and ids.mkv."""

    scene: str
    scenes_dir: Path | None
    context: Context
    video: VideoSettings
    folder: Path


@dataclass(frozen=True, slots=True, eq=False)
class Footage:
    """A clip as it comes out again.

    `pixels` are digests of its frames; `boxes_px` (T, N, 4) [float32] and `counts_px` (T, N)
    [int32] are read from the ids that were drawn again, apart from the tracker; `problems`
    maps what is wrong with a video file to what was found.
    """

    spec: WorldSpec
    rollout: Rollout
    tracks: Tracks
    pixels: tuple[str, ...]
    boxes_px: NDArray[np.float32]
    counts_px: NDArray[np.int32]
    problems: Mapping[str, str]


@dataclass(slots=True)
class _Take:
    """Frames drawn so far, compared with what the files hold."""

    pictures: NDArray[np.uint8] | None = None
    stored_ids: NDArray[np.uint16] | None = None
    pixels: list[str] = field(default_factory=list)
    boxes: list[NDArray[np.float32]] = field(default_factory=list)
    counts: list[NDArray[np.int32]] = field(default_factory=list)
    off: list[tuple[float, int, int, int]] = field(default_factory=list)
    other_ids: list[int] = field(default_factory=list)

    def add(self, frame: Frame, objects: int) -> None:
        at = len(self.pixels)
        self.pixels.append(hashlib.sha256(frame.rgb.tobytes()).hexdigest())
        boxes, counts = seen_in(frame.ids, objects)
        self.boxes.append(boxes)
        self.counts.append(counts)
        if self.pictures is not None:
            error, x, y = worst_block(frame.rgb, self.pictures[at])
            if error > BLOCK_LIMIT:
                self.off.append((error, at, x, y))
        if self.stored_ids is not None and not np.array_equal(frame.ids, self.stored_ids[at]):
            self.other_ids.append(at)

    def problems(self) -> dict[str, str]:
        found = {}
        if self.off:
            error, frame, x, y = max(self.off)
            found[f"{VIDEO} shows the rollout"] = (
                f"frames that differ, {len(self.off)} of {len(self.pixels)}; frame {frame} by "
                f"{error:.0f} levels around pixel ({x}, {y})"
            )
        if self.other_ids:
            found[f"{IDS} holds the ids"] = (
                f"other ids in {len(self.other_ids)} frames, the first {self.other_ids[0]}"
            )
        return found


def film_all(pool: Workers, jobs: Sequence[FilmJob]) -> Iterator[tuple[int, Footage | str]]:
    """Film clips again in workers; yield each one's index and footage as they get done."""
    return pool.each(film_again, jobs)


def film_again(job: FilmJob) -> Footage | str:
    """Film a clip again; return why not, if its world cannot be simulated."""
    try:
        return _film(job)
    except (SimworldError, LookupError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def _film(job: FilmJob) -> Footage:
    """Simulate a clip to its end, draw every frame, and compare its video files with them."""
    scene = load_scene(job.scene, job.scenes_dir)
    spec = scene.world(job.context, FACTUAL)
    rollout = simulate(spec, "end")
    stride, size = job.video.steps_per_frame, (job.video.width, job.video.height)
    frames = frames_in(rollout.steps, stride)
    problems = {
        f"{name} has its clip's size, rate and length": problem
        for name in (VIDEO, IDS)
        if (problem := _problem(job.folder / name, job.video, frames))
    }
    take = _Take()
    if not problems:
        take = _Take(read_frames(job.folder / VIDEO), read_ids(job.folder / IDS))
    tracker = Tracker(spec, rollout.bodies, size)
    with make_renderer(job.video.renderer, spec, rollout.bodies, size) as renderer:
        for number in range(frames):
            poses = rollout.states[number * stride, :, :7]
            frame = renderer.render(poses)
            tracker.add(frame.ids, poses, frame.amodal)
            take.add(frame, len(renderer.objects))
    return Footage(
        spec,
        rollout,
        tracker.build(),
        tuple(take.pixels),
        np.stack(take.boxes),
        np.stack(take.counts),
        {**problems, **take.problems()},
    )


def _problem(path: Path, video: VideoSettings, frames: int) -> str:
    """Say what is wrong with a video file's size, rate or length."""
    try:
        certify(path, video.width, video.height, video.fps, frames)
    except SimworldError as error:
        return str(error)
    return ""


def seen_in(ids: NDArray[np.uint16], objects: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return each object's box (N, 4), half-open, NaN if unseen, and its number of pixels (N,)."""
    boxes = np.full((objects, 4), np.nan, dtype=np.float32)
    counts = np.bincount(ids.ravel(), minlength=objects + 1)[1 : objects + 1].astype(np.int32)
    for k in np.flatnonzero(counts):
        y, x = np.nonzero(ids == k + 1)
        boxes[k] = x.min(), y.min(), x.max() + 1, y.max() + 1
    return boxes, counts


def worst_block(drawn: NDArray[np.uint8], stored: NDArray[np.uint8]) -> tuple[float, int, int]:
    """Return the largest mean difference of a block of two pictures, and its corner (x, y).

    Two by two pixels are averaged first, since that is all that 4:2:0 video keeps of colour.
    """
    height, width = (side // 2 * 2 for side in drawn.shape[:2])
    difference = drawn[:height, :width].astype(np.float32) - stored[:height, :width]
    quads = np.abs(difference.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3)))
    side = BLOCK_PX // 2
    level = np.pad(quads.mean(axis=2), [(0, -n % side) for n in quads.shape[:2]])
    rows, columns = level.shape[0] // side, level.shape[1] // side
    blocks = level.reshape(rows, side, columns, side).mean(axis=(1, 3))
    row, column = divmod(int(blocks.argmax()), columns)
    return float(blocks[row, column]), column * BLOCK_PX, row * BLOCK_PX


@dataclass(frozen=True, slots=True, eq=False)
class PairJob:
    """Two worlds at one frame's poses."""

    renderer: str
    size_px: tuple[int, int]
    worlds: tuple[tuple[WorldSpec, tuple[str, ...], NDArray[np.float64]], ...]


def find_different_pixel(pool: Workers, job: PairJob) -> tuple[int, int] | None:
    """Draw two worlds in a worker; return the first pixel (x, y) that differs, row by row."""
    return pool.call(first_different_pixel, job)


def first_different_pixel(job: PairJob) -> tuple[int, int] | None:
    """Do what `find_different_pixel` says."""
    pictures = _draw(job)
    rows, columns = np.nonzero((pictures[0] != pictures[1]).any(axis=2))
    return (int(columns[0]), int(rows[0])) if len(rows) else None


def share_of_same_pixels(pool: Workers, jobs: Sequence[PairJob]) -> float:
    """Draw pairs of worlds in workers; return the mean share of pixels that are the same."""
    shares = pool.map(_share_of_same, jobs)
    return math.fsum(shares) / len(shares)


def _share_of_same(job: PairJob) -> float:
    pictures = _draw(job)
    return float((pictures[0] == pictures[1]).all(axis=2).mean())


def _draw(job: PairJob) -> list[NDArray[np.uint8]]:
    pictures = []
    for spec, bodies, poses in job.worlds:
        with make_renderer(job.renderer, spec, bodies, job.size_px) as renderer:
            pictures.append(renderer.render(poses).rgb)
    return pictures
