"""The models that metrics are held against, and what is known of each before it is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simworld.models.base import Answer, Item, Sees

LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
CAUSAL_LINE = tuple(f"competence:{c:g}/1" for c in LEVELS)
"""Causal competence rises, eyes are perfect."""
EVIDENCE_LINE = tuple(f"competence:1/{q:g}" for q in LEVELS)
"""Causal competence is perfect, the quality of evidence rises."""
FAMILY = (*dict.fromkeys((*CAUSAL_LINE, *EVIDENCE_LINE)), "competence:0/0", "competence:0.5/0.5")

WITHOUT_CAUSES = ("chance", "longest_option", "word_overlap")
"""They know nothing of causes and look at nothing."""
WITH_EVENTS = ("perception", "temporal_neighbour", "adjacency", "object_removal")
"""They know events and nothing of causes."""
ONE_SIDED = ("right_answer_wrong_evidence", "right_evidence_wrong_answer")
MODELS = ("oracle", *WITHOUT_CAUSES, *FAMILY, *ONE_SIDED)


def levels_of(name: str) -> tuple[float, float]:
    """Return the two levels in the name of a model of the family.

    Example:
        >>> levels_of("competence:0.25/1")
        (0.25, 1.0)
    """
    c, q = name.partition(":")[2].split("/")
    return float(c), float(q)


@dataclass(frozen=True, slots=True)
class StaleOracle:
    """Answers every question as the factual world would have it.

    It is right but where the intervention made another option right.

    Attributes:
        stale: For each part of an item the key that was right before, None where it still is.
    """

    stale: Callable[[Item], Sequence[str | None]]
    name: str = "stale_oracle"
    sees: Sees = "truth"

    def answer(self, item: Item) -> Answer:
        """Give what was right before."""
        if item.truth is None:
            raise TypeError("the stale oracle was handed an item without its truth")
        pairs = zip(item.truth.parts, self.stale(item), strict=True)
        return item.truth.say([before or part.right for part, before in pairs])
