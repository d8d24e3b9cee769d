"""How the "raster" renderer shows materials, shadows, and which way surfaces look."""

import dataclasses

import numpy as np
import pytest

from simworld.errors import InputError
from simworld.render.base import Frame, make_renderer
from simworld.render.camera import view_of
from simworld.world.spec import Body, Box, Sphere
from tests.rooms import (
    BALL,
    CAMERA,
    FLOOR,
    ROOM,
    SIZE,
    digest,
    draw,
    names_of,
    resting,
    still,
    world,
)


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
