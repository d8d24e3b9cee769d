from functools import cache
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.causalstep.protocol import (
    Ask,
    prompt,
    read_choice,
    run_chain,
    run_isolated,
    run_pairs,
    settle,
)
from simworld.benchmarks.causalstep.schema import Video
from simworld.models.base import Answer

READINGS = list(product(["prose", "algorithm1"], repeat=2))


@pytest.fixture(scope="session")
def video(video_row):
    return cache(lambda segments: Video.model_validate(video_row(segments)))


def answer_by(right):
    """Answer C, the right one everywhere, where `right(kind, segment)` says so; else D."""
    return lambda ask: Answer("C" if right(ask.question.kind, ask.question.segment) else "D")


@pytest.mark.parametrize(("reading", "score"), list(zip(READINGS, [4, 6, 3, 4], strict=True)))
def test_the_pinned_answers_right_right_wrong_and_right_from_there_on(video, reading, score):
    replies = iter([True, True, False, True, True, True])
    transcript = run_chain(video(4), lambda ask: Answer("C" if next(replies) else "D"), *reading)
    assert (transcript.score, transcript.longest, transcript.breaks) == (score, 2, 1)
    asked = [s.ask.question.question_id.removeprefix("v1-") for s in transcript.steps]
    restarted = ["d3", "c4"] if reading[0] == "prose" else ["d4"]
    assert asked == ["d1", "c2", "c3", *restarted]


def chains(n, right, restart, start=1):
    """List (length, broken) of each chain from a descriptive question on; length 0 if it failed."""
    if start > n:
        return []
    if not right("descriptive", start):
        return [(0, True), *chains(n, right, restart, start + 1)]
    stop = next((i for i in range(start + 1, n + 1) if not right("causal", i)), n + 1)
    resume = stop if restart == "prose" else stop + 1
    return [(stop - start, stop <= n), *chains(n, right, restart, resume)]


def points(length, scoring):
    m = length - 1
    return 0 if length == 0 else 1 + m * (m + (1 if scoring == "prose" else 3)) // 2


@settings(max_examples=1000, deadline=None)
@given(st.integers(1, 20), st.data())
def test_all_readings_agree_with_an_independent_recursion(video, n, data):
    wrong = data.draw(
        st.sets(st.tuples(st.sampled_from(["descriptive", "causal"]), st.integers(1, n)))
    )

    def right(kind, segment):
        return (kind, segment) not in wrong

    for restart, scoring in READINGS:
        expected = chains(n, right, restart)
        transcript = run_chain(video(n), answer_by(right), restart, scoring)
        assert transcript.longest == max(length for length, _ in expected)
        assert transcript.breaks == sum(broken for _, broken in expected)
        assert transcript.score == sum(points(length, scoring) for length, _ in expected)
        assert sum(step.right for step in transcript.steps) == sum(length for length, _ in expected)


@pytest.mark.parametrize("n", [1, 2, 4, 51])
def test_a_flawless_chain_has_its_closed_form(video, n):
    m = n - 1
    for restart, scoring in READINGS:
        transcript = run_chain(video(n), answer_by(lambda *_: True), restart, scoring)
        closed = 1 + m * (m + 1) / 2 if scoring == "prose" else 1 + m * (m + 3) / 2
        assert (transcript.score, transcript.longest, transcript.breaks) == (closed, n, 0)


@pytest.mark.parametrize("restart", ["prose", "algorithm1"])
def test_all_wrong_breaks_once_a_segment(video, restart):
    transcript = run_chain(video(6), answer_by(lambda *_: False), restart, "prose")
    assert (transcript.score, transcript.longest, transcript.breaks) == (0, 0, 6)


@given(st.lists(st.booleans(), min_size=40, max_size=40), st.sampled_from(READINGS))
def test_nothing_later_is_shown_and_the_previous_answer_is_the_one_before(video, replies, reading):
    rest = iter(replies)
    transcript = run_chain(video(9), lambda ask: Answer("C" if next(rest) else "D"), *reading)
    for before, step in pairwise((None, *transcript.steps)):
        ask = step.ask
        i = ask.question.segment
        if ask.question.kind == "descriptive":
            assert [s.index for s in ask.shown] == [i]
            assert ask.previous is None
        else:
            assert [s.index for s in ask.shown] == [i - 1, i]
            assert before.right and ask.previous == before.ask.question


def test_isolated_questions_see_their_segment_alone_and_pairs_see_both(video):
    isolated = run_isolated(video(3), answer_by(lambda *_: True))
    assert [[s.index for s in step.ask.shown] for step in isolated] == [[1], [2], [2], [3], [3]]
    pairs = run_pairs(video(3), answer_by(lambda *_: True))
    assert [[s.index for s in step.ask.shown] for step in pairs] == [[1, 2], [2, 3]]
    assert {step.ask.question.kind for step in pairs} == {"causal"}
    assert all(step.ask.previous is None for step in (*isolated, *pairs))


def test_the_prompt_tells_the_previous_right_answer_and_nothing_of_later_questions(video):
    v = video(4)
    before = v.question(2, "causal")
    text = prompt(Ask(v, v.question(3, "causal"), "chain", v.segments[1:3], before))
    assert f"Earlier question: {before.question}\nIts right answer: {before.options['C']}\n" in text
    assert "Question: In v1, causal 3?\nA. v1-c3 option A\n" in text
    assert "segments 2 and 3" in text
    assert "causal 4" not in text and "descriptive" not in text


@pytest.mark.parametrize(
    ("raw", "choice"),
    [
        ("C", "C"),
        ("c", "C"),
        ("a", "A"),
        ("(C)", "C"),
        ("**C**", "C"),
        (" C.\n", "C"),
        ("Option C", "C"),
        ("C. The ball hit it.", "C"),
        ("C: a ball hit it", "C"),
        ("(C) the ball hit it", "C"),
        ("**C.** The ball hit it", "C"),
        ("A. A ball hit it.", "A"),
        ("Answer: C", "C"),
        ("**Answer:** C", "C"),
        ("ANSWER: C, for the ball came first.", "C"),
        ("The ball came first, so the answer is (C).", "C"),
        ("The correct answer is option C.", "C"),
        ("The answer is A because the ball came first.", "A"),
        ("My choice is C as the ball came first.", "C"),
        ("<think>Is it B or D?</think>\nC", "C"),
        ("A ball hit the mug.", None),
        ("Answer: A ball hit the mug.", None),
        ("The answer is a ball.", None),
        ("The answer is e.g. the ball.", None),
        ("C or D", None),
        ("C, D", None),
        ("C. No, D.", None),
        ("Answer: C. Or is the answer D?", None),
        ("The answer is not C.", None),
        ("Option C is wrong.", None),
        ("I have no choice. B", None),
        ("I am sure of it", None),
        ("I", None),
        ("J", None),
        ("CD", None),
        ("C3", None),
        ("", None),
        ("<think>The answer is C", None),
    ],
)
def test_an_answer_is_read_strictly(raw, choice):
    assert read_choice(raw) == choice


@given(st.text(max_size=60))
def test_any_text_is_a_letter_that_stands_in_it_or_nothing(raw):
    choice = read_choice(raw)
    assert choice is None or choice in raw.upper()


@given(
    st.sets(st.sampled_from("ABCDEFGH"), min_size=2), st.sampled_from([" or ", ", ", "\n", ". "])
)
def test_two_letters_are_never_an_answer(letters, joint):
    assert read_choice(joint.join(sorted(letters))) is None
    assert read_choice("Answer: " + joint.join(sorted(letters))) is None


@pytest.mark.parametrize(
    ("said", "settled"),
    [
        (Answer("B"), Answer("B")),
        (Answer(None, "(B)"), Answer("B", "(B)")),
        (Answer(None, "no idea"), Answer(None, "no idea", "unparsed")),
        (Answer(None), Answer(None, None, "unparsed")),
        (Answer("J"), Answer(None, None, "unparsed")),
        (Answer("B", "B", "truncated"), Answer(None, "B", "truncated")),
    ],
)
def test_what_no_choice_can_be_read_from_is_unparsed(said, settled):
    assert settle(said) == settled
