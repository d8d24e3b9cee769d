"""The exogenous settings of a scene, and their values in one world."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from simworld.errors import InputError

Split = Literal["train", "held_out"]


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting with named levels, such as a ball that rolls or rests."""

    name: str
    weights: Mapping[str, float]

    @property
    def levels(self) -> tuple[str, ...]:
        """Name the levels."""
        return tuple(self.weights)


@dataclass(frozen=True, slots=True)
class Band:
    """Where a continuous setting lies at one level: a training part and a held-out part."""

    low: float
    high: float
    held_out: tuple[float, float]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Range:
    """A continuous setting: one band for each level, with gaps between the bands.

    With one band only it has no say in the equations.
    """

    name: str
    unit: str
    bands: Mapping[str, Band]

    @property
    def levels(self) -> tuple[str, ...]:
        """Name the levels."""
        return tuple(self.bands)


@dataclass(frozen=True, slots=True)
class Nuisance:
    """Something that must not matter: one of some words, or a number between two."""

    name: str
    words: tuple[str, ...] = ()
    between: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        """Refuse a nuisance that has no other value to take."""
        if len(self.words) == 1 or not (self.words or self.between[0] < self.between[1]):
            raise InputError(
                f"nuisance {self.name}: expected two words or more, or two numbers to lie "
                f"between, found {self.words or self.between}"
            )


@dataclass(frozen=True, slots=True)
class Context:
    """The exogenous settings of one world.

    `levels` gives every setting's level; `numbers` the value of each continuous setting at
    each of its levels (key `edge_gap.near`), so that changing a level draws nothing anew;
    `nuisances` what must not matter.
    """

    levels: Mapping[str, str]
    numbers: Mapping[str, float]
    nuisances: Mapping[str, str | float]

    def level(self, name: str) -> str:
        """Return the level of a setting."""
        return self.levels[name]

    def number(self, name: str) -> float:
        """Return the value of a continuous setting at its level."""
        return self.numbers[f"{name}.{self.levels[name]}"]

    def word(self, name: str) -> str:
        """Return a nuisance that is a word."""
        return str(self.nuisances[name])

    def amount(self, name: str) -> float:
        """Return a nuisance that is a number."""
        return float(self.nuisances[name])

    def at(self, levels: Mapping[str, str]) -> Context:
        """Return the same context with some settings at other levels."""
        return replace(self, levels={**self.levels, **levels})

    def shifted(self, noise: Mapping[str, float]) -> Context:
        """Return the same context with noise added to its numbers."""
        moved = {key: value + noise.get(key, 0.0) for key, value in self.numbers.items()}
        return replace(self, numbers=moved)

    def to_json(self) -> dict[str, Any]:
        """Return the context as plain JSON data."""
        return {
            "levels": dict(sorted(self.levels.items())),
            "numbers": dict(sorted(self.numbers.items())),
            "nuisances": dict(sorted(self.nuisances.items())),
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Context:
        """Read a context back."""
        return Context(dict(data["levels"]), dict(data["numbers"]), dict(data["nuisances"]))

    def digest(self) -> str:
        """Return 16 hexadecimal digits that name the context."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]
