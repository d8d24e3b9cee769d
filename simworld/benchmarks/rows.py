"""Read JSON that came from outside; whatever is wrong with it is one clear InputError."""

import difflib
import json
import math
import reprlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from simworld.errors import InputError

MAX_LINE_BYTES = 4_000_000
"""A longer line is refused before it is parsed."""

_NAME = 200

R = TypeVar("R", bound="Row")


class Row(BaseModel):
    """Base of every row that is read: exact types, no unknown keys, finite numbers, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


def read_rows(path: Path, kind: type[R]) -> Iterator[tuple[int, R]]:
    """Yield the line number and the row of each line of a JSON-lines file; blank lines are skipped.

    Raises:
        InputError: The file is missing or unreadable, a line is longer than MAX_LINE_BYTES, is not
            UTF-8 or not strict JSON, or its object is not such a row.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                where = f"{path}, line {number}"
                if len(line) > MAX_LINE_BYTES:
                    raise InputError(
                        f"{where}: expected at most {MAX_LINE_BYTES:,} bytes, found more; "
                        "write one JSON object a line and cut overlong texts"
                    )
                if line.strip():
                    yield number, check_row(parse_json(line, where), kind, where)
    except OSError as error:
        raise unreadable(path, error) from error


def read_json(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        InputError: The file is missing or unreadable, or is not strict JSON in UTF-8.
    """
    try:
        return parse_json(path.read_bytes(), str(path))
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """Say that a file cannot be read."""
    return InputError(
        f"expected a readable file at {path}, found: {error.strerror or error}; check the path"
    )


def parse_json(data: bytes, where: str) -> Any:
    """Parse strict JSON: no NaN or Infinity, no number beyond a double, no key twice.

    Raises:
        InputError: It is something else, or is nested too deep; the message starts with `where`.
    """
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=_unique_keys,
        )
    except UnicodeDecodeError as error:
        found = f"a byte that is not ({error.reason} at byte {error.start}); save it as UTF-8"
        raise InputError(f"{where}: expected UTF-8, found {found}") from error
    except RecursionError as error:
        raise InputError(
            f"{where}: expected a few levels of brackets, found hundreds; write the format's own"
        ) from error
    except ValueError as error:
        raise InputError(f"{where}: expected strict JSON, found: {error}; mend it") from error


def check_row(value: Any, kind: type[R], where: str) -> R:
    """Return a parsed value as a row.

    Raises:
        InputError: It is no such row; the message names the first field that is wrong.
    """
    if not isinstance(value, dict):
        raise InputError(
            f"{where}: expected a JSON object, found {reprlib.repr(value)}; write one object a row"
        )
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        raise InputError(f"{where}: {_explain(error)}") from error


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like another; None if there is none.

    Of an overlong name the beginning counts, so that no file can make this last.
    """
    near = difflib.get_close_matches(name[:_NAME], [one[:_NAME] for one in known], n=1, cutoff=0)
    return near[0] if near else None


def _explain(error: ValidationError) -> str:
    """Say in one line what is first wrong in a row."""
    first = error.errors(include_url=False)[0]
    place = ".".join(map(str, first["loc"])) or "row"
    found = reprlib.repr(first["input"])
    match first["type"]:
        case "missing":
            text = f"expected the key {place!r}, found none; add it"
        case "extra_forbidden":
            text = f"expected only the format's keys, found {place!r}; remove or rename it"
            if place == "model":
                text += " (answers.jsonl of a run holds every model's answers; its scores are in "
                text += "results.json beside it)"
        case "value_error":
            text = f"{place}: {first['ctx']['error']}"
        case _:
            wanted = first["msg"].removeprefix("Input should be ")
            text = f"{place}: expected {wanted}, found {found}; mend it"
    more = error.error_count() - 1
    return f"{text} ({more} more problems in this row)" if more else text


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:40]}, which is beyond a double")
    return number


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"the key {reprlib.repr(twice)} twice in one object")
    return result
