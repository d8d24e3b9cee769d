"""Which rectangles of an image or a map have to be drawn again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Array, compiled

Rects = NDArray[np.int64]
"""Rectangles [x1, y1, x2, y2), (R, 4); they do not overlap."""


def whole(width: int, height: int) -> Rects:
    """Return the one rectangle that is everything."""
    return np.array([[0, 0, width, height]])


@compiled
def cover(extents: Array, margin: int, tile: int, width: int, height: int) -> Array:
    """Return whole tiles, joined to rectangles, that cover extents [x1, y1, x2, y2] (E, 4).

    Args:
        extents: Bounds of what changed; empty ones are [inf, inf, -inf, -inf].
        margin: What they are widened by.
        tile: Side of a tile; the last ones may be cut off by the border.
        width: Of all there is.
        height: Likewise.
    """
    columns, rows = -(-width // tile), -(-height // tile)
    dirty = np.zeros((rows, columns), dtype=np.bool_)
    for e in range(len(extents)):
        left, right = max(extents[e, 0] - margin, 0.0), min(extents[e, 2] + margin, width - 1.0)
        top, bottom = max(extents[e, 1] - margin, 0.0), min(extents[e, 3] + margin, height - 1.0)
        if left <= right and top <= bottom:
            for j in range(int(top) // tile, int(bottom) // tile + 1):
                for i in range(int(left) // tile, int(right) // tile + 1):
                    dirty[j, i] = True
    rects = np.empty((rows * columns, 4), dtype=np.int64)
    count = 0
    for j in range(rows):
        for i in range(columns):
            if dirty[j, i]:
                across, down = _take(dirty, j, i)
                rects[count, 0], rects[count, 1] = i * tile, j * tile
                rects[count, 2] = min((i + across) * tile, width)
                rects[count, 3] = min((j + down) * tile, height)
                count += 1
    return rects[:count]


@compiled
def _take(dirty: Array, j: int, i: int) -> tuple[int, int]:
    """Take the run of tiles that begins at row j, column i, and the same run of rows below.

    Returns:
        How many columns and rows were taken; they are dirty no more.
    """
    rows, columns = dirty.shape
    across = 0
    while i + across < columns and dirty[j, i + across]:
        across += 1
    down = 0
    while j + down < rows and dirty[j + down, i : i + across].all():
        dirty[j + down, i : i + across] = False
        down += 1
    return across, down
