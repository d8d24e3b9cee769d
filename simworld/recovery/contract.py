"""The contract audit: what each thing that a benchmark leaves open changes, in numbers.

Every row names what is open, what was compared, and the figures. Models are run again for each
reading, since readings ask different questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from itertools import combinations
from pathlib import Path
from typing import Any

from simworld.benchmarks.castbench.run import CastBenchRun
from simworld.benchmarks.causal2needles.run import Causal2NeedlesRun
from simworld.benchmarks.causalstep.protocol import Reading
from simworld.benchmarks.causalstep.run import CausalStepRun
from simworld.benchmarks.decisions.run import DecisionsRun
from simworld.models import make_model
from simworld.recovery.cast import CAUSAL_LINE
from simworld.recovery.closed_forms import closed_forms
from simworld.recovery.contract_castbench import audit_castbench
from simworld.recovery.contract_needles import audit_needles
from simworld.recovery.verdicts import LOWER_IS_BETTER, Values

Rows = list[dict[str, Any]]

READINGS: tuple[Reading, ...] = ("prose", "algorithm1")
CHAIN_METRICS = ("csr", "amcl", "mcl", "rf", "ws")
SEVEN = (*CHAIN_METRICS, "dua", "icra")
AUDITED = ("oracle", "chance", *CAUSAL_LINE[1:4], "competence:1/0.5", "competence:0.5/0.5",
           "right_answer_wrong_evidence", "right_evidence_wrong_answer")  # fmt: skip
_NEAR = 1e-9


@singledispatch
def contract(bench: object, path: Path, values: Values) -> Rows:
    """Return a row for each thing that a benchmark leaves open.

    Args:
        bench: The benchmark's run under its published settings.
        path: Its truth file.
        values: What the models scored under those settings.
    """
    raise TypeError(f"no contract is known of {type(bench).__name__}")


@contract.register
def _(bench: CausalStepRun, path: Path, values: Values) -> Rows:
    scored = {
        (restart, scoring): _run(bench.under(restart, scoring))
        for restart in READINGS
        for scoring in READINGS
    }
    base = scored["prose", "prose"]
    rows = [_orders(bench)]
    rows += [
        _compare(f"{restart} restart, {scoring} scoring", base, scored[restart, scoring])
        for restart, scoring in scored
        if (restart, scoring) != ("prose", "prose")
    ]
    every = [one for found in scored.values() for one in found.values()] + list(values.values())
    return [*rows, _flawless(scored), _impossible(every), _correlations(values), _context(values)]


@contract.register
def _(bench: CastBenchRun, path: Path, values: Values) -> Rows:
    return audit_castbench(bench)


@contract.register
def _(bench: Causal2NeedlesRun, path: Path, values: Values) -> Rows:
    return audit_needles(bench, path)


@contract.register
def _(bench: DecisionsRun, path: Path, values: Values) -> Rows:
    return []  # the protocol is our own


def _run(bench: CausalStepRun) -> Values:
    """Run models anew under one reading; return what each scored."""
    results = {name: bench.run(make_model(name), None, lambda *_: None)[1] for name in AUDITED}
    return {
        name: {metric: result["metrics"][metric]["value"] for metric in CHAIN_METRICS}
        for name, result in results.items()
    }


def _compare(name: str, base: Values, other: Values) -> dict[str, Any]:
    """Say how far figures move from the prose reading, and which models change places."""
    figures: dict[str, Any] = {}
    for metric in CHAIN_METRICS:
        a, b = ({m: float(found[m][metric] or 0) for m in found} for found in (base, other))
        turned = [[list(a)[i], list(a)[j]] for i, j in _turned(list(a.values()), list(b.values()))]
        shift = max(a, key=lambda m: abs(b[m] - a[m]))
        figures[metric] = {
            "largest_shift": b[shift] - a[shift],
            "of": shift,
            "from": a[shift],
            "rank_changes": turned,
        }
    return {"open": "restart and scoring", "compared": f"prose with {name}", "figures": figures}


def _orders(bench: CausalStepRun) -> dict[str, Any]:
    """Count, by exact expectation, the pairs of models that change places between the readings."""
    grid = [(c / 4, q / 4) for c in range(5) for q in range(5)]
    means: dict[tuple[Reading, Reading], dict[str, list[float]]] = {}
    for reading in ((restart, scoring) for restart in READINGS for scoring in READINGS):
        forms = [closed_forms(bench.under(*reading), c, q) for c, q in grid]
        means[reading] = {m: [form[m].mean for form in forms] for m in CHAIN_METRICS}
    base = means["prose", "prose"]
    figures = {
        f"{restart} restart, {scoring} scoring": {
            metric: len(_turned(base[metric], means[restart, scoring][metric]))
            for metric in CHAIN_METRICS
        }
        for restart, scoring in means
        if (restart, scoring) != ("prose", "prose")
    }
    what = f"pairs that change places, of {len(grid) * (len(grid) - 1) // 2} pairs of competences"
    return {"open": "restart and scoring, in expectation", "compared": what, "figures": figures}


def _turned(a: Sequence[float], b: Sequence[float]) -> list[tuple[int, int]]:
    """List the pairs of places whose order in `a` is the reverse of that in `b`."""
    pairs = combinations(range(len(a)), 2)
    return [(i, j) for i, j in pairs if (a[i] - a[j]) * (b[i] - b[j]) < -_NEAR]


def _flawless(scored: dict[tuple[Reading, Reading], Values]) -> dict[str, Any]:
    """Show the weighted score of flawless chains: by Algorithm 1 it has m points more."""
    figures = {scoring: scored["prose", scoring]["oracle"]["ws"] for scoring in READINGS}
    return {"open": "scoring", "compared": "the oracle's weighted score", "figures": figures}


def _impossible(every: list[Any]) -> dict[str, Any]:
    """Show that the longest chain of all is never below the mean longest chain."""
    least = min(found["mcl"] - found["amcl"] for found in every)
    return {
        "open": "published rows with MCL < AMCL",
        "compared": "MCL - AMCL: a maximum cannot lie below the mean of the same numbers",
        "figures": {"runs": len(every), "least": least, "possible": least >= 0},
    }


def _correlations(values: Values) -> dict[str, Any]:
    """Correlate the seven figures over models, signs turned so that more is better."""
    import numpy as np

    models = [m for m in values if all(values[m][metric] is not None for metric in SEVEN)]
    table = np.array([[float(values[m][metric] or 0) for metric in SEVEN] for m in models])
    signs = np.array([-1.0 if metric in LOWER_IS_BETTER else 1.0 for metric in SEVEN])
    moving = [k for k in range(len(SEVEN)) if np.ptp(table[:, k]) > 0]
    matrix = np.corrcoef((table * signs)[:, moving].T)
    figures = {
        SEVEN[a]: {SEVEN[b]: float(matrix[i, j]) for j, b in enumerate(moving) if b != a}
        for i, a in enumerate(moving)
    }
    what = f"correlation over {len(models)} models"
    return {"open": "seven figures, how many facts", "compared": what, "figures": figures}


def _context(values: Values) -> dict[str, Any]:
    """Split what ICRA lacks: the segment before was not shown, or the cause was not understood."""
    figures = {
        model: {
            "icra": found["icra"],
            "lack_of_context": (found["icra_pair"] or 0) - (found["icra"] or 0),
            "lack_of_causality": 1 - (found["icra_pair"] or 0),
        }
        for model, found in values.items()
        if found.get("icra_pair") is not None
    }
    what = "the current segment alone with both segments"
    return {"open": "ICRA withholds the segment before", "compared": what, "figures": figures}
