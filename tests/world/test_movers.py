"""Movers keep to their path whatever they meet, start when they are told to, and push plausibly."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simworld.errors import InputError, PlausibilityError
from simworld.world.closure import moving_bodies, reached, strays
from simworld.world.detectors import DroppedBelow, Moved, Touched, Turned
from simworld.world.handles import ForceStart, HoldMoved, HoldNear, KeepStill
from simworld.world.movers import Mover
from simworld.world.rollout import Rollout, Start
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Box, Launch, WorldSpec
from tests.worlds import FLOOR, STEP_S, ball, cube, world

GATE = Body("gate", Box((0.02, 0.3, 0.1)), (0.0, 0.0, 0.1))


def track(rollout: Rollout, body: str) -> np.ndarray:
    return rollout.states[:, rollout.index(body)]


# Its path


def test_a_mover_is_at_its_place_at_each_step_whatever_it_meets(workers):
    drop = Mover("gate", 30, 48, velocity_m_s=(0.5, 0.0, 0.25))
    spec = world(FLOOR, GATE, cube(at=(0.13, 0, 0.1)), actions=(drop,), steps=120)
    rollout = workers.call(simulate, spec)
    gone_s = np.clip(np.arange(121) - 30, 0, 48) * STEP_S
    expected = np.array([0.0, 0.0, 0.1]) + gone_s[:, None] * [0.5, 0.0, 0.25]
    assert track(rollout, "gate")[:, :3] == pytest.approx(expected, abs=1e-12)
    assert any({"gate", "cube"} == set(pair[:2]) for step in rollout.contacts for pair in step)


def test_a_turning_mover_goes_round_its_pivot_at_its_rate(workers):
    """A quarter turn about the z axis in one second, 0.4 m away: (0.4, 0) goes to (0, 0.4)."""
    lever = Body("lever", Box((0.1, 0.02, 0.02)), (0.4, 0.0, 1.0))
    swing = Mover("lever", 0, 240, spin_rad_s=(0, 0, math.pi / 2), pivot_m=(0.0, 0.0, 0.5))
    rollout = workers.call(simulate, world(FLOOR, lever, actions=(swing,), steps=260))
    angle = np.clip(np.arange(261), 0, 240) * math.pi / 480
    path = 0.4 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert track(rollout, "lever")[:, :2] == pytest.approx(path, abs=1e-9)
    assert track(rollout, "lever")[:, 2] == pytest.approx(np.full(261, 1.0), abs=1e-12)
    turned = 2 * np.arctan2(track(rollout, "lever")[:, 5], track(rollout, "lever")[:, 6])
    assert turned == pytest.approx(angle, abs=1e-9)


def test_a_mover_may_go_and_turn_at_once(workers):
    roll = Mover("gate", 0, 120, (0.2, 0.0, 0.0), (0.0, math.pi, 0.0), pivot_m=(0.0, 0.0, 0.3))
    rollout = workers.call(simulate, world(GATE, actions=(roll,), steps=130))
    # Half a second: the pivot has gone 0.1 m, and what hung 0.2 m below it is 0.2 m behind it.
    assert track(rollout, "gate")[-1, :3] == pytest.approx([-0.1, 0.0, 0.3], abs=1e-9)


# What it does to others


def test_what_lies_on_a_belt_is_dragged_by_friction_until_it_keeps_up(workers):
    """At 0.5 m/s and friction 0.5 x 1 that takes v / (mu g) = 0.102 s, or 24.5 steps."""
    belt = Body("belt", Box((2.0, 0.2, 0.02)), (0.0, 0.0, 0.5), friction=1.0)
    box = cube(at=(0.0, 0.0, 0.62), friction=0.5, restitution=0.0)
    run = Mover("belt", 60, 150, velocity_m_s=(0.5, 0.0, 0.0))
    rollout = workers.call(simulate, world(belt, box, actions=(run,), steps=200))
    speed = track(rollout, "cube")[:, 7]
    assert speed[60] == pytest.approx(0, abs=1e-9)
    assert speed[72] == pytest.approx(0.5 * 9.81 * 12 * STEP_S, rel=0.05)
    assert speed[95:] == pytest.approx(np.full(106, 0.5), abs=2e-3)
    lag_m = track(rollout, "belt")[-1, 0] - track(rollout, "cube")[-1, 0]
    assert lag_m == pytest.approx(0.5**2 / (2 * 0.5 * 9.81), rel=0.1)


BELT = Body("belt", Box((0.5, 0.3, 0.02)), (0.0, 0.0, 0.5), friction=1.0)
RUNS = Mover("belt", 60, 150, velocity_m_s=(0.5, 0.0, 0.0), in_place=True)


def test_a_belt_in_place_carries_like_one_that_goes_and_stays_where_it_is(workers):
    box = cube(at=(0.0, 0.0, 0.58), half_m=0.06, friction=0.5, restitution=0.0)
    stays, goes = workers.map(
        simulate,
        [world(BELT, box, actions=(replace(RUNS, in_place=p),), steps=200) for p in (True, False)],
    )
    assert len(np.unique(track(stays, "belt"), axis=0)) == 1
    assert track(stays, "cube")[:, :3] == pytest.approx(track(goes, "cube")[:, :3], abs=1e-3)
    assert track(stays, "cube")[-1, 0] == pytest.approx(
        0.5 * (140 * STEP_S) - 0.5**2 / (2 * 0.5 * 9.81), abs=3e-3
    )
    assert stays.starts[0].step == 60


def test_what_rides_on_a_belt_falls_off_its_end_and_no_rider_disturbs_another(workers):
    riders = [cube(n, at=(0.2, y, 0.58), half_m=0.06) for n, y in (("one", -0.15), ("two", 0.15))]
    run = replace(RUNS, steps=400)
    both = world(FLOOR, BELT, *riders, actions=(run,), steps=420)
    without = replace(both, bodies=(FLOOR, BELT, replace(riders[0], mass_kg=2.0), riders[1]))
    first, second = workers.map(simulate, [both, without])
    assert np.array_equal(track(first, "two"), track(second, "two"))
    assert track(first, "one")[-1, 2] < 0.1 > track(first, "two")[-1, 2]


def test_a_mover_pushes_what_is_in_its_way_at_its_own_speed(workers):
    push = Mover("gate", 10, 150, velocity_m_s=(0.4, 0.0, 0.0))
    spec = world(FLOOR, GATE, cube(at=(0.2, 0, 0.1), restitution=0.0), actions=(push,), steps=150)
    rollout = workers.call(simulate, spec)
    assert track(rollout, "cube")[-30:, 7] == pytest.approx(np.full(30, 0.4), abs=0.03)
    gap_m = track(rollout, "cube")[:, 0] - track(rollout, "gate")[:, 0] - 0.12
    assert gap_m.min() > -1e-3


def test_what_stands_on_a_trapdoor_falls_once_it_is_away(workers):
    door = Body("door", Box((0.2, 0.2, 0.01)), (0.0, 0.0, 0.5), friction=0.1)
    away = Mover("door", 24, 60, velocity_m_s=(1.6, 0.0, 0.0))
    spec = world(
        FLOOR,
        door,
        ball(at=(0.0, 0.0, 0.61), friction=0.0),
        actions=(away,),
        detectors={"open": Moved("door", 0.1), "fall": DroppedBelow("ball", 0.4)},
        deadlines={"open": 60, "fall": 200},
    )
    outcome = workers.call(simulate, spec).outcome
    # More than 0.1 m at 1.6 m/s takes more than 15 steps.
    assert outcome.onsets["open"] == 24 + 16
    # Its edge is below the ball after 30 steps, and a fall of 0.21 m takes 50 more.
    assert 24 + 30 + 50 <= outcome.onsets["fall"] <= 24 + 30 + 50 + 12


def test_a_mover_that_squeezes_a_body_is_refused(workers):
    wall = Body("wall", Box((0.02, 0.3, 0.1)), (0.3, 0.0, 0.1))
    press = Mover("gate", 0, 200, velocity_m_s=(0.4, 0.0, 0.0))
    spec = world(FLOOR, wall, GATE, cube(at=(0.15, 0, 0.1)), actions=(press,))
    with pytest.raises(PlausibilityError, match=r"cube and (wall|gate)|gate and cube"):
        workers.call(simulate, spec)


def test_only_what_a_mover_touches_may_gain_energy(workers):
    """A cube that is thrown out of the floor is refused though a mover is on its way elsewhere."""
    aside = Mover("gate", 0, 200, velocity_m_s=(0.1, 0.0, 0.0))
    sunk = cube(at=(1.0, 0, 0.06))
    with pytest.raises(PlausibilityError, match="energy rose"):
        workers.call(simulate, world(FLOOR, GATE, sunk, actions=(aside,), steps=60))


def test_a_mover_and_what_it_pushes_change_no_bit_of_a_bystander(workers):
    push = Mover("gate", 10, 100, velocity_m_s=(0.4, 0.0, 0.0))
    pushed, still = cube(at=(0.2, 0, 0.1)), ball("other", at=(0.0, 0.2, 0.31), restitution=0.6)
    plate = Body("plate", Box((0.2, 0.1, 0.1)), (0.0, 0.6, 0.1))
    bystander = replace(still, position_m=(0.05, 0.62, 0.5))
    spec = world(FLOOR, GATE, plate, pushed, bystander, actions=(push,))
    moves, stays = workers.map(simulate, [spec, replace(spec, actions=())])
    assert strays(moves, stays, ["other", "plate", "floor"]) == ()
    assert np.array_equal(track(moves, "other"), track(stays, "other"))
    assert strays(moves, stays, ["gate", "cube"]) == ("cube", "gate")


def test_two_that_ride_on_one_mover_change_no_bit_of_each_other(workers):
    belt = Body("belt", Box((1.0, 0.3, 0.02)), (0.0, 0.0, 0.5))
    run = Mover("belt", 20, 150, velocity_m_s=(0.5, 0.0, 0.0))
    riders = [cube(n, at=(x, 0, 0.58), half_m=0.06) for n, x in (("one", -0.3), ("two", 0.3))]
    both = world(belt, *riders, actions=(run,), steps=200)
    heavier = replace(both, bodies=(belt, replace(riders[0], mass_kg=3.0), riders[1]))
    first, second = workers.map(simulate, [both, heavier])
    assert np.array_equal(track(first, "two"), track(second, "two"))


# When it starts


BUTTON = Body("button", Box((0.02, 0.1, 0.1)), (0.5, 0.0, 0.1))
GATE_AWAY = replace(GATE, position_m=(0.0, 2.0, 0.1))
OPENS = Mover("gate", Touched("button", ("ball", "other")), 24, (0.0, 0.0, 0.5), every_steps=48)


def pressing(start_steps: dict[str, int], mover: Mover = OPENS, **more) -> WorldSpec:
    """Balls that roll from either side into one button, which opens a gate far away."""
    starts = {"ball": (0.0, 1.0), "other": (1.0, -1.0)}
    balls = [ball(name, at=(x, 0, 0.1), friction=0.0) for name, (x, _) in starts.items()]
    rolls = [Launch(n, start_steps[n], (starts[n][1], 0, 0)) for n in start_steps]
    opened = {"open": Moved("gate", 0.01), "press": Touched("button", ("ball", "other"))}
    return world(
        replace(FLOOR, friction=0.1),
        BUTTON,
        GATE_AWAY,
        *balls,
        actions=(*rolls, mover),
        **{"detectors": opened, "deadlines": {"press": 200, "open": 230}} | more,
    )


def test_two_causes_a_little_apart_start_it_at_the_very_same_step(workers):
    """0.38 m at 1 m/s take 92 steps: touches at 102 and 121, starts at 144."""
    first, second = workers.map(simulate, [pressing({"ball": 10}), pressing({"other": 29})])
    assert [r.outcome.onsets["press"] for r in (first, second)] == pytest.approx([102, 121], abs=2)
    assert [r.starts[0].step for r in (first, second)] == [144, 144]
    assert first.outcome.onsets["open"] == second.outcome.onsets["open"] > 144
    assert np.array_equal(track(first, "gate"), track(second, "gate"))
    assert not np.array_equal(track(first, "ball"), track(second, "ball"))


def test_unless_it_is_touched_it_never_starts(workers):
    rollout = workers.call(simulate, pressing({}))
    assert rollout.starts == ()
    assert rollout.outcome.values == {"open": 0, "press": 0}
    assert len(np.unique(track(rollout, "gate"), axis=0)) == 1


def test_a_mover_may_be_started_by_another(workers):
    swing = Mover("arm", Moved("gate", 0.051), 60, spin_rad_s=(0, 0, 1.0))
    arm = Body("arm", Box((0.1, 0.02, 0.02)), (3.0, 0.0, 1.0))
    lift = Mover("gate", 10, 60, velocity_m_s=(0.0, 0.0, 0.5))
    spec = world(
        arm,
        GATE,
        actions=(swing, lift),
        detectors={"swing": Turned("arm", 10)},
        deadlines={"swing": 120},
    )
    rollout = workers.call(simulate, spec)
    # 0.051 m at 0.5 m/s take 24.5 steps; 10 degrees take 41.9.
    assert {s.body: s.step for s in rollout.starts} == {"gate": 10, "arm": 35}
    assert rollout.outcome.onsets == {"swing": 35 + 42}


def test_an_absent_mover_stays_out_of_sight(workers):
    lift = Mover("gate", 0, 60, velocity_m_s=(0.0, 0.0, 0.5))
    gone = replace(GATE, present=False)
    spec = world(FLOOR, gone, ball(), actions=(lift,), steps=70)
    assert (track(workers.call(simulate, spec), "gate")[:, 2] == -50).all()


# Handles


KEEP, START = KeepStill("open", "gate"), ForceStart("open", "gate", 200)


def test_keep_still_keeps_it_from_starting_and_touches_nothing_else(workers):
    loose, kept = workers.map(
        simulate,
        [pressing({"ball": 10}, handles=(KEEP,), armed=armed) for armed in ({}, {"open": 0})],
    )
    assert (loose.outcome.values["open"], kept.outcome.values) == (1, {"open": 0, "press": 1})
    assert kept.outcome.fired == {"open:=0": 1}
    assert len(np.unique(track(kept, "gate"), axis=0)) == 1
    assert strays(loose, kept, ["ball", "other", "button", "floor"]) == ()


@pytest.mark.parametrize(("rolls", "opens"), [({}, 200), ({"ball": 10}, 144)])
def test_force_start_starts_it_only_if_it_must(workers, rolls, opens):
    forced = pressing(rolls, handles=(START,), armed={"open": 1})
    rollout = workers.call(simulate, forced)
    assert [s.step for s in rollout.starts] == [opens]
    # The gate is 0.5 / 240 m up after the first step, more than 0.01 m after the fifth.
    assert rollout.outcome.onsets["open"] == opens + 5
    assert rollout.outcome.fired == {"open:=1": int(not rolls)}
    if rolls:
        alone = workers.call(simulate, replace(forced, armed={}))
        assert alone.outcome.digest == rollout.outcome.digest


def test_a_hold_on_what_presses_reaches_the_gate(workers):
    hold = HoldNear("press", "ball", "button", gap_m=0.05)
    spec = pressing({"ball": 10}, handles=(hold,))
    free, held = workers.map(simulate, [spec, replace(spec, armed={"press": 0})])
    assert held.outcome.values == {"open": 0, "press": 0}
    assert reached({"ball"}, moving_bodies([spec]), (free, held)) == {"ball", "gate"}
    assert reached({"gate"}, moving_bodies([spec]), (free, held)) == {"gate"}
    assert strays(free, held, ["ball", "gate", "other"]) == ("ball", "gate")


def test_what_a_mover_pushes_is_reached_from_what_started_it():
    contacts = ((), (("a", "gate", 1.0),), (("b", "gate", 1.0),), (("a", "button", 1.0),))
    rollout = Rollout(
        (), np.zeros((4, 0, 13)), contacts, (), None, (Start("gate", 2, ("button", "c")),)
    )
    assert reached({"c"}, {"a", "b", "c"}, [rollout]) == {"c", "gate", "a", "b"}
    assert reached({"a"}, {"a", "b", "c"}, [rollout]) == {"a"}


# What is refused


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"actions": (Mover("ball", 0, 9),)}, "ball: a mover's body needs mass 0"),
        ({"actions": (Mover("gate", 0, 9), Mover("gate", 20, 9))}, "gate: .* has one mover"),
        ({"actions": (Mover("door", 0, 9),)}, "an action names the body 'door'"),
        ({"actions": (Mover("gate", Touched("knob", ()), 9),)}, "an action names the body 'knob'"),
        ({"handles": (KEEP,)}, "starts or stops gate, which has no mover"),
        ({"handles": (START,)}, "starts or stops gate, which has no mover"),
        (
            {"actions": (Mover("gate", 0, 9),), "handles": (HoldMoved("open", "gate", 0.1),)},
            "cannot hold gate, which a mover drives: keep it from starting by KeepStill",
        ),
    ],
)
def test_what_no_mover_can_do_is_refused(more, words):
    with pytest.raises(InputError, match=words):
        world(FLOOR, GATE, ball(), **more)
