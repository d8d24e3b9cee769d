"""Triangles brought to their poses and on to the image, one body after the other.

Triangles are kept in homogeneous coordinates [x w, y w, w], so that none has to be clipped at
the near plane: Olano and Greer, Triangle scan conversion using 2D homogeneous coordinates
(1997). A face's edge functions are positive within it; their sum over the face's volume is one
over the depth, and every quantity over depth is linear in the image.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Array, compiled
from simworld.render.base import Poses
from simworld.render.camera import View
from simworld.render.raster.cast import Triangles

GRID = 2.0**16
"""Poses are rounded to 1 / GRID, metres and quaternions alike: what rests then stays put."""

HIDDEN, WHOLE, CROSSING = 0, 1, 2
"""A face that looks away or lies behind, one before the near plane, one across it."""

NOWHERE = np.array([np.inf, np.inf, -np.inf, -np.inf])
"""The bounds of nothing."""

SMALLEST_VOLUME = 1e-9
"""Faces seen so nearly edge-on that no sample can lie on them are left out."""


class Stage(NamedTuple):
    """All faces as the camera and the sun see them at this moment.

    `seen` (V, 3) [x w, y w, w in pixels and metres] and `sunward` (V, 3) [x, y in texels,
    nearness to the sun in metres] are the vertices. Of each face, `kind` (F,) [uint8] is
    HIDDEN, WHOLE or CROSSING, `edges` (F, 12) [float64] three edge functions and one over
    depth, `box_px` (F, 4) [float64] its bounds; `origin_px` (F, 2) and `planes` (F, 18)
    [float32] the point and the linear functions about it from which points are shaded: one
    over depth, normal / depth, texture place / depth. `normals` (F, 3) [float32] are the means
    of the corners' normals. Of each body, `present` (B,) [bool] tells whether it is there,
    `extent_px` (B, 4) [float64] bounds what of it lies before the near plane, and `shade_px`
    (B, 4) its shadow's place in the sun's map, in texels.
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
    present: NDArray[np.bool_]
    extent_px: NDArray[np.float64]
    shade_px: NDArray[np.float64]


def new_stage(triangles: Triangles) -> Stage:
    """Return an empty stage for some triangles."""
    vertices, faces = len(triangles.vertices_m), len(triangles.faces)
    bodies = len(triangles.layer)
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
        present=np.zeros(bodies, dtype=np.bool_),
        extent_px=np.tile(NOWHERE, (bodies, 1)),
        shade_px=np.tile(NOWHERE, (bodies, 1)),
    )


def rounded(poses: Poses) -> Poses:
    """Return poses on the grid of places and quaternions."""
    on_grid: Poses = np.floor(poses * GRID + 0.5) / GRID
    return on_grid


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
def place_bodies(
    which: Array,
    poses: Array,
    to_camera: Array,
    to_sun: Array,
    size: tuple[int, int],
    near: float,
    triangles: Triangles,
    stage: Stage,
) -> None:
    """Bring the bodies `which` to their poses (B, 7), and work out all that drawing needs.

    `to_camera` and `to_sun` are linear maps (3, 4) from the world.
    """
    turned = np.empty((3, 4))
    for body in which:
        for k in range(4):
            stage.extent_px[body, k] = stage.shade_px[body, k] = NOWHERE[k]
        first, last = triangles.face_start[body], triangles.face_start[body + 1]
        stage.present[body] = not np.isnan(poses[body, 0])
        if not stage.present[body]:
            stage.kind[first:last] = HIDDEN
            continue
        _turn(poses, body, turned)
        start, stop = triangles.vertex_start[body], triangles.vertex_start[body + 1]
        _map(start, stop, turned, triangles.vertices_m, stage.world_m)
        _map(start, stop, to_camera, stage.world_m, stage.seen)
        _map(start, stop, to_sun, stage.world_m, stage.sunward)
        _bound_shade(body, start, stop, stage.sunward, stage.shade_px)
        _bound_faces(
            body, first, last, near, triangles.faces, stage.seen, stage.box_px, stage.kind,
            stage.extent_px,
        )  # fmt: skip
        _set_up_faces(
            first, last, size, turned, triangles.faces, triangles.normals, triangles.places,
            stage.seen, stage.box_px, stage.kind, stage.edges, stage.origin_px, stage.planes,
            stage.normals,
        )  # fmt: skip


@compiled
def _turn(poses: Array, body: int, turned: Array) -> None:
    """Set `turned` (3, 4) to a body's rotation and place; its quaternion has any length but 0."""
    x, y, z, w = poses[body, 3], poses[body, 4], poses[body, 5], poses[body, 6]
    s = 2.0 / (x * x + y * y + z * z + w * w)
    turned[0, 0], turned[0, 1] = 1.0 - s * (y * y + z * z), s * (x * y - z * w)
    turned[1, 0], turned[1, 1] = s * (x * y + z * w), 1.0 - s * (x * x + z * z)
    turned[2, 0], turned[2, 1] = s * (x * z - y * w), s * (y * z + x * w)
    turned[0, 2], turned[1, 2] = s * (x * z + y * w), s * (y * z - x * w)
    turned[2, 2] = 1.0 - s * (x * x + y * y)
    for k in range(3):
        turned[k, 3] = poses[body, k]


@compiled
def _map(first: int, last: int, rows: Array, points: Array, out: Array) -> None:
    """Apply a linear map (3, 4) to the points [first, last)."""
    for v in range(first, last):
        x, y, z = points[v, 0], points[v, 1], points[v, 2]
        for k in range(3):
            out[v, k] = rows[k, 0] * x + rows[k, 1] * y + rows[k, 2] * z + rows[k, 3]


@compiled
def _bound_shade(body: int, first: int, last: int, sunward: Array, shades: Array) -> None:
    """Find a body's bounds in the sun's map."""
    left, top, right, bottom = np.inf, np.inf, -np.inf, -np.inf
    for v in range(first, last):
        left, top = min(left, sunward[v, 0]), min(top, sunward[v, 1])
        right, bottom = max(right, sunward[v, 0]), max(bottom, sunward[v, 1])
    shades[body, 0], shades[body, 1] = left, top
    shades[body, 2], shades[body, 3] = right, bottom


@compiled
def _bound_faces(
    body: int,
    first: int,
    last: int,
    near: float,
    faces: Array,
    seen: Array,
    boxes: Array,
    kind: Array,
    extents: Array,
) -> None:
    """Find the bounds of faces and of their body before the near plane, and faces' kinds."""
    most_left, most_top, most_right, most_bottom = np.inf, np.inf, -np.inf, -np.inf
    for f in range(first, last):
        behind = 0
        left, top, right, bottom = np.inf, np.inf, -np.inf, -np.inf
        for k in range(3):
            a, b = faces[f, k], faces[f, k + 1 if k < 2 else 0]
            wa, wb = seen[a, 2], seen[b, 2]
            if wa >= near:
                x, y = seen[a, 0] / wa, seen[a, 1] / wa
                left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
            else:
                behind += 1
            if (wa < near) != (wb < near):
                share = (near - wa) / (wb - wa)
                x = (seen[a, 0] + (seen[b, 0] - seen[a, 0]) * share) / near
                y = (seen[a, 1] + (seen[b, 1] - seen[a, 1]) * share) / near
                left, top, right, bottom = min(left, x), min(top, y), max(right, x), max(bottom, y)
        boxes[f, 0], boxes[f, 1], boxes[f, 2], boxes[f, 3] = left, top, right, bottom
        kind[f] = WHOLE if behind == 0 else CROSSING if behind < 3 else HIDDEN
        most_left, most_top = min(most_left, left), min(most_top, top)
        most_right, most_bottom = max(most_right, right), max(most_bottom, bottom)
    extents[body, 0], extents[body, 1] = most_left, most_top
    extents[body, 2], extents[body, 3] = most_right, most_bottom


@compiled
def _set_up_faces(
    first: int,
    last: int,
    size: tuple[int, int],
    turned: Array,
    faces: Array,
    normals: Array,
    places: Array,
    seen: Array,
    boxes: Array,
    kind: Array,
    edges: Array,
    origins: Array,
    planes: Array,
    means: Array,
) -> None:
    """Work out edge functions and shading planes of the faces that can be seen, hide others."""
    inverse = np.empty((3, 3))
    amounts = np.empty((6, 3))
    amounts[0] = 1.0
    for f in range(first, last):
        outside = (
            boxes[f, 0] > size[0] or boxes[f, 1] > size[1] or boxes[f, 2] < 0 or boxes[f, 3] < 0
        )
        volume = 0.0 if outside or kind[f] == HIDDEN else _invert(f, faces, seen, inverse)
        if volume <= SMALLEST_VOLUME:
            kind[f] = HIDDEN
            continue
        x, y = max(0.0, math.floor(boxes[f, 0])), max(0.0, math.floor(boxes[f, 1]))
        origins[f, 0], origins[f, 1] = x, y
        for k in range(3):
            edges[f, k], edges[f, 3 + k] = inverse[0, k], inverse[1, k]
            edges[f, 6 + k] = inverse[2, k]
            edges[f, 9 + k] = (inverse[0, k] + inverse[1, k] + inverse[2, k]) / volume
            means[f, k] = 0.0
            for i in range(3):
                amount = (
                    turned[k, 0] * normals[f, i, 0]
                    + turned[k, 1] * normals[f, i, 1]
                    + turned[k, 2] * normals[f, i, 2]
                )
                means[f, k] += amount / 3.0
                amounts[1 + k, i] = amount
                if k < 2:
                    amounts[4 + k, i] = places[f, i, k]
        for i in range(3):
            inverse[i, 2] += inverse[i, 0] * x + inverse[i, 1] * y
        for q in range(6):
            for k in range(3):
                planes[f, 3 * q + k] = (
                    amounts[q, 0] * inverse[0, k]
                    + amounts[q, 1] * inverse[1, k]
                    + amounts[q, 2] * inverse[2, k]
                ) / volume


@compiled
def _invert(f: int, faces: Array, seen: Array, inverse: Array) -> float:
    """Set a face's three edge functions; return its volume, positive if it looks at the eye."""
    for i in range(3):
        b, c = faces[f, i + 1 if i < 2 else 0], faces[f, i - 1 if i > 0 else 2]
        inverse[i, 0] = seen[b, 1] * seen[c, 2] - seen[b, 2] * seen[c, 1]
        inverse[i, 1] = seen[b, 2] * seen[c, 0] - seen[b, 0] * seen[c, 2]
        inverse[i, 2] = seen[b, 0] * seen[c, 1] - seen[b, 1] * seen[c, 0]
    a = faces[f, 0]
    volume: float = (
        seen[a, 0] * inverse[0, 0] + seen[a, 1] * inverse[0, 1] + seen[a, 2] * inverse[0, 2]
    )
    return volume
