"""What is left of a world when the objects of its events are taken away."""

import pytest

from simworld.claims import parse
from simworld.models.base import Claims, Event
from simworld.models.object_removal import is_needed
from simworld.removal import removals
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world.simulate import simulate
from simworld.world.spec import without
from tests.worlds import FLOOR, ball, world


def removed(name: str) -> dict[tuple[str, ...], dict[str, int]]:
    scene = load_scene(name)
    context = scene.draw(0, "train", 0, fixed=scene.showcase)
    outcome = simulate(scene.world(context, FACTUAL), "settled").outcome
    found = removals(scene, context, outcome)
    return {one.removed: dict(one.values) for one in found}


def test_without_the_ball_the_cup_stays_where_it_is(workers):
    found = workers.call(removed, "falling_cup")
    left = found["ball",]
    assert not any(left[name] for name in ("bump", "slide", "fall", "impact", "shatter"))
    assert left["knock"] == 1
    assert found["green_ball",]["shatter"] == 1
    assert all("floor" not in things and "table" not in things for things in found)


def test_without_the_first_ball_the_second_one_does_it(workers):
    """Late preemption: the red hit is a cause, and the vase falls all the same without it."""
    left = workers.call(removed, "racing_balls")["red_ball",]
    assert left["red_hit"] == 0
    assert left["fall"] == left["shatter"] == 1


def test_what_is_taken_away_is_not_launched():
    spec = without(world(FLOOR, ball()), ["ball"])
    assert [body.present for body in spec.bodies] == [True, False]
    assert without(world(FLOOR, ball()), []) == world(FLOOR, ball())


PUSH = Event("push", "push", "hit", ("ball", "box"), 1, 10)
FALL = Event("fall", "fall", "fall", ("box",), 2, 20)


@pytest.mark.parametrize(
    ("left", "needed"),
    [({"push"}, True), ({"fall"}, False), (None, None)],
)
def test_an_event_is_needed_if_the_effect_is_gone_without_its_objects(left, needed):
    known = {frozenset({"ball"}): None if left is None else frozenset(left)}
    claims = Claims((PUSH, FALL), {"A": parse("trigger(push, fall)")}, known)
    assert is_needed(PUSH, FALL, claims) is needed


def test_nothing_is_said_of_an_event_with_no_objects_of_its_own():
    claims = Claims((PUSH, FALL), {}, {frozenset({"ball"}): frozenset()})
    assert is_needed(FALL, PUSH, claims) is None
