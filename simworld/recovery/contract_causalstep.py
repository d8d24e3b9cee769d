"""What CausalStep leaves open: where a chain goes on, what an answer earns, what is averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from statistics import fmean
from typing import Any

from simworld.benchmarks.causalstep.protocol import Reading
from simworld.benchmarks.causalstep.run import CausalStepRun
from simworld.benchmarks.causalstep.schema import LETTERS
from simworld.models import make_model
from simworld.recovery.cast import CAUSAL_LINE, levels_of
from simworld.recovery.chains import chain_forms
from simworld.recovery.closed_forms import closed_forms
from simworld.recovery.verdicts import LOWER_IS_BETTER, Values

Rows = list[dict[str, Any]]

READINGS: tuple[Reading, ...] = ("prose", "algorithm1")
CHAIN_METRICS = ("csr", "amcl", "mcl", "rf", "ws")
SEVEN = (*CHAIN_METRICS, "dua", "icra")
AUDITED = ("oracle", "chance", *CAUSAL_LINE[1:4], "competence:1/0.5", "competence:0.5/0.5",
           "right_answer_wrong_evidence", "right_evidence_wrong_answer")  # fmt: skip
_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class _Chain:
    """One video's chain run, as far as other ways of counting need it.

    Attributes:
        lengths: Of each chain, in answers.
        broken: Number of wrong answers that ended a chain.
        wrong: Number of wrong answers.
        score: Points by the prose.
        best: Points of a flawless run.
    """

    lengths: tuple[int, ...]
    broken: int
    wrong: int
    score: int
    best: int


def audit_causalstep(bench: CausalStepRun, values: Values) -> Rows:
    """Return a row for each thing that the benchmark leaves open."""
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
    chains = {name: _chains(bench, name) for name in AUDITED}
    rows += [_flawless(scored), _impossible(every), _counted(chains), _averaged(chains)]
    return [*rows, _lengths(bench), _sizes(bench), _correlations(values), _context(values)]


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


def _chains(bench: CausalStepRun, model: str) -> list[_Chain]:
    """Run a model anew; return what its chain run of each video comes to."""
    rows = bench.run(make_model(model), None, lambda *_: None)[0]
    right = {q.question_id: q.answer for video in bench.truth for q in video.questions}
    video_of = {q.question_id: video.video_id for video in bench.truth for q in video.questions}
    answers: dict[str, list[bool]] = {}
    for row in rows:
        if row["mode"] == "chain":
            name = row["question_id"]
            answers.setdefault(video_of[name], []).append(row["choice"] == right[name])
    return [_chain(answers[video.video_id], len(video.segments)) for video in bench.truth]


def _chain(answers: Sequence[bool], segments: int) -> _Chain:
    """Cut the answers of one run, in order, into its chains."""
    runs = [(is_right, len(list(run))) for is_right, run in groupby(answers)]
    lengths = tuple(length for is_right, length in runs if is_right)
    wrong = answers.count(False)
    # A wrong answer ends the chain before it, if a right one stands there.
    broken = sum(a and not b for a, b in pairwise(answers))
    return _Chain(lengths, broken, wrong, sum(map(_points, lengths)), _points(segments))


def _points(length: int) -> int:
    """Return what the prose gives for a chain: 1, then 1, 2, 3, ... for its causal answers."""
    return 1 + length * (length - 1) // 2


def _counted(chains: Mapping[str, Sequence[_Chain]]) -> dict[str, Any]:
    """Count a chain by its answers or by its causal links, a restart with or without a chain."""
    figures = {
        model: {
            "amcl, answers": fmean(max(each.lengths, default=0) for each in found),
            "amcl, links": fmean(max(each.lengths, default=1) - 1 for each in found),
            "rf, wrong answers": fmean(each.wrong for each in found),
            "rf, broken chains": fmean(each.broken for each in found),
        }
        for model, found in chains.items()
    }
    what = "a chain's answers with its causal links, all wrong answers with those that end a chain"
    return {"open": "the unit of AMCL and what RF counts", "compared": what, "figures": figures}


def _averaged(chains: Mapping[str, Sequence[_Chain]]) -> dict[str, Any]:
    """Average scores over videos as they are, as shares of each video's best, or of all points."""
    figures = {
        model: {
            "mean": fmean(each.score for each in found),
            "mean share": fmean(each.score / each.best for each in found),
            "share of all": sum(e.score for e in found) / sum(e.best for e in found),
        }
        for model, found in chains.items()
    }
    what = "the mean score of a video with its mean share of the best, and the share of all points"
    return {"open": "how WS is normalised", "compared": what, "figures": figures}


def _lengths(bench: CausalStepRun) -> dict[str, Any]:
    """Show what flawless runs are to be expected of by their length alone."""
    lengths = sorted({len(video.segments) for video in bench.truth})
    figures = {
        model: {
            str(n): float(chain_forms(n, _right(q), _right(c), "prose", "prose").breaks[0])
            for n in lengths
        }
        for model in CAUSAL_LINE[1:]
        for c, q in [levels_of(model)]
    }
    what = "the chance of a run without a break, by the video's number of segments"
    return {"open": "CSR falls with a video's length", "compared": what, "figures": figures}


def _right(level: float) -> float:
    return level + (1 - level) / len(LETTERS)


def _sizes(bench: CausalStepRun) -> dict[str, Any]:
    """Hold the published number of segments against that of questions; here one is the other."""
    descriptive = [q for v in bench.truth for q in v.questions if q.kind == "descriptive"]
    figures = {
        "published": {"segments": 8.76, "descriptive questions": 926 / 100},
        "here": {
            "segments": fmean(len(video.segments) for video in bench.truth),
            "descriptive questions": len(descriptive) / len(bench.truth),
        },
    }
    what = "segments a video with descriptive questions a video: there is one a segment"
    return {"open": "the published sizes", "compared": what, "figures": figures}
