"""CausalStep's scores, from the files alone.

Over videos, from the chain runs: `csr` (share of videos without a break), `amcl` (mean longest
chain), `mcl` (the longest chain of all), `rf` (mean number of breaks), `ws` (mean weighted score).
Over questions asked in isolation: `dua` (descriptive accuracy), `icra` (causal accuracy), and
`icra_pair` (causal accuracy with both segments shown) where it was asked.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from simworld.benchmarks.causalstep.protocol import (
    Answerer,
    Ask,
    Reading,
    Step,
    Transcript,
    run_chain,
    run_isolated,
    run_pairs,
)
from simworld.benchmarks.causalstep.schema import (
    DISTRACTOR_KINDS,
    Kind,
    Mode,
    Predictions,
    Video,
    read_predictions,
    read_truth,
)
from simworld.errors import InputError
from simworld.models.base import Answer, Status
from simworld.stats import BOOTSTRAP_DRAWS, CONFIDENCE, Estimate, cluster_mean

_LENGTHS = ((1, 1), (2, 4), (5, 8), (9, 16), (17, 51))
_NAMED_AT_MOST = 8


@dataclass(frozen=True, slots=True)
class Settings:
    """How the paper is read, and the seed of the intervals."""

    restart: Reading = "prose"
    scoring: Reading = "prose"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse a reading that does not exist."""
        for name, value in (("restart", self.restart), ("scoring", self.scoring)):
            if value not in get_args(Reading):
                raise InputError(
                    f"expected {name} to be one of {', '.join(get_args(Reading))}, found {value!r}"
                )


@dataclass(frozen=True, slots=True)
class Observation:
    """All that was asked about one video; a mode that was not asked has no steps."""

    video: Video
    chain: Transcript
    isolated: tuple[Step, ...] = ()
    pairs: tuple[Step, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every question that was put."""
        return self.chain.steps + self.isolated + self.pairs


def observe(
    video: Video, answer: Answerer, settings: Settings, modes: Iterable[Mode] = get_args(Mode)
) -> Observation:
    """Run the protocol over one video, in the chain mode and in the other modes asked for."""
    return Observation(
        video,
        run_chain(video, answer, settings.restart, settings.scoring),
        run_isolated(video, answer) if "isolated" in modes else (),
        run_pairs(video, answer) if "isolated_pair" in modes else (),
    )


def score(
    truth_path: Path,
    predictions_path: Path,
    restart: Reading = "prose",
    scoring: Reading = "prose",
    seed: int = 0,
) -> dict[str, Any]:
    """Score a predictions file against a ground-truth file, synthetic or real.

    Of the isolated modes, one that the file has no row of is not scored; its metrics are null.
    Every other mode must be there in full, the chain mode along every path that is taken.

    Args:
        truth_path: A `causalstep.jsonl`, or the folder that holds it.
        predictions_path: One answer a line.
        restart: What is asked after a wrong causal answer.
        scoring: What a right causal answer earns.
        seed: Seed of the bootstrap intervals.

    Returns:
        The result document, plain JSON data.

    Raises:
        InputError: A file is not what it must be, or lacks answers that are needed; the message
            names them.
    """
    settings = Settings(restart, scoring, seed)
    truth = read_truth(truth_path / "causalstep.jsonl" if truth_path.is_dir() else truth_path)
    predictions = read_predictions(predictions_path, truth)
    lookup = _Lookup(predictions)
    modes = {row.mode for row in predictions.rows.values()}
    observations = [observe(video, lookup, settings, modes) for video in truth]
    if lookup.missing:
        raise _incomplete(predictions_path, lookup.missing, settings)
    return result(observations, settings)


@dataclass(slots=True)
class _Lookup:
    """Answers from a predictions file; remembers the questions that are needed and missing.

    In a chain only the first can be known: what would have come next depends on its answer.
    """

    predictions: Predictions
    missing: list[Ask] = field(default_factory=list)
    stopped: set[str] = field(default_factory=set)

    def __call__(self, ask: Ask) -> Answer:
        previous = ask.previous.question_id if ask.previous else None
        row = self.predictions.find(ask.question.question_id, ask.mode, previous)
        if row is not None:
            return Answer(row.choice, row.raw, row.status)
        if ask.mode != "chain":
            self.missing.append(ask)
        elif ask.video.video_id not in self.stopped:
            self.stopped.add(ask.video.video_id)
            self.missing.append(ask)
        return Answer(None, status="error")


def _incomplete(path: Path, missing: Sequence[Ask], settings: Settings) -> InputError:
    names = [f"{ask.question.question_id} ({ask.mode})" for ask in missing[:_NAMED_AT_MOST]]
    rest = f" and {len(missing) - len(names)} more" if len(missing) > len(names) else ""
    return InputError(
        f"{path}: expected an answer to every question that restart={settings.restart} asks, "
        f"found none to {', '.join(names)}{rest}; add a row for each, with a status if the model "
        "gave no answer"
    )


def result(observations: Sequence[Observation], settings: Settings) -> dict[str, Any]:
    """Make the result document: settings, counts, metrics with intervals, strata."""
    by_length = _split(observations, lambda o: _length_label(len(o.video.segments)))
    by_scene = _split([o for o in observations if o.video.scene], lambda o: str(o.video.scene))
    lengths = [label for label in map(_label, _LENGTHS) if label in by_length]
    lengths += sorted(by_length.keys() - set(lengths))
    return {
        "benchmark": "causalstep",
        "settings": {
            "restart": settings.restart,
            "scoring": settings.scoring,
            "seed": settings.seed,
            "confidence": CONFIDENCE,
            "bootstrap_draws": BOOTSTRAP_DRAWS,
        },
        "n": len(observations),
        "clusters": len({_group(o.video) for o in observations}),
        "status_counts": _status_counts(observations),
        "metrics": _metrics(observations, settings.seed),
        "strata": {
            "segments": {label: _stratum(by_length[label], settings.seed) for label in lengths},
            "scene": {name: _stratum(by_scene[name], settings.seed) for name in sorted(by_scene)},
            "distractor_kind": _distractors(observations, settings.seed),
        },
    }


def _metrics(observations: Sequence[Observation], seed: int) -> dict[str, Any]:
    """Estimate every metric over some videos."""
    groups = [_group(o.video) for o in observations]

    def over_videos(value: Callable[[Transcript], int], share: bool = False) -> Estimate:
        values = [float(value(o.chain)) for o in observations]
        return cluster_mean(values, groups, seed=seed, share=share)

    longest = max(o.chain.longest for o in observations)
    estimates = {
        "csr": over_videos(lambda chain: chain.breaks == 0, share=True),
        "amcl": over_videos(lambda chain: chain.longest),
        "mcl": Estimate(float(longest), None, None, len(observations)),
        "rf": over_videos(lambda chain: chain.breaks),
        "ws": over_videos(lambda chain: chain.score),
        "dua": _accuracy([s for o in observations for s in o.isolated], "descriptive", seed),
        "icra": _accuracy([s for o in observations for s in o.isolated], "causal", seed),
    }
    pairs = [step for o in observations for step in o.pairs]
    if pairs:
        estimates["icra_pair"] = _accuracy(pairs, "causal", seed)
    return {name: estimate.as_dict() for name, estimate in estimates.items()}


def _accuracy(steps: Iterable[Step], kind: Kind, seed: int) -> Estimate:
    asked = [step for step in steps if step.ask.question.kind == kind]
    groups = [_group(step.ask.video) for step in asked]
    return cluster_mean([float(step.right) for step in asked], groups, seed=seed, share=True)


def _distractors(observations: Sequence[Observation], seed: int) -> dict[str, Any]:
    """Estimate, for each mode asked, each distractor kind's share among the wrong choices."""
    by_mode: dict[str, dict[str, Any]] = {}
    for mode in get_args(Mode):
        steps = [step for o in observations for step in o.steps if step.ask.mode == mode]
        wrong = [step for step in steps if step.answer.status == "ok" and not step.right]
        chosen = [_kind_chosen(step) for step in wrong]
        groups = [_group(step.ask.video) for step in wrong]
        if steps:
            by_mode[mode] = {
                kind: cluster_mean(
                    [float(kind == one) for one in chosen], groups, seed=seed, share=True
                ).as_dict()
                for kind in DISTRACTOR_KINDS
            }
    return by_mode


def _kind_chosen(step: Step) -> str:
    kinds: Mapping[Any, str] = step.ask.question.distractor_types
    return kinds[step.answer.choice]


def _stratum(observations: Sequence[Observation], seed: int) -> dict[str, Any]:
    return {"n": len(observations), "metrics": _metrics(observations, seed)}


def _split(
    observations: Sequence[Observation], label: Callable[[Observation], str]
) -> Mapping[str, list[Observation]]:
    parts: dict[str, list[Observation]] = {}
    for observation in observations:
        parts.setdefault(label(observation), []).append(observation)
    return parts


def _length_label(segments: int) -> str:
    found = [bounds for bounds in _LENGTHS if bounds[0] <= segments <= bounds[1]]
    return _label(found[0]) if found else f"{_LENGTHS[-1][1] + 1}+"


def _label(bounds: tuple[int, int]) -> str:
    return f"{bounds[0]}-{bounds[1]}" if bounds[0] < bounds[1] else f"{bounds[0]}"


def _group(video: Video) -> str:
    """Return what a video is drawn with in the bootstrap: its group, else itself."""
    return video.group or video.video_id


def _status_counts(observations: Sequence[Observation]) -> dict[str, int]:
    counts: dict[str, int] = dict.fromkeys(get_args(Status), 0)
    for observation in observations:
        for step in observation.steps:
            counts[step.answer.status] += 1
    return counts
