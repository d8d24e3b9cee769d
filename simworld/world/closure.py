"""Which bodies a difference can have reached: by touch, from moving body to moving body."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simworld.world.rollout import Rollout
from simworld.world.spec import WorldSpec


def moving_bodies(specs: Iterable[WorldSpec]) -> set[str]:
    """Name the bodies that what they touch can move, in any of these worlds."""
    return {b.name for spec in specs for b in spec.bodies if b.mass_kg > 0 and b.present}


def reached(sources: Iterable[str], moving: set[str], rollouts: Iterable[Rollout]) -> set[str]:
    """Return the bodies that a difference at `sources` may have reached in these rollouts.

    It passes on by touch, whenever that was, and from what started a mover to that mover.
    Static bodies pass nothing on: they do not move. A shard stands for the body that it is a
    piece of.
    """
    rollouts = tuple(rollouts)
    pairs = {(a, b) for r in rollouts for contacts in r.contacts for a, b, _ in contacts}
    touching = {(a.partition("#")[0], b.partition("#")[0]) for a, b in pairs}
    starts = [start for rollout in rollouts for start in rollout.starts]
    found = set(sources)
    grew = True
    while grew:
        more = {
            y
            for a, b in touching
            for x, y in ((a, b), (b, a))
            if x in found and y in moving and y not in found
        }
        more |= {s.body for s in starts if s.body not in found and not found.isdisjoint(s.causes)}
        grew = bool(more)
        found |= more
    return found


SAME = 1e-12
"""States closer than this (m, m/s, rad/s) are one.

The solver stops iterating once no contact of the whole world has any residual left. So what
moves elsewhere can give a body iterations more or fewer, which shows in velocities of 1e-15.
"""


def strays(one: Rollout, other: Rollout, bodies: Iterable[str]) -> tuple[str, ...]:
    """Return those of the bodies whose states differ at a step that both rollouts have."""
    steps = min(one.steps, other.steps) + 1
    found = []
    for body in sorted(bodies):
        first = one.states[:steps, one.index(body)]
        second = other.states[:steps, other.index(body)]
        same = (np.abs(first - second) <= SAME) | (np.isnan(first) & np.isnan(second))
        if not same.all():
            found.append(body)
    return tuple(found)
