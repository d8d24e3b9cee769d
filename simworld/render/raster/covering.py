"""What objects cover, hidden or not: boxes and numbers of the pixels whose centres they cover."""

from __future__ import annotations

import math

import numpy as np

from simworld.jit import Array, compiled
from simworld.render.raster.cast import Triangles
from simworld.render.raster.geometry import CROSSING, HIDDEN, Stage
from simworld.render.raster.rows import MARGIN_PX, is_narrow, least, row_of
from simworld.render.raster.tiles import meets


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
                        limit = 1.0 / near if stage.kind[f] == CROSSING else np.inf
                        _cover_face(
                            f, k, limit, ticket + n, stage.edges, stage.box_px, visits, covered
                        )


@compiled
def _cover_face(
    f: int,
    k: int,
    limit: float,
    stamp: int,
    edges: Array,
    boxes: Array,
    visits: Array,
    covered: Array,
) -> None:
    """Add the pixels whose centres one face covers."""
    height, width = visits.shape
    left = math.ceil(max(boxes[f, 0] - 0.5 - MARGIN_PX, 0.0))
    right = math.floor(min(boxes[f, 2] - 0.5 + MARGIN_PX, width - 1.0))
    top = math.ceil(max(boxes[f, 1] - 0.5 - MARGIN_PX, 0.0))
    bottom = math.floor(min(boxes[f, 3] - 0.5 + MARGIN_PX, height - 1.0))
    if left > right or top > bottom:
        return
    if is_narrow(boxes, f):
        _cover_narrow(f, k, limit, stamp, left, right, top, bottom, edges, visits, covered)
        return
    for y in range(top, bottom + 1):
        start, last = row_of(f, edges, 0.5, y + 0.5, limit, left, right)
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
def _cover_narrow(
    f: int,
    k: int,
    limit: float,
    stamp: int,
    left: int,
    right: int,
    top: int,
    bottom: int,
    edges: Array,
    visits: Array,
    covered: Array,
) -> None:
    """Add the pixels of a narrow face: ask each one."""
    a0, b0, c0 = edges[f, 0], edges[f, 1], edges[f, 2]
    a1, b1, c1 = edges[f, 3], edges[f, 4], edges[f, 5]
    a2, b2, c2 = edges[f, 6], edges[f, 7], edges[f, 8]
    slope, fall, rest = edges[f, 9], edges[f, 10], edges[f, 11]
    l0, l1, l2 = least(a0, b0), least(a1, b1), least(a2, b2)
    x1, y1, x2, y2, fresh = covered[k, 0], covered[k, 1], covered[k, 2], covered[k, 3], 0
    for y in range(top, bottom + 1):
        v = y + 0.5
        for x in range(left, right + 1):
            u = x + 0.5
            nearness = slope * u + (fall * v + rest)
            inside = (
                (a0 * u + (b0 * v + c0) >= l0)
                & (a1 * u + (b1 * v + c1) >= l1)
                & (a2 * u + (b2 * v + c2) >= l2)
                & (nearness > 0.0)
                & (nearness <= limit)
            )
            fresh += inside & (visits[y, x] != stamp)
            visits[y, x] = stamp if inside else visits[y, x]
            x1, x2 = min(x1, x if inside else x1), max(x2, x + 1 if inside else x2)
            y1, y2 = min(y1, y if inside else y1), max(y2, y + 1 if inside else y2)
    covered[k, 0], covered[k, 1], covered[k, 2], covered[k, 3] = x1, y1, x2, y2
    covered[k, 4] += fresh
