"""Wrappers take information away: what the base model is handed, and what it answers then."""

import dataclasses
from fractions import Fraction
from pathlib import Path

import pytest

from simworld.claims import parse
from simworld.errors import NotRegisteredError
from simworld.models import make_model, wrappers
from simworld.models.base import Answer, Claims, Event, Item, Span, Truth
from simworld.video import VideoFacts

EVENTS = tuple(
    Event(name, name, name, ("mug",), frame, 20 * frame)
    for name, frame in [("bump", 5), ("slide", 15), ("fall", 25)]
)
ITEM = Item(
    benchmark="causalstep",
    question_id="q",
    mode="chain",
    prompt="The prompt.",
    question="Why?",
    options=dict.fromkeys("AB", "?"),
    video=Path("v.mp4"),
    shown=(Span(1, 0, 10), Span(2, 10, 20)),
    previous_id=None,
    seed=(0, "q"),
    claims=Claims(EVENTS, {"A": parse("trigger(bump, slide)"), "B": parse("trigger(fall, slide)")}),
    truth=Truth("A", cause_s=(0.5, 0.7), effect_s=(1.0, 2.0)),
    captions=("A ball bumps it.", "It slides."),
)


class Base:
    name = "base"
    sees = "claims"

    def answer(self, item):
        self.item = item
        return Answer("A")


@pytest.fixture(autouse=True)
def video(monkeypatch):
    facts = VideoFacts(320, 240, Fraction(10), 30)
    monkeypatch.setattr(wrappers, "_facts", lambda path: facts)


@pytest.fixture
def handed(monkeypatch):
    """Return what a base model is handed through a wrapper."""

    def through(name, item=ITEM):
        base = Base()
        monkeypatch.setattr(wrappers, "make_model", lambda text: base)
        assert make_model(f"{name}:base").answer(item) == Answer("A")
        return base.item

    return through


def frames(item):
    return [(span.index, span.start_frame, span.stop_frame) for span in item.shown]


def names(item):
    return [event.event for event in item.claims.events]


@pytest.mark.parametrize(
    ("name", "shown", "events"),
    [
        ("caption_only", [(1, 0, 0), (2, 10, 10)], []),
        ("single_frame", [(1, 0, 0), (2, 15, 16)], ["slide"]),
        ("current_segment", [(2, 10, 20)], ["slide"]),
        ("full_video", [(1, 0, 10), (2, 10, 20), (0, 20, 30)], ["bump", "slide", "fall"]),
        ("shuffled_segments", [(1, 10, 20), (2, 0, 10)], ["bump", "slide"]),
        ("reversed_clips", [(1, 0, 10), (2, 10, 20)], ["bump", "slide", "fall"]),
        ("mute_cause", [(1, 0, 5), (1, 7, 10), (2, 10, 20)], ["slide"]),
        ("mute_effect", [(1, 0, 10), (2, 10, 10)], ["bump"]),
    ],
)
def test_the_base_sees_these_frames_and_the_events_in_them(handed, name, shown, events):
    seen = handed(name)
    assert frames(seen) == shown
    assert names(seen) == events
    assert seen.truth is None


def test_captions_are_read_where_no_picture_is_seen(handed):
    seen = handed("caption_only")
    assert seen.prompt == "A ball bumps it. It slides.\nThe prompt."
    assert seen.question == "A ball bumps it. It slides. Why?"


def test_played_backwards_the_last_comes_first(handed):
    seen = handed("reversed_clips")
    assert seen.backwards
    assert max(seen.claims.events, key=lambda event: event.start_step).event == "bump"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("caption_only", [(0, 0, 0)]),
        ("single_frame", [(0, 15, 16)]),
        ("current_segment", [(0, 0, 30)]),
        ("mute_cause", [(0, 0, 5), (0, 7, 30)]),
        ("mute_effect", [(0, 0, 10), (0, 20, 30)]),
    ],
)
def test_a_benchmark_that_shows_the_whole_video_is_cut_as_well(handed, name, shown):
    assert frames(handed(name, dataclasses.replace(ITEM, shown=()))) == shown


def test_a_whole_video_is_shuffled_in_quarters(handed):
    seen = frames(handed("shuffled_segments", dataclasses.replace(ITEM, shown=())))
    quarters = [(0, 7), (7, 15), (15, 22), (22, 30)]
    assert sorted(span[1:] for span in seen) == quarters
    assert [span[1:] for span in seen] != quarters


def test_wrapped_perception_loses_what_it_is_not_shown():
    whole = make_model("perception").answer(ITEM)
    assert whole == Answer("A")  # the fall is not shown, the bump is
    guesses = {
        make_model("mute_cause:perception").answer(dataclasses.replace(ITEM, seed=(s, "q"))).choice
        for s in range(40)
    }
    assert guesses == {"A", "B"}


def test_a_wrapper_names_its_base_and_sees_what_it_sees():
    wrapped = make_model("single_frame:mute_cause:perception")
    assert (wrapped.name, wrapped.sees) == ("single_frame:mute_cause:perception", "claims")
    with pytest.raises(NotRegisteredError, match="did you mean perception"):
        make_model("single_frame:percption")


def test_a_wrapper_around_one_that_must_know_what_to_hide_hands_the_truth_on():
    def answers(name):
        items = (dataclasses.replace(ITEM, seed=(s, "q")) for s in range(40))
        return {make_model(name).answer(item).choice for item in items}

    assert answers("reversed_clips:perception") == {"A"}
    assert answers("reversed_clips:mute_cause:perception") == {"A", "B"}
