"""From shaded points to pixels: each pixel's points are laid over each other and displayed."""

from __future__ import annotations

import numpy as np

from simworld.jit import Array, compiled
from simworld.render.raster.points import (
    BLUE,
    CLEAR_B,
    CLEAR_G,
    CLEAR_R,
    GREEN,
    RED,
    SKEY,
    SX,
    SY,
    WEIGHT,
)
from simworld.render.raster.shading import HALF, LEVELS, ONE, ZERO


@compiled
def blend(
    count: int, width: int, tri: Array, pixel: Array, sky: Array, points: Array, rgb: Array
) -> None:
    """Blend the points of each pixel in their order and write the pixels."""
    for row, shown in ((RED, SX), (GREEN, SY), (BLUE, SKEY)):
        for place in range(np.uint64(count)):
            points[shown + place] = np.sqrt(min(points[row + place], ONE)) * LEVELS + HALF
    at = 0
    while at < count:
        p, i = pixel[at], np.uint64(at)
        if points[WEIGHT + i] == ONE and tri[at] >= 0 and (at + 1 == count or pixel[at + 1] != p):
            rgb[p, 0] = np.uint8(points[SX + i])
            rgb[p, 1] = np.uint8(points[SY + i])
            rgb[p, 2] = np.uint8(points[SKEY + i])
            at += 1
        else:
            at = _blend_pixel(at, count, p, p // width, tri, pixel, sky, points, rgb)


@compiled
def _blend_pixel(
    at: int,
    count: int,
    p: int,
    y: int,
    tri: Array,
    pixel: Array,
    sky: Array,
    points: Array,
    rgb: Array,
) -> int:
    """Blend the points of one pixel, from `at` on; return where the next pixel's begin."""
    red, green, blue = ZERO, ZERO, ZERO
    while at < count and pixel[at] == p:
        i = np.uint64(at)
        weight = points[WEIGHT + i]
        if tri[at] < 0:
            red += weight * sky[y, 0]
            green += weight * sky[y, 1]
            blue += weight * sky[y, 2]
        elif weight > ZERO:
            red += weight * points[RED + i]
            green += weight * points[GREEN + i]
            blue += weight * points[BLUE + i]
        else:
            red += weight * (red - red * points[CLEAR_R + i] - points[RED + i])
            green += weight * (green - green * points[CLEAR_G + i] - points[GREEN + i])
            blue += weight * (blue - blue * points[CLEAR_B + i] - points[BLUE + i])
        at += 1
    rgb[p, 0] = np.uint8(np.sqrt(min(red, ONE)) * LEVELS + HALF)
    rgb[p, 1] = np.uint8(np.sqrt(min(green, ONE)) * LEVELS + HALF)
    rgb[p, 2] = np.uint8(np.sqrt(min(blue, ONE)) * LEVELS + HALF)
    return at
