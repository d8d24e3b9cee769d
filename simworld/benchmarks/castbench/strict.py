"""Write CaST-Bench's truth file, strictly as the authors' reader and scorer need it.

What the authors' files get away with, and lose points by, is refused here: question texts that
repeat, evidence of one second, seconds without a box.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from simworld.benchmarks.castbench.schema import (
    FILE_NAME,
    LETTERS,
    QUESTION_TYPES,
    Evidence,
    Question,
    clock_text,
    refuse_repeat,
)
from simworld.errors import CheckError

FEWEST_OPTIONS = 4
"""The authors' own sample has questions of four, five and six options."""


def truth_text(questions: Sequence[Question]) -> str:
    """Return the text of a ground-truth file of our own, one question a line.

    Raises:
        CheckError: A question is not as it must be, for instance has the text of another: the
            authors join predictions by the question's text and would score only the last.
    """
    ids: dict[str, int] = {}
    texts: dict[str, int] = {}
    lines = []
    for number, question in enumerate(questions, start=1):
        fault = next(_faults(question), None)
        if fault is not None:
            raise CheckError(f"{FILE_NAME}, line {number}: expected {fault}")
        label = f"{FILE_NAME}: expected every question text"
        refuse_repeat(texts, question.question, number, label, CheckError)
        refuse_repeat(ids, question.qa_id, number, f"{FILE_NAME}: expected every qa_id", CheckError)
        lines.append(json.dumps(_row(question)) + "\n")
    return "".join(lines)


def _faults(question: Question) -> Iterator[str]:
    """Name what is wrong with a question of ours, if anything is."""
    texts = set(question.options.values())
    path = PurePosixPath(question.video)
    if path.is_absolute() or ".." in path.parts or path.suffix != ".mp4":
        yield f"a video inside the folder, like ID.mp4, found {question.video!r}; rename it"
    if question.question != " ".join(question.question.split()) or not question.question:
        yield f"the question on one line and trimmed, found {question.question!r}; trim it"
    if question.question_type not in QUESTION_TYPES:
        yield f"one of {', '.join(QUESTION_TYPES)}, found {question.question_type!r}; use one"
    letters = list(LETTERS[: max(len(question.options), FEWEST_OPTIONS)])
    if sorted(question.options) != letters or len(texts) < len(letters) or "" in texts:
        yield f"four to six options from A on, all different, found {dict(question.options)}"
    if question.answer not in question.options:
        yield f"an answer among the options, found {question.answer!r}; mend it"
    if question.size_px is None or question.duration_s is None:
        yield "the video's size and duration, found none; give both"
        return
    if not question.evidences:
        yield "at least one evidence, found none; leave the question out"
    for number, evidence in enumerate(question.evidences, start=1):
        for fault in _evidence_faults(evidence, question.size_px, question.duration_s):
            yield f"{fault} (evidence {number})"


def _evidence_faults(
    evidence: Evidence, size_px: tuple[int, int], duration_s: float
) -> Iterator[str]:
    span = f"{evidence.start_s} to {evidence.end_s}"
    if not evidence.instance:
        yield "a name for the instance, found none; name it"
    if not 0 <= evidence.start_s < evidence.end_s < duration_s:
        yield f"two or more seconds within the {duration_s:g} s shown, found {span}; pad or drop it"
    missing = set(range(evidence.start_s, evidence.end_s + 1)) ^ set(evidence.boxes_xyxy_px)
    if missing:
        yield f"a box at every second of {span} alone, found second {min(missing)} to differ; mend"
    for second, box in evidence.boxes_xyxy_px.items():
        x1, y1, x2, y2 = box
        inside = 0 <= x1 < x2 < size_px[0] and 0 <= y1 < y2 < size_px[1]
        if not inside or any(number != int(number) for number in box):
            yield (
                f"whole pixels with area inside {size_px[0]}x{size_px[1]}, found {box} at second "
                f"{second}; clip and round the box"
            )


def _row(question: Question) -> dict[str, Any]:
    assert question.size_px is not None
    ours = {"group": question.group, "scene": question.scene, "proof": question.proof}
    return {
        "video": question.video,
        "question": question.question,
        "question_type": question.question_type,
        "scene_category": question.scene_category,
        "options": {letter: question.options[letter] for letter in sorted(question.options)},
        "answer": question.answer,
        "evidence": json.dumps([_evidence_row(evidence) for evidence in question.evidences]),
        "qa_id": question.qa_id,
        "width": question.size_px[0],
        "height": question.size_px[1],
        "duration_s": question.duration_s,
    } | {key: value for key, value in ours.items() if value is not None}


def _evidence_row(evidence: Evidence) -> dict[str, Any]:
    return {
        "evidence_start_time": clock_text(evidence.start_s),
        "evidence_end_time": clock_text(evidence.end_s),
        "evidence_instance_id": evidence.instance,
        "evidence_rationale": evidence.rationale,
        "bboxes_in_range": {
            str(second): str([int(number) for number in evidence.boxes_xyxy_px[second]])
            for second in sorted(evidence.boxes_xyxy_px)
        },
    }
