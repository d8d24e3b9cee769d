"""Measures over twins: right in both worlds, the same where nothing changed, changed where it did.

`paired_accuracy` is the share of questions that are right in both worlds; `consistency`, under
nuisance twins, that of questions to which the same claim is given twice; `flip_rate`, of questions
whose right claim the intervention changes, that of those to which two claims are given;
`false_flip_rate`, of questions whose right claim it leaves, the same. `regime_accuracy`, under
`parameter` twins, which may look alike, is the share of questions whose right claim differs and
that are right in both worlds: by looks alone it is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simworld.recovery.pairs import NUISANCE, PARAMETER, Pair
from simworld.stats import cluster_mean, holm, mcnemar_exact


def paired_measures(
    pairs: Sequence[Pair], chosen: Mapping[str, str | None], seed: int
) -> dict[str, dict[str, Any]]:
    """Measure one model's choices over pairs; intervals draw whole groups.

    Args:
        pairs: Questions of twins.
        chosen: The model's choice for each question's id, None if it gave none.
        seed: Seed of the bootstrap.
    """
    acted = [pair for pair in pairs if pair.twin_kind != NUISANCE]
    flipped = [pair for pair in acted if pair.flips]
    kept = [pair for pair in acted if pair.right[0] == pair.right[1]]
    regimes = [pair for pair in flipped if pair.twin_kind == PARAMETER]
    still = [pair for pair in pairs if pair.twin_kind == NUISANCE]

    def claims(pair: Pair) -> tuple[str | None, str | None]:
        ids = pair.factual, pair.counterfactual
        first, second = (
            options.get(chosen.get(name) or "")
            for name, options in zip(ids, pair.claims, strict=True)
        )
        return first, second

    def changed(pair: Pair) -> bool:
        first, second = claims(pair)
        return first != second

    measured = {
        "paired_accuracy": [(pair, claims(pair) == pair.right) for pair in acted],
        "consistency": [(pair, not changed(pair)) for pair in still],
        "flip_rate": [(pair, changed(pair)) for pair in flipped],
        "false_flip_rate": [(pair, changed(pair)) for pair in kept],
        "regime_accuracy": [(pair, claims(pair) == pair.right) for pair in regimes],
    }
    return {
        name: cluster_mean(
            [float(value) for _, value in found],
            [pair.group for pair, _ in found],
            seed=seed,
            share=True,
        ).as_dict()
        for name, found in measured.items()
    }


def compare(
    chosen: Mapping[str, Mapping[str, str | None]], base: str, answers: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """Compare models one by one with a base, question by question (exact McNemar, then Holm).

    Args:
        chosen: Each model's choices by question, the base's among them.
        base: The model to compare with.
        answers: The right choice by question.

    Returns:
        For each model how many questions it alone has right, how many the base alone, and the
        adjusted two-sided p-value of their being right equally often.
    """
    right = {
        model: {name for name, key in choices.items() if key == answers[name]}
        for model, choices in chosen.items()
    }
    others = [model for model in chosen if model != base]
    counts = [(len(right[m] - right[base]), len(right[base] - right[m])) for m in others]
    adjusted = holm([mcnemar_exact(mine, bases) for mine, bases in counts])
    return {
        model: {"alone_right": mine, "base_alone_right": bases, "p": p}
        for model, (mine, bases), p in zip(others, counts, adjusted, strict=True)
    }
