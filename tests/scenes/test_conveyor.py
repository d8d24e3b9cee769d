"""One belt drops two boxes: the first fall is no cause of the second, the button is one of both."""

from functools import partial

import numpy as np
import pytest

from simworld.causal import Intervention, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate

SCENE = load_scene("conveyor")
CONTEXT = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, "yellow_start": "late"})


def rolled(do: Intervention) -> Rollout:
    return simulate(SCENE.world(CONTEXT, do), "settled")


@pytest.fixture(scope="module")
def factual(workers):
    return workers.call(rolled, FACTUAL)


@pytest.fixture(scope="module")
def found(factual):
    known = verdicts(SCENE.scm, partial(SCENE.scm.evaluate, CONTEXT.levels), factual.outcome.onsets)
    return {(v.cause, v.effect): v for v in known}


@pytest.mark.parametrize("effect", ["blue_fall", "red_fall", "impact"])
def test_the_button_is_a_but_for_cause_of_both_falls(found, effect):
    assert found["press", effect].but_for and found["press", effect].role == "trigger"


def test_the_falls_are_siblings_and_what_comes_just_before_is_no_cause(found, factual):
    assert found["blue_fall", "red_fall"].role == "common_cause_sibling"
    onsets = factual.outcome.onsets
    assert onsets["blue_fall"] < onsets["knock"] < onsets["red_fall"]
    assert found["knock", "red_fall"].role == "temporal_predecessor"
    assert found["on_belt", "red_fall"].role == "enabling_condition"
    assert found["on_belt", "blue_fall"].role == "unrelated"


def test_the_boxes_ride_at_the_belts_speed_and_the_belt_stays(factual):
    belt, red, blue = (
        factual.states[:, factual.index(name)] for name in ("belt", "red_box", "blue_box")
    )
    assert len(np.unique(belt, axis=0)) == 1
    start = factual.starts[0].step
    assert start == factual.outcome.onsets["press"]
    for box in (red, blue):
        assert np.abs(box[: start + 1, 7]).max() < 1e-6
        assert box[start + 50 : start + 80, 7] == pytest.approx(np.full(30, 0.55), abs=0.02)


def test_a_box_that_is_held_on_the_belt_disturbs_no_bit_of_the_other(workers, factual):
    held = workers.call(rolled, Intervention.of({"blue_fall": 0}))
    assert (held.outcome.values["blue_fall"], held.outcome.values["red_fall"]) == (0, 1)
    until = factual.outcome.onsets["red_fall"]
    one, other = (r.states[:until, r.index("red_box")] for r in (factual, held))
    assert np.array_equal(one, other)
