"""Fracture: a hollow body is replaced by shards that were cut beforehand.

Linear and angular momentum go over exactly: the intact body's inertia is set to the sum of
its shards' (parallel-axis theorem), and each shard starts with the velocity that its own
place on the rigid body had.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from simworld.errors import InputError
from simworld.world.spec import Body, Bottle, Cylinder, Hollow, Vase, Vec3


@dataclass(frozen=True, slots=True)
class Shard:
    """One piece: its centre in the intact body's frame, and its corners around that centre."""

    offset_m: Vec3
    points_m: tuple[Vec3, ...]


OUTLINES = {
    Vase: ((0.0, 0.6), (0.38, 1.0), (0.82, 0.45), (1.0, 0.62)),
    Bottle: ((0.0, 0.9), (0.08, 1.0), (0.5, 1.0), (0.76, 0.38), (1.0, 0.42)),
}
"""Foot, belly, neck and lip: shares of the height, shares of the radius."""


def radius_m(shape: Hollow, level: float) -> float:
    """Return how wide a hollow shape is at a share of its height, 0 to 1.

    A vase or bottle swings from foot to belly, neck and lip along half waves of a cosine.
    """
    outline = OUTLINES.get(type(shape))
    if outline is None:
        return shape.radius_m
    at = next(k for k, (high, _) in enumerate(outline[1:]) if level <= high)
    (low, narrow), (high, wide) = outline[at : at + 2]
    swing = (1.0 - math.cos(math.pi * (level - low) / (high - low))) / 2.0
    return shape.radius_m * (narrow + (wide - narrow) * swing)


@functools.lru_cache(maxsize=256)
def cut(body: Body) -> tuple[Shard, ...]:
    """Cut a hollow body's wall into `rings` x `sectors` shards of one mass each.

    The pattern is symmetric, so that the shards' common centre is the body's own. Equal bodies
    share one result: pybullet never frees the sequences of vertices that it is handed.

    Raises:
        InputError: The body is breakable and not hollow.
    """
    if body.breakable is None:
        return ()
    shape = body.shape
    if not isinstance(shape, Hollow):
        raise InputError(
            f"body {body.name}: expected a breakable body to be a Mug, a Vase, a Bottle or a "
            f"Cylinder, found a {type(shape).__name__}"
        )
    wall = shape.radius_m / 5 if isinstance(shape, Cylinder) else shape.wall_m
    pattern = body.breakable
    shards = []
    for ring in range(pattern.rings):
        for sector in range(pattern.sectors):
            corners = [
                (
                    (radius_m(shape, level) - inward) * math.cos(angle),
                    (radius_m(shape, level) - inward) * math.sin(angle),
                    shape.height_m * (level - 0.5),
                )
                for angle in (
                    math.tau * (sector + part) / pattern.sectors for part in (0.0, 0.5, 1.0)
                )
                for inward in (wall, 0.0)
                for level in (ring / pattern.rings, (ring + 1) / pattern.rings)
            ]
            shards.append(_shard(corners, pattern.shrink))
    return tuple(shards)


def _shard(corners: list[Vec3], shrink: float) -> Shard:
    count = len(corners)
    centre = tuple(math.fsum(corner[axis] for corner in corners) / count for axis in range(3))
    points = tuple(
        (
            (corner[0] - centre[0]) * shrink,
            (corner[1] - centre[1]) * shrink,
            (corner[2] - centre[2]) * shrink,
        )
        for corner in corners
    )
    return Shard((centre[0], centre[1], centre[2]), points)
