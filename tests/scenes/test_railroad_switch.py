"""Switching: a change of route is no cause of what happens either way.

Hall, Structural equations and causation (2007), the engineer at the switch; Halpern, Actual
Causality (2016), example 3.4.2 (railroad crossing): with one variable for the route the flip is
no cause of the arrival, with a variable for each track it is.
"""

from functools import partial

import pytest

from simworld.causal import SCM, Intervention, event, exogenous, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate

SCENE = load_scene("railroad_switch")
OUTCOME = ("hit", "slide")


def rolled(do: Intervention) -> Rollout:
    context = SCENE.draw(0, "train", 0, fixed=SCENE.showcase)
    return simulate(SCENE.world(context, do), "settled")


@pytest.fixture(scope="module")
def by_blue(workers):
    return workers.call(rolled, FACTUAL)


@pytest.fixture(scope="module")
def by_yellow(workers):
    return workers.call(rolled, Intervention.of({"route": 0}))


@pytest.fixture(scope="module")
def found(by_blue):
    levels = SCENE.draw(0, "train", 0, fixed=SCENE.showcase).levels
    known = verdicts(SCENE.scm, partial(SCENE.scm.evaluate, levels), by_blue.outcome.onsets)
    return {(v.cause, v.effect): v for v in known}


@pytest.mark.parametrize("effect", OUTCOME)
@pytest.mark.parametrize("cause", ["press", "route"])
def test_what_changes_the_route_is_no_cause_of_the_outcome(found, cause, effect):
    verdict = found[cause, effect]
    assert not verdict.but_for and not verdict.actual and not verdict.part_of_cause
    assert (verdict.role, verdict.directness) == ("temporal_predecessor", "none")


@pytest.mark.parametrize("effect", OUTCOME)
def test_the_push_is_a_cause_and_the_free_way_enables(found, effect):
    assert found["push", effect].but_for and found["push", effect].role == "trigger"
    assert found["clear_way", effect].role == "enabling_condition"
    assert found["press", "route"].but_for


def touched(rollout: Rollout, thing: str) -> bool:
    pairs = {frozenset(c[:2]) for step in rollout.contacts for c in step}
    return frozenset(("ball", thing)) in pairs


def test_the_ball_takes_the_track_that_the_switch_is_set_to(by_blue, by_yellow):
    assert touched(by_blue, "blue_out") and not touched(by_blue, "yellow_out")
    assert touched(by_yellow, "yellow_out") and not touched(by_yellow, "blue_out")


def test_it_comes_to_the_same_box_at_the_same_time_either_way(by_blue, by_yellow):
    onsets = [rollout.outcome.onsets for rollout in (by_blue, by_yellow)]
    assert "route" in onsets[0] and "route" not in onsets[1]
    assert all(abs(onsets[0][name] - onsets[1][name]) <= 5 for name in OUTCOME)


def test_the_switch_has_swung_before_the_ball_comes_to_it(by_blue):
    [start] = by_blue.starts
    first = next(
        step
        for step, contacts in enumerate(by_blue.contacts)
        if any({"ball", "blade"} == set(c[:2]) for c in contacts)
    )
    assert start.step + 48 < first < by_blue.outcome.onsets["hit"]


def test_told_with_a_variable_for_each_track_the_switch_would_be_a_cause():
    told = SCM.build(
        [
            exogenous("white", ("rolls", "rests")),
            exogenous("block", ("slides", "rests")),
            event("flip", "white == 'rolls'"),
            event("push", "block == 'slides'"),
            event("by_blue", "push and flip"),
            event("by_yellow", "push and not flip"),
            event("hit", "by_blue or by_yellow"),
        ]
    )
    context = {"white": "rolls", "block": "slides"}
    known = {(v.cause, v.effect): v for v in verdicts(told, partial(told.evaluate, context))}
    verdict = known["flip", "hit"]
    assert (verdict.but_for, verdict.actual) == (False, True)
    assert verdict.witness == {"by_yellow": 0}
