"""Write the decisions' files from a suite's stored ones: decisions.jsonl and videos/."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simworld.benchmarks.decisions.schema import FILE_NAME, Decision, read_truth
from simworld.benchmarks.rows import check_row
from simworld.errors import CheckError
from simworld.store import Suite, link_file, write_jsonl

NAME = "decisions"


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What was written."""

    videos: int
    questions: int


def write(folder: Path) -> WriteCounts:
    """Write `benchmarks/decisions/` into a suite, read it back and compare.

    The questions stand in the order of their video numbers; nothing in the files tells which clip
    a video is. Without any question nothing is written.

    Args:
        folder: The suite, with questions.jsonl and clips/.

    Raises:
        InputError: A stored file is missing or is not what it must be.
        CheckError: What is read back is not what was written.
    """
    suite = Suite(folder)
    rows = [question for question in suite.questions() if question["benchmark"] == NAME]
    rows.sort(key=lambda row: row["video"])
    if not rows:
        return WriteCounts(0, 0)
    target = folder / "benchmarks" / NAME
    decisions = []
    for row in rows:
        scene = suite.truth(row["clip"])["scene"]
        decision = check_row(
            decision_row(row, scene), Decision, f"{row['question_id']} of {folder}"
        )
        link_file(suite.clip(row["clip"]) / "video.mp4", target / decision.video)
        decisions.append(decision)
    write_jsonl(target / FILE_NAME, [decision.model_dump(mode="json") for decision in decisions])
    if read_truth(target / FILE_NAME) != decisions:
        raise CheckError(
            f"expected to read back from {target / FILE_NAME} what was written, found otherwise"
        )
    return WriteCounts(len({decision.video for decision in decisions}), len(decisions))


def decision_row(question: Mapping[str, Any], scene: str) -> dict[str, Any]:
    """Return a stored question as a row of the file.

    Args:
        question: The row of questions.jsonl.
        scene: Name of the clip's scene.
    """
    return {
        "question_id": question["question_id"],
        "video": f"videos/{question['video']:04d}.mp4",
        "question": question["question"],
        "options": {option["key"]: option["text"] for option in question["options"]},
        "answer": question["answer"],
        "group": question["group"],
        "scene": scene,
        "proof": question["question_id"],
    }
