"""What Causal2Needles leaves open: its chance, its parsers, its edits of the narration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

from simworld.benchmarks.causal2needles.metrics import floors
from simworld.benchmarks.causal2needles.protocol import (
    LETTERS,
    Ask,
    asks,
    draw_windows,
    is_skipped,
    read_letter,
    read_scenes,
    settle,
)
from simworld.benchmarks.causal2needles.run import Causal2NeedlesRun
from simworld.benchmarks.causal2needles.schema import Movie
from simworld.models.base import Answer

Rows = list[dict[str, Any]]
REDRAWS = 20
FOURTH = "4"
"""A scene in the middle of where causes stand."""
_ONE_NEEDLE = ("1needle_noncausal", "1needle")


def audit_needles(bench: Causal2NeedlesRun, path: Path) -> Rows:
    """Return a row for each thing that the benchmark leaves open."""
    return [
        _chance(bench.asks),
        _positions(bench.asks),
        _redrawn(bench.movies),
        _lenient(bench.asks),
        _edits(path),
        _targets(bench.movies),
        _left_out(bench),
        _printed(bench.asks),
        _too_short(bench.movies),
    ]


def _chance(put: Sequence[Ask]) -> dict[str, Any]:
    """Compare chance as published with guessing among the scenes shown, and with a constant."""
    figures: dict[str, Any] = {
        name: dict(floor) for name, floor in floors(put).items() if floor["chance"] is not None
    }
    for ask in put:
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


def _positions(put: Sequence[Ask]) -> dict[str, Any]:
    """Count where the right scene stands: forward, the cause is among the first six."""
    figures: dict[str, Any] = {}
    for ask in put:
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


def _redrawn(movies: Sequence[Movie]) -> dict[str, Any]:
    """Draw the windows anew, as the authors' code does at each run, and score one constant."""
    scores: dict[str, list[float]] = {}
    for seed in range(REDRAWS):
        right: dict[str, list[bool]] = {}
        for ask in asks(draw_windows(movies, seed)):
            if ask.task in _ONE_NEEDLE:
                right.setdefault(ask.task, []).append(ask.right == (FOURTH,))
        for task, marks in right.items():
            scores.setdefault(task, []).append(fmean(marks))
    figures = {task: {"least": min(s), "greatest": max(s)} for task, s in scores.items()}
    what = f"the accuracy of naming scene {FOURTH} throughout, over {REDRAWS} draws"
    return {"open": "windows are drawn anew at each run", "compared": what, "figures": figures}


def _lenient(put: Sequence[Ask]) -> dict[str, Any]:
    """Score answers that say nothing, or everything, by the benchmark's own parsers."""
    one = [ask for ask in put if ask.task in _ONE_NEEDLE]
    images = [ask for ask in put if ask.task == "2needle_id"]

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


def _targets(movies: Sequence[Movie]) -> dict[str, Any]:
    """Count the noncausal questions whose needle depends on where they stand in their file."""
    files = [movie.questions.get("1needle_noncausal", ()) for movie in movies]
    pairs = [[(q.cause, q.effect) for q in questions] for questions in files]
    runs = [len(list(run)) for one in pairs for _, run in groupby(one)]
    figures = {
        "questions": sum(map(len, pairs)),
        "about_the_effect_by_their_place": sum(n - 1 for n in runs),
        "third_or_later_with_one_pair": sum(max(0, n - 2) for n in runs),
        "alone_with_their_pair": runs.count(1),
    }
    what = "the first of a run of questions with one pair with the others"
    return {"open": "which needle is meant is told by order alone", "compared": what,
            "figures": figures}  # fmt: skip


def _printed(put: Sequence[Ask]) -> dict[str, Any]:
    """Count what a printed accuracy is over: the last source alone, or what a first run left."""
    asked = [ask for ask in put if ask.task == "1needle_noncausal"]
    sources = list(dict.fromkeys(ask.movie.source for ask in asked))
    movies = list(dict.fromkeys(ask.movie.name for ask in asked))
    later = set(movies[len(movies) // 2 :])
    return {
        "open": "counters start anew with each source, and movies answered before are not counted",
        "compared": "noncausal questions with those that the printed accuracy is over",
        "figures": {
            "asked": len(asked),
            "of_the_last_source": sum(ask.movie.source == sources[-1] for ask in asked),
            "after_a_stop_half_way": sum(ask.movie.name in later for ask in asked),
        },
    }


def _too_short(movies: Sequence[Movie]) -> dict[str, Any]:
    """Count the clips of which the authors' reader shows something else than their middle."""
    clips = [clip for movie in movies for clip in movie.clips]
    return {
        "open": "half a second is cut from either end of a clip, however short",
        "compared": "clips with those that it plays backwards, and that have no footage",
        "figures": {
            "clips": len(clips),
            "played_backwards": sum(0 < clip.end_s - clip.begin_s < 1 for clip in clips),
            "without_footage": sum(clip.end_s <= clip.begin_s for clip in clips),
        },
    }


def _left_out(bench: Causal2NeedlesRun) -> dict[str, Any]:
    skipped = [q for m in bench.movies for q in m.questions.get("1needle_noncausal", ())
               if is_skipped("1needle_noncausal", q)]  # fmt: skip
    return {
        "open": "noncausal questions whose effect lies over 21 clips behind are not counted",
        "compared": "questions in the files with those asked",
        "figures": {"left_out": len(skipped)},
    }
