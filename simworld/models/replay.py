"""Replay: gives the answers that a predictions file holds."""

from pathlib import Path

from simworld.benchmarks.causalstep.schema import read_predictions
from simworld.errors import InputError
from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees


@MODELS.register("replay")
class Replay:
    """Answers from a file, such as one that another program wrote.

    Args:
        file: Path of the predictions.
    """

    sees: Sees = "media"

    def __init__(self, file: str) -> None:
        """Read the file.

        Raises:
            InputError: It is missing or no predictions file.
        """
        self._predictions = read_predictions(Path(file))
        self.name = f"replay:{Path(file).name}"

    def answer(self, item: Item) -> Answer:
        """Return the row for the item's question, mode and path.

        Raises:
            InputError: The file has no such row.
        """
        row = self._predictions.find(item.question_id, item.mode, item.previous_id)
        if row is None:
            path = f" after {item.previous_id!r}" if item.previous_id else ""
            raise InputError(
                f"{self._predictions.path}: expected an answer to {item.question_id!r} in mode "
                f"{item.mode}{path}, found none; add it"
            )
        return Answer(row.choice, row.raw, row.status)
