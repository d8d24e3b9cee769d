"""Coverage and extent of meshes against geometry."""

import math

import numpy as np
import pytest

from simworld.annotate.amodal import coverage, extent_px, homogeneous
from simworld.render.camera import view_of
from simworld.world.meshes import shape_mesh
from simworld.world.spec import Box, Camera, Sphere

CAMERA = Camera((0.0, -2.0, 0.0), (0.0, 0.0, 0.0), fov_deg=90.0, near_m=0.1)
VIEW = view_of(CAMERA, (320, 176))


def seen(shape, place):
    mesh = shape_mesh(shape)
    corners = homogeneous(mesh.vertices_m + np.array(place, dtype=float), VIEW)
    return coverage(corners, mesh.faces, VIEW), extent_px(corners, mesh.faces, VIEW.near_m)


def test_a_box_in_front_covers_exactly_its_rectangle():
    """Its front face is 1.8 m away: 88 px / 1.8 m to the metre."""
    mask, extent = seen(Box((0.4, 0.2, 0.3)), (0.1, 0, 0))
    scale = 88 / 1.8
    expected = [160 - 0.3 * scale, 88 - 0.3 * scale, 160 + 0.5 * scale, 88 + 0.3 * scale]
    assert np.allclose(extent, expected)
    rows, columns = np.nonzero(mask)
    assert columns.min() + 0.5 >= expected[0] > columns.min() - 0.5
    assert columns.max() + 0.5 <= expected[2] < columns.max() + 1.5
    assert rows.min() + 0.5 >= expected[1] > rows.min() - 0.5
    assert rows.max() + 0.5 <= expected[3] < rows.max() + 1.5
    assert mask.sum() == (np.ptp(columns) + 1) * (np.ptp(rows) + 1)


def test_a_ball_covers_its_disc():
    """A ball of radius r at distance d shows a disc of radius f r / sqrt(d^2 - r^2)."""
    mask, extent = seen(Sphere(0.5), (0, 0, 0))
    radius_px = 88 * 0.5 / math.sqrt(2**2 - 0.5**2)
    assert mask.sum() == pytest.approx(math.pi * radius_px**2, rel=0.02)
    assert np.allclose(
        extent, [160 - radius_px, 88 - radius_px, 160 + radius_px, 88 + radius_px], atol=0.2
    )


def test_an_extent_may_leave_the_image():
    mask, extent = seen(Box((0.5, 0.5, 0.5)), (6, 0, 0))
    assert extent[0] == pytest.approx(160 + 88 * 5.5 / 2.5)
    assert extent[0] > 320 and not mask.any()


def test_what_crosses_the_near_plane_is_cut_there():
    """A floor 0.5 m below, from behind the eye to 6 m before it, ends at the near plane."""
    mask, extent = seen(Box((1.0, 5.0, 0.05)), (0, -1.0, -0.55))
    assert extent[1] == pytest.approx(88 + 88 * 0.5 / 6.0)
    assert extent[3] == pytest.approx(88 + 88 * 0.6 / 0.1)
    assert extent[0] == pytest.approx(160 - 88 * 1.0 / 0.1)
    assert mask[-1].sum() == 320 and not mask[:95].any()


def test_nothing_is_seen_of_what_is_behind_the_eye():
    mask, extent = seen(Sphere(0.5), (0, -4, 0))
    assert np.isnan(extent).all() and not mask.any()
