"""Prevention by a barrier comes out as in the literature.

The catcher and the wall (McDermott 2002, Collins 2000): what keeps a ball from a window is a
preventer where nothing else would have, and with a wall behind it is so only together with that.
"""

from functools import partial

import numpy as np
import pytest

from simworld.causal import Intervention, Verdict, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate

SCENE = load_scene("blocked_ball")


def found(**levels: str) -> dict[tuple[str, str], Verdict]:
    evaluate = partial(SCENE.scm.evaluate, {**SCENE.showcase, **levels})
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate)}


def rolled(intervention: Intervention = FACTUAL, **levels: str) -> Rollout:
    at = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})
    return simulate(SCENE.world(at, intervention), "settled")


@pytest.mark.parametrize("effect", ["vase_hit", "shatter"])
def test_what_brings_the_box_into_the_way_is_a_preventer(effect):
    roles = found()
    for cause in ("box_push", "slide"):
        verdict = roles[cause, effect]
        assert (verdict.role, verdict.but_for, verdict.effect_value) == ("preventer", True, 0)
    assert SCENE.scm.edge_role("slide", "vase_hit") == "prevents"


def test_hitting_the_box_shows_the_prevention_and_is_no_cause_of_it():
    verdict = found()["box_hit", "vase_hit"]
    assert (verdict.actual, verdict.role) == (False, "common_cause_sibling")


def test_a_wall_behind_the_catcher_makes_both_overdeterminers():
    roles = found(plank="present")
    for cause in ("slide", "barred"):
        assert roles[cause, "vase_hit"].role == "overdeterminer"
    assert set(roles["slide", "vase_hit"].cause_set) == {"slide", "barred"}


def test_the_wall_alone_is_the_preventer():
    assert found(brick="rests", plank="present")["barred", "vase_hit"].role == "preventer"


def test_without_a_barrier_the_ball_is_the_trigger():
    roles = found(brick="rests")
    assert roles["ball_push", "vase_hit"].role == "trigger"
    assert roles["slide", "shatter"].role == "omission"


def test_a_tossed_ball_hits_the_vase_over_either_barrier(workers):
    toss = Intervention.of({"vase_hit": 1})
    for barrier in ({}, {"brick": "rests", "plank": "present"}):
        outcome = workers.call(partial(rolled, **barrier), toss).outcome
        assert outcome.values["vase_hit"] == outcome.values["shatter"] == 1
        assert outcome.fired["vase_hit:=1"] == 2


def test_the_ball_stops_at_the_box_and_never_gets_beyond_it(workers):
    rollout = workers.call(rolled)
    assert rollout.outcome.onsets["slide"] < rollout.outcome.onsets["box_hit"]
    x = np.abs(rollout.states[:, rollout.index("ball"), 0])
    assert x.min() > 0.05
