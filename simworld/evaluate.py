"""Run models through a benchmark's protocol, and keep what they said.

The judge's side alone: nothing here knows how a suite was made, and a folder of real videos is
treated like a synthetic one.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

import simworld
from simworld.benchmarks.castbench.run import CastBenchRun
from simworld.benchmarks.causal2needles.run import Causal2NeedlesRun
from simworld.benchmarks.causalstep.run import CausalStepRun
from simworld.benchmarks.decisions.run import DecisionsRun
from simworld.errors import InputError
from simworld.models import make_model
from simworld.models.base import Answer, Item, Model, is_told
from simworld.models.journal import Journal, Keep, Row, ask_anew
from simworld.models.payload import ClaimStore
from simworld.models.sets import expand
from simworld.repeats import summarise
from simworld.store import read_json, write_text

Progress = Callable[[str, int, int], None]


class BenchmarkRun(Protocol):
    """Puts a benchmark's questions to models; made from a truth file, settings and a seed."""

    FILE_NAME: ClassVar[str]
    SETTINGS: ClassVar[tuple[str, ...]]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, plain JSON data."""

    def run(
        self,
        model: Model,
        store: ClaimStore | None,
        told: Callable[[int, int], None],
        keep: Keep = ask_anew,
    ) -> tuple[list[Row], dict[str, Any]]:
        """Ask a model everything; return a row for each answer, and the result document.

        Args:
            model: Who answers.
            store: Stored claims, for a model that sees them; else None.
            told: Called with the parts done, and all parts.
            keep: Through which every answer goes; it may know it from before.
        """


Run = type[CausalStepRun] | type[CastBenchRun] | type[Causal2NeedlesRun] | type[DecisionsRun]

RUNS: Mapping[str, Run] = {
    "causalstep": CausalStepRun,
    "castbench": CastBenchRun,
    "causal2needles": Causal2NeedlesRun,
    "decisions": DecisionsRun,
}


def evaluate(
    folder: Path,
    *,
    models: Sequence[str],
    out: Path,
    benchmark: str = "causalstep",
    seed: int = 0,
    repeats: int = 1,
    progress: Progress | None = None,
    **settings: str,
) -> dict[str, Any]:
    """Run models through a benchmark's protocol, score them, and write a run folder.

    `out` then holds `run.json` (the settings), `answers.jsonl` (every answer, written as it comes)
    and `results.json` (what is returned). A run that was stopped goes on where it stopped: given
    the same folder and settings, what is answered there is not asked again.

    Args:
        folder: A suite, or the folder of one benchmark, synthetic or real.
        models: Names as `simworld.models.make_model` takes them, each once; `ladder` and `probes`
            stand for the sets of `simworld.models.sets`.
        out: Where the run goes; made if it is not there.
        benchmark: Whose protocol and metrics.
        seed: Seed of the models' draws and of the bootstrap intervals.
        repeats: How often everything is asked; of more than one, the result is the first's, and
            mean, variance and interval over all stand beside.
        progress: Called with a model's name, parts done, parts in all.
        **settings: The benchmark's own. CausalStep: `restart` and `scoring` (prose, algorithm1).
            CaST-Bench: `chain` (none, self, given, all), `preset` (official, cli_default) and
            `bbox_format` (xyxy_px, yxyx_px, xyxy_n1000, yxyx_n1000). Causal2Needles: `narration`
            (in_place, copy). Decisions: none.

    Returns:
        For each model its result document with `model` and `sees`, plain JSON data.

    Raises:
        InputError: The folder, a model's name or a setting is not what it must be; or a model
            needs stored claims and the folder has none; or `out` holds another run.
    """
    truth_path = _truth_path(folder, benchmark, settings)
    bench: BenchmarkRun = RUNS[benchmark](truth_path, settings, seed)
    names = expand(models, benchmark, folder)
    if not names or len(set(names)) < len(names) or repeats < 1:
        raise InputError(
            f"expected one or more models, each once, and one or more repeats, found "
            f"{', '.join(names)!r} and {repeats}"
        )
    made = {name: make_model(name) for name in names}
    store = None
    if any(model.sees == "claims" for model in made.values()):
        store = ClaimStore(truth_path.resolve().parents[2])
    digest = hashlib.sha256(truth_path.read_bytes()).hexdigest()
    run = {"benchmark": benchmark, **bench.settings, "truth_sha256": digest}
    _claim(out, run | {"simworld": simworld.__version__})
    results: dict[str, Any] = {}
    with Journal(out / "answers.jsonl") as journal:
        for name, model in made.items():
            told = partial(progress, name) if progress is not None else lambda *_: None
            claims = store if model.sees == "claims" else None
            found = []
            for repeat in range(repeats):
                asked = _Repeated(model, repeat) if repeat else model
                keep = journal.keeper(name, repeat)
                found.append(bench.run(asked, claims, told, keep)[1])
            results[name] = {"model": name, "sees": model.sees} | found[0]
            if repeats > 1:
                results[name]["repeats"] = summarise(found)
    run |= {"models": names, "repeats": repeats, "simworld": simworld.__version__}
    write_text(out / "run.json", json.dumps(run, indent=1) + "\n")
    write_text(out / "results.json", json.dumps(results, indent=1) + "\n")
    return results


class _Repeated:
    """A model asked once more: it draws anew."""

    def __init__(self, model: Model, repeat: int) -> None:
        self._model = model
        self._repeat = repeat
        self.name = model.name
        self.sees = model.sees
        self.informed = is_told(model)

    def answer(self, item: Item) -> Answer:
        """Answer with draws of this repeat's own."""
        return self._model.answer(replace(item, seed=(*item.seed, "repeat", self._repeat)))


def _claim(out: Path, run: Mapping[str, Any]) -> None:
    """Say in a run's folder what it holds; refuse one that holds something else."""
    path = out / "run.json"
    if not path.exists():
        write_text(path, json.dumps(run, indent=1) + "\n")
        return
    before = read_json(path)
    for key, value in run.items():
        found = before.get(key) if isinstance(before, dict) else None
        if found != value:
            raise InputError(
                f"{path}: expected {key} {value!r}, as asked for now, found {found!r}; give "
                "another folder, or remove this one"
            )


def find_truth(folder: Path) -> dict[str, Path]:
    """Return the truth file of each benchmark that a suite or a benchmark's folder holds.

    Raises:
        InputError: It holds none.
    """
    found = {name: path for name in RUNS if (path := _find(folder, name)) is not None}
    if not found:
        names = ", ".join(run.FILE_NAME for run in RUNS.values())
        raise InputError(
            f"expected a suite or a benchmark's folder, with one of {names}, found none in "
            f"{folder}; give the folder that holds the benchmark's truth file"
        )
    return found


def _find(folder: Path, benchmark: str) -> Path | None:
    name = RUNS[benchmark].FILE_NAME
    paths = folder / "benchmarks" / benchmark / name, folder / name
    return next((path for path in paths if path.is_file()), None)


def _truth_path(folder: Path, benchmark: str, settings: Mapping[str, str]) -> Path:
    """Return the benchmark's truth file in a suite or in the benchmark's own folder."""
    if benchmark not in RUNS:
        known = ", ".join(RUNS)
        raise InputError(f"expected a benchmark out of {known}, found {benchmark!r}")
    for setting in settings:
        if setting not in RUNS[benchmark].SETTINGS:
            known = ", ".join(RUNS[benchmark].SETTINGS) or "none at all"
            raise InputError(f"{benchmark}: expected settings out of {known}, found {setting!r}")
    path = _find(folder, benchmark)
    if path is None:
        raise InputError(
            f"expected {RUNS[benchmark].FILE_NAME} in {folder} or in "
            f"{folder / 'benchmarks' / benchmark}, found neither; give a suite or the benchmark's "
            "folder"
        )
    return path
