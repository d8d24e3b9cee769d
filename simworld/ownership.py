"""Whose a suite's folder is: one recipe's, with its scene scripts, and one run's at a time."""

from __future__ import annotations

import fcntl
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

from simworld.errors import InputError
from simworld.recipe import Recipe
from simworld.store import LOCK, read_json, write_json

Item = TypeVar("Item")
PATIENCE_S = 10.0
"""How long a shard waits for another to have begun."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several runs that share a recipe's work: the `number`-th, from 1, of `count`."""

    number: int
    count: int

    @staticmethod
    def parse(text: str) -> Shard:
        """Read `2/8`.

        Raises:
            InputError: It is no shard.
        """
        number, _, count = text.partition("/")
        if number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count):
            return Shard(int(number), int(count))
        raise InputError(f"expected a shard such as 2/8, the second of eight, found {text!r}")

    def share(self, items: Sequence[Item]) -> list[Item]:
        """Return every `count`-th item."""
        return list(items[self.number - 1 :: self.count])


class Hold:
    """A run's hold on a folder, that of a shard beside those of others."""

    def __init__(self, lock: IO[str]) -> None:
        self._lock = lock

    def alone(self) -> None:
        """Wait until no other shard is at work."""
        fcntl.flock(self._lock, fcntl.LOCK_UN)
        fcntl.flock(self._lock, fcntl.LOCK_EX)


@contextmanager
def owned(
    out: Path, recipe: Recipe, scripts: Mapping[str, str], shard: Shard | None = None
) -> Iterator[Hold]:
    """Hold a folder for one run; the hold ends with the process, however that ends.

    Args:
        out: The folder; new, empty, or begun with the same recipe and scripts.
        recipe: The recipe as resolved.
        scripts: The sha256 of each scene's script.
        shard: Which of several runs this is; other shards may be at work as well.

    Raises:
        InputError: Another run holds it, or it is another suite's or nobody's.
    """
    _refuse_foreign(out)
    out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        lock = stack.enter_context((out / LOCK).open("w"))
        free = _try(lock, fcntl.LOCK_EX)
        if shard is not None:
            name = f"{LOCK}-{shard.number}-of-{shard.count}"
            mine = stack.enter_context((out / name).open("w"))
            shared = free or _try(lock, fcntl.LOCK_SH, PATIENCE_S)
            held = shared and _try(mine, fcntl.LOCK_EX)
        if not (free if shard is None else held):
            raise InputError(
                f"expected a folder that no other run is at work in, found one at {out}; wait for "
                "it to end, or choose another --out"
            )
        _claim(out / "recipe.json", recipe.model_dump(mode="json"), "recipe")
        _claim(out / "scripts.json", dict(sorted(scripts.items())), "scene script")
        if free:
            _sweep(out)
        if shard is not None:
            fcntl.flock(lock, fcntl.LOCK_SH)
        yield Hold(lock)


def _try(lock: IO[str], kind: int, patience_s: float = 0.0) -> bool:
    """Take a lock if that can be had soon; another shard may just be beginning."""
    end = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.1)
        else:
            return True


def _sweep(out: Path) -> None:
    """Remove what a killed run had begun to write; evaluations under runs/ are not its own."""
    for path in [*out.glob(".*.partial"), *out.glob("[!.]*/**/.*.partial")]:
        if path.relative_to(out).parts[0] == "runs":
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _refuse_foreign(out: Path) -> None:
    """Refuse a folder with files in it that no run of ours began."""
    if (out / "recipe.json").is_file() or not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"expected a folder at {out}, found a file; choose another --out")
    if any(
        ".partial" not in path.name and not path.name.startswith(LOCK) for path in out.iterdir()
    ):
        raise InputError(
            f"expected a new or empty folder at {out}, found one with other files; "
            "choose another --out"
        )


def _claim(path: Path, wanted: object, what: str) -> None:
    """Write what the folder is made from, or check that it is made from the same."""
    if not path.is_file():
        write_json(path, wanted)
    elif read_json(path) != wanted:
        raise InputError(
            f"expected a new folder or one of the same {what} at {path.parent}, found a suite of "
            f"another {what} (see {path.name}); choose another --out, or remove that folder"
        )
