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
from simworld.render.raster import tiles
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
from simworld.render.raster.rows import MARGIN_PX, is_narrow, least, trim
from simworld.render.raster.samples import LANES, SAMPLES
from simworld.render.raster.tiles import meets, meets_any
from simworld.world.spec import Camera, Vec3

BLOCKS = 128
"""Along each side of the map, of which it is known whether they changed: 16 bits hold them all."""

NOTHING = np.float32(-1e9)

SMALLEST_AREA = 1e-9
"""Faces that the sun sees this nearly edge-on (texels squared) cast no shadow."""

LIFT_TEXELS = 1.6
"""Points are looked up so far above their surface, or it would shade itself in stripes."""

BIAS_TEXELS = 0.7

GLASS_DIMS = np.float32(0.45)
"""Share of light that glass keeps back."""

ONE, ZERO, NINTH, TWO = np.float32(1.0), np.float32(0.0), np.float32(1.0 / 9.0), np.float32(2.0)
ONE_ON, TWO_ON, THREE = np.uint64(1), np.uint64(2), np.uint64(3)


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
    cleared. `highest_m` (n, n) [float32] is the largest in any layer of the 4 x 4 texels that
    begin at each. `changed` (BLOCKS, BLOCKS) [bool] are the blocks that have changed since the last
    frame, `touched` those from which a window reaches such a one.
    """

    nearness_m: NDArray[np.float32]
    before_m: NDArray[np.float32]
    highest_m: NDArray[np.float32]
    changed: NDArray[np.bool_]
    touched: NDArray[np.bool_]


def new_maps(sun: Sun, layers: int) -> SunMaps:
    """Return maps with nothing in them."""
    shape = (layers, sun.texels, sun.texels)
    return SunMaps(
        nearness_m=np.full(shape, NOTHING),
        before_m=np.full(shape, NOTHING),
        highest_m=np.full(shape[1:], NOTHING),
        changed=np.zeros((BLOCKS, BLOCKS), dtype=np.bool_),
        touched=np.zeros((BLOCKS, BLOCKS), dtype=np.bool_),
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
def draw_shadows(region: tiles.Region, triangles: Triangles, stage: Stage, nearness: Array) -> None:
    """Draw all faces that look at the sun and meet a region; small ones are drawn whole."""
    edge, box = np.empty(12), np.empty((1, 4))
    rects = region.rects
    for body in range(len(triangles.layer)):
        if not stage.present[body] or not meets_any(stage.shade_px, body, rects):
            continue
        layer = triangles.layer[body]
        for f in range(triangles.face_start[body], triangles.face_start[body + 1]):
            if not _bound(f, triangles.faces, stage.sunward, box):
                continue
            if is_narrow(box, 0):
                if tiles.touches(region, box, 0):
                    _set_up(f, triangles.faces, stage.sunward, edge)
                    _ask_texels(layer, edge, box, nearness)
            elif meets_any(box, 0, rects):
                _set_up(f, triangles.faces, stage.sunward, edge)
                for r in range(len(rects)):
                    if meets(box, 0, rects, r):
                        _draw_texels(r, layer, rects, edge, box, nearness)


@compiled
def _bound(f: int, faces: Array, sunward: Array, box: Array) -> bool:
    """Set a face's bounds, `box` (1, 4); tell whether it looks at the sun."""
    a, b, c = np.uint64(faces[f, 0]), np.uint64(faces[f, 1]), np.uint64(faces[f, 2])
    ax, bx, cx = sunward[a, 0], sunward[b, 0], sunward[c, 0]
    ay, by, cy = sunward[a, 1], sunward[b, 1], sunward[c, 1]
    if (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) <= SMALLEST_AREA:
        return False
    box[0, 0], box[0, 1] = min(ax, bx, cx), min(ay, by, cy)
    box[0, 2], box[0, 3] = max(ax, bx, cx), max(ay, by, cy)
    return True


@compiled
def _set_up(f: int, faces: Array, sunward: Array, edge: Array) -> None:
    """Set a face's edge functions and nearness."""
    area = 0.0
    for i in range(3):
        b, c = faces[f, i + 1 if i < 2 else 0], faces[f, i - 1 if i > 0 else 2]
        edge[3 * i] = sunward[b, 1] - sunward[c, 1]
        edge[3 * i + 1] = sunward[c, 0] - sunward[b, 0]
        edge[3 * i + 2] = sunward[b, 0] * sunward[c, 1] - sunward[b, 1] * sunward[c, 0]
        area += edge[3 * i + 2]
    a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
    for k in range(3):
        edge[9 + k] = (
            edge[k] * sunward[a, 2] + edge[3 + k] * sunward[b, 2] + edge[6 + k] * sunward[c, 2]
        ) / area


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
        start, last = trim(a0, b0 * (y + 0.5) + c0, b0, 0.5, left, right)
        start, last = trim(a1, b1 * (y + 0.5) + c1, b1, 0.5, start, last)
        start, last = trim(a2, b2 * (y + 0.5) + c2, b2, 0.5, start, last)
        here = fall * (y + 0.5) + rest
        for x in range(np.uint64(start), np.uint64(last + 1)):
            nearness[layer, y, x] = max(
                nearness[layer, y, x], np.float32(slope * (np.int64(x) + 0.5) + here)
            )


@compiled
def _ask_texels(layer: int, edge: Array, box: Array, nearness: Array) -> None:
    """Draw a narrow face: ask each texel within its bounds, in groups of LANES."""
    a0, b0, c0, a1, b1, c1 = edge[0], edge[1], edge[2], edge[3], edge[4], edge[5]
    a2, b2, c2, slope, fall, rest = edge[6], edge[7], edge[8], edge[9], edge[10], edge[11]
    l0, l1, l2 = least(a0, b0), least(a1, b1), least(a2, b2)
    side = nearness.shape[1]
    left = max(0, math.ceil(box[0, 0] - 0.5 - MARGIN_PX))
    right = min(side - 1, math.floor(box[0, 2] - 0.5 + MARGIN_PX))
    top = max(0, math.ceil(box[0, 1] - 0.5 - MARGIN_PX))
    bottom = min(side - 1, math.floor(box[0, 3] - 0.5 + MARGIN_PX))
    if left > right:
        return
    texels = LANES * ((right - left + LANES) // LANES)
    left = min(left, side - texels)
    for y in range(top, bottom + 1):
        v = y + 0.5
        for k in range(np.uint64(texels)):
            u = left + np.int64(k) + 0.5
            inside = (
                (a0 * u + (b0 * v + c0) >= l0)
                & (a1 * u + (b1 * v + c1) >= l1)
                & (a2 * u + (b2 * v + c2) >= l2)
            )
            x = np.uint64(left) + k
            here = np.float32(slope * u + (fall * v + rest)) if inside else NOTHING
            nearness[layer, y, x] = max(nearness[layer, y, x], here)


@compiled
def compare_texels(rects: Array, nearness: Array, before: Array, changed: Array) -> None:
    """Find the blocks that have changed within rectangles (R, 4) of whole blocks."""
    other, size = np.empty(nearness.shape[1], dtype=np.bool_), nearness.shape[1] // BLOCKS
    for r in range(len(rects)):
        left, right = np.uint64(rects[r, 0]), np.uint64(rects[r, 2])
        for j in range(rects[r, 1] // size, rects[r, 3] // size):
            other[left:right] = False
            for layer in range(nearness.shape[0]):
                for y in range(j * size, j * size + size):
                    for x in range(left, right):
                        other[x] |= nearness[layer, y, x] != before[layer, y, x]
            for i in range(rects[r, 0] // size, rects[r, 2] // size):
                changed[j, i] = other[i * size : i * size + size].any()


@compiled
def spread_texels(rects: Array, nearness: Array, highest: Array) -> None:
    """Set the nearest texel in the windows that begin at, or reach into, rectangles (R, 4)."""
    layers, side = nearness.shape[0], nearness.shape[1]
    column = np.empty(side, dtype=np.float32)
    for r in range(len(rects)):
        left, stop = np.uint64(max(rects[r, 0] - 3, 0)), np.uint64(min(rects[r, 2], side - 3))
        for y in range(np.uint64(max(rects[r, 1] - 3, 0)), np.uint64(min(rects[r, 3], side - 3))):
            for x in range(left, stop + THREE):
                column[x] = NOTHING
            for layer in range(layers):
                for k in range(np.uint64(4)):
                    for x in range(left, stop + THREE):
                        column[x] = max(column[x], nearness[layer, y + k, x])
            for x in range(left, stop):
                highest[y, x] = max(
                    max(column[x], column[x + ONE_ON]), max(column[x + TWO_ON], column[x + THREE])
                )


@compiled
def spread_changes(changed: Array, touched: Array) -> None:
    """Set `touched` where a window of 4 x 4 texels that begins in a block sees a change."""
    rows, columns = changed.shape
    for j in range(rows):
        down = min(j + 1, rows - 1)
        for i in range(columns):
            right = min(i + 1, columns - 1)
            touched[j, i] = (
                changed[j, i] | changed[down, i] | changed[j, right] | changed[down, right]
            )


@compiled
def mark_touched(touched: Array, looked_up: Array, dirty: Array) -> None:
    """Mark in `dirty` (P,) the pixels that looked up a touched block.

    `looked_up` (SAMPLES + 1, P) [int16] holds, for each point that a pixel was shaded at, its
    block + 1, or 0; the centre's is -1 where the other samples were used. The last row means
    nothing.
    """
    for p in range(len(dirty)):
        block = looked_up[0, p]
        if block > 0:
            if touched[block - 1]:
                dirty[p] = True
        elif block < 0:
            for s in range(1, SAMPLES):
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
    highest: Array,
    looked_up: Array,
    wanted: Array,
    points: Array,
) -> None:
    """Set the share of sunlight that arrives at each point; note which blocks were asked.

    First it is found which points lie in any shade, then how much of the sun these see:
    `highest` (n, n) is the nearest texel in the window that begins at each.
    """
    layers, side = nearness.shape[0], nearness.shape[1]
    shift, shaded = 0, 0
    while BLOCKS << shift < side:
        shift += 1
    for at in range(np.uint64(count)):
        x, y = points[SX + at], points[SY + at]
        within = (x >= TWO) & (y >= TWO) & (x < side - TWO) & (y < side - TWO)
        asks = within & (points[FACING + at] > ZERO) & (sample[at] >= 0)
        column, row = np.int64(x if asks else TWO) - 1, np.int64(y if asks else TWO) - 1
        block = (row >> shift) * BLOCKS + (column >> shift)
        looked_up[sample[at], pixel[at]] = block + 1 if asks else 0
        points[LIT + at] = ONE
        wanted[shaded] = at
        nearest = highest[np.uint64(row), np.uint64(column)]
        shaded += asks & (nearest > points[SKEY + at])
    for n in range(shaded):
        i = np.uint64(wanted[n])
        x, y, key = np.floor(points[SX + i]), np.floor(points[SY + i]), points[SKEY + i]
        across, down = points[SX + i] - x, points[SY + i] - y
        left, upper = np.uint64(np.int64(x) - 1), np.uint64(np.int64(y) - 1)
        lit = _window(nearness, 0, upper, left, across, down, key)
        if layers > 1:
            through = _window(nearness, 1, upper, left, across, down, key)
            lit *= ONE - GLASS_DIMS * (ONE - through)
        points[LIT + i] = lit


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
    for k in range(np.uint64(4)):
        y = row + k
        part = (
            (ONE - across if nearness[layer, y, column] <= key else ZERO)
            + (ONE if nearness[layer, y, column + np.uint64(1)] <= key else ZERO)
            + (ONE if nearness[layer, y, column + np.uint64(2)] <= key else ZERO)
            + (across if nearness[layer, y, column + np.uint64(3)] <= key else ZERO)
        )
        share += part * (ONE - down if k == 0 else down if k == 3 else ONE)
    return share * NINTH
