"""The pinned example: one answer wrong, and each of CausalStep's four readings scores it."""

import json

import pytest

from simworld.benchmarks.causalstep.metrics import score
from simworld.store import Suite

READINGS = {
    ("prose", "prose"): 4,
    ("prose", "algorithm1"): 6,
    ("algorithm1", "prose"): 3,
    ("algorithm1", "algorithm1"): 4,
}


@pytest.fixture(scope="module")
def factual(small_suite):
    """The factual clip's row of the exported file, and the events of its segments."""
    clip = next(twin["factual"] for twin in Suite(small_suite).twins())
    questions = {q["question_id"]: q for q in Suite(small_suite).questions()}
    rows = map(
        json.loads,
        (small_suite / "benchmarks/causalstep/causalstep.jsonl").read_text().split("\n")[:-1],
    )
    row = next(r for r in rows if questions[r["questions"][0]["proof"]]["clip"] == clip)
    return row, [segment["event"] for segment in Suite(small_suite).segments(clip)]


def test_the_clip_has_the_four_segments_and_seven_questions(factual):
    row, events = factual
    assert events == ["opening", "bump", "fall", "impact"]
    assert [s["description"] for s in row["segments"]] == [
        "The mug stands near the table's edge.",
        "The red ball bumps the mug, and the mug slides along the table.",
        "The mug falls off the table.",
        "The mug hits the hard floor and breaks into pieces.",
    ]
    kinds = [(q["segment"], q["kind"]) for q in row["questions"]]
    assert sorted(kinds) == [
        (1, "descriptive"),
        (2, "causal"),
        (2, "descriptive"),
        (3, "causal"),
        (3, "descriptive"),
        (4, "causal"),
        (4, "descriptive"),
    ]


@pytest.mark.parametrize(("reading", "weighted"), READINGS.items())
def test_one_wrong_answer_scores_as_each_reading_says(factual, tmp_path, reading, weighted):
    row, _ = factual
    truth = tmp_path / "causalstep.jsonl"
    truth.write_text(json.dumps(row) + "\n")
    answers = []
    for question in row["questions"]:
        wrong = (question["segment"], question["kind"]) == (3, "causal")
        letter = question["answer"]
        choice = next(x for x in "ABCDEFGH" if x != letter) if wrong else letter
        answers.append(
            {
                "question_id": question["question_id"],
                "mode": "chain",
                "choice": choice,
                "status": "ok",
            }
        )
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    metrics = score(truth, predictions, restart=reading[0], scoring=reading[1])["metrics"]
    assert metrics["ws"]["value"] == weighted
    assert metrics["amcl"]["value"] == metrics["mcl"]["value"] == 2
    assert metrics["rf"]["value"] == 1
