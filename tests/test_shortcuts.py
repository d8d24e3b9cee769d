"""Learners that see texts alone gain nothing on CaST-Bench's questions, and find a planted leak."""

import dataclasses

import pytest

from simworld.models import surface_learner
from simworld.qa.castbench import make_castbench
from simworld.qa.finalise import finalise
from tests.qa.conftest import make_clip
from tests.qa.test_castbench import VIDEO, WORLDS
from tests.shortcuts import LEARNERS, TEST, TRAIN, examples_of, measure


@pytest.fixture(scope="module")
def asked():
    """CaST-Bench's examples from two seeds, each clip a group of its own."""
    found = []
    for seed in (TRAIN, TEST):
        made = []
        for number in range(3 * len(WORLDS)):
            cup = make_clip(f"cup-{number}", instance=seed, **WORLDS[number % len(WORLDS)])
            told = cup.scene, cup.truth, cup.events, cup.segments
            name = f"falling_cup-{number:04d}"
            made += make_castbench(*told, group=name, staged=cup.scene.staged, video=VIDEO)[0]
        found.append(list(examples_of(finalise(made, seed=seed), "castbench")))
    return found


@pytest.mark.parametrize("name", LEARNERS)
def test_texts_alone_do_not_help(asked, name):
    score = measure(LEARNERS[name], *asked, 1)
    assert score.questions > 60
    assert score.excess < 0.1


def test_a_longer_right_option_is_found(asked):
    train, test = (
        [
            dataclasses.replace(
                one,
                options={
                    key: text + " And that was that." * (key == one.answer)
                    for key, text in one.options.items()
                },
            )
            for one in some
        ]
        for some in asked
    )
    assert measure(surface_learner.learn, train, test, 1).accuracy > 0.9
