"""What Causal2Needles leaves open: its chance, its parsers, its edits of the narration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from simworld.benchmarks.causal2needles.metrics import floors
from simworld.benchmarks.causal2needles.protocol import (
    LETTERS,
    Ask,
    is_skipped,
    read_letter,
    read_scenes,
    settle,
)
from simworld.benchmarks.causal2needles.run import Causal2NeedlesRun
from simworld.models.base import Answer

Rows = list[dict[str, Any]]
_ONE_NEEDLE = ("1needle_noncausal", "1needle")


def audit_needles(bench: Causal2NeedlesRun, path: Path) -> Rows:
    """Return a row for each thing that the benchmark leaves open."""
    return [_chance(bench.asks), _positions(bench.asks), _lenient(bench.asks),
            _edits(path), _left_out(bench)]  # fmt: skip


def _chance(asks: Sequence[Ask]) -> dict[str, Any]:
    """Compare chance as published with guessing among the scenes shown, and with a constant."""
    figures: dict[str, Any] = {
        name: dict(floor) for name, floor in floors(asks).items() if floor["chance"] is not None
    }
    for ask in asks:
        if ask.task == "2needle_vg":
            figures.setdefault("scenes", []).append(len(ask.window))
    scenes = figures.pop("scenes", [])
    if scenes:
        figures["visual grounding, one part, guessed"] = fmean(1 / n for n in scenes)
    return {
        "open": "chance as published is 1 / mean N",
        "compared": "with the best answer that never changes",
        "figures": figures,
    }


def _positions(asks: Sequence[Ask]) -> dict[str, Any]:
    """Count where the right scene stands: forward, the cause is among the first six."""
    figures: dict[str, Any] = {}
    for ask in asks:
        if ask.task != "2needle_id":
            for part, right in enumerate(ask.right, 1):
                name = f"{ask.task} {ask.order} part {part}"
                figures.setdefault(name, Counter())[int(right)] += 1
    shares = {
        name: {str(scene): n / counts.total() for scene, n in sorted(counts.items())}
        for name, counts in figures.items()
    }
    what = "the share of questions whose right scene has each number"
    return {"open": "where needles stand in the window", "compared": what, "figures": shares}


def _lenient(asks: Sequence[Ask]) -> dict[str, Any]:
    """Score answers that say nothing, or everything, by the benchmark's own parsers."""
    one = [ask for ask in asks if ask.task in _ONE_NEEDLE]
    images = [ask for ask in asks if ask.task == "2needle_id"]

    def accuracy(of: Sequence[Ask], say: Callable[[Ask], str]) -> float | None:
        steps = [settle(ask, Answer(None, say(ask))) for ask in of]
        return fmean(all(step.right) for step in steps) if steps else None

    return {
        "open": "a number anywhere in an answer makes it right, a lone A is a letter",
        "compared": "answers that nobody would call right",
        "figures": {
            "1-needle, every scene named": accuracy(one, _every_scene),
            "1-needle, 'scene 1 of the 6 shown'": accuracy(one, lambda _: "scene 1 of the 6 shown"),
            "image, 'A red thing'": accuracy(images, lambda _: "A red thing"),
            "image, share with the answer A": accuracy(images, lambda _: LETTERS[0]),
            "'A red thing' is read as": read_letter("A red thing"),
            "'scene 7 for part 1' is read as": read_scenes("scene 7 for part 1")[0],
        },
    }


def _every_scene(ask: Ask) -> str:
    return ", ".join(str(number) for number in range(1, len(ask.window) + 1))


def _edits(path: Path) -> dict[str, Any]:
    """Count the questions that are told a narration which earlier questions have changed."""
    contexts = [
        [(ask.task, ask.context) for ask in Causal2NeedlesRun(path, {"narration": n}, 0).asks]
        for n in ("in_place", "copy")
    ]
    counts: dict[str, dict[str, int]] = {}
    for (task, edited), (_, clean) in zip(*contexts, strict=True):
        count = counts.setdefault(task, {"asked": 0, "told_otherwise": 0})
        count["asked"] += 1
        count["told_otherwise"] += edited != clean
    what = "the narration told in place with a copy for each question"
    return {"open": "sentences stay replaced", "compared": what, "figures": counts}


def _left_out(bench: Causal2NeedlesRun) -> dict[str, Any]:
    skipped = [q for m in bench.movies for q in m.questions.get("1needle_noncausal", ())
               if is_skipped("1needle_noncausal", q)]  # fmt: skip
    return {
        "open": "noncausal questions whose effect lies over 21 clips behind are not counted",
        "compared": "questions in the files with those asked",
        "figures": {"left_out": len(skipped)},
    }
