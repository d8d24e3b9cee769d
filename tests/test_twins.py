"""Twins change what they should, and every other body moves as before."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from simworld.causal import verdicts
from simworld.errors import CheckError, InputError
from simworld.group import GroupTask, make_group
from simworld.lab import Lab
from simworld.recipe import Recipe, SceneSettings
from simworld.scene import Context, Nuisance, Scene, Variation, load_scene
from simworld.truth import FACTUAL, ClipTruth, Margin, ProvenVerdict
from simworld.twins import (
    Difference,
    Plan,
    World,
    compare,
    other_looks,
    plan_twin,
    spelled_out,
    twins_of,
)
from tests.worlds import cup_context

CUP = load_scene("falling_cup")
ALL = cup_context()
TWINS = twins_of(CUP)
BALLS = load_scene("racing_balls")


def plan(twin: str, context: Context = ALL) -> Plan:
    return plan_twin(CUP, context, twin, 0, "train", 0)


def world(context: Context, scene: Scene = CUP) -> World:
    """A world with only that part of the truth that twins are compared by."""
    bench = Lab(scene)
    known = bench.run(context)
    truth = ClipTruth(
        clip="",
        scene=scene.name,
        scene_version=scene.version,
        rollout=known.rollout,
        context=context,
        values=known.outcome.values,
        onsets=known.outcome.onsets,
        verdicts=declared_verdicts(scene, context, known.outcome.onsets),
        rehearsals=bench.rehearsals,
        margin=Margin(0.0, 0),
        colors={},
    )
    return World(truth, bench.film(context))


def declared_verdicts(scene, context, onsets):
    found = verdicts(scene.scm, partial(scene.scm.evaluate, context.levels), onsets)
    return tuple(ProvenVerdict(verdict, ()) for verdict in found)


def compared(twin: str) -> Difference:
    one = plan(twin)
    return compare(CUP, world(ALL), world(one.context), one)


@pytest.fixture(scope="module")
def differences(workers):
    return dict(zip(TWINS, workers.map(compared, TWINS), strict=True))


CHANGED = {
    "ball_rests": ("bump", "slide", "fall", "impact", "shatter"),
    "brick": ("slide", "fall", "impact", "shatter"),
    "rail": ("fall", "impact", "shatter"),
    "crate": ("impact", "shatter"),
    "rug": ("hard_floor", "shatter"),
    "steel_mug": ("brittle_mug", "shatter"),
    "far_mug": ("near_edge", "fall", "impact", "shatter"),
    "green_ball_rests": ("knock",),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_twin_changes_its_variable_and_what_depends_on_it(differences, name):
    found = differences[f"remove_cause:{name}"]
    assert set(found.changed) == set(CHANGED[name])
    assert set(found.unchanged) == set(CUP.scm.endogenous) - set(CHANGED[name])


def test_bodies_out_of_reach_are_named(differences):
    aside = {"green_ball", "yellow_box", "floor", "table", "book"}
    assert aside <= set(differences["remove_cause:steel_mug"].same_bodies)
    assert aside <= set(differences["remove_cause:ball_rests"].same_bodies)
    assert "mug" not in differences["remove_cause:ball_rests"].same_bodies
    green = differences["remove_cause:green_ball_rests"].same_bodies
    assert {"ball", "mug"} <= set(green) and "green_ball" not in green


def test_twins_diverge_where_the_difference_first_shows(differences):
    launch = round(240 * ALL.number("ball_start"))
    assert differences["remove_cause:ball_rests"].divergence_step == launch + 1
    assert differences["remove_cause:rug"].divergence_step == 0  # it lies there from the start
    impact = differences["remove_cause:steel_mug"].divergence_step
    assert impact > launch + 100  # steel looks otherwise, but moves alike until the other breaks


def test_the_nuisance_twin_keeps_the_truth_and_the_motion(differences):
    found = differences["nuisance"]
    assert found.changed == ()
    assert {"mug", "ball", "green_ball"} <= set(found.same_bodies)


def test_other_looks_are_other_in_every_nuisance():
    for instance in range(5):
        context = CUP.draw(0, "train", instance)
        looks = other_looks(CUP, context, 0, "train", instance)
        assert (looks.levels, looks.numbers) == (context.levels, context.numbers)
        for name, value in context.nuisances.items():
            assert looks.nuisances[name] != value, name
        assert looks == other_looks(CUP, context, 0, "train", instance)


def test_a_nuisance_with_one_value_is_refused():
    with pytest.raises(InputError, match=r"nuisance wall: expected two words or more, .*'red'"):
        Nuisance("wall", words=("red",))
    with pytest.raises(InputError, match="nuisance turn"):
        Nuisance("turn", between=(1.0, 1.0))


def test_a_twin_is_planned_by_its_staging():
    found = plan("remove_cause:rug")
    assert found.context == ALL.at({"floor": "rug"})
    assert (str(found.do), found.means) == ("do(hard_floor := 0)", "staged:rug")
    assert found.words == "A thick rug lies on the floor."
    assert plan("nuisance").do == FACTUAL


def test_remove_cause_alone_stands_for_all_that_is_not_staged_already():
    rug = ALL.at({"floor": "rug"})
    assert spelled_out(CUP, rug, ["nuisance"]) == ("nuisance",)
    every = [twin for twin in TWINS if twin.startswith("remove_cause:")]
    found = spelled_out(CUP, rug, ["remove_cause", "remove_cause:steel_mug", "nuisance"])
    assert found == (*(twin for twin in every if twin != "remove_cause:rug"), "nuisance")


@pytest.mark.parametrize("twin", ["remove_cause:rugg", "rug", "remove_cause", "swap"])
def test_a_twin_that_the_scene_does_not_have_is_refused_with_those_it_has(twin):
    words = rf"no twin '{twin}'; it has remove_cause:ball_rests, .*retime:.*, nuisance$"
    with pytest.raises(InputError, match=words):
        plan(twin)


def test_a_retimed_twin_keeps_what_happens_and_diverges_at_the_earlier_start(differences):
    found = differences["retime:green_ball_late"]
    assert found.changed == ()
    assert found.divergence_step == round(240 * ALL.number("green_start")) + 1
    assert {"mug", "ball"} <= set(found.same_bodies) and "green_ball" not in found.same_bodies


def test_a_parameter_twin_changes_what_depends_on_it(differences):
    assert set(differences["parameter:of_steel"].changed) == {"brittle_mug", "shatter"}


SHOWN = BALLS.draw(0, "train", 0, fixed=BALLS.showcase)


def varied(levels: dict[str, str], **more: object) -> Difference:
    """Compare the racing balls with a variation of them that has these levels."""
    one = Variation("other", "swap_cause", levels, "Other.", ("fall", "shatter"))
    scene = replace(BALLS, variations=(replace(one, **more),))  # type: ignore[arg-type]
    found = plan_twin(scene, SHOWN, f"{scene.variations[0].kind}:other", 0, "train", 0)
    return compare(scene, world(SHOWN, BALLS), world(found.context, BALLS), found)


def test_a_swapped_cause_brings_about_the_same_events(workers):
    found = workers.call(varied, {"block": "rests"})
    assert set(found.changed) == {"red_push", "red_hit", "blue_hit"}
    assert {"fall", "impact", "shatter"} <= set(found.unchanged)


MISDECLARED = {
    "keeps what the twin undoes": (
        {"block": "rests", "brick": "rests"},
        {},
        "must keep fall, which does not happen in both",
    ),
    "has the same cause": (
        {"white_ball": "rests"},
        {},
        "must give fall another cause, and gives it the same",
    ),
    "retimes and changes an event": (
        {"white_ball": "rests"},
        {"kind": "retime", "keeps": ()},
        "changed the truth",
    ),
    "is hidden and shows": (
        {"vase_material": "steel"},
        {"kind": "parameter", "keeps": (), "hidden": True},
        "must not show",
    ),
}


@pytest.mark.parametrize("name", MISDECLARED)
def test_a_variation_that_is_not_what_it_says_is_refused(workers, name):
    levels, more, words = MISDECLARED[name]
    with pytest.raises(CheckError, match=words):
        workers.call(partial(varied, levels, **more))


def test_a_retimed_twin_that_changes_no_answer_is_refused(workers):
    with pytest.raises(CheckError, match="changes no order and no verdict"):
        workers.call(retimed_to_the_same)


def retimed_to_the_same() -> None:
    one = plan("retime:green_ball_late")
    compare(CUP, world(ALL), world(ALL), one)


def test_a_twin_that_would_change_nothing_is_drawn_again_and_then_given_up(tmp_path, workers):
    settings = SceneSettings(
        scene="falling_cup", groups=1, twins=("remove_cause:rug",), levels={"floor": "rug"}
    )
    task = GroupTask(Recipe(name="none", scenes=(settings,)), settings, 0, tmp_path, None)
    with pytest.raises(CheckError, match=r"20 contexts .* the twin rug differs in nothing"):
        workers.call(make_group, task)
    assert list(Path(tmp_path).iterdir()) == []


# Tampered twins


def other_decoy(one: World) -> World:
    values = {**one.truth.values, "knock": 0}
    return World(replace(one.truth, values=values), one.rollout)


def nudged(body: str, by: float) -> Callable[[World], World]:
    def tamper(one: World) -> World:
        states = one.rollout.states.copy()
        states[100:, one.rollout.index(body), 0] += by
        return World(one.truth, replace(one.rollout, states=states))

    return tamper


def other_truth(one: World) -> World:
    known = one.truth.rehearsals[one.truth.rollout]
    outcome = replace(known.outcome, values={**known.outcome.values, "fall": 0})
    rehearsals = {known.rollout: replace(known, outcome=outcome)}
    return World(replace(one.truth, rehearsals=rehearsals), one.rollout)


TAMPERED: dict[str, tuple[str, Callable[[World], World], str]] = {
    "decoy": (
        "remove_cause:steel_mug",
        other_decoy,
        "the twin steel_mug changed knock, which does not depend on brittle_mug$",
    ),
    "bystander": (
        "remove_cause:steel_mug",
        nudged("green_ball", 1e-9),
        "in the twin steel_mug green_ball moves otherwise, though nothing that differs ever touch",
    ),
    "looks": ("nuisance", other_truth, "scene falling_cup: the twin nuisance changed the truth"),
}


def tampered(name: str) -> None:
    twin, tamper, _ = TAMPERED[name]
    one = plan(twin)
    compare(CUP, world(ALL), tamper(world(one.context)), one)


@pytest.mark.parametrize("name", TAMPERED)
def test_a_twin_that_changed_what_it_must_not_is_caught(workers, name):
    with pytest.raises(CheckError, match=TAMPERED[name][2]):
        workers.call(tampered, name)
