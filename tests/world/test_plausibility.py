"""What cannot happen is refused, by name and step; what can happen is not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.errors import PlausibilityError
from simworld.world.detectors import DroppedBelow
from simworld.world.plausibility import OVERLAP_STEPS, check_energy, energy_j
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Box, Cylinder, Launch, Soft, Sphere
from tests.worlds import FLOOR, G_M_S2, ball, cube, cup_context, cup_rollout, world

WALL = Body("wall", Box((0.02, 1.0, 1.0)), (2.0, 0.0, 1.0))
PAD = Soft(stiffness_n_m=900.0, damping_n_s_m=30.0)


def refused(workers, spec, words: str) -> None:
    with pytest.raises(PlausibilityError, match=words):
        workers.call(simulate, spec)


def test_a_ball_fast_enough_to_tunnel_is_refused(workers):
    shot = Launch("ball", 5, (60.0, 0.0, 0.0))
    spec = world(FLOOR, WALL, ball(), actions=(shot,), steps=40)
    refused(workers, spec, r"^step 6: ball moves at 60\.0 m/s, .* \(at most 9\.6 m/s\)$")
    slower = replace(spec, actions=(replace(shot, velocity_m_s=(9.0, 0.0, 0.0)),))
    stopped = workers.call(simulate, replace(slower, duration_steps=90))
    assert stopped.states[:, stopped.index("ball"), 0].max() < 2.0


@pytest.mark.parametrize("post", [Cylinder(0.03, 2.0), Sphere(0.03)], ids=["post", "bead"])
def test_thin_round_obstacles_count_as_well(workers, post):
    shot = Launch("ball", 5, (16.0, 0.0, 0.0))
    thin = Body("thin", post, (2.0, 0.0, 1.0))
    spec = world(FLOOR, thin, ball(), actions=(shot,), steps=20)
    refused(workers, spec, r"ball moves at 16\.0 m/s, .* \(at most 14\.4 m/s\)")
    workers.call(simulate, replace(spec, bodies=(FLOOR, replace(thin, present=False), ball())))


def test_bodies_that_stay_inside_each_other_are_refused(workers):
    walls = [Body(n, Box((0.1, 1, 1)), (x, 0, 1)) for n, x in (("left", -0.18), ("right", 0.18))]
    wedged = world(FLOOR, *walls, ball(at=(0, 0, 1)), steps=30)
    late = OVERLAP_STEPS + 1
    words = rf"^step {late}: ball and (left|right) have overlapped for {late} steps, now by \d+\.\d"
    refused(workers, wedged, words)


def test_a_body_that_is_thrown_out_of_another_is_refused(workers):
    sunk = world(FLOOR, cube(at=(0, 0, 0.06)), steps=30)
    refused(workers, sunk, r"^step 1: energy rose from 0\.5886 J to")


def test_a_hard_landing_and_a_soft_one_are_not(workers):
    workers.call(simulate, world(FLOOR, cube(at=(0, 0, 2.1), restitution=0.0), steps=240))
    pad = Body("pad", Box((1, 1, 0.1)), (0, 0, 0.1), soft=PAD, restitution=0.0)
    landing = cube(at=(0, 0, 0.8), mass_kg=0.2, restitution=0.0)
    rollout = workers.call(simulate, world(FLOOR, pad, landing, steps=240))
    assert rollout.states[:, rollout.index("cube"), 2].min() < 0.295  # it does sink in


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (world(ball(at=(0, 0, 1)), steps=200), r"ball left the room at \(0\.0, 0\.0, -0\.2\d\) m"),
        (
            world(FLOOR, ball(), actions=(Launch("ball", 0, (0, 0, 20.0)),), steps=240),
            r"ball left the room at \(0\.0, 0\.0, 15\.\d+\) m",
        ),
    ],
    ids=["fell", "flew"],
)
def test_a_lost_body_is_refused(workers, spec, words):
    refused(workers, spec, words)


def test_an_event_after_its_deadline_is_refused(workers):
    """From 1 m a ball is below 0.5 m after 0.319 s, or 76.6 steps."""
    spec = world(
        FLOOR,
        ball(at=(0, 0, 1.0)),
        detectors={"fall": DroppedBelow("ball", 0.5)},
        deadlines={"fall": 76},
        steps=100,
    )
    refused(workers, spec, r"^step 77: fall happened after its deadline")
    in_time = workers.call(simulate, replace(spec, deadlines={"fall": 77}))
    assert in_time.outcome.onsets == {"fall": 77}


# Energy


def test_energy_is_the_textbooks():
    states = np.full((2, 2, 13), np.nan)
    states[:, 0] = [0, 0, 2, 0, 0, 0, 1, 3, 4, 0, 0, 0, 5]
    quarter_about_x = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]
    states[1, 1] = [0, 0, 0, *quarter_about_x, 0, 0, 0, 0, 0, 7]
    mass_kg, inertia = np.array([2.0, 1.0]), np.array([[9, 9, 0.5], [9, 0.1, 9]])
    first = 2 * G_M_S2 * 2 + 0.5 * 2 * 25 + 0.5 * 0.5 * 25
    turned = 0.5 * 0.1 * 49  # its own y axis points along z
    assert energy_j(states, mass_kg, inertia) == pytest.approx([first, first + turned])


def test_a_free_fall_and_a_bounce_keep_their_energy(workers):
    rollout = workers.call(simulate, world(FLOOR, ball(at=(0, 0, 1.1), restitution=0.7), steps=240))
    inertia = np.full((1, 3), 0.4 * 0.1**2)
    energy = energy_j(rollout.states[:, 1:], np.array([1.0]), inertia)
    assert energy[0] == pytest.approx(1.1 * G_M_S2)
    assert (energy < energy[0] * 1.001).all()
    check_energy(energy, set())


@given(st.lists(st.floats(0, 5), min_size=1, max_size=60), st.floats(0.1, 100))
def test_energy_that_only_falls_is_never_refused(losses, start):
    check_energy(start + 5 * len(losses) - np.cumsum(losses), set())


@given(st.floats(0, 1000), st.integers(1, 79), st.floats(0.03, 2))
def test_energy_from_nowhere_is_refused_unless_something_acted_then(level, step, share):
    energy = np.full(80, level)
    energy[step:] += share * level + 0.01
    with pytest.raises(PlausibilityError, match=rf"^step {step}: energy rose from .* nothing put"):
        check_energy(energy, set())
    check_energy(energy, {step})


def test_a_spring_gives_back_soon_or_not_at_all():
    energy = np.array([10.0] + [5.0] * 40 + [10.0] * 5)
    check_energy(energy, set())
    with pytest.raises(PlausibilityError):
        check_energy(np.array([10.0] + [5.0] * 60 + [10.0] * 5), set())


def test_a_launch_puts_energy_in_but_only_at_its_step(workers):
    push = Launch("ball", 50, (3.0, 0, 0))
    workers.call(simulate, world(FLOOR, ball(at=(0, 0, 0.1)), actions=(push,), steps=100))


def test_the_falling_cup_is_plausible_to_its_end(workers):
    rollout = workers.call(cup_rollout, cup_context())
    assert rollout.breaks and rollout.steps == 840
