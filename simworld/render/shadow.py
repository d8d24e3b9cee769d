"""Shadow maps: what the light sees, and how much of it reaches a point.

Reference: Williams, Casting curved shadows on curved surfaces (SIGGRAPH 1978); the soft edge
is percentage-closer filtering over the four nearest texels, Reeves et al. (SIGGRAPH 1987).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.world.spec import Vec3

BIAS_TEXELS = 3.0

LIGHT_DISTANCE_M = 30.0
"""The light is a point this far off: near enough to parallel rays."""


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """A distant light: its place, and its right, down and forward axes as rows of (3, 3)."""

    eye_m: NDArray[np.float64]
    axes: NDArray[np.float64]
    direction: Vec3


def light_from(direction: Vec3, target_m: Vec3) -> Light:
    """Return the light that shines on `target_m` from `direction`."""
    x, y, z = (part / math.hypot(*direction) for part in direction)
    forward = np.array([-x, -y, -z])
    aside = np.array([0.0, 1.0, 0.0]) if abs(z) > 0.99 else np.array([0.0, 0.0, 1.0])
    right = np.cross(forward, aside)
    right /= math.hypot(*right.tolist())
    axes = np.stack([right, np.cross(forward, right), forward])
    return Light(np.array(target_m) - LIGHT_DISTANCE_M * forward, axes, (x, y, z))


@dataclass(frozen=True, slots=True, eq=False)
class ShadowMap:
    """Distances from the light over a square of directions.

    `centre` (2,) and `half` are the square's centre and half its side at distance 1 from the
    light, right and down. `depth_m` is (n, n) [float32]: how far along the light's axis the
    first surface lies, infinite where there is none. Texel (row j, column i) is a sample at
    the fractions i / n and (j + 1) / n of the square.
    """

    centre: NDArray[np.float64]
    half: float
    depth_m: NDArray[np.float32]

    def covers(self, points: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Tell which points (3, P) lie within the square.

        A point is given as right and down at distance 1 from the light, and metres along.
        """
        reach = np.float32(self.half * (1.0 - 6.0 / len(self.depth_m)))
        x, y = self.centre.astype(np.float32)
        covered: NDArray[np.bool_] = (np.abs(points[0] - x) < reach) & (
            np.abs(points[1] - y) < reach
        )
        return covered

    def lit(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the share of light, 0 to 1, at points (3, P) that the square covers."""
        count = len(self.depth_m)
        texel = 2.0 * self.half / count
        left, top = (self.centre - self.half).astype(np.float32)
        x = (points[0] - left) / np.float32(texel)
        y = (points[1] - top) / np.float32(texel) - np.float32(1.0)
        column, row = x.astype(np.int32), y.astype(np.int32)
        x -= column
        y -= row
        limit = points[2] * np.float32(1.0 - BIAS_TEXELS * texel)
        flat, first = self.depth_m.ravel(), row * count + column
        seen = [(flat[first + k] > limit).astype(np.float32) for k in (0, 1, count, count + 1)]
        upper = seen[0] + (seen[1] - seen[0]) * x
        lower = seen[2] + (seen[3] - seen[2]) * x
        share: NDArray[np.float32] = upper + (lower - upper) * y
        return share
