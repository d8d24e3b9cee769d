"""Closed triangle meshes of intact bodies, wound outward, in their body's frame.

Curved surfaces are inscribed: no vertex lies outside the shape that collides, but for a mug's
handle.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.world.fracture import radius_m
from simworld.world.spec import Bottle, Box, Cylinder, Mug, Shape, Sphere, Vase

SEGMENTS = 48
"""Sides of a round body; the gap to the true circle is 0.2 % of the radius."""

CREASE_DEG = 40.0
"""Faces that meet at a smaller angle than this are shaded as one smooth surface."""

Profile = list[tuple[float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """A triangle mesh.

    `vertices_m` is (V, 3) [float64], `faces` (F, 3) [int32], counter-clockwise from outside.
    """

    vertices_m: NDArray[np.float64]
    faces: NDArray[np.int32]

    def face_normals(self) -> NDArray[np.float64]:
        """Return the outward normals, as long as twice their face's area: (F, 3) [float64]."""
        a, b, c = (self.vertices_m[self.faces[:, k]] for k in range(3))
        normals: NDArray[np.float64] = np.cross(b - a, c - a)
        return normals

    def corner_normals(self) -> NDArray[np.float64]:
        """Return unit normals for shading, (F, 3, 3) [float64]: one per corner of each face.

        A corner's normal is the area-weighted mean over those faces at its vertex that lie
        within `CREASE_DEG` of its own face, so that edges of boxes and rims stay sharp.
        """
        weighted = self.face_normals()
        unit = weighted / np.linalg.norm(weighted, axis=1, keepdims=True)
        around: list[list[int]] = [[] for _ in self.vertices_m]
        for face, corners in enumerate(self.faces):
            for vertex in corners:
                around[vertex].append(face)
        normals = np.empty((len(self.faces), 3, 3))
        for vertex, fan in enumerate(around):
            smooth = unit[fan] @ unit[fan].T > math.cos(math.radians(CREASE_DEG))
            for face, near in zip(fan, smooth, strict=True):
                corner = int(np.flatnonzero(self.faces[face] == vertex)[0])
                normals[face, corner] = weighted[fan][near].sum(axis=0)
        normals /= np.linalg.norm(normals, axis=2, keepdims=True)
        return normals


@functools.cache
def shape_mesh(shape: Shape) -> Mesh:
    """Return the mesh of an intact body; one shape has one mesh."""
    match shape:
        case Box():
            return _box(shape)
        case Sphere():
            return _sphere(shape.radius_m)
        case Cylinder(radius, height):
            return _lathe(
                [(0, -height / 2), (radius, -height / 2), (radius, height / 2), (0, height / 2)]
            )
        case Mug():
            return join(_lathe(_mug_profile(shape)), mug_handle(shape))
        case Vase() | Bottle():
            return _lathe(_vase_profile(shape))


def convex_hull(points_m: NDArray[np.float64]) -> Mesh:
    """Return the convex hull of points (P, 3), only its corners kept."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points_m)
    a, b, c = (points_m[hull.simplices[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0
    faces = np.where(inward[:, None], hull.simplices[:, ::-1], hull.simplices)
    kept, packed = np.unique(faces, return_inverse=True)
    return Mesh(points_m[kept], packed.reshape(faces.shape).astype(np.int32))


def _box(shape: Box) -> Mesh:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Mesh(signs * np.array(shape.half_extents_m), _halve(quads))


def _halve(quads: list[tuple[int, int, int, int]]) -> NDArray[np.int32]:
    return np.array(
        [half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))], dtype=np.int32
    )


def _sphere(radius_m: float) -> Mesh:
    """Subdivide an icosahedron three times: 1280 faces, all vertices on the sphere."""
    golden = (1.0 + math.sqrt(5.0)) / 2.0
    quarter = [(0.0, a, b * golden) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    solid = convex_hull(np.array([corner[k:] + corner[:k] for corner in quarter for k in range(3)]))
    vertices = solid.vertices_m / math.sqrt(1.0 + golden * golden)
    faces = solid.faces.astype(np.intp)
    for _ in range(3):
        edges = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2), axis=2)
        unique, which = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
        middle = len(vertices) + which.reshape(-1, 3)
        corners = [
            np.stack([faces[:, k], middle[:, k], middle[:, k - 1]], axis=1) for k in range(3)
        ]
        faces = np.concatenate([*corners, middle])
        vertices = np.concatenate([vertices, vertices[unique].mean(axis=1)])
        vertices /= np.linalg.norm(vertices, axis=1, keepdims=True)
    return Mesh(radius_m * vertices, faces.astype(np.int32))


def _lathe(profile: Profile) -> Mesh:
    """Turn a profile of (radius, z) about the z axis.

    The profile runs with the material on its left, from the axis back to the axis.
    """
    rings: list[list[int]] = []
    vertices: list[tuple[float, float, float]] = []
    for radius, z in profile:
        count = SEGMENTS if radius > 0 else 1
        rings.append([len(vertices) + k for k in range(count)] * (SEGMENTS // count))
        for k in range(count):
            angle = math.tau * k / SEGMENTS
            vertices.append((radius * math.cos(angle), radius * math.sin(angle), z))
    faces = []
    for lower, upper in itertools.pairwise(rings):
        for k in range(SEGMENTS):
            turn = (k + 1) % SEGMENTS
            for face in ((lower[k], lower[turn], upper[turn]), (lower[k], upper[turn], upper[k])):
                if len(set(face)) == 3:
                    faces.append(face)
    return Mesh(np.array(vertices), np.array(faces, dtype=np.int32))


def _arc(r: float, z: float, radius: float, start_deg: float, stop_deg: float) -> Profile:
    """Return five points of an arc around (r, z)."""
    angles = [math.radians(start_deg + (stop_deg - start_deg) * k / 4) for k in range(5)]
    return [(r + radius * math.cos(a), z + radius * math.sin(a)) for a in angles]


def _mug_profile(mug: Mug) -> Profile:
    """Return a mug's section: base with a rounded edge, wall, round lip, inside, floor."""
    r, half, wall = mug.radius_m, mug.height_m / 2, mug.wall_m
    foot, lip, hollow = 1.2 * wall, wall / 2, 1.5 * wall
    return [
        (0.0, -half),
        *_arc(r - foot, -half + foot, foot, -90, 0),
        *_arc(r - lip, half - lip, lip, 0, 180),
        *_arc(r - wall - hollow, -half + wall + hollow, hollow, 0, -90),
        (0.0, -half + wall),
    ]


def _vase_profile(vase: Vase | Bottle) -> Profile:
    """Return a vase's or bottle's section: foot, outside, round lip, inside, floor."""
    half, lip = vase.height_m / 2, vase.wall_m / 2
    levels, base = [k / 16 for k in range(16)], vase.wall_m / vase.height_m
    outside = [(radius_m(vase, level), vase.height_m * level - half) for level in levels]
    inside = [(radius_m(vase, base) - vase.wall_m, vase.wall_m - half)]
    inside += [(r - vase.wall_m, z) for r, z in outside if z > vase.wall_m - half]
    return [
        (0.0, -half),
        *outside,
        *_arc(radius_m(vase, 1.0) - lip, half - lip, lip, 0, 180),
        *reversed(inside),
        (0.0, inside[0][1]),
    ]


HANDLE_STEPS = 24


def mug_handle(mug: Mug, first: int = 0, last: int = HANDLE_STEPS) -> Mesh:
    """Return a D-shaped handle at +x, or its part between two steps from below to above.

    It is an oval bar along half a superellipse, thicker across than along the D's plane; both
    ends stop inside the wall.
    """
    start, reach, rise = mug.radius_m - mug.wall_m / 2, 0.75 * mug.radius_m, 0.29 * mug.height_m
    thick, broad, sides = 0.13 * mug.radius_m, 0.18 * mug.radius_m, 12
    angles = np.radians(np.linspace(-90, 90, HANDLE_STEPS + 1))
    power = 0.7
    path = np.stack(
        [
            start + reach * np.abs(np.cos(angles)) ** power,
            rise * np.sign(np.sin(angles)) * np.abs(np.sin(angles)) ** power,
        ],
        axis=1,
    )
    along = np.gradient(path, axis=0)
    along[0], along[-1] = (1.0, 0.0), (-1.0, 0.0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    rings = []
    for (x, z), (dx, dz) in zip(path[first : last + 1], along[first : last + 1], strict=True):
        for k in range(sides):
            turn = math.tau * k / sides
            out, across = thick * math.cos(turn), broad * math.sin(turn)
            rings.append((x + dz * out, -across, z - dx * out))
    quads = [
        (
            s * sides + k,
            (s + 1) * sides + k,
            (s + 1) * sides + (k + 1) % sides,
            s * sides + (k + 1) % sides,
        )
        for s in range(last - first)
        for k in range(sides)
    ]
    end = (last - first) * sides
    caps = [(0, k, k + 1) for k in range(1, sides - 1)]
    caps += [(end, end + k + 1, end + k) for k in range(1, sides - 1)]
    return Mesh(np.array(rings), np.concatenate([_halve(quads), np.array(caps, dtype=np.int32)]))


def join(*parts: Mesh) -> Mesh:
    """Return one mesh of several shells."""
    starts = np.cumsum([0] + [len(part.vertices_m) for part in parts[:-1]])
    return Mesh(
        np.concatenate([part.vertices_m for part in parts]),
        np.concatenate(
            [part.faces + np.int32(start) for part, start in zip(parts, starts, strict=True)]
        ),
    )
