"""What the commands print: one JSON document or tables on stdout, progress on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@dataclass(slots=True)
class PlainProgress:
    """Progress as lines, for logs: a line whenever a stage has gone on by a tenth."""

    _tenths: dict[str, int] = field(default_factory=dict)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say that `done` of `total` parts of a stage are finished."""
        tenth = 10 * done // total if total else 10
        if self._tenths.get(stage) != tenth:
            self._tenths[stage] = tenth
            sys.stderr.write(f"{stage}: {done}/{total}\n")
            sys.stderr.flush()


@dataclass(slots=True)
class BarProgress:
    """Progress as bars, one for each stage, for a terminal."""

    bars: Progress
    _tasks: dict[str, TaskID] = field(default_factory=dict)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Say that `done` of `total` parts of a stage are finished."""
        if stage not in self._tasks:
            self._tasks[stage] = self.bars.add_task(stage, total=total)
        self.bars.update(self._tasks[stage], completed=done, total=total)


@contextmanager
def progress() -> Iterator[PlainProgress | BarProgress]:
    """Open bars on stderr where it is a terminal, and plain lines elsewhere."""
    if not sys.stderr.isatty():
        yield PlainProgress()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bars:
        yield BarProgress(bars)


@contextmanager
def stdout_kept(keep: bool) -> Iterator[int]:
    """Hand out a descriptor of the real stdout; with `keep`, all other output goes to stderr.

    Libraries written in C, and worker processes, print past Python's `sys.stdout`.
    """
    if not keep:
        yield 1
        return
    sys.stdout.flush()
    real = os.dup(1)
    os.dup2(2, 1)
    try:
        yield real
    finally:
        sys.stdout.flush()
        os.dup2(real, 1)
        os.close(real)


def write_json(document: Any, descriptor: int) -> None:
    """Write one JSON document and a newline to a file descriptor."""
    with os.fdopen(os.dup(descriptor), "w", encoding="utf-8") as out:
        json.dump(document, out, indent=2, ensure_ascii=False, allow_nan=False)
        out.write("\n")


def print_table(title: str, header: list[str], rows: list[list[str]]) -> None:
    """Print a table to stdout, narrow enough for eighty columns if the cells are."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=0, show_edge=False)
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, soft_wrap=not sys.stdout.isatty())
    console.print(title, style="bold")
    console.print(table)


def error(message: object) -> None:
    """Write a mistake as one line to stderr."""
    sys.stderr.write(f"simworld: error: {' '.join(str(message).split())}\n")


def print_results(results: dict[str, Any]) -> None:
    """Print one row for each metric, one column for each model and for each floor if known.

    Beneath it stands how many answers could not be used, if any.
    """
    first = next(iter(results.values()))
    settings = ", ".join(f"{key} {value}" for key, value in first["settings"].items())
    floors = first.get("floors", {})
    named = [f"floor: {name}" for name in next(iter(floors.values()), {})]
    rows = [
        [
            name,
            *(_cell(result["metrics"][name]["value"]) for result in results.values()),
            *map(_cell, floors.get(name, {}).values()),
        ]
        for name in first["metrics"]
    ]
    if "sees" in first:
        rows.insert(
            0, ["sees", *(result["sees"] for result in results.values()), *(["-"] * len(named))]
        )
    counted = "questions" if first["benchmark"] in ("castbench", "decisions") else "videos"
    title = f"{first['benchmark']}: {first['n']} {counted}, {settings}"
    print_table(title, ["", *results, *named], rows)
    for model, result in results.items():
        unusable = {k: n for k, n in result["status_counts"].items() if k != "ok" and n}
        if unusable:
            counts = ", ".join(f"{n} {status}" for status, n in unusable.items())
            sys.stdout.write(f"{model}: counted as wrong: {counts}\n")


def _cell(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
