"""A long chain: every link a but-for cause of all later ones, affordable, and so in physics."""

from functools import partial
from itertools import pairwise

import pytest

from simworld.causal import Intervention, verdicts
from simworld.clock import frame_of_step
from simworld.errors import InputError, NotRegisteredError
from simworld.lab import Lab
from simworld.rehearsal import single_settings
from simworld.scene import Context, load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate

STEPS_PER_FRAME = 20


def context(name: str, **levels: str) -> Context:
    scene = load_scene(name)
    return scene.draw(0, "train", 0, fixed={**scene.showcase, **levels})


def run(name: str, at: Context, intervention: Intervention = FACTUAL) -> Outcome:
    return simulate(load_scene(name).world(at, intervention), "settled").outcome


def run_every_setting(name: str) -> int:
    """Hold the model to the physics under every single intervention that has a handle."""
    lab, at = Lab(load_scene(name)), context(name)
    reached = [lab.run(at, do) for do in single_settings(lab.scene)]
    return len(reached)


def fallen(outcome: Outcome) -> list[int]:
    return [k for k in range(1, 52) if outcome.values.get(f"fall_{k}")]


def test_it_comes_in_sizes():
    assert load_scene("domino_run").scm.events.count("fall_8") == 1
    for links in (2, 24, 51):
        scene = load_scene(f"domino_run-{links}")
        assert scene.name == f"domino_run-{links}"
        assert sum(name.startswith("fall_") for name in scene.scm.events) == links


@pytest.mark.parametrize("links", [0, 1, 52])
def test_a_length_that_it_does_not_come_in_is_refused(links):
    with pytest.raises(InputError, match=f"2 to 51 dominoes, found {links}"):
        load_scene(f"domino_run-{links}")


@pytest.mark.parametrize("name", ["domino_run-many", "falling_cup-3", "domino-24"])
def test_what_does_not_come_in_sizes_is_not_found(name):
    with pytest.raises(NotRegisteredError, match=name):
        load_scene(name)


@pytest.mark.parametrize("links", [2, 8, 51])
def test_verdicts_of_the_chain_are_those_on_paper_and_cost_one_setting_a_variable(links):
    scene = load_scene("domino_run" if links == 8 else f"domino_run-{links}")
    tried = []

    def evaluate(do):
        tried.append(do)
        return scene.scm.evaluate(scene.showcase, do)

    found = {(v.cause, v.effect): v for v in verdicts(scene.scm, evaluate)}
    chain = ["push", *(f"fall_{k}" for k in range(1, links + 1)), "strike"]
    for at, cause in enumerate(chain):
        for later, effect in enumerate(chain):
            if cause != effect:
                verdict = found[cause, effect]
                assert verdict.but_for == verdict.actual == (at < later)
                assert verdict.directness == (
                    "none" if at > later else "direct" if later == at + 1 else "indirect"
                )
    assert found["whole_row", "strike"].role == "enabling_condition"
    assert not found["knock", "strike"].actual
    assert len(tried) == 1 + len(scene.scm.endogenous)


def test_a_held_domino_stops_the_chain_and_a_pushed_one_goes_on_from_there(workers):
    go = partial(workers.call, run, "domino_run", context("domino_run"))
    assert fallen(go(Intervention.of({"fall_4": 0}))) == [1, 2, 3]
    assert fallen(go(Intervention.of({"fall_4": 0, "fall_6": 1}))) == [1, 2, 3, 6, 7, 8]
    assert fallen(go(Intervention.of({"push": 0, "fall_2": 1}))) == [2, 3, 4, 5, 6, 7, 8]


def test_a_missing_domino_and_a_post_stop_the_chain(workers):
    gap, post = context("domino_run", row="gap"), context("domino_run", post="in_the_way")
    assert fallen(workers.call(run, "domino_run", gap)) == [1, 2, 3, 4]
    assert fallen(workers.call(run, "domino_run", post)) == [1]


@pytest.mark.parametrize("links", [2, 3, 11])
def test_model_and_physics_agree_at_other_lengths(workers, links):
    name = f"domino_run-{links}"
    variables = len(load_scene(name).scm.endogenous)
    assert workers.call(run_every_setting, name) == 2 * variables


@pytest.mark.parametrize("links", [24, 51])
def test_a_long_run_takes_seconds_and_its_key_events_can_be_told_apart(workers, links):
    name = f"domino_run-{links}"
    outcome = workers.call(run, name, context(name))
    assert fallen(outcome) == list(range(1, links + 1))
    steps = [outcome.onsets[f"fall_{k}"] for k in range(1, links + 1)]
    assert all(a < b for a, b in pairwise(steps))
    assert 9 < (links - 1) * 240 / (steps[-1] - steps[0]) < 12
    frames = [
        frame_of_step(outcome.onsets[key], STEPS_PER_FRAME) for key in load_scene(name).key_events
    ]
    assert min(b - a for a, b in pairwise(frames)) >= 2
    assert len(frames) >= links // 2


def test_cause_and_effect_lie_up_to_25_segments_apart():
    keys = load_scene("domino_run-51").key_events
    assert keys.index("strike") - keys.index("push") >= 24
