import dataclasses
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, LETTERS
from simworld.errors import CheckError
from simworld.qa.finalise import finalise
from simworld.qa.items import Evidence, Option, Question


def candidate(clip: str, segment: int) -> Question:
    options = [Option(f"{clip} {segment} right", "occurs(a)", True, None, (f"{clip}:r",))]
    options += [
        Option(f"{clip} {segment} {kind}", f"not({kind})", False, kind, (f"{clip}:r",))
        for kind in DISTRACTOR_KINDS
    ]
    text = f"In part {segment} of video {{video}}?"
    evidence = (Evidence("a", "ball", 0, 2, "A ball."),)
    return Question("g", clip, "causalstep", "causal", segment, text, tuple(options), evidence)


def candidates(lengths):
    return [candidate(f"c{i}", s) for i, n in enumerate(lengths) for s in range(1, n + 1)]


lengths = st.lists(st.integers(1, 9), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(lengths, st.integers(0, 3))
def test_each_letter_is_right_equally_often(counts, seed):
    finished = finalise(candidates(counts), seed=seed)
    right = Counter(o.key for q in finished for o in q.options if o.right)
    shares = [right[letter] for letter in LETTERS]
    assert max(shares) - min(shares) <= 1
    for question in finished:
        assert [option.key for option in question.options] == list(LETTERS)
        kinds = [o.distractor_type for o in question.options if not o.right]
        assert sorted(kinds) == sorted(DISTRACTOR_KINDS)


@settings(deadline=None)
@given(lengths)
def test_videos_are_numbered_from_one_and_texts_are_unique(counts):
    finished = finalise(candidates(counts), seed=0)
    numbers = {question.clip: question.video for question in finished}
    assert sorted(numbers.values()) == list(range(1, len(counts) + 1))
    assert len({q.question for q in finished}) == len({q.question_id for q in finished})
    assert all(f"video {q.video}?" in q.question for q in finished)


def test_a_video_number_does_not_tell_which_clip_of_a_twin_it_is():
    finished = finalise(candidates([1] * 200), seed=0)
    first = [question.video for question in finished[:100]]
    assert 80 < sum(first) / 100 < 121


def test_each_benchmark_deals_its_own_letters():
    made = candidates([2, 3])
    six = [
        dataclasses.replace(
            question,
            benchmark="castbench",
            question=f"Cast {i}, video {{video}}?",
            options=question.options[:6],
        )
        for i, question in enumerate(candidates([6, 6]))
    ]
    finished = finalise([*made[:2], *six[:7], *made[2:], *six[7:]], seed=0)
    cast = [q for q in finished if q.benchmark == "castbench"]
    right = Counter(o.key for q in cast for o in q.options if o.right)
    assert right == dict.fromkeys("ABCDEF", 2)
    alone = [q.options for q in finalise(made, seed=0)]
    assert [q.options for q in finished if q.benchmark == "causalstep"] == alone


def test_the_seed_decides_and_nothing_else():
    made = candidates([3, 2, 4])
    assert finalise(made, seed=0) == finalise(made, seed=0)
    assert finalise(made, seed=0) != finalise(made, seed=1)
    read_back = [Question.from_json(q.to_json()) for q in made]
    assert finalise(read_back, seed=0) == finalise(made, seed=0)


def test_a_finished_question_as_json():
    [question] = finalise([candidate("c0", 2)], seed=0)
    row = question.to_json()
    assert row["question_id"] == "causalstep-0001-c2"
    assert row["question"] == "In part 2 of video 1?"
    [right] = [option for option in row["options"] if option["right"]]
    assert right["key"] == row["answer"]
    assert right["text"] == "c0 2 right"
    assert Question.from_json(row) == question


def test_nothing_to_finish():
    assert finalise([], seed=0) == ()


def test_two_questions_that_read_alike_are_refused():
    twice = [candidate("c0", 2), candidate("c0", 2)]
    with pytest.raises(CheckError, match="once in the file"):
        finalise(twice, seed=0)
    renamed = dataclasses.replace(twice[1], kind="descriptive")
    with pytest.raises(CheckError, match="question text"):
        finalise([twice[0], renamed], seed=0)
