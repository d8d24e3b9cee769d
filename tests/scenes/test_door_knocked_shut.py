"""Double prevention: what stops the stopper is a cause, though it touches nothing of the effect.

Hall, Two concepts of causation (2004): Suzy bombs, Enemy would have shot her down, Billy shoots
Enemy down; Halpern, Actual Causality (2016), example 2.3.8: Billy's shot is a but-for cause.
"""

from functools import partial

import numpy as np
import pytest

from simworld.causal import Intervention, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.closure import moving_bodies, reached
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate

SCENE = load_scene("door_knocked_shut")
CONTEXT = SCENE.draw(0, "train", 0, fixed=SCENE.showcase)
OUTCOME = ("vase_hit", "shatter")


def rolled(do: Intervention, **levels: str) -> Rollout:
    return simulate(SCENE.world(CONTEXT.at(levels), do), "settled")


def wedged() -> Rollout:
    return rolled(FACTUAL, wedge="present")


@pytest.fixture(scope="module")
def factual(workers):
    return workers.call(rolled, FACTUAL)


@pytest.fixture(scope="module")
def unshut(workers):
    return workers.call(rolled, Intervention.of({"knock": 0}))


@pytest.fixture(scope="module")
def found(factual):
    known = verdicts(SCENE.scm, partial(SCENE.scm.evaluate, CONTEXT.levels), factual.outcome.onsets)
    return {(v.cause, v.effect): v for v in known}


@pytest.mark.parametrize("effect", OUTCOME)
@pytest.mark.parametrize("cause", ["knock", "shut"])
def test_what_shut_the_door_is_a_but_for_cause_of_the_break(found, cause, effect):
    assert found[cause, effect].but_for and found[cause, effect].role == "trigger"
    assert found[cause, effect].directness == "indirect"


def test_the_door_prevents_the_box_and_so_would_the_box_the_hit(found):
    assert (found["shut", "cross"].role, found["shut", "cross"].directness) == (
        "preventer",
        "direct",
    )
    assert SCENE.scm.edge_role("shut", "cross") == "prevents"
    assert SCENE.scm.edge_role("cross", "vase_hit") == "prevents"


@pytest.mark.parametrize("effect", OUTCOME)
def test_what_was_kept_from_mattering_is_no_cause(found, effect):
    assert not found["box_push", effect].actual and not found["box_push", effect].part_of_cause
    assert not found["spill", effect].actual


def test_nothing_hands_the_knock_on_to_the_ball_or_the_vase(factual):
    """No chain of touches among moving bodies leads from the green ball to what it causes."""
    spec = SCENE.world(CONTEXT, FACTUAL)
    assert reached({"green_ball"}, moving_bodies([spec]), [factual]) == {
        "green_ball",
        "door",
        "box",
        "brick",
    }


def test_without_the_knock_the_box_comes_and_saves_the_vase(unshut):
    values = unshut.outcome.values
    assert (values["cross"], values["box_hit"], values["shatter"]) == (1, 1, 0)


def test_shut_the_door_lies_against_its_post_and_the_box_stays_behind_it(factual):
    door, box = (factual.states[-1, factual.index(name)] for name in ("door", "box"))
    assert np.degrees(2 * np.arccos(abs(door[6]))) == pytest.approx(90, abs=5)
    assert box[1] - 0.14 > 0.32


def test_a_wedge_undoes_what_the_knock_does(workers):
    values = workers.call(wedged).outcome.values
    assert (values["knock"], values["shut"], values["cross"], values["shatter"]) == (1, 0, 1, 0)


def test_over_a_door_that_is_shut_the_box_saves_the_vase_as_well(workers):
    values = workers.call(rolled, Intervention.of({"cross": 1})).outcome.values
    assert (values["shut"], values["cross"], values["box_hit"], values["shatter"]) == (1, 1, 1, 0)
