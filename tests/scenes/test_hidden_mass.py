"""One failure, two mechanisms: which of them acts is hidden, and each has a repair of its own."""

from functools import partial

import pytest

from simworld.causal import Intervention, Verdict, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate

SCENE = load_scene("hidden_mass")


def found(**levels: str) -> dict[tuple[str, str], Verdict]:
    evaluate = partial(SCENE.scm.evaluate, {**SCENE.showcase, **levels})
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate)}


def outcome(intervention: Intervention = FACTUAL, **levels: str) -> Outcome:
    at = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})
    return simulate(SCENE.world(at, intervention), "settled").outcome


REGIMES = {"empty": ("far_edge", "near_edge"), "full": ("near_edge", "far_edge")}
"""For each mass, the edge that the ball falls off, and the other one."""


@pytest.mark.parametrize("mass", REGIMES)
def test_only_the_repair_of_its_own_regime_saves_the_ball(workers, mass):
    helps, other = REGIMES[mass]
    falls = workers.call(partial(outcome, box_mass=mass)).values
    saved = workers.call(partial(outcome, box_mass=mass, **{helps: "railed"})).values
    in_vain = workers.call(partial(outcome, box_mass=mass, **{other: "railed"})).values
    assert (falls["fall"], saved["fall"], in_vain["fall"]) == (1, 0, 1)


@pytest.mark.parametrize("mass", REGIMES)
def test_the_open_edge_that_the_ball_falls_off_is_what_enables_its_fall(mass):
    roles = found(box_mass=mass)
    helps, other = (edge.replace("edge", "rail") for edge in REGIMES[mass])
    assert roles[helps, "fall"].but_for and roles[helps, "fall"].role == "enabling_condition"
    assert not roles[other, "fall"].but_for


@pytest.mark.parametrize("mass", REGIMES)
def test_the_bump_is_the_trigger_and_the_mass_a_switch(mass):
    roles = found(box_mass=mass)
    assert roles["bump", "fall"].but_for and roles["bump", "fall"].role == "trigger"
    switch = roles["light_box", "fall"]
    assert (switch.but_for, switch.actual, switch.role) == (False, False, "overdeterminer")
    assert found(box_mass=mass, near_edge="railed", far_edge="open")["light_box", "fall"].but_for


def test_the_fall_of_the_box_is_a_sibling_of_the_ball_s():
    assert found()["box_fall", "fall"].role == "common_cause_sibling"


def test_until_the_bump_nothing_shows_the_mass(workers):
    onsets = [workers.call(partial(outcome, box_mass=mass)).onsets["bump"] for mass in REGIMES]
    assert onsets[0] == onsets[1]


def test_the_ball_falls_on_the_side_of_its_regime(workers):
    for mass, along in (("empty", 1), ("full", -1)):
        assert workers.call(fall_side, mass) == along


def fall_side(mass: str) -> int:
    at = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, "box_mass": mass, "side": "left"})
    rollout = simulate(SCENE.world(at, FACTUAL), "settled")
    return 1 if rollout.states[-1, rollout.index("ball"), 0] > 0 else -1
