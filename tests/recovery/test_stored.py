"""Questions about scenes, paired over twins though each world shows another window of them."""

from pathlib import Path

import pytest

from simworld.benchmarks.causal2needles.protocol import draw_windows
from simworld.benchmarks.causal2needles.schema import Clip, Movie, Question, TwoParts
from simworld.benchmarks.causal2needles.write import write_movies
from simworld.recovery import recover
from simworld.store import write_jsonl

CLIPS, CAUSE, EFFECT = 20, 9, 13
GROUPS = 10
KINDS = {
    "n1": ("noncausal_1needle", "cause"),
    "n2": ("noncausal_1needle", "effect"),
    "c1": ("causal_1needle", "cause"),
    "f1": ("first_part", "effect"),
    "s1": ("second_part", "cause"),
    "i1": ("image", None),
}


def movie(number: int, cause: int) -> Movie:
    image = "What was it? Which? A. One B. Two C. Three D. Four"
    parts = TwoParts("Cause.", "Effect.", image, "B", "1?", "2?")
    questions = {
        "1needle": (Question(f"Why in {number}?", cause, EFFECT),),
        "1needle_noncausal": tuple(
            Question(f"Where is {what} in {number}?", cause, EFFECT) for what in ("it", "that")
        ),
        "2needle": (Question(f"What and why in {number}?", cause, EFFECT, parts),),
    }
    clips = tuple(Clip(4.0 * i, 4.0 * i + 4) for i in range(CLIPS))
    return Movie("yms", f"{number:04d}", clips, ("So.",) * CLIPS, questions)


def stored(number: int, clip: str, group: str, cause: int) -> list[dict]:
    """Return a movie's questions as a suite stores them: options are spans, numbered from 1."""
    places = {"cause": str(cause + 1), "effect": str(EFFECT + 1)}
    rows = []
    for name, (kind, about) in KINDS.items():
        keys = [str(k + 1) for k in range(CLIPS)] if about else list("ABCD")
        right = places[about] if about else "B"
        head = f"starts({about}, {{}})" if about else "happens(e{}, 1)"
        rows.append(
            {
                "question_id": f"causal2needles-{number:04d}-{name}",
                "clip": clip,
                "group": group,
                "benchmark": "causal2needles",
                "kind": kind,
                "segment": int(name[1]),
                "options": [
                    {"key": key, "claim": head.format(key), "right": key == right} for key in keys
                ],
                "answer": right,
                "evidence": [{"event": "cause"}, {"event": "effect"}],
            }
        )
    return rows


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Recover a suite whose causes begin one scene earlier once the intervention is made."""
    root: Path = tmp_path_factory.mktemp("needles") / "suite"
    movies, rows, twins = [], [], []
    for k in range(GROUPS):
        group = f"g{k}"
        worlds = (("factual", CAUSE), ("parameter", CAUSE - 1), ("nuisance", CAUSE))
        for number, (kind, cause) in enumerate(worlds, 3 * k + 1):
            clip = f"{group}-{kind}"
            movies.append(movie(number, cause))
            rows += stored(number, clip, group, cause)
            (root / "clips" / clip).mkdir(parents=True)
            (root / "clips" / clip / "events.json").write_text("[]")
            if kind != "factual":
                pair = {"factual": f"{group}-factual", "counterfactual": clip}
                twins.append({"kind": kind, "group": group, **pair})
    write_movies(root / "benchmarks" / "causal2needles", draw_windows(movies, 0))
    write_jsonl(root / "questions.jsonl", rows)
    write_jsonl(root / "twins.jsonl", twins)
    return recover(root)["benchmarks"]["causal2needles"]


def test_a_perfect_model_is_consistent_and_flips_where_the_cause_moves(found):
    oracle = {name: (each["value"], each["n"]) for name, each in found["paired"]["oracle"].items()}
    assert oracle == {
        "paired_accuracy": (1, 6 * GROUPS),
        "consistency": (1, 6 * GROUPS),
        "flip_rate": (1, 3 * GROUPS),  # where the cause begins is asked three times
        "false_flip_rate": (0, 3 * GROUPS),
        "regime_accuracy": (1, 3 * GROUPS),
    }


def test_the_factual_worlds_answers_lose_what_moved_and_nothing_else(found):
    stale = {name: each["value"] for name, each in found["paired"]["stale_oracle"].items()}
    assert (stale["paired_accuracy"], stale["regime_accuracy"]) == (1 / 2, 0)
    # The place may lie outside the other world's window; then another wrong one is named.
    assert stale["flip_rate"] < 0.3
    assert stale["false_flip_rate"] == 0
    verdicts = {m: judged["verdicts"]["twin"]["passed"] for m, judged in found["metrics"].items()}
    moved = {"noncausal_1n", "causal_1n"} | {
        f"vg_{order}_{part}"
        for order in ("forward", "reverse", "avg")
        for part in ("part2", "both")
    }
    assert {metric for metric, passed in verdicts.items() if passed} == moved
    assert {verdicts[metric] for metric in verdicts.keys() - moved} == {None}
    figures = found["metrics"]["noncausal_1n"]["verdicts"]["twin"]["figures"]
    assert figures == {"flips": GROUPS, "oracle": 1, "stale_oracle": 1 - 1 / 6}


def test_places_are_compared_over_worlds_that_show_other_windows(found):
    chance = {name: each["value"] for name, each in found["paired"]["chance"].items()}
    assert chance["paired_accuracy"] < 0.2
    assert 0.02 < chance["consistency"] < 0.3
    assert found["compared"]["oracle"]["base_alone_right"] == 0
