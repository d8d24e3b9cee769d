"""Boxes and numbers of the pixels that show each object, in one pass over a picture's ids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Array, compiled


def visible_boxes(
    ids: NDArray[np.uint16], count: int
) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Return the half-open boxes (N, 4), NaN if unseen, and numbers of pixels (N,) of objects.

    Args:
        ids: What each pixel shows, (H, W); k is object k - 1, 0 the background.
        count: How many objects there are.
    """
    height, width = ids.shape
    found = np.tile(np.array([width, height, 0, 0, 0], dtype=np.int32), (count + 1, 1))
    _scan(ids, found)
    boxes = found[1:, :4].astype(np.float32)
    boxes[found[1:, 4] == 0] = np.nan
    return boxes, found[1:, 4].copy()


@compiled
def _scan(ids: Array, found: Array) -> None:
    """Grow each object's box and number in `found` (N + 1, 5) by its runs in each row."""
    height, width = ids.shape
    for y in range(height):
        x = 0
        while x < width:
            k, start = ids[y, x], x
            while x < width and ids[y, x] == k:
                x += 1
            found[k, 0], found[k, 1] = min(found[k, 0], start), min(found[k, 1], y)
            found[k, 2], found[k, 3] = max(found[k, 2], x), y + 1
            found[k, 4] += x - start
