"""The "raster" renderer with odd worlds, in all sizes, and for a long time."""

import dataclasses
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simworld.render.base import make_renderer
from simworld.render.camera import view_of
from simworld.video import IdWriter, VideoFacts, VideoWriter, probe, read_ids
from simworld.world.meshes import shape_mesh
from simworld.world.spec import Body, Box, Camera
from tests.rooms import (
    BALL,
    CAMERA,
    CAN,
    FLOOR,
    MUG,
    ROOM,
    SHARDS,
    SIZE,
    VASE,
    box_of,
    names_of,
    resting,
    still,
    wander,
    world,
)


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


SHIFT_M = 0.05


def filmed(folder: Path, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The ids that a clip's file holds, and those that were drawn for it."""
    spec, drawn = world(*ROOM), []
    path = np.repeat(resting(spec)[None], 2, axis=0)
    path[1, :, 0] += SHIFT_M
    with (
        make_renderer("raster", spec, names_of(spec), size) as renderer,
        VideoWriter(folder / "video.mp4", size, 12) as pictures,
        IdWriter(folder / "ids.mkv", size, 12, len(ROOM)) as ids,
    ):
        for poses in path:
            frame = renderer.render(poses)
            pictures.write(frame.rgb)
            ids.write(frame.ids)
            drawn.append(frame.ids)
    return read_ids(folder / "ids.mkv"), np.stack(drawn)


@pytest.mark.parametrize("size", [(320, 240), (480, 320), (640, 480), (1280, 720)])
def test_clips_of_all_sizes_show_each_thing_where_it_is(workers, tmp_path, size):
    stored, drawn = workers.call(filmed, tmp_path, size)
    assert np.array_equal(stored, drawn)
    assert probe(tmp_path / "video.mp4") == VideoFacts(*size, Fraction(12), 2)
    ball = shape_mesh(BALL.shape).vertices_m + BALL.position_m
    for ids in stored:
        corners = view_of(CAMERA, size).project(ball)
        ideal = np.append(corners.min(axis=0), corners.max(axis=0))
        assert np.abs(box_of(ids == 5) - ideal).max() < 1.0
        ball[:, 0] += SHIFT_M


def growth_mb(folder: Path, frames: int) -> float:
    """Draw and encode a clip; return by how much memory grows after its first 200 frames."""

    def resident_mb() -> float:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 2**20

    spec, size, path = world(*ROOM), (64, 48), wander(2, 20)
    with (
        make_renderer("raster", spec, (*names_of(spec), *SHARDS), size) as renderer,
        VideoWriter(folder / "video.mp4", size, 24) as pictures,
        IdWriter(folder / "ids.mkv", size, 24, len(ROOM)) as ids,
    ):
        for number in range(frames):
            frame = renderer.render(path[number % 20])
            pictures.write(frame.rgb)
            ids.write(frame.ids)
            if number == 200:
                before = resident_mb()
        return resident_mb() - before


def test_memory_is_flat_over_2000_frames(workers, tmp_path):
    assert workers.call(growth_mb, tmp_path, 2000) < 2
