"""Constant: gives the same option whatever is asked. The floor of a file with uneven answers."""

from simworld.errors import InputError
from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees


@MODELS.register("constant")
class Constant:
    """Always gives one key.

    Args:
        key: The option's key, such as `A`; several, such as `4/4+2/A`, where a benchmark's
            questions have different keys: the first that a question has is given.
    """

    sees: Sees = "media"

    def __init__(self, key: str) -> None:
        self._keys = key.split("/")
        self.name = f"constant:{key}"

    def answer(self, item: Item) -> Answer:
        """Give the key.

        Raises:
            InputError: The item has no such option.
        """
        for key in self._keys:
            if key in item.options:
                return Answer(key)
        known = ", ".join(sorted(item.options))
        raise InputError(
            f"question {item.question_id!r}: expected constant:KEY with a key out of {known}, "
            f"found {'/'.join(self._keys)!r}"
        )
