"""Breaking keeps mass, momentum, spin and energy, and happens at the peak that is declared."""

from dataclasses import replace

import numpy as np
import pytest

from simworld.errors import InputError
from simworld.world.engine import open_engine
from simworld.world.fracture import cut
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Bottle, Box, Breakable, Cylinder, Mug, Soft, Vase, WorldSpec
from tests.worlds import FLOOR, G_M_S2, STEP_S, world

MUG = Body(
    "mug", Mug(0.05, 0.12), (0, 0, 3.0), mass_kg=0.2, restitution=0.0, breakable=Breakable(2.0)
)
VASE = replace(MUG, shape=Cylinder(0.1, 0.3), breakable=Breakable(2.0, sectors=8, rings=3))
GLASS_VASE = replace(MUG, shape=Vase(0.07, 0.18, 0.008), breakable=Breakable(2.0, rings=3))
BOTTLE = replace(MUG, shape=Bottle(0.04, 0.24), breakable=Breakable(2.0, rings=3))
TURNED = (0.1, -0.3, 0.5, 0.806225774829855)
STEEL = replace(MUG, breakable=Breakable(None))


@pytest.mark.parametrize(
    "body", [MUG, VASE, GLASS_VASE, BOTTLE], ids=["mug", "jar", "vase", "bottle"]
)
def test_shards_are_cut_evenly_about_the_bodys_own_centre(body):
    shards = cut(body)
    assert len(shards) == body.breakable.rings * body.breakable.sectors
    offsets = np.array([shard.offset_m for shard in shards])
    assert np.abs(offsets.mean(axis=0)).max() < 1e-15
    for shard in shards:
        points = np.array(shard.points_m)
        assert np.abs(points.mean(axis=0)).max() < 1e-15
        assert (np.hypot(*(points + shard.offset_m)[:, :2].T) < body.shape.radius_m).all()
        assert (np.abs((points + shard.offset_m)[:, 2]) < body.shape.height_m / 2).all()


def test_a_body_that_does_not_break_is_not_cut():
    assert cut(replace(MUG, breakable=None)) == ()


def test_only_hollow_bodies_can_be_cut():
    with pytest.raises(InputError, match=r"body mug: expected .* a Mug.* Cylinder, found a Box"):
        cut(replace(MUG, shape=Box((0.1, 0.1, 0.1))))


def turn(quat_xyzw: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion (Hamilton)."""
    x, y, z, w = quat_xyzw
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def moments(engine, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Mass, momentum, angular momentum about the origin, and energy, by the textbook's sums."""
    found = {"mass": 0.0, "momentum": np.zeros(3), "spin": np.zeros(3), "energy": 0.0}
    for name in names:
        state, mass = np.array(engine.state(name)), engine.mass_kg[name]
        place, velocity, spin = state[:3], state[7:10], state[10:]
        axes = turn(state[3:7])
        own = axes @ np.diag(engine.inertia[name]) @ axes.T @ spin
        found["mass"] += mass
        found["momentum"] = found["momentum"] + mass * velocity
        found["spin"] = found["spin"] + np.cross(place, mass * velocity) + own
        found["energy"] += mass * (velocity @ velocity / 2 + G_M_S2 * place[2]) + spin @ own / 2
    return found


def before_and_after(spec: WorldSpec) -> tuple[dict[str, np.ndarray], ...]:
    with open_engine(spec) as engine:
        engine.set_velocity("mug", (1.0, -2.0, 3.0), (4.0, 5.0, -6.0))
        before = moments(engine, ("mug",))
        shards = engine.shatter("mug")
        return before, moments(engine, shards)


@pytest.mark.parametrize("body", [MUG, VASE, BOTTLE], ids=["mug", "jar", "bottle"])
def test_breaking_keeps_mass_momentum_spin_and_energy(workers, body):
    before, after = workers.call(before_and_after, world(replace(body, quat_xyzw=TURNED)))
    assert before["momentum"] == pytest.approx(np.array([0.2, -0.4, 0.6]))
    for what, value in before.items():
        assert after[what] == pytest.approx(value, abs=1e-9), what


def inertias(spec: WorldSpec) -> tuple[tuple[float, ...], list[tuple[float, ...]]]:
    with open_engine(spec) as engine:
        intact = engine.inertia["mug"]
        return intact, [engine.inertia[name] for name in engine.shatter("mug")]


def test_the_intact_bodys_inertia_is_the_sum_of_its_shards(workers):
    intact, pieces = workers.call(inertias, world(MUG))
    mass_kg, total = MUG.mass_kg / len(pieces), np.zeros(3)
    for own, shard in zip(pieces, cut(MUG), strict=True):
        away = np.array(shard.offset_m)
        total += own + mass_kg * ((away @ away) - away**2)
    assert intact == pytest.approx(total, rel=1e-6)
    thin_tube = MUG.mass_kg * 0.05**2  # m r^2 about the axis, if the wall were thin
    assert 0.7 * thin_tube < intact[2] < thin_tube


def test_shards_do_not_push_each_other_apart(workers):
    drop = world(FLOOR, replace(MUG, position_m=(0, 0, 0.7)), steps=110)
    broken = workers.call(simulate, drop)
    (broke,) = broken.breaks
    assert broke.shards == tuple(f"mug#{k}" for k in range(12))
    among = [c for c in broken.contacts[broke.step + 1] if "#" in c[0] and "#" in c[1]]
    assert among == []


@pytest.mark.parametrize(("drop_m", "breaks"), [(0.15, False), (0.3, True), (1.0, True)])
def test_a_mug_breaks_where_one_hit_exceeds_its_peak(workers, drop_m, breaks):
    """Falling from h it hits at sqrt(2 g h): 1.7, 2.4 and 4.4 m/s against a peak of 2 m/s."""
    fallen = world(FLOOR, replace(MUG, position_m=(0, 0, 0.06 + drop_m)), steps=200)
    rollout = workers.call(simulate, fallen)
    assert bool(rollout.breaks) == breaks
    if breaks:
        lands_s = (2 * drop_m / G_M_S2) ** 0.5
        assert rollout.breaks[0].step == pytest.approx(lands_s / STEP_S, abs=2)


@pytest.mark.parametrize(
    ("body", "floor"),
    [(STEEL, FLOOR), (MUG, replace(FLOOR, soft=Soft(900.0, 30.0), restitution=0.0))],
    ids=["steel", "soft floor"],
)
def test_what_does_not_break_stays_whole(workers, body, floor):
    fallen = world(floor, replace(body, position_m=(0, 0, 0.7)), steps=200)
    rollout = workers.call(simulate, fallen)
    assert rollout.breaks == ()
    assert not any("#" in name for name in rollout.bodies)
    impulse = sum(n for step in rollout.contacts for *_, n in step)
    assert impulse > MUG.mass_kg * 2.0  # the total is enough, but it comes little by little


def test_shards_take_over_after_the_step_of_the_break(workers):
    fallen = world(FLOOR, replace(MUG, position_m=(0, 0, 0.7)), steps=120)
    rollout = workers.call(simulate, fallen)
    (broke,) = rollout.breaks
    there = ~np.isnan(rollout.states[:, :, 0])
    rows = np.arange(len(rollout.states))
    assert np.array_equal(there[:, rollout.index("mug")], rows <= broke.step)
    for shard in broke.shards:
        assert np.array_equal(there[:, rollout.index(shard)], rows > broke.step)
