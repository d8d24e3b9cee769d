"""Whether the plank tips is a matter of weight, which the lever's law decides and nobody sees."""

from functools import partial

import numpy as np
import pytest

from simworld.causal import verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate

SCENE = load_scene("seesaw")
CONTEXT = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, "white_start": "early"})
CHAIN = ("press", "drop", "tip", "slide")


def rolled(**levels: str) -> Rollout:
    return simulate(SCENE.world(CONTEXT.at(levels), FACTUAL), "end")


def heavy() -> Rollout:
    return rolled(box_mass="heavy")


@pytest.fixture(scope="module")
def factual(workers):
    return workers.call(rolled)


@pytest.fixture(scope="module")
def weighted(workers):
    return workers.call(heavy)


@pytest.fixture(scope="module")
def found(factual):
    known = verdicts(SCENE.scm, partial(SCENE.scm.evaluate, CONTEXT.levels), factual.outcome.onsets)
    return {(v.cause, v.effect): v for v in known}


@pytest.mark.parametrize("cause", CHAIN[:-1])
def test_each_link_is_a_but_for_cause_of_the_slide_and_the_decoy_is_none(found, cause):
    assert found[cause, "slide"].but_for and found[cause, "slide"].role == "trigger"
    assert not found["knock", cause].actual and not found["knock", "slide"].actual


def test_the_light_box_enables_the_tipping_and_not_the_drop(found):
    assert found["light_box", "tip"].role == "enabling_condition"
    assert not found["light_box", "drop"].actual
    assert found["loaded", "drop"].role == "enabling_condition"


def turn_deg(rollout: Rollout) -> np.ndarray:
    plank = rollout.states[:, rollout.index("plank")]
    return np.degrees(2 * np.arctan2(np.abs(plank[:, 4]), plank[:, 6]))


def test_it_tips_until_its_end_is_on_the_floor(factual):
    """The end's lower edge: 0.5 sin a + 0.012 cos a = 0.16, so that a is 17.2 degrees."""
    assert turn_deg(factual)[: factual.outcome.onsets["drop"]].max() < 0.1
    assert turn_deg(factual)[-1] == pytest.approx(17.2, abs=0.3)


def test_with_a_heavy_box_the_same_is_seen_until_the_brick_is_on_the_plank(factual, weighted):
    drop = factual.outcome.onsets["drop"]
    assert weighted.outcome.onsets["drop"] == drop
    assert weighted.outcome.values["tip"] == 0
    assert turn_deg(weighted).max() < 5.0
    for name in ("plank", "box", "brick", "hatch", "white_ball", "yellow_ball"):
        one, other = (r.states[:drop, r.index(name), :3] for r in (factual, weighted))
        assert np.abs(one - other).max() < 1e-3, name


def test_the_lever_would_say_so_too():
    """Torques about the pivot: the brick's 0.5 kg at 0.40 m, the box's at 0.38 m."""
    for level, tips in (("light", True), ("heavy", False)):
        spec = SCENE.world(CONTEXT.at({"box_mass": level}), FACTUAL)
        brick, box = spec.body("brick"), spec.body("box")
        assert (brick.mass_kg * 0.40 > box.mass_kg * 0.38) == tips
