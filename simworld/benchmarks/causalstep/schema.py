"""CausalStep's files: what write, protocol and metrics share.

The benchmark's own data are not published, so the row format is ours. The truth is
`causalstep.jsonl`, one video a line; predictions are JSON lines, one answer a line.
"""

import reprlib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, Self, TypeVar, get_args

from pydantic import Field, field_validator, model_validator

from simworld.benchmarks.rows import Row, nearest, read_rows
from simworld.errors import InputError
from simworld.models.base import Status

Letter = Literal["A", "B", "C", "D", "E", "F", "G", "H"]
Kind = Literal["descriptive", "causal"]
Mode = Literal["chain", "isolated", "isolated_pair"]
DistractorKind = Literal[
    "temporal_confusion",
    "causal_misattribution",
    "object_misrecognition",
    "irrelevant_plausible",
    "surface_level",
    "negation_polarity",
    "incomplete_reasoning",
]

K = TypeVar("K", bound=Hashable)

LETTERS: tuple[Letter, ...] = get_args(Letter)
DISTRACTOR_KINDS: tuple[DistractorKind, ...] = get_args(DistractorKind)

Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=0, le=2**53)]


class Segment(Row):
    """One segment of a video: frames `[start_frame, stop_frame)`, numbered from 1."""

    index: int
    start_frame: Count
    stop_frame: Count
    start_s: float
    stop_s: float
    description: str


class Question(Row):
    """One multiple-choice question about a segment, with its answer.

    `proof` is the question's id in the suite's questions.jsonl; other files have none.
    """

    question_id: Text
    segment: int
    kind: Kind
    question: Text
    options: dict[Letter, Text]
    answer: Letter
    distractor_types: dict[Letter, DistractorKind]
    proof: Text | None = None

    @model_validator(mode="after")
    def _check_options(self) -> Self:
        """Demand eight different options: one right, one of each distractor kind."""
        _expect(
            sorted(self.options) == list(LETTERS),
            f"options A to H in {self.question_id!r}",
            f"options {', '.join(sorted(self.options)) or 'none'}",
            "give all eight",
        )
        _expect(
            len(set(self.options.values())) == len(LETTERS),
            f"eight different options in {self.question_id!r}",
            "the same text twice",
            "reword one",
        )
        wrong = [letter for letter in LETTERS if letter != self.answer]
        _expect(
            sorted(self.distractor_types) == wrong,
            f"distractor_types for {', '.join(wrong)} in {self.question_id!r} "
            f"(its answer is {self.answer})",
            f"{', '.join(sorted(self.distractor_types)) or 'none'}",
            "type each wrong option and no other",
        )
        kinds = list(self.distractor_types.values())
        _expect(
            len(set(kinds)) == len(DISTRACTOR_KINDS),
            f"each of the seven distractor kinds once in {self.question_id!r}",
            f"{max(kinds, key=kinds.count)!r} more than once",
            "give each kind one option",
        )
        return self


class Video(Row):
    """One video: its segments in order, and for each its questions.

    `group` names the clips that were made together, such as twins; intervals treat them as one.
    `scene` is what strata are made of. Both may be absent.
    """

    video_id: Text
    video: Text
    fps: Annotated[float, Field(gt=0)]
    width: Annotated[int, Field(gt=0, le=2**16)]
    height: Annotated[int, Field(gt=0, le=2**16)]
    segments: Annotated[tuple[Segment, ...], Field(strict=False, min_length=1)]
    questions: Annotated[tuple[Question, ...], Field(strict=False)]
    group: Text | None = None
    scene: Text | None = None

    @field_validator("video")
    @classmethod
    def _check_path(cls, value: str) -> str:
        path = PurePosixPath(value)
        _expect(
            not path.is_absolute() and ".." not in path.parts,
            "a path inside the benchmark's folder",
            repr(value),
            "write it like videos/ID.mp4",
        )
        return value

    @model_validator(mode="after")
    def _check_segments(self) -> Self:
        """Demand segments numbered from 1 that tile, in frames and in seconds alike."""
        for number, segment in enumerate(self.segments, start=1):
            found = f"[{segment.start_frame}, {segment.stop_frame})"
            _expect(
                segment.index == number,
                f"segment {number} in place {number}",
                f"index {segment.index}",
                "number the segments 1, 2, 3, ... in order",
            )
            _expect(
                segment.start_frame < segment.stop_frame,
                f"at least one frame in segment {number}",
                f"frames {found}",
                "write half-open spans [start, stop)",
            )
            for name, seconds, frame in (
                ("start_s", segment.start_s, segment.start_frame),
                ("stop_s", segment.stop_s, segment.stop_frame),
            ):
                _expect(
                    abs(seconds * self.fps - frame) <= 0.5,
                    f"{name} = {frame / self.fps:.4g} in segment {number} (frame {frame} at "
                    f"{self.fps:g} fps)",
                    f"{seconds:g}",
                    "derive seconds from frames",
                )
        for left, right in pairwise(self.segments):
            _expect(
                left.stop_frame == right.start_frame,
                f"segment {right.index} to start at frame {left.stop_frame}, where the one before "
                "it stops",
                f"frame {right.start_frame}",
                "let the segments tile",
            )
        return self

    @model_validator(mode="after")
    def _check_questions(self) -> Self:
        """Demand one descriptive question a segment and one causal one from segment 2 on."""
        found = Counter((question.segment, question.kind) for question in self.questions)
        wanted: Counter[tuple[int, Kind]] = Counter()
        wanted.update((segment.index, "descriptive") for segment in self.segments)
        wanted.update((segment.index, "causal") for segment in self.segments[1:])
        for key in sorted(found | wanted):
            _expect(
                found[key] == wanted[key],
                f"{wanted[key]} {key[1]} question(s) for segment {key[0]} of {len(self.segments)}",
                f"{found[key]}",
                "ask one descriptive question a segment, one causal one from segment 2 on",
            )
        return self

    def question(self, segment: int, kind: Kind) -> Question:
        """Return the question of that kind about a segment, numbered from 1."""
        return next(q for q in self.questions if (q.segment, q.kind) == (segment, kind))


class Prediction(Row):
    """One answer. `choice` is a letter exactly when the status is ok.

    A chain row without `previous` stands for every path to its question; with it, for the path on
    which that question came right before.
    """

    question_id: Text
    mode: Mode
    choice: Letter | None
    status: Status
    previous: Text | None = None
    raw: str | None = None

    @model_validator(mode="after")
    def _check_choice(self) -> Self:
        _expect(
            (self.choice is not None) == (self.status == "ok"),
            "a letter as choice with status ok, and null with every other",
            f"choice {self.choice!r} with status {self.status!r}",
            "set one by the other",
        )
        _expect(
            self.previous is None or self.mode == "chain",
            "previous in rows of mode chain only",
            f"it in mode {self.mode!r}",
            "remove it",
        )
        return self


@dataclass(frozen=True, slots=True)
class Predictions:
    """A predictions file: its rows by question, mode and previous question."""

    path: Path
    rows: Mapping[tuple[str, str, str | None], Prediction]

    def find(self, question_id: str, mode: str, previous: str | None) -> Prediction | None:
        """Return the row for that path, else the row for every path, else None."""
        exact = self.rows.get((question_id, mode, previous))
        return exact or self.rows.get((question_id, mode, None))


def read_truth(path: Path) -> list[Video]:
    """Read a ground-truth file; ids and question texts are unique over it.

    Raises:
        InputError: The file is missing, empty, or not such a file; one line says where and why.
    """
    videos: list[Video] = []
    seen: dict[tuple[str, str], int] = {}
    for number, video in read_rows(path, Video):
        names = [("video_id", video.video_id)]
        for question in video.questions:
            names += [("question_id", question.question_id), ("question text", question.question)]
        for name in names:
            _refuse_repeat(seen, name, path, number, f"{name[0]} {reprlib.repr(name[1])}")
        videos.append(video)
    if not videos:
        raise InputError(f"{path}: expected at least one video, found none; write one a line")
    return videos


def read_predictions(path: Path, truth: Sequence[Video] | None = None) -> Predictions:
    """Read a predictions file, and check it against the questions that it answers if given.

    Raises:
        InputError: The file is missing or not such a file, answers a question twice, or answers
            one that the truth does not have; one line says where and why.
    """
    rows: dict[tuple[str, str, str | None], Prediction] = {}
    seen: dict[tuple[str, str, str | None], int] = {}
    known = None if truth is None else _predecessors(truth)
    for number, row in read_rows(path, Prediction):
        key = (row.question_id, row.mode, row.previous)
        label = f"answer to {reprlib.repr(row.question_id)} in mode {row.mode}"
        _refuse_repeat(seen, key, path, number, label)
        if known is not None:
            _check_known(row, known, f"{path}, line {number}")
        rows[key] = row
    return Predictions(path, rows)


def _predecessors(truth: Sequence[Video]) -> dict[str, tuple[str, ...]]:
    """Map each question to those whose answers can be shown with it; none if descriptive."""
    return {
        question.question_id: tuple(
            other.question_id
            for other in video.questions
            if question.kind == "causal" and other.segment == question.segment - 1
        )
        for video in truth
        for question in video.questions
    }


def _check_known(row: Prediction, known: Mapping[str, tuple[str, ...]], where: str) -> None:
    _expect_known(row.question_id, known, "question_id", where)
    if row.previous is not None:
        _expect_known(row.previous, known, "previous", where)
        allowed = known[row.question_id]
        if row.previous not in allowed:
            wanted = " or ".join(map(repr, allowed)) or "no previous (a descriptive question)"
            raise InputError(
                f"{where}: expected {wanted} before {reprlib.repr(row.question_id)}, found "
                f"{reprlib.repr(row.previous)}; "
                "name the question asked right before it, or leave previous out"
            )


def _expect_known(name: str, known: Mapping[str, object], field: str, where: str) -> None:
    if name not in known:
        raise InputError(
            f"{where}: expected a {field} of the truth file, found {reprlib.repr(name)}; "
            f"the nearest is {nearest(name, known)!r}"
        )


def _refuse_repeat(seen: dict[K, int], key: K, path: Path, number: int, label: str) -> None:
    if key in seen:
        raise InputError(
            f"{path}, line {number}: expected every {label} once, found it in line {seen[key]} "
            "already; remove or rename one"
        )
    seen[key] = number


def _expect(condition: bool, expected: str, found: str, remedy: str) -> None:
    """Raise what pydantic turns into a validation error, unless the condition holds."""
    if not condition:
        raise ValueError(f"expected {expected}, found {found}; {remedy}")
