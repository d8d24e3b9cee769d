"""What a difference can have reached, and whether anything else differs."""

from dataclasses import replace

import numpy as np
import pytest

from simworld.world.closure import moving_bodies, reached, strays
from simworld.world.rollout import Outcome, Rollout
from tests.worlds import FLOOR, ball, cube, world

OUTCOME = Outcome({}, {}, {}, 0, "", False)
MOVING = {"a", "b", "c", "d", "mug"}


def touching(*pairs: tuple[str, str]) -> Rollout:
    """One pair a step, in this order."""
    contacts = tuple(((one, other, 1.0),) for one, other in pairs)
    return Rollout((), np.zeros((len(pairs), 0, 13)), contacts, (), OUTCOME)


def moved(**columns: float) -> Rollout:
    """Three steps; each body is given by one number that its states hold in the last row."""
    states = np.zeros((3, len(columns), 13))
    states[-1] = np.array(list(columns.values()))[:, None]
    return Rollout(tuple(columns), states, ((),) * 3, (), OUTCOME)


def test_it_passes_on_by_touch_whenever_that_was():
    assert reached({"a"}, MOVING, [touching(("b", "c"), ("a", "b"))]) == {"a", "b", "c"}


def test_touches_of_either_rollout_count():
    assert reached({"a"}, MOVING, [touching(("a", "b")), touching(("b", "c"))]) == {"a", "b", "c"}


def test_what_stands_still_passes_nothing_on():
    assert reached({"a"}, MOVING, [touching(("a", "floor"), ("b", "floor"))]) == {"a"}


def test_shards_stand_for_their_body():
    assert reached({"a"}, MOVING, [touching(("a", "mug#3"), ("c", "mug#0"))]) == {"a", "mug", "c"}


def test_present_bodies_with_mass_move():
    gone = replace(cube(), present=False)
    specs = [world(FLOOR, ball(), gone), world(FLOOR, ball("other"), gone)]
    assert moving_bodies(specs) == {"ball", "other"}


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"a": 1.0}, {"a": 1.0}, ()),
        ({"a": 1.0}, {"a": 1.0 + 1e-9}, ("a",)),
        ({"a": 1e-15}, {"a": 2e-15}, ()),
        ({"a": np.nan}, {"a": np.nan}, ()),
        ({"a": np.nan}, {"a": 0.0}, ("a",)),
        ({"a": 1.0, "b": 2.0}, {"a": 1.5, "b": 2.5}, ("b",)),
    ],
)
def test_what_differs_is_found_but_for_the_solvers_last_iterations(one, other, found):
    bodies = ["b"] if "b" in one else ["a"]
    assert strays(moved(**one), moved(**other), bodies) == found


def test_the_longer_rollout_is_read_as_far_as_the_shorter_goes():
    long = moved(a=5.0)
    short = Rollout(long.bodies, long.states[:2], long.contacts[:2], (), OUTCOME)
    assert strays(long, short, ["a"]) == ()
