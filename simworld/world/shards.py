"""What shards look like: pieces of the intact body's own wall, between cracks right through it.

The wall is unrolled: along x around it, along y from the middle of its base outward, up the side
to the rim. There the cracks are the sides of the Voronoi cells around one point a shard, which
lies near the middle of what collides for it. Each cell is rolled up again twice, to the wall's
outer and its inner face, and closed along its cracks. So the pieces fill the wall without a gap
or an overlap, and keep its thickness.

Only looks come from here: what collides, and weighs, are the convex shards of `fracture`.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from simworld.world.fracture import cut, radius_m
from simworld.world.solids import HANDLE_STEPS, Mesh, join, mug_handle
from simworld.world.spec import Body, Breakable, Cylinder, Hollow, Mug, Shape

COLUMNS = 24
"""Sides of a rolled-up wall."""

WANDER = 0.55
"""How far a cell's point may be from the middle, as a share of the way to the next one's."""

GOLDEN, PLASTIC = 0.6180339887498949, 0.7548776662466927
"""Their multiples' fractions spread evenly, and look like chance."""

FLAT_M2 = 1e-9
"""Twice the area of a triangle that is too flat if there is another way to cut."""

Place = tuple[float, float]
Polygon = list[Place]
"""Corners in the unrolled wall, anticlockwise; convex."""


def shard_meshes(body: Body) -> tuple[Mesh, ...]:
    """Return the mesh of each of a breakable body's shards, in the shard's own frame."""
    return _pieces(body.shape, body.breakable)


@functools.lru_cache(maxsize=64)
def _pieces(shape: Shape, pattern: Breakable | None) -> tuple[Mesh, ...]:
    if pattern is None or not isinstance(shape, Hollow):
        return ()
    wall = _Wall(shape)
    points = _points(wall, pattern.rings, pattern.sectors)
    meshes = [wall.roll_up(_cell(k, points, wall)) for k in range(len(points))]
    if isinstance(shape, Mug):
        _add_handle(shape, wall, points, meshes)
    shards = cut(Body("body", shape, (0.0, 0.0, 0.0), breakable=pattern))
    return tuple(
        Mesh(mesh.vertices_m - np.array(shard.offset_m), mesh.faces)
        for mesh, shard in zip(meshes, shards, strict=True)
    )


class _Wall:
    """A wall's section, outer and inner face point by point, and what is needed to unroll it."""

    def __init__(self, shape: Hollow) -> None:
        self.height_m = shape.height_m
        self.outer, self.inner = (np.array(side) for side in _section(shape))
        steps = np.diff(self.outer, axis=0)
        self.rows = np.concatenate([[0.0], np.cumsum(np.hypot(steps[:, 0], steps[:, 1]))])
        self.length, self.width = float(self.rows[-1]), math.tau * shape.radius_m

    def row_of(self, level: float) -> float:
        """Return how far along the wall its side is at a share of its height."""
        return float(np.interp((level - 0.5) * self.height_m, self.outer[:, 1], self.rows))

    def roll_up(self, cell: Polygon) -> Mesh:
        """Close a cell of the unrolled wall into a piece of the real one."""
        columns = [self.width * k / COLUMNS for k in range(-COLUMNS, 2 * COLUMNS + 1)]
        corners: list[NDArray[np.float64]] = []
        for part in _sliced(_sliced([cell], columns, 0), self.rows.tolist(), 1):
            corners += self._faces(part, columns)
        places = np.array(corners).reshape(-1, 3)
        vertices, which = np.unique(places, axis=0, return_inverse=True)
        faces = which.reshape(-1, 3)
        some = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
        return Mesh(vertices, faces[some].astype(np.int32))

    def _faces(self, part: Polygon, columns: list[float]) -> list[NDArray[np.float64]]:
        """Return the triangles (3, 3) of a part's outer and inner face, and of its cracks."""
        outer, inner = self._placed(part, self.outer), self._placed(part, self.inner)
        found = [*_fan(outer), *_fan(inner)[:, ::-1]]
        for k in range(len(part)):
            n = (k + 1) % len(part)
            if not (_along(part[k], part[n], 0, columns) or _along(part[k], part[n], 1, self.rows)):
                found.append(np.stack([outer[k], inner[k], inner[n]]))
                found.append(np.stack([outer[k], inner[n], outer[n]]))
        return found

    def _placed(self, part: Polygon, side: NDArray[np.float64]) -> NDArray[np.float64]:
        x, y = np.array(part).T
        angle = math.tau * x / self.width
        radius, z = np.interp(y, self.rows, side[:, 0]), np.interp(y, self.rows, side[:, 1])
        return np.round(np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=1), 9)


def _fan(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut a polygon (P, 3) into triangles (P - 2, 3, 3) of which none is flat.

    Corners of the unrolled wall may fall together, or in a line, at the middle of the base; so
    not every corner will do to start from. Triangles of which two corners fell together are none.
    """
    best, largest = corners[:0, None], -1.0
    for start in range(len(corners)):
        turned = np.roll(corners, -start, axis=0)
        a, b, c = np.broadcast_to(turned[0], turned[2:].shape), turned[1:-1], turned[2:]
        real = ((a != b).any(axis=1)) & ((b != c).any(axis=1)) & ((c != a).any(axis=1))
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1).min(where=real, initial=1.0)
        if area > largest:
            best, largest = np.stack([a, b, c], axis=1), float(area)
        if largest > FLAT_M2:
            break
    return best


def _section(shape: Hollow) -> tuple[Polygon, Polygon]:
    """Return matching points (radius, z) of a wall's outer and inner face, from the base on."""
    r, half = shape.radius_m, shape.height_m / 2
    if isinstance(shape, Cylinder):
        wall = r / 5
        low, high, within = wall - half, half - wall, r - wall
        return (
            [(0.0, -half), (r, -half), (r, half), (0.0, half)],
            [(0.0, low), (within, low), (within, high), (0.0, high)],
        )
    wall, lip = shape.wall_m, shape.wall_m / 2
    if isinstance(shape, Mug):
        foot, hollow, rim = 1.2 * wall, 1.5 * wall, half - lip
        outer = [(0.0, -half), (r - foot, -half), (r, foot - half), (r, rim), (r - lip, half)]
        inner = [
            (0.0, wall - half), (r - wall - hollow, wall - half), (r - wall, wall + hollow - half),
            (r - wall, rim), (r - lip, half),
        ]  # fmt: skip
        return outer, inner
    levels = [k / 16 for k in range(16)]
    side = [(radius_m(shape, level), shape.height_m * level - half) for level in levels]
    top = (radius_m(shape, 1.0), half - lip)
    outer = [(0.0, -half), *side, top, (top[0] - lip, half)]
    inner = [(0.0, wall - half), *((x - wall, max(z, wall - half)) for x, z in (*side, top))]
    return outer, [*inner, (top[0] - lip, half)]


def _points(wall: _Wall, rings: int, sectors: int) -> list[Place]:
    """Return the point of each shard's cell, in the shards' order."""
    points = []
    for ring in range(rings):
        low, high = (wall.row_of((ring + part) / rings) for part in (0.0, 1.0))
        for sector in range(sectors):
            k = ring * sectors + sector + 1
            aside, up = k * GOLDEN % 1.0 - 0.5, k * PLASTIC % 1.0 - 0.5
            x = wall.width * (sector + 0.5 + WANDER * aside) / sectors
            points.append((x, low + (high - low) * (0.5 + WANDER * up)))
    return points


def _cell(k: int, points: list[Place], wall: _Wall) -> Polygon:
    """Return what of the unrolled wall is nearer to a point than to any other, seen all around."""
    x, y = points[k]
    half = wall.width / 2
    cell = [(x - half, 0.0), (x + half, 0.0), (x + half, wall.length), (x - half, wall.length)]
    for n, (other, above) in enumerate(points):
        for turn in (-wall.width, 0.0, wall.width):
            if n != k or turn:
                a, b = other + turn - x, above - y
                cell = _kept(cell, a, b, a * (x + a / 2) + b * (y + b / 2))
    return cell


def _kept(polygon: Polygon, a: float, b: float, limit: float) -> Polygon:
    """Return the part of a convex polygon where a x + b y <= limit."""
    kept: Polygon = []
    over = [a * x + b * y - limit for x, y in polygon]
    for k, (x, y) in enumerate(polygon):
        n = (k + 1) % len(polygon)
        if over[k] <= 0.0:
            kept.append((x, y))
        if (over[k] < 0.0 < over[n]) or (over[n] < 0.0 < over[k]):
            share = over[k] / (over[k] - over[n])
            kept.append((x + share * (polygon[n][0] - x), y + share * (polygon[n][1] - y)))
    return kept


def _sliced(polygons: list[Polygon], lines: list[float], axis: int) -> list[Polygon]:
    """Cut polygons along lines x = c (axis 0) or y = c (axis 1); their corners lie on them."""
    found = []
    for polygon in polygons:
        low, high = (edge(place[axis] for place in polygon) for edge in (min, max))
        for start, stop in itertools.pairwise(lines):
            if start < high and stop > low:
                part = _cut(_cut(polygon, axis, start, 1.0), axis, stop, -1.0)
                if len(part) > 2:
                    found.append(part)
    return found


def _cut(polygon: Polygon, axis: int, line: float, side: float) -> Polygon:
    """Return the part of a polygon beyond a line, or on this side of it if `side` is -1."""
    kept: Polygon = []
    for k, place in enumerate(polygon):
        other = polygon[(k + 1) % len(polygon)]
        here, there = side * (place[axis] - line), side * (other[axis] - line)
        if here >= 0.0:
            kept.append(place)
        if here * there < 0.0:
            share = here / (here - there)
            rest = place[1 - axis] + share * (other[1 - axis] - place[1 - axis])
            kept.append((line, rest) if axis == 0 else (rest, line))
    return kept


def _along(a: Place, b: Place, axis: int, lines: list[float] | NDArray[np.float64]) -> bool:
    """Tell whether an edge lies on one of the lines that a polygon was cut along."""
    return a[axis] == b[axis] and a[axis] in lines


def _add_handle(mug: Mug, wall: _Wall, points: list[Place], meshes: list[Mesh]) -> None:
    """Give each half of the handle to the piece that its end is stuck in."""
    middle = HANDLE_STEPS // 2
    ends = [_nearest(wall, points, 0.5 + side * 0.29) for side in (-1.0, 1.0)]
    halves = [(0, middle), (middle, HANDLE_STEPS)]
    if ends[0] == ends[1]:
        ends, halves = ends[:1], [(0, HANDLE_STEPS)]
    for k, (first, last) in zip(ends, halves, strict=True):
        meshes[k] = join(meshes[k], mug_handle(mug, first, last))


def _nearest(wall: _Wall, points: list[Place], level: float) -> int:
    """Return whose cell the wall at +x is in, at a share of its height."""
    y = wall.row_of(level)
    distances = [
        min(math.hypot(x + turn, above - y) for turn in (-wall.width, 0.0, wall.width))
        for x, above in points
    ]
    return distances.index(min(distances))
