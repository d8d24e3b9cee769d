"""Optical flow against what a pinhole camera makes of a known motion."""

import numpy as np
import pytest

from simworld.export.flow import optical_flow
from simworld.render.base import make_renderer
from simworld.render.camera import view_of
from simworld.world.spec import Body, Box, Camera, Sphere, WorldSpec

SIZE = (320, 240)
FOCAL_PX = 120.0  # 240 px are 90 degrees high
CAMERA = Camera((0.0, -2.0, 0.0), (0.0, 0.0, 0.0), fov_deg=90.0)
FLOOR = Body("floor", Box((3.0, 3.0, 0.1)), (0.0, 0.0, -0.6))
CUBE = Body("cube", Box((0.2, 0.2, 0.2)), (-0.4, 0.0, 0.0), mass_kg=1.0)
BALL = Body("ball", Sphere(0.2), (0.4, 0.0, 0.0), mass_kg=1.0)
SPEC = WorldSpec((FLOOR, CUBE, BALL), (), CAMERA, duration_steps=1, detectors={})
NAMES = ("floor", "cube", "ball")
POSES = np.array([[*body.position_m, *body.quat_xyzw] for body in SPEC.bodies])


def flow_to(after: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Flow, bodies and depth of the first frame, if these are the next one's poses."""
    with make_renderer("raster", SPEC, NAMES, SIZE) as renderer:
        depth_m = renderer.render(POSES).depth_m
        bodies = renderer.bodies()
        view = view_of(CAMERA, SIZE)
        return optical_flow(depth_m, bodies, POSES, after, view), bodies, depth_m


def changed(row: int, **change: object) -> np.ndarray:
    after = POSES.copy()
    after[row, :3] += change.get("step", (0.0, 0.0, 0.0))
    after[row, 3:] = change.get("quat", (0.0, 0.0, 0.0, 1.0))
    return after


def test_what_moves_across_flows_by_its_way_over_its_depth_and_nothing_else_does(workers):
    """The cube's front is 1.8 m away: 0.09 m are 120 * 0.09 / 1.8 = 6 px."""
    flow, bodies, depth_m = workers.call(flow_to, changed(1, step=(0.09, 0.0, -0.045)))
    front = (bodies == 1) & (np.abs(depth_m - 1.8) < 1e-4)
    assert flow.shape == (240, 320, 2) and flow.dtype == np.float32
    assert front.sum() > 500
    assert np.allclose(flow[front], [6.0, 3.0], atol=1e-3)
    assert (flow[bodies != 1] == 0).all()
    assert {-1, 0, 1, 2} == set(np.unique(bodies))


def test_of_a_ball_what_is_nearer_flows_faster(workers):
    flow, bodies, depth_m = workers.call(flow_to, changed(2, step=(-0.1, 0.0, 0.0)))
    ball = bodies == 2
    assert np.allclose(flow[ball, 0], FOCAL_PX * -0.1 / depth_m[ball], atol=1e-3)
    assert np.allclose(flow[ball, 1], 0.0, atol=1e-3)
    assert np.ptp(flow[ball, 0]) > 0.3


def test_what_comes_nearer_flows_away_from_the_middle_of_the_image(workers):
    """From 1.8 m to 1.5 m a pixel d from the middle goes to 1.2 d."""
    flow, bodies, depth_m = workers.call(flow_to, changed(1, step=(0.0, -0.3, 0.0)))
    rows, columns = np.nonzero((bodies == 1) & (np.abs(depth_m - 1.8) < 1e-4))
    away = np.stack([columns + 0.5 - 160, rows + 0.5 - 120], axis=1)
    assert np.allclose(flow[rows, columns], 0.2 * away, atol=1e-3)


def test_what_turns_flows_around_its_axis(workers):
    """A ball that turns by half about the line of sight: what shows at p goes to 2 c - p.

    Its points keep their depth, so the sum of both places is twice the centre's at that depth.
    """
    flow, bodies, depth_m = workers.call(flow_to, changed(2, quat=(0.0, 1.0, 0.0, 0.0)))
    rows, columns = np.nonzero(bodies == 2)
    centre = 160 + FOCAL_PX * 0.4 / depth_m[rows, columns]
    assert np.allclose(flow[rows, columns, 0], 2 * (centre - columns - 0.5), atol=1e-3)
    assert np.allclose(flow[rows, columns, 1], 2 * (120 - rows - 0.5), atol=1e-3)


@pytest.mark.parametrize("step", [(np.nan,) * 3, (0.0, -3.0, 0.0)], ids=["gone", "behind the eye"])
def test_what_is_not_before_the_camera_any_more_has_no_flow(workers, step):
    flow, bodies, _ = workers.call(flow_to, changed(1, step=step))
    assert np.array_equal(np.isnan(flow).all(axis=2), bodies == 1)
    assert np.array_equal(np.isnan(flow).any(axis=2), bodies == 1)
