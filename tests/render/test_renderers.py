"""Frames of every shipped renderer against what geometry says they must show."""

import dataclasses
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from simworld.annotate.amodal import coverage, homogeneous
from simworld.errors import NotRegisteredError, SimworldError
from simworld.render.base import Frame, make_renderer
from simworld.render.camera import placed, view_of
from simworld.world.meshes import props
from simworld.world.spec import Body, Box, Breakable, Camera, Cylinder, Mug, Sphere, WorldSpec

SIZE = (320, 176)
FLOOR = Body("floor", Box((3, 3, 0.1)), (0, 0, -0.1), color="grey")
MUG = Body(
    "mug",
    Mug(0.04, 0.1),
    (0.3, 0, 0.05),
    mass_kg=0.2,
    color="blue",
    breakable=Breakable(2.0),
)
BALL = Body("ball", Sphere(0.06), (-0.3, 0, 0.06), mass_kg=0.2, color="red")
PARKED = Body("ghost", Box((1, 1, 1)), (0, 0, 0), mass_kg=1.0, present=False)
CAMERA = Camera((0.0, -1.6, 0.9), (0.0, 0.0, 0.1))


def world(*bodies: Body, camera: Camera = CAMERA) -> WorldSpec:
    return WorldSpec(bodies, (), camera, duration_steps=1, detectors={})


def resting(spec: WorldSpec, bodies: tuple[str, ...] | None = None) -> np.ndarray:
    """Poses of all bodies where the spec puts them; shards are absent."""
    names = bodies or tuple(body.name for body in spec.bodies)
    poses = np.full((len(names), 7), np.nan)
    for row, body in enumerate(spec.bodies):
        poses[row] = [*body.position_m, *body.quat_xyzw]
    return poses


def draw(
    name: str, spec: WorldSpec, bodies: tuple[str, ...], poses: np.ndarray, size=SIZE
) -> list[Frame]:
    with make_renderer(name, spec, bodies, size) as renderer:
        return [renderer.render(row) for row in poses]


def still(name: str, spec: WorldSpec, size=SIZE) -> Frame:
    return draw(name, spec, tuple(body.name for body in spec.bodies), [resting(spec)], size)[0]


def box_of(mask: np.ndarray) -> np.ndarray:
    rows, columns = np.nonzero(mask)
    return np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])


def objects_of(name: str, spec: WorldSpec, bodies: tuple[str, ...]) -> tuple[str, ...]:
    with make_renderer(name, spec, bodies, SIZE) as renderer:
        return renderer.objects


@pytest.fixture(scope="module", params=["tiny", "raster"])
def name(request):
    return request.param


@pytest.fixture(scope="module")
def room(workers, name):
    return workers.call(still, name, world(FLOOR, MUG, BALL, PARKED))


def test_arrays_have_the_declared_shapes_types_and_ranges(room):
    assert room.rgb.shape == (176, 320, 3) and room.rgb.dtype == np.uint8
    assert room.ids.shape == (176, 320) and room.ids.dtype == np.uint16
    assert room.depth_m.shape == (176, 320) and room.depth_m.dtype == np.float32
    assert np.array_equal(np.isinf(room.depth_m), room.ids == 0)
    assert room.depth_m.min() > 0.5


def test_the_first_object_has_id_1_and_a_parked_one_is_never_seen(room):
    assert room.ids[170, 160] == 1
    assert set(np.unique(room.ids)) <= {0, 1, 2, 3}
    assert {1, 2, 3} <= set(np.unique(room.ids))


def test_all_bodies_of_an_object_have_its_id(workers, name):
    parts = (FLOOR, MUG, dataclasses.replace(BALL, thing="mug"), PARKED)
    spec, bodies = world(*parts), ("floor", "mug", "ball", "ghost", "mug#0", "mug#1")
    assert workers.call(objects_of, name, spec, bodies) == ("floor", "mug", "ghost")
    broken = resting(spec, bodies)
    broken[1] = np.nan
    broken[4:, :] = [[0.2, 0, 0.05, 0, 0, 0, 1], [0.4, 0, 0.05, 0, 0, 0, 1]]
    (frame,) = workers.call(draw, name, spec, bodies, [broken])
    view = view_of(CAMERA, SIZE)
    for place in ([-0.3, 0, 0.06], [0.2, 0, 0.05], [0.4, 0, 0.05]):
        column, row = view.project(np.array(place)).astype(int)
        assert frame.ids[row, column] == 2


def test_mask_boxes_agree_with_projected_corners_without_bias(workers, name):
    """Pixels are taken at their centres, so a box is off by half a pixel at most, both ways."""
    draws, errors = np.random.default_rng(0), []
    for _ in range(16):
        eye = tuple(draws.uniform([-1, -2, 0.5], [1, -1, 1.5]).tolist())
        quat = draws.normal(size=4)
        quat /= np.linalg.norm(quat)
        cube = Body("cube", Box((0.2, 0.15, 0.1)), (0, 0, 0), tuple(quat.tolist()), mass_kg=1.0)
        spec = world(cube, camera=Camera(eye, (0.05, 0.0, 0.02)))
        mesh = props(spec, ("cube",))[0].mesh
        corners = view_of(spec.camera, SIZE).project(placed(mesh.vertices_m, resting(spec)[0]))
        ideal = np.append(corners.min(axis=0), corners.max(axis=0))
        errors.append(box_of(workers.call(still, name, spec).ids == 1) - ideal)
    assert np.abs(errors).max() < 1.5
    assert np.abs(np.mean(errors, axis=0)).max() < 0.5
    assert np.abs(np.mean(errors)) < 0.1


@pytest.mark.parametrize(
    "shape",
    [Box((0.2, 0.1, 0.15)), Sphere(0.2), Cylinder(0.15, 0.3), Mug(0.15, 0.35), FLOOR.shape],
    ids=["box", "ball", "cylinder", "mug", "floor below and behind the eye"],
)
def test_an_object_alone_covers_what_its_mesh_projects_to(workers, name, shape):
    place = FLOOR.position_m if shape is FLOOR.shape else (0.0, 0.0, 0.1)
    spec = world(Body("thing", shape, place, (0.1, 0.2, 0.3, 0.9273618495495703), mass_kg=1.0))
    frame = workers.call(still, name, spec)
    view = view_of(CAMERA, SIZE)
    mesh = props(spec, ("thing",))[0].mesh
    corners = homogeneous(placed(mesh.vertices_m, resting(spec)[0]), view)
    mask = coverage(corners, mesh.faces, view)
    assert mask.sum() > 1000
    assert (mask != (frame.ids == 1)).sum() <= 4


def test_depth_is_that_of_the_plane_at_the_pixels_centres(room):
    view = view_of(CAMERA, SIZE)
    rows, columns = np.nonzero(room.ids == 1)
    rays = np.stack(
        [
            (columns + 0.5 - 160) / view.focal_px,
            (rows + 0.5 - 88) / view.focal_px,
            np.ones(len(rows)),
        ],
        axis=1,
    )
    down = (rays @ view.rotation)[:, 2]
    expected = -CAMERA.eye_m[2] / down
    assert np.allclose(room.depth_m[rows, columns], expected, rtol=2e-4)


def test_shadows_fall_away_from_the_light(workers, name):
    high = dataclasses.replace(BALL, position_m=(0.0, 0.0, 0.4))
    spec = world(dataclasses.replace(FLOOR, material="paint"), high)
    frame, view = workers.call(still, name, spec), view_of(CAMERA, SIZE)
    x, y, z = spec.light_direction

    def brightness(point):
        column, row = view.project(np.array(point)).astype(int)
        assert frame.ids[row, column] == 1
        return frame.rgb[row, column].astype(float).mean()

    shadow = (-0.4 * x / z, -0.4 * y / z, 0.0)
    assert brightness(shadow) < 0.7 * brightness((-0.5, 0.0, 0.0))
    opposite = brightness((0.4 * x / z, 0.4 * y / z, 0.0))
    assert opposite == pytest.approx(brightness((-0.5, 0.0, 0.0)), rel=0.03)


def test_a_shadow_touches_a_body_that_rests(workers, name):
    """Seen from above the light's far side, the floor right beside the box is dark."""
    cube = Body("cube", Box((0.1, 0.1, 0.1)), (0, 0, 0.1), mass_kg=1.0)
    spec = world(FLOOR, cube, camera=Camera((1.0, 1.0, 1.5), (0.0, 0.0, 0.1)))
    frame, view = workers.call(still, name, spec), view_of(spec.camera, SIZE)
    lit = frame.rgb[frame.ids == 1].max()
    for gap_m in (0.02, 0.05):
        column, row = view.project(np.array([0.1 + gap_m, 0.05, 0.0])).astype(int)
        assert frame.ids[row, column] == 1
        assert frame.rgb[row, column].max() < 0.7 * lit


def test_a_still_unhidden_object_keeps_its_mask(workers, name):
    spec = world(FLOOR, MUG, BALL)
    poses = np.repeat(resting(spec)[None], 8, axis=0)
    poses[:, 2, 0] = np.linspace(-0.5, 0.0, 8)
    frames = workers.call(draw, name, spec, ("floor", "mug", "ball"), poses)
    masks = [frame.ids == 2 for frame in frames]
    assert all(np.array_equal(mask, masks[0]) for mask in masks)
    lefts = [box_of(frame.ids == 3)[0] for frame in frames]
    assert lefts == sorted(set(lefts))


def test_colours_are_the_palettes_and_edges_are_smooth(workers, name):
    cube = Body("cube", Box((0.3, 0.3, 0.3)), (0, 0, 0), (0, 0.1, 0, 0.99), color="red")
    frame = workers.call(still, name, world(cube))
    red, green, blue = frame.rgb[frame.ids == 1].astype(int).T
    assert (red[green < 60] > 2 * blue[green < 60]).all()
    left = box_of(frame.ids == 1)[0]
    edge = frame.rgb[80:100, left - 2 : left + 4].astype(int)
    assert len(np.unique(edge.reshape(-1, 3), axis=0)) > 4


def test_width_and_height_are_not_swapped(workers, name):
    for size in (SIZE, (176, 320), (64, 48)):
        frame = workers.call(still, name, world(FLOOR, MUG), size)
        assert frame.ids.shape == frame.depth_m.shape == frame.rgb.shape[:2] == size[::-1]


def digest(case: tuple[str, WorldSpec]) -> str:
    frame = still(*case)
    parts = (frame.rgb.tobytes(), frame.ids.tobytes(), frame.depth_m.tobytes())
    return hashlib.sha256(b"".join(parts)).hexdigest()


def test_frames_are_the_same_bits_in_any_worker_and_after_other_frames(workers, name):
    spec = world(FLOOR, MUG, BALL)
    assert len(set(workers.map(digest, [(name, spec)] * 4))) == 1
    names, there = ("floor", "mug", "ball"), resting(spec)
    away = there.copy()
    away[1:] += [0.2, 0.3, 0.4, 0, 0, 0, 0]
    first, _, again = workers.call(draw, name, spec, names, [there, away, there])
    assert np.array_equal(first.rgb, again.rgb)
    assert np.array_equal(first.depth_m, again.depth_m)


def test_drawing_outside_a_worker_is_refused(name):
    with pytest.raises(SimworldError, match="worker processes only"):
        still(name, world(FLOOR))


def test_an_unknown_renderer_is_refused_with_the_nearest(workers):
    with pytest.raises(NotRegisteredError, match="did you mean tiny"):
        workers.call(still, "tinny", world(FLOOR))


def growth_mb(name: str, spec: WorldSpec, bodies: tuple[str, ...]) -> float:
    def resident_mb() -> float:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 2**20

    for number in range(50):
        if number == 10:
            before = resident_mb()
        draw(name, spec, bodies, [resting(spec, bodies)], (32, 32))
    return resident_mb() - before


@pytest.mark.slow
def test_memory_stays_flat_over_many_scenes(workers, name):
    """pybullet keeps every mesh that it is handed; forty scenes' meshes would be 300 MB."""
    shards = tuple(f"mug#{k}" for k in range(12))
    spec = world(FLOOR, MUG, BALL)
    assert workers.call(growth_mb, name, spec, ("floor", "mug", "ball", *shards)) < 40
