"""Triangles brought to their poses and on to the image, one body after the other.

Triangles are kept in homogeneous coordinates [x w, y w, w], so that none has to be clipped at
the near plane: Olano and Greer, Triangle scan conversion using 2D homogeneous coordinates
(1997). A face's edge functions are positive within it; their sum over the face's volume is one
over the depth, and every quantity over depth is linear in the image.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.render.base import Poses
from simworld.render.camera import View
from simworld.render.raster.cast import Cast
from simworld.render.raster.jit import Array, compiled

GRID = 2.0**16
"""Poses are rounded to 1 / GRID, metres and quaternions alike: what rests then stays put."""

HIDDEN, WHOLE, CROSSING = 0, 1, 2
"""A face that looks away or lies behind, one before the near plane, one across it."""

NOWHERE = np.array([np.inf, np.inf, -np.inf, -np.inf])
"""The bounds of nothing."""

SMALLEST_VOLUME = 1e-9
"""Faces seen so nearly edge-on that no sample can lie on them are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """All faces as the camera and the sun see them at this moment.

    `world_m` (V, 3), `seen` (V, 3) [x w, y w, w in pixels and metres] and `sunward` (V, 3)
    [x, y in texels, nearness to the sun in metres] are the vertices. Of each face, `kind` (F,)
    [uint8] is HIDDEN, WHOLE or CROSSING, `edges` (F, 12) [float64] three edge functions and one
    over depth, `box_px` (F, 4) [float64] its bounds; `origin_px` (F, 2) and `planes` (F, 18)
    [float32] the point and the linear functions about it from which points are shaded: one
    over depth, normal / depth, texture place / depth. `normals` (F, 3) [float32] are the means
    of the corners' normals. `extent_px` (N, 4) [float64] bounds what of each object lies before
    the near plane, `shade_px` (N, 4) its shadow's place in the sun's map, in texels.
    """

    world_m: NDArray[np.float64]
    seen: NDArray[np.float64]
    sunward: NDArray[np.float64]
    kind: NDArray[np.uint8]
    edges: NDArray[np.float64]
    box_px: NDArray[np.float64]
    origin_px: NDArray[np.float32]
    planes: NDArray[np.float32]
    normals: NDArray[np.float32]
    extent_px: NDArray[np.float64]
    shade_px: NDArray[np.float64]


def new_stage(cast: Cast) -> Stage:
    """Return an empty stage for a cast."""
    vertices, faces = len(cast.vertices_m), len(cast.faces)
    return Stage(
        world_m=np.zeros((vertices, 3)),
        seen=np.zeros((vertices, 3)),
        sunward=np.zeros((vertices, 3)),
        kind=np.zeros(faces, dtype=np.uint8),
        edges=np.zeros((faces, 12)),
        box_px=np.zeros((faces, 4)),
        origin_px=np.zeros((faces, 2), dtype=np.float32),
        planes=np.zeros((faces, 18), dtype=np.float32),
        normals=np.zeros((faces, 3), dtype=np.float32),
        extent_px=np.tile(NOWHERE, (len(cast.objects), 1)),
        shade_px=np.tile(NOWHERE, (len(cast.objects), 1)),
    )


def rounded(poses: Poses) -> Poses:
    """Return poses on the grid of places and quaternions."""
    on_grid: Poses = np.floor(poses * GRID + 0.5) / GRID
    return on_grid


def rotation(quat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotation (3, 3) of a quaternion of any length but 0."""
    x, y, z, w = quat.tolist()
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
        ]
    )


def camera_rows(view: View) -> NDArray[np.float64]:
    """Return the linear map (3, 4) from world to [x w, y w, w]; the last column moves."""
    right, down, forward = view.rotation
    width, height = view.size_px
    rows = np.stack(
        [
            view.focal_px * right + width / 2 * forward,
            view.focal_px * down + height / 2 * forward,
            forward,
        ]
    )
    eye = -(rows[:, 0] * view.eye_m[0] + rows[:, 1] * view.eye_m[1] + rows[:, 2] * view.eye_m[2])
    return np.concatenate([rows, eye[:, None]], axis=1)


@compiled
def place_vertices(first: int, last: int, pose: Array, vertices: Array, world: Array) -> None:
    """Put the vertices [first, last) into the world; `pose` is (3, 4)."""
    for v in range(first, last):
        x, y, z = vertices[v, 0], vertices[v, 1], vertices[v, 2]
        for k in range(3):
            world[v, k] = pose[k, 0] * x + pose[k, 1] * y + pose[k, 2] * z + pose[k, 3]


@compiled
def map_vertices(first: int, last: int, rows: Array, world: Array, out: Array) -> None:
    """Apply a linear map (3, 4) to the vertices [first, last)."""
    for v in range(first, last):
        x, y, z = world[v, 0], world[v, 1], world[v, 2]
        for k in range(3):
            out[v, k] = rows[k, 0] * x + rows[k, 1] * y + rows[k, 2] * z + rows[k, 3]


@compiled
def set_up_faces(
    first: int,
    last: int,
    pose: Array,
    size: tuple[int, int],
    near: float,
    faces: Array,
    normals: Array,
    places: Array,
    seen: Array,
    kind: Array,
    edges: Array,
    boxes: Array,
    origins: Array,
    planes: Array,
    means: Array,
    extent: Array,
) -> None:
    """Work out all that drawing needs of the faces [first, last) of one body.

    `extent` (4,) grows to hold the body's faces; it starts as [inf, inf, -inf, -inf].
    """
    inverse = np.empty((3, 3))
    turned = np.empty((3, 3))
    for f in range(first, last):
        kind[f] = HIDDEN
        behind = _bound(f, size, near, faces, seen, boxes, extent)
        if behind == 3:
            continue
        volume = _invert(f, faces, seen, inverse)
        if volume <= SMALLEST_VOLUME:
            continue
        kind[f] = WHOLE if behind == 0 else CROSSING
        for k in range(3):
            total = 0.0
            for i in range(3):
                edges[f, 3 * i + k] = inverse[i, k]
                total += inverse[i, k]
                inverse[i, k] /= volume
                turned[i, k] = (
                    pose[k, 0] * normals[f, i, 0]
                    + pose[k, 1] * normals[f, i, 1]
                    + pose[k, 2] * normals[f, i, 2]
                )
            edges[f, 9 + k] = total / volume
            means[f, k] = (turned[0, k] + turned[1, k] + turned[2, k]) / 3.0
        x = max(0.0, math.floor(boxes[f, 0]))
        y = max(0.0, math.floor(boxes[f, 1]))
        origins[f, 0], origins[f, 1] = x, y
        for plane in range(6):
            for k in range(3):
                value = 0.0
                for i in range(3):
                    amount = 1.0
                    if plane >= 4:
                        amount = places[f, i, plane - 4]
                    elif plane >= 1:
                        amount = turned[i, plane - 1]
                    value += amount * (
                        inverse[i, k]
                        if k < 2
                        else inverse[i, 0] * x + inverse[i, 1] * y + inverse[i, 2]
                    )
                planes[f, 3 * plane + k] = value


@compiled
def bound_vertices(first: int, last: int, sunward: Array, extent: Array) -> None:
    """Grow an object's bounds in the sun's map, `extent` (4,), by the vertices [first, last)."""
    for v in range(first, last):
        for k in range(2):
            extent[k] = min(extent[k], sunward[v, k])
            extent[2 + k] = max(extent[2 + k], sunward[v, k])


@compiled
def _bound(
    f: int,
    size: tuple[int, int],
    near: float,
    faces: Array,
    seen: Array,
    boxes: Array,
    extent: Array,
) -> int:
    """Find a face's bounds in the image and add them to its object's; count corners behind."""
    behind = 0
    left, top, right, bottom = np.inf, np.inf, -np.inf, -np.inf
    for k in range(3):
        a, b = faces[f, k], faces[f, (k + 1) % 3]
        if seen[a, 2] < near:
            behind += 1
        else:
            x, y = seen[a, 0] / seen[a, 2], seen[a, 1] / seen[a, 2]
            left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
        if (seen[a, 2] < near) != (seen[b, 2] < near):
            share = (near - seen[a, 2]) / (seen[b, 2] - seen[a, 2])
            x = (seen[a, 0] + (seen[b, 0] - seen[a, 0]) * share) / near
            y = (seen[a, 1] + (seen[b, 1] - seen[a, 1]) * share) / near
            left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
    if left <= right:
        extent[0], extent[1] = min(extent[0], left), min(extent[1], top)
        extent[2], extent[3] = max(extent[2], right), max(extent[3], bottom)
    boxes[f, 0], boxes[f, 1], boxes[f, 2], boxes[f, 3] = left, top, right, bottom
    return behind


@compiled
def _invert(f: int, faces: Array, seen: Array, inverse: Array) -> float:
    """Set a face's three edge functions; return its volume, positive if it looks at the eye."""
    for i in range(3):
        b, c = faces[f, (i + 1) % 3], faces[f, (i + 2) % 3]
        inverse[i, 0] = seen[b, 1] * seen[c, 2] - seen[b, 2] * seen[c, 1]
        inverse[i, 1] = seen[b, 2] * seen[c, 0] - seen[b, 0] * seen[c, 2]
        inverse[i, 2] = seen[b, 0] * seen[c, 1] - seen[b, 1] * seen[c, 0]
    a = faces[f, 0]
    volume: float = (
        seen[a, 0] * inverse[0, 0] + seen[a, 1] * inverse[0, 1] + seen[a, 2] * inverse[0, 2]
    )
    return volume
