"""What a run keeps of answers, so that one that was stopped need not ask again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from simworld.errors import InputError
from simworld.store import canonical

Row = dict[str, Any]
Keep = Callable[[Row, Callable[[], Row]], Row]
"""Given what is asked and how to have it answered, returns both as one row of answers.jsonl.

It calls the second only if it has no answer to the first."""

_ANSWER = frozenset({"choice", "status", "raw", "predict", "output"})


def ask_anew(asked: Row, answered: Callable[[], Row]) -> Row:
    """Keep nothing.

    Example:
        >>> ask_anew({"question_id": "q"}, lambda: {"choice": "B"})
        {'question_id': 'q', 'choice': 'B'}
    """
    return asked | answered()


class Journal:
    """A file of answers: what stands there is not asked again, what is new is added at once.

    A row is found by all that it says of the question, so that a question that has changed is
    asked anew. A last line that was cut short when a run was stopped is dropped.

    Args:
        path: The file; its folder must be there.
    """

    def __init__(self, path: Path) -> None:
        """Read what is answered already.

        Raises:
            InputError: The file holds anything else.
        """
        self._path = path
        self._known: dict[str, Row] = {}
        whole = 0
        for number, line in enumerate(
            path.read_bytes().splitlines(keepends=True) if path.exists() else (), 1
        ):
            if not line.endswith(b"\n"):
                break
            row = self._parse(line, number)
            self._known[_key(row)] = row
            whole += len(line)
        self._file: IO[bytes] = path.open("ab")
        self._file.truncate(whole)

    def _parse(self, line: bytes, number: int) -> Row:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            row = error
        if not isinstance(row, dict) or "model" not in row:
            raise InputError(
                f"{self._path}, line {number}: expected an answer of an earlier run, found "
                f"{line[:60]!r}; give another folder for the run"
            )
        return row

    def keeper(self, model: str, repeat: int) -> Keep:
        """Return what keeps one model's answers, in one of the repeats."""
        label = {"model": model} | ({"repeat": repeat} if repeat else {})

        def keep(asked: Row, answered: Callable[[], Row]) -> Row:
            key = _key(label | asked)
            if key not in self._known:
                self._known[key] = label | asked | answered()
                self._file.write(json.dumps(self._known[key]).encode() + b"\n")
                self._file.flush()
            return self._known[key]

        return keep

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _key(row: Row) -> str:
    """Return what a row says of the question, as text."""
    return canonical({name: value for name, value in row.items() if name not in _ANSWER})
