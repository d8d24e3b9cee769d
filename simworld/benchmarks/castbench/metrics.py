"""CaST-Bench's scores, from the files alone.

Over questions: `accuracy`; `faithful_rate` and `spurious_rate` (right answer with and without a
matched instance of v_iou >= tau_st, so that they sum to the accuracy; the authors' code);
`faithful_rate_paper` (right answer and im_viou >= tau_st; the authors' paper); `im_tiou` and
`im_viou` (temporal and spatio-temporal IoU of the matched instances, summed over the true ones
and divided by their number); `temporal_recall` and `st_recall` (share of the true instances that
are matched with t_iou >= tau_t, v_iou >= tau_st). Extra predicted instances cost nothing in any.
"""

import reprlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from simworld.benchmarks.castbench.protocol import BoxFormat, Reply, asked_question, read_reply
from simworld.benchmarks.castbench.schema import (
    FILE_NAME,
    Prediction,
    Question,
    read_predictions,
    read_truth,
)
from simworld.benchmarks.castbench.timeline import match, t_iou, timeline, timelines, v_iou
from simworld.benchmarks.rows import nearest
from simworld.errors import InputError
from simworld.models.base import Status
from simworld.stats import BOOTSTRAP_DRAWS, CONFIDENCE, cluster_mean

Preset = Literal["official", "cli_default"]
Join = Literal["qa_id", "question", "position"]

METRICS = (
    "accuracy",
    "faithful_rate",
    "faithful_rate_paper",
    "spurious_rate",
    "im_tiou",
    "im_viou",
    "temporal_recall",
    "st_recall",
)
_DURATIONS_S = (5, 10, 20, 60)
_SHARES = frozenset({"accuracy", "faithful_rate", "faithful_rate_paper", "spurious_rate"})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What counts as found.

    Attributes:
        eps_overlap_s: Least number of common seconds of a matched pair.
        tau_t: Least t_iou for temporal recall.
        tau_st: Least v_iou for spatio-temporal recall and for faithful answers.
    """

    eps_overlap_s: int
    tau_t: float
    tau_st: float


PRESETS: Mapping[Preset, Thresholds] = {
    "official": Thresholds(2, 0.5, 0.1),
    "cli_default": Thresholds(1, 0.5, 0.3),
}
"""What the authors' evaluate.sh sets, with which they publish, and their program's defaults."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How answers are read and scored, and the seed of the intervals.

    Attributes:
        preset: Name of the thresholds.
        bbox_format: Order and unit of the predicted boxes.
        coverage_aware: Match instances by v_iou, not by the mean box IoU.
        seed: Seed of the bootstrap.
    """

    preset: Preset = "official"
    bbox_format: BoxFormat = "xyxy_px"
    coverage_aware: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a name that does not exist."""
        for name, value, known in (
            ("preset", self.preset, get_args(Preset)),
            ("bbox_format", self.bbox_format, get_args(BoxFormat)),
        ):
            if value not in known:
                raise InputError(
                    f"expected {name} to be one of {', '.join(known)}, found {value!r}"
                )


@dataclass(frozen=True, slots=True)
class Observation:
    """A question and what was answered; `reply` is None if the question has no answer.

    `status` is that of the answer; where it says ok, a reply without a letter is unparsed.
    """

    question: Question
    reply: Reply | None
    status: Status = "ok"


def score(
    truth_path: Path,
    predictions_path: Path,
    preset: Preset = "official",
    bbox_format: BoxFormat = "xyxy_px",
    coverage_aware: bool = False,
    seed: int = 0,
    videos: Path | None = None,
) -> dict[str, Any]:
    """Score a predictions file against a ground-truth file, synthetic or real.

    A line answers the question that its `qa_id` names; else the last one with the text of its
    prompt's question; else the one at its own place in the file. The last answer to a question
    counts. A question without an answer scores 0 throughout, as do all but the last of those that
    share a text, unless `qa_id` tells them apart. The authors join so; `joins` in the result
    counts how.

    Args:
        truth_path: A `castbench_hf.jsonl`, or the folder that holds it.
        predictions_path: JSON lines, `{"prompt", "predict"}`.
        preset: Thresholds, `official` or `cli_default`.
        bbox_format: `xyxy_px`, `yxyx_px`, `xyxy_n1000` or `yxyx_n1000`.
        coverage_aware: Match instances by v_iou, not by the mean box IoU.
        seed: Seed of the bootstrap intervals.
        videos: Folder of the video files, from which sizes are read that thousandths need and
            the truth does not have.

    Returns:
        The result document, plain JSON data.

    Raises:
        InputError: A file or a setting is not what it must be.
    """
    settings = Settings(preset, bbox_format, coverage_aware, seed)
    truth = read_truth(truth_path / FILE_NAME if truth_path.is_dir() else truth_path)
    answers, joins = _join(truth, predictions_path)
    sizes = sizes_px(truth, videos) if bbox_format.endswith("n1000") else {}
    observations = []
    for question in truth:
        row = answers.get(question.qa_id)
        reply = None
        if row is not None:
            reply = read_reply(row.predict or "", bbox_format, sizes.get(question.video))
        observations.append(Observation(question, reply))
    return result(observations, settings) | {"joins": joins}


def _join(truth: Sequence[Question], path: Path) -> tuple[dict[str, Prediction], dict[str, int]]:
    """Return the answer to each question that has one, by qa_id, and how they were joined."""
    known = {question.qa_id for question in truth}
    by_text = {question.question.strip(): question.qa_id for question in truth}
    answers: dict[str, Prediction] = {}
    joins = dict.fromkeys((*get_args(Join), "superseded", "unused"), 0)
    for number, row in read_predictions(path):
        how: Join = "position"
        name = by_text.get(asked_question(row.prompt or "") or "")
        if row.qa_id is not None:
            how, name = "qa_id", row.qa_id
            if name not in known:
                raise InputError(
                    f"{path}, line {number}: expected a qa_id of the truth file, found "
                    f"{reprlib.repr(name)}; the nearest is {nearest(name, known)!r}"
                )
        elif name is not None:
            how = "question"
        elif number <= len(truth):
            name = truth[number - 1].qa_id
        else:
            joins["unused"] += 1
            continue
        joins["superseded"] += name in answers
        joins[how] += 1
        answers[name] = row
    return answers, joins


def sizes_px(truth: Sequence[Question], videos: Path | None) -> dict[str, tuple[int, int]]:
    """Return each video's width and height, from the truth or else from its file.

    Raises:
        InputError: The truth does not say, and no folder is given or a video is not in it.
    """
    sizes = {question.video: question.size_px for question in truth if question.size_px}
    unknown = {question.video for question in truth} - sizes.keys()
    if unknown and videos is None:
        raise InputError(
            f"expected the sizes of all videos, by which boxes in thousandths are scaled, found "
            f"none of {len(unknown)} in the truth, such as {min(unknown)}; give the videos' folder"
        )
    if videos is not None:
        from simworld.video import probe

        for name in sorted(unknown):
            facts = probe(videos / name)
            sizes[name] = (facts.width, facts.height)
    return sizes


def score_question(observation: Observation, settings: Settings) -> dict[str, float]:
    """Return every metric's value for one question.

    Example:
        >>> question = Question("q", "v.mp4", "Why?", "", "", {"A": "So."}, "A", ())
        >>> score_question(Observation(question, Reply("A", ())), Settings())["spurious_rate"]
        1.0
    """
    limits = PRESETS[settings.preset]
    reply = observation.reply or Reply(None, ())
    predicted = [timeline(evidences) for evidences in reply.instances]
    true = timelines(observation.question.evidences)
    pairs = match(predicted, true, limits.eps_overlap_s, settings.coverage_aware)
    t_ious = [t_iou(predicted[i], true[j]) for i, j in pairs]
    v_ious = [v_iou(predicted[i], true[j]) for i, j in pairs]
    n = max(1, len(true))
    right = observation.status == "ok" and reply.choice == observation.question.answer
    found = any(value >= limits.tau_st for value in v_ious)
    im_viou = sum(v_ious) / n
    return {
        "accuracy": float(right),
        "faithful_rate": float(right and found),
        "faithful_rate_paper": float(right and im_viou >= limits.tau_st),
        "spurious_rate": float(right and not found),
        "im_tiou": sum(t_ious) / n,
        "im_viou": im_viou,
        "temporal_recall": sum(value >= limits.tau_t for value in t_ious) / n,
        "st_recall": sum(value >= limits.tau_st for value in v_ious) / n,
    }


def result(observations: Sequence[Observation], settings: Settings) -> dict[str, Any]:
    """Make the result document: settings, counts, metrics with intervals, strata."""
    scored = [(o.question, score_question(o, settings)) for o in observations]
    strata: dict[str, Callable[[Question], tuple[float, str] | None]] = {
        "question_type": lambda q: (0, q.question_type),
        "scene": lambda q: (0, q.scene) if q.scene else None,
        "duration_s": _duration,
        "evidences": lambda q: (len(q.evidences), str(len(q.evidences))),
        "options": lambda q: (len(q.options), str(len(q.options))),
    }
    return {
        "benchmark": "castbench",
        "settings": asdict(settings)
        | asdict(PRESETS[settings.preset])
        | {"confidence": CONFIDENCE, "bootstrap_draws": BOOTSTRAP_DRAWS},
        "n": len(observations),
        "clusters": len({_group(o.question) for o in observations}),
        "status_counts": _status_counts(observations),
        "metrics": _metrics(scored, settings.seed),
        "strata": {name: _stratify(scored, key, settings.seed) for name, key in strata.items()},
    }


_Scored = Sequence[tuple[Question, Mapping[str, float]]]


def _metrics(scored: _Scored, seed: int) -> dict[str, Any]:
    """Estimate every metric; questions about one video, or about twins, are drawn together."""
    groups = [_group(question) for question, _ in scored]
    return {
        name: cluster_mean(
            [values[name] for _, values in scored], groups, seed=seed, share=name in _SHARES
        ).as_dict()
        for name in scored[0][1]
    }


def _group(question: Question) -> str:
    return question.group or question.video


def _stratify(
    scored: _Scored, key: Callable[[Question], tuple[float, str] | None], seed: int
) -> dict[str, Any]:
    """Estimate every metric in each stratum, in the order of the keys."""
    parts: dict[tuple[float, str], list[tuple[Question, Mapping[str, float]]]] = {}
    for question, values in scored:
        label = key(question)
        if label is not None:
            parts.setdefault(label, []).append((question, values))
    return {
        label[1]: {"n": len(parts[label]), "metrics": _metrics(parts[label], seed)}
        for label in sorted(parts)
    }


def _duration(question: Question) -> tuple[float, str] | None:
    if question.duration_s is None:
        return None
    low = max((bound for bound in _DURATIONS_S if bound <= question.duration_s), default=0)
    high = min((bound for bound in _DURATIONS_S if bound > low), default=None)
    return low, f"{low}-{high}" if high else f"{low}+"


def _status_counts(observations: Sequence[Observation]) -> dict[str, int]:
    """Count the answers by status, and the questions without any."""
    counts = Counter(map(_status, observations))
    return {status: counts[status] for status in (*get_args(Status), "missing")}


def _status(observation: Observation) -> str:
    if observation.reply is None:
        return "missing"
    if observation.status == "ok" and observation.reply.choice is None:
        return "unparsed"
    return observation.status
