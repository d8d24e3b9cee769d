"""Take what a suite holds out of it, in one format or several: the registry of exporters."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from simworld.errors import InputError
from simworld.registry import Registry
from simworld.store import Suite

__all__ = ["EXPORTERS", "Exporter", "export"]

Exporter = Callable[[Suite, Path], None]
"""Writes a suite into a new folder; raises InputError if it cannot."""

EXPORTERS: Registry[Exporter] = Registry("exporter", "exporters", package=__name__)


def export(
    suite: Path, *, to: Sequence[str], out: Path, scenes_dir: Path | None = None
) -> list[Path]:
    """Write a suite in some formats, each into a folder of its name; all of them or none.

    Args:
        suite: The suite's folder.
        to: Names of exporters, each once.
        out: Where those folders go; made if it is not there.
        scenes_dir: A folder with scene scripts of your own.

    Returns:
        The folders.

    Raises:
        InputError: There is no suite, it cannot be exported so, or `out` is not empty.
        NotRegisteredError: No exporter has that name.
    """
    if not to or len(set(to)) < len(to):
        raise InputError(f"expected one or more formats, each once, found {', '.join(to)!r}")
    exporters = {name: EXPORTERS[name] for name in to}
    if not (suite / "manifest.json").is_file():
        raise InputError(f"expected a suite's manifest.json in {suite}, found none; give a suite")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(
            f"expected a new or empty folder at {out}, found other files; choose another --out"
        )
    partial = out.with_name(f".{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        partial.mkdir(parents=True)
        for name, write in exporters.items():
            write(Suite(suite, scenes_dir), partial / name)
        partial.replace(out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return [out / name for name in exporters]
