"""Which rectangles of an image or a map have to be drawn again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Array, compiled


class Region(NamedTuple):
    """A part of an image or map: whole tiles, `dirty` (rows, columns) [bool], `tile` wide.

    `rects` (R, 4) are the same joined to rectangles [x1, y1, x2, y2) that do not overlap.
    """

    rects: NDArray[np.int64]
    dirty: NDArray[np.bool_]
    tile: int


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
def meets_any(boxes: Array, k: int, rects: Array) -> bool:
    """Tell whether bounds k meet any rectangle."""
    found = False
    for r in range(len(rects)):
        found |= meets(boxes, k, rects, r)
    return found


@compiled
def whole(tile: int, width: int, height: int) -> Region:
    """Return the region that is everything."""
    rects = np.array([[0, 0, width, height]])
    return Region(rects, np.ones((-(-height // tile), -(-width // tile)), dtype=np.bool_), tile)


@compiled
def touches(region: Region, boxes: Array, k: int) -> bool:
    """Tell whether bounds k [x1, y1, x2, y2] touch a region."""
    (rows, columns), tile = region.dirty.shape, region.tile
    left, top = int(max(boxes[k, 0], 0.0)) // tile, int(max(boxes[k, 1], 0.0)) // tile
    right = int(min(boxes[k, 2], columns * tile - 1.0)) // tile
    bottom = int(min(boxes[k, 3], rows * tile - 1.0)) // tile
    for j in range(top, bottom + 1):
        for i in range(left, right + 1):
            if region.dirty[j, i]:
                return True
    return False


@compiled
def cover(extents: Array, margin: int, tile: int, width: int, height: int) -> Region:
    """Return the tiles that cover extents [x1, y1, x2, y2] (E, 4).

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
    left_over = dirty.copy()
    rects = np.empty((rows * columns, 4), dtype=np.int64)
    count = 0
    for j in range(rows):
        for i in range(columns):
            if left_over[j, i]:
                across, down = _take(left_over, j, i)
                rects[count, 0], rects[count, 1] = i * tile, j * tile
                rects[count, 2] = min((i + across) * tile, width)
                rects[count, 3] = min((j + down) * tile, height)
                count += 1
    return Region(rects[:count], dirty, tile)


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
