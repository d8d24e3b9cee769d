"""Competence: a model that is right as often as it is told to be. The yardstick of every metric.

Of each thing that an answer has to get right it knows the right one with a probability of its own,
independently, and else guesses evenly: with C what takes causal understanding (an option, the scene
of a cause), with Q what takes eyes (a description, the scene of an effect, evidence in the video).
So it is right with probability C + (1 - C) / n among n options; evidence in the video nobody hits
by guessing.
"""

from simworld.errors import InputError
from simworld.models import MODELS
from simworld.models.base import Answer, Item, Part, Sees
from simworld.rng import stream


@MODELS.register("competence")
class Competence:
    """Is right by its two levels.

    Args:
        levels: `C/Q`, causal competence and quality of evidence, each from 0 to 1.
    """

    sees: Sees = "truth"

    def __init__(self, levels: str) -> None:
        """Read the levels.

        Raises:
            InputError: They are not two numbers from 0 to 1.
        """
        try:
            competence, quality = map(float, levels.split("/"))
        except ValueError:
            competence = quality = -1.0
        if not (0 <= competence <= 1 and 0 <= quality <= 1):
            raise InputError(
                f"expected competence:C/Q with two numbers from 0 to 1, like competence:0.5/0.8, "
                f"found {levels!r}"
            )
        self._levels = {"answer": competence, "evidence": quality}
        self.name = f"competence:{levels}"

    def answer(self, item: Item) -> Answer:
        """Give each part right or guess it."""
        if item.truth is None:
            raise TypeError(f"{self.name} was handed an item without its truth")
        rng = stream(*item.seed, self.name)

        def give(part: Part) -> str:
            knows = rng.random() < self._levels[part.facet]
            guessed = int(rng.integers(max(1, len(part.keys))))
            return part.right if knows else part.keys[guessed] if part.keys else "wrong"

        return item.truth.say([give(part) for part in item.truth.parts])
