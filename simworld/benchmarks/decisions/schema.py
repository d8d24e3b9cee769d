"""The decisions' files: what write, protocol and metrics share.

The truth is `decisions.jsonl`, one question a line: a video in which something goes wrong, and two
to six changes of which one would have prevented it. Each change was made and its world simulated,
so that `answer` is what worked and not what somebody thought would. Predictions are JSON lines, one
answer a line.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, Self, TypeVar, get_args

from pydantic import Field, model_validator

from simworld.benchmarks.rows import Row, nearest, read_rows
from simworld.errors import InputError
from simworld.models.base import Status

FILE_NAME = "decisions.jsonl"

Letter = Literal["A", "B", "C", "D", "E", "F"]
LETTERS: tuple[Letter, ...] = get_args(Letter)

Text = Annotated[str, Field(min_length=1)]
NamedRow = TypeVar("NamedRow", "Decision", "Prediction")


class Decision(Row):
    """One failure and the changes to choose from; `answer` is the one that prevents it.

    `group` names the clips that were made together, such as twins; intervals treat them as one.
    `proof` is the question's id in the suite's questions.jsonl. These and `scene` may be absent.
    """

    question_id: Text
    video: Text
    question: Text
    options: dict[Letter, Text]
    answer: Letter
    group: Text | None = None
    scene: Text | None = None
    proof: Text | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        path = PurePosixPath(self.video)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(
                f"expected a path inside the benchmark's folder, found {self.video!r}; "
                "write it like videos/ID.mp4"
            )
        count = len(self.options)
        if count < 2 or sorted(self.options) != list(LETTERS[:count]):
            raise ValueError(
                f"expected two to six options from A on, found {', '.join(sorted(self.options))}; "
                "letter them A, B, ..."
            )
        if len(set(self.options.values())) < count:
            raise ValueError("expected different options, found the same text twice; reword one")
        if self.answer not in self.options:
            raise ValueError(
                f"expected an answer among the options {', '.join(self.options)}, found "
                f"{self.answer!r}; mend one of them"
            )
        return self


class Prediction(Row):
    """One answer. `choice` is a letter exactly when the status is ok."""

    question_id: Text
    choice: Letter | None
    status: Status
    raw: str | None = None

    @model_validator(mode="after")
    def _check_choice(self) -> Self:
        if (self.choice is not None) != (self.status == "ok"):
            raise ValueError(
                "expected a letter as choice with status ok, and null with every other, found "
                f"choice {self.choice!r} with status {self.status!r}; set one by the other"
            )
        return self


def read_truth(path: Path) -> list[Decision]:
    """Read a ground-truth file; ids are unique over it.

    Raises:
        InputError: The file is missing, empty, or not such a file; one line says where and why.
    """
    decisions = list(_read_once(path, Decision).values())
    if not decisions:
        raise InputError(f"{path}: expected at least one question, found none; write one a line")
    return decisions


def read_predictions(
    path: Path, truth: Sequence[Decision] | None = None
) -> Mapping[str, Prediction]:
    """Read a predictions file by question, and check it against the truth if that is given.

    Raises:
        InputError: The file is missing or not such a file, answers a question twice, or answers
            one that the truth does not have, or with an option that it does not have; one line
            says where and why.
    """
    known = None if truth is None else {decision.question_id: decision for decision in truth}

    def check(row: Prediction, where: str) -> None:
        if known is None:
            return
        if row.question_id not in known:
            raise InputError(
                f"{where}: expected a question_id of the truth file, found "
                f"{row.question_id[:80]!r}; the nearest is {nearest(row.question_id, known)!r}"
            )
        options = known[row.question_id].options
        if row.choice is not None and row.choice not in options:
            raise InputError(
                f"{where}: expected a choice out of {', '.join(options)}, which are the options of "
                f"{row.question_id!r}, found {row.choice!r}; give one of them, or status unparsed"
            )

    return _read_once(path, Prediction, check)


def _read_once(
    path: Path,
    kind: type[NamedRow],
    check: Callable[[NamedRow, str], None] = lambda *_: None,
) -> dict[str, NamedRow]:
    """Read rows by their question_id, each once."""
    rows: dict[str, NamedRow] = {}
    lines: dict[str, int] = {}
    for number, row in read_rows(path, kind):
        where = f"{path}, line {number}"
        check(row, where)
        if row.question_id in rows:
            raise InputError(
                f"{where}: expected every question_id once, found {row.question_id[:80]!r} in line "
                f"{lines[row.question_id]} already; remove or rename one"
            )
        rows[row.question_id], lines[row.question_id] = row, number
    return rows
