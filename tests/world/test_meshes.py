"""Meshes are closed, wound outward, of the right size, and a mug is a mug."""

import math
from collections import Counter

import numpy as np
import pytest

from simworld.world.fracture import cut, radius_m
from simworld.world.meshes import Mesh, object_names, props, shape_mesh
from simworld.world.shards import shard_meshes
from simworld.world.spec import (
    Body,
    Bottle,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Mug,
    Sphere,
    Vase,
    WorldSpec,
)

MUG = Mug(radius_m=0.04, height_m=0.10, wall_m=0.006)
BREAKABLE = Body("mug", MUG, (0, 0, 0), breakable=Breakable(2.0))
VASE = Vase(radius_m=0.07, height_m=0.18, wall_m=0.008)
BOTTLE = Bottle(radius_m=0.04, height_m=0.24, wall_m=0.004)
SHAPES = [Box((0.1, 0.2, 0.3)), Sphere(0.05), Cylinder(0.04, 0.1), MUG, VASE, BOTTLE]
BROKEN = [
    Body("body", shape, (0, 0, 0), breakable=pattern)
    for shape in (MUG, VASE, BOTTLE, Cylinder(0.03, 0.2))
    for pattern in (Breakable(2.0), Breakable(2.0, sectors=5, rings=3))
]
SHARDS = [mesh for body in BROKEN for mesh in shard_meshes(body)]


def volume_m3(mesh: Mesh) -> float:
    a, b, c = (mesh.vertices_m[mesh.faces[:, k]] for k in range(3))
    return float((np.cross(a, b) * c).sum() / 6)


def winding(mesh: Mesh, point: tuple[float, float, float]) -> int:
    """How often the surface winds around a point: van Oosterom and Strackee (1983)."""
    a, b, c = (mesh.vertices_m[mesh.faces[:, k]] - np.array(point) for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    top = (a * np.cross(b, c)).sum(axis=1)
    bottom = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return round(float(np.arctan2(top, bottom).sum() / (2 * math.pi)))


@pytest.mark.parametrize(
    "mesh",
    [*map(shape_mesh, SHAPES), *SHARDS],
    ids=[*(type(shape).__name__ for shape in SHAPES), *(f"shard{k}" for k in range(len(SHARDS)))],
)
def test_every_edge_is_shared_by_two_faces_in_opposite_directions(mesh):
    edges = Counter((int(f[k]), int(f[(k + 1) % 3])) for f in mesh.faces for k in range(3))
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)
    assert mesh.faces.dtype == np.int32 and mesh.vertices_m.dtype == np.float64
    assert len(np.unique(mesh.faces)) == len(mesh.vertices_m)
    assert np.linalg.norm(mesh.face_normals(), axis=1).min() > 1e-10


@pytest.mark.parametrize(
    ("shape", "expected_m3", "tolerance"),
    [
        (Box((0.1, 0.2, 0.3)), 0.2 * 0.4 * 0.6, 1e-12),
        (Sphere(0.05), 4 / 3 * math.pi * 0.05**3, 0.01),
        (Cylinder(0.04, 0.1), math.pi * 0.04**2 * 0.1, 0.01),
    ],
)
def test_volume_is_positive_and_that_of_the_shape(shape, expected_m3, tolerance):
    assert volume_m3(shape_mesh(shape)) == pytest.approx(expected_m3, rel=tolerance)


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_but_a_handle_reaches_beyond_the_colliding_shape(shape):
    points = shape_mesh(shape).vertices_m
    if isinstance(shape, Box):
        assert (np.abs(points) <= np.array(shape.half_extents_m) + 1e-12).all()
    elif isinstance(shape, Sphere):
        assert np.allclose(np.linalg.norm(points, axis=1), shape.radius_m)
    else:
        beyond = points[np.hypot(points[:, 0], points[:, 1]) > shape.radius_m + 1e-12]
        assert (np.abs(points[:, 2]) <= shape.height_m / 2 + 1e-12).all()
        assert bool(len(beyond)) == isinstance(shape, Mug)
        assert (beyond[:, 0] > 0).all()
        assert (np.abs(beyond[:, 1]) < 0.2 * shape.radius_m).all()


def test_a_vase_has_a_belly_a_neck_and_a_lip_and_is_hollow():
    points = shape_mesh(VASE).vertices_m
    radius, level = np.hypot(points[:, 0], points[:, 1]), points[:, 2] / VASE.height_m + 0.5
    widest = [radius[np.abs(level - at) < 0.04].max() for at in (0.0, 0.38, 0.82, 0.97)]
    foot, belly, neck, lip = widest
    assert belly == pytest.approx(VASE.radius_m, rel=0.01)
    assert neck < lip < foot + 0.002 < belly
    assert winding(shape_mesh(VASE), (0, 0, 0)) == 0
    assert winding(shape_mesh(VASE), (VASE.radius_m - 0.004, 0, -0.02)) == 1


def test_a_bottle_has_a_straight_body_and_a_narrow_open_neck_and_is_hollow():
    points = shape_mesh(BOTTLE).vertices_m
    radius, level = np.hypot(points[:, 0], points[:, 1]), points[:, 2] / BOTTLE.height_m + 0.5
    body, neck = (radius[np.abs(level - at) < 0.04].max() for at in (0.3, 0.85))
    assert body == pytest.approx(BOTTLE.radius_m)
    assert neck < 0.45 * body
    assert winding(shape_mesh(BOTTLE), (0, 0, 0.119)) == winding(shape_mesh(BOTTLE), (0, 0, 0)) == 0
    assert winding(shape_mesh(BOTTLE), (BOTTLE.radius_m - 0.002, 0, 0)) == 1


def test_a_mug_is_hollow_open_at_the_top_has_a_floor_and_a_handle_with_a_hole():
    mesh = shape_mesh(MUG)
    assert winding(mesh, (0, 0, 0)) == 0
    assert winding(mesh, (0, 0, 0.0499)) == 0
    assert winding(mesh, (0, 0, -0.047)) == 1
    assert winding(mesh, (0, 0.037, 0)) == 1
    assert winding(mesh, (0.055, 0, 0)) == 0
    assert winding(mesh, (0.067, 0, 0)) == 1
    assert winding(mesh, (-0.067, 0, 0)) == 0


def test_handle_ends_stay_inside_the_wall():
    inside = shape_mesh(MUG).vertices_m
    radius = np.hypot(inside[:, 0], inside[:, 1])
    high = inside[:, 2] > -0.03
    assert radius[high].min() > MUG.radius_m - MUG.wall_m - 1e-3


def hollow_m3(radius: float, height: float, wall: float) -> float:
    """Volume of a can, closed at both ends, whose sides are those of a regular 24-gon."""
    area = 12 * math.sin(math.tau / 24)
    return area * (radius**2 * height - (radius - wall) ** 2 * (height - 2 * wall))


@pytest.mark.parametrize("body", BROKEN)
def test_shards_fill_the_wall_without_gap_or_overlap(body):
    """They add up to the whole, and a point within the wall is within one of them."""
    shards = [
        Mesh(mesh.vertices_m + np.array(shard.offset_m), mesh.faces)
        for mesh, shard in zip(shard_meshes(body), cut(body), strict=True)
    ]
    assert len(shards) == body.breakable.sectors * body.breakable.rings
    assert all(volume_m3(shard) > 0 for shard in shards)
    whole = sum(map(volume_m3, shards))
    if isinstance(body.shape, Cylinder):
        assert whole == pytest.approx(hollow_m3(0.03, 0.2, 0.006), rel=0.015)
    else:
        assert whole == pytest.approx(volume_m3(shape_mesh(body.shape)), rel=0.04)
    height = body.shape.height_m
    for place in np.random.default_rng(0).uniform(0, 1, (20, 2)):
        angle, z = math.tau * place[0], height * (0.8 * place[1] - 0.4)
        wall = getattr(body.shape, "wall_m", 0.006)
        radius = radius_m(body.shape, z / height + 0.5) - wall / 2
        point = radius * math.cos(angle), radius * math.sin(angle), z
        assert sorted(winding(shard, point) for shard in shards)[-2:] == [0, 1]


def test_a_mugs_pieces_look_different_and_are_as_thick_as_its_wall():
    """The wall of a straight mug lies between two radii, handle apart."""
    volumes = [volume_m3(mesh) for mesh in shard_meshes(BREAKABLE)]
    assert np.std(volumes) > 0.1 * np.mean(volumes)
    for mesh, shard in zip(shard_meshes(BREAKABLE), cut(BREAKABLE), strict=True):
        places = mesh.vertices_m + np.array(shard.offset_m)
        side = (places[:, 2] > -0.03) & (places[:, 2] < 0.04)
        radius = np.hypot(places[side, 0], places[side, 1])
        assert (radius > MUG.radius_m - MUG.wall_m - 1e-6).all()


def test_boxes_are_shaded_sharp_and_balls_smooth():
    box, ball = shape_mesh(Box((1, 2, 3))), shape_mesh(Sphere(1.0))
    flat = box.face_normals() / np.linalg.norm(box.face_normals(), axis=1, keepdims=True)
    assert np.allclose(box.corner_normals(), flat[:, None])
    assert np.allclose(ball.corner_normals(), ball.vertices_m[ball.faces], atol=0.02)


def test_shards_and_parts_belong_to_the_objects_that_people_name():
    spec = WorldSpec(
        bodies=(
            Body("top", Box((1, 1, 0.1)), (0, 0, 0), thing="table"),
            Body("mug", MUG, (0, 0, 1), mass_kg=0.2, color="blue", breakable=Breakable(2.0)),
            Body("leg", Box((0.1, 0.1, 1)), (0, 0, 0), thing="table", present=False),
        ),
        actions=(),
        camera=Camera((0, -1, 0), (0, 0, 0)),
        duration_steps=1,
        detectors={},
    )
    cast = props(spec, ("top", "mug", "leg", "mug#0", "mug#11"))
    assert object_names(cast) == ("table", "mug")
    assert [p.object_name for p in cast] == ["table", "mug", "table", "mug", "mug"]
    assert [p.shown for p in cast] == [True, True, False, True, True]
    assert [p.moves for p in cast] == [False, True, False, True, True]
    assert cast[4].color == "blue"
