"""Which face each sample of the image shows.

A pixel has five samples: its centre, which ids and depth are taken at, and four about it on a
turned grid, which its colour is the mean of. A sample holds one number, the nearness 1 / depth
in its upper half and the face's number, counted down, in its lower: the greatest number wins,
so what is seen does not depend on the order of drawing, and of two faces equally near the lower
one is seen. 0 is the background.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Array, Whole, compiled, inlined
from simworld.render.raster.cast import Triangles
from simworld.render.raster.geometry import CROSSING, HIDDEN, WHOLE, Stage

SAMPLE_X = np.array([0.5, 0.375, 0.875, 0.125, 0.625])
SAMPLE_Y = np.array([0.5, 0.125, 0.375, 0.625, 0.875])
SAMPLES = 5

LOW = np.uint64(0xFFFFFFFF)
UP = np.uint64(32)
MARGIN_PX = 1e-3
"""How far beyond a face's rounded bounds its edge functions are still asked."""

SMALLEST = 5e-324
"""What is at least this much is more than 0."""

SMALL = 4.0
"""Sides of faces (px) that count as small."""

NARROW = 6
"""Rows of so many pixels are searched from both ends; longer ones by a division first."""


@compiled
def face_at(sample: np.uint64) -> Whole:
    """Return the face that a sample shows, -1 for the background."""
    return -1 if sample == 0 else np.int64(LOW - (sample & LOW))


@compiled
def clear(rects: Array, nearest: Array) -> None:
    """Empty the samples within rectangles [x1, y1, x2, y2] (R, 4)."""
    for r in range(len(rects)):
        for layer in range(nearest.shape[0]):
            for s in range(SAMPLES):
                for y in range(rects[r, 1], rects[r, 3]):
                    nearest[layer, s, y, rects[r, 0] : rects[r, 2]] = np.uint64(0)


@compiled
def mark(
    which: Array,
    regions: Array,
    face_start: Array,
    nearest: Array,
    dirty: Array,
) -> None:
    """Mark in `dirty` (H, W) the pixels of which a sample shows one of the bodies `which`.

    They are looked for within `regions`, each body's bounds in pixels, (B', 4).
    """
    layers, _, height, width = nearest.shape
    for n in range(len(which)):
        if not regions[n, 0] <= regions[n, 2]:
            continue
        left, right = _clipped(regions[n, 0], width), _clipped(regions[n, 2] + 1.0, width)
        top, bottom = _clipped(regions[n, 1], height), _clipped(regions[n, 3] + 1.0, height)
        lowest = LOW - np.uint64(face_start[which[n] + 1] - 1)
        count = np.uint64(face_start[which[n] + 1] - face_start[which[n]])
        for layer in range(layers):
            for s in range(SAMPLES):
                for y in range(top, bottom):
                    for x in range(np.uint64(left), np.uint64(right)):
                        here = (nearest[layer, s, y, x] & LOW) - lowest
                        dirty[y, x] |= here < count


@compiled
def _clipped(place: float, limit: int) -> int:
    return int(min(max(math.floor(place), 0.0), float(limit)))


@compiled
def meets(boxes: Array, k: int, rects: Array, r: int) -> bool:
    """Tell whether bounds k and rectangle r, each [x1, y1, x2, y2], overlap or touch."""
    return not (
        boxes[k, 0] > rects[r, 2]
        or boxes[k, 1] > rects[r, 3]
        or boxes[k, 2] < rects[r, 0]
        or boxes[k, 3] < rects[r, 1]
    )


@compiled
def draw(rects: Array, near: float, triangles: Triangles, stage: Stage, nearest: Array) -> None:
    """Draw all faces within rectangles (R, 4)."""
    for r in range(len(rects)):
        for body in range(len(triangles.layer)):
            if stage.present[body] and meets(stage.extent_px, body, rects, r):
                layer = triangles.layer[body]
                for f in range(triangles.face_start[body], triangles.face_start[body + 1]):
                    if stage.kind[f] != HIDDEN and meets(stage.box_px, f, rects, r):
                        if stage.kind[f] == WHOLE and is_small(stage.box_px, f):
                            _draw_small(f, r, layer, rects, stage.edges, stage.box_px, nearest)
                        else:
                            cut = near if stage.kind[f] == CROSSING else 0.0
                            _draw_face(f, r, layer, cut, rects, stage.edges, stage.box_px, nearest)


@compiled
def _draw_face(
    f: int,
    r: int,
    layer: int,
    near: float,
    rects: Array,
    edges: Array,
    boxes: Array,
    nearest: Array,
) -> None:
    """Draw one face, sample by sample and row by row; `near` is 0 if it need not be cut there."""
    number = LOW - np.uint64(f)
    a0, b0, c0 = edges[f, 0], edges[f, 1], edges[f, 2]
    a1, b1, c1 = edges[f, 3], edges[f, 4], edges[f, 5]
    a2, b2, c2 = edges[f, 6], edges[f, 7], edges[f, 8]
    slope, fall, rest = edges[f, 9], edges[f, 10], edges[f, 11]
    for s in range(SAMPLES):
        u, v = SAMPLE_X[s], SAMPLE_Y[s]
        left = math.ceil(max(boxes[f, 0] - u - MARGIN_PX, float(rects[r, 0])))
        right = math.floor(min(boxes[f, 2] - u + MARGIN_PX, rects[r, 2] - 1.0))
        top = math.ceil(max(boxes[f, 1] - v - MARGIN_PX, float(rects[r, 1])))
        bottom = math.floor(min(boxes[f, 3] - v + MARGIN_PX, rects[r, 3] - 1.0))
        if left > right:
            continue
        for y in range(top, bottom + 1):
            start, last = trim(a0, a0 * u + (b0 * (y + v) + c0), b0, left, right)
            start, last = trim(a1, a1 * u + (b1 * (y + v) + c1), b1, start, last)
            start, last = trim(a2, a2 * u + (b2 * (y + v) + c2), b2, start, last)
            nearness = slope * u + (fall * (y + v) + rest)
            if near > 0.0:
                start, last = _before_near(slope, nearness, 1.0 / near, start, last)
            for x in range(np.uint64(start), np.uint64(last + 1)):
                bits = np.float32(nearness + slope * np.int64(x)).view(np.uint32)
                nearest[layer, s, y, x] = max(
                    nearest[layer, s, y, x], (np.uint64(bits) << UP) | number
                )


@inlined
def is_small(boxes: Array, f: int) -> Any:
    """Tell whether a face is so small that asking each sample is faster than finding rows."""
    return boxes[f, 2] - boxes[f, 0] < SMALL and boxes[f, 3] - boxes[f, 1] < SMALL


@inlined
def least(slope: float, fall: float) -> float:
    """Return the least value of an edge function that is within: 0 itself on one side only."""
    return 0.0 if slope > 0.0 or (slope == 0.0 and fall > 0.0) else SMALLEST


@compiled
def _draw_small(
    f: int, r: int, layer: int, rects: Array, edges: Array, boxes: Array, nearest: Array
) -> None:
    """Draw a small face: ask each sample of its pixels."""
    number = LOW - np.uint64(f)
    a0, b0, c0 = edges[f, 0], edges[f, 1], edges[f, 2]
    a1, b1, c1 = edges[f, 3], edges[f, 4], edges[f, 5]
    a2, b2, c2 = edges[f, 6], edges[f, 7], edges[f, 8]
    slope, fall, rest = edges[f, 9], edges[f, 10], edges[f, 11]
    l0, l1, l2 = least(a0, b0), least(a1, b1), least(a2, b2)
    x1, y1 = boxes[f, 0] - MARGIN_PX, boxes[f, 1] - MARGIN_PX
    x2, y2 = boxes[f, 2] + MARGIN_PX, boxes[f, 3] + MARGIN_PX
    for s in range(SAMPLES):
        u, v = SAMPLE_X[s], SAMPLE_Y[s]
        left, right = max(rects[r, 0], math.ceil(x1 - u)), min(rects[r, 2] - 1, math.floor(x2 - u))
        top, bottom = max(rects[r, 1], math.ceil(y1 - v)), min(rects[r, 3] - 1, math.floor(y2 - v))
        for y in range(top, bottom + 1):
            e0 = a0 * u + (b0 * (y + v) + c0)
            e1 = a1 * u + (b1 * (y + v) + c1)
            e2 = a2 * u + (b2 * (y + v) + c2)
            for x in range(left, right + 1):
                if a0 * x + e0 >= l0 and a1 * x + e1 >= l1 and a2 * x + e2 >= l2:
                    nearness = slope * u + (fall * (y + v) + rest)
                    bits = np.float32(nearness + slope * x).view(np.uint32)
                    value = (np.uint64(bits) << UP) | number
                    if value > nearest[layer, s, y, x]:
                        nearest[layer, s, y, x] = value


@compiled
def cover(
    which: Array,
    body_start: Array,
    near: float,
    triangles: Triangles,
    stage: Stage,
    visits: Array,
    ticket: int,
    covered: Array,
) -> None:
    """Find box and number of the pixels whose centres the objects `which` cover, hidden or not.

    They go into `covered` (N, 5) [int32]. `visits` (H, W) [int32] tells which pixels an object
    has covered already, by numbers from `ticket` on.
    """
    height, width = visits.shape
    image = np.array([[0, 0, width, height]])
    for n in range(len(which)):
        k = which[n]
        covered[k, 0], covered[k, 1] = width, height
        covered[k, 2], covered[k, 3], covered[k, 4] = 0, 0, 0
        for body in range(body_start[k], body_start[k + 1]):
            if stage.present[body]:
                for f in range(triangles.face_start[body], triangles.face_start[body + 1]):
                    if stage.kind[f] != HIDDEN and meets(stage.box_px, f, image, 0):
                        cut = near if stage.kind[f] == CROSSING else 0.0
                        _cover_face(
                            f, k, cut, ticket + n, stage.edges, stage.box_px, visits, covered
                        )


@compiled
def _cover_face(
    f: int,
    k: int,
    near: float,
    stamp: int,
    edges: Array,
    boxes: Array,
    visits: Array,
    covered: Array,
) -> None:
    """Add the pixels whose centres one face covers."""
    height, width = visits.shape
    a0, b0, c0 = edges[f, 0], edges[f, 1], edges[f, 2]
    a1, b1, c1 = edges[f, 3], edges[f, 4], edges[f, 5]
    a2, b2, c2 = edges[f, 6], edges[f, 7], edges[f, 8]
    left = math.ceil(max(boxes[f, 0] - 0.5 - MARGIN_PX, 0.0))
    right = math.floor(min(boxes[f, 2] - 0.5 + MARGIN_PX, width - 1.0))
    top = math.ceil(max(boxes[f, 1] - 0.5 - MARGIN_PX, 0.0))
    bottom = math.floor(min(boxes[f, 3] - 0.5 + MARGIN_PX, height - 1.0))
    if left > right or top > bottom:
        return
    for y in range(top, bottom + 1):
        start, last = trim(a0, a0 * 0.5 + (b0 * (y + 0.5) + c0), b0, left, right)
        start, last = trim(a1, a1 * 0.5 + (b1 * (y + 0.5) + c1), b1, start, last)
        start, last = trim(a2, a2 * 0.5 + (b2 * (y + 0.5) + c2), b2, start, last)
        if near > 0.0:
            nearness = edges[f, 9] * 0.5 + (edges[f, 10] * (y + 0.5) + edges[f, 11])
            start, last = _before_near(edges[f, 9], nearness, 1.0 / near, start, last)
        if start > last:
            continue
        fresh = 0
        for x in range(np.uint64(start), np.uint64(last + 1)):
            fresh += visits[y, x] != stamp
            visits[y, x] = stamp
        covered[k, 0], covered[k, 1] = min(covered[k, 0], start), min(covered[k, 1], y)
        covered[k, 2], covered[k, 3] = max(covered[k, 2], last + 1), max(covered[k, 3], y + 1)
        covered[k, 4] += fresh


@compiled
def trim(slope: float, rest: float, fall: float, left: int, right: int) -> tuple[int, int]:
    """Return which pixels [left, right] of a row lie on the inner side of an edge.

    Args:
        slope: What the edge function grows by from one pixel to the next.
        rest: Its value at pixel 0.
        fall: What it grows by from row to row: a sample on an edge belongs to the face on one
            side only, where the function grows to the right, or downwards if it runs level.
        left: The first pixel asked for.
        right: The last one.
    """
    if slope > 0.0:
        if right - left > NARROW:
            left = max(left, math.ceil(min(-rest / slope, right + 1.0)) - 1)
        while left <= right and slope * left + rest < 0.0:
            left += 1
    elif slope < 0.0:
        if right - left > NARROW:
            right = min(right, math.floor(max(-rest / slope, left - 1.0)) + 1)
        while left <= right and slope * right + rest <= 0.0:
            right -= 1
    elif rest < 0.0 or (rest == 0.0 and fall <= 0.0):
        right = left - 1
    return left, right


@compiled
def _before_near(
    slope: float, nearness: float, limit: float, left: int, right: int
) -> tuple[int, int]:
    """Leave out of [left, right] what lies behind the near plane: nearness above `limit`."""
    while left <= right and not 0.0 < nearness + slope * left <= limit:
        left += 1
    while left <= right and not 0.0 < nearness + slope * right <= limit:
        right -= 1
    return left, right


@compiled
def read_centres(
    rects: Array,
    nearest: Array,
    object_of_face: Array,
    ids: Array,
    depth: Array,
) -> None:
    """Set ids (H, W) [uint16] and depth (H, W) [float32] within rectangles, glass or not."""
    layers = nearest.shape[0]
    for r in range(len(rects)):
        for y in range(rects[r, 1], rects[r, 3]):
            for x in range(rects[r, 0], rects[r, 2]):
                sample = nearest[0, 0, y, x]
                if layers > 1 and (nearest[1, 0, y, x] >> UP) > (sample >> UP):
                    sample = nearest[1, 0, y, x]
                if sample == 0:
                    ids[y, x], depth[y, x] = 0, np.inf
                else:
                    ids[y, x] = object_of_face[LOW - (sample & LOW)] + 1
                    bits = np.uint32(sample >> UP)
                    depth[y, x] = np.float32(1.0) / bits.view(np.float32)


def new_samples(layers: int, size_px: tuple[int, int]) -> NDArray[np.uint64]:
    """Return empty samples, (layers, SAMPLES, H, W)."""
    width, height = size_px
    return np.zeros((layers, SAMPLES, height, width), dtype=np.uint64)
