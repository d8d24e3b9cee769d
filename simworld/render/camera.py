"""A pinhole camera's arithmetic.

Pixel coordinates: x to the right, y down, in units of pixels of the final image, whose area
is [0, W] x [0, H]. Pixel (column i, row j) covers [i, i + 1] x [j, j + 1]; its centre is
(i + 0.5, j + 0.5), and that is the point at which ids and depth are taken.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.world.spec import Camera

Size = tuple[int, int]
"""Width and height in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A camera with an image size.

    `rotation` is (3, 3) [float64]: its rows are the camera's right, down and forward axes in
    the world. `focal_px` is the same along both axes.
    """

    eye_m: NDArray[np.float64]
    rotation: NDArray[np.float64]
    focal_px: float
    near_m: float
    far_m: float
    size_px: Size

    def in_camera(self, points_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return world points (..., 3) as right, down, forward in metres."""
        return turn(self.rotation, points_m - self.eye_m)

    def project(self, points_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the pixel coordinates (..., 2) of world points (..., 3) in front of the eye."""
        local = self.in_camera(points_m)
        return self.focal_px * local[..., :2] / local[..., 2:] + np.array(self.size_px) / 2

    def points_at(
        self, places_px: NDArray[np.float64], depth_m: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Return the world points (..., 3) at pixel coordinates (..., 2), depths (...) away."""
        aside = (places_px - np.array(self.size_px) / 2) / self.focal_px
        rays = np.concatenate([aside, np.ones_like(aside[..., :1])], axis=-1)
        points: NDArray[np.float64] = rays * depth_m[..., None]
        return turn(self.rotation.T, points) + self.eye_m


def view_of(camera: Camera, size_px: Size) -> View:
    """Return a camera's view at an image size (width, height)."""
    eye = np.array(camera.eye_m, dtype=np.float64)
    forward = _unit(np.array(camera.target_m) - eye)
    right = _unit(np.cross(forward, np.array(camera.up)))
    focal = size_px[1] / (2.0 * math.tan(math.radians(camera.fov_deg) / 2.0))
    rotation = np.stack([right, np.cross(forward, right), forward])
    return View(eye, rotation, focal, camera.near_m, camera.far_m, size_px)


def turn(rotation: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Apply a rotation (3, 3) to vectors (..., 3), by sums of products in a fixed order.

    A matrix product would go through BLAS, whose bits depend on the machine.
    """
    x, y, z = vectors[..., 0:1], vectors[..., 1:2], vectors[..., 2:3]
    turned: NDArray[np.float64] = x * rotation[:, 0] + y * rotation[:, 1] + z * rotation[:, 2]
    return turned


def pose_rotation(quat_xyzw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation (3, 3) of a unit quaternion."""
    x, y, z, w = quat_xyzw.tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def placed(points_m: NDArray[np.float64], pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a body's points (P, 3) in the world, for a pose [x y z qx qy qz qw]."""
    return turn(pose_rotation(pose[3:]), points_m) + pose[:3]


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, z = vector.tolist()
    return vector / math.sqrt(x * x + y * y + z * z)
