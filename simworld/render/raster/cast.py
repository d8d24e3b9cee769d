"""All triangles of a rollout's bodies in flat arrays, object after object."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simworld.render.palette import color_rgb
from simworld.render.raster.materials import MATERIALS, Material, material_of
from simworld.render.raster.textures import PATTERNS, SIDE, pyramid
from simworld.world.meshes import Mesh, Prop, object_names, props
from simworld.world.spec import WorldSpec

SMALLEST_FACE_M2 = 1e-14
"""A face with less than half this area is none: it has no normal and covers nothing."""

OPAQUE, GLASS = 0, 1
"""The two layers that bodies are drawn in."""


@dataclass(frozen=True, slots=True, eq=False)
class Skins:
    """How the surface of each body looks, one row per body.

    `color` (K, 3) is linear light; `tones` (K, 2) the factors for tone 0 and what is added for
    tone 1; `finish` (K, 4) gloss, sharpness, mirror, clear, all [float32]; `tinted` (K,) [bool]
    whether mirrors have the body's colour. `texture` (K,) [int32] counts `pyramids` (P, L)
    [float32]; -1 is plain.
    """

    color: NDArray[np.float32]
    tones: NDArray[np.float32]
    finish: NDArray[np.float32]
    tinted: NDArray[np.bool_]
    texture: NDArray[np.int32]
    pyramids: NDArray[np.float32]


class Triangles(NamedTuple):
    """Meshes in flat arrays, body after body.

    The vertices of body b are [vertex_start[b], vertex_start[b + 1]) of `vertices_m` (V, 3)
    [float64], its faces likewise of `faces` (F, 3) [int32], clockwise from outside. `normals`
    (F, 3, 3) and `places` (F, 3, 2), in texels, are per corner [float64]. `body_of_face` and
    `object_of_face` are (F,) [int32]; `layer` (B,) [uint8] is OPAQUE or GLASS.
    """

    vertex_start: NDArray[np.int32]
    face_start: NDArray[np.int32]
    vertices_m: NDArray[np.float64]
    faces: NDArray[np.int32]
    normals: NDArray[np.float64]
    places: NDArray[np.float64]
    body_of_face: NDArray[np.int32]
    object_of_face: NDArray[np.int32]
    layer: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Cast:
    """Who can be seen.

    `rows` (B,) are the bodies' rows in the poses, object after object; object k's bodies are
    [body_start[k], body_start[k + 1]). `shown` (B,) [bool] tells who is in the scene.
    """

    objects: tuple[str, ...]
    rows: NDArray[np.intp]
    shown: NDArray[np.bool_]
    body_start: NDArray[np.int32]
    triangles: Triangles
    skins: Skins


def cast_of(spec: WorldSpec, bodies: tuple[str, ...]) -> Cast:
    """Gather a rollout's bodies, all bodies of an object together."""
    shown = props(spec, bodies)
    objects = object_names(shown)
    numbers = np.array([objects.index(prop.object_name) for prop in shown])
    rows = np.argsort(numbers, kind="stable")
    cast = [shown[row] for row in rows]
    materials = [MATERIALS[material_of(spec.body(prop.body.partition("#")[0]))] for prop in cast]
    solids = [_solid(prop.mesh) for prop in cast]
    sides = [PATTERNS[material.texture].side_m for material in materials]
    vertex_start = _starts([len(solid.vertices_m) for solid in solids])
    face_start = _starts([len(solid.faces) for solid in solids])
    counts = np.diff(face_start)
    triangles = Triangles(
        vertex_start=vertex_start,
        face_start=face_start,
        vertices_m=np.concatenate([solid.vertices_m for solid in solids]),
        faces=np.concatenate(
            [solid.faces + start for solid, start in zip(solids, vertex_start[:-1], strict=True)]
        ),
        normals=np.concatenate([solid.normals for solid in solids]),
        places=np.concatenate(
            [solid.places_m * (SIDE / side) for solid, side in zip(solids, sides, strict=True)]
        ),
        body_of_face=np.repeat(np.arange(len(cast)), counts).astype(np.int32),
        object_of_face=np.repeat(numbers[rows], counts).astype(np.int32),
        layer=np.array([GLASS if m.clear else OPAQUE for m in materials], dtype=np.uint8),
    )
    return Cast(
        objects=objects,
        rows=rows,
        shown=np.array([prop.shown for prop in cast]),
        body_start=_starts(np.bincount(numbers, minlength=len(objects)).tolist()),
        triangles=triangles,
        skins=_skins(cast, materials),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Solid:
    """A mesh ready to be drawn: no empty faces, wound clockwise, with normals and textures."""

    vertices_m: NDArray[np.float64]
    faces: NDArray[np.int32]
    normals: NDArray[np.float64]
    places_m: NDArray[np.float64]


@functools.cache
def _solid(mesh: Mesh) -> _Solid:
    areas = np.sqrt((mesh.face_normals() ** 2).sum(axis=1))
    kept = Mesh(mesh.vertices_m, mesh.faces[areas > SMALLEST_FACE_M2])
    turned = [0, 2, 1]
    return _Solid(
        vertices_m=kept.vertices_m,
        faces=kept.faces[:, turned],
        normals=kept.corner_normals()[:, turned],
        places_m=_texture_places(kept)[:, turned],
    )


def _texture_places(mesh: Mesh) -> NDArray[np.float64]:
    """Project each face along the axis that it looks along most, (F, 3, 2).

    The texture's first direction runs along the longer side of the mesh.
    """
    length = np.ptp(mesh.vertices_m, axis=0)
    axis = np.abs(mesh.face_normals()).argmax(axis=1)
    pairs = np.array([[1, 2], [0, 2], [0, 1]])
    swapped = length[pairs[:, 0]] < length[pairs[:, 1]]
    pairs[swapped] = pairs[swapped][:, ::-1]
    corners = mesh.vertices_m[mesh.faces]
    return np.take_along_axis(corners, pairs[axis][:, None, :], axis=2)


def _skins(cast: list[Prop], materials: list[Material]) -> Skins:
    colors = np.array([color_rgb(prop.color) for prop in cast]) / 255.0
    textures = sorted({material.texture for material in materials} - {"plain"})
    numbers = {name: number for number, name in enumerate(textures)} | {"plain": -1}
    return Skins(
        color=(colors * colors).astype(np.float32),
        tones=np.array([[m.dark, m.bright - m.dark] for m in materials], dtype=np.float32),
        finish=np.array(
            [[m.gloss, m.sharpness, m.mirror, m.clear] for m in materials], dtype=np.float32
        ),
        tinted=np.array([m.tinted for m in materials]),
        texture=np.array([numbers[m.texture] for m in materials], dtype=np.int32),
        pyramids=np.stack([pyramid(name) for name in textures or ["plain"]]),
    )


def _starts(counts: list[int]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
