"""Causal2Needles' scores, from the files alone.

Accuracies over questions: `noncausal_1n`, `causal_1n`, `id_2n`, and for visual grounding
`vg_ORDER_PART`: order `forward`, `reverse` or `avg` (the mean of the two), part `part1` (the
effect's scene), `part2` (the cause's) or `both`.

Beside them two floors. `chance` is as published: 1 / N with N the mean number of scenes, its square
for both parts, 1/4 for letters. It understates what can be had blindly, since the cause stands
among the first six scenes; `constant` is what the best answer that never changes would have got.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, get_args

from simworld.benchmarks.causal2needles.protocol import (
    LETTERS,
    Ask,
    Step,
    asks,
    is_skipped,
    settle,
)
from simworld.benchmarks.causal2needles.schema import (
    Movie,
    Order,
    Prediction,
    Task,
    read_folder,
    read_predictions,
)
from simworld.errors import InputError
from simworld.models.base import Answer, Status
from simworld.stats import BOOTSTRAP_DRAWS, CONFIDENCE, Estimate, cluster_mean

PARTS = ("part1", "part2", "both")
_ORDERS = ("forward", "reverse", "avg")
METRICS = (
    "noncausal_1n",
    "causal_1n",
    *(f"vg_{order}_{part}" for order in _ORDERS for part in PARTS),
    "id_2n",
)

PLAIN: Mapping[Task, str] = {
    "1needle_noncausal": "noncausal_1n",
    "1needle": "causal_1n",
    "2needle_id": "id_2n",
}
_DISTANCES = ((1, 2), (3, 5), (6, 8), (9, 11), (12, 21))
_DURATIONS_S = (30, 60, 180, 600)
_NAMED_AT_MOST = 8


def score(truth_folder: Path, predictions_path: Path, seed: int = 0) -> dict[str, Any]:
    """Score a predictions file against a benchmark's folder, synthetic or real.

    Of the five runs (a task in an order), one that the file has no row of is not scored; its
    metrics are null. Every other run must be there in full, but for the questions that the authors
    leave out.

    Args:
        truth_folder: Holds annotations.json, questions/ and windows.json.
        predictions_path: One answer a line.
        seed: Seed of the bootstrap intervals.

    Returns:
        The result document, plain JSON data.

    Raises:
        InputError: A file is not what it must be, or lacks answers that are needed; the message
            names them.
    """
    movies = read_folder(truth_folder)
    if not (truth_folder / "windows.json").exists():
        raise InputError(
            f"expected {truth_folder / 'windows.json'}, found none; which scenes were shown "
            "decides what is right, so store the windows that the answers were given to"
        )
    predictions = {row.key: row for row in read_predictions(predictions_path, movies)}
    runs = {(row.task, row.order) for row in predictions.values()}
    asked = [ask for ask in asks(movies) if (ask.task, ask.order) in runs]
    missing = [ask for ask in asked if _key(ask) not in predictions]
    if missing or not asked:
        raise _incomplete(predictions_path, missing)
    return result(movies, [settle(ask, _answer(predictions[_key(ask)])) for ask in asked], seed)


def _key(ask: Ask) -> tuple[str, Task, Order, str]:
    return ask.movie.name, ask.task, ask.order, ask.question.text


def _answer(row: Prediction) -> Answer:
    return Answer(None, row.output, row.status or ("error" if row.output is None else "ok"))


def _incomplete(path: Path, missing: Sequence[Ask]) -> InputError:
    if not missing:
        return InputError(
            f"{path}: expected answers to the questions of one run at least, found none; write one "
            "a line"
        )
    names = [
        f"{ask.question.text!r} ({ask.movie.name}, {ask.task}, {ask.order})"
        for ask in missing[:_NAMED_AT_MOST]
    ]
    rest = f" and {len(missing) - len(names)} more" if len(missing) > len(names) else ""
    return InputError(
        f"{path}: expected an answer to every question of a run, found none to {', '.join(names)}"
        f"{rest}; add a row for each, with output null if the model gave no answer"
    )


def result(movies: Iterable[Movie], steps: Sequence[Step], seed: int) -> dict[str, Any]:
    """Make the result document: settings, counts, metrics with intervals, floors, strata.

    Args:
        movies: All movies of the folder.
        steps: The judged answers of whole runs.
        seed: Seed of the bootstrap intervals.
    """
    counts: dict[str, int] = dict.fromkeys(get_args(Status), 0)
    counts |= Counter(step.answer.status for step in steps)
    return {
        "benchmark": "causal2needles",
        "settings": {
            "seed": seed,
            "confidence": CONFIDENCE,
            "bootstrap_draws": BOOTSTRAP_DRAWS,
        },
        "n": len({step.ask.movie.name for step in steps}),
        "clusters": len({step.ask.movie.name for step in steps}),
        "status_counts": counts,
        "left_out": _left_out(movies, steps),
        "metrics": _metrics(steps, seed),
        "floors": floors([step.ask for step in steps]),
        "strata": {
            "distance": _strata(steps, _distance_label, seed),
            "duration": _strata(steps, _duration_label, seed),
        },
    }


def _left_out(movies: Iterable[Movie], steps: Iterable[Step]) -> int:
    """Count the noncausal questions that are not asked for their distance, if that task was run."""
    task: Literal["1needle_noncausal"] = "1needle_noncausal"
    if all(step.ask.task != task for step in steps):
        return 0
    return sum(is_skipped(task, q) for movie in movies for q in movie.questions.get(task, ()))


def _metrics(steps: Iterable[Step], seed: int) -> dict[str, Any]:
    """Estimate every metric; intervals draw whole movies."""
    marks: dict[str, dict[tuple[str, str], float]] = {name: {} for name in METRICS}
    for step in steps:
        key = (step.ask.movie.name, step.ask.question.text)
        for name, parts in _scored(step.ask):
            marks[name][key] = float(all(step.right[part] for part in parts))
    for part in PARTS:
        forward, reverse = marks[f"vg_forward_{part}"], marks[f"vg_reverse_{part}"]
        both = forward.keys() & reverse.keys()
        marks[f"vg_avg_{part}"] = {
            key: (forward[key] + reverse[key]) / 2 for key in forward if key in both
        }
    return {name: _estimate(marks[name], seed).as_dict() for name in METRICS}


def _scored(ask: Ask) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Name the metrics that an answer counts for, and the parts that must be right for each."""
    if ask.task == "2needle_vg":
        for part, indices in zip(PARTS, ((0,), (1,), (0, 1)), strict=True):
            yield f"vg_{ask.order}_{part}", indices
    else:
        yield PLAIN[ask.task], (0,)


def _estimate(marks: Mapping[tuple[str, str], float], seed: int) -> Estimate:
    return cluster_mean(list(marks.values()), [movie for movie, _ in marks], seed=seed, share=True)


def floors(asked: Iterable[Ask]) -> dict[str, dict[str, float | None]]:
    """Return for each metric its `chance` as published and the best `constant` answer's value.

    A constant answer names one scene for each part, or one letter. It may differ from run to run,
    as the prompts do, so an average's floor is the average of two.

    Example:
        >>> floors([])["id_2n"]
        {'chance': None, 'constant': None}
    """
    right: dict[str, list[tuple[str, ...]]] = {name: [] for name in METRICS}
    scenes: dict[str, list[int]] = {name: [] for name in METRICS}
    for ask in asked:
        for name, parts in _scored(ask):
            right[name].append(tuple(ask.right[part] for part in parts))
            scenes[name].append(len(ask.window))
    table = {name: _floor(name, right[name], scenes[name]) for name in METRICS}
    for part in PARTS:
        forward, reverse = table[f"vg_forward_{part}"], table[f"vg_reverse_{part}"]
        table[f"vg_avg_{part}"] = {
            key: _mean(forward[key], reverse[key]) for key in ("chance", "constant")
        }
    return table


def _floor(
    name: str, right: Sequence[tuple[str, ...]], scenes: Sequence[int]
) -> dict[str, float | None]:
    if not right:
        return {"chance": None, "constant": None}
    can_be_said = Counter(right)
    if name == "id_2n":
        chance = 1 / len(LETTERS)
        can_be_said = Counter({(letter,): can_be_said[letter,] for letter in LETTERS})
    else:
        chance = fmean(scenes) ** (-2 if name.endswith("both") else -1)
    return {"chance": chance, "constant": max(can_be_said.values()) / len(right)}


def _mean(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else (first + second) / 2


def _strata(
    steps: Sequence[Step], label: Callable[[Step], tuple[int, str]], seed: int
) -> dict[str, Any]:
    """Split by a label, ordered by its rank."""
    parts: dict[tuple[int, str], list[Step]] = {}
    for step in steps:
        parts.setdefault(label(step), []).append(step)
    return {
        key[1]: {
            "n": len({step.ask.movie.name for step in parts[key]}),
            "metrics": _metrics(parts[key], seed),
        }
        for key in sorted(parts)
    }


def _distance_label(step: Step) -> tuple[int, str]:
    distance = step.ask.question.distance
    for rank, (low, high) in enumerate(_DISTANCES):
        if distance <= high:
            return rank, f"{low}-{high}"
    return len(_DISTANCES), f"{_DISTANCES[-1][1] + 1}+"


def _duration_label(step: Step) -> tuple[int, str]:
    low_s = 0
    for rank, high_s in enumerate(_DURATIONS_S):
        if step.ask.movie.duration_s < high_s:
            return rank, f"{low_s}-{high_s} s"
        low_s = high_s
    return len(_DURATIONS_S), f"{low_s}+ s"
