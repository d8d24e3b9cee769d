"""A clip that questions are made for."""

from __future__ import annotations

from dataclasses import dataclass

from simworld.annotate.segments import Segment
from simworld.qa.claims import Facts, Happening, Relation
from simworld.scene import Scene


@dataclass(frozen=True, slots=True)
class Case:
    """A clip that questions are made for."""

    scene: Scene
    facts: Facts
    segments: tuple[Segment, ...]

    def happened(self) -> dict[str, Happening]:
        """Return the events that happened, in causal order."""
        return {name: when for name, when in self.facts.events.items() if when is not None}

    def relation(self, cause: str, effect: str) -> Relation | None:
        """Return what one variable was to another, if that is proven."""
        return self.facts.relations.get((cause, effect))
