"""Conjunction: both supports must go, each by itself is a but-for cause, neither suffices."""

from functools import partial

import pytest

from simworld.causal import Intervention, Verdict, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate

SCENE = load_scene("two_keys")


def found(**levels: str) -> dict[tuple[str, str], Verdict]:
    evaluate = partial(SCENE.scm.evaluate, {**SCENE.showcase, **levels})
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate)}


def outcome(intervention: Intervention = FACTUAL, **levels: str) -> Outcome:
    at = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})
    return simulate(SCENE.world(at, intervention), "settled").outcome


@pytest.mark.parametrize("effect", ["drop", "shatter"])
@pytest.mark.parametrize("cause", ["brick_hit", "brick_out", "block_hit", "block_out"])
def test_each_key_is_a_but_for_cause(cause, effect):
    verdict = found()[cause, effect]
    assert (verdict.but_for, verdict.role, verdict.responsibility) == (True, "trigger", 1)


def test_both_keys_are_direct_and_the_order_in_which_they_go_does_not_matter():
    roles = found()
    assert [roles[f"{key}_out", "drop"].directness for key in ("brick", "block")] == ["direct"] * 2
    assert not roles["brick_out", "block_out"].actual


def test_where_one_key_is_missing_its_absence_explains_that_the_board_stayed_up():
    roles = found(blue_ball="rests")
    assert roles["block_hit", "drop"].role == "omission" and roles["block_hit", "drop"].but_for
    assert not roles["brick_hit", "drop"].actual


@pytest.mark.parametrize("key", ["brick_out", "block_out"])
def test_one_key_alone_does_not_do_it_and_the_other_completes_it(workers, key):
    other = {"brick_out": "block_out", "block_out": "brick_out"}[key]
    resting = {"red_ball": "rests", "blue_ball": "rests"}
    one = workers.call(partial(outcome, **resting), Intervention.of({key: 1}))
    both = workers.call(partial(outcome, **resting), Intervention.of({key: 1, other: 1}))
    assert (one.values[key], one.values["drop"], one.values["shatter"]) == (1, 0, 0)
    assert both.values["drop"] == both.values["shatter"] == 1


def test_the_board_waits_for_the_second_key(workers):
    onsets = workers.call(outcome).onsets
    assert onsets["brick_out"] < onsets["block_out"] < onsets["drop"] < onsets["shatter"]
    assert onsets["block_out"] - onsets["brick_out"] > 60
