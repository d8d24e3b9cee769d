"""CaST-Bench's files: what write, protocol and metrics share.

The truth is `castbench_hf.jsonl`, one question a line, with its evidence as JSON in a string.
It is read as leniently as the authors' own files need. Predictions are JSON
lines `{"prompt", "predict"}`. Times are whole seconds, both ends inclusive; boxes are xyxy in
pixels, x2 and y2 being the last pixel.

Keys that only our files have, and that the authors' reader ignores: in the truth `qa_id`, `width`,
`height`, `duration_s`, `group`, `scene`, `proof`; in predictions `qa_id`, which says which question
a line answers.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import Field, model_validator

from simworld.benchmarks.rows import Row, check_row, parse_json, read_rows
from simworld.errors import InputError, SimworldError

FILE_NAME = "castbench_hf.jsonl"

Letter = Literal["A", "B", "C", "D", "E", "F"]
LETTERS: tuple[Letter, ...] = get_args(Letter)
QUESTION_TYPES = (
    "Causal Explanation",
    "Counterfactual Reasoning",
    "Predictive Anticipation",
    "Inference Description",
)

Box = tuple[float, float, float, float]
Text = Annotated[str, Field(min_length=1)]
Pixels = Annotated[int, Field(gt=0, le=2**16)]

_CLOCK = re.compile(r"(?:(?:(\d{1,6}):)?(\d{1,6}):)?(\d{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A span of time in which one instance shows something.

    Attributes:
        instance: Name of the tracked object; several evidences may share it.
        start_s: First whole second.
        end_s: Last whole second, inclusive.
        boxes_xyxy_px: The instance's box by second; a second without a box is left out.
        rationale: What it shows, in words.
    """

    instance: str
    start_s: int
    end_s: int
    boxes_xyxy_px: Mapping[int, Box]
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice question about a video, with its answer and evidence.

    Attributes:
        qa_id: Unique over the file; the authors' files are numbered by line, `qa_000000` first.
        video: Path of the video file inside the benchmark's folder.
        question: The bare question, by which predictions are joined.
        question_type: Free text in the authors' files, one of QUESTION_TYPES in ours.
        scene_category: Free text.
        options: One to six texts by letter.
        answer: Letter of the right option.
        evidences: In the order of the file.
        size_px: Width and height of the video, where known.
        duration_s: Length of the video, where known.
        group: Clips made together, such as twins; intervals treat them as one.
        scene: Name of the scene script.
        proof: The question's id in the suite's questions.jsonl.
    """

    qa_id: str
    video: str
    question: str
    question_type: str
    scene_category: str
    options: Mapping[Letter, str]
    answer: Letter
    evidences: tuple[Evidence, ...]
    size_px: tuple[int, int] | None = None
    duration_s: float | None = None
    group: str | None = None
    scene: str | None = None
    proof: str | None = None


class _TruthRow(Row, extra="ignore"):
    video: Text
    question: Text
    question_type: str = ""
    scene_category: str = ""
    options: Annotated[dict[Letter, Text], Field(min_length=1)]
    answer: Letter
    evidence: str | list[Any] | None = None
    qa_id: Text | None = None
    width: Pixels | None = None
    height: Pixels | None = None
    duration_s: Annotated[float, Field(gt=0)] | None = None
    group: Text | None = None
    scene: Text | None = None
    proof: Text | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        path = PurePosixPath(self.video)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(
                f"expected a path inside the benchmark's folder, found {self.video!r}; "
                "write it like ID.mp4"
            )
        if self.answer not in self.options:
            raise ValueError(
                f"expected an answer among the options {', '.join(self.options)}, found "
                f"{self.answer!r}; mend one of them"
            )
        return self


class _EvidenceRow(Row, extra="ignore"):
    evidence_start_time: str
    evidence_end_time: str
    evidence_instance_id: str | None = None
    instance_id: str | None = None
    evidence_rationale: str = ""
    bboxes_in_range: dict[str, Any] | None = None
    bboxes_in_time_range: dict[str, Any] | None = None


class Prediction(Row, extra="ignore"):
    """One line of a predictions file: what a model was asked and what it said, word for word."""

    predict: str | None
    prompt: str | None = None
    qa_id: Text | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.prompt is None and self.qa_id is None:
            raise ValueError(
                "expected the prompt, or the qa_id of the question, found neither; add one"
            )
        return self


def read_truth(path: Path) -> list[Question]:
    """Read a ground-truth file, the authors' or ours.

    Evidence may be a JSON string or a plain list; it may name its instance
    `evidence_instance_id` or `instance_id`, its boxes `bboxes_in_range` or `bboxes_in_time_range`;
    a box is a string or a list, and one without area (the authors write -1 four times) is none.
    Question texts may repeat.

    Raises:
        InputError: The file is missing, empty, or not such a file; one line says where and why.
    """
    questions: list[Question] = []
    lines: dict[str, int] = {}
    for number, row in read_rows(path, _TruthRow):
        question = _question(row, number, f"{path}, line {number}")
        refuse_repeat(lines, question.qa_id, number, f"{path}: expected every qa_id", InputError)
        questions.append(question)
    if not questions:
        raise InputError(f"{path}: expected at least one question, found none; write one a line")
    return questions


def _question(row: _TruthRow, number: int, where: str) -> Question:
    evidence = row.evidence or []
    if isinstance(evidence, str):
        evidence = parse_json(evidence.encode(errors="surrogatepass"), f"{where}, evidence")
    if not isinstance(evidence, list):
        raise InputError(
            f"{where}: expected a list in evidence, found {type(evidence).__name__}; write a list"
        )
    return Question(
        row.qa_id or f"qa_{number - 1:06d}",
        row.video,
        row.question,
        row.question_type,
        row.scene_category,
        row.options,
        row.answer,
        tuple(_evidence(item, f"{where}, evidence {i}") for i, item in enumerate(evidence, 1)),
        (row.width, row.height) if row.width and row.height else None,
        row.duration_s,
        row.group,
        row.scene,
        row.proof,
    )


def _evidence(item: Any, where: str) -> Evidence:
    row = check_row(item, _EvidenceRow, where)
    start_s, end_s = (_second(t, where) for t in (row.evidence_start_time, row.evidence_end_time))
    if end_s < start_s:
        raise InputError(
            f"{where}: expected a start before the end, found {row.evidence_start_time} to "
            f"{row.evidence_end_time}; swap them"
        )
    boxes: dict[int, Box] = {}
    for key, value in (row.bboxes_in_range or row.bboxes_in_time_range or {}).items():
        numbers = four_numbers(value)
        if numbers is None:
            raise InputError(
                f'{where}, box at {key}: expected "[x1, y1, x2, y2]", found {str(value)[:40]!r}; '
                "mend it"
            )
        if has_area(numbers):
            boxes[_second(key, where)] = numbers
    instance = row.evidence_instance_id or row.instance_id or ""
    return Evidence(instance, start_s, end_s, boxes, row.evidence_rationale)


def _second(text: str, where: str) -> int:
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        raise InputError(
            f"{where}: expected a time in whole seconds like 00:07, found {text[:40]!r}; mend it"
        )
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds


def four_numbers(value: Any) -> Box | None:
    """Return a list of four numbers, or a string `[a, b, c, d]`, as floats; None for all else."""
    if isinstance(value, str):
        text = value.strip()
        value = text[1:-1].split(",") if text.startswith("[") and text.endswith("]") else None
    if not isinstance(value, list | tuple) or len(value) != 4:
        return None
    try:
        a, b, c, d = (float(number) for number in value)
    except (TypeError, ValueError, OverflowError):
        return None
    return (a, b, c, d) if all(map(math.isfinite, (a, b, c, d))) else None


def has_area(box: Box) -> bool:
    """Tell whether an xyxy box has x1 < x2 and y1 < y2."""
    return box[0] < box[2] and box[1] < box[3]


def read_predictions(path: Path) -> list[tuple[int, Prediction]]:
    """Read a predictions file: the number of each line, from 1, and what it holds.

    Raises:
        InputError: The file is missing or not such a file, or names a qa_id twice; one line says
            where and why.
    """
    rows = list(read_rows(path, Prediction))
    lines: dict[str, int] = {}
    for number, row in rows:
        if row.qa_id is not None:
            label = f"{path}: expected one answer to every qa_id"
            refuse_repeat(lines, row.qa_id, number, label, InputError)
    return rows


def clock_text(second: int) -> str:
    """Write a whole second as mm:ss.

    Example:
        >>> clock_text(67)
        '01:07'
    """
    return f"{second // 60:02d}:{second % 60:02d}"


def refuse_repeat(
    lines: dict[str, int], key: str, number: int, label: str, error: type[SimworldError]
) -> None:
    """Note in `lines` where a key stands; raise `error` if it stood in an earlier line."""
    if key in lines:
        raise error(
            f"{label} once, found {key[:80]!r} in lines {lines[key]} and {number}; reword or "
            "remove one"
        )
    lines[key] = number
