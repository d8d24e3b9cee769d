"""A pair of eyes, held against drawn videos in which what happens is known by construction."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from simworld.models import make_model, pixels
from simworld.models.base import Answer, Item, Span
from simworld.models.pixels import watch
from simworld.models.sentences import Clause, Noun, claimed_colors, read_clauses

RED, BLUE, GREEN, SAND = (205, 35, 35), (40, 90, 200), (45, 145, 60), (222, 200, 160)
FRAMES = 40
HIT = 15


def square(frame, color, x, y, side=20):
    frame[y : y + side, x : x + side] = color


def drawn():
    """Draw a red square that runs into a blue one at frame 15; blue slides off, and falls at 25.

    At frame 35 it lies in pieces; a green square stands apart.
    """
    frames = np.empty((FRAMES, 240, 320, 3), dtype=np.uint8)
    frames[:] = SAND
    for t, frame in enumerate(frames):
        square(frame, GREEN, 280, 200)
        square(frame, RED, 20 + 6 * min(t, HIT), 60)
        if t < 35:
            x, y = 130 + 4 * max(0, min(t, 25) - HIT), 60 + 14 * max(0, t - 25)
            square(frame, BLUE, x, y)
        else:
            for k in range(6):
                square(frame, BLUE, 130 + 12 * k, 200, 6)
    return frames


@pytest.fixture(autouse=True)
def video(monkeypatch):
    pixels._names.cache_clear()
    watch.cache_clear()
    monkeypatch.setattr(pixels, "read_frames", lambda path: drawn())
    yield
    pixels._names.cache_clear()
    watch.cache_clear()


def item(*options, shown, question="Which event happened?", **extra):
    return Item(
        benchmark="causalstep",
        question_id="q",
        mode="isolated",
        prompt="?",
        question=question,
        options=dict(zip("ABCDEFGH", options, strict=False)),
        video=Path("v.mp4"),
        shown=tuple(Span(k, *span) for k, span in enumerate(shown, 1)),
        previous_id=None,
        seed=(0, "q"),
        **extra,
    )


def choice(*options, shown, **extra):
    return make_model("pixel_tracker").answer(item(*options, shown=shown, **extra))


def test_things_are_found_by_color_and_followed():
    things = {thing.color: thing for thing in watch(Path("v.mp4"))}
    assert set(things) == {"red", "blue", "green"}
    assert things["red"].box_xyxy_px[0].tolist() == [20, 60, 40, 80]
    assert things["red"].center_xy_px[HIT] == pytest.approx([119.5, 69.5], abs=0.2)
    assert things["green"].change.max() == 0
    assert things["blue"].pieces[[0, 30, 36]].tolist() == [1, 1, 6]


def test_a_darker_light_does_not_change_a_colors_name(monkeypatch):
    pixels._names.cache_clear()
    monkeypatch.setattr(pixels, "read_frames", lambda path: (drawn() * 0.7).astype(np.uint8))
    assert {thing.color for thing in watch(Path("dark.mp4"))} == {"red", "blue", "green"}


def test_what_happened_in_a_segment_is_chosen():
    options = (
        "The red ball ran into the blue box.",
        "The green can fell over.",
        "The red ball never touched the blue box.",
        "The blue box was blue in colour.",
        "The green can hit the red ball.",
    )
    assert choice(*options, shown=[(HIT - 2, 22)]) == Answer("A")
    fell = "The blue box fell.", "The red ball fell.", "The blue box stayed up.", options[4]
    assert choice(*fell, shown=[(25, 34)]) == Answer("A")
    broke = "The blue box broke into pieces.", "The green can broke into pieces.", *fell[1:]
    assert choice(*broke, shown=[(33, 40)]) == Answer("A")


def test_an_unnamed_color_is_what_moves_and_is_not_claimed_by_another_name():
    options = "The mug fell off the table.", "The red ball fell.", "The green can fell over."
    assert choice(*options, shown=[(25, 34)]) == Answer("A")


def test_only_what_is_shown_is_looked_at(monkeypatch):
    frames = drawn()
    frames[20:] = 0  # whatever is there
    monkeypatch.setattr(pixels, "read_frames", lambda path: frames)
    options = "The red ball ran into the blue box.", "The blue box fell.", "The green can fell."
    assert choice(*options, shown=[(10, 20)]) == Answer("A")
    assert {t.frames.max() for t in watch(Path("v.mp4"), ((10, 20),))} == {19}
    assert watch(Path("v.mp4"), ((5, 5),)) == ()


def test_asked_for_a_scene_it_names_the_first_in_which_it_begins():
    asked = item(
        "Scene 1", "Scene 2", "Scene 3",
        shown=[(0, 13), (13, 25), (25, 34)],
        question="Which scene of video 1 shows the start of this: the blue box falls?",
    )  # fmt: skip
    asked = dataclasses.replace(
        asked,
        benchmark="causal2needles",
        mode="1needle_noncausal_forward",
        options={str(k): f"Scene {k}" for k in (1, 2, 3)},
    )
    assert make_model("pixel_tracker").answer(asked) == Answer("3")


def test_played_backwards_the_last_frame_comes_first():
    [red] = [t for t in watch(Path("v.mp4"), ((0, 10),), True) if t.color == "red"]
    assert red.frames[0] == 9
    assert red.center_xy_px[0, 0] > red.center_xy_px[-1, 0]


def test_sentences_are_read_as_statements_with_their_denials():
    ball, mug = Noun("red", "ball"), Noun(None, "mug")
    assert read_clauses("The red ball ran into the mug.") == [Clause("touch", (ball, mug), False)]
    assert read_clauses("The red ball never touched the mug.")[0].denied
    assert read_clauses("The mug fell, but the red ball stayed up.") == [
        Clause("fall", (mug,), False),
        Clause("fall", (ball,), True),
    ]
    assert read_clauses("The mug was made of glass and fell after the red ball moved.") == [
        Clause("stand", (mug,), False, material="glass"),
        Clause("fall", (mug,), False),
        Clause("move", (ball,), False, "after"),
    ]
    [stood] = read_clauses("It stood where the red ball had pushed it.", mug)
    assert (stood.verb, stood.nouns) == ("stand", (mug, ball))


def test_of_two_things_told_both_have_to_fit():
    options = (
        "The blue box fell, and the red ball fell.",
        "The blue box fell, but the green can never fell.",
        "The green can fell, and a rug lay on the floor.",
        "The blue box broke into pieces, and a rug lay on the floor.",
    )
    assert choice(*options, shown=[(25, 34)]) == Answer("B")


def test_a_name_is_one_thing_in_all_that_is_told_of_it():
    options = "The mug was made of steel and fell.", "The mug was made of glass and fell."
    assert choice(*options, "The red ball fell.", shown=[(25, 34)]) == Answer("B")


def test_colors_are_claimed_by_the_names_that_they_stand_before():
    texts = "The red ball hit the mug.", "The green ball fell.", "The mug broke."
    assert claimed_colors(texts) == {"ball": {"red", "green"}, "mug": set()}


def test_the_dark_side_of_a_thing_is_no_thing_of_its_own(monkeypatch):
    def shaded():
        frames = drawn()
        frames[:, 70:90, 20:23] = (88, 30, 26)  # beside the red square, as it stands at first
        frames[:, 60:80, 17:20] = (126, 60, 48)
        return frames

    monkeypatch.setattr(pixels, "read_frames", lambda path: shaded())
    assert {thing.color for thing in watch(Path("v.mp4"))} == {"red", "blue", "green"}


def test_what_touches_and_does_not_move_has_not_just_hit():
    options = "The red ball hit the blue box.", "The blue box fell.", "The green can stayed up."
    assert choice(*options, shown=[(HIT, 24)]) == Answer("A")
    assert choice(*options, shown=[(25, 34)]) == Answer("B")  # red lies where it stopped
