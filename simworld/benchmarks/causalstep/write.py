"""Write CausalStep's files from a suite's stored ones: causalstep.jsonl and videos/."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simworld.benchmarks.causalstep.schema import Video, read_truth
from simworld.benchmarks.rows import check_row
from simworld.errors import CheckError
from simworld.store import Suite, link_file, write_jsonl

NAME = "causalstep"


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What was written."""

    videos: int
    questions: int


def write(folder: Path) -> WriteCounts:
    """Write `benchmarks/causalstep/` into a suite, read it back and compare.

    Only clips with questions are written, in the order of their video numbers; nothing in the
    files tells which clip a video is. Without any such clip nothing is written.

    Args:
        folder: The suite, with questions.jsonl and clips/.

    Raises:
        InputError: A stored file is missing or is not what it must be.
        CheckError: What is read back is not what was written.
    """
    suite = Suite(folder)
    asked: dict[str, list[dict[str, Any]]] = {}
    for question in suite.questions():
        if question["benchmark"] == NAME:
            asked.setdefault(question["clip"], []).append(question)
    clips = sorted(asked, key=lambda clip: asked[clip][0]["video"])
    if not clips:
        return WriteCounts(0, 0)
    target = folder / "benchmarks" / NAME
    videos = []
    for clip in clips:
        row = _video_row(suite, clip, asked[clip])
        video = check_row(row, Video, f"clip {clip} of {folder}")
        link_file(suite.clip(clip) / "video.mp4", target / video.video)
        videos.append(video)
    path = target / f"{NAME}.jsonl"
    write_jsonl(path, [video.model_dump(mode="json") for video in videos])
    if read_truth(path) != videos:
        raise CheckError(f"expected to read back from {path} what was written, found otherwise")
    return WriteCounts(len(videos), sum(len(video.questions) for video in videos))


def _video_row(suite: Suite, clip: str, questions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a clip as a row of the benchmark's file."""
    truth = suite.truth(clip)
    pictures = truth["video"]
    video_id = f"{questions[0]['video']:04d}"
    return {
        "video_id": video_id,
        "video": f"videos/{video_id}.mp4",
        "fps": pictures["fps"],
        "width": pictures["width"],
        "height": pictures["height"],
        "segments": [_segment(segment, pictures["fps"]) for segment in suite.segments(clip)],
        "questions": [_question(question) for question in questions],
        "group": questions[0]["group"],
        "scene": truth["scene"],
    }


def _segment(segment: Mapping[str, Any], fps: float) -> dict[str, Any]:
    return {
        "index": segment["index"],
        "start_frame": segment["start_frame"],
        "stop_frame": segment["stop_frame"],
        "start_s": round(segment["start_frame"] / fps, 6),
        "stop_s": round(segment["stop_frame"] / fps, 6),
        "description": segment["description"],
    }


def _question(question: Mapping[str, Any]) -> dict[str, Any]:
    options = question["options"]
    return {
        "question_id": question["question_id"],
        "segment": question["segment"],
        "kind": question["kind"],
        "question": question["question"],
        "options": {option["key"]: option["text"] for option in options},
        "answer": question["answer"],
        "distractor_types": {
            option["key"]: option["distractor_type"] for option in options if not option["right"]
        },
        "proof": question["question_id"],
    }
