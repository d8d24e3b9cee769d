"""Models that learn from a file's answers: what they find, and what they must not have seen."""

import dataclasses
import sys

import pytest

from simworld.errors import InputError, MissingDependencyError
from simworld.evaluate import evaluate
from simworld.models import make_model
from simworld.models.learning import FOLDS, Example, Learner, shares

LEARNERS = ["answer_prior", "option_memoriser", "option_learner", "text_learner"]
VIDEOS = 20


@pytest.fixture
def write_file(tmp_path, write_rows, video_row):
    """Write a CausalStep file of 20 videos in as many groups, its questions changed by `change`."""

    def write(change=lambda video, question: None):
        videos = [video_row(3, f"v{i}", group=f"g{i}") for i in range(VIDEOS)]
        for number, video in enumerate(videos):
            for question in video["questions"]:
                change(number, question)
        write_rows(tmp_path / "causalstep.jsonl", videos)
        return tmp_path

    return write


def move_answer(question, letter):
    """Make another letter the right one."""
    old, kinds = question["answer"], question["distractor_types"]
    if letter != old:
        kinds[old] = kinds.pop(letter)
        question["answer"] = letter


def accuracy(folder, *names, out="run"):
    models = [f"{name}:{folder}" for name in names]
    found = evaluate(folder, models=models, out=folder / out)
    return [found[model]["metrics"]["dua"]["value"] for model in models]


def test_the_prior_finds_a_letter_that_wins_and_the_readers_do_not(write_file):
    folder = write_file()  # C is right wherever it is asked; texts say nothing but name and letter
    assert accuracy(folder, "answer_prior") == [1.0]


def test_sentences_that_are_always_right_are_learnt_by_heart(write_file):
    def change(number, question):
        move_answer(question, "ABCDEFGH"[(number + question["segment"]) % 8])
        for letter in "ABCDEFGH":
            question["options"][letter] = f"It did {letter} in video {number}."
        question["options"][question["answer"]] = f"The ball ran into the mug in video {number}."

    folder = write_file(change)
    prior, *readers = accuracy(folder, *LEARNERS)
    assert prior < 0.5
    assert readers == [1.0, 1.0, 1.0]


def test_only_the_text_learner_finds_answers_that_go_with_the_question(write_file):
    def change(number, question):
        move_answer(question, "ABCDEFGH"[(number * 3 + question["segment"]) % 8])
        asked = number % 2
        wrong = iter("pqrstu")
        for letter in "ABCDEFGH":
            question["options"][letter] = (
                f"{next(wrong)} happened"
                if letter not in (question["answer"], other(question))
                else ""
            )
        question["options"][question["answer"]] = ["the ball came", "the rug lay"][asked]
        question["options"][other(question)] = ["the rug lay", "the ball came"][asked]
        which = ["why did it break", "why did it hold"][asked]
        question["question"] = f"In video {number}, part {question['segment']}, {which}?"
        if question["kind"] == "causal":
            question["question"] += " Why?"

    folder = write_file(change)
    prior, memoriser, options, text = accuracy(folder, *LEARNERS)
    assert text == 1.0
    assert max(prior, memoriser, options) < 0.75


def other(question):
    return "B" if question["answer"] == "A" else "A"


def test_no_learner_has_seen_the_group_that_it_is_asked_about(write_file):
    folder = write_file()
    seen = []

    def fit(examples):
        groups = {example.group for example in examples}
        seen.append(groups)
        return lambda kind, question, options: dict.fromkeys(options, 0.0)

    learner = Learner("spy", fit, str(folder))
    item = dataclasses.make_dataclass(
        "I", ["benchmark", "question_id", "mode", "question", "options", "seed"]
    )
    for number in range(VIDEOS):
        learner.answer(item("causalstep", f"v{number}-d1", "chain", "?", {"A": "a"}, (0,)))
    assert len(seen) == FOLDS
    assert all(len(groups) == VIDEOS - VIDEOS // FOLDS for groups in seen)
    learner.answer(item("causalstep", "of another file", "chain", "?", {"A": "a"}, (0,)))
    assert len(seen[-1]) == VIDEOS


def test_shares_are_smoothed_towards_a_half():
    examples = [Example(str(i), "", "?", {"A": "x", "B": "y"}, "A", str(i)) for i in range(3)]
    score = shares(examples, lambda example: dict(example.options))
    assert score("", "?", {"A": "x", "B": "y", "C": "new"}) == {
        "A": 3.5 / 4,
        "B": 0.5 / 4,
        "C": 0.5,
    }


def test_castbench_and_causal2needles_are_learnt_from_too(tmp_path, write_rows):
    rows = [
        {
            "video": f"{i}.mp4",
            "question": f"Why in {i}?",
            "options": {"A": f"ball {i}", "B": f"rug {i}"},
            "answer": "B",
        }
        for i in range(12)
    ]
    write_rows(tmp_path / "castbench_hf.jsonl", rows)
    models = [f"option_memoriser:{tmp_path}"]
    found = evaluate(tmp_path, models=models, out=tmp_path / "run", benchmark="castbench")
    assert found[models[0]]["metrics"]["accuracy"]["value"] == 1


def test_a_missing_extra_is_one_clear_error(write_file, monkeypatch):
    folder = write_file()
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    for name in ("option_learner", "text_learner"):
        with pytest.raises(MissingDependencyError, match=rf"{name} needs.*simworld\[probe\]"):
            accuracy(folder, name, out=name)
    assert accuracy(folder, "option_memoriser", out="rest")


def test_a_folder_without_the_benchmark_is_refused(write_file, tmp_path):
    folder = write_file()
    models = [f"answer_prior:{tmp_path / 'none'}"]
    with pytest.raises(InputError, match=r"expected causalstep.jsonl to learn from in .*none"):
        evaluate(folder, models=models, out=folder / "run")
    with pytest.raises(InputError, match="written as text_learner:FOLDER"):
        make_model("text_learner")
