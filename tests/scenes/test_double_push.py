"""Symmetric overdetermination comes out as in the literature, as far as the declared lag reaches.

Halpern, Actual Causality (2016), example 2.3.1, the disjunctive forest fire: neither match is a
cause by itself under the modified definition, the two together are, each a part of it.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from simworld.causal import Intervention, verdicts
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate
from simworld.world.spec import WorldSpec

SCENE = load_scene("double_push")
HITS = ("red_hit", "blue_hit")
OUTCOME = ("slide", "fall", "impact", "shatter")


def context(**levels: str) -> Context:
    return SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})


def rolled(at: Context, intervention: Intervention = FACTUAL) -> Outcome:
    return simulate(SCENE.world(at, intervention), "settled").outcome


def without(spec: WorldSpec, names: set[str]) -> WorldSpec:
    bodies = tuple(replace(b, present=b.present and b.name not in names) for b in spec.bodies)
    return replace(spec, bodies=bodies)


def found(levels: dict[str, str]) -> dict:
    evaluate = partial(SCENE.scm.evaluate, {**SCENE.showcase, **levels})
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate)}


@pytest.mark.parametrize("effect", OUTCOME)
@pytest.mark.parametrize("cause", HITS)
def test_each_hit_is_half_of_a_cause_and_none_alone(cause, effect):
    verdict = found({})[cause, effect]
    assert (verdict.but_for, verdict.actual, verdict.part_of_cause) == (False, False, True)
    assert (verdict.role, verdict.cause_set, verdict.witness) == ("overdeterminer", HITS, {})
    assert verdict.responsibility == Fraction(1, 2)


@pytest.mark.parametrize("alone", ["red", "blue"])
def test_alone_either_hit_is_a_but_for_cause(alone):
    other = "blue" if alone == "red" else "red"
    verdict = found({f"{other}_ball": "rests"})[f"{alone}_hit", "shatter"]
    assert (verdict.but_for, verdict.role) == (True, "trigger")


def test_undoing_one_hit_changes_no_outcome_and_undoing_both_does(workers):
    do = Intervention.of
    for undone in HITS:
        values = workers.call(rolled, context(), do({undone: 0})).values
        assert [values[name] for name in (undone, *OUTCOME)] == [0, 1, 1, 1, 1]
    values = workers.call(rolled, context(), do(dict.fromkeys(HITS, 0))).values
    assert not any(values[name] for name in OUTCOME)


@pytest.mark.parametrize("ball", ["red_ball", "blue_ball"])
def test_removing_a_ball_would_clear_it_wrongly(workers, ball):
    spec = without(SCENE.world(context(), FACTUAL), {ball})
    assert workers.call(simulate, spec, "settled").outcome.values["shatter"] == 1


def late(lag_s: float) -> Outcome:
    """Let the blue ball set off so much later than the red one, all else being the same."""
    at = context()
    start = at.numbers["red_start.usual"] + lag_s
    speed = at.numbers["red_speed.brisk"]
    numbers = {**at.numbers, "blue_start.usual": start, "blue_speed.brisk": speed}
    spec = SCENE.world(replace(at, numbers=numbers), FACTUAL)
    return simulate(spec, "settled").outcome


@pytest.mark.parametrize("lag_s", [-0.03, 0.0, 0.03])
def test_both_hit_within_the_declared_window(workers, lag_s):
    assert [workers.call(late, lag_s).values[name] for name in HITS] == [1, 1]


def test_far_beyond_the_window_the_second_ball_misses(workers):
    assert [workers.call(late, 0.18).values[name] for name in HITS] == [1, 0]


def test_the_contexts_keep_within_the_window():
    setting = {s.name: s for s in SCENE.settings}
    bands = [setting[f"{color}_start"].bands["usual"] for color in ("red", "blue")]
    assert max(b.held_out[1] for b in bands) - min(b.low for b in bands) <= 0.03
