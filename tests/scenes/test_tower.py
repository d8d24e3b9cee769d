"""A chain on a tower: every link a but-for cause, the lower blocks left where they are."""

from functools import partial

import numpy as np
import pytest

from simworld.causal import Intervention, Verdict, verdicts
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome, Rollout
from simworld.world.simulate import simulate

SCENE = load_scene("tower")


def found(**levels: str) -> dict[tuple[str, str], Verdict]:
    evaluate = partial(SCENE.scm.evaluate, {**SCENE.showcase, **levels})
    return {(v.cause, v.effect): v for v in verdicts(SCENE.scm, evaluate)}


def outcome(intervention: Intervention = FACTUAL, **levels: str) -> Outcome:
    at = SCENE.draw(0, "train", 0, fixed={**SCENE.showcase, **levels})
    return simulate(SCENE.world(at, intervention), "settled").outcome


CHAIN = ("push", "bump", "slide", "fall", "impact", "shatter")


def test_every_link_is_a_but_for_cause_of_all_later_ones_and_direct_of_the_next():
    roles = found()
    for at, cause in enumerate(CHAIN):
        for later, effect in enumerate(CHAIN):
            if cause != effect:
                verdict = roles[cause, effect]
                assert verdict.but_for == (at < later)
                assert (verdict.directness == "direct") == (later == at + 1)
    assert roles["brittle_vase", "shatter"].role == "enabling_condition"
    assert not roles["knock", "shatter"].actual


@pytest.mark.parametrize("link", range(1, 5))
def test_where_the_chain_is_cut_it_ends(workers, link):
    values = workers.call(outcome, Intervention.of({CHAIN[link]: 0})).values
    assert [values[name] for name in CHAIN] == [1] * link + [0] * (len(CHAIN) - link)


def test_the_lower_blocks_stay(workers):
    rollout = workers.call(rolled)
    for name in ("low_cube", "middle_cube"):
        place = rollout.states[:, rollout.index(name), :3]
        assert np.abs(place - place[0]).max() < 0.01


def rolled() -> Rollout:
    at = SCENE.draw(0, "train", 0, fixed=SCENE.showcase)
    return simulate(SCENE.world(at, FACTUAL), "end")
