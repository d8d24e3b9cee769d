"""Movers: bodies without mass that go along a scripted path, whatever they meet.

A trapdoor slides away, a gate drops, a lever turns, a belt runs. They push and carry what they
touch, nothing holds them up, and so nothing that touches them can influence another through them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from simworld.world.detectors import EventDetector

Vec3 = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Mover:
    """A scripted action: a static body goes along a path for a number of steps.

    It goes at `velocity_m_s` and turns at `spin_rad_s` about `pivot_m`, a place in the world when
    it starts (None: its own centre) that goes along with it. It starts at the step `start`, or
    upon an event that a detector sees: then at the first step that is a multiple of `every_steps`,
    so that causes which come a little apart start it at one and the same step. `in_place` it is a
    belt that returns below: it stays, and its surface goes at `velocity_m_s`.
    """

    body: str
    start: int | EventDetector
    steps: int
    velocity_m_s: Vec3 = (0.0, 0.0, 0.0)
    spin_rad_s: Vec3 = (0.0, 0.0, 0.0)
    pivot_m: Vec3 | None = None
    every_steps: int = 1
    in_place: bool = False


def due_step(mover: Mover, seen_step: int) -> int:
    """Return the step at which a mover starts whose event was seen at `seen_step`.

    >>> [due_step(Mover("gate", 0, 10, every_steps=24), step) for step in (47, 48, 49)]
    [48, 48, 72]
    """
    return -(-seen_step // mover.every_steps) * mover.every_steps


def centre_m(mover: Mover, from_m: Vec3, time_s: float) -> Vec3:
    """Return where a mover's centre is `time_s` after its start at `from_m`."""
    pivot = from_m if mover.pivot_m is None else mover.pivot_m
    arm = _turned(_sum(from_m, _scaled(pivot, -1.0)), mover.spin_rad_s, time_s)
    return _sum(_sum(pivot, _scaled(mover.velocity_m_s, time_s)), arm)


def velocity_m_s(mover: Mover, from_m: Vec3, done: int, step_s: float) -> Vec3:
    """Return the velocity that takes a mover's centre along its path in the step after `done`.

    Bullet turns the velocity v of a body on a fixed base along with the body: in a step of dt with
    spin w it goes by v + dt w x v, which is solved for v here.
    """
    here = centre_m(mover, from_m, done * step_s)
    there = centre_m(mover, from_m, (done + 1) * step_s)
    chord = _scaled(_sum(there, _scaled(here, -1.0)), 1.0 / step_s)
    turn = _scaled(mover.spin_rad_s, step_s)
    once = _cross(turn, chord)
    twice = _cross(turn, once)
    share = 1.0 + sum(t * t for t in turn)
    return _sum(chord, _scaled(_sum(twice, _scaled(once, -1.0)), 1.0 / share))


def _turned(arm: Vec3, spin_rad_s: Vec3, time_s: float) -> Vec3:
    """Turn a vector by a spin over a time (Rodrigues' formula)."""
    rate = math.hypot(*spin_rad_s)
    if rate == 0.0 or not any(arm):
        return arm
    axis = _scaled(spin_rad_s, 1.0 / rate)
    sine, cosine = math.sin(rate * time_s), math.cos(rate * time_s)
    along = sum(u * a for u, a in zip(axis, arm, strict=True)) * (1.0 - cosine)
    across = _sum(_scaled(arm, cosine), _scaled(_cross(axis, arm), sine))
    return _sum(across, _scaled(axis, along))


def _sum(a: Vec3, b: Vec3) -> Vec3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _scaled(a: Vec3, by: float) -> Vec3:
    return a[0] * by, a[1] * by, a[2] * by


def _cross(a: Vec3, b: Vec3) -> Vec3:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
