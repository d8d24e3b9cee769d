"""What CaST-Bench leaves open: what is faithful, its thresholds, its rules of reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from simworld.benchmarks.castbench.metrics import Observation, Settings, score_question
from simworld.benchmarks.castbench.protocol import Reply, read_reply, read_second, write_reply
from simworld.benchmarks.castbench.run import CastBenchRun
from simworld.benchmarks.castbench.schema import Box, Evidence, Question

Rows = list[dict[str, Any]]
Change = Callable[[Sequence[Evidence]], Sequence[Evidence]]


def _boxes(evidence: Evidence, change: Callable[[Box], Box]) -> Evidence:
    boxes = {second: change(box) for second, box in evidence.boxes_xyxy_px.items()}
    return replace(evidence, boxes_xyxy_px=boxes)


def _beside(share: float) -> Callable[[Box], Box]:
    """Move a box sideways by a share of its width: their IoU is (1 - share) / (1 + share)."""

    def move(box: Box) -> Box:
        step = share * (box[2] - box[0])
        return box[0] + step, box[1], box[2] + step, box[3]

    return move


def _first_instance(evidences: Sequence[Evidence]) -> list[Evidence]:
    return [e for e in evidences if e.instance == evidences[0].instance]


QUALITIES: Mapping[str, Change] = {
    "exact": lambda evidences: evidences,
    "boxes of IoU 0.50": lambda es: [_boxes(e, _beside(1 / 3)) for e in es],
    "boxes of IoU 0.15": lambda es: [_boxes(e, _beside(0.74)) for e in es],
    "first instance alone": _first_instance,
    "first instance, IoU 0.15": lambda es: [_boxes(e, _beside(0.74)) for e in _first_instance(es)],
    "one second late": lambda es: [_late(e) for e in es],
    "boxes as y, x": lambda es: [_boxes(e, lambda b: (b[1], b[0], b[3], b[2])) for e in es],
    "right times, no boxes": lambda es: [replace(e, boxes_xyxy_px={}) for e in es],
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
    return [_qualities(shown), _ceiling(shown), _chance(bench.truth), _reading(bench.truth)]


def _qualities(questions: Sequence[Question]) -> dict[str, Any]:
    """Score right answers with evidence of falling quality under each preset."""
    figures = {
        name: {
            quality: _scored(questions, change, settings) for quality, change in QUALITIES.items()
        }
        for name, settings in SETTINGS.items()
    }
    return {
        "open": "two definitions of faithful, two presets, what instances are matched by",
        "compared": "right answers with evidence of falling quality",
        "figures": figures,
    }


def _scored(questions: Sequence[Question], change: Change, settings: Settings) -> dict[str, float]:
    names = "faithful_rate", "faithful_rate_paper", "spurious_rate", "im_tiou", "im_viou"
    scores = [
        score_question(Observation(question, _reply(question, change)), settings)
        for question in questions
    ]
    return {name: fmean(score[name] for score in scores) if scores else 0.0 for name in names}


def _reply(question: Question, change: Change) -> Reply:
    changed = change(question.evidences)
    instances: dict[str, list[Evidence]] = {}
    for evidence in changed:
        instances.setdefault(evidence.instance, []).append(evidence)
    return Reply(question.answer, tuple(map(tuple, instances.values())))


def _ceiling(questions: Sequence[Question]) -> dict[str, Any]:
    """Score the truth itself, and count what can never be matched."""
    scores = _scored(questions, lambda evidences: evidences, SETTINGS["official"])
    evidences = [evidence for question in questions for evidence in question.evidences]
    figures: dict[str, Any] = {"truth_scores": scores, "evidences": len(evidences)}
    figures["of_one_second"] = sum(e.start_s == e.end_s for e in evidences)
    figures["without_boxes"] = sum(not e.boxes_xyxy_px for e in evidences)
    return {
        "open": "evidence of one second, or without boxes, is never matched",
        "compared": "the truth as its own prediction",
        "figures": figures,
    }


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


def _reading(questions: Sequence[Question]) -> dict[str, Any]:
    """Show what reading an answer does to words that people take for the same."""
    texts = Counter(question.question.strip() for question in questions)
    return {
        "open": "how answers are read and joined",
        "compared": "words with what is read",
        "figures": {
            "questions_lost_to_a_shared_text": sum(texts.values()) - len(texts),
            "'E.' is read as": read_reply('{"answer_choice": "E."}').choice,
            "'00:05.7' is read as s": read_second("00:05.7"),
            "trailing comma is read": read_reply(write_reply("C", ())[:-1] + ",}").choice == "C",
            "// comment is read": read_reply('{"answer_choice": "C" // so\n}').choice == "C",
        },
    }
