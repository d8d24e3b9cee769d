"""Probes: shortcuts that a benchmark must not reward, each against chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from simworld.evaluate import RUNS, BenchmarkRun, find_truth
from simworld.models import make_model
from simworld.models.payload import ClaimStore
from simworld.models.sets import probes
from simworld.recovery.closed_forms import closed_forms
from simworld.recovery.recover import not_answered
from simworld.stats import holm

Progress = Callable[[str, int, int], None]
Json = dict[str, Any]

METRICS: Mapping[str, tuple[str, ...]] = {
    "causalstep": ("dua", "icra", "icra_pair", "csr"),
    "castbench": ("accuracy_none", "accuracy", "spurious_rate", "faithful_rate"),
    "causal2needles": (
        "noncausal_1n",
        "causal_1n",
        "vg_forward_part1",
        "vg_forward_part2",
        "vg_forward_both",
        "id_2n",
    ),
    "decisions": ("repair_success",),
}
ALPHA = 0.05
_Z = 1.959963984540054


def probe(folder: Path, *, seed: int = 0, progress: Progress | None = None) -> Json:
    """Run the shortcuts through every benchmark of a folder, and compare them with chance.

    Chance is what guessing evenly comes to, by its closed form. Intervals draw whole videos, with
    their twins. A shortcut is above chance if its one-sided p-value, by Student's distribution with
    the interval's width and as many degrees of freedom as clusters but one, is under 5 % after
    Holm's correction over the benchmark's rows.

    Args:
        folder: A suite, or the folder of one benchmark, synthetic or real. Learners learn from it,
            never from the group that they are asked about.
        seed: Seed of the models' draws and of the intervals.
        progress: Called with a stage, parts done, parts in all.

    Raises:
        InputError: The folder holds no benchmark, or a file of it is not what it must be.
        MissingDependencyError: scikit-learn is not installed.
    """
    found = {}
    for name, path in find_truth(folder).items():
        bench: BenchmarkRun = RUNS[name](path, {}, seed)
        chance = {metric: form.mean for metric, form in closed_forms(bench, 0, 0).items()}
        results = dict(_run(bench, folder, name, progress))
        first = next(iter(results.values()))
        rows = [row for model, result in results.items() for row in _rows(model, result, chance)]
        rows += _constants(first)
        found[name] = {
            "n": first["n"],
            "clusters": first["clusters"],
            "rows": _tested(rows, first["clusters"]),
        }
    return {"folder": folder.name, "seed": seed, "alpha": ALPHA, "benchmarks": found}


def _run(
    bench: BenchmarkRun, folder: Path, name: str, progress: Progress | None
) -> Iterator[tuple[str, Json]]:
    store = ClaimStore(folder) if (folder / "questions.jsonl").is_file() else None
    models = [make_model(model) for model in probes(name, folder)]
    for done, model in enumerate(models, 1):
        claims = store if model.sees == "claims" else None
        result = bench.run(model, claims, lambda *_: None)[1]
        yield model.name, result | {"sees": model.sees}
        if progress is not None:
            progress(name, done, len(models))


def _rows(model: str, result: Json, chance: Mapping[str, float]) -> Iterator[Json]:
    for metric in METRICS[result["benchmark"]]:
        estimate = result["metrics"].get(metric)
        if estimate is not None and estimate["value"] is not None:
            yield {
                "probe": model,
                "sees": result["sees"],
                "metric": metric,
                "chance": chance[metric],
                "not_answered": not_answered(result),
                **estimate,
            }


def _constants(result: Json) -> Iterator[Json]:
    """Say what the best answers that never change come to, and chance as 1 / mean N."""
    for metric in METRICS[result["benchmark"]]:
        floor = result.get("floors", {}).get(metric, {})
        if floor.get("constant") is not None:
            yield {
                "probe": "best constant answer, in hindsight",
                "sees": "truth",
                "metric": metric,
                "chance": floor["chance"],
                "not_answered": 0.0,
                "value": floor["constant"],
                "ci_low": None,
                "ci_high": None,
                "n": result["metrics"][metric]["n"],
            }


def _tested(rows: Sequence[Json], clusters: int) -> list[Json]:
    """Add to each row that has an interval whether it lies above chance."""
    tested = [row for row in rows if row["ci_low"] is not None and clusters > 1]
    adjusted = holm([_p_value(row, clusters) for row in tested])
    p_values = {id(row): p for row, p in zip(tested, adjusted, strict=True)}
    return [
        row
        | {
            "p": p_values.get(id(row)),
            "above_chance": p_values[id(row)] < ALPHA if id(row) in p_values else None,
        }
        for row in rows
    ]


def _p_value(row: Json, clusters: int) -> float:
    """Return the probability of such a value, or a higher one, by chance."""
    from scipy.special import stdtr

    spread = (row["ci_high"] - row["ci_low"]) / (2 * _Z)
    over = row["value"] - row["chance"]
    if spread == 0:
        return 0.0 if over > 0 else 1.0
    return float(stdtr(clusters - 1, -over / spread))
