"""Textures made in code: patterns that repeat, kept as pyramids of ever coarser pictures.

A texture is one tone from 0 to 1 at each point of a square whose side is so many metres; it
repeats without a seam. Coarser levels are means over 2 x 2 texels (Williams, Pyramidal
parametrics, 1983), and a point takes the level that is nearest to its pixel's footprint.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Array, compiled
from simworld.render.raster.points import FOOT, TONE, U, V

SIDE_BITS = 9
SIDE = 1 << SIDE_BITS
"""Texels along a texture's side."""

LEVELS = 10
"""Levels of a pyramid, the last one a single texel."""

STARTS = np.array([0, *itertools.accumulate((SIDE >> k) ** 2 for k in range(LEVELS))])
"""Where each level begins in a pyramid, and where the next pyramid does."""

Tones = NDArray[np.float64]
TWO, ONE, HALF, QUARTER = np.float32(2.0), np.float32(1.0), np.float32(0.5), np.float32(0.25)


@dataclass(frozen=True, slots=True)
class Pattern:
    """How a texture is made, and how many metres its square's side is long."""

    side_m: float
    make: Callable[[Tones, Tones], Tones]


def _noise(u: Tones, v: Tones, across: int, down: int, key: int) -> Tones:
    """Return smooth noise from 0 to 1 with so many cells along each side of the square."""
    x, y = u * across, v * down
    i, j = np.floor(x), np.floor(y)
    s, t = x - i, y - j
    s, t = s * s * (3 - 2 * s), t * t * (3 - 2 * t)
    corners = [
        _hash((i + a).astype(np.int64) % across, (j + b).astype(np.int64) % down, key)
        for a, b in ((0, 0), (1, 0), (0, 1), (1, 1))
    ]
    upper = corners[0] + (corners[1] - corners[0]) * s
    lower = corners[2] + (corners[3] - corners[2]) * s
    return upper + (lower - upper) * t


def _hash(i: NDArray[np.int64], j: NDArray[np.int64], key: int) -> Tones:
    """Return a number from 0 to 1 for each pair of integers."""
    mixed = (i * 0x9E3779B1 + j * 0x85EBCA77 + key * 0xC2B2AE3D) & 0xFFFFFFFF
    for shift in (15, 13, 16):
        mixed = ((mixed ^ (mixed >> shift)) * 0x2C1B3C6D) & 0xFFFFFFFF
    share: Tones = mixed / float(2**32)
    return share


def _wave(x: Tones) -> Tones:
    """Return a smooth wave from 0 to 1 with period 1, from products and sums alone."""
    ramp = np.abs(2.0 * (x - np.floor(x)) - 1.0)
    return ramp * ramp * (3.0 - 2.0 * ramp)


def _plain(u: Tones, v: Tones) -> Tones:
    return np.ones_like(u)


def _wood(u: Tones, v: Tones) -> Tones:
    """Boards along u, eight of them, each with its own tone and grain."""
    board = np.floor(v * 8)
    along = u + _hash(board.astype(np.int64), np.zeros_like(board, dtype=np.int64), 5)
    tone = _hash(board.astype(np.int64), np.ones_like(board, dtype=np.int64), 6)
    bend = _noise(along, v, 3, 24, 1)
    rings = _wave(20.0 * v + 3.0 * bend + 7.0 * tone)
    grain = _noise(along, v, 8, 192, 2) * 0.6 + _noise(along, v, 24, 256, 3) * 0.4
    edge = np.minimum(v * 8 - board, board + 1 - v * 8)
    seam = np.clip(edge * 22.0, 0.0, 1.0)
    return seam * (0.10 + 0.30 * tone + 0.35 * rings + 0.25 * grain)


def _checker(u: Tones, v: Tones) -> Tones:
    return (np.floor(2 * u) + np.floor(2 * v)) % 2


def _tiles(u: Tones, v: Tones) -> Tones:
    """Four square tiles with dark joints."""
    i, j = np.floor(2 * u), np.floor(2 * v)
    edge = np.minimum.reduce([2 * u - i, i + 1 - 2 * u, 2 * v - j, j + 1 - 2 * v])
    joint: Tones = np.clip((edge - 0.006) * 120.0, 0.0, 1.0)
    tone = _hash(i.astype(np.int64), j.astype(np.int64), 7)
    cloud = _noise(u, v, 6, 6, 8) * 0.6 + _noise(u, v, 48, 48, 9) * 0.4
    return joint * (0.72 + 0.14 * tone + 0.14 * cloud)


def _fabric(u: Tones, v: Tones) -> Tones:
    """A plain weave of sixteen threads each way."""
    x, y = 16 * u, 16 * v
    over = (np.floor(x) + np.floor(y)) % 2
    warp, weft = 1.0 - _wave(x), 1.0 - _wave(y)
    lay = np.where(over == 1, warp * (0.7 + 0.3 * weft), weft * (0.7 + 0.3 * warp))
    return 0.25 + 0.55 * lay + 0.20 * _noise(u, v, 32, 32, 10)


def _marble(u: Tones, v: Tones) -> Tones:
    """Thin dark veins along noise that is folded over itself."""
    cloud = sum(_noise(u, v, 4 << k, 4 << k, 11 + k) / 2.0**k for k in range(5))
    bent = np.abs(_wave(2.0 * u + 1.0 * v + 0.9 * cloud) - 0.5) * 2.0
    vein = 1.0 - (1.0 - bent) ** 4
    return 0.15 + 0.6 * vein + 0.25 * _noise(u, v, 6, 6, 20)


PATTERNS: dict[str, Pattern] = {
    "plain": Pattern(1.0, _plain),
    "wood": Pattern(1.0, _wood),
    "checker": Pattern(0.1, _checker),
    "tiles": Pattern(1.2, _tiles),
    "fabric": Pattern(0.24, _fabric),
    "marble": Pattern(0.5, _marble),
}


@functools.cache
def pyramid(name: str) -> NDArray[np.float32]:
    """Return a pattern's levels one after the other, finest first, (STARTS[-1],) [float32]."""
    centres = (np.arange(SIDE) + 0.5) / SIDE
    level = PATTERNS[name].make(*np.meshgrid(centres, centres))
    levels = [level]
    while len(level) > 1:
        level = (level[::2, ::2] + level[1::2, ::2] + level[::2, 1::2] + level[1::2, 1::2]) / 4.0
        levels.append(level)
    return np.concatenate([level.ravel() for level in levels]).astype(np.float32)


@compiled
def sample_tones(
    points: Array,
    count: int,
    tri: Array,
    body_of_face: Array,
    texture_of_body: Array,
    pyramids: Array,
) -> None:
    """Look up the tone of each of the first `count` points; U and V are in texels."""
    for at in range(count):
        i = np.uint64(at)
        face = tri[at]
        texture = -1 if face < 0 else texture_of_body[body_of_face[face]]
        if texture < 0:
            points[TONE + i] = ONE
            continue
        level, foot, scale = 0, points[FOOT + i], ONE
        while foot >= TWO and level < LEVELS - 1:
            level, foot, scale = level + 1, foot * QUARTER, scale * HALF
        x, y = points[U + i] * scale - HALF, points[V + i] * scale - HALF
        left, top = np.floor(x), np.floor(y)
        s, t = x - left, y - top
        bits = SIDE_BITS - level
        last = (1 << bits) - 1
        column, row = np.int64(left), np.int64(top)
        upper = STARTS[level] + ((row & last) << bits)
        lower = STARTS[level] + (((row + 1) & last) << bits)
        column, beside = column & last, (column + 1) & last
        a, b = pyramids[texture, upper + column], pyramids[texture, upper + beside]
        c, d = pyramids[texture, lower + column], pyramids[texture, lower + beside]
        above = a + (b - a) * s
        points[TONE + i] = above + (c + (d - c) * s - above) * t
