"""Word overlap: takes the option that shares most words with the question.

Finds options that give themselves away by repeating what was asked. Behind `caption_only` it
shares words with the captions too, and finds captions that say the answer.
"""

import re

from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees
from simworld.models.chance import guess


@MODELS.register("word_overlap")
class WordOverlap:
    """Counts the different words that an option shares; among equals it draws."""

    name = "word_overlap"
    sees: Sees = "media"

    def answer(self, item: Item) -> Answer:
        """Choose by shared words."""
        asked = _words(item.question)
        shared = {key: len(asked & _words(text)) for key, text in sorted(item.options.items())}
        most = max(shared.values())
        return Answer(guess([key for key, n in shared.items() if n == most], item, self.name))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
