"""The two halves of understanding: right answers for the wrong reasons, and the reverse.

What takes causal understanding is the answer: an option, the scene of a cause. What takes eyes is
the evidence: a description, the scene of an effect, objects in the video. A metric that means to
reward an answer that rests on evidence gives neither model credit.
"""

from simworld.models import MODELS
from simworld.models.base import Answer, Facet, Item, Part, Sees
from simworld.rng import stream


class _OneSided:
    """Is always right in one facet and always wrong in the other."""

    sees: Sees = "truth"

    def __init__(self, name: str, right: Facet) -> None:
        self.name = name
        self._right = right

    def answer(self, item: Item) -> Answer:
        """Give the parts of the one facet right; draw a wrong key for those of the other."""
        if item.truth is None:
            raise TypeError(f"{self.name} was handed an item without its truth")
        rng = stream(*item.seed, self.name)

        def give(part: Part) -> str:
            wrong = [key for key in part.keys if key != part.right] or ["wrong"]
            drawn = wrong[int(rng.integers(len(wrong)))]
            return part.right if part.facet == self._right else drawn

        return item.truth.say([give(part) for part in item.truth.parts])


@MODELS.register("right_answer_wrong_evidence")
def right_answer_wrong_evidence() -> _OneSided:
    """Make the model that knows every cause and sees nothing of what goes with it."""
    return _OneSided("right_answer_wrong_evidence", "answer")


@MODELS.register("right_evidence_wrong_answer")
def right_evidence_wrong_answer() -> _OneSided:
    """Make the model that sees everything and draws the wrong conclusion every time."""
    return _OneSided("right_evidence_wrong_answer", "evidence")
