"""The demo shows all three benchmarks, and models of known competence where theory puts them."""

import json
from pathlib import Path

import pytest

from simworld.cli import BENCHMARKS, DEMO_MODELS
from simworld.evaluate import evaluate
from simworld.suite import generate

pytestmark = pytest.mark.slow

LOWEST = {"rf": 0.0, "spurious_rate": 0.0}
"""Metrics whose best value is the lowest; the others' is the highest that can be reached."""

COUNTS = {"amcl", "mcl", "ws"}
"""Metrics that count segments; their best value depends on the suite."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "suite"
    generate("demo", out)
    return out


@pytest.fixture(scope="module")
def results(suite, tmp_path_factory):
    runs = tmp_path_factory.mktemp("runs")
    return {
        name: evaluate(suite, models=DEMO_MODELS, out=runs / name, benchmark=name)
        for name in BENCHMARKS
    }, runs


def lines_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def values(results, benchmark: str, model: str) -> dict[str, float]:
    metrics = results[0][benchmark][model]["metrics"]
    return {name: metric["value"] for name, metric in metrics.items()}


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_oracle_has_the_best_value_of_every_metric(results, benchmark):
    for name, value in values(results, benchmark, "oracle").items():
        if name not in COUNTS:
            assert value == LOWEST.get(name, 1.0), name


def test_the_oracles_chains_are_whole(results, suite):
    rows = lines_of(suite / "questions.jsonl")
    last: dict[str, int] = {}
    for row in rows:
        if row["benchmark"] == "causalstep":
            last[row["clip"]] = max(last.get(row["clip"], 0), row["segment"])
    found = values(results, "causalstep", "oracle")
    assert found["mcl"] == max(last.values())
    assert found["amcl"] == pytest.approx(sum(last.values()) / len(last))


def test_chance_is_near_its_floor(results):
    """Eight options: 26 descriptive and 20 causal questions; six options: 23 questions or more."""
    step = values(results, "causalstep", "chance")
    assert step["dua"] < 0.35 and step["icra"] < 0.35 and step["csr"] == 0.0
    cast = values(results, "castbench", "chance")
    assert cast["accuracy"] < 0.45 and cast["faithful_rate"] == 0.0


def test_the_temporal_neighbour_sees_all_and_takes_what_came_last_for_the_cause(results):
    step = values(results, "causalstep", "temporal_neighbour")
    assert step["dua"] == 1.0
    assert step["icra"] < 0.9 and step["csr"] < 0.5


def test_every_benchmark_asks_in_the_demo(results):
    assert all(results[0][name]["oracle"]["n"] for name in BENCHMARKS)
