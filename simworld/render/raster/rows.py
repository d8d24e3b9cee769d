"""Where in a row of pixels a face begins and ends, by the sides of its edges.

Edge functions are positive within a face. A sample on an edge that two faces share belongs to
one of them: what is on the edge counts where the function grows to the right, or downwards if
it runs level. All kernels ask in the same way, so that they agree to the last bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simworld.jit import Array, compiled, inlined
from simworld.render.raster.samples import SAMPLE_X, SAMPLE_Y, SAMPLES

MARGIN_PX = 1e-3
"""How far beyond a face's rounded bounds its edge functions are still asked."""

ROUNDING = 1e-12
"""More than what rounding adds to an edge function, as a share of its terms."""

SMALLEST = 5e-324
"""What is at least this much is more than 0."""

NARROW_FACE = 8.0
"""Faces no wider than this (px): all samples within their bounds are asked, row by row."""

NARROW = 6
"""Rows of so many pixels are searched from both ends; longer ones by a division first."""


@inlined
def is_narrow(boxes: Array, f: int) -> Any:
    """Tell whether a face is so narrow that asking each sample is faster than finding rows."""
    return boxes[f, 2] - boxes[f, 0] <= NARROW_FACE


@inlined
def least(slope: float, fall: float) -> float:
    """Return the least value of an edge function that is within: 0 itself on one side only."""
    return 0.0 if slope > 0.0 or (slope == 0.0 and fall > 0.0) else SMALLEST


@compiled
def row_of(
    f: int, edges: Array, u: float, v: float, limit: float, left: int, right: int
) -> tuple[int, int]:
    """Return which pixels [left, right] a face covers at (x + u, v), before the near plane.

    `limit` is one over the distance of the near plane, or infinite if the face lies before it.
    """
    start, last = trim(edges[f, 0], edges[f, 1] * v + edges[f, 2], edges[f, 1], u, left, right)
    start, last = trim(edges[f, 3], edges[f, 4] * v + edges[f, 5], edges[f, 4], u, start, last)
    start, last = trim(edges[f, 6], edges[f, 7] * v + edges[f, 8], edges[f, 7], u, start, last)
    if limit < np.inf:
        rest = edges[f, 10] * v + edges[f, 11]
        start, last = _before_near(edges[f, 9], rest, limit, u, start, last)
    return start, last


@compiled
def trim(
    slope: float, rest: float, fall: float, u: float, left: int, right: int
) -> tuple[int, int]:
    """Return at which of the places x + u, x in [left, right], an edge's inner side is.

    Args:
        slope: What the edge function grows by from one pixel to the next.
        rest: Its value at place 0.
        fall: What it grows by from row to row: a sample on an edge belongs to the face on one
            side only, where the function grows to the right, or downwards if it runs level.
        u: Where in its pixel the sample lies.
        left: The first pixel asked for.
        right: The last one.
    """
    if slope > 0.0:
        if right - left > NARROW:
            left = max(left, math.ceil(min(-rest / slope - u, right + 1.0)) - 1)
        while left <= right and slope * (left + u) + rest < 0.0:
            left += 1
    elif slope < 0.0:
        if right - left > NARROW:
            right = min(right, math.floor(max(-rest / slope - u, left - 1.0)) + 1)
        while left <= right and slope * (right + u) + rest <= 0.0:
            right -= 1
    elif rest < 0.0 or (rest == 0.0 and fall <= 0.0):
        right = left - 1
    return left, right


@compiled
def _before_near(
    slope: float, rest: float, limit: float, u: float, left: int, right: int
) -> tuple[int, int]:
    """Leave out of [left, right] what lies behind the near plane: nearness above `limit`."""
    while left <= right and not 0.0 < slope * (left + u) + rest <= limit:
        left += 1
    while left <= right and not 0.0 < slope * (right + u) + rest <= limit:
        right -= 1
    return left, right


@compiled
def bound_rows(f: int, limit: float, size: tuple[int, int], edges: Array, margins: Array) -> int:
    """Prepare to find in any row where a face begins and ends; return how many bounds it has.

    A row's bounds are linear functions a x + b y + c of its pixels, positive within: three
    edges, and for a face across the near plane two more. `margins` (5, 5) takes of each [a, b,
    c + most, c + least, 1 / a], with the most and the least that a pixel's samples add to it;
    both are off by a little more than rounding is, so that what they say is sure.
    """
    count = 3 if limit == np.inf else 5
    for n in range(count):
        a, b, c = edges[f, 3 * min(n, 3)], edges[f, 3 * min(n, 3) + 1], edges[f, 3 * min(n, 3) + 2]
        if n == 4:
            a, b, c = -a, -b, limit - c
        most, least_of_all = -np.inf, np.inf
        for s in range(SAMPLES):
            more = a * SAMPLE_X[s] + b * SAMPLE_Y[s]
            most, least_of_all = max(most, more), min(least_of_all, more)
        slack = ROUNDING * (abs(a) * size[0] + abs(b) * size[1] + abs(c))
        if abs(a) * size[0] <= slack:
            a, slack = 0.0, 2.0 * slack
        margins[n, 0], margins[n, 1], margins[n, 2] = a, b, c + most + slack
        margins[n, 3], margins[n, 4] = c + least_of_all - slack, 1.0 / a if a != 0.0 else 0.0
    return count


@inlined
def cut_row(margins: Array, n: int, which: int, y: int, left: int, right: int) -> Any:
    """Return the part of a row's pixels [left, right] on the inner side of one bound."""
    a, rest = margins[n, 0], margins[n, 1] * y + margins[n, which]
    if a == 0.0:
        right = right if rest >= 0.0 else left - 1
    elif a > 0.0:
        left = max(left, math.ceil(min(-rest * margins[n, 4], right + 1.0)))
    else:
        right = min(right, math.floor(max(-rest * margins[n, 4], left - 1.0)))
    return left, right
