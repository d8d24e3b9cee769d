"""Run the ladder through every benchmark of a folder, and judge the benchmark's metrics by it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simworld.benchmarks.decisions.run import NAME as DECISIONS
from simworld.benchmarks.decisions.run import DecisionsRun
from simworld.benchmarks.decisions.schema import Decision
from simworld.evaluate import RUNS, BenchmarkRun, find_truth
from simworld.models import make_model
from simworld.models.base import Model
from simworld.models.journal import Row
from simworld.models.payload import ClaimStore
from simworld.recovery import cast
from simworld.recovery.action import against_action
from simworld.recovery.closed_forms import closed_forms
from simworld.recovery.contract import contract
from simworld.recovery.paired import compare, paired_measures
from simworld.recovery.pairs import read_pairs, stale_keys
from simworld.recovery.stored import chosen_keys, counted_for, other_keys, right_keys
from simworld.recovery.verdicts import LOWER_IS_BETTER, Evidence, judge

Progress = Callable[[str, int, int], None]
Chosen = Mapping[str, Mapping[str, str | None]]

STALE = "stale_oracle"

EYES_ALONE = "competence:0/1"
"""Perfect eyes and no causal competence: what other models are compared with."""


def recover(folder: Path, *, seed: int = 0, progress: Progress | None = None) -> dict[str, Any]:
    """Say of every metric of every benchmark in a folder whether it recovers known competence.

    Args:
        folder: A suite, or the folder of one benchmark, synthetic or real.
        seed: Seed of the models' draws and of the intervals.
        progress: Called with a stage, parts done, parts in all.

    Returns:
        For each benchmark its size, the models' values, the verdicts by metric, measures over
        twins, and the contract audit; and, where there are decisions, how every metric goes with
        what the models' choices come to. Plain JSON data.

    Raises:
        InputError: The folder holds no benchmark, or a file of it is not what it must be.
    """
    found: dict[str, Any] = {}
    acted: tuple[Sequence[Decision], Chosen] | None = None
    for name, path in find_truth(folder).items():
        bench = RUNS[name](path, {}, seed)
        found[name], chosen = _recover(folder, name, path, bench, seed, progress)
        if isinstance(bench, DecisionsRun):
            acted = bench.truth, {m: keys for m, keys in chosen.items() if m != STALE}
    values = {name: _values(bench["models"]) for name, bench in found.items() if name != DECISIONS}
    return {
        "folder": folder.name,
        "seed": seed,
        "benchmarks": found,
        "against_action": against_action(*acted, values) if acted and values else None,
    }


def _values(models: Mapping[str, Any]) -> dict[str, dict[str, float | None]]:
    """Return what each model scored, by metric."""
    return {
        name: {metric: found["value"] for metric, found in result["metrics"].items()}
        for name, result in models.items()
    }


@dataclass(slots=True)
class _Ladder:
    """Runs models through one benchmark and keeps what they scored."""

    bench: BenchmarkRun
    store: ClaimStore | None
    told: Callable[[str], None]
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)

    def run(self, name: str, model: Model) -> None:
        """Run a model, under a name."""
        store = self.store if model.sees == "claims" else None
        self.rows[name], self.results[name] = self.bench.run(model, store, lambda *_: None)
        self.told(name)


def _recover(
    folder: Path,
    name: str,
    path: Path,
    bench: BenchmarkRun,
    seed: int,
    progress: Progress | None,
) -> tuple[dict[str, Any], Chosen]:
    """Return what is said of one benchmark, and each model's choice by stored question."""
    store = ClaimStore(folder) if (folder / "questions.jsonl").is_file() else None
    models = [*cast.MODELS, *(cast.WITH_EVENTS if store else ())]
    ladder = _Ladder(bench, store, _counter(progress, name, len(models)))
    for model in models:
        ladder.run(model, make_model(model))
    pairs = read_pairs(folder, name) if store else []
    stale = stale_keys(pairs)
    if stale:
        oracle = cast.StaleOracle(lambda item: other_keys(bench, item, stale))
        ladder.run(STALE, oracle)
    values = _values(ladder.results)
    forms = {model: closed_forms(bench, *cast.levels_of(model)) for model in cast.FAMILY}
    flips = {
        metric: sum(question in stale for question in questions)
        for metric, questions in counted_for(bench, ladder.rows["oracle"]).items()
    }
    evidence = Evidence(values, forms, _best(name, forms["competence:1/1"]), flips)
    chosen = {model: chosen_keys(bench, rows) for model, rows in ladder.rows.items()}
    document = {
        "n": ladder.results["oracle"]["n"],
        "clusters": ladder.results["oracle"]["clusters"],
        "models": {
            model: {
                "sees": "truth" if model == STALE else make_model(model).sees,
                "not_answered": not_answered(result),
                "metrics": result["metrics"],
            }
            for model, result in ladder.results.items()
        },
        "metrics": judge(evidence),
        "paired": {m: paired_measures(pairs, of, seed) for m, of in chosen.items() if pairs},
        "compared": compare(chosen, EYES_ALONE, right_keys(bench)),
        "pairs": len(pairs),
        "contract": contract(bench, path, values),
    }
    return document, chosen


def not_answered(result: Mapping[str, Any]) -> float:
    """Return the share of answers that could not be used."""
    counts: Mapping[str, int] = result["status_counts"]
    return 1 - counts["ok"] / max(1, sum(counts.values()))


def _best(benchmark: str, perfect: Mapping[str, Any]) -> dict[str, float]:
    """Return the best value of each metric: of a chain what flawless ones come to, else 1 or 0."""
    if benchmark == "causalstep":
        return {metric: form.mean for metric, form in perfect.items()}
    return {metric: 0.0 if metric in LOWER_IS_BETTER else 1.0 for metric in perfect}


def _counter(progress: Progress | None, stage: str, total: int) -> Callable[[str], None]:
    done = 0

    def count(_: str) -> None:
        nonlocal done
        done += 1
        if progress is not None and done <= total:
            progress(stage, done, total)

    return count
