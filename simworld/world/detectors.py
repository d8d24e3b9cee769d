"""Detectors: what in a rollout counts as an event, or as a standing condition.

A detector sees the world as it runs, step by step, and never the context that the world was
built from. Event detectors fire at most once, at the step of the event's onset; condition
detectors are read once, before the first step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol


class View(Protocol):
    """What a detector may look at: one step of a rollout."""

    def position(self, body: str) -> tuple[float, float, float] | None:
        """Return the centre of the body in metres, None once it is broken."""

    def tilt_deg(self, body: str) -> float | None:
        """Return how far the body leans from upright, 0 to 180; None once it is broken."""

    def turned_deg(self, body: str) -> float | None:
        """Return how far the body has turned since the start, 0 to 180; None once it is broken."""

    def start(self, body: str) -> tuple[float, float, float]:
        """Return where the body was before the first step, in metres."""

    def impulse(self, a: str, b: str) -> float:
        """Return the normal impulse between two intact bodies in this step, in N s."""

    def broken(self, body: str) -> bool:
        """Tell whether the body has broken by now."""

    def present(self, body: str) -> bool:
        """Tell whether the body stands in the scene at all."""

    def breakable(self, body: str) -> bool:
        """Tell whether the body is of a kind that can break."""

    def mass_kg(self, body: str) -> float:
        """Return what the body weighs."""

    def friction(self, body: str) -> float:
        """Return the body's own coefficient of friction."""


@dataclass(frozen=True, slots=True)
class Touched:
    """`body` was hit by one of `others`, harder than `impulse_n_s`.

    With `below_m`, only once the centre of `body` is lower than that.
    """

    body: str
    others: tuple[str, ...]
    impulse_n_s: float = 1e-3
    below_m: float | None = None

    def fires(self, view: View) -> bool:
        """Tell whether it happens in this step."""
        position = view.position(self.body)
        if position is None or (self.below_m is not None and position[2] >= self.below_m):
            return False
        return any(view.impulse(self.body, other) > self.impulse_n_s for other in self.others)


@dataclass(frozen=True, slots=True)
class Slid:
    """`body` has moved along the surface it stands on, further than `distance_m`."""

    body: str
    surface: str
    distance_m: float

    def fires(self, view: View) -> bool:
        """Tell whether it is so in this step."""
        position = view.position(self.body)
        if position is None or view.impulse(self.body, self.surface) <= 0.0:
            return False
        start = view.start(self.body)
        return math.hypot(position[0] - start[0], position[1] - start[1]) > self.distance_m


@dataclass(frozen=True, slots=True)
class DroppedBelow:
    """The centre of `body` is lower than `height_m`."""

    body: str
    height_m: float

    def fires(self, view: View) -> bool:
        """Tell whether it is so in this step."""
        position = view.position(self.body)
        return position is not None and position[2] < self.height_m


@dataclass(frozen=True, slots=True)
class Tilted:
    """`body` leans from upright by more than `degrees`."""

    body: str
    degrees: float

    def fires(self, view: View) -> bool:
        """Tell whether it is so in this step."""
        tilt = view.tilt_deg(self.body)
        return tilt is not None and tilt > self.degrees


@dataclass(frozen=True, slots=True)
class Turned:
    """`body` has turned by more than `degrees` since the start, about whatever axis."""

    body: str
    degrees: float

    def fires(self, view: View) -> bool:
        """Tell whether it is so in this step."""
        turned = view.turned_deg(self.body)
        return turned is not None and turned > self.degrees


@dataclass(frozen=True, slots=True)
class Moved:
    """The centre of `body` is further than `distance_m` from where it started, any way."""

    body: str
    distance_m: float

    def fires(self, view: View) -> bool:
        """Tell whether it is so in this step."""
        position = view.position(self.body)
        return position is not None and (
            math.dist(position, view.start(self.body)) > self.distance_m
        )


@dataclass(frozen=True, slots=True)
class Broke:
    """`body` broke."""

    body: str

    def fires(self, view: View) -> bool:
        """Tell whether it has happened by this step."""
        return view.broken(self.body)


@dataclass(frozen=True, slots=True)
class Absent:
    """A standing condition: `body` is not in the scene."""

    body: str

    def holds(self, view: View) -> bool:
        """Tell whether it is so before the first step."""
        return not view.present(self.body)


@dataclass(frozen=True, slots=True)
class Present:
    """A standing condition: `body` is in the scene."""

    body: str

    def holds(self, view: View) -> bool:
        """Tell whether it is so before the first step."""
        return view.present(self.body)


@dataclass(frozen=True, slots=True)
class CanBreak:
    """A standing condition: `body` is of a kind that can break."""

    body: str

    def holds(self, view: View) -> bool:
        """Tell whether it is so before the first step."""
        return view.breakable(self.body)


@dataclass(frozen=True, slots=True)
class StartsBeyond:
    """A standing condition: `body` starts with its x beyond `x_m`."""

    body: str
    x_m: float

    def holds(self, view: View) -> bool:
        """Tell whether it is so before the first step."""
        return view.start(self.body)[0] > self.x_m


@dataclass(frozen=True, slots=True)
class LighterThan:
    """A standing condition: `body` weighs less than `mass_kg`."""

    body: str
    mass_kg: float

    def holds(self, view: View) -> bool:
        """Tell whether it is so before the first step."""
        return view.mass_kg(self.body) < self.mass_kg


@dataclass(frozen=True, slots=True)
class SmootherThan:
    """A standing condition: the friction of `body` is less than `friction`."""

    body: str
    friction: float

    def holds(self, view: View) -> bool:
        """Tell whether it is so before the first step."""
        return view.friction(self.body) < self.friction


EventDetector = Touched | Slid | DroppedBelow | Tilted | Turned | Moved | Broke
ConditionDetector = Absent | Present | CanBreak | StartsBeyond | LighterThan | SmootherThan
Detector = EventDetector | ConditionDetector
