"""Write CaST-Bench's files from a suite's stored ones: castbench_hf.jsonl and videos/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from simworld.benchmarks.castbench.convert import convert
from simworld.benchmarks.castbench.schema import FILE_NAME, Question, read_truth
from simworld.benchmarks.castbench.strict import truth_text
from simworld.errors import CheckError
from simworld.splicing import cut_short
from simworld.store import Suite, link_file, write_text

NAME = "castbench"

QUESTION_TYPE = {
    "causal_explanation": "Causal Explanation",
    "counterfactual_reasoning": "Counterfactual Reasoning",
    "predictive_anticipation": "Predictive Anticipation",
    "inference_description": "Inference Description",
}
"""For each kind of question in questions.jsonl the benchmark's name of it."""


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What was written."""

    videos: int
    questions: int


def write(folder: Path) -> WriteCounts:
    """Write `benchmarks/castbench/` into a suite, read it back and compare.

    The questions stand in the order of their video numbers; nothing in the files tells which clip
    a video is. Without any question nothing is written.

    Args:
        folder: The suite, with questions.jsonl and clips/.

    Raises:
        InputError: A stored file is missing or is not what it must be.
        CheckError: A question cannot be shown in the format, or what is read back is not what
            was written.
    """
    suite = Suite(folder)
    rows = [question for question in suite.questions() if question["benchmark"] == NAME]
    rows.sort(key=lambda row: (row["video"], row["segment"]))
    if not rows:
        return WriteCounts(0, 0)
    clip = cache(lambda name: _Clip.read(suite, name))
    questions = [_question(row, clip(row["clip"])) for row in rows]
    target = folder / "benchmarks" / NAME
    shown = {video_of(row): (row["clip"], row.get("stop_frame")) for row in rows}
    for video, (name, stop_frame) in shown.items():
        source = suite.clip(name) / "video.mp4"
        if stop_frame is None:
            link_file(source, target / "videos" / video)
        else:
            cut_short(source, stop_frame, target / "videos" / video)
    write_text(target / FILE_NAME, truth_text(questions))
    if read_truth(target / FILE_NAME) != questions:
        raise CheckError(
            f"expected to read back from {target / FILE_NAME} what was written, found otherwise"
        )
    return WriteCounts(len(shown), len(questions))


def video_of(row: Mapping[str, Any]) -> str:
    """Return the name of a question's video in the benchmark's folder."""
    return f"sim_{row['video']:04d}{'_start' if row.get('stop_frame') else ''}.mp4"


@dataclass(frozen=True, slots=True)
class _Clip:
    """What is needed of a clip: its scene, pictures, and each object's visible box by frame."""

    scene: str
    fps: int
    size_px: tuple[int, int]
    frame_count: int
    boxes_xyxy_px: Mapping[str, Any]

    @staticmethod
    def read(suite: Suite, name: str) -> _Clip:
        truth, boxes = suite.truth(name), suite.visible_boxes(name)
        pictures = truth["video"]
        size_px = (pictures["width"], pictures["height"])
        frame_count = len(next(iter(boxes.values())))
        return _Clip(truth["scene"], pictures["fps"], size_px, frame_count, boxes)


def _question(row: Mapping[str, Any], clip: _Clip) -> Question:
    stop = row.get("stop_frame") or clip.frame_count
    boxes = {name: track[:stop] for name, track in clip.boxes_xyxy_px.items()}
    return Question(
        qa_id=row["question_id"],
        video=video_of(row),
        question=row["question"],
        question_type=QUESTION_TYPE[row["kind"]],
        scene_category=f"Simulated physics: {clip.scene.replace('_', ' ')}",
        options={option["key"]: option["text"] for option in row["options"]},
        answer=row["answer"],
        evidences=tuple(
            convert(evidence, boxes, clip.fps, clip.size_px) for evidence in row["evidence"]
        ),
        size_px=clip.size_px,
        duration_s=round(stop / clip.fps, 6),
        group=row["group"],
        scene=clip.scene,
        proof=row["question_id"],
    )
