"""Which face each sample of the image shows."""

from __future__ import annotations

import math

import numpy as np

from simworld.jit import Array, compiled
from simworld.render.raster import tiles
from simworld.render.raster.cast import Triangles
from simworld.render.raster.geometry import CROSSING, HIDDEN, Stage
from simworld.render.raster.rows import MARGIN_PX, bound_rows, cut_row, is_narrow, least
from simworld.render.raster.samples import (
    FARTHEST_PX,
    LANES,
    LOW,
    NEAREST_PX,
    SAMPLES,
    UP,
    face_at,
)
from simworld.render.raster.tiles import meets, meets_any


@compiled
def clear(rects: Array, width: int, nearest: Array) -> None:
    """Empty the samples within rectangles [x1, y1, x2, y2] (R, 4)."""
    for r in range(len(rects)):
        for layer in range(nearest.shape[0]):
            for y in range(rects[r, 1], rects[r, 3]):
                first = SAMPLES * (y * width + rects[r, 0])
                stop = SAMPLES * (y * width + rects[r, 2])
                nearest[layer, first:stop] = np.uint64(0)


@compiled
def mark(
    which: Array,
    regions: Array,
    size: tuple[int, int],
    face_start: Array,
    nearest: Array,
    dirty: Array,
) -> None:
    """Mark in `dirty` (H * W,) the pixels of which a sample shows one of the bodies `which`.

    They are looked for within `regions`, each body's bounds in pixels, (B', 4).
    """
    width, height = size
    for n in range(len(which)):
        if not regions[n, 0] <= regions[n, 2]:
            continue
        left, right = _clipped(regions[n, 0], width), _clipped(regions[n, 2] + 1.0, width)
        top, bottom = _clipped(regions[n, 1], height), _clipped(regions[n, 3] + 1.0, height)
        lowest = LOW - np.uint64(face_start[which[n] + 1] - 1)
        count = np.uint64(face_start[which[n] + 1] - face_start[which[n]])
        for layer in range(nearest.shape[0]):
            for y in range(top, bottom):
                for p in range(np.uint64(y * width + left), np.uint64(y * width + right)):
                    shown = False
                    for s in range(SAMPLES):
                        here = nearest[layer, np.uint64(SAMPLES) * p + np.uint64(s)] & LOW
                        shown |= here - lowest < count
                    dirty[p] |= shown


@compiled
def _clipped(place: float, limit: int) -> int:
    return int(min(max(math.floor(place), 0.0), float(limit)))


@compiled
def draw(
    region: tiles.Region,
    near: float,
    size: tuple[int, int],
    triangles: Triangles,
    stage: Stage,
    places: Array,
    nearest: Array,
) -> None:
    """Draw all faces that meet a region.

    Small ones are drawn whole: outside the region that changes nothing, for they are there.
    """
    rects, margins = region.rects, np.empty((5, 5))
    for body in range(len(triangles.layer)):
        if not stage.present[body] or not meets_any(stage.extent_px, body, rects):
            continue
        layer = triangles.layer[body]
        for f in range(triangles.face_start[body], triangles.face_start[body + 1]):
            if stage.kind[f] == HIDDEN:
                continue
            limit = 1.0 / near if stage.kind[f] == CROSSING else np.inf
            if is_narrow(stage.box_px, f):
                if tiles.touches(region, stage.box_px, f):
                    _draw_narrow(f, layer, limit, size, stage.box_px, stage.edges, places, nearest)
            else:
                bounds = bound_rows(f, limit, size, stage.edges, margins)
                for r in range(len(rects)):
                    if meets(stage.box_px, f, rects, r):
                        _draw_face(
                            f, r, layer, limit, bounds, margins, rects, size[0], stage.box_px,
                            stage.edges, places, nearest,
                        )  # fmt: skip


@compiled
def _draw_narrow(
    f: int,
    layer: int,
    limit: float,
    size: tuple[int, int],
    boxes: Array,
    edges: Array,
    places: Array,
    nearest: Array,
) -> None:
    """Draw a small face: ask each sample of the pixels that have one within its bounds."""
    left = max(0, math.ceil(boxes[f, 0] - MARGIN_PX - FARTHEST_PX))
    right = min(size[0] - 1, math.floor(boxes[f, 2] + MARGIN_PX - NEAREST_PX))
    top = max(0, math.ceil(boxes[f, 1] - MARGIN_PX - FARTHEST_PX))
    bottom = min(size[1] - 1, math.floor(boxes[f, 3] + MARGIN_PX - NEAREST_PX))
    _ask(f, layer, left, right, top, bottom, limit, size[0], edges, places, nearest)


@compiled
def _draw_face(
    f: int,
    r: int,
    layer: int,
    limit: float,
    bounds: int,
    margins: Array,
    rects: Array,
    width: int,
    boxes: Array,
    edges: Array,
    places: Array,
    nearest: Array,
) -> None:
    """Draw a face row by row: only where it begins and ends are samples asked one by one."""
    left = max(rects[r, 0], math.floor(boxes[f, 0] - MARGIN_PX))
    right = min(rects[r, 2] - 1, math.floor(boxes[f, 2] + MARGIN_PX))
    top = max(rects[r, 1], math.floor(boxes[f, 1] - MARGIN_PX))
    bottom = min(rects[r, 3] - 1, math.floor(boxes[f, 3] + MARGIN_PX))
    for y in range(top, bottom + 1):
        start, last = left, right
        for n in range(bounds):
            start, last = cut_row(margins, n, 2, y, start, last)
        if start > last:
            continue
        begin, end = start, last
        for n in range(bounds):
            begin, end = cut_row(margins, n, 3, y, begin, end)
        if begin > end:
            begin, end = last + 1, last
        if start < begin:
            _ask(f, layer, start, begin - 1, y, y, limit, width, edges, places, nearest)
        if begin <= end:
            _fill(f, layer, y, begin, end, width, edges, places, nearest)
        if end < last:
            _ask(f, layer, end + 1, last, y, y, limit, width, edges, places, nearest)


@compiled
def _ask(
    f: int,
    layer: int,
    left: int,
    right: int,
    top: int,
    bottom: int,
    limit: float,
    width: int,
    edges: Array,
    places: Array,
    nearest: Array,
) -> None:
    """Ask each sample of the pixels [left, right] x [top, bottom] whether a face covers it."""
    count = SAMPLES * (right + 1 - left)
    if count <= 0:
        return
    number = LOW - np.uint64(f)
    a0, b0, c0 = edges[f, 0], edges[f, 1], edges[f, 2]
    a1, b1, c1 = edges[f, 3], edges[f, 4], edges[f, 5]
    a2, b2, c2 = edges[f, 6], edges[f, 7], edges[f, 8]
    slope, fall, rest = edges[f, 9], edges[f, 10], edges[f, 11]
    l0, l1, l2 = least(a0, b0), least(a1, b1), least(a2, b2)
    place, groups = np.uint64(SAMPLES * left), (count + LANES - 1) // LANES
    for y in range(top, bottom + 1):
        first = np.uint64(SAMPLES * (y * width + left))
        for k in range(np.uint64(LANES * groups)):
            u, v = places[0, place + k], places[1, place + k] + y
            nearness = slope * u + (fall * v + rest)
            inside = (
                (a0 * u + (b0 * v + c0) >= l0)
                & (a1 * u + (b1 * v + c1) >= l1)
                & (a2 * u + (b2 * v + c2) >= l2)
                & (nearness > 0.0)
                & (nearness <= limit)
            )
            bits = np.float32(nearness).view(np.uint32)
            value = (np.uint64(bits) << UP) | number if inside else np.uint64(0)
            nearest[layer, first + k] = max(nearest[layer, first + k], value)


@compiled
def _fill(
    f: int,
    layer: int,
    y: int,
    left: int,
    right: int,
    width: int,
    edges: Array,
    places: Array,
    nearest: Array,
) -> None:
    """Draw a face on all samples of the pixels [left, right] of a row: it covers them."""
    number = LOW - np.uint64(f)
    slope, fall, rest = edges[f, 9], edges[f, 10], edges[f, 11]
    first, place = np.uint64(SAMPLES * (y * width + left)), np.uint64(SAMPLES * left)
    for k in range(np.uint64(SAMPLES * (right + 1 - left))):
        nearness = slope * places[0, place + k] + (fall * (places[1, place + k] + y) + rest)
        bits = np.float32(nearness).view(np.uint32)
        nearest[layer, first + k] = max(nearest[layer, first + k], (np.uint64(bits) << UP) | number)


@compiled
def read_centres(
    rects: Array,
    nearest: Array,
    object_of_face: Array,
    ids: Array,
    depth: Array,
) -> None:
    """Set ids (H, W) [uint16] and depth (H, W) [float32] within rectangles, glass or not."""
    layers, width = nearest.shape[0], ids.shape[1]
    for r in range(len(rects)):
        for y in range(rects[r, 1], rects[r, 3]):
            for x in range(np.uint64(rects[r, 0]), np.uint64(rects[r, 2])):
                centre = np.uint64(SAMPLES) * (np.uint64(y * width) + x)
                sample = nearest[0, centre]
                if layers > 1 and (nearest[1, centre] >> UP) > (sample >> UP):
                    sample = nearest[1, centre]
                known = np.uint64(max(face_at(sample), 0))
                ids[y, x] = object_of_face[known] + 1 if sample != 0 else 0
                depth[y, x] = np.float32(1.0) / np.uint32(sample >> UP).view(np.float32)


@compiled
def read_normals(nearest: Array, origins: Array, planes: Array, normals: Array) -> None:
    """Set the unit normal (H, W, 3) [float32] of what each pixel's centre shows, glass or not."""
    layers, (height, width) = nearest.shape[0], normals.shape[:2]
    for y in range(height):
        for x in range(width):
            centre = SAMPLES * (y * width + x)
            sample = nearest[0, centre]
            if layers > 1 and (nearest[1, centre] >> UP) > (sample >> UP):
                sample = nearest[1, centre]
            f = face_at(sample)
            if f < 0:
                normals[y, x] = np.float32(0.0)
                continue
            dx, dy = np.float32(x + 0.5) - origins[f, 0], np.float32(y + 0.5) - origins[f, 1]
            square = np.float32(0.0)
            for k in range(3):
                along = planes[f, 3 + 3 * k] * dx + planes[f, 4 + 3 * k] * dy + planes[f, 5 + 3 * k]
                normals[y, x, k] = along
                square += along * along
            for k in range(3):
                normals[y, x, k] /= np.sqrt(square)
