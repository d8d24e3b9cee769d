"""The engine against physics known on paper, and against itself: the same world, the same bits."""

import os
import resource
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from simworld.errors import SimworldError
from simworld.executors import TUNABLES
from simworld.world.engine import PHYSICS, STEP_S, creation_order, load_pybullet, open_engine
from simworld.world.rollout import Rollout
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Box, Breakable, Cylinder, Launch, Mug, WorldSpec
from tests.worlds import FLOOR, G_M_S2, ball, cube, cup_context, cup_rollout, world

FAR = cube("far", at=(4.0, 4.0, 0.1))


def path(rollout: Rollout, body: str, axis: int) -> np.ndarray:
    return rollout.states[:, rollout.index(body), axis]


def speed(rollout: Rollout, body: str, axis: int) -> np.ndarray:
    return rollout.states[:, rollout.index(body), 7 + axis]


def states_of(rollout: Rollout, body: str) -> bytes:
    return rollout.states[:, rollout.index(body)].tobytes()


# What physics says


def test_a_free_fall_takes_half_g_t_squared(workers):
    fall = workers.call(simulate, world(ball(at=(0, 0, 10)), steps=240))
    time_s = np.arange(241) * STEP_S
    drop_m = 10 - path(fall, "ball", 2)
    step_error_m = G_M_S2 * time_s * STEP_S
    assert (np.abs(drop_m - G_M_S2 * time_s**2 / 2) <= step_error_m + 1e-12).all()
    assert np.abs(path(fall, "ball", 0)).max() == 0


@pytest.mark.parametrize("shape", [Box((0.1, 0.1, 0.03)), Cylinder(0.1, 0.06), Mug(0.1, 0.06)])
def test_friction_stops_a_slider_after_v_squared_over_two_mu_g(workers, shape):
    slider = Body("slider", shape, (0, 0, 0.03), mass_kg=1.0, friction=0.4, restitution=0.0)
    push = Launch("slider", 24, (2.0, 0.0, 0.0))
    slide = workers.call(simulate, world(FLOOR, slider, actions=(push,), steps=300))
    assert path(slide, "slider", 0)[-1] == pytest.approx(2.0**2 / (2 * 0.4 * G_M_S2), rel=0.02)
    assert speed(slide, "slider", 0)[-1] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("drop_m", [0.2, 0.5, 1.5])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.8])
def test_a_bounce_gives_back_the_declared_restitution_and_never_all(workers, drop_m, restitution):
    """Mending an overlap adds speed: at most `erp` of that of the impact."""
    floor = replace(FLOOR, restitution=1.0)
    dropped = ball(at=(0, 0, 0.1 + drop_m), restitution=restitution)
    bounce = speed(workers.call(simulate, world(floor, dropped, steps=200)), "ball", 2)
    impact = np.abs(bounce).argmax()
    ratio = bounce[impact + 1 :].max() / -bounce[impact]
    assert restitution - 0.02 <= ratio <= restitution + PHYSICS["erp"]
    assert ratio < 1


@pytest.mark.parametrize("mass_kg", [0.5, 1.0, 3.0])
def test_a_collision_on_a_line_keeps_momentum(workers, mass_kg):
    ice = replace(FLOOR, friction=0.0)
    one = ball("one", at=(-0.5, 0, 0.1), restitution=0.9)
    other = ball("other", at=(0.0, 0, 0.1), mass_kg=mass_kg, restitution=0.8)
    push = Launch("one", 10, (2.0, 0.0, 0.0))
    crash = workers.call(simulate, world(ice, one, other, actions=(push,), steps=200))
    fast, slow = speed(crash, "one", 0)[-1], speed(crash, "other", 0)[-1]
    assert fast + mass_kg * slow == pytest.approx(2.0, rel=1e-6)
    assert 0.9 * 0.8 - 0.02 <= (slow - fast) / 2.0 <= 0.9 * 0.8 + 1e-6


def test_a_launched_body_has_its_velocity_from_that_step_on(workers):
    thrown = ball(at=(0, 0, 5))
    throw = Launch("ball", 30, (1.0, 2.0, 3.0), spin_rad_s=(0.0, 0.0, 7.0))
    states = workers.call(simulate, world(thrown, actions=(throw,), steps=40)).states[:, 0]
    assert states[30, 7:9].tolist() == [0, 0]
    assert states[31, 7:9].tolist() == pytest.approx([1, 2])
    assert states[31, 12] == pytest.approx(7)


# The same world, the same bits


def bouncing_crowd(*more: Body, steps: int = 240) -> WorldSpec:
    """A world in which every body touches another one, and chaos would show."""
    bodies = [
        FLOOR,
        cube("low", at=(0.0, 0.0, 0.1)),
        cube("mid", at=(0.05, 0.02, 0.35), half_m=0.12),
        ball(at=(0.11, 0.03, 0.8), restitution=0.7),
    ]
    return world(*bodies, *more, steps=steps)


def digests(specs: tuple[WorldSpec, ...]) -> list[str]:
    return [simulate(spec).outcome.digest for spec in specs]


def test_one_world_has_one_digest_again_and_in_any_worker(workers):
    spec, other = bouncing_crowd(), bouncing_crowd(FAR)
    found = workers.map(digests, [(spec, other, spec), (other, spec), (spec,), (spec, spec)])
    assert len({found[0][0], found[0][2], found[1][1], *found[2], *found[3]}) == 1
    assert found[0][1] == found[1][0] != found[0][0]


def stepped_in_turns(one: WorldSpec, other: WorldSpec) -> list[list[tuple[float, ...]]]:
    """Step two worlds that are open at once, in turns; one ends long before the other."""
    with open_engine(one) as first:
        ended: list[tuple[float, ...]] = []
        with open_engine(other) as second:
            for _ in range(60):
                first.step()
                second.step()
            ended = [second.state(name) for name in second.moving]
        for _ in range(60):
            first.step()
        return [[first.state(name) for name in first.moving], ended]


def test_two_worlds_open_at_once_do_not_disturb_each_other(workers):
    one, other = bouncing_crowd(), world(FLOOR, ball(at=(0.1, 0, 0.4)), cube())
    apart = [workers.call(simulate, replace(spec, duration_steps=120)) for spec in (one, other)]
    together = workers.call(stepped_in_turns, one, other)
    assert np.array_equal(together[0], apart[0].states[120, 1:])
    assert np.array_equal(together[1], apart[1].states[60, 1:])


def memory_and_digests(spec: WorldSpec, warm: int, times: int) -> tuple[float, set[str]]:
    """Resident megabytes that `times` worlds add once `warm` have been run, and all digests."""
    seen = {simulate(spec).outcome.digest for _ in range(warm)}
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seen |= {simulate(spec).outcome.digest for _ in range(times)}
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb) / 1024, seen


def test_fifty_worlds_in_a_row_are_one_and_take_no_more_memory(workers):
    mug = Body("mug", Mug(0.05, 0.12), (1.0, 0, 0.06), mass_kg=0.2, breakable=Breakable(2.0))
    spec = bouncing_crowd(mug, steps=30)
    grown_mb, seen = workers.call(memory_and_digests, spec, 10, 50)
    assert len(seen) == 1
    assert grown_mb < 4


@pytest.mark.slow
def test_two_hundred_worlds_that_break_a_mug_take_no_more_memory(workers):
    mug = Body("mug", Mug(0.05, 0.12), (1.0, 0, 0.9), mass_kg=0.2, breakable=Breakable(2.0))
    spec = bouncing_crowd(mug, steps=120)
    grown_mb, seen = workers.call(memory_and_digests, spec, 50, 150)
    assert len(seen) == 1
    assert grown_mb < 6


@pytest.mark.parametrize("as_nuisance", [True, False])
@pytest.mark.parametrize("mass_kg", [0.0, 1.0])
def test_a_far_bystander_changes_no_bit_of_any_other(workers, mass_kg, as_nuisance):
    bystander = replace(FAR, mass_kg=mass_kg, nuisance=as_nuisance)
    without, among = workers.map(simulate, [bouncing_crowd(), bouncing_crowd(bystander)])
    for name in without.bodies:
        assert states_of(without, name) == states_of(among, name), name


def test_the_book_on_the_cups_table_changes_no_bit_of_any_other(workers):
    without = workers.call(cup_rollout, cup_context())
    among = workers.call(cup_rollout, cup_context(book="present"))
    assert without.outcome.values == among.outcome.values
    assert len(without.bodies) > 20  # shards and all
    for name in without.bodies:
        if name != "book":
            assert states_of(without, name) == states_of(among, name), name


def test_nuisances_are_made_last_wherever_they_are_declared(workers):
    nuisance = replace(FAR, nuisance=True)
    first = replace(bouncing_crowd(), bodies=(nuisance, *bouncing_crowd().bodies))
    last = bouncing_crowd(nuisance)
    assert [body.name for body in creation_order(first)][-1] == "far"
    assert creation_order(first) == creation_order(last)
    one, other = workers.map(simulate, [first, last])
    assert one.outcome.digest == other.outcome.digest
    assert one.bodies == other.bodies


def test_an_absent_body_touches_nothing_where_it_would_stand(workers):
    plate = Body("plate", Box((0.5, 0.5, 0.05)), (0, 0, 0.5), present=False)
    bar = cube("bar", at=(0, 0, 1.0), half_m=0.3, present=False)
    falls = world(FLOOR, plate, bar, ball(at=(0, 0, 1.5)), steps=150)
    through, alone = workers.map(simulate, [falls, world(FLOOR, ball(at=(0, 0, 1.5)), steps=150)])
    assert {name for step in through.contacts for pair in step for name in pair[:2]} == {
        "ball",
        "floor",
    }
    assert states_of(through, "ball") == states_of(alone, "ball")
    assert len(set(through.states[:, through.index("bar"), 2])) == 1


# How it runs


def test_physics_outside_a_worker_is_refused():
    with pytest.raises(SimworldError, match=r"worker processes only.*executors\.Workers"):
        simulate(world(ball()))


def solver_parameters() -> dict[str, float]:
    with open_engine(world(ball())) as engine:
        found: dict[str, float] = engine.bullet.getPhysicsEngineParameters(
            physicsClientId=engine.client
        )
        return found


def test_the_recorded_solver_parameters_are_the_ones_in_force(workers):
    found = workers.call(solver_parameters)
    known = {name: value for name, value in PHYSICS.items() if name in found}
    assert {"fixedTimeStep", "numSolverIterations", "numSubSteps"} <= known.keys()
    assert {name: found[name] for name in known} == pytest.approx(known)
    assert found["gravityAccelerationZ"] == pytest.approx(-G_M_S2)


def test_importing_pybullet_prints_nothing():
    code = f"from {load_pybullet.__module__} import load_pybullet; load_pybullet()"
    environment = {**os.environ, "GLIBC_TUNABLES": TUNABLES}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def held_then_released(spec: WorldSpec) -> list[float]:
    """Heights of the ball: when it is held, a second later, and a second after its release."""
    heights = []
    with open_engine(spec) as engine:
        for _ in range(60):
            engine.step()
        engine.hold("ball")
        heights.append(engine.state("ball")[2])
        for _ in range(240):
            engine.step()
        heights.append(engine.state("ball")[2])
        engine.release("ball")
        engine.release("ball")  # nothing to release any more
        for _ in range(240):
            engine.step()
        return [*heights, engine.state("ball")[2]]


def test_a_held_body_stays_where_it_is_until_it_is_released(workers):
    held, later, released = workers.call(held_then_released, world(ball(at=(0, 0, 9))))
    assert later == pytest.approx(held, abs=1e-3)
    assert later - released == pytest.approx(G_M_S2 / 2, rel=0.01)


def gaps(spec: WorldSpec) -> list[float]:
    with open_engine(spec) as engine:
        return [engine.gap_m("ball", "cube", within) for within in (0.5, 0.2)]


def test_the_gap_is_the_distance_between_surfaces(workers):
    spec = world(ball(at=(0.5, 0, 0.1)), cube())
    near, too_far = workers.call(gaps, spec)
    assert near == pytest.approx(0.5 - 0.1 - 0.1, abs=2e-3)
    assert too_far == float("inf")


@pytest.mark.parametrize("names", [("ball", "floor"), ("a", "z"), ("z", "a")])
def test_contacts_name_a_pair_in_one_order_whoever_was_made_first(workers, names):
    under, above = names
    bodies = [replace(FLOOR, name=under), ball(above, at=(0, 0, 0.1), restitution=0.0)]
    for order in (bodies, bodies[::-1]):
        rest = workers.call(simulate, world(*order, steps=60))
        touching = {pair for step in rest.contacts for pair in [c[:2] for c in step]}
        assert touching == {tuple(sorted(names))}


def test_a_resting_body_is_carried_by_m_g_in_every_step(workers):
    box = cube(mass_kg=2.0, restitution=0.0)
    rest = workers.call(simulate, world(FLOOR, box, steps=120))
    impulses = [sum(n for *_, n in step) for step in rest.contacts]
    assert impulses[0] == 0
    assert impulses[60:] == pytest.approx([2.0 * G_M_S2 * STEP_S] * 61, rel=0.01)
