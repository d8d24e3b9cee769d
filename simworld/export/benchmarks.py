"""The benchmarks' own folders, videos included, as their own readers take them."""

import shutil
from pathlib import Path

from simworld.errors import InputError
from simworld.export import EXPORTERS
from simworld.store import Suite


@EXPORTERS.register("castbench")
def castbench(suite: Suite, target: Path) -> None:
    """Copy CaST-Bench's folder."""
    _copy(suite, "castbench", target)


@EXPORTERS.register("causal2needles")
def causal2needles(suite: Suite, target: Path) -> None:
    """Copy Causal2Needles' folder."""
    _copy(suite, "causal2needles", target)


@EXPORTERS.register("causalstep")
def causalstep(suite: Suite, target: Path) -> None:
    """Copy CausalStep's folder."""
    _copy(suite, "causalstep", target)


@EXPORTERS.register("decisions")
def decisions(suite: Suite, target: Path) -> None:
    """Copy the decisions' folder."""
    _copy(suite, "decisions", target)


def _copy(suite: Suite, name: str, target: Path) -> None:
    """Copy a benchmark's folder."""
    source = suite.folder / "benchmarks" / name
    if not source.is_dir():
        held = sorted(path.name for path in source.parent.glob("*") if path.is_dir())
        raise InputError(
            f"expected the folder of {name} in {source.parent}, found "
            f"{', '.join(held) or 'no benchmark'}; the suite has no questions for it"
        )
    shutil.copytree(source, target)
