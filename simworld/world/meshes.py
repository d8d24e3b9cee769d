"""What bodies look like: each body of a rollout with its mesh, colour and object."""

from __future__ import annotations

from dataclasses import dataclass

from simworld.world.shards import shard_meshes
from simworld.world.solids import Mesh, convex_hull, shape_mesh
from simworld.world.spec import WorldSpec

__all__ = ["Mesh", "Prop", "convex_hull", "object_names", "props", "shape_mesh"]


@dataclass(frozen=True, slots=True, eq=False)
class Prop:
    """One body as it is seen: its mesh, the object that it is part of, a palette colour.

    A prop that is not `shown` belongs to a body that was taken out of the scene; one that
    does not `move` belongs to a body that stays where it is.
    """

    body: str
    object_name: str
    mesh: Mesh
    color: str
    shown: bool
    moves: bool


def props(spec: WorldSpec, bodies: tuple[str, ...]) -> tuple[Prop, ...]:
    """Return what each body of a rollout looks like; `mug#3` is shard 3 of the mug."""
    made = []
    for name in bodies:
        whole, _, number = name.partition("#")
        body = spec.body(whole)
        mesh = shard_meshes(body)[int(number)] if number else shape_mesh(body.shape)
        moves = spec.moves(whole)
        made.append(Prop(name, body.object_name, mesh, body.color, body.present, moves))
    return tuple(made)


def object_names(shown: tuple[Prop, ...]) -> tuple[str, ...]:
    """Return the objects that props are parts of, in order of their first body."""
    return tuple(dict.fromkeys(prop.object_name for prop in shown))
