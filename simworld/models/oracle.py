"""The oracle: reads the right answer off the truth. The best value that every metric can take."""

from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees


@MODELS.register("oracle")
class Oracle:
    """Always right."""

    name = "oracle"
    sees: Sees = "truth"

    def answer(self, item: Item) -> Answer:
        """Give the right option, and the evidence where that is asked for."""
        if item.truth is None:
            raise TypeError("the oracle was handed an item without its truth")
        return Answer(item.truth.answer, item.truth.reply)
