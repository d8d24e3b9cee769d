"""A chain through a mechanism: what opens the gate causes the fall; the gate's touch does not."""

from functools import partial

import numpy as np
import pytest

from simworld.causal import Intervention, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate

SCENE = load_scene("ramp_gate")
CHAIN = ("press", "open", "roll", "hit", "topple")


def rolled(do: Intervention, brick: str = "absent") -> Rollout:
    context = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, "brick": brick})
    return simulate(SCENE.world(context, do), "settled")


@pytest.fixture(scope="module")
def factual(workers):
    return workers.call(rolled, FACTUAL)


@pytest.fixture(scope="module")
def found(factual):
    levels = SCENE.draw(0, "train", 0, fixed=SCENE.showcase).levels
    known = verdicts(SCENE.scm, partial(SCENE.scm.evaluate, levels), factual.outcome.onsets)
    return {(v.cause, v.effect): v for v in known}


@pytest.mark.parametrize("cause", CHAIN[:-1])
def test_each_link_is_a_but_for_cause_of_the_fall_and_the_decoy_is_none(found, cause):
    assert found[cause, "topple"].but_for and found[cause, "topple"].role == "trigger"
    direct = "direct" if cause == "hit" else "indirect"
    assert found[cause, "topple"].directness == direct
    assert not found["knock", cause].actual and not found["knock", "topple"].actual


def test_the_clear_ramp_enables_the_hit_and_not_the_roll(found):
    assert found["clear_ramp", "hit"].role == "enabling_condition"
    assert not found["clear_ramp", "roll"].actual


def test_the_ball_leans_on_the_gate_and_starts_only_once_it_opens(factual):
    gate, ball = (factual.states[:, factual.index(name)] for name in ("gate", "ball"))
    start = factual.starts[0].step
    assert start == factual.outcome.onsets["press"]
    assert all(("ball", "gate") in [c[:2] for c in step] for step in factual.contacts[2:start])
    assert np.abs(ball[: start + 1, :3] - ball[0, :3]).max() < 1e-3
    assert gate[0, 2] - gate[-1, 2] == pytest.approx(0.8 * 42 / 240)


def test_a_brick_stops_the_ball_on_the_ramp(workers):
    outcome = workers.call(rolled, FACTUAL, "present").outcome
    assert (outcome.values["roll"], outcome.values["hit"]) == (1, 0)


def test_the_ball_can_be_brought_to_the_domino_over_a_gate_that_stays_up(workers):
    outcome = workers.call(rolled, Intervention.of({"open": 0, "hit": 1})).outcome
    assert not outcome.void
    assert (outcome.values["roll"], outcome.values["topple"]) == (0, 1)
