"""The sun's map: how near to the sun the first surface is, seen from there along parallel rays.

Reference: Williams, Casting curved shadows on curved surfaces (SIGGRAPH 1978); soft edges by
percentage-closer filtering, Reeves et al. (SIGGRAPH 1987), over 4 x 4 texels whose outer ones
count by the share that lies within a window 3 texels wide.
Glass has a map of its own, for it dims the light and does not stop it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Array, Real, Whole, compiled
from simworld.render.raster.cast import Triangles
from simworld.render.raster.geometry import Stage
from simworld.render.raster.points import (
    FACING,
    LIT,
    NX,
    NY,
    NZ,
    PX,
    PY,
    PZ,
    SKEY,
    SX,
    SY,
)
from simworld.render.raster.visibility import MARGIN_PX, meets, trim
from simworld.world.spec import Camera, Vec3

BLOCK, SHIFT = 8, 3
"""Texels along the side of a block, of which the nearest texel is known; its logarithm."""

NOTHING = np.float32(-1e9)

SMALLEST_AREA = 1e-9
"""Faces that the sun sees this nearly edge-on (texels squared) cast no shadow."""

LIFT_TEXELS = 1.6
"""Points are looked up so far above their surface, or it would shade itself in stripes."""

BIAS_TEXELS = 0.7

GLASS_DIMS = np.float32(0.45)
"""Share of light that glass keeps back."""

ONE, ZERO, NINTH, HALF = np.float32(1.0), np.float32(0.0), np.float32(1.0 / 9.0), np.float32(0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Sun:
    """The sun's view, fixed for a clip: a square of `texels` x `texels` around a point.

    `direction` is the unit vector to the sun; `rows` (3, 4) maps the world to texels across and
    down and to metres nearer to the sun.
    """

    direction: Vec3
    rows: NDArray[np.float64]
    texels: int
    texel_m: float


def sun_over(camera: Camera, direction: Vec3, height_px: int) -> Sun:
    """Return the sun's view of what a camera looks at, as finely as pixels are."""
    reach_m = 1.15 * math.dist(camera.eye_m, camera.target_m)
    texels = 1024 if height_px <= 512 else 2048
    texel_m = 2.0 * reach_m / texels
    x, y, z = (part / math.hypot(*direction) for part in direction)
    forward = np.array([-x, -y, -z])
    aside = np.array([0.0, 1.0, 0.0]) if abs(z) > 0.99 else np.array([0.0, 0.0, 1.0])
    right = np.cross(forward, aside)
    right /= math.hypot(*right.tolist())
    axes = np.stack([right / texel_m, np.cross(forward, right) / texel_m, -forward])
    target = camera.target_m
    middle = axes[:, 0] * target[0] + axes[:, 1] * target[1] + axes[:, 2] * target[2]
    offset = np.array([texels / 2.0, texels / 2.0, 0.0]) - middle
    return Sun((x, y, z), np.concatenate([axes, offset[:, None]], axis=1), texels, texel_m)


@dataclass(frozen=True, slots=True, eq=False)
class SunMaps:
    """Maps of opaque things and of glass, if there is any.

    `nearness_m` is (layers, n, n) [float32]; `before_m` holds what was in the texels last
    cleared. `top_m` (layers, m + 1, m + 1) [float32] is the largest of each block; `changed`
    (m + 1, m + 1) [bool] are blocks that have changed since the last frame.
    """

    nearness_m: NDArray[np.float32]
    before_m: NDArray[np.float32]
    top_m: NDArray[np.float32]
    changed: NDArray[np.bool_]


def new_maps(sun: Sun, layers: int) -> SunMaps:
    """Return maps with nothing in them."""
    shape, blocks = (layers, sun.texels, sun.texels), sun.texels // BLOCK + 1
    return SunMaps(
        nearness_m=np.full(shape, NOTHING),
        before_m=np.full(shape, NOTHING),
        top_m=np.full((layers, blocks, blocks), NOTHING),
        changed=np.zeros((blocks, blocks), dtype=np.bool_),
    )


@compiled
def clear_texels(rects: Array, nearness: Array, before: Array) -> None:
    """Empty the maps within rectangles (R, 4), keeping what was there."""
    for r in range(len(rects)):
        for layer in range(nearness.shape[0]):
            for y in range(rects[r, 1], rects[r, 3]):
                now = nearness[layer, y, rects[r, 0] : rects[r, 2]]
                then = before[layer, y, rects[r, 0] : rects[r, 2]]
                for x in range(len(now)):
                    then[x] = now[x]
                    now[x] = NOTHING


@compiled
def draw_shadows(rects: Array, triangles: Triangles, stage: Stage, nearness: Array) -> None:
    """Draw all faces that look at the sun within rectangles (R, 4)."""
    edge = np.empty(12)
    box = np.empty((1, 4))
    for r in range(len(rects)):
        for body in range(len(triangles.layer)):
            if stage.present[body] and meets(stage.shade_px, body, rects, r):
                layer = triangles.layer[body]
                for f in range(triangles.face_start[body], triangles.face_start[body + 1]):
                    _bound(f, triangles.faces, stage.sunward, box)
                    if meets(box, 0, rects, r) and _set_up(f, triangles.faces, stage.sunward, edge):
                        _draw_texels(r, layer, rects, edge, box, nearness)


@compiled
def _bound(f: int, faces: Array, sunward: Array, box: Array) -> None:
    """Set a face's bounds, `box` (1, 4)."""
    a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
    for k in range(2):
        box[0, k] = min(sunward[a, k], sunward[b, k], sunward[c, k])
        box[0, 2 + k] = max(sunward[a, k], sunward[b, k], sunward[c, k])


@compiled
def _set_up(f: int, faces: Array, sunward: Array, edge: Array) -> bool:
    """Set a face's edge functions and nearness; tell whether it looks at the sun."""
    area = 0.0
    for i in range(3):
        b, c = faces[f, (i + 1) % 3], faces[f, (i + 2) % 3]
        edge[3 * i] = sunward[b, 1] - sunward[c, 1]
        edge[3 * i + 1] = sunward[c, 0] - sunward[b, 0]
        edge[3 * i + 2] = sunward[b, 0] * sunward[c, 1] - sunward[b, 1] * sunward[c, 0]
        area += edge[3 * i + 2]
    if area <= SMALLEST_AREA:
        return False
    for k in range(3):
        edge[9 + k] = 0.0
        for i in range(3):
            edge[9 + k] += edge[3 * i + k] * sunward[faces[f, i], 2] / area
    return True


@compiled
def _draw_texels(
    r: int, layer: int, rects: Array, edge: Array, box: Array, nearness: Array
) -> None:
    """Draw one face, row by row."""
    a0, b0, c0, a1, b1, c1 = edge[0], edge[1], edge[2], edge[3], edge[4], edge[5]
    a2, b2, c2, slope, fall, rest = edge[6], edge[7], edge[8], edge[9], edge[10], edge[11]
    left = math.ceil(max(box[0, 0] - 0.5 - MARGIN_PX, float(rects[r, 0])))
    right = math.floor(min(box[0, 2] - 0.5 + MARGIN_PX, rects[r, 2] - 1.0))
    top = math.ceil(max(box[0, 1] - 0.5 - MARGIN_PX, float(rects[r, 1])))
    bottom = math.floor(min(box[0, 3] - 0.5 + MARGIN_PX, rects[r, 3] - 1.0))
    if left > right:
        return
    for y in range(top, bottom + 1):
        start, last = trim(a0, a0 * 0.5 + (b0 * (y + 0.5) + c0), b0, left, right)
        start, last = trim(a1, a1 * 0.5 + (b1 * (y + 0.5) + c1), b1, start, last)
        start, last = trim(a2, a2 * 0.5 + (b2 * (y + 0.5) + c2), b2, start, last)
        here = slope * 0.5 + (fall * (y + 0.5) + rest)
        for x in range(np.uint64(start), np.uint64(last + 1)):
            nearness[layer, y, x] = max(
                nearness[layer, y, x], np.float32(here + slope * np.int64(x))
            )


@compiled
def compare_texels(
    rects: Array, nearness: Array, before: Array, top: Array, changed: Array
) -> None:
    """Find the blocks that have changed within rectangles (R, 4) of whole blocks."""
    highest = np.empty(nearness.shape[1], dtype=np.float32)
    other = np.empty(nearness.shape[1], dtype=np.bool_)
    for r in range(len(rects)):
        left, right = np.uint64(rects[r, 0]), np.uint64(rects[r, 2])
        for layer in range(nearness.shape[0]):
            for j in range(rects[r, 1] >> SHIFT, rects[r, 3] >> SHIFT):
                for x in range(left, right):
                    highest[x], other[x] = NOTHING, False
                for y in range(j * BLOCK, j * BLOCK + BLOCK):
                    for x in range(left, right):
                        highest[x] = max(highest[x], nearness[layer, y, x])
                    for x in range(left, right):
                        other[x] |= nearness[layer, y, x] != before[layer, y, x]
                for i in range(rects[r, 0] >> SHIFT, rects[r, 2] >> SHIFT):
                    top[layer, j, i] = highest[i * BLOCK : i * BLOCK + BLOCK].max()
                    changed[j, i] |= other[i * BLOCK : i * BLOCK + BLOCK].any()


@compiled
def spread_changes(changed: Array, touched: Array) -> None:
    """Set `touched` where a window of 4 x 4 texels that begins in a block sees a change."""
    rows, columns = changed.shape
    for j in range(rows):
        for i in range(columns):
            down, right = min(j + 1, rows - 1), min(i + 1, columns - 1)
            touched[j, i] = (
                changed[j, i] or changed[down, i] or changed[j, right] or changed[down, right]
            )


@compiled
def mark_touched(touched: Array, looked_up: Array, dirty: Array) -> None:
    """Mark in `dirty` (P,) the pixels that looked up a touched block.

    `looked_up` (SAMPLES, P) [int32] holds, for each point that a pixel was shaded at, its
    block + 1, or 0; the centre's is -1 where the other samples were used.
    """
    for p in range(len(dirty)):
        block = looked_up[0, p]
        if block > 0:
            if touched[block - 1]:
                dirty[p] = True
        elif block < 0:
            for s in range(1, looked_up.shape[0]):
                if looked_up[s, p] > 0 and touched[looked_up[s, p] - 1]:
                    dirty[p] = True


@compiled
def find_texels(count: int, rows: Array, eye: Array, texel_m: float, points: Array) -> None:
    """Set where each point is in the maps, and how it faces the sun; `rows` (3, 4) [float32]."""
    x0, x1, x2, y0, y1, y2 = rows[0, 0], rows[0, 1], rows[0, 2], rows[1, 0], rows[1, 1], rows[1, 2]
    k0, k1, k2 = rows[2, 0], rows[2, 1], rows[2, 2]
    xe = np.float32(rows[0, 3] + (x0 * eye[0] + x1 * eye[1] + x2 * eye[2]) - 0.5)
    ye = np.float32(rows[1, 3] + (y0 * eye[0] + y1 * eye[1] + y2 * eye[2]) - 0.5)
    ke = np.float32(rows[2, 3] + (k0 * eye[0] + k1 * eye[1] + k2 * eye[2]) + BIAS_TEXELS * texel_m)
    lift = np.float32(LIFT_TEXELS * texel_m)
    for i in range(np.uint64(count)):
        nx, ny, nz = points[NX + i], points[NY + i], points[NZ + i]
        px = points[PX + i] + lift * nx
        py = points[PY + i] + lift * ny
        pz = points[PZ + i] + lift * nz
        points[SX + i] = x0 * px + x1 * py + x2 * pz + xe
        points[SY + i] = y0 * px + y1 * py + y2 * pz + ye
        points[SKEY + i] = k0 * px + k1 * py + k2 * pz + ke
        points[FACING + i] = max(nx * k0 + ny * k1 + nz * k2, ZERO)


@compiled
def look_up(
    count: int,
    pixel: Array,
    sample: Array,
    nearness: Array,
    top: Array,
    looked_up: Array,
    points: Array,
) -> None:
    """Set the share of sunlight that arrives at each point; note which blocks were asked."""
    side, glass = nearness.shape[1], nearness.shape[0] > 1
    for at in range(count):
        i = np.uint64(at)
        points[LIT + i] = ONE
        if points[FACING + i] == ZERO or sample[at] < 0:
            continue
        x, y = np.floor(points[SX + i]), np.floor(points[SY + i])
        if x < 2.0 or y < 2.0 or x >= side - 3.0 or y >= side - 3.0:
            continue
        column, row = np.int64(x) - 1, np.int64(y) - 1
        j, k = row >> SHIFT, column >> SHIFT
        j1, k1 = (row + 3) >> SHIFT, (column + 3) >> SHIFT
        looked_up[sample[at], pixel[at]] = j * top.shape[2] + k + 1
        across, down, key = points[SX + i] - x, points[SY + i] - y, points[SKEY + i]
        if max(top[0, j, k], top[0, j, k1], top[0, j1, k], top[0, j1, k1]) > key:
            points[LIT + i] = _window(nearness, 0, row, column, across, down, key)
        if glass and max(top[1, j, k], top[1, j, k1], top[1, j1, k], top[1, j1, k1]) > key:
            through = _window(nearness, 1, row, column, across, down, key)
            points[LIT + i] *= ONE - GLASS_DIMS * (ONE - through)


@compiled
def _window(
    nearness: Array,
    layer: int,
    row: Whole,
    column: Whole,
    across: Real,
    down: Real,
    key: Real,
) -> Real:
    """Return the share of a window that lies no nearer to the sun than `key`."""
    share = ZERO
    for k in range(4):
        y = row + k
        part = (
            (ONE - across if nearness[layer, y, column] <= key else ZERO)
            + (ONE if nearness[layer, y, column + 1] <= key else ZERO)
            + (ONE if nearness[layer, y, column + 2] <= key else ZERO)
            + (across if nearness[layer, y, column + 3] <= key else ZERO)
        )
        share += part * (ONE - down if k == 0 else down if k == 3 else ONE)
    return share * NINTH
