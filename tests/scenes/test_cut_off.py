"""Early preemption comes out as in the literature: the backup is cut off before it can act.

Lewis, Causation (1973), and Halpern, Actual Causality (2016), section 2.3: the first cause's own
chain keeps the backup's from running to its end. What starts the first chain is a cause, though the
backup would have stepped in; from where the backup is cut off on, each link is a but-for cause.
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

SCENE = load_scene("cut_off")
OUTCOME = ("slide", "strike")


def context(**levels: str) -> Context:
    return SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})


def rolled(at: Context, intervention: Intervention = FACTUAL) -> Outcome:
    return simulate(SCENE.world(at, intervention), "settled").outcome


def do(**values: int) -> Intervention:
    return Intervention.of(values)


def without(spec: WorldSpec, names: set[str]) -> WorldSpec:
    bodies = tuple(replace(b, present=b.present and b.name not in names) for b in spec.bodies)
    return replace(spec, bodies=bodies)


@pytest.fixture(scope="module")
def onsets(workers):
    return workers.call(rolled, context()).onsets


@pytest.fixture(scope="module")
def found(onsets):
    evaluate = partial(SCENE.scm.evaluate, SCENE.showcase)
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate, onsets)}


@pytest.mark.parametrize("effect", OUTCOME)
def test_what_starts_the_chain_is_a_cause_and_no_but_for_cause(found, effect):
    verdict = found["trip", effect]
    assert (verdict.actual, verdict.but_for, verdict.role) == (True, False, "trigger")
    assert len(verdict.witness) == 1
    assert verdict.responsibility == Fraction(1, 2)


@pytest.mark.parametrize("effect", OUTCOME)
def test_from_the_cut_on_the_chain_is_but_for(found, effect):
    assert (found["red_hit", effect].but_for, found["red_hit", effect].witness) == (True, {})
    assert found["clear_way", effect].role == "enabling_condition"


@pytest.mark.parametrize("effect", OUTCOME)
def test_the_backup_is_preempted_and_the_cut_itself_no_cause(found, effect):
    backup = found["blue_roll", effect]
    assert (backup.actual, backup.part_of_cause, backup.role) == (
        False,
        False,
        "preempted_backup",
    )
    assert not found["shutting", effect].actual
    verdict = found["shutting", "blue_hit"]
    assert (verdict.role, verdict.directness, verdict.but_for) == ("preventer", "direct", True)


def test_the_backup_is_cut_off_before_the_outcome(onsets):
    assert onsets["trip"] < onsets["shutting"] < onsets["stop"] < onsets["red_hit"]
    assert "blue_hit" not in onsets


def test_it_is_the_gate_that_cuts_it_off_and_not_that_it_comes_late(workers):
    held = workers.call(rolled, context(), do(red_hit=0)).values
    assert (held["stop"], held["blue_hit"], held["slide"]) == (1, 0, 0)
    opened = workers.call(rolled, context(), do(shutting=0)).values
    assert (opened["stop"], opened["blue_hit"], opened["slide"]) == (0, 1, 1)


def test_without_the_first_ball_the_backup_does_it(workers):
    undone = workers.call(rolled, context(red_ball="rests")).values
    assert undone["blue_hit"] and all(undone[name] for name in OUTCOME)
    neither = workers.call(rolled, context(), do(trip=0, blue_hit=0)).values
    assert not any(neither[name] for name in OUTCOME)


def test_removing_the_first_ball_would_clear_it_wrongly(workers):
    spec = without(SCENE.world(context(), FACTUAL), {"red_ball"})
    values = workers.call(simulate, spec, "settled").outcome.values
    assert (values["trip"], values["strike"]) == (0, 1)


def test_with_a_brick_in_the_way_the_backup_is_cut_off_for_nothing(workers):
    values = workers.call(rolled, context(brick="present")).values
    assert (values["shutting"], values["stop"], values["slide"]) == (1, 1, 0)
