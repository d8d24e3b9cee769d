"""What `claims` models are handed besides the media, read from a suite's stored files."""

from functools import cache
from pathlib import Path

from simworld.benchmarks.rows import Row, check_row, read_json, read_rows
from simworld.claims import Term, parse
from simworld.errors import InputError
from simworld.models.base import Claims, Event
from simworld.store import Suite


class _Option(Row, extra="ignore"):
    key: str
    claim: str


class _Question(Row, extra="ignore"):
    question_id: str
    clip: str
    options: list[_Option]
    stop_frame: int | None = None


class _Event(Row, extra="ignore"):
    event: str
    variable: str | None
    kind: str
    participants: list[str]
    start_frame: int
    start_step: int


class _Removal(Row, extra="ignore"):
    removed: list[str]
    values: dict[str, int] | None


class _Values(Row, extra="ignore"):
    values: dict[str, int]


class ClaimStore:
    """The claims of a suite's questions and the events of its clips.

    Of questions.jsonl it keeps each option's claim: never which is right, its kind or its proof.
    Where a question's video is cut short, only the events that begin by then are handed out.

    Args:
        suite: The suite's folder, with questions.jsonl and clips/.
    """

    def __init__(self, suite: Path) -> None:
        """Read the questions.

        Raises:
            InputError: The folder has none, or the file is not what it must be.
        """
        self._suite = Suite(suite)
        self._path = suite / "questions.jsonl"
        if not self._path.is_file():
            raise InputError(
                f"expected {self._path}, which models that see claims need, found none; such "
                "models run on generated suites only: leave them out, or give the suite's folder"
            )
        self._questions = {row.question_id: row for _, row in read_rows(self._path, _Question)}
        self._events = cache(self._read_events)
        self._removals = cache(self._read_removals)
        self._standing = cache(self._read_standing)

    def claims(self, proof: str | None, question_id: str) -> Claims:
        """Return what belongs to a benchmark's question.

        Args:
            proof: Its question in questions.jsonl.
            question_id: Its id in the benchmark's file, for the message.

        Raises:
            InputError: The suite has no such question, or a file of its clip is broken.
        """
        if proof is None or proof not in self._questions:
            raise InputError(
                f"{self._path}: expected the question {proof!r}, the proof of {question_id!r}, "
                "found none; use the benchmark file of the same suite"
            )
        question = self._questions[proof]
        where = f"{self._path}, question {proof!r}"
        options = {option.key: _parse(option, where) for option in question.options}
        clip, stop = question.clip, question.stop_frame
        events = self._events(clip)
        if stop is not None:
            events = tuple(event for event in events if event.start_frame < stop)
        return Claims(events, options, self._removals(clip), self._standing(clip))

    def _read_removals(self, clip: str) -> dict[frozenset[str], frozenset[str] | None]:
        path = self._suite.clip(clip) / "removals.json"
        if not path.is_file():
            return {}  # a suite that was made before removals were stored
        rows = read_json(path)
        if not isinstance(rows, list):
            raise InputError(f"{path}: expected a list of removals, found {type(rows).__name__}")
        checked = [check_row(row, _Removal, f"{path}, row {k}") for k, row in enumerate(rows)]
        return {
            frozenset(row.removed): None
            if row.values is None
            else frozenset(name for name, value in row.values.items() if value)
            for row in checked
        }

    def _read_standing(self, clip: str) -> dict[str, bool]:
        path = self._suite.clip(clip) / "truth.json"
        if not path.is_file():
            return {}
        truth = check_row(read_json(path), _Values, str(path))
        happening = {event.variable for event in self._events(clip)}
        return {name: bool(v) for name, v in truth.values.items() if name not in happening}

    def _read_events(self, clip: str) -> tuple[Event, ...]:
        path = self._suite.clip(clip) / "events.json"
        rows = read_json(path)
        if not isinstance(rows, list):
            raise InputError(f"{path}: expected a list of events, found {type(rows).__name__}")
        checked = [
            check_row(row, _Event, f"{path}, event {number}") for number, row in enumerate(rows)
        ]
        return tuple(
            Event(
                row.event,
                row.variable,
                row.kind,
                tuple(row.participants),
                row.start_frame,
                row.start_step,
            )
            for row in checked
        )


def _parse(option: _Option, where: str) -> Term:
    try:
        return parse(option.claim)
    except InputError as error:
        raise InputError(f"{where}, option {option.key}: {error}") from error
