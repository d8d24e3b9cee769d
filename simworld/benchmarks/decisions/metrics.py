"""The decisions' score, from the files alone: `repair_success`, how often the chosen change works.

Beside it two floors: `chance`, the mean of 1 / number of options, and `constant`, what the best
letter that never changes would have got.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from simworld.benchmarks.decisions.protocol import Step, settle
from simworld.benchmarks.decisions.schema import (
    FILE_NAME,
    Decision,
    Prediction,
    read_predictions,
    read_truth,
)
from simworld.errors import InputError
from simworld.models.base import Answer, Status
from simworld.stats import BOOTSTRAP_DRAWS, CONFIDENCE, cluster_mean

_NAMED_AT_MOST = 8


def score(truth_path: Path, predictions_path: Path, seed: int = 0) -> dict[str, Any]:
    """Score a predictions file against a ground-truth file.

    Args:
        truth_path: A `decisions.jsonl`, or the folder that holds it.
        predictions_path: One answer a line, to every question.
        seed: Seed of the bootstrap intervals.

    Returns:
        The result document, plain JSON data.

    Raises:
        InputError: A file is not what it must be, or lacks answers; the message names them.
    """
    truth = read_truth(truth_path / FILE_NAME if truth_path.is_dir() else truth_path)
    predictions = read_predictions(predictions_path, truth)
    missing = [d.question_id for d in truth if d.question_id not in predictions]
    if missing:
        rest = f" and {len(missing) - _NAMED_AT_MOST} more" if len(missing) > _NAMED_AT_MOST else ""
        raise InputError(
            f"{predictions_path}: expected an answer to every question, found none to "
            f"{', '.join(missing[:_NAMED_AT_MOST])}{rest}; add a row for each, with a status if "
            "the model gave no answer"
        )
    return result([settle(d, _answer(predictions[d.question_id])) for d in truth], seed)


def _answer(row: Prediction) -> Answer:
    return Answer(row.choice, row.raw, row.status)


def result(steps: Sequence[Step], seed: int) -> dict[str, Any]:
    """Make the result document: settings, counts, the metric with its interval, floors, strata."""
    counts: dict[str, int] = dict.fromkeys(get_args(Status), 0)
    counts |= Counter(step.answer.status for step in steps)
    return {
        "benchmark": "decisions",
        "settings": {"seed": seed, "confidence": CONFIDENCE, "bootstrap_draws": BOOTSTRAP_DRAWS},
        "n": len(steps),
        "clusters": len({group_of(step.decision) for step in steps}),
        "status_counts": counts,
        "metrics": _metrics(steps, seed),
        "floors": {"repair_success": _floors([step.decision for step in steps])},
        "strata": {
            "scene": _strata(steps, lambda decision: decision.scene, seed),
            "options": _strata(steps, lambda decision: str(len(decision.options)), seed),
        },
    }


def group_of(decision: Decision) -> str:
    """Return what a question is drawn with in the bootstrap: its group, else its video."""
    return decision.group or decision.video


def _metrics(steps: Sequence[Step], seed: int) -> dict[str, Any]:
    values = [float(step.works) for step in steps]
    groups = [group_of(step.decision) for step in steps]
    return {"repair_success": cluster_mean(values, groups, seed=seed, share=True).as_dict()}


def _floors(decisions: Sequence[Decision]) -> Mapping[str, float]:
    letters = Counter(decision.answer for decision in decisions)
    return {
        "chance": fmean(1 / len(decision.options) for decision in decisions),
        "constant": max(letters.values()) / len(decisions),
    }


def _strata(
    steps: Sequence[Step], label: Callable[[Decision], str | None], seed: int
) -> dict[str, Any]:
    parts: dict[str, list[Step]] = {}
    for step in steps:
        if (name := label(step.decision)) is not None:
            parts.setdefault(name, []).append(step)
    return {
        name: {"n": len(parts[name]), "metrics": _metrics(parts[name], seed)}
        for name in sorted(parts)
    }
