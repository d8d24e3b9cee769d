"""How an answer is read; every outcome is the authors'."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.benchmarks.causal2needles.protocol import (
    names_scene,
    read_letter,
    read_scenes,
    settle,
)
from simworld.models.base import Answer
from tests.benchmarks.causal2needles.making import ask


def judge(task, output, right):
    step = settle(ask(task, right), Answer(None, output))
    return step.answer.status, step.right


@pytest.mark.parametrize(
    ("output", "right", "status"),
    [
        ("3", True, "ok"),
        ("3\n", True, "ok"),
        (" Scene 3.", True, "ok"),
        ("**3**", True, "ok"),
        ("scene-3", True, "ok"),
        ("3.5", True, "ok"),
        ("not 3 but 4", True, "ok"),
        ("1, 2, 3, 4, 5, 6, 7", True, "ok"),
        ("There are 3 balls in scene 8", True, "ok"),
        ("4", False, "ok"),
        ("13", False, "ok"),
        ("33", False, "ok"),
        ("03", False, "ok"),
        ("Scene3", False, "unparsed"),
        ("3rd", False, "unparsed"),
        ("Scene_3", False, "unparsed"),
        ("three", False, "unparsed"),
        ("", False, "unparsed"),
        ("\n", False, "unparsed"),
    ],
)
@pytest.mark.parametrize("task", ["1needle", "1needle_noncausal"])
def test_a_scene_counts_wherever_its_number_stands(task, output, right, status):
    assert judge(task, output, ("3",)) == (status, (right,))


@pytest.mark.parametrize(
    ("output", "scenes"),
    [
        ("Scene 7 for Part 1 and Scene 2 for Part 2.", (7, 2)),
        ("Scene 2 for Part 2 and Scene 7 for Part 1.", (7, 2)),
        ("Scene 7 for Part 1 and Scene 2 for Part 2.\n\n", (7, 2)),
        ("Scene 7 for Part 1, no, Scene 8 for Part 1", (7, None)),
        ("Scene 07 for Part 1", (7, None)),
        ("Scene 7 for Part 12", (7, None)),
        ("MyScene 7 for Part 1", (7, None)),
        ("scene 7 for part 1 and Scene 2 for Part 2", (None, 2)),
        ("Scene 7 for part 1", (None, None)),
        ("Scene  7 for Part 1", (None, None)),
        ("Scenes 7 and 2", (None, None)),
        ("Part 1: Scene 7", (None, None)),
        ("Scene -7 for Part 1", (None, None)),
        ("Scene 7.5 for Part 1", (None, None)),
        ("7, 2", (None, None)),
        ("", (None, None)),
        ("Scene " + "9" * 5000 + " for Part 1", (None, None)),
    ],
)
def test_two_scenes_are_read_from_the_form_asked_for_alone(output, scenes):
    assert read_scenes(output) == scenes


@pytest.mark.parametrize(
    ("output", "status", "right"),
    [
        ("Scene 8 for Part 1 and Scene 4 for Part 2.", "ok", (True, True)),
        ("Scene 4 for Part 1 and Scene 8 for Part 2.", "ok", (False, False)),
        ("Scene 08 for Part 1", "ok", (True, False)),
        ("Scene 4 for Part 2", "ok", (False, True)),
        ("8 and 4", "unparsed", (False, False)),
    ],
)
def test_each_part_counts_by_itself(output, status, right):
    assert judge("2needle_vg", output, ("8", "4")) == (status, right)


@pytest.mark.parametrize(
    ("output", "letter"),
    [
        ("B", "B"),
        ("(B)", "B"),
        ("B.", "B"),
        ("B. Blue\n", "B"),
        ("The answer is B", "B"),
        ("**B**", "B"),
        ("B or C", "B"),
        ("Not C. B.", "C"),
        ("A blue thing", "A"),
        ("A beam of light: B", "A"),
        ("D'Artagnan", "D"),
        ("the USA. B", "A"),
        ("E.", None),
        ("(E)", None),
        ("b", None),
        ("Blue", None),
        ("B2", None),
        ("", None),
    ],
)
def test_a_letter_is_the_first_that_stands_alone(output, letter):
    assert read_letter(output) == letter
    status = "unparsed" if letter is None else "ok"
    assert judge("2needle_id", output, ("B",)) == (status, (letter == "B",))


@pytest.mark.parametrize("status", ["refused", "truncated", "error"])
def test_words_with_another_status_are_wrong_and_keep_it(status):
    step = settle(ask(), Answer(None, "3", status))
    assert (step.answer.status, step.right) == (status, (False,))


@given(st.text(), st.integers(1, 27))
def test_a_number_that_is_found_stands_in_the_text_between_no_letters_or_digits(text, scene):
    around = text.split(str(scene))
    free = [
        not (left[-1:].isalnum() or left[-1:] == "_" or right[:1].isalnum() or right[:1] == "_")
        for left, right in pairwise(around)
    ]
    if names_scene(text, str(scene)):
        assert any(free) or len(str(scene)) > 1
        assert judge("1needle", text, (str(scene),)) == ("ok", (True,))
    else:
        assert not any(free)
        assert judge("1needle", text, (str(scene),))[1] == (False,)


words_around = st.text(st.characters(exclude_characters="S"))


@given(words_around, st.integers(0, 10**30), words_around, st.integers(0, 10**30), words_around)
def test_the_form_is_read_whatever_stands_around_it(before, first, between, second, after):
    text = f"{before}Scene {first} for Part 1{between}Scene {second} for Part 2{after}"
    assert read_scenes(text) == (first, second)


@given(st.text(st.sampled_from("ABCDEFabcd().' \n1")))
def test_a_letter_that_is_read_stands_in_the_text_and_a_lone_one_is_read(text):
    letter = read_letter(text)
    assert letter is None or (letter in set("ABCD") and letter in text)
    if letter is None:
        assert not any(c in text.split() or f"({c})" in text or f"{c}." in text for c in "ABCD")


@given(st.text(), st.sampled_from(["1needle", "2needle_vg", "2needle_id"]))
def test_any_text_gets_a_verdict(text, task):
    right = {"1needle": ("3",), "2needle_vg": ("8", "4"), "2needle_id": ("B",)}[task]
    status, parts = judge(task, text, right)
    assert status in ("ok", "unparsed") and len(parts) == len(right)
    assert status == "ok" or not any(parts)
