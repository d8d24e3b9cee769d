"""A body on a hinge obeys the textbook: a pendulum's period, a door's angular momentum."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simworld.errors import InputError
from simworld.world.detectors import Touched, Turned
from simworld.world.engine import PHYSICS
from simworld.world.handles import ForceLaunch, HoldTurned
from simworld.world.plausibility import energy_j
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Box, Breakable, Cylinder, Hinge, Launch, Mug, Quat, Sphere
from tests.worlds import FLOOR, G_M_S2, STEP_S, ball, cube, world

ARM_M = 0.5
NAIL = Hinge(at_m=(0.0, 0.0, 2.0), axis=(0.0, 1.0, 0.0))


def about_y(degrees: float) -> Quat:
    half = math.radians(degrees) / 2
    return (0.0, math.sin(half), 0.0, math.cos(half))


def bob(shape, degrees: float) -> Body:
    """A body that hangs from a nail by a rod without mass, drawn aside to +x."""
    a = math.radians(degrees)
    place = (ARM_M * math.sin(a), 0.0, 2.0 - ARM_M * math.cos(a))
    return Body("bob", shape, place, about_y(-degrees), mass_kg=1.0, hinge=NAIL)


def track(rollout: Rollout, body: str) -> np.ndarray:
    return rollout.states[:, rollout.index(body)]


def period_s(swing: np.ndarray) -> float:
    """Mean time between passages through the lowest point in one direction."""
    before = np.flatnonzero((swing[:-1] > 0) & (swing[1:] <= 0))
    at = before + swing[before] / (swing[before] - swing[before + 1])
    return float(np.diff(at).mean()) * STEP_S


@pytest.mark.parametrize(
    ("shape", "inertia"),
    [
        (Sphere(0.1), 0.4 * 0.1**2),
        (Cylinder(0.1, 0.3), 0.1**2 / 4 + 0.3**2 / 12),
        (Box((0.05, 0.2, 0.15)), (0.05**2 + 0.15**2) / 3),
    ],
    ids=["sphere", "cylinder", "box"],
)
@pytest.mark.parametrize("degrees", [5, 40])
def test_a_pendulum_swings_with_the_period_of_theory(workers, shape, inertia, degrees):
    """2 pi sqrt(I / m g l), times 1 + a^2/16 + 11 a^4/3072 for an amplitude a."""
    rollout = workers.call(simulate, world(bob(shape, degrees), steps=1800))
    slow = 2 * math.pi * math.sqrt((inertia + ARM_M**2) / (G_M_S2 * ARM_M))
    a = math.radians(degrees)
    theory = slow * (1 + a**2 / 16 + 11 * a**4 / 3072)
    assert period_s(track(rollout, "bob")[:, 0]) == pytest.approx(theory, rel=1e-3)


def test_a_pendulum_keeps_its_energy_and_its_distance_from_the_nail(workers):
    rollout = workers.call(simulate, world(bob(Sphere(0.1), 60), steps=1800))
    states = track(rollout, "bob")
    energy = energy_j(states[:, None], np.array([1.0]), np.full((1, 3), 0.4 * 0.1**2))
    swing = G_M_S2 * ARM_M * (1 - math.cos(math.radians(60)))
    assert np.abs(energy - energy[0]).max() < 0.02 * swing
    arm = np.hypot(states[:, 0], states[:, 2] - 2.0)
    assert arm == pytest.approx(np.full(1801, ARM_M), abs=1e-9)
    assert np.abs(states[:, 1]).max() < 1e-12


# A door: 0.8 m wide, on a post at its left edge

WIDE_M, THICK_M = 0.8, 0.04
DOOR = Body(
    "door",
    Box((WIDE_M / 2, THICK_M / 2, 0.5)),
    (WIDE_M / 2, 0.0, 0.6),
    mass_kg=2.0,
    restitution=0.0,
    hinge=Hinge((0.0, 0.0, 0.6), (0.0, 0.0, 1.0)),
)
DOOR_INERTIA = 2.0 * (WIDE_M**2 + THICK_M**2) / 12 + 2.0 * (WIDE_M / 2) ** 2


def test_a_ball_gives_a_door_its_angular_momentum_about_the_hinge(workers):
    """It strikes at 0.6 m; a frictionless hit pushes along the door's normal only."""
    hit = ball(at=(0.6, -0.5, 0.6), mass_kg=0.5, friction=0.0, restitution=0.5)
    spec = world(DOOR, hit, actions=(Launch("ball", 0, (0.0, 3.0, 0.0)),), steps=60)
    rollout = workers.call(simulate, spec)
    spin = track(rollout, "door")[:, 12]
    assert spin[20] == 0 < spin[-1]
    x, velocity = track(rollout, "ball")[:, 0], track(rollout, "ball")[:, 8]
    about_hinge = DOOR_INERTIA * spin + 0.5 * x * velocity
    assert about_hinge[-1] == pytest.approx(0.5 * 0.6 * 3.0, rel=0.005)


@pytest.mark.parametrize("restitution", [0.0, 0.4, 0.8])
def test_a_door_bounces_as_declared(workers, restitution):
    """Where it is hit, at 0.6 m, it weighs as much as I / r^2."""
    door = replace(DOOR, restitution=1.0)
    hit = ball(at=(0.6, -0.3, 0.6), mass_kg=0.5, friction=0.0, restitution=restitution)
    spec = world(door, hit, actions=(Launch("ball", 0, (0.0, 3.0, 0.0)),), steps=40)
    rollout = workers.call(simulate, spec)
    apart = 0.6 * track(rollout, "door")[-1, 12] - track(rollout, "ball")[-1, 8]
    assert restitution - 0.02 <= apart / 3.0 <= restitution + PHYSICS["erp"]


@pytest.mark.parametrize("friction", [0.1, 0.5])
def test_what_slides_on_a_hinged_plank_is_slowed_as_declared(workers, friction):
    """It stops after v^2 / (2 mu g); the hinge is too stiff to turn."""
    plank = Body(
        "plank",
        Box((1.0, 0.2, 0.02)),
        (0.0, 0.0, 0.5),
        mass_kg=1.0,
        friction=friction,
        hinge=Hinge((0.0, 0.0, 0.5), (0.0, 1.0, 0.0), friction_n_m=500.0),
    )
    slider = cube(at=(-0.3, 0.0, 0.57), half_m=0.05, friction=1.0, restitution=0.0)
    spec = world(plank, slider, actions=(Launch("cube", 24, (0.7, 0.0, 0.0)),), steps=240)
    gone = track(workers.call(simulate, spec), "cube")[-1, 0] + 0.3
    assert gone == pytest.approx(0.7**2 / (2 * friction * G_M_S2), rel=0.05)


def test_a_door_turns_about_its_edge_and_is_seen_to(workers):
    push = Launch("door", 10, (5.0, 5.0, 5.0), (1.0, 1.0, math.pi / 2))
    opened = {"detectors": {"open": Turned("door", 45)}, "deadlines": {"open": 200}}
    rollout = workers.call(simulate, world(DOOR, actions=(push,), **opened))
    # A quarter turn a second: more than 45 degrees after more than 120 steps.
    assert rollout.outcome.onsets == {"open": pytest.approx(10 + 121, abs=1)}
    at_90 = track(rollout, "door")[10 + 240 - 10]
    angle = math.pi / 2 * 230 / 240
    assert at_90[:2] == pytest.approx([0.4 * math.cos(angle), 0.4 * math.sin(angle)], abs=1e-6)


def test_friction_stops_a_door_after_the_angle_of_theory(workers):
    """I w^2 / 2 = torque x angle."""
    stiff = replace(DOOR, hinge=replace(DOOR.hinge, friction_n_m=0.3))
    push = Launch("door", 0, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    rollout = workers.call(simulate, world(stiff, actions=(push,), steps=480))
    states = track(rollout, "door")
    angle = 2 * math.atan2(states[-1, 5], states[-1, 6])
    assert angle == pytest.approx(DOOR_INERTIA / (2 * 0.3), rel=0.01)
    assert states[-1, 12] == pytest.approx(0, abs=1e-9)


def test_friction_holds_up_what_pulls_less_and_not_what_pulls_more(workers):
    """A seesaw with 0.2 kg more at 0.5 m from its middle pulls with 0.98 N m."""
    bodies = []
    for friction in (0.5, 1.1):
        plank = Body(
            "plank",
            Box((0.7, 0.1, 0.02)),
            (0.0, 0.0, 1.0),
            mass_kg=2.0,
            hinge=Hinge((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), friction),
        )
        load = cube("load", at=(0.5, 0, 1.07), half_m=0.05, mass_kg=0.2, restitution=0.0)
        bodies.append((plank, load))
    tips = {"detectors": {"tip": Turned("plank", 2)}, "deadlines": {"tip": 110}}
    rollouts = workers.map(simulate, [world(*pair, steps=120, **tips) for pair in bodies])
    assert [r.outcome.values["tip"] for r in rollouts] == [1, 0]


def test_a_hinged_body_collides_where_it_is(workers):
    """A ball falls onto the far end of a beam whose hinge is at the near end."""
    beam = Body(
        "beam",
        Box((0.5, 0.1, 0.02)),
        (0.5, 0.0, 1.0),
        mass_kg=1.0,
        hinge=Hinge((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), friction_n_m=50.0),
    )
    falls = ball(at=(0.9, 0.0, 1.5), restitution=0.0)
    hits = {"detectors": {"hit": Touched("beam", ("ball",))}, "deadlines": {"hit": 110}}
    rollout = workers.call(simulate, world(beam, falls, steps=120, **hits))
    drop_m = 1.5 - 0.1 - 1.02
    assert rollout.outcome.onsets["hit"] * STEP_S == pytest.approx(
        math.sqrt(2 * drop_m / G_M_S2), abs=0.01
    )


# Handles and bits


def test_a_hold_on_a_door_stops_it_at_once_and_a_force_frees_it(workers):
    push = Launch("door", 10, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    hold = HoldTurned("open", "door", degrees=5.0)
    spec = world(
        replace(FLOOR, friction=0.0),
        DOOR,
        ball(at=(0.6, -0.5, 0.1)),
        actions=(push, Launch("ball", 60, (0.0, 2.0, 0.0))),
        detectors={"open": Turned("door", 10), "shut": Turned("door", 60)},
        deadlines={"open": 235, "shut": 235},
        handles=(hold, ForceLaunch("shut", "door", 170, (0.0, 0.0, 0.0), (0.0, 0.0, 5.0))),
        armed={"open": 0},
    )
    held, freed = workers.map(
        simulate, [spec, replace(spec, armed={"shut": 1, "open": 0}, duration_steps=238)]
    )
    angle = np.degrees(2 * np.arctan2(track(held, "door")[:, 5], track(held, "door")[:, 6]))
    assert held.outcome.values == {"open": 0, "shut": 0}
    assert 5.0 < angle[-1] < 5.3
    assert angle[60:] == pytest.approx(np.full(len(angle[60:]), angle[-1]), abs=0.05)
    assert any({"ball", "door"} == set(pair[:2]) for step in held.contacts for pair in step)
    assert freed.outcome.values["shut"] == 1


def test_handles_on_a_hinge_that_are_not_armed_change_no_bit(workers):
    push = Launch("door", 10, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    bare = world(FLOOR, DOOR, ball(at=(0.6, -0.5, 0.6)), actions=(push,), steps=120)
    handles = (HoldTurned("open", "door", 5.0), ForceLaunch("open", "door", 50, (0, 0, 1.0)))
    one, other = workers.map(simulate, [bare, replace(bare, handles=handles)])
    assert one.outcome.digest == other.outcome.digest


def test_a_hinged_body_and_a_far_one_change_no_bit_of_each_other(workers):
    far = [cube("far", at=(4.0, 4.0, 0.5)), cube("farther", at=(4.05, 4.0, 0.75))]
    door = replace(DOOR, mass_kg=2.0)
    push = Launch("door", 10, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    both = world(FLOOR, door, *far, actions=(push,))
    alone, resting = world(FLOOR, door, actions=(push,)), world(FLOOR, door, *far)
    one, other, third = workers.map(simulate, [both, alone, resting])
    assert np.array_equal(track(one, "door"), track(other, "door"))
    for name in ("far", "farther"):
        assert np.array_equal(track(one, name), track(third, name))


def test_an_absent_door_is_out_of_sight(workers):
    rollout = workers.call(simulate, world(replace(DOOR, present=False), ball(), steps=30))
    assert track(rollout, "door")[-1, 2] == -50


@pytest.mark.parametrize(
    "wrong",
    [
        {"mass_kg": 0.0},
        {"shape": Mug(0.05, 0.1), "breakable": Breakable(2.0)},
    ],
)
def test_what_cannot_hang_on_a_hinge_is_refused(wrong):
    with pytest.raises(InputError, match="door: a body on a hinge needs mass and cannot break"):
        world(replace(DOOR, **wrong))
