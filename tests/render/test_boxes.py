"""Boxes, ids and depth of the "raster" renderer, by another renderer, by geometry, and alone."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

from simworld.render.base import make_renderer
from simworld.render.camera import placed, view_of
from simworld.world.meshes import Prop, props
from simworld.world.spec import Sphere, WorldSpec
from tests.rooms import (
    BALL,
    CAMERA,
    ROOM,
    SCENES,
    SHARDS,
    SIZE,
    acted,
    box_of,
    draw,
    names_of,
    still,
    wander,
    world,
)


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


class Boxes(NamedTuple):
    """Boxes of a scene's objects in ten frames, (10 * N, 4): by both renderers, and geometry."""

    ours: np.ndarray
    theirs: np.ndarray
    alone: np.ndarray
    projected: np.ndarray


def boxes_of(scene_name: str) -> Boxes:
    """Draw ten frames of a scene, evenly spaced, and project its meshes' corners."""
    spec, bodies, poses = acted(scene_name)
    poses = poses[np.linspace(0, len(poses) - 1, 10).astype(int)]
    frames = draw(spec, bodies, poses)
    with make_renderer("tiny", spec, bodies, SIZE) as renderer:
        numbers = range(1, 1 + len(renderer.objects))
        pictures = [renderer.render(row).ids for row in poses]
    theirs = [box_of(ids == k) for ids in pictures for k in numbers]
    ours = [box_of(frame.ids == k) for frame in frames for k in numbers]
    alone = np.concatenate([frame.amodal.boxes_xyxy_px for frame in frames])
    cast = props(spec, bodies)
    projected = [corners_box(spec, cast, row, name) for row in poses for name in renderer.objects]
    return Boxes(np.stack(ours), np.stack(theirs), alone, np.stack(projected))


def corners_box(
    spec: WorldSpec, cast: tuple[Prop, ...], poses: np.ndarray, name: str
) -> np.ndarray:
    """Bounds of an object's projected vertices, NaN if it is not there."""
    places = [
        view_of(spec.camera, SIZE).project(placed(prop.mesh.vertices_m, pose))
        for prop, pose in zip(cast, poses, strict=True)
        if prop.object_name == name and prop.shown and not np.isnan(pose[0])
    ]
    if not places:
        return np.full(4, np.nan)
    return np.append(np.concatenate(places).min(axis=0), np.concatenate(places).max(axis=0))


@pytest.fixture(scope="module")
def boxes(workers):
    found = workers.map(boxes_of, SCENES[:5])
    return Boxes(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))


def off(boxes: np.ndarray, reference: np.ndarray) -> tuple[float, float, int]:
    """The largest error in pixels, the largest mean of one side's, and of how many boxes."""
    error = (boxes - reference)[~np.isnan(reference).any(axis=1)]
    return np.abs(error).max(), np.abs(error.mean(axis=0)).max(), len(error)


@pytest.mark.slow
def test_boxes_agree_with_pybullets_renderer_without_bias(boxes):
    assert np.array_equal(np.isnan(boxes.ours), np.isnan(boxes.theirs))
    most, bias, count = off(boxes.ours, boxes.theirs)
    assert count > 200
    assert most <= 1.5
    assert bias <= 0.3


@pytest.mark.slow
def test_boxes_agree_with_projected_corners_without_bias(boxes):
    """Of objects within the image, hidden or not."""
    low, high = boxes.projected[:, :2], boxes.projected[:, 2:]
    inside = (low >= 0).all(axis=1) & (high <= SIZE).all(axis=1)
    most, bias, count = off(boxes.alone[inside], boxes.projected[inside])
    assert count > 200
    assert most <= 1.5
    assert bias <= 0.3


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
