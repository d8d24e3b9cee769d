"""A machine of many kinds of link, each a but-for cause of all later ones, also in physics."""

from functools import partial
from itertools import pairwise

import pytest

from simworld.causal import Intervention, Unreachable, verdicts
from simworld.errors import InputError
from simworld.lab import Lab
from simworld.qa.options import MAX_CHARACTERS
from simworld.rehearsal import single_settings
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate
from simworld.world.spec import Hinge

USUAL = 10


def name_of(links: int) -> str:
    return "rube_goldberg" if links == USUAL else f"rube_goldberg-{links}"


def context(links: int, **levels: str) -> Context:
    scene = load_scene(name_of(links))
    return scene.draw(0, "train", 0, fixed={**scene.showcase, **levels})


def run(links: int, at: Context, intervention: Intervention = FACTUAL) -> Outcome:
    return simulate(load_scene(name_of(links)).world(at, intervention), "settled").outcome


def links_of(links: int) -> list[str]:
    """Name the links' events in causal order: those that end in their number."""
    names = [n for n in load_scene(name_of(links)).scm.events if n[-1].isdecimal()]
    return sorted(names, key=lambda name: int(name.rpartition("_")[2]))


def happened(links: int, outcome: Outcome) -> list[int]:
    return [k for k, name in enumerate(links_of(links), start=1) if outcome.values[name]]


def run_every_setting(links: int) -> int:
    """Hold the model to the physics under every single intervention that has a handle."""
    lab, at = Lab(load_scene(name_of(links))), context(links)
    lab.prepare(at, single_settings(lab.scene))
    reached = 0
    for do in single_settings(lab.scene):
        try:
            lab.run(at, do)
            reached += 1
        except Unreachable:
            continue
    return reached


@pytest.mark.parametrize("links", [2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 19, 24, 37, 51])
def test_it_comes_in_sizes_and_each_thing_has_a_name_of_its_own(links):
    scene = load_scene(name_of(links))
    assert scene.name == name_of(links)
    assert len(links_of(links)) == links
    assert [int(name.rpartition("_")[2]) for name in links_of(links)] == list(range(1, links + 1))
    assert len(set(scene.things.values())) == len(scene.things)


def test_what_is_told_together_is_said_briefly_enough_for_an_option():
    scene = load_scene("rube_goldberg-51")
    for key, followers in scene.asked.items():
        for follower in set(followers) - {key}:
            denied = f"{scene.phrases[key].past}, but {scene.phrases[follower].denied}."
            assert len(denied) <= MAX_CHARACTERS, denied


@pytest.mark.parametrize("links", [0, 1, 52])
def test_a_size_that_it_does_not_come_in_is_refused(links):
    with pytest.raises(InputError, match=f"2 to 51 links, found {links}"):
        load_scene(f"rube_goldberg-{links}")


def test_it_has_many_kinds_of_link_movers_and_hinges_among_them():
    kinds = {name.rpartition("_")[0] for name in links_of(24)}
    assert len(kinds) == 11
    assert len({name.rpartition("_")[0] for name in links_of(USUAL)}) == 10
    spec = load_scene("rube_goldberg").world(context(USUAL), FACTUAL)
    assert {mover.body.rpartition("_")[0] for mover in spec.movers} >= {"pin", "gate"}
    hinged = {b.name.rpartition("_")[0] for b in spec.bodies if isinstance(b.hinge, Hinge)}
    assert hinged == {"hammer", "door"}


@pytest.mark.parametrize("links", [2, USUAL, 51])
def test_verdicts_of_the_chain_are_those_on_paper(links):
    scene = load_scene(name_of(links))
    found = verdicts(scene.scm, partial(scene.scm.evaluate, scene.showcase))
    table = {(v.cause, v.effect): v for v in found}
    chain = ["push", *links_of(links)]
    for at, cause in enumerate(chain):
        for later, effect in enumerate(chain):
            if cause != effect:
                verdict = table[cause, effect]
                assert verdict.but_for == verdict.actual == (at < later)
                assert verdict.directness == (
                    "none" if at > later else "direct" if later == at + 1 else "indirect"
                )
    for enabler in ("clear_way", "brittle_vase"):
        assert table[enabler, chain[-1]].role == "enabling_condition"
    assert not table["knock", chain[-1]].actual


def test_what_is_held_stops_the_machine_and_what_is_set_off_goes_on_from_there(workers):
    go = partial(workers.call, run, USUAL, context(USUAL))
    outcomes = {
        do: happened(USUAL, go(Intervention.of(dict(do))))
        for do in (
            (),
            (("swing_4", 0),),
            (("swing_4", 0), ("open_6", 1)),
            (("push", 0), ("slide_5", 1)),
            (("push", 0), ("turn_8", 1)),
        )
    }
    assert list(outcomes.values()) == [
        list(range(1, 11)),
        [1, 2, 3],
        [1, 2, 3, 6, 7, 8, 9, 10],
        [5, 6, 7, 8, 9, 10],
        [8, 9, 10],
    ]


def test_a_plank_a_chock_and_a_steel_vase_stop_it_where_they_are(workers):
    go = partial(workers.call, run, USUAL)
    assert happened(USUAL, go(context(USUAL, plank="present"))) == []
    assert happened(USUAL, go(context(USUAL, chock="in_the_way"))) == [1, 2, 3, 4]
    assert happened(USUAL, go(context(USUAL, vase_material="steel"))) == list(range(1, 10))


@pytest.mark.slow
@pytest.mark.parametrize("links", [2, 3, 4, 5, 8, 13])
def test_model_and_physics_agree_at_other_sizes(workers, links):
    assert workers.call(run_every_setting, links) > 2 * links


@pytest.mark.slow
@pytest.mark.parametrize("links", [24, 51])
def test_a_long_machine_runs_to_its_end_link_by_link(workers, links):
    outcome = workers.call(run, links, context(links))
    steps = [outcome.onsets[name] for name in links_of(links)]
    assert all(a < b for a, b in pairwise(steps))
    assert 30 < (steps[-1] - steps[0]) / (links - 1) < 50
