"""Late preemption comes out as in the literature, and the witness is brought about in physics.

Halpern, Actual Causality (2016), example 2.3.3: Suzy's rock hits first. Her hit is an actual cause
of the bottle's shattering with the witness that Billy's rock did not hit, though undoing her throw
alone changes nothing.
"""

from fractions import Fraction

import numpy as np
import pytest

from simworld.causal import Intervention, Unreachable
from simworld.lab import Lab
from simworld.rehearsal import Sieve, rehearse
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL, ClipTruth
from simworld.twins import other_looks
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate

SCENE = load_scene("racing_balls")
OUTCOME = ("fall", "impact", "shatter")


def context(**levels: str) -> Context:
    return SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})


def do(**values: int) -> Intervention:
    return Intervention.of(values)


def rehearsed(at: Context) -> ClipTruth:
    return rehearse(Lab(SCENE), "race", at, Sieve(0.0, ()), other_looks(SCENE, at, 0, "train", 0))


def rolled(at: Context, intervention: Intervention) -> Rollout:
    return simulate(SCENE.world(at, intervention), "settled")


@pytest.fixture(scope="module")
def verdicts(workers):
    truth = workers.call(rehearsed, context())
    return {(p.verdict.cause, p.verdict.effect): p.verdict for p in truth.verdicts}


@pytest.mark.parametrize("effect", OUTCOME)
@pytest.mark.parametrize("cause", ["red_push", "red_hit"])
def test_the_first_ball_is_an_actual_cause_and_no_but_for_cause(verdicts, cause, effect):
    verdict = verdicts[cause, effect]
    assert (verdict.actual, verdict.but_for, verdict.role) == (True, False, "trigger")
    assert verdict.witness == {"blue_hit": 0}
    assert verdict.responsibility == Fraction(1, 2)


@pytest.mark.parametrize("effect", OUTCOME)
def test_the_late_ball_is_a_preempted_backup(verdicts, effect):
    verdict = verdicts["blue_push", effect]
    assert (verdict.actual, verdict.part_of_cause) == (False, False)
    assert (verdict.role, verdict.directness) == ("preempted_backup", "none")


def test_the_first_hit_prevents_the_late_one(verdicts):
    verdict = verdicts["red_hit", "blue_hit"]
    assert (verdict.role, verdict.directness, verdict.but_for) == ("preventer", "direct", True)


def test_what_follows_the_fall_is_an_ordinary_chain(verdicts):
    assert verdicts["fall", "shatter"].but_for and verdicts["impact", "shatter"].but_for
    assert verdicts["brittle_vase", "shatter"].role == "enabling_condition"
    assert verdicts["clear_way", "fall"].witness == {"blue_hit": 0}
    assert verdicts["knock", "fall"].role == "temporal_predecessor"


def test_without_the_first_hit_the_late_ball_does_it(workers):
    factual = workers.call(rolled, context(), FACTUAL).outcome
    undone = workers.call(rolled, context(), do(red_hit=0)).outcome
    assert factual.values["blue_hit"] == 0 and undone.values["blue_hit"] == 1
    assert all(o.values[name] == 1 for o in (factual, undone) for name in OUTCOME)
    assert factual.onsets["fall"] < undone.onsets["fall"]


def test_the_witness_is_held_by_a_handle_that_stops_the_late_ball_at_the_vase(workers):
    rollout = workers.call(rolled, context(), do(red_hit=0, blue_hit=0))
    assert rollout.outcome.fired["red_hit:=0"] == rollout.outcome.fired["blue_hit:=0"] == 1
    assert not any(rollout.outcome.values[name] for name in (*OUTCOME, "red_hit", "blue_hit"))
    vase, *balls = (
        rollout.states[-1, rollout.index(n), :2] for n in ("vase", "red_ball", "blue_ball")
    )
    for ball in balls:
        assert 0.0 < np.hypot(*(ball - vase)) - 0.07 - 0.05 < 0.02


def test_while_the_first_ball_hits_the_vase_is_gone_when_the_late_one_comes(workers):
    for kept in ("fall", "impact", "shatter"):
        outcome = workers.call(rolled, context(), do(**{kept: 0})).outcome
        assert (outcome.values["red_hit"], outcome.values["blue_hit"]) == (1, 0)


def test_nothing_makes_the_late_ball_hit_a_vase_that_is_gone():
    with pytest.raises(Unreachable):
        SCENE.world(context(), do(blue_hit=1))
    assert SCENE.world(context(brick="rests"), do(red_hit=0, blue_hit=1)).armed["blue_hit"] == 1


def test_alone_the_late_ball_is_a_but_for_cause(workers):
    truth = workers.call(rehearsed, context(block="rests"))
    found = {(p.verdict.cause, p.verdict.effect): p.verdict for p in truth.verdicts}
    for cause in ("blue_push", "blue_hit"):
        assert found[cause, "shatter"].but_for and found[cause, "shatter"].witness == {}
