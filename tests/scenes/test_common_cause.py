"""One tilt, two falls: the first is a sibling of the second, though adjacency would blame it."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from simworld.causal import Intervention, verdicts
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import WorldSpec

SCENE = load_scene("common_cause")
MUG, VASE = ("mug_fall", "mug_landing"), ("vase_fall", "shatter")


def context(**levels: str) -> Context:
    return SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})


def rolled(at: Context, intervention: Intervention = FACTUAL) -> Rollout:
    return simulate(SCENE.world(at, intervention), "settled")


def without(spec: WorldSpec, names: set[str]) -> WorldSpec:
    bodies = tuple(replace(b, present=b.present and b.name not in names) for b in spec.bodies)
    return replace(spec, bodies=bodies)


@pytest.fixture(scope="module")
def onsets(workers):
    return workers.call(rolled, context()).outcome.onsets


@pytest.fixture(scope="module")
def found(onsets):
    evaluate = partial(SCENE.scm.evaluate, SCENE.showcase)
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate, onsets)}


@pytest.mark.parametrize("effect", [*MUG, *VASE])
def test_the_tilt_is_a_but_for_cause_of_both_falls_and_what_follows(found, effect):
    verdict = found["tilt", effect]
    assert (verdict.but_for, verdict.actual, verdict.role) == (True, True, "trigger")
    assert verdict.directness == ("direct" if effect.endswith("_fall") else "indirect")
    assert found["bump", effect].directness == "indirect"


@pytest.mark.parametrize("mug", MUG)
@pytest.mark.parametrize("vase", VASE)
def test_neither_fall_is_a_cause_of_the_other(found, mug, vase):
    for pair in ((mug, vase), (vase, mug)):
        assert (found[pair].actual, found[pair].role) == (False, "common_cause_sibling")


def test_the_first_fall_comes_between_the_tilt_and_the_second_and_shares_the_board(onsets):
    assert onsets["tilt"] < onsets["mug_fall"] < onsets["vase_fall"]
    shared = [set(SCENE.phrases[n].participants) for n in ("mug_fall", "vase_fall")]
    assert shared[0] & shared[1] == {"board"}


def test_undoing_the_first_fall_moves_the_vase_by_no_bit(workers):
    before = workers.call(rolled, context())
    after = workers.call(rolled, context(), Intervention.of({"mug_fall": 0}))
    assert after.outcome.values["mug_fall"] == 0
    settled = before.outcome.onsets["vase_fall"]
    paths = [r.states[:settled, r.index("vase")] for r in (before, after)]
    assert np.array_equal(*paths)


def test_without_the_mug_the_vase_falls_all_the_same(workers):
    spec = without(SCENE.world(context(), FACTUAL), {"mug"})
    assert workers.call(simulate, spec, "settled").outcome.values["shatter"] == 1


@pytest.mark.parametrize("things", [{"red_ball"}, {"red_ball", "post"}])
def test_without_what_brings_the_tilt_about_nothing_falls(workers, things):
    spec = without(SCENE.world(context(), FACTUAL), things)
    values = workers.call(simulate, spec, "settled").outcome.values
    assert not values["tilt"] and not values["mug_fall"] and not values["vase_fall"]


def test_where_the_mug_stands_further_back_the_vase_falls_first(workers):
    onsets = workers.call(rolled, context(mug_place="back")).outcome.onsets
    assert onsets["vase_fall"] < onsets["mug_fall"]


def test_a_peg_keeps_the_vase_and_lets_the_mug_go(workers):
    values = workers.call(rolled, context(peg="present")).outcome.values
    assert (values["mug_fall"], values["vase_fall"]) == (1, 0)
