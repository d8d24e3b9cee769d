"""One failure, two mechanisms: which of them acts is hidden, and each has a repair of its own."""

from functools import partial

import pytest

from simworld.causal import Intervention, Verdict, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate

SCENE = load_scene("hidden_friction")


def found(**levels: str) -> dict[tuple[str, str], Verdict]:
    evaluate = partial(SCENE.scm.evaluate, {**SCENE.showcase, **levels})
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate)}


def outcome(intervention: Intervention = FACTUAL, **levels: str) -> Outcome:
    at = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})
    return simulate(SCENE.world(at, intervention), "settled").outcome


REGIMES = {"slippery": ("far_edge", "front_edge"), "rough": ("front_edge", "far_edge")}
"""For each underside, the edge that the mug falls off, and the other one."""


@pytest.mark.parametrize("underside", REGIMES)
def test_only_the_repair_of_its_own_regime_saves_the_mug(workers, underside):
    helps, other = REGIMES[underside]
    falls = workers.call(partial(outcome, underside=underside)).values
    saved = workers.call(partial(outcome, underside=underside, **{helps: "railed"})).values
    in_vain = workers.call(partial(outcome, underside=underside, **{other: "railed"})).values
    assert (falls["shatter"], saved["shatter"], in_vain["shatter"]) == (1, 0, 1)


@pytest.mark.parametrize("underside", REGIMES)
def test_the_open_edge_that_the_mug_falls_off_is_what_enables_its_fall(underside):
    roles = found(underside=underside)
    helps, other = (edge.replace("edge", "rail") for edge in REGIMES[underside])
    assert roles[helps, "fall"].role == "enabling_condition" and roles[helps, "fall"].but_for
    assert not roles[other, "fall"].actual


def test_the_rough_mug_is_hit_and_the_slippery_one_glides():
    rough, slippery = found(underside="rough"), found(underside="slippery")
    assert (rough["hit", "fall"].role, rough["glide", "fall"].role) == ("trigger", "unrelated")
    assert (slippery["glide", "fall"].role, slippery["hit", "fall"].role) == (
        "trigger",
        "unrelated",
    )
    assert rough["bump", "shatter"].but_for and slippery["bump", "shatter"].but_for


@pytest.mark.parametrize(("underside", "held"), [("rough", "glide"), ("slippery", "hit")])
def test_the_friction_is_a_cause_only_with_the_other_way_held_shut(underside, held):
    verdict = found(underside=underside)["smooth_mug", "fall"]
    assert (verdict.but_for, verdict.actual, verdict.witness) == (False, True, {held: 0})


def test_a_mug_without_the_blue_ball_falls_only_if_it_is_slippery(workers):
    resting = partial(outcome, blue_ball="rests")
    values = {name: workers.call(partial(resting, underside=name)).values for name in REGIMES}
    assert (values["rough"]["fall"], values["slippery"]["fall"]) == (0, 1)


def test_until_the_bump_nothing_shows_the_friction(workers):
    onsets = [workers.call(partial(outcome, underside=name)).onsets["bump"] for name in REGIMES]
    assert onsets[0] == onsets[1]
