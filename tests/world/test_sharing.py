"""Runs that share their beginning come out to the last bit as each does alone."""

import os

import pytest

from simworld.causal import Intervention, Unreachable
from simworld.errors import PlausibilityError, SimworldError
from simworld.rehearsal import single_settings
from simworld.scene import load_scene
from simworld.truth import FACTUAL
from simworld.world import acts, sharing
from simworld.world.detectors import Slid
from simworld.world.handles import HoldMoved
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate, simulate_all
from simworld.world.spec import Launch
from tests.worlds import FLOOR, cube, cup_context, world

CUP = load_scene("falling_cup")


def armed_worlds():
    """Every world of the falling cup that differs in what is armed alone, and some pairs."""
    dos = [FACTUAL, *single_settings(CUP)]
    dos += [Intervention.of({"bump": 0, "fall": 1}), Intervention.of({"slide": 1, "shatter": 0})]
    for do in dos:
        try:
            spec = CUP.world(cup_context(), do)
        except Unreachable:
            continue
        if set(do) == set(spec.armed):
            yield spec


def shared_and_alone() -> tuple[list[Outcome], list[Outcome], bool]:
    specs = list(armed_worlds())
    shared = simulate_all(specs[0], [spec.armed for spec in specs], "settled")
    alone = [simulate(spec, "settled") for spec in specs]
    same_states = all((a.states == b.states).sum() == (a.states == a.states).sum()
                      for a, b in zip(shared, alone, strict=True))  # fmt: skip
    return [r.outcome for r in shared], [r.outcome for r in alone], same_states


def test_each_run_is_bit_for_bit_what_it_is_alone(workers):
    shared, alone, same_states = workers.call(shared_and_alone)
    assert shared == alone
    assert same_states
    assert len({outcome.digest for outcome in shared}) > 5


def forks_made(armings: list[dict[str, int]]) -> tuple[int, list[int]]:
    """Forks of a sliding cube whose slide may be held, and whether it slid in each run."""
    made, fork = [], os.fork
    os.fork = lambda: made.append(1) or fork()
    try:
        spec = world(
            FLOOR,
            cube(friction=0.1),
            actions=(Launch("cube", 10, (1.0, 0.0, 0.0)),),
            steps=60,
            detectors={"slide": Slid("cube", "floor", 0.02)},
            handles=(HoldMoved("slide", "cube", distance_m=0.001),),
            deadlines={"slide": 50},
        )
        runs = simulate_all(spec, armings)
    finally:
        os.fork = fork
    return len(made), [run.outcome.values["slide"] for run in runs]


@pytest.mark.parametrize(
    ("armings", "forks", "slid"),
    [
        ([{}], 0, [1]),
        ([{}, {}, {}], 0, [1, 1, 1]),
        ([{}, {"slide": 0}, {}], 1, [1, 0, 1]),
        ([{"slide": 0}, {"slide": 0}], 0, [0, 0]),
    ],
)
def test_only_runs_that_come_apart_are_forked(workers, armings, forks, slid):
    assert workers.call(forks_made, armings) == (forks, slid)


def one_implausible() -> list[str]:
    """A cube that slides only after its deadline, unless it is held."""
    spec = world(
        FLOOR,
        cube(friction=0.1),
        actions=(Launch("cube", 10, (1.0, 0.0, 0.0)),),
        steps=60,
        detectors={"slide": Slid("cube", "floor", 0.02)},
        handles=(HoldMoved("slide", "cube", distance_m=0.001),),
        deadlines={"slide": 12},
    )
    return [type(run).__name__ for run in simulate_all(spec, [{"slide": 0}, {}])]


def test_a_run_that_could_not_happen_spoils_no_other(workers):
    assert workers.call(one_implausible) == ["Rollout", PlausibilityError.__name__]


def with_a_fault(fault: str) -> None:
    """Fork with one function replaced, in this worker and for this call only."""
    place, name, broken = FAULTS[fault]
    whole = getattr(place, name)
    setattr(place, name, broken)
    try:
        forks_made([{}, {"slide": 0}])
    finally:
        setattr(place, name, whole)


def end_at_once(*_: object) -> None:
    os._exit(1)


def fail(*_: object) -> None:
    raise ZeroDivisionError("in the handle")


FAULTS = {"dies": (sharing.Party, "leave", end_at_once), "fails": (acts, "_do", fail)}


def test_a_fork_that_dies_is_an_error_and_no_hang(workers):
    with pytest.raises(SimworldError, match="a forked simulation ended without a word"):
        workers.call(with_a_fault, "dies")


def test_what_goes_wrong_in_a_fork_is_raised(workers):
    with pytest.raises(ZeroDivisionError, match="in the handle"):
        workers.call(with_a_fault, "fails")
