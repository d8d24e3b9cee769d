"""Optical flow from geometry: where the very point of a body that a pixel shows goes next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simworld.render.base import Poses
from simworld.render.camera import View, placed, pose_rotation, turn


def optical_flow(
    depth_m: NDArray[np.float32],
    bodies: NDArray[np.int32],
    poses: Poses,
    after: Poses,
    view: View,
) -> NDArray[np.float32]:
    """Return how far what each pixel's centre shows moves until the next frame.

    Args:
        depth_m: Along the camera's axis, (H, W).
        bodies: Which body each pixel shows, (H, W), by its row in the poses; -1 is none.
        poses: Of this frame, (N, 7).
        after: Of the next one; NaN is absent.
        view: The camera, which stays where it is.

    Returns:
        (H, W, 2) [float32], pixels to the right and down; 0 of what stays where it is, NaN of
        what is not before the camera in the next frame.
    """
    flow = np.zeros((*depth_m.shape, 2), dtype=np.float32)
    for body in np.unique(bodies[bodies >= 0]):
        now, then = poses[body], after[body]
        if np.array_equal(now, then):
            continue
        rows, columns = np.nonzero(bodies == body)
        here_px = np.stack([columns, rows], axis=1).astype(np.float64) + 0.5
        points_m = view.points_at(here_px, depth_m[rows, columns])
        points_m = placed(turn(pose_rotation(now[3:]).T, points_m - now[:3]), then)
        points_m[view.in_camera(points_m)[:, 2] < view.near_m] = np.nan
        flow[rows, columns] = view.project(points_m) - here_px
    return flow
