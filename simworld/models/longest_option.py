"""Longest option: takes the option with the most characters. Finds answers given away by length."""

from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees
from simworld.models.chance import guess


@MODELS.register("longest_option")
class LongestOption:
    """Reads nothing but the options' lengths; among equals it draws."""

    name = "longest_option"
    sees: Sees = "media"

    def answer(self, item: Item) -> Answer:
        """Choose by length."""
        longest = max(map(len, item.options.values()))
        keys = [key for key in sorted(item.options) if len(item.options[key]) == longest]
        return Answer(guess(keys, item, self.name))
