"""Whether two worlds look alike once the evidence for their answers is masked.

Then nobody can answer without looking at the evidence. Clips are simulated and drawn again, since
an encoder spreads a difference over the picture. Each frame is compared bit by bit, but for the
boxes of the evidence's objects at the frames that it spans, a pixel wider for the smooth edges, and
the shadows that they cast there, in either world.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simworld.annotate.boxes import visible_boxes
from simworld.clock import frames_in
from simworld.executors import Workers
from simworld.qa.items import Question
from simworld.recipe import VideoSettings
from simworld.render.base import DetailedRenderer, make_renderer
from simworld.scene import Context, load_scene
from simworld.store import Suite
from simworld.truth import FACTUAL
from simworld.world.simulate import simulate

Pair = tuple[Question, Question]


@dataclass(frozen=True, slots=True)
class MaskJob:
    """Pairs of questions on clips of one group, for a worker."""

    scene: str
    scenes_dir: Path | None
    video: VideoSettings
    contexts: Mapping[str, Context]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class _Film:
    """A clip's frames (T, H, W, 3), and what is masked of an object at a frame, (H, W)."""

    frames: NDArray[np.uint8]
    masks: Mapping[tuple[str, int], NDArray[np.bool_]]


def partners(questions: Sequence[Question]) -> list[Pair]:
    """Return the pairs of CaST-Bench's questions that one group's worlds answer otherwise.

    The question is the same but for its video's number, and so are the options.
    """
    alike: dict[tuple[str, str, frozenset[str]], list[Question]] = defaultdict(list)
    for one in questions:
        if one.benchmark == "castbench":
            asked = one.question.replace(f"video {one.video}", "video {video}")
            alike[one.group, asked, frozenset(option.text for option in one.options)].append(one)
    return [
        (one, other)
        for some in alike.values()
        for one, other in combinations(some, 2)
        if _answer(one) != _answer(other)
    ]


def evidence_masked(
    suite: Suite, questions: Sequence[Question], workers: Workers, scenes_dir: Path | None
) -> dict[str, int]:
    """Count the questions that have such a partner, and those that have it with masked evidence.

    Args:
        suite: The suite, its clips complete.
        questions: Its questions.
        workers: Draw again.
        scenes_dir: A folder with scene scripts of the user's own.

    Returns:
        Their numbers, as `paired` and `masked`.
    """
    groups: dict[str, list[Pair]] = defaultdict(list)
    for pair in partners(questions):
        groups[pair[0].group].append(pair)
    jobs = []
    for pairs in groups.values():
        truths = {one.clip: suite.truth(one.clip) for pair in pairs for one in pair}
        first = next(iter(truths.values()))
        contexts = {clip: Context.from_json(truth["context"]) for clip, truth in truths.items()}
        video = VideoSettings(**first["video"])
        jobs.append(MaskJob(first["scene"], scenes_dir, video, contexts, tuple(pairs)))
    found = workers.map(look_alike, jobs)
    paired = {one.question_id for job in jobs for pair in job.pairs for one in pair}
    masked = {
        one.question_id
        for job, alike in zip(jobs, found, strict=True)
        for pair, same in zip(job.pairs, alike, strict=True)
        for one in pair
        if same
    }
    return {"paired": len(paired), "masked": len(masked)}


def look_alike(job: MaskJob) -> tuple[bool, ...]:
    """Tell of each pair whether its videos are the same once the evidence is masked."""
    wanted: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for pair in job.pairs:
        for one in pair:
            wanted[one.clip] |= _places(one)
    films = {clip: _film(job, context, wanted[clip]) for clip, context in job.contexts.items()}
    return tuple(_same(pair, films) for pair in job.pairs)


def _places(question: Question) -> set[tuple[str, int]]:
    """Return each object of the evidence with each frame that it spans."""
    return {
        (evidence.object, frame)
        for evidence in question.evidence
        for frame in range(evidence.start_frame, evidence.stop_frame)
    }


def _film(job: MaskJob, context: Context, wanted: set[tuple[str, int]]) -> _Film:
    """Draw a clip again; of a renderer that knows no shadows, none is masked."""
    video, spec = job.video, load_scene(job.scene, job.scenes_dir).world(context, FACTUAL)
    rollout, size = simulate(spec, "end"), (job.video.width, job.video.height)
    frames, masks = [], {}
    with make_renderer(video.renderer, spec, rollout.bodies, size) as renderer:
        for number in range(frames_in(rollout.steps, video.steps_per_frame)):
            frame = renderer.render(rollout.states[number * video.steps_per_frame, :, :7])
            frames.append(frame.rgb)
            names = [name for name, at in wanted if at == number and name in renderer.objects]
            if not names:
                continue
            boxes, _ = visible_boxes(frame.ids, len(renderer.objects))
            shadows = renderer.shadows() if isinstance(renderer, DetailedRenderer) else None
            for name in names:
                k = renderer.objects.index(name)
                mask = _inside(boxes[k], frame.ids.shape)
                masks[name, number] = mask if shadows is None else mask | shadows[k]
    return _Film(np.stack(frames), masks)


def _inside(box_xyxy_px: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(shape, dtype=np.bool_)
    if not np.isnan(box_xyxy_px).any():
        x1, y1, x2, y2 = box_xyxy_px.astype(int)
        mask[max(0, y1 - 1) : y2 + 1, max(0, x1 - 1) : x2 + 1] = True
    return mask


def _same(pair: Pair, films: Mapping[str, _Film]) -> bool:
    one, other = (films[question.clip].frames[: question.stop_frame] for question in pair)
    if one.shape != other.shape:
        return False
    differs = (one != other).any(axis=-1)
    for question in pair:
        masks = films[question.clip].masks
        for name, frame in _places(question) & masks.keys():
            differs[frame] &= ~masks[name, frame]
    return not differs.any()


def _answer(question: Question) -> str:
    return next(option.text for option in question.options if option.right)
