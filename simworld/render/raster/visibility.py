"""Which face each sample of the image shows.

A pixel has five samples: its centre, which ids and depth are taken at, and four about it on a
turned grid, which its colour is the mean of. A sample holds one number, the nearness 1 / depth
in its upper half and the face's number, counted down, in its lower: the greatest number wins,
so what is seen does not depend on the order of drawing, and of two faces equally near the lower
one is seen. 0 is the background.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from simworld.render.raster.geometry import CROSSING, HIDDEN
from simworld.render.raster.jit import Array, Whole, compiled

SAMPLE_X = np.array([0.5, 0.375, 0.875, 0.125, 0.625])
SAMPLE_Y = np.array([0.5, 0.125, 0.375, 0.625, 0.875])
SAMPLES = 5

LOW = np.uint64(0xFFFFFFFF)
UP = np.uint64(32)
MARGIN_PX = 1e-3
"""How far beyond a face's rounded bounds its edge functions are still asked."""

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
def mark(rects: Array, nearest: Array, moved: Array, dirty: Array) -> None:
    """Mark in `dirty` (H, W) the pixels of which a sample shows a face that moved."""
    for r in range(len(rects)):
        for layer in range(nearest.shape[0]):
            for s in range(SAMPLES):
                for y in range(rects[r, 1], rects[r, 3]):
                    for x in range(rects[r, 0], rects[r, 2]):
                        sample = nearest[layer, s, y, x]
                        if sample != 0 and moved[LOW - (sample & LOW)]:
                            dirty[y, x] = True


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
def draw(
    rects: Array,
    near: float,
    object_faces: Array,
    extents: Array,
    moved: Array,
    kind: Array,
    edges: Array,
    boxes: Array,
    layers: Array,
    skin_of_face: Array,
    nearest: Array,
    visits: Array,
    ticket: int,
    covered: Array,
) -> None:
    """Draw all faces within rectangles (R, 4).

    `covered` (N, 5) [int32] takes box and number of the pixels whose centres each moved object
    covers, hidden or not; `visits` (H, W) [int32] tells which ones an object has covered
    already, by numbers from `ticket` on.
    """
    for r in range(len(rects)):
        for k in range(len(object_faces)):
            if not meets(extents, k, rects, r):
                continue
            stamp = ticket + k if moved[k] else -1
            for f in range(object_faces[k, 0], object_faces[k, 1]):
                if kind[f] != HIDDEN and meets(boxes, f, rects, r):
                    cut = near if kind[f] == CROSSING else 0.0
                    layer = layers[skin_of_face[f]]
                    _draw_face(
                        f, k, r, layer, cut, stamp, rects, edges, boxes, nearest, visits, covered
                    )


@compiled
def _draw_face(
    f: int,
    k: int,
    r: int,
    layer: int,
    near: float,
    stamp: int,
    rects: Array,
    edges: Array,
    boxes: Array,
    nearest: Array,
    visits: Array,
    covered: Array,
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
            if s == 0 and stamp >= 0 and start <= last:
                fresh = 0
                for x in range(np.uint64(start), np.uint64(last + 1)):
                    fresh += visits[y, x] != stamp
                    visits[y, x] = stamp
                covered[k, 0], covered[k, 1] = min(covered[k, 0], start), min(covered[k, 1], y)
                covered[k, 2] = max(covered[k, 2], last + 1)
                covered[k, 3] = max(covered[k, 3], y + 1)
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
