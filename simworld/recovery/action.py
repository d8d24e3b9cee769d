"""How the metrics go with action: with whether the change that a model chooses works.

Two models are told apart by action if, over the groups of clips, one has more working choices more
often than chance allows (exact sign test over groups, then Holm over all pairs, 5 %). A metric
agrees with action on such a pair, ties it, or turns it round: it puts a model above one that acts
better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from simworld.benchmarks.decisions.metrics import group_of
from simworld.benchmarks.decisions.schema import Decision
from simworld.recovery.verdicts import LOWER_IS_BETTER
from simworld.stats import holm, kendall_tau, mcnemar_exact

ALPHA = 0.05
_NEAR = 1e-9

Values = Mapping[str, Mapping[str, float | None]]
"""What each model scored in a benchmark, by metric."""


def against_action(
    decisions: Sequence[Decision],
    chosen: Mapping[str, Mapping[str, str | None]],
    values: Mapping[str, Values],
) -> dict[str, Any]:
    """Hold every metric of every benchmark against the success of the changes that models choose.

    Args:
        decisions: The questions of what would have prevented a failure.
        chosen: For each model its choice by question.
        values: For each benchmark what each model scored in it.

    Returns:
        The models with their success; how many pairs of them action tells apart; and for each
        benchmark and metric Kendall's tau over the models, the number of those pairs on which it
        agrees, that it ties and that it turns round, and how often each model comes out too high
        or too low by that.
    """
    works = {
        model: [float(keys.get(d.question_id) == d.answer) for d in decisions]
        for model, keys in chosen.items()
    }
    success = {model: sum(each) / len(decisions) for model, each in works.items()}
    groups = [group_of(decision) for decision in decisions]
    pairs = _told_apart(works, groups)
    return {
        "n": len(decisions),
        "clusters": len(set(groups)),
        "models": success,
        "pairs": len(success) * (len(success) - 1) // 2,
        "told_apart": len(pairs),
        "metrics": {name: dict(_metrics(bench, success, pairs)) for name, bench in values.items()},
    }


def _told_apart(
    works: Mapping[str, Sequence[float]], groups: Sequence[str]
) -> list[tuple[str, str]]:
    """List the pairs of models that action tells apart, the better one first."""
    sums: dict[str, Counter[str]] = {model: Counter() for model in works}
    for model, each in works.items():
        for group, value in zip(groups, each, strict=True):
            sums[model][group] += int(value)
    ahead = []
    for a, b in combinations(works, 2):
        over = [sums[a][group] - sums[b][group] for group in set(groups)]
        ahead.append((sum(d > 0 for d in over), sum(d < 0 for d in over)))
    adjusted = holm([mcnemar_exact(*counts) for counts in ahead])
    return [
        (a, b) if first > second else (b, a)
        for (a, b), (first, second), p in zip(combinations(works, 2), ahead, adjusted, strict=True)
        if p < ALPHA
    ]


def _metrics(
    bench: Values, success: Mapping[str, float], pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for metric in next(iter(bench.values())):
        sign = -1 if metric in LOWER_IS_BETTER else 1
        scored = {m: sign * value for m in success if (value := bench[m][metric]) is not None}
        if not scored:
            continue
        over = {(a, b): scored[a] - scored[b] for a, b in pairs if a in scored and b in scored}
        turned = [pair for pair, gap in over.items() if gap < -_NEAR]
        yield (
            metric,
            {
                "tau": kendall_tau([success[m] for m in scored], list(scored.values())),
                "models": len(scored),
                "agrees": sum(gap > _NEAR for gap in over.values()),
                "ties": sum(abs(gap) <= _NEAR for gap in over.values()),
                "turns": len(turned),
                "too_low": dict(Counter(better for better, _ in turned).most_common()),
                "too_high": dict(Counter(worse for _, worse in turned).most_common()),
            },
        )
