"""A spec whose names do not fit together is refused where it is made."""

from dataclasses import replace

import pytest

from simworld.errors import InputError
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.detectors import Absent, Slid, Touched
from simworld.world.handles import HoldNear
from simworld.world.spec import Launch
from tests.worlds import FLOOR, ball, cup_context, world


def test_two_bodies_of_one_name_are_refused():
    with pytest.raises(InputError, match=r"name of its own.*'ball'; rename it"):
        world(FLOOR, ball(), ball())


def test_a_body_named_like_a_shard_is_refused():
    with pytest.raises(InputError, match="'ball#1'"):
        world(ball("ball#1"))


@pytest.mark.parametrize(
    ("what", "more"),
    [
        ("an action", {"actions": (Launch("cup", 0, (1, 0, 0)),)}),
        ("the handle of hit", {"handles": (HoldNear("hit", "ball", "cup", 0.1),)}),
        (
            "the detector of hit",
            {"detectors": {"hit": Touched("ball", ("floor", "cup"))}, "deadlines": {"hit": 9}},
        ),
        (
            "the detector of slide",
            {"detectors": {"slide": Slid("ball", "cup", 0.1)}, "deadlines": {"slide": 9}},
        ),
        ("the detector of bare", {"detectors": {"bare": Absent("cup")}}),
    ],
)
def test_a_body_that_is_not_there_is_named_with_those_that_are(what, more):
    with pytest.raises(InputError, match=rf"^{what} names the body 'cup'; .*are ball, floor$"):
        world(FLOOR, ball(), **more)


def test_an_event_without_a_deadline_and_a_condition_with_one_are_refused():
    hit = {"hit": Touched("ball", ("floor",))}
    with pytest.raises(InputError, match=r"every event needs a deadline.*hit"):
        world(FLOOR, ball(), detectors=hit)
    with pytest.raises(InputError, match="a condition none: see bare"):
        world(FLOOR, ball(), detectors={"bare": Absent("ball")}, deadlines={"bare": 9})


def test_the_digest_names_what_is_in_a_world():
    spec = load_scene("falling_cup").world(cup_context(), FACTUAL)
    again = load_scene("falling_cup").world(cup_context(), FACTUAL)
    assert spec == again and spec.digest() == again.digest()
    heavier = replace(spec, bodies=(*spec.bodies[:-1], replace(spec.bodies[-1], mass_kg=9.0)))
    assert heavier.digest() != spec.digest() != replace(spec, armed={"bump": 0}).digest()
