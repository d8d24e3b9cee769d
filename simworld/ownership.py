"""Whose a suite's folder is: one recipe's, with its scene scripts, and one run's at a time."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from simworld.errors import InputError
from simworld.recipe import Recipe
from simworld.store import LOCK, read_json, write_json


@contextmanager
def owned(out: Path, recipe: Recipe, scripts: Mapping[str, str]) -> Iterator[None]:
    """Hold a folder for one run; the hold ends with the process, however that ends.

    Args:
        out: The folder; new, empty, or begun with the same recipe and scripts.
        recipe: The recipe as resolved.
        scripts: The sha256 of each scene's script.

    Raises:
        InputError: Another run holds it, or it is another suite's or nobody's.
    """
    _refuse_foreign(out)
    out.mkdir(parents=True, exist_ok=True)
    with (out / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"expected a folder that no other run is at work in, found one at {out}; wait for "
                "it to end, or choose another --out"
            ) from None
        _claim(out / "recipe.json", recipe.model_dump(mode="json"), "recipe")
        _claim(out / "scripts.json", dict(sorted(scripts.items())), "scene script")
        _sweep(out)
        yield


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
    if any(".partial" not in path.name and path.name != LOCK for path in out.iterdir()):
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
