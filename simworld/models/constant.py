"""Constant: gives the same option whatever is asked. The floor of a file with uneven answers."""

from simworld.errors import InputError
from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees


@MODELS.register("constant")
class Constant:
    """Always gives one key.

    Args:
        key: The option's key, such as `A`.
    """

    sees: Sees = "media"

    def __init__(self, key: str) -> None:
        self._key = key
        self.name = f"constant:{key}"

    def answer(self, item: Item) -> Answer:
        """Give the key.

        Raises:
            InputError: The item has no such option.
        """
        if self._key not in item.options:
            known = ", ".join(sorted(item.options))
            raise InputError(
                f"question {item.question_id!r}: expected constant:KEY with a key out of {known}, "
                f"found {self._key!r}"
            )
        return Answer(self._key)
