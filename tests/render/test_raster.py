"""The "raster" renderer: the same bits whatever was drawn before, wherever, and however odd."""

import dataclasses
import hashlib
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from simworld.errors import InputError
from simworld.executors import TUNABLES
from simworld.render.base import Frame, make_renderer
from simworld.render.camera import view_of
from simworld.scene import library_folder, load_scene
from simworld.truth import FACTUAL
from simworld.world.simulate import simulate
from simworld.world.spec import (
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Mug,
    Sphere,
    Vase,
    WorldSpec,
)

SCENES = sorted(path.stem for path in library_folder().glob("[a-z]*.py"))
SIZE = (320, 176)
CAMERA = Camera((0.0, -1.6, 0.9), (0.0, 0.0, 0.1))
FLOOR = Body("floor", Box((3, 3, 0.1)), (0, 0, -0.1), color="grey")
TABLE = Body("table", Box((0.4, 0.3, 0.02)), (0.2, 0.2, 0.2), color="brown")
MUG = Body(
    "mug", Mug(0.06, 0.15), (-0.2, 0, 0.3), mass_kg=0.2, color="blue", breakable=Breakable(2.0)
)
VASE = Body("vase", Vase(0.07, 0.2), (0.3, 0.2, 0.32), mass_kg=0.2, color="white")
BALL = Body("ball", Sphere(0.06), (-0.3, 0, 0.06), mass_kg=0.2, color="red")
CAN = Body("can", Cylinder(0.05, 0.12), (0.0, -0.3, 0.06), mass_kg=0.2, color="steel")
ROOM = (FLOOR, TABLE, MUG, VASE, BALL, CAN)
SHARDS = tuple(f"mug#{k}" for k in range(12))


def world(*bodies: Body, camera: Camera = CAMERA) -> WorldSpec:
    return WorldSpec(bodies, (), camera, duration_steps=1, detectors={})


def names_of(spec: WorldSpec) -> tuple[str, ...]:
    return tuple(body.name for body in spec.bodies)


def resting(spec: WorldSpec) -> np.ndarray:
    return np.array([[*body.position_m, *body.quat_xyzw] for body in spec.bodies], dtype=float)


def wander(seed: int, frames: int) -> np.ndarray:
    """Poses of the room's bodies and the mug's shards: each moves now and then, and turns."""
    draws = np.random.default_rng(seed)
    spec = world(*ROOM)
    rows = np.full((len(ROOM) + len(SHARDS), 7), np.nan)
    rows[: len(ROOM)] = resting(spec)
    path = []
    for frame in range(frames):
        for row in range(2, len(rows)):
            if frame == frames // 2 and row >= len(ROOM):
                rows[row] = [*draws.uniform([-0.4, -0.4, 0.0], [0.4, 0.2, 0.4]), 0, 0, 0, 1]
            if draws.random() < 0.3:
                rows[row, :3] += draws.normal(scale=0.05, size=3)
                quat = rows[row, 3:] + draws.normal(scale=0.2, size=4)
                rows[row, 3:] = quat / np.linalg.norm(quat)
        if frame == frames // 2:
            rows[2] = np.nan
        path.append(rows.copy())
    return np.stack(path)


def draw(
    spec: WorldSpec, bodies: tuple[str, ...], poses: np.ndarray, size=SIZE, *, anew: bool = False
) -> list[Frame]:
    """Draw frames with one renderer, or each with a new one."""
    if anew:
        return [draw(spec, bodies, row[None], size)[0] for row in poses]
    with make_renderer("raster", spec, bodies, size) as renderer:
        return [renderer.render(row) for row in poses]


def still(spec: WorldSpec, size=SIZE) -> Frame:
    return draw(spec, names_of(spec), resting(spec)[None], size)[0]


def digest(frames: list[Frame]) -> str:
    made = hashlib.sha256()
    for frame in frames:
        for array in (frame.rgb, frame.ids, frame.depth_m, *_amodal(frame)):
            made.update(array.tobytes())
    return made.hexdigest()


def _amodal(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    return frame.amodal.boxes_xyxy_px, frame.amodal.covered_px


def wandering_digest(anew: bool = False) -> str:
    return digest(draw(world(*ROOM), (*names_of(world(*ROOM)), *SHARDS), wander(1, 8), anew=anew))


def box_of(mask: np.ndarray) -> np.ndarray:
    rows, columns = np.nonzero(mask)
    if not len(rows):
        return np.full(4, np.nan)
    return np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])


@pytest.mark.parametrize("seed", range(4))
def test_a_frame_is_the_same_after_other_frames_as_drawn_anew(workers, seed):
    spec, poses = world(*ROOM), wander(seed, 12)
    bodies = (*names_of(spec), *SHARDS)
    kept = workers.call(draw, spec, bodies, poses)
    fresh = workers.call(draw_anew, spec, bodies, poses)
    assert [digest([frame]) for frame in kept] == [digest([frame]) for frame in fresh]
    assert len({digest([frame]) for frame in kept}) > 6


def draw_anew(spec, bodies, poses):
    return draw(spec, bodies, poses, anew=True)


def film(scene_name: str, stride: int) -> tuple[WorldSpec, tuple[str, ...], np.ndarray]:
    scene = load_scene(scene_name)
    spec = scene.world(scene.draw(0, "train", 0, fixed=scene.showcase), FACTUAL)
    rollout = simulate(spec, "end")
    return spec, rollout.bodies, rollout.states[::stride, :, :7]


def film_both_ways(scene_name: str) -> tuple[list[str], list[str]]:
    case = film(scene_name, 20)
    kept, fresh = draw(*case), draw(*case, anew=True)
    return [digest([frame]) for frame in kept], [digest([frame]) for frame in fresh]


@pytest.mark.slow
@pytest.mark.parametrize("scene_name", SCENES)
def test_every_scene_is_the_same_drawn_anew_or_in_one_go(workers, scene_name):
    kept, fresh = workers.call(film_both_ways, scene_name)
    assert kept == fresh


def test_two_workers_and_a_worker_with_two_clips_draw_the_same(workers):
    assert len(set(workers.map(wandering_digest, [False, False, False, True]))) == 1


@pytest.mark.slow
def test_bits_do_not_depend_on_the_processor_or_the_cache(workers, tmp_path):
    """Compiled anew for a processor that has no vectors beyond SSE2."""
    here = workers.call(wandering_digest)
    environment = {
        **os.environ,
        "GLIBC_TUNABLES": TUNABLES,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).parent),
    }
    line = "import test_raster; print(test_raster.wandering_digest())"
    there = subprocess.run(
        [sys.executable, "-c", line], env=environment, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here


def test_what_an_object_covers_is_what_it_shows_alone(workers):
    spec = world(*ROOM)
    bodies = (*names_of(spec), *SHARDS)
    for poses in wander(5, 6)[[0, 3, 5]]:
        (frame,) = workers.call(draw, spec, bodies, poses[None])
        for k in range(1, len(ROOM)):
            alone = poses.copy()
            alone[[row for row in range(len(poses)) if row != k]] = np.nan
            if k == 2:
                alone[len(ROOM) :] = poses[len(ROOM) :]
            (lone,) = workers.call(draw, spec, bodies, alone[None])
            mask = lone.ids == k + 1
            assert mask.sum() == frame.amodal.covered_px[k] == lone.amodal.covered_px[k]
            box = frame.amodal.boxes_xyxy_px[k]
            assert np.array_equal(box, box_of(mask), equal_nan=True) or (
                (box[:2] < 0).any() or (box[2:] > SIZE).any()
            )


def boxes_by_both(scene_name: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    spec, bodies, poses = film(scene_name, 84)
    boxes: dict[str, list[np.ndarray]] = {}
    for name in ("raster", "tiny"):
        with make_renderer(name, spec, bodies, SIZE) as renderer:
            ids = [renderer.render(row).ids for row in poses[:10]]
        boxes[name] = [box_of(i == k + 1) for i in ids for k in range(len(renderer.objects))]
    return boxes["raster"], boxes["tiny"]


@pytest.mark.slow
def test_boxes_agree_with_pybullets_renderer_without_bias(workers):
    pairs = workers.map(boxes_by_both, SCENES[:5])
    ours, theirs = (np.stack([box for pair in pairs for box in pair[k]]) for k in range(2))
    assert np.array_equal(np.isnan(ours), np.isnan(theirs))
    error = (ours - theirs)[~np.isnan(ours[:, 0])]
    assert len(error) > 200
    assert np.abs(error).max() <= 1.5
    assert np.abs(error.mean(axis=0)).max() < 0.3


def test_ids_and_depth_are_those_of_rays_through_the_pixels_centres(workers):
    """A ball of radius r at c: a ray d meets it where |t d - c| = r."""
    ball = dataclasses.replace(BALL, shape=Sphere(0.3), position_m=(0.1, 0.0, 0.2))
    frame, view = workers.call(still, world(ball)), view_of(CAMERA, SIZE)
    rows, columns = np.mgrid[: SIZE[1], : SIZE[0]] + 0.5
    rays = np.stack([columns - SIZE[0] / 2, rows - SIZE[1] / 2, 0 * rows + view.focal_px], axis=-1)
    rays /= view.focal_px
    centre = view.in_camera(np.array([0.1, 0.0, 0.2]))
    along = (rays * centre).sum(axis=-1)
    square = (rays**2).sum(axis=-1)
    inside = along**2 - square * ((centre**2).sum() - 0.3**2)
    assert ((frame.ids == 1) != (inside >= 0)).sum() < 0.01 * (inside >= 0).sum()
    sure = (frame.ids == 1) & (inside > 0.03)
    depth = (along - np.sqrt(np.maximum(inside, 0))) / square
    assert np.allclose(frame.depth_m[sure], depth[sure], atol=0.004)


def test_glass_lets_light_and_sight_through_and_counts_as_what_is_seen(workers):
    behind = dataclasses.replace(BALL, position_m=(0.0, 0.4, 0.2), shape=Sphere(0.1))
    pane = Body("pane", Box((0.3, 0.01, 0.2)), (0, 0, 0.2), color="white")
    seen = {}
    for material in ("glass", "paint"):
        spec = world(FLOOR, behind, dataclasses.replace(pane, material=material))
        seen[material] = workers.call(still, spec)
    column, row = view_of(CAMERA, SIZE).project(np.array([0.0, 0.4, 0.2])).astype(int)
    assert np.array_equal(seen["glass"].ids, seen["paint"].ids)
    assert np.array_equal(seen["glass"].depth_m, seen["paint"].depth_m)
    assert seen["glass"].ids[row, column] == 3
    red, green, _ = seen["glass"].rgb[row, column].astype(int)
    painted_red, painted_green, _ = seen["paint"].rgb[row, column].astype(int)
    assert red > 1.1 * green and painted_red < 1.05 * painted_green
    shade = view_of(CAMERA, SIZE).project(np.array([0.36, 0.15, 0.0])).astype(int)
    darkness = [int(seen[name].rgb[shade[1], shade[0]].sum()) for name in ("glass", "paint")]
    assert darkness[0] > 1.1 * darkness[1]


def test_materials_look_apart(workers):
    """Of one colour, in one place: mean, spread or grain tells each from the others."""
    looks = {}
    for material in ("paint", "ceramic", "glass", "steel", "wood", "checker", "fabric", "marble"):
        cube = Body("cube", Box((0.2, 0.2, 0.2)), (0, 0, 0.2), color="beige", material=material)
        frame = workers.call(still, world(FLOOR, cube))
        pixels = frame.rgb[frame.ids == 2].astype(float)
        grain = np.abs(np.diff(frame.rgb.astype(float), axis=1))[(frame.ids == 2)[:, 1:]].mean()
        looks[material] = np.array([*pixels.mean(axis=0), *pixels.std(axis=0), 3 * grain])
    for a in looks:
        for b in looks:
            assert a == b or np.abs(looks[a] - looks[b]).max() > 3, (a, b)


def test_an_unknown_material_is_refused_with_the_nearest(workers):
    with pytest.raises(InputError, match="ball: no material is called 'glas'; did you mean glass"):
        workers.call(still, world(dataclasses.replace(BALL, material="glas")))


def test_what_is_behind_the_camera_is_neither_seen_nor_in_the_way(workers):
    behind = dataclasses.replace(BALL, position_m=(0.0, -3.0, 1.5))
    frame = workers.call(still, world(FLOOR, behind))
    without = workers.call(still, world(FLOOR))
    assert np.array_equal(frame.ids, without.ids)
    assert np.isnan(frame.amodal.boxes_xyxy_px[1]).all() and frame.amodal.covered_px[1] == 0


def test_what_crosses_the_near_plane_is_cut_there(workers):
    """The eye is 0.9 m above a wide floor that runs below and behind it."""
    camera = Camera((0.0, 0.0, 0.9), (0.0, 1.0, 0.9), near_m=0.05)
    frame, view = workers.call(still, world(FLOOR, camera=camera)), view_of(camera, SIZE)
    rows = np.arange(SIZE[1]) + 0.5 - SIZE[1] / 2
    down = np.where(rows > 0, rows, np.nan) / view.focal_px
    depth = 0.9 / down
    expected = np.where(depth <= 3.0, depth, np.inf)
    assert np.allclose(frame.depth_m[:, 160], expected, rtol=1e-5)


def test_what_is_nearer_than_the_near_plane_is_not_seen(workers):
    camera = Camera((0.0, -1.0, 0.2), (0.0, 0.0, 0.2), near_m=0.5)
    pane = Body("pane", Box((0.05, 0.2, 0.05)), (0.0, -0.6, 0.2))
    frame = workers.call(still, world(pane, camera=camera))
    assert (frame.ids == 0).all()


def test_an_object_larger_than_the_view_fills_it_and_its_box_leaves_it(workers):
    wall = Body("wall", Box((5.0, 0.1, 5.0)), (0.0, 0.5, 0.0), color="green")
    frame = workers.call(still, world(wall))
    assert (frame.ids == 1).all()
    box = frame.amodal.boxes_xyxy_px[0]
    assert (box[:2] < 0).all() and (box[2:] > SIZE).all()
    assert frame.amodal.covered_px[0] == SIZE[0] * SIZE[1]


def test_a_flat_shape_with_empty_faces_is_drawn_as_far_as_it_has_any(workers):
    """A box without height has four faces of no area; its top and bottom remain."""
    sheet = Body("sheet", Box((0.3, 0.3, 0.0)), (0.0, 0.0, 0.1), color="red")
    frame = workers.call(still, world(FLOOR, sheet))
    column, row = view_of(CAMERA, SIZE).project(np.array([0.0, 0.0, 0.1])).astype(int)
    assert frame.ids[row, column] == 2
    assert np.isfinite(frame.depth_m[frame.ids > 0]).all()


def test_a_wall_is_watertight(workers):
    """No pixel within a ball, a mug or a vase shows what is behind it."""
    for body in (BALL, MUG, VASE, CAN):
        near = dataclasses.replace(
            body, position_m=(0.0, 0.0, 0.1), quat_xyzw=(0.3, 0.1, 0.2, 0.9), material="paint"
        )
        camera = Camera((0.1, -0.4, 0.25), (0.0, 0.0, 0.1))
        mask = workers.call(still, world(near, camera=camera)).ids == 1
        assert mask.sum() > 2000
        if body is not MUG:
            runs = np.diff(mask.astype(int), axis=1)
            assert (np.abs(runs).sum(axis=1) <= 2).all()


def test_a_frame_is_not_changed_by_the_next_one(workers):
    spec = world(*ROOM)
    poses = np.stack([resting(spec), resting(spec)])
    poses[1, :, 0] += 0.1
    first = workers.call(draw, spec, names_of(spec), poses)[0]
    assert digest([first]) == digest(workers.call(draw, spec, names_of(spec), poses[:1]))


def pan() -> list[bool]:
    """Whether a renderer that was turned draws what one that always stood there does."""
    spec, after = world(*ROOM), Camera((0.3, -1.5, 0.9), (0.1, 0.0, 0.1))
    same = []
    with make_renderer("raster", spec, names_of(spec), SIZE) as renderer:
        for camera in (CAMERA, after, CAMERA):
            renderer.aim(camera)
            frame = renderer.render(resting(spec))
            same.append(digest([frame]) == digest([renderer.render(resting(spec))]))
            view = view_of(camera, SIZE)
            column, row = view.project(np.array(BALL.position_m)).astype(int)
            same.append(frame.ids[row, column] == 5)
    return same


def test_a_moving_camera_draws_all_anew(workers):
    assert all(workers.call(pan))


def growth_mb(frames: int) -> float:
    spec = world(*ROOM)
    bodies = (*names_of(spec), *SHARDS)
    path = wander(2, 20)
    with make_renderer("raster", spec, bodies, (64, 48)) as renderer:
        for number in range(frames):
            renderer.render(path[number % 20])
            if number == 100:
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def test_memory_is_flat_over_2000_frames(workers):
    assert workers.call(growth_mb, 2000) < 2


def shadows_by_removal(poses: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """The room's shadow masks; its normals; whether drawing them changed the next frame."""
    spec = world(*ROOM)
    with make_renderer("raster", spec, names_of(spec), SIZE) as renderer:
        first = renderer.render(poses)
        masks, normals = renderer.shadows(), renderer.normals()
        moved = poses.copy()
        moved[4, 0] += 0.1
        same = digest([renderer.render(moved), renderer.render(poses)])
    return masks, normals, same == digest([*draw(spec, names_of(spec), moved[None]), first])


def test_a_shadows_mask_is_what_changes_if_its_object_is_gone(workers):
    """Beside the object itself, taking it away changes what it mirrored or shaded, no more."""
    spec, poses = world(*ROOM), resting(world(*ROOM))
    masks, _, unharmed = workers.call(shadows_by_removal, poses)
    assert unharmed
    assert masks.shape == (len(ROOM), SIZE[1], SIZE[0]) and masks.dtype == bool
    frame = workers.call(still, spec)
    for k in range(2, len(ROOM)):
        gone = poses.copy()
        gone[k] = np.nan
        (without,) = workers.call(draw, spec, names_of(spec), gone[None])
        changed = (without.rgb != frame.rgb).any(axis=2)
        (rows, columns) = np.nonzero(frame.ids == k + 1)
        seen = np.zeros_like(changed)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                seen[(rows + dy).clip(0, SIZE[1] - 1), (columns + dx).clip(0, SIZE[0] - 1)] = True
        assert (masks[k] & ~seen).sum() > 20
        assert np.array_equal(changed & ~seen, masks[k] & ~seen)


def test_normals_are_those_of_a_ball_and_of_the_floor(workers):
    ball = dataclasses.replace(BALL, shape=Sphere(0.3), position_m=(0.0, 0.0, 0.3))
    frame, normals = workers.call(ball_and_normals, ball)
    assert normals.shape == (SIZE[1], SIZE[0], 3) and normals.dtype == np.float32
    assert np.allclose(normals[frame.ids == 1], [0, 0, 1], atol=1e-6)
    assert (normals[frame.ids == 0] == 0).all()
    view = view_of(CAMERA, SIZE)
    rows, columns = np.nonzero(frame.ids == 2)
    rays = np.stack([columns + 0.5 - SIZE[0] / 2, rows + 0.5 - SIZE[1] / 2], axis=1)
    rays = np.column_stack([rays / view.focal_px, np.ones(len(rays))])
    points = (rays * frame.depth_m[rows, columns, None]) @ view.rotation + view.eye_m
    outward = (points - [0.0, 0.0, 0.3]) / 0.3
    assert (outward * normals[rows, columns]).sum(axis=1).min() > 0.99


def ball_and_normals(ball: Body) -> tuple[Frame, np.ndarray]:
    spec = world(FLOOR, ball)
    with make_renderer("raster", spec, names_of(spec), SIZE) as renderer:
        return renderer.render(resting(spec)), renderer.normals()
