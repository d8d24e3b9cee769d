"""The camera's arithmetic against hand-computed values."""

import numpy as np
import pytest

from simworld.render.camera import placed, pose_rotation, view_of
from simworld.world.spec import Camera

CAMERA = Camera(eye_m=(0, -2, 0), target_m=(0, 0, 0), fov_deg=90.0)


def test_target_is_at_the_centre_right_is_right_and_up_is_up():
    view = view_of(CAMERA, (320, 240))
    assert view.focal_px == pytest.approx(120)
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1], [0, 2, 1]], dtype=float)
    assert np.allclose(view.project(points), [[160, 120], [220, 120], [160, 60], [160, 90]])


def test_a_place_and_its_depth_give_the_point_back():
    view = view_of(Camera((0.3, -2.0, 1.0), (0.1, 0.2, 0.0)), (320, 176))
    points = np.array([[0.0, 0.0, 0.0], [0.4, -0.5, 0.3]])
    depth_m = view.in_camera(points)[:, 2].astype(np.float32)
    assert np.allclose(view.points_at(view.project(points), depth_m), points, atol=1e-6)


def test_field_of_view_is_vertical():
    top = np.array([[0.0, 0.0, 2.0]])
    assert np.allclose(view_of(CAMERA, (320, 176)).project(top), [[160, 0]])
    assert np.allclose(view_of(CAMERA, (176, 320)).project(top), [[88, 0]])


def test_depth_is_along_the_axis():
    view = view_of(CAMERA, (320, 240))
    assert np.allclose(view.in_camera(np.array([3.0, 1.0, 4.0])), [3, -4, 3])


def test_a_quarter_turn_about_z_takes_x_to_y():
    half = 0.5**0.5
    pose = np.array([1, 2, 3, 0, 0, half, half])
    assert np.allclose(placed(np.array([[1.0, 0, 0]]), pose), [[1, 3, 3]])
    assert np.allclose(np.linalg.det(pose_rotation(pose[3:])), 1)
