"""Five verdicts on a metric, each with its figures.

- `range`: the oracle reaches the best value that the metric can take, and chance sits at the floor;
- `closed_form`: models of known competence score what follows from their competence;
- `order`: the metric rises with causal competence where eyes are perfect;
- `twin`: credit goes over to what the intervention made right: who answers as the factual world
  would have it is worse off;
- `evidence`: right answers with wrong evidence earn no credit.

A measured value passes if it lies in the central 99 % of its distribution, with Holm's correction
over all models and metrics of a benchmark. Credit is a value on the scale from the floor, 0, to the
best, 1. A verdict is None where the folder cannot tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, pairwise
from typing import Any

from simworld.recovery.cast import CAUSAL_LINE, EVIDENCE_LINE, LEVELS, levels_of
from simworld.recovery.closed_forms import Forms
from simworld.stats import holm, kendall_tau

VERDICTS = ("range", "closed_form", "order", "twin", "evidence")
LOWER_IS_BETTER = frozenset({"rf", "spurious_rate"})
ALPHA = 0.01
LEAST_TAU = 0.8
"""Of five models at most one pair of neighbours out of order."""
MOST_CREDIT = 0.05
TAU_DRAWS = 10_000
TAU_TAIL = 0.001
_NEAR = 1e-9

Values = Mapping[str, Mapping[str, float | None]]
"""What each model scored, by metric: `values[model][metric]`."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a metric passes, why in a few words, and the figures behind that."""

    passed: bool | None
    said: str
    figures: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that verdicts on a benchmark's metrics rest on.

    Attributes:
        values: What was measured.
        forms: The distribution of each metric for each model of the family, by its name.
        best: The best value that each metric can take.
        flips: For each metric the number of questions that count for it and that an intervention
            flips.
    """

    values: Values
    forms: Mapping[str, Forms]
    best: Mapping[str, float]
    flips: Mapping[str, int]

    def value(self, model: str, metric: str) -> float:
        """Return what a model scored; of a metric that was not asked nothing is judged."""
        value = self.values[model][metric]
        if value is None:
            raise TypeError(f"{metric} of {model} was not measured")
        return value

    def floor(self, metric: str) -> float:
        """Return what guessing comes to."""
        return self.forms["competence:0/0"][metric].mean

    def credit(self, model: str, metric: str) -> float | None:
        """Return a model's value from the floor, 0, to the best, 1; None if those are one."""
        floor, best = self.floor(metric), self.best[metric]
        if abs(best - floor) < _NEAR:
            return None
        return (self.value(model, metric) - floor) / (best - floor)


def judge(evidence: Evidence) -> dict[str, dict[str, Any]]:
    """Return each metric's verdicts and what models without competence pass for in it."""
    metrics = [name for name, v in evidence.values["oracle"].items() if v is not None]
    adjusted = _adjusted(evidence, metrics)
    return {
        metric: {
            "verdicts": {
                name: asdict(verdict)
                for name, verdict in zip(
                    VERDICTS,
                    (
                        _range(evidence, metric, adjusted),
                        _closed_form(evidence, metric, adjusted),
                        _order(evidence, metric),
                        _twin(evidence, metric),
                        _evidence(evidence, metric),
                    ),
                    strict=True,
                )
            },
            "passes_for": passes_for(evidence, metric),
        }
        for metric in metrics
    }


Adjusted = Mapping[tuple[str, str], float]


def _adjusted(evidence: Evidence, metrics: Sequence[str]) -> Adjusted:
    """Return Holm's p-value of each model of the family, and of chance, at each metric."""
    forms = {**evidence.forms, "chance": evidence.forms["competence:0/0"]}
    keys = [(model, metric) for model in forms for metric in metrics]
    raw = [forms[model][metric].p_value(evidence.value(model, metric)) for model, metric in keys]
    return dict(zip(keys, holm(raw), strict=True))


def _range(evidence: Evidence, metric: str, adjusted: Adjusted) -> Verdict:
    oracle, best = evidence.value("oracle", metric), evidence.best[metric]
    chance, floor = evidence.value("chance", metric), evidence.floor(metric)
    low, high = evidence.forms["competence:0/0"][metric].interval
    reached, level = abs(oracle - best) < _NEAR, adjusted["chance", metric] >= ALPHA
    said = f"oracle {oracle:.3g} of {best:.3g}, chance {chance:.3g} at floor {floor:.3g}"
    figures = {"oracle": oracle, "best": best, "chance": chance, "floor": floor}
    figures |= {"floor_low": low, "floor_high": high, "p": adjusted["chance", metric]}
    return Verdict(reached and level, said, figures)


def _closed_form(evidence: Evidence, metric: str, adjusted: Adjusted) -> Verdict:
    worst = min(evidence.forms, key=lambda model: adjusted[model, metric])
    form, value = evidence.forms[worst][metric], evidence.value(worst, metric)
    p = adjusted[worst, metric]
    low, high = form.interval
    said = (
        f"{len(evidence.forms)} models, least p {p:.2g} ({worst}: {value:.3g} for {form.mean:.3g})"
    )
    figures = {"models": len(evidence.forms), "p": p, "worst": worst, "value": value}
    figures |= {"expected": form.mean, "low": low, "high": high}
    return Verdict(p >= ALPHA, said, figures)


def _order(evidence: Evidence, metric: str) -> Verdict:
    """Compare the family's two lines with their levels, and name the pairs that are confused."""
    sign = -1 if metric in LOWER_IS_BETTER else 1
    lines = {
        name: [sign * evidence.value(model, metric) for model in line]
        for name, line in (("tau", CAUSAL_LINE), ("tau_evidence", EVIDENCE_LINE))
    }
    taus = {name: kendall_tau(LEVELS, line) for name, line in lines.items()}
    causal = dict(zip(CAUSAL_LINE, lines["tau"], strict=True))
    confused = [[a, b] for a, b in combinations(CAUSAL_LINE, 2) if causal[a] >= causal[b]]
    tau, follows = taus["tau"], taus["tau_evidence"]
    expected = _expected_tau(evidence, metric, sign)
    figures = taus | {"expected_at_least": expected, "confused": confused}
    if tau is not None and tau >= LEAST_TAU:
        return Verdict(True, f"tau {tau:.2f}", figures)
    if expected is None or (tau or 0.0) < expected or expected >= LEAST_TAU:
        said = "does not move with causal competence" if tau is None else f"tau {tau:.2f}"
        said += f", follows evidence (tau {follows:.2f})" if follows else ""
        return Verdict(False, said, figures)
    said = f"too few questions to tell: a metric as it should be may have tau {expected:.2f}"
    return Verdict(None, said, figures)


def _expected_tau(evidence: Evidence, metric: str, sign: int) -> float | None:
    """Return the tau that a sound metric has in all but TAU_TAIL of suites of this size.

    None if its expected value is the same at every level.
    """
    import numpy as np

    forms = [evidence.forms[model][metric] for model in CAUSAL_LINE]
    if max(form.mean for form in forms) - min(form.mean for form in forms) < _NEAR:
        return None
    drawn = np.array(
        [
            form.draw(TAU_DRAWS, metric, model)
            for form, model in zip(forms, CAUSAL_LINE, strict=True)
        ]
    )
    pairs = list(combinations(range(len(drawn)), 2))
    signs = np.array([np.sign(sign * (drawn[j] - drawn[i])) for i, j in pairs])
    untied = (signs != 0).sum(axis=0)
    taus = signs.sum(axis=0) / np.sqrt(np.maximum(untied, 1) * len(pairs))
    return float(np.quantile(taus, TAU_TAIL, method="lower"))


def _twin(evidence: Evidence, metric: str) -> Verdict:
    flips = evidence.flips.get(metric, 0)
    if not flips:
        return Verdict(None, "no question that counts for it is flipped", {"flips": 0})
    oracle, stale = (evidence.value(m, metric) for m in ("oracle", "stale_oracle"))
    lost = (stale - oracle) if metric in LOWER_IS_BETTER else (oracle - stale)
    said = f"{stale:.3g} by the factual world's answers to {flips} flipped questions"
    figures = {"flips": flips, "oracle": oracle, "stale_oracle": stale}
    return Verdict(lost > _NEAR, said, figures)


def _evidence(evidence: Evidence, metric: str) -> Verdict:
    model = "right_answer_wrong_evidence"
    credit = evidence.credit(model, metric)
    if credit is None:
        return Verdict(None, "its floor is its best", {"credit": None})
    other = evidence.credit("right_evidence_wrong_answer", metric)
    said = f"credit {credit:.2f} for right answers with wrong evidence"
    figures = {"credit": credit, "value": evidence.value(model, metric)}
    return Verdict(credit <= MOST_CREDIT, said, figures | {"credit_of_the_reverse": other})


def passes_for(evidence: Evidence, metric: str) -> dict[str, float | None]:
    """Return the causal competence that each model outside the family would be taken for.

    The competence whose expected value, with perfect eyes, is the model's own value, between the
    levels by straight lines; None where the metric does not rise with competence.
    """
    import numpy as np

    sign = -1 if metric in LOWER_IS_BETTER else 1
    curve = [sign * evidence.forms[model][metric].mean for model in CAUSAL_LINE]
    rises = all(a < b - _NEAR for a, b in pairwise(curve))
    levels = [levels_of(model)[0] for model in CAUSAL_LINE]
    others = [m for m in evidence.values if m not in evidence.forms and m != "stale_oracle"]
    return {
        model: float(np.interp(sign * evidence.value(model, metric), curve, levels))
        if rises
        else None
        for model in others
    }
