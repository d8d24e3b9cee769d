"""How much of the image a body would cover if nothing stood in front of it.

Triangles are rasterised in homogeneous coordinates, so that none has to be clipped at the near
plane: Olano and Greer, Triangle scan conversion using 2D homogeneous coordinates (1997).
Meshes are closed and wound outward, so the faces that look at the eye cover what the body does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simworld.render.camera import View


def homogeneous(points_m: NDArray[np.float64], view: View) -> NDArray[np.float64]:
    """Return world points (P, 3) as [x w, y w, w], w in metres along the camera's axis."""
    local = view.in_camera(points_m)
    width, height = view.size_px
    w = local[:, 2]
    x = view.focal_px * local[:, 0] + (width / 2) * w
    y = view.focal_px * local[:, 1] + (height / 2) * w
    return np.stack([x, y, w], axis=1)


def extent_px(
    corners: NDArray[np.float64], faces: NDArray[np.int32], near_m: float
) -> NDArray[np.float64]:
    """Return the box [x1, y1, x2, y2] around a mesh's projection, NaN if it is behind the eye.

    Args:
        corners: The mesh's vertices, as `homogeneous` gives them, (V, 3).
        faces: Its faces, (F, 3).
        near_m: What is nearer is not seen: edges are cut there.
    """
    start = corners[faces].reshape(-1, 3)
    stop = corners[np.roll(faces, -1, axis=1)].reshape(-1, 3)
    crossing = (start[:, 2] < near_m) != (stop[:, 2] < near_m)
    a, b = start[crossing], stop[crossing]
    cut = a + (b - a) * ((near_m - a[:, 2:]) / (b[:, 2:] - a[:, 2:]))
    seen = np.concatenate([corners[corners[:, 2] >= near_m], cut])
    if not len(seen):
        return np.full(4, np.nan)
    flat = seen[:, :2] / seen[:, 2:]
    return np.concatenate([flat.min(axis=0), flat.max(axis=0)])


def coverage(
    corners: NDArray[np.float64], faces: NDArray[np.int32], view: View
) -> NDArray[np.bool_]:
    """Return the pixels whose centres a mesh's projection covers, (H, W) [bool].

    Args:
        corners: The mesh's vertices, as `homogeneous` gives them, (V, 3).
        faces: Its faces, (F, 3).
        view: The camera that they were projected with.
    """
    width, height = view.size_px
    mask = np.zeros((height, width), dtype=np.bool_)
    a, b, c = (corners[faces[:, k]] for k in range(3))
    edges = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
    volume = (edges[:, 0] * a).sum(axis=1)
    facing = (volume < 0) & (corners[faces][:, :, 2].max(axis=1) > view.near_m)
    edges = edges[facing] / volume[facing, None, None]
    column, row, face = _candidates(corners[faces[facing]], view)
    inside = np.ones(len(face), dtype=np.bool_)
    per_metre = np.zeros(len(face))
    for k in range(3):
        edge = edges[face, k]
        value = edge[:, 0] * (column + 0.5) + edge[:, 1] * (row + 0.5) + edge[:, 2]
        inside &= value >= 0
        per_metre += value
    inside &= (per_metre > 0) & (per_metre * view.near_m <= 1)
    mask[row[inside], column[inside]] = True
    return mask


def _candidates(
    triangles: NDArray[np.float64], view: View
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return column, row and triangle of each pixel in each triangle's box within the image."""
    size = np.array(view.size_px)
    ahead = triangles[:, :, 2].min(axis=1) >= view.near_m
    flat = triangles[:, :, :2] / np.where(ahead[:, None], triangles[:, :, 2], 1.0)[:, :, None]
    low = np.where(ahead[:, None], np.ceil(flat.min(axis=1) - 0.5), 0)
    high = np.where(ahead[:, None], np.floor(flat.max(axis=1) - 0.5) + 1, size)
    low, high = (np.clip(edge, 0, size).astype(np.intp) for edge in (low, high))
    across, down = np.maximum(high - low, 0).T
    count = across * down
    face = np.repeat(np.arange(len(count)), count)
    nth = np.arange(len(face)) - np.repeat(np.cumsum(count) - count, count)
    return low[face, 0] + nth % across[face], low[face, 1] + nth // across[face], face
