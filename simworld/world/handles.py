"""Handles: how do() reaches into a running world, one event at a time.

A prevent handle keeps its event from happening by holding a body, or by keeping it whole.
A force handle makes its event happen at a fixed step, only if it has not happened by then.
Every world carries all handles of its scene; those that are not armed stay passive.
A handle touches nothing but the body that it names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Vec3 = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class HoldNear:
    """Prevent: hold `body` where it is once it comes closer to `other` than `gap_m`."""

    variable: str
    body: str
    other: str
    gap_m: float
    value: Literal[0] = 0


@dataclass(frozen=True, slots=True)
class HoldMoved:
    """Prevent: hold `body` once it has moved sideways by more than `distance_m`."""

    variable: str
    body: str
    distance_m: float
    value: Literal[0] = 0


@dataclass(frozen=True, slots=True)
class HoldPast:
    """Prevent: hold `body` once its centre lies further than `limit_m` along `direction`."""

    variable: str
    body: str
    direction: Vec3
    limit_m: float
    value: Literal[0] = 0


@dataclass(frozen=True, slots=True)
class HoldTilted:
    """Prevent: hold `body` once it leans from upright by more than `degrees`."""

    variable: str
    body: str
    degrees: float
    value: Literal[0] = 0


@dataclass(frozen=True, slots=True)
class KeepWhole:
    """Prevent: `body` does not break, however hard it is hit."""

    variable: str
    body: str
    value: Literal[0] = 0


@dataclass(frozen=True, slots=True)
class HoldTurned:
    """Prevent: hold `body` once it has turned by more than `degrees` since the start."""

    variable: str
    body: str
    degrees: float
    value: Literal[0] = 0


@dataclass(frozen=True, slots=True)
class KeepStill:
    """Prevent: the mover of `body` never starts."""

    variable: str
    body: str
    value: Literal[0] = 0


@dataclass(frozen=True, slots=True)
class ForceLaunch:
    """Force: at `step`, give `body` this velocity; a hold on it ends.

    `unless` names an event in whose presence no launch brings this one about: what the body
    would hit is not there any more. Both together are out of reach.
    """

    variable: str
    body: str
    step: int
    velocity_m_s: Vec3
    spin_rad_s: Vec3 = (0.0, 0.0, 0.0)
    unless: str = ""
    value: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class ForceToss:
    """Force: at `step`, throw `body` so that its centre flies to `x_m` or `y_m`; a hold on it ends.

    It leaves straight up at `lift_m_s`, so that it clears what stands beside it, is sent
    sideways `rise_steps` later, and is back at its own height when it gets there.
    """

    variable: str
    body: str
    step: int
    x_m: float | None
    lift_m_s: float
    rise_steps: int
    y_m: float | None = None
    value: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class ForceBreak:
    """Force: at `step`, break `body` where it is."""

    variable: str
    body: str
    step: int
    value: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class ForceStart:
    """Force: at `step`, the mover of `body` starts."""

    variable: str
    body: str
    step: int
    value: Literal[1] = 1


HoldHandle = HoldNear | HoldMoved | HoldPast | HoldTilted | HoldTurned
PreventHandle = HoldHandle | KeepWhole | KeepStill
ForceHandle = ForceLaunch | ForceToss | ForceBreak | ForceStart
Handle = PreventHandle | ForceHandle


def handle_key(handle: Handle) -> str:
    """Name a handle, as `bump:=0`."""
    return f"{handle.variable}:={handle.value}"
