"""A causes B, B causes C, A does not cause C.

Hitchcock, The intransitivity of causation (2001): the boulder, the hiker who ducks.
"""

from functools import partial

import pytest

from simworld.causal import Intervention, Verdict, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate

SCENE = load_scene("broken_transitivity")


def found(**levels: str) -> dict[tuple[str, str], Verdict]:
    evaluate = partial(SCENE.scm.evaluate, {**SCENE.showcase, **levels})
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate)}


def outcome(intervention: Intervention = FACTUAL, **levels: str) -> Outcome:
    at = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})
    return simulate(SCENE.world(at, intervention), "settled").outcome


@pytest.mark.parametrize("effect", ["hit", "shatter"])
def test_a_causes_b_and_b_prevents_c_and_a_does_not(effect):
    roles = found()
    assert (roles["press", "shut"].role, roles["press", "shut"].but_for) == ("trigger", True)
    assert (roles["shut", effect].role, roles["shut", effect].but_for) == ("preventer", True)
    for cause in ("push", "press"):
        verdict = roles[cause, effect]
        assert (verdict.actual, verdict.part_of_cause, verdict.responsibility) == (False, False, 0)
        assert verdict.directness == "none"


def test_without_the_cord_the_same_ball_is_a_cause_of_the_hit():
    roles = found(cord="missing")
    assert roles["press", "hit"].role == roles["push", "shatter"].role == "trigger"
    assert roles["shut", "hit"].role == "omission"


def test_the_edges_say_that_the_plate_both_triggers_the_hit_and_the_gate():
    role = SCENE.scm.edge_role
    assert role("press", "shut") == role("press", "hit") == "triggers"
    assert role("shut", "hit") == "prevents" and role("wired", "shut") == "enables"


def test_so_it_is_in_physics(workers):
    def hit(**do: int) -> int:
        return workers.call(outcome, Intervention.of(do)).values["hit"]

    assert (hit(), hit(shut=0), hit(press=0), hit(press=0, shut=0)) == (0, 1, 0, 0)


def test_the_gate_is_shut_before_the_ball_comes(workers):
    onsets = workers.call(outcome).onsets
    assert onsets["press"] < onsets["shut"] < onsets["stop"]
