"""Events by the names of things: from when to when, who with whom."""

import pytest

from simworld.clock import frame_span
from simworld.events import events_of
from simworld.scene import load_scene
from simworld.truth import Event
from tests.worlds import cup_context, cup_rollout

CUP = load_scene("falling_cup")
STEPS_PER_FRAME = 20
CONTEXTS = {
    "all happens": cup_context(),
    "rug": cup_context(floor="rug"),
    "steel": cup_context(mug_material="steel"),
    "rail": cup_context(rail="present"),
    "far": cup_context(edge_gap="far"),
    "rests": cup_context(ball="rests", book="present"),
}


@pytest.fixture(scope="module")
def rollouts(workers):
    return dict(zip(CONTEXTS, workers.map(cup_rollout, CONTEXTS.values()), strict=True))


@pytest.fixture(scope="module")
def told(rollouts):
    return {
        name: events_of(CUP, CONTEXTS[name], rollouts[name], STEPS_PER_FRAME) for name in CONTEXTS
    }


def of(events: tuple[Event, ...], name: str) -> Event:
    (found,) = [event for event in events if event.name == name]
    return found


@pytest.mark.parametrize("name", CONTEXTS)
def test_every_variable_that_occurred_is_one_event_at_its_onset(told, rollouts, name):
    onsets = {e.variable: e.start_step for e in told[name] if e.variable is not None}
    assert onsets == rollouts[name].outcome.onsets


@pytest.mark.parametrize("name", CONTEXTS)
def test_spans_are_half_open_in_order_and_within_the_clip(told, rollouts, name):
    starts = [event.start_step for event in told[name]]
    assert starts == sorted(starts)
    for event in told[name]:
        assert 0 <= event.start_step < event.stop_step <= rollouts[name].steps + 1
        start, stop = frame_span(event.start_step, event.stop_step, STEPS_PER_FRAME)
        assert (event.start_frame, event.stop_frame) == (start, min(stop, 42))
        assert event.start_frame < event.stop_frame


def test_each_kind_is_told_apart(told):
    kinds = {e.variable: e.kind for e in told["all happens"] if e.variable}
    assert kinds == {
        "knock": "hit",
        "bump": "hit",
        "slide": "slide",
        "fall": "fall",
        "impact": "hit",
        "shatter": "break",
    }


def test_who_takes_part_is_told_the_acting_one_first(told):
    events = told["all happens"]
    assert of(events, "bump").participants == ("ball", "mug")
    assert of(events, "knock").participants == ("green_ball", "yellow_box")
    assert of(events, "impact").participants == ("mug", "floor")
    assert of(events, "shatter").participants == ("mug",)


def test_a_mug_that_lands_on_the_rug_did_not_hit_the_floor(told):
    assert of(told["rug"], "impact").participants == ("mug", "rug")


def test_a_slide_ends_where_the_fall_begins_and_a_fall_where_it_lands(told):
    events = told["all happens"]
    assert of(events, "slide").stop_step == of(events, "fall").start_step
    assert of(events, "fall").stop_step == of(events, "impact").start_step


@pytest.mark.parametrize("name", ["rail", "far"])
def test_a_slide_to_rest_ends_when_the_mug_moves_no_more(told, rollouts, name):
    """Against the rail it trembles on the spot to the end of the clip."""
    slide, rollout = of(told[name], "slide"), rollouts[name]
    place = rollout.states[:, rollout.index("mug"), :3]
    assert abs(place[slide.stop_step :] - place[-1]).max() < 0.005
    gone = place[slide.start_step : slide.stop_step] - place[slide.start_step]
    assert abs(gone).max() > 0.005


def test_other_contacts_are_hits_or_rests_of_two_things(told):
    rail = told["rail"]
    hit = of(rail, "hit(mug, rail)")
    assert (hit.variable, hit.kind, hit.participants) == (None, "hit", ("mug", "rail"))
    assert of(rail, "slide").start_step < hit.start_step
    rest = of(told["rests"], "rest(book, table)")
    assert rest.start_step <= 2
    assert rest.stop_step == 841
    assert rest.stop_frame == 42


def test_no_contact_is_told_twice(told):
    """What a variable stands for is no hit besides."""
    names = {event.name for event in told["all happens"]}
    assert "hit(ball, mug)" not in names
    assert "hit(green_ball, yellow_box)" not in names
    spans = [(e.participants, e.start_step) for e in told["all happens"] if e.kind == "hit"]
    assert len(spans) == len(set(spans))


def test_parts_of_one_thing_and_shards_are_named_as_the_thing(told):
    things = {body.object_name for body in CUP.build(CONTEXTS["rests"]).bodies}
    for events in told.values():
        for event in events:
            assert set(event.participants) <= things
            assert "#" not in event.name and "leg" not in event.name


def test_what_no_frame_shows_is_no_event(rollouts):
    """Frames of 200 steps: 0, 200, 400, 600 and 800."""
    onsets = rollouts["all happens"].outcome.onsets
    events = events_of(CUP, CONTEXTS["all happens"], rollouts["all happens"], 200)
    assert all(0 <= e.start_frame < e.stop_frame <= 5 for e in events)
    assert {e.start_frame for e in events if e.variable == "impact"} == {3}
    assert 400 < onsets["impact"] <= 600
    assert [e.name for e in events if e.start_step > 800] == []
