import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.benchmarks.causal2needles.prompts import choices, content, prompt, words
from simworld.benchmarks.causal2needles.protocol import (
    asks,
    draw_windows,
    frame_indices,
    frame_times_s,
    settle,
)
from simworld.benchmarks.causal2needles.schema import (
    Clip,
    Movie,
    Question,
    TwoParts,
    Window,
    read_folder,
)
from simworld.errors import InputError
from simworld.models.base import Answer
from tests.benchmarks.causal2needles.making import PARTS, ask, movie


@st.composite
def windows(draw):
    clips = draw(st.integers(2, 60))
    cause = draw(st.integers(0, clips - 2))
    effect = draw(st.integers(cause + 1, clips - 1))
    question = Question("Q?", cause, effect, PARTS)
    return question, Window.around(question, draw(st.integers(0, 5)), clips), clips


# What is shown


@given(windows())
def test_a_window_lies_in_the_movie_and_holds_both_needles(drawn):
    question, window, clips = drawn
    assert 0 <= window.first <= question.cause < question.effect <= window.last < clips
    assert window.first == question.cause - window.left
    assert len(window) <= question.distance + 6


@pytest.mark.parametrize("padding", range(6))
def test_the_padding_is_five_clips_where_the_movie_has_them(padding):
    assert Window.around(Question("Q?", 20, 26), padding, 60) == Window(
        padding, 20 - padding, 31 - padding
    )


@pytest.mark.parametrize(
    ("cause", "effect", "padding", "window"),
    [
        (0, 4, 5, Window(0, 0, 9)),  # cut before: what is cut comes after instead
        (2, 6, 4, Window(2, 0, 9)),
        (14, 18, 0, Window(0, 14, 19)),  # cut after: lost
        (0, 19, 3, Window(0, 0, 19)),
    ],
)
def test_a_window_is_cut_at_the_ends_as_the_authors_cut_it(cause, effect, padding, window):
    assert Window.around(Question("Q?", cause, effect), padding, 20) == window


def test_windows_are_drawn_by_name_and_seed_and_by_nothing_else():
    questions = [Question(f"Q{i}?", 20, 26) for i in range(300)]
    drawn = draw_windows([movie(60, one=questions)], seed=0)[0].windows
    lefts = [window.left for window in drawn.values()]
    assert all(abs(lefts.count(left) - 50) < 25 for left in range(6))  # 50 +- 4 sigma
    assert drawn == draw_windows([movie(60, one=questions)], seed=0)[0].windows
    assert drawn != draw_windows([movie(60, one=questions)], seed=1)[0].windows
    fewer = draw_windows([movie(60, one=questions[::-7], two=questions)], seed=0)[0].windows
    assert all(drawn[key] == fewer[key] for key in fewer if key[0] == "1needle")
    assert any(drawn["1needle", q.text] != fewer["2needle", q.text] for q in questions)


def test_five_frames_in_even_steps_half_a_second_inside():
    assert frame_times_s(Clip(3.0, 8.0)) == (3.5, 4.5, 5.5, 6.5, 7.5)
    assert frame_indices(Clip(3.0, 8.0), 12.5) == (43, 56, 68, 81, 93)
    assert frame_indices(Clip(0.0, 1.0), 29.97) == (14, 14, 14, 14, 14)


def test_a_clip_under_a_second_runs_backwards_and_one_without_footage_is_refused():
    assert frame_times_s(Clip(2.0, 2.5)) == (2.5, 2.375, 2.25, 2.125, 2.0)
    with pytest.raises(InputError, match=r"found 0 s to 0 s; leave out"):
        frame_indices(Clip(0.0, 0.0), 25)


# What is asked, and what is right


def runs(m, narration="in_place", seed=0):
    found = {}
    for a in asks(draw_windows([m], seed), narration):
        found.setdefault((a.task, a.order), []).append(a)
    return found


def test_every_task_is_asked_forward_and_visual_grounding_in_reverse_too(write_folder, sample):
    found = list(asks(read_folder(write_folder(sample))))
    assert [(a.task, a.order, a.question.text, a.right) for a in found] == [
        ("1needle_noncausal", "forward", "Who pushes?", ("1",)),
        ("1needle_noncausal", "forward", "Who falls?", ("10",)),
        ("1needle", "forward", "Why did it fall?", ("3",)),
        ("2needle_vg", "forward", "What service, and how?", ("8", "4")),
        ("2needle_vg", "reverse", "What service, and how?", ("3", "7")),
        ("2needle_id", "forward", "What service, and how?", ("B",)),
    ]
    assert found[3].shown == tuple(range(3, 13)) and found[4].shown == tuple(range(12, 2, -1))


@given(windows())
def test_the_right_scenes_are_the_needles_and_orders_mirror(drawn):
    question, window, clips = drawn
    m = movie(clips, two=[question])
    m = Movie(m.source, m.movie_id, m.clips, m.texts, m.questions, {("2needle", "Q?"): window})
    forward, reverse, _ = asks([m])
    for one in (forward, reverse):
        part1, part2 = (one.shown[int(right) - 1] for right in one.right)
        assert (part1, part2) == (question.effect, question.cause)
    for ours, mirrored in zip(forward.right, reverse.right, strict=True):
        assert int(ours) + int(mirrored) == len(window) + 1
    assert reverse.shown == forward.shown[::-1]


def targets(*pairs):
    """Say of each noncausal question that is asked which needle is its target."""
    m = movie(60, noncausal=[Question(f"Q{i}?", *pair) for i, pair in enumerate(pairs)])
    return [
        (a.question.text, "cause" if a.shown[int(a.right[0]) - 1] == a.question.cause else "effect")
        for a in runs(m).get(("1needle_noncausal", "forward"), [])
    ]


def test_of_questions_with_one_pair_the_first_is_about_the_cause_the_others_the_effect():
    assert [t for _, t in targets((1, 4), (1, 4), (2, 6), (2, 6))] == ["cause", "effect"] * 2
    assert [t for _, t in targets((1, 4), (1, 4), (1, 4))] == ["cause", "effect", "effect"]
    assert [t for _, t in targets((1, 4), (2, 6), (1, 4))] == ["cause"] * 3


def test_pairs_over_21_clips_are_not_asked_but_end_a_run_of_one_pair():
    assert targets((1, 22), (1, 23), (1, 22)) == [("Q0?", "cause"), ("Q2?", "cause")]
    assert targets((1, 23), (1, 23)) == []


def test_the_run_of_one_pair_starts_anew_with_each_movie():
    first = movie(60, noncausal=[Question("Q?", 1, 4)])
    found = list(asks(draw_windows([first, first], 0)))
    assert [a.shown[int(a.right[0]) - 1] for a in found] == [1, 1]


def test_causal_and_2needle_questions_over_21_clips_are_asked():
    far = Question("Q?", 1, 40)
    assert len(runs(movie(60, one=[far]))["1needle", "forward"]) == 1
    far = Question("Q?", 1, 40, PARTS)
    assert set(runs(movie(60, two=[far]))) == {
        ("2needle_vg", "forward"), ("2needle_vg", "reverse"), ("2needle_id", "forward"),
    }  # fmt: skip


def test_a_question_without_a_window_is_refused():
    with pytest.raises(InputError, match=r"yms/0001, 1needle: expected a window for 'Q\?'"):
        list(asks([movie(one=[Question("Q?", 1, 4)])]))


# The narration


def contexts(narration):
    def parts(tag):
        return TwoParts(f" C{tag}. ", f"E{tag}.", "", "A", "", "")

    two = [
        Question("Q0?", 0, 3, parts(0)),
        Question("Q1?", 1, 4, parts(1)),
        Question("Q2?", 0, 4, parts(2)),
    ]
    return runs(movie(5, one=[Question("Q?", 0, 3)], two=two), narration)


def test_replaced_sentences_stay_replaced_for_later_questions_of_the_run():
    found = contexts("in_place")
    for run in (("2needle_vg", "forward"), ("2needle_vg", "reverse"), ("2needle_id", "forward")):
        assert [a.context for a in found[run]] == [
            "C0. Sentence 1. Sentence 2. E0. Sentence 4.",
            "C0. C1. Sentence 2. E0. E1.",
            "C2. C1. Sentence 2. E0. E2.",
        ]


def test_on_a_copy_each_question_replaces_its_own_sentences_alone():
    found = contexts("copy")
    assert [a.context for a in found["2needle_vg", "forward"]] == [
        "C0. Sentence 1. Sentence 2. E0. Sentence 4.",
        "Sentence 0. C1. Sentence 2. Sentence 3. E1.",
        "C2. Sentence 1. Sentence 2. Sentence 3. E2.",
    ]


def test_1needle_questions_see_the_narration_untouched_and_unstripped():
    for narration in ("in_place", "copy"):
        assert contexts(narration)["1needle", "forward"][0].context == " ".join(
            f" Sentence {i}. " for i in range(5)
        )


def test_a_narration_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="narration to be one of in_place, copy, found 'both'"):
        asks([], "both")


# The prompts


def test_a_prompt_has_the_story_the_question_and_the_suffix_of_its_layout():
    one = prompt(ask())
    assert one.endswith("Context: Story.\nQuestion: Q?\n\nAnswer:\n")
    assert prompt(ask(), "prompt_first").endswith("Q?\n\nIndex number of the scene:\n")
    two = prompt(ask("2needle_vg", ("8", "4")), "prompt_first")
    assert "'Scene 7 for Part 1 and Scene 2 for Part 2.'\nContext: Story.\n" in two
    assert two.endswith("\nPart 1: P1?\nPart 2: P2?\n\nIndex number of the scene:\n")
    for layout in ("labelled", "prompt_first"):
        image = prompt(ask("2needle_id", ("B",)), layout)
        assert image.endswith("Question: P1 P2 A. a B. b C. c D. d\n\nAnswer:\n")
        assert "P1?" not in image and "Q?" not in image


def test_rev_stands_in_the_reverse_prompt_alone():
    vg = ("2needle_vg", ("8", "4"))
    assert "rev" in prompt(ask(*vg, order="reverse"))
    for other in (ask(), ask("1needle_noncausal"), ask(*vg), ask("2needle_id", ("B",))):
        assert "rev" not in prompt(other) and "rev" not in prompt(other, "prompt_first")


def test_scenes_come_labelled_before_the_prompt_or_bare_after_it():
    a = ask("2needle_vg", ("1", "2"), "reverse", Window(0, 5, 7))
    assert content(a) == ("Scene 1: ", 7, "Scene 2: ", 6, "Scene 3: ", 5, prompt(a))
    assert content(a, "prompt_first") == (prompt(a, "prompt_first"), 7, 6, 5)


@pytest.mark.parametrize(
    ("task", "right", "many"), [("1needle", ("3",), 10), ("2needle_vg", ("8", "4"), 100)]
)
def test_of_all_answers_that_can_be_given_just_one_is_right(task, right, many):
    a = ask(task, right)
    said = choices(a)
    assert len(said) == len(set(said)) == many
    assert [s for s in said if all(settle(a, Answer(s)).right)] == [words(a, right)]


def test_a_choice_without_words_is_read_as_words_are():
    image = ask("2needle_id", ("B",))
    assert [all(settle(image, Answer(c)).right) for c in choices(image)] == [0, 1, 0, 0]
