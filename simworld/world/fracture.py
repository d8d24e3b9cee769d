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
from simworld.world.spec import Body, Cylinder, Mug, Vec3


@dataclass(frozen=True, slots=True)
class Shard:
    """One piece: its centre in the intact body's frame, and its corners around that centre."""

    offset_m: Vec3
    points_m: tuple[Vec3, ...]


@functools.lru_cache(maxsize=256)
def cut(body: Body) -> tuple[Shard, ...]:
    """Cut a breakable cylinder's wall into `rings` x `sectors` shards of one mass each.

    The pattern is symmetric, so that the shards' common centre is the body's own. Equal bodies
    share one result: pybullet never frees the sequences of vertices that it is handed.

    Raises:
        InputError: The body is breakable and neither a mug nor a cylinder.
    """
    if body.breakable is None:
        return ()
    shape = body.shape
    if not isinstance(shape, Mug | Cylinder):
        raise InputError(
            f"body {body.name}: expected a breakable body to be a Mug or a Cylinder, found a "
            f"{type(shape).__name__}"
        )
    wall = shape.wall_m if isinstance(shape, Mug) else shape.radius_m / 5
    pattern = body.breakable
    shards = []
    for ring in range(pattern.rings):
        for sector in range(pattern.sectors):
            corners = [
                (
                    radius * math.cos(angle),
                    radius * math.sin(angle),
                    shape.height_m * (level / pattern.rings - 0.5),
                )
                for angle in (
                    math.tau * (sector + part) / pattern.sectors for part in (0.0, 0.5, 1.0)
                )
                for radius in (shape.radius_m - wall, shape.radius_m)
                for level in (ring, ring + 1)
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
