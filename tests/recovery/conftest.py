"""Benchmark folders written by the formats' own writers, without physics and without videos."""

import json
from pathlib import Path

import pytest

from simworld.benchmarks.castbench.schema import QUESTION_TYPES, Evidence, Question
from simworld.benchmarks.castbench.strict import truth_text
from simworld.benchmarks.causal2needles.protocol import draw_windows
from simworld.benchmarks.causal2needles.schema import Clip, Movie, TwoParts
from simworld.benchmarks.causal2needles.schema import Question as Needle
from simworld.benchmarks.causal2needles.write import write_movies
from simworld.rng import stream
from simworld.store import write_jsonl, write_text


def castbench_question(number: int) -> Question:
    rng = stream("synthetic castbench", number)
    start = int(rng.integers(0, 5))
    boxes = {t: (10.0 * k, 20, 10.0 * k + 8, 60) for k, t in enumerate(range(start, start + 3), 1)}
    evidences = [Evidence("Ball_a", start, start + 2, boxes, "A ball rolls.")]
    if number % 3 == 0:
        later = {t: (100, 20, 140, 60) for t in range(start + 3, start + 6)}
        evidences.append(Evidence("Mug_b", start + 3, start + 5, later, "A mug falls."))
    return Question(
        qa_id=f"qa-{number}",
        video=f"sim_{number // 2:04d}.mp4",
        question=f"In video {number}, what made the mug fall?",
        question_type=QUESTION_TYPES[0],
        scene_category="Simulated physics",
        options={letter: f"Option {letter} of {number}." for letter in "ABCDEF"},
        answer="ABCDEF"[int(rng.integers(6))],
        evidences=tuple(evidences),
        size_px=(320, 240),
        duration_s=12.0,
        group=f"g{number // 4}",
    )


def movie(number: int) -> Movie:
    rng = stream("synthetic movie", number)
    clips = int(rng.integers(12, 30))
    pairs = sorted(
        (c, c + int(rng.integers(3, 8))) for c in rng.choice(clips - 8, 3, False).tolist()
    )
    image = "What was it? Which colour? A. Red B. Blue C. Green D. White"
    questions = {
        "1needle": tuple(Needle(f"Why {c}?", c, e) for c, e in pairs),
        "1needle_noncausal": tuple(
            Needle(f"Where is {what} {c}?", c, e) for c, e in pairs for what in ("cause", "effect")
        ),
        "2needle": tuple(
            Needle(
                f"What {c}, and why?",
                c,
                e,
                TwoParts(
                    f"Cause {c}.", f"Effect {e}.", image, "ABCD"[(c + number) % 4], "1?", "2?"
                ),
            )
            for c, e in pairs
        ),
    }
    spans = tuple(Clip(4.0 * i, 4.0 * i + 4) for i in range(clips))
    texts = tuple(f"Sentence {i}." for i in range(clips))
    return draw_windows([Movie("yms", f"{number:04d}", spans, texts, questions)], 0)[0]


def write_decisions(root: Path, count: int) -> None:
    """Write decisions of two to five options, in groups of two."""
    rng = stream("synthetic decisions")
    rows = []
    for number in range(count):
        letters = "ABCDE"[: 2 + number % 4]
        rows.append(
            {
                "question_id": f"decisions-{number:04d}-r1",
                "video": f"videos/{number:04d}.mp4",
                "question": f"What would have prevented it in video {number}?",
                "options": {letter: f"If {letter}" for letter in letters},
                "answer": letters[int(rng.integers(len(letters)))],
                "group": f"g{number // 2}",
            }
        )
    write_jsonl(root / "benchmarks" / "decisions" / "decisions.jsonl", rows)


def write_all(root: Path, make_video, videos: int) -> Path:
    """Write a folder of each benchmark; videos of 2 to 8 segments, in groups of two."""
    rows = [
        make_video(2 + number % 7, f"v{number:03d}", group=f"g{number // 2}", scene="synthetic")
        for number in range(videos)
    ]
    benchmarks = root / "benchmarks"
    write_jsonl(benchmarks / "causalstep" / "causalstep.jsonl", rows)
    questions = [castbench_question(number) for number in range(2 * videos)]
    write_text(benchmarks / "castbench" / "castbench_hf.jsonl", truth_text(questions))
    write_movies(benchmarks / "causal2needles", [movie(n) for n in range(videos // 3)])
    return root


@pytest.fixture(scope="session")
def folders(tmp_path_factory, video_row):
    """A folder of each benchmark with 200 videos; not to be changed."""
    return write_all(tmp_path_factory.mktemp("synthetic") / "suite", video_row, 200)


@pytest.fixture(scope="session")
def small_folders(tmp_path_factory, video_row):
    """A folder of each benchmark with 24 videos; not to be changed."""
    return write_all(tmp_path_factory.mktemp("small") / "suite", video_row, 24)


CLAIMS = [f"trigger({event}, effect)" for event in ("bump", "rug", *"abcdef")]
EVENTS = [
    {"event": event, "variable": event, "kind": event, "participants": ["mug"]}
    | {"start_frame": frame, "start_step": 20 * frame}
    for event, frame in (("rug", 0), ("bump", 12), ("effect", 25))
]


def stored_question(question, group: str, clip: str, flips: bool) -> dict:
    """Return a question as a suite stores it: C says that the bump did it or, flipped, the rug."""
    order = [2, 3, 1, 0, 4, 5, 6, 7] if flips else [2, 3, 0, 1, 4, 5, 6, 7]
    return {
        "question_id": question["question_id"],
        "group": group,
        "clip": clip,
        "benchmark": "causalstep",
        "kind": question["kind"],
        "segment": question["segment"],
        "options": [
            {"key": key, "claim": CLAIMS[k], "right": key == "C"}
            for key, k in zip("ABCDEFGH", order, strict=True)
        ],
        "answer": "C",
        "evidence": [],
    }


def write_twins(root: Path, make_video, groups: int) -> Path:
    """Write a suite of groups of three clips: as it was, after `remove_cause`, after `nuisance`.

    C is right wherever it is asked. The cause removed flips the questions on the last of three
    segments; what was right before is then D.
    """
    videos, stored, twins = [], [], []
    for number in range(groups):
        group = f"g{number:02d}"
        for kind in ("factual", "remove_cause", "nuisance"):
            clip = f"{group}-{kind}"
            video = make_video(3, clip, group=group, scene="synthetic")
            for question in video["questions"]:
                question["proof"] = question["question_id"]
                flips = kind == "remove_cause" and question["segment"] == 3
                stored.append(stored_question(question, group, clip, flips))
            videos.append(video)
            write_text(root / "clips" / clip / "events.json", json.dumps(EVENTS))
            if kind != "factual":
                worlds = {"factual": f"{group}-factual", "counterfactual": clip}
                twins.append({"kind": kind, "group": group, **worlds})
    write_jsonl(root / "benchmarks" / "causalstep" / "causalstep.jsonl", videos)
    write_jsonl(root / "questions.jsonl", stored)
    write_jsonl(root / "twins.jsonl", twins)
    return root


@pytest.fixture(scope="session")
def twin_suite(tmp_path_factory, video_row):
    """A suite of 30 groups of twins; not to be changed."""
    return write_twins(tmp_path_factory.mktemp("twins") / "suite", video_row, 30)


@pytest.fixture(scope="session")
def action_suite(tmp_path_factory, video_row):
    """A folder of CausalStep's, of 12 videos, and of 60 decisions; not to be changed."""
    root = tmp_path_factory.mktemp("action") / "suite"
    rows = [video_row(4, f"v{number}", group=f"g{number}") for number in range(12)]
    write_jsonl(root / "benchmarks" / "causalstep" / "causalstep.jsonl", rows)
    write_decisions(root, 60)
    return root
