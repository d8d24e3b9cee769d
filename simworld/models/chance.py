"""Chance: guesses evenly among the options. The floor of every metric."""

from collections.abc import Sequence

from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees
from simworld.rng import stream


@MODELS.register("chance")
class Chance:
    """Looks at nothing and draws an option, by the item's seed and its own name."""

    name = "chance"
    sees: Sees = "media"

    def answer(self, item: Item) -> Answer:
        """Draw one of the options."""
        return Answer(guess(sorted(item.options), item, self.name))


def guess(keys: Sequence[str], item: Item, name: str) -> str:
    """Draw one of the keys; the same model draws the same for the same item and seed."""
    return keys[int(stream(*item.seed, name).integers(len(keys)))]
