"""Two causes, one latch: which of them it was cannot be told from what the latch lets loose.

With a latch between, a cause matters through one event only. So the two causes exchange their
verdicts and nothing else changes: from the latch's opening on, all bodies but those of the two
causes have the same states to the last bit.
"""

from functools import partial

import numpy as np
import pytest

from simworld.causal import Intervention, verdicts
from simworld.group import GroupTask, make_group
from simworld.recipe import Recipe, SceneSettings, TruthSettings, VideoSettings
from simworld.scene import Context, Split, load_scene
from simworld.store import read_json
from simworld.truth import FACTUAL
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate

LATCHES = {
    "latch_trapdoor": ("open", ("red_ball", "blue_ball")),
    "latch_gate": ("open", ("red_ball", "blue_cube")),
    "latch_shelf": ("fold", ("red_ball", "blue_ball")),
    "latch_bridge": ("lower", ("red_ball", "blue_cube")),
    "latch_pin": ("release", ("red_ball", "blue_ball")),
}
NAMES = list(LATCHES)


def swap(name: str):
    return next(v for v in load_scene(name).variations if v.kind == "swap_cause")


def context(name: str, split: Split = "train", instance: int = 0, **levels: str) -> Context:
    scene = load_scene(name)
    return scene.draw(0, split, instance, fixed={**scene.showcase, **levels})


def rolled(name: str, at: Context, do: Intervention = FACTUAL) -> Rollout:
    return simulate(load_scene(name).world(at, do))


def differing(name: str, one: Rollout, other: Rollout, from_step: int) -> set[str]:
    """Name the bodies whose states differ in a single bit from a step on, shards included."""
    assert one.bodies == other.bodies
    first, second = (np.nan_to_num(r.states[from_step:], nan=-1.0) for r in (one, other))
    found = np.flatnonzero((first != second).any(axis=(0, 2)))
    return {one.bodies[k].partition("#")[0] for k in found}


@pytest.mark.parametrize(("split", "instance"), [("train", 0), ("train", 1), ("held_out", 2)])
@pytest.mark.parametrize("name", NAMES)
def test_what_the_latch_lets_loose_moves_alike_to_the_last_bit(workers, name, split, instance):
    latch, causes = LATCHES[name]
    at = context(name, split, instance)
    one = workers.call(rolled, name, at)
    other = workers.call(rolled, name, at.at(swap(name).levels))
    assert (one.outcome.values["red_hit"], one.outcome.values["blue_hit"]) == (1, 0)
    assert (other.outcome.values["red_hit"], other.outcome.values["blue_hit"]) == (0, 1)
    assert one.outcome.onsets["red_hit"] != other.outcome.onsets["blue_hit"]
    for event in swap(name).keeps:
        assert one.outcome.onsets[event] == other.outcome.onsets[event]
    opening = one.outcome.onsets[latch]
    assert differing(name, one, other, opening) == set(causes)
    assert differing(name, one, other, 0) == set(causes)


@pytest.mark.parametrize("name", NAMES)
def test_both_together_open_it_no_earlier_and_no_otherwise(workers, name):
    both = {n: v for n, v in swap(name).levels.items() if v != "rests"}
    red, two = context(name), context(name).at(both)
    one, other = workers.call(rolled, name, red), workers.call(rolled, name, two)
    assert other.outcome.values["red_hit"] == other.outcome.values["blue_hit"] == 1
    assert differing(name, one, other, 0) == {LATCHES[name][1][1]}


@pytest.mark.parametrize("name", NAMES)
def test_a_shut_latch_keeps_everything_where_it_is(workers, name):
    latch, _ = LATCHES[name]
    shut = workers.call(rolled, name, context(name), Intervention.of({latch: 0}))
    still = workers.call(rolled, name, context(name, red_ball="rests"))
    assert shut.outcome.values["red_hit"] == 1
    assert not any(shut.outcome.values[event] for event in swap(name).keeps)
    assert differing(name, shut, still, 0) == {"red_ball"}


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_of_the_two_causes_are_exchanged(name):
    scene = load_scene(name)
    table = {}
    for who, levels in (("red_hit", {}), ("blue_hit", swap(name).levels)):
        given = {**scene.showcase, **levels}
        found = verdicts(scene.scm, partial(scene.scm.evaluate, given))
        table[who] = {(v.cause, v.effect): v for v in found}
    latch, *later = swap(name).keeps
    for who, other in (("red_hit", "blue_hit"), ("blue_hit", "red_hit")):
        cause = table[who][who, latch]
        assert (cause.role, cause.directness, cause.but_for) == ("trigger", "direct", True)
        for effect in later:
            assert table[who][who, effect].but_for
            assert table[who][who, effect].directness == "indirect"
            assert table[who][latch, effect].role == "trigger"
        for effect in swap(name).keeps:
            assert not table[who][other, effect].part_of_cause


@pytest.mark.parametrize("name", NAMES)
def test_if_both_come_they_are_overdeterminers(name):
    scene = load_scene(name)
    both = {**scene.showcase, **{n: v for n, v in swap(name).levels.items() if v != "rests"}}
    found = verdicts(scene.scm, partial(scene.scm.evaluate, both))
    table = {(v.cause, v.effect): v for v in found}
    for effect in swap(name).keeps:
        for who in ("red_hit", "blue_hit"):
            verdict = table[who, effect]
            assert (verdict.part_of_cause, verdict.actual) == (True, False)
            assert verdict.role == "overdeterminer"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_twin_says_how_alike_the_outcome_is(workers, tmp_path, name):
    scene = load_scene(name)
    variation = swap(name)
    settings = SceneSettings(
        scene=name, groups=1, twins=(f"swap_cause:{variation.name}",), levels=dict(scene.showcase)
    )
    recipe = Recipe(
        name="latch",
        video=VideoSettings(width=96, height=72, slow_motion=2),
        truth=TruthSettings(sieve_draws=0),
        scenes=(settings,),
    )
    workers.call(make_group, GroupTask(recipe, settings, 0, tmp_path, None))
    [twin] = read_json(tmp_path / "groups" / f"{name}-0000" / "twins.json")
    assert twin["kind"] == "swap_cause"
    assert set(twin["changed"]) == {"red_hit", "blue_hit"}
    assert [kept["event"] for kept in twin["kept"]] == list(variation.keeps)
    for kept in twin["kept"]:
        assert kept["same_motion"]
        assert 0.95 < kept["identical_px"] < 1.0
