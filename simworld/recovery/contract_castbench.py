"""What CaST-Bench leaves open: what is faithful, its thresholds, its rules of reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean
from typing import Any

from simworld.benchmarks.castbench.metrics import (
    PRESETS,
    Observation,
    Settings,
    score_question,
)
from simworld.benchmarks.castbench.protocol import Reply, read_reply, read_second, write_reply
from simworld.benchmarks.castbench.run import CastBenchRun
from simworld.benchmarks.castbench.schema import Box, Evidence, Question
from simworld.benchmarks.castbench.timeline import match, timeline, timelines, v_iou

Rows = list[dict[str, Any]]
Change = Callable[[Question], Sequence[Evidence]]


def _boxes(evidence: Evidence, change: Callable[[Box], Box]) -> Evidence:
    boxes = {second: change(box) for second, box in evidence.boxes_xyxy_px.items()}
    return replace(evidence, boxes_xyxy_px=boxes)


def _beside(share: float) -> Callable[[Box], Box]:
    """Move a box sideways by a share of its width: their IoU is (1 - share) / (1 + share)."""

    def move(box: Box) -> Box:
        step = share * (box[2] - box[0])
        return box[0] + step, box[1], box[2] + step, box[3]

    return move


def _all_boxes(change: Callable[[Box], Box]) -> Change:
    return lambda question: [_boxes(evidence, change) for evidence in question.evidences]


def _first_instance(question: Question) -> list[Evidence]:
    return [e for e in question.evidences if e.instance == question.evidences[0].instance]


def _first_faint(question: Question) -> list[Evidence]:
    return [_boxes(evidence, _beside(0.74)) for evidence in _first_instance(question)]


def _with_decoys(question: Question) -> list[Evidence]:
    """Name twenty instances besides that are nowhere to be seen."""
    far = {second: (0.0, 0.0, 1.0, 1.0) for second in range(2)}
    return [*question.evidences, *(Evidence(f"decoy {k}", 0, 1, far) for k in range(20))]


def _short_and_rough(question: Question) -> list[Evidence]:
    """Give each evidence twice: two seconds of it with exact boxes, all of it with rough ones."""
    short = [
        replace(evidence, instance=f"{evidence.instance} short", end_s=evidence.start_s + 1)
        for evidence in question.evidences
    ]
    return [*short, *_all_boxes(_beside(1 / 3))(question)]


def _thousandths(question: Question) -> list[Evidence]:
    """Give boxes as y, x in thousandths of the video, or else of what its boxes reach to."""
    corners = [box for e in question.evidences for box in e.boxes_xyxy_px.values()]
    width, height = question.size_px or (
        max((box[2] for box in corners), default=0) + 1,
        max((box[3] for box in corners), default=0) + 1,
    )
    across, down = 1000 / width, 1000 / height
    turn = _all_boxes(lambda b: (b[1] * down, b[0] * across, b[3] * down, b[2] * across))
    return list(turn(question))


QUALITIES: Mapping[str, Change] = {
    "exact": lambda question: question.evidences,
    "boxes of IoU 0.50": _all_boxes(_beside(1 / 3)),
    "boxes of IoU 0.15": _all_boxes(_beside(0.74)),
    "first instance alone": _first_instance,
    "first instance, IoU 0.15": _first_faint,
    "exact, and twenty decoys": _with_decoys,
    "two exact seconds, and all roughly": _short_and_rough,
    "one second late": lambda question: [_late(evidence) for evidence in question.evidences],
    "boxes as y, x": _all_boxes(lambda b: (b[1], b[0], b[3], b[2])),
    "boxes as y, x thousandths": _thousandths,
    "right times, no boxes": lambda q: [replace(e, boxes_xyxy_px={}) for e in q.evidences],
}
"""Answers that are right, with evidence of falling quality."""

SETTINGS: Mapping[str, Settings] = {
    "official": Settings("official"),
    "cli_default": Settings("cli_default"),
    "official, coverage aware": Settings("official", coverage_aware=True),
}


def _late(evidence: Evidence) -> Evidence:
    boxes = {second + 1: box for second, box in evidence.boxes_xyxy_px.items()}
    start, end = evidence.start_s + 1, evidence.end_s + 1
    return replace(evidence, start_s=start, end_s=end, boxes_xyxy_px=boxes)


def audit_castbench(bench: CastBenchRun) -> Rows:
    """Return a row for each thing that the benchmark leaves open."""
    shown = [question for question in bench.truth if question.evidences]
    return [
        _qualities(shown),
        _ceiling(shown),
        _chance(bench.truth),
        _missing(bench.truth),
        _reading(bench.truth),
    ]


def _qualities(questions: Sequence[Question]) -> dict[str, Any]:
    """Score right answers with evidence of falling quality under each preset."""
    figures = {
        name: {
            quality: _scored(questions, change, settings) for quality, change in QUALITIES.items()
        }
        for name, settings in SETTINGS.items()
    }
    return {
        "open": "three definitions of faithful, two presets, what instances are matched by",
        "compared": "right answers with evidence of falling quality",
        "figures": figures,
    }


def _scored(questions: Sequence[Question], change: Change, settings: Settings) -> dict[str, float]:
    names = "faithful_rate", "faithful_rate_paper", "spurious_rate", "im_tiou", "im_viou"
    observed = [Observation(question, _reply(question, change)) for question in questions]
    scores = [
        {name: score_question(one, settings)[name] for name in names}
        | {"faithful_rate_readme": float(_is_faithful_on_average(one, settings))}
        for one in observed
    ]
    every = (*names[:2], "faithful_rate_readme", *names[2:])
    return {name: fmean(score[name] for score in scores) if scores else 0.0 for name in every}


def _is_faithful_on_average(observation: Observation, settings: Settings) -> bool:
    """Tell whether a right answer is faithful by the README: its instances' mean v_iou decides.

    An instance that is matched with none has 0.
    """
    limits, reply = PRESETS[settings.preset], observation.reply
    if reply is None or reply.choice != observation.question.answer or not reply.instances:
        return False
    said = [timeline(evidences) for evidences in reply.instances]
    true = timelines(observation.question.evidences)
    pairs = match(said, true, limits.eps_overlap_s, settings.coverage_aware)
    return sum(v_iou(said[i], true[j]) for i, j in pairs) / len(said) >= limits.tau_st


def _reply(question: Question, change: Change) -> Reply:
    instances: dict[str, list[Evidence]] = {}
    for evidence in change(question):
        instances.setdefault(evidence.instance, []).append(evidence)
    return Reply(question.answer, tuple(map(tuple, instances.values())))


def _ceiling(questions: Sequence[Question]) -> dict[str, Any]:
    """Score the truth itself, and count what can never be matched."""
    scores = _scored(questions, lambda question: question.evidences, SETTINGS["official"])
    evidences = [evidence for question in questions for evidence in question.evidences]
    figures: dict[str, Any] = {"truth_scores": scores, "evidences": len(evidences)}
    figures["of_one_second"] = sum(e.start_s == e.end_s for e in evidences)
    figures["without_boxes"] = sum(not e.boxes_xyxy_px for e in evidences)
    seconds = [t in e.boxes_xyxy_px for e in evidences for t in range(e.start_s, e.end_s + 1)]
    figures |= {"seconds": len(seconds), "seconds_without_box": seconds.count(False)}
    figures["seconds_between_evidences"] = sum(map(_between, questions))
    figures["in_order_of_time"] = sum(
        all(a.start_s <= b.start_s for a, b in pairwise(question.evidences))
        for question in questions
    )
    return {
        "open": "evidence of one second, or without boxes, is never matched, nor in full with gaps",
        "compared": "the truth as its own prediction",
        "figures": figures,
    }


def _between(question: Question) -> int:
    """Count the seconds at which an instance is no evidence, but before and after them."""
    seconds: dict[str, set[int]] = {}
    for e in question.evidences:
        seconds.setdefault(e.instance, set()).update(range(e.start_s, e.end_s + 1))
    return sum(max(s) - min(s) + 1 - len(s) for s in seconds.values() if s)


def _chance(questions: Sequence[Question]) -> dict[str, Any]:
    letters = Counter(question.answer for question in questions)
    return {
        "open": "chance as published is 1/6",
        "compared": "with the options that there are, and with the best constant letter",
        "figures": {
            "published": 1 / 6,
            "mean_of_1_over_options": fmean(1 / len(question.options) for question in questions),
            "best_constant": max(letters.values()) / len(questions),
        },
    }


def _missing(questions: Sequence[Question]) -> dict[str, Any]:
    """Let a perfect model answer every second question alone."""
    given = [float(place % 2 == 0) for place in range(len(questions))]
    return {
        "open": "questions without an answer score 0, or are left out by a switch",
        "compared": "accuracy of a perfect model that answers every second question",
        "figures": {"scored": fmean(given), "left_out": fmean(mark for mark in given if mark)},
    }


def _reading(questions: Sequence[Question]) -> dict[str, Any]:
    """Show what reading an answer does to words that people take for the same."""
    texts = Counter(question.question.strip() for question in questions)
    return {
        "open": "how answers are read and joined",
        "compared": "words with what is read",
        "figures": {
            "questions_lost_to_a_shared_text": sum(texts.values()) - len(texts),
            "question types as written": len({question.question_type for question in questions}),
            "'E.' is read as": read_reply('{"answer_choice": "E."}').choice,
            "'00:05.7' is read as s": read_second("00:05.7"),
            "trailing comma is read": read_reply(write_reply("C", ())[:-1] + ",}").choice == "C",
            "// comment is read": read_reply('{"answer_choice": "C" // so\n}').choice == "C",
            "brace in a string is read": read_reply('{"answer_choice": "C", "why": "}"}').choice
            == "C",
            "block inside a broken one is read": read_reply('{so: {"answer_choice": "C"}}').choice
            == "C",
        },
    }
