"""Run models through a benchmark's protocol, and keep what they said.

The judge's side alone: nothing here knows how a suite was made, and a folder of real videos is
treated like a synthetic one.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

import simworld
from simworld.benchmarks.castbench.run import CastBenchRun
from simworld.benchmarks.causal2needles.run import Causal2NeedlesRun
from simworld.benchmarks.causalstep.run import CausalStepRun
from simworld.errors import InputError
from simworld.models import make_model
from simworld.models.base import Model
from simworld.models.payload import ClaimStore

Progress = Callable[[str, int, int], None]


class BenchmarkRun(Protocol):
    """Puts a benchmark's questions to models; made from a truth file, settings and a seed."""

    FILE_NAME: ClassVar[str]
    SETTINGS: ClassVar[tuple[str, ...]]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, plain JSON data."""

    def run(
        self, model: Model, store: ClaimStore | None, told: Callable[[int, int], None]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Ask a model everything; return a row for each answer, and the result document.

        Args:
            model: Who answers.
            store: Stored claims, for a model that sees them; else None.
            told: Called with the parts done, and all parts.
        """


RUNS: Mapping[str, type[CausalStepRun] | type[CastBenchRun] | type[Causal2NeedlesRun]] = {
    "causalstep": CausalStepRun,
    "castbench": CastBenchRun,
    "causal2needles": Causal2NeedlesRun,
}


def evaluate(
    folder: Path,
    *,
    models: Sequence[str],
    out: Path,
    benchmark: str = "causalstep",
    seed: int = 0,
    progress: Progress | None = None,
    **settings: str,
) -> dict[str, Any]:
    """Run models through a benchmark's protocol, score them, and write a run folder.

    `out` then holds `answers.jsonl` (every answer), `results.json` (what is returned) and
    `run.json` (the settings); each is written whole or not at all.

    Args:
        folder: A suite, or the folder of one benchmark, synthetic or real.
        models: Names as `simworld.models.make_model` takes them, each once.
        out: Where the run goes; made if it is not there.
        benchmark: Whose protocol and metrics.
        seed: Seed of the models' draws and of the bootstrap intervals.
        progress: Called with a model's name, parts done, parts in all.
        **settings: The benchmark's own. CausalStep: `restart` and `scoring` (prose, algorithm1).
            CaST-Bench: `chain` (none, self, given, all), `preset` (official, cli_default) and
            `bbox_format` (xyxy_px, yxyx_px, xyxy_n1000, yxyx_n1000). Causal2Needles: `narration`
            (in_place, copy).

    Returns:
        For each model its result document with `model` and `sees`, plain JSON data.

    Raises:
        InputError: The folder, a model's name or a setting is not what it must be; or a model
            needs stored claims and the folder has none.
    """
    truth_path = _truth_path(folder, benchmark, settings)
    bench: BenchmarkRun = RUNS[benchmark](truth_path, settings, seed)
    if not models or len(set(models)) < len(models):
        raise InputError(f"expected one or more models, each once, found {', '.join(models)!r}")
    made = {name: make_model(name) for name in models}
    store = None
    if any(model.sees == "claims" for model in made.values()):
        store = ClaimStore(truth_path.resolve().parents[2])
    answers: list[dict[str, Any]] = []
    results: dict[str, Any] = {}
    for name, model in made.items():
        told = partial(progress, name) if progress is not None else lambda *_: None
        claims = store if model.sees == "claims" else None
        rows, found = bench.run(model, claims, told)
        answers += [{"model": name} | row for row in rows]
        results[name] = {"model": name, "sees": model.sees} | found
    digest = hashlib.sha256(truth_path.read_bytes()).hexdigest()
    run = {"benchmark": benchmark, "models": list(models), **bench.settings}
    run |= {"truth_sha256": digest, "simworld": simworld.__version__}
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "answers.jsonl", "".join(json.dumps(row) + "\n" for row in answers))
    _write(out / "results.json", json.dumps(results, indent=1) + "\n")
    _write(out / "run.json", json.dumps(run, indent=1) + "\n")
    return results


def _truth_path(folder: Path, benchmark: str, settings: Mapping[str, str]) -> Path:
    """Return the benchmark's truth file in a suite or in the benchmark's own folder."""
    if benchmark not in RUNS:
        known = ", ".join(RUNS)
        raise InputError(f"expected a benchmark out of {known}, found {benchmark!r}")
    for setting in settings:
        if setting not in RUNS[benchmark].SETTINGS:
            known = ", ".join(RUNS[benchmark].SETTINGS)
            raise InputError(f"{benchmark}: expected settings out of {known}, found {setting!r}")
    name = RUNS[benchmark].FILE_NAME
    for path in (folder / "benchmarks" / benchmark / name, folder / name):
        if path.is_file():
            return path
    raise InputError(
        f"expected {name} in {folder} or in {folder / 'benchmarks' / benchmark}, found neither; "
        "give a suite or the benchmark's folder"
    )


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
