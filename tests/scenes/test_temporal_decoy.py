"""The last thing to touch the box before it falls has no part in the fall."""

from dataclasses import replace
from functools import partial

import pytest

from simworld.causal import Intervention, verdicts
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import WorldSpec

SCENE = load_scene("temporal_decoy")
END = ("fall", "landing")


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


@pytest.mark.parametrize("effect", END)
def test_the_hit_and_the_slide_are_but_for_causes(found, effect):
    for cause in ("red_hit", "slide"):
        verdict = found[cause, effect]
        assert (verdict.but_for, verdict.actual, verdict.role) == (True, True, "trigger")
    assert found["open_edge", effect].role == "enabling_condition"


@pytest.mark.parametrize("effect", END)
def test_the_tap_only_comes_before(found, effect):
    verdict = found["tap", effect]
    assert (verdict.actual, verdict.part_of_cause) == (False, False)
    assert (verdict.role, verdict.directness) == ("temporal_predecessor", "none")


def test_the_tap_is_the_latest_event_at_the_box_before_it_falls(onsets):
    at_the_box = [
        (step, name)
        for name, step in onsets.items()
        if "box" in SCENE.phrases[name].participants and step < onsets["fall"]
    ]
    assert max(at_the_box)[1] == "tap"
    assert SCENE.scm.parents("fall") == ("slide", "open_edge")


def test_undoing_the_tap_delays_the_fall_by_less_than_a_frame(workers, onsets):
    undone = workers.call(rolled, context(), Intervention.of({"tap": 0})).outcome
    assert undone.fired["tap:=0"] == 1
    assert abs(undone.onsets["fall"] - onsets["fall"]) < 10


@pytest.mark.parametrize(("things", "falls"), [({"ping_pong_ball"}, 1), ({"red_ball"}, 0)])
def test_removing_the_balls_tells_cause_from_decoy(workers, things, falls):
    spec = without(SCENE.world(context(), FACTUAL), things)
    assert workers.call(simulate, spec, "settled").outcome.values["fall"] == falls


def test_the_tap_alone_does_not_even_make_it_slide(workers):
    values = workers.call(rolled, context(red_ball="rests")).outcome.values
    assert (values["tap"], values["slide"], values["fall"]) == (1, 0, 0)


def test_it_may_come_first_and_nothing_else_changes(workers, onsets):
    early = workers.call(rolled, context(ping_pong_start="early")).outcome
    assert early.onsets["tap"] < early.onsets["red_hit"] and onsets["slide"] < onsets["tap"]
    assert early.onsets.keys() == onsets.keys()
