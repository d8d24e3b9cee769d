"""Replay: gives the answers that a predictions file holds."""

from collections.abc import Callable, Mapping
from pathlib import Path

from simworld.benchmarks.castbench.protocol import asked_question
from simworld.benchmarks.castbench.schema import read_predictions as read_castbench
from simworld.benchmarks.causal2needles.schema import read_predictions as read_causal2needles
from simworld.benchmarks.causalstep.schema import read_predictions as read_causalstep
from simworld.benchmarks.decisions.schema import read_predictions as read_decisions
from simworld.errors import InputError
from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees

Find = Callable[[Item], Answer | None]


@MODELS.register("replay")
class Replay:
    """Answers from a file, such as one that another program wrote.

    The file is the benchmark's own predictions file. CaST-Bench's has no chains: it answers alike
    in each.

    Args:
        file: Path of the predictions.
    """

    sees: Sees = "media"

    def __init__(self, file: str) -> None:
        """Name the file; it is read once the benchmark is known."""
        self._path = Path(file)
        self._finds: dict[str, Find] = {}
        self.name = f"replay:{self._path.name}"

    def answer(self, item: Item) -> Answer:
        """Return what the file answers to the item's question, mode and path.

        Raises:
            InputError: The file is missing or no predictions file, or has no such answer.
        """
        if item.benchmark not in self._finds:
            self._finds[item.benchmark] = _READERS[item.benchmark](self._path)
        answer = self._finds[item.benchmark](item)
        if answer is None:
            path = f" after {item.previous_id!r}" if item.previous_id else ""
            raise InputError(
                f"{self._path}: expected an answer to {item.question_id!r} in mode "
                f"{item.mode}{path}, found none; add it"
            )
        return answer


def _causalstep(path: Path) -> Find:
    predictions = read_causalstep(path)

    def find(item: Item) -> Answer | None:
        row = predictions.find(item.question_id, item.mode, item.previous_id)
        return None if row is None else Answer(row.choice, row.raw, row.status)

    return find


def _castbench(path: Path) -> Find:
    """Join by qa_id, else by the question in the prompt."""
    said: dict[str | None, str | None] = {}
    for _, row in read_castbench(path):
        said[row.qa_id or asked_question(row.prompt or "")] = row.predict

    def find(item: Item) -> Answer | None:
        for key in (item.question_id, item.question):
            if key in said:
                return Answer(None, said[key] or "")
        return None

    return find


def _causal2needles(path: Path) -> Find:
    """Join by the movie, the task in its order, and the question."""
    said = {
        (f"{row.video}/{row.question}", f"{row.task}_{row.order}"): row
        for row in read_causal2needles(path)
    }

    def find(item: Item) -> Answer | None:
        row = said.get((item.question_id, item.mode))
        if row is None:
            return None
        return Answer(None, row.output, row.status or ("error" if row.output is None else "ok"))

    return find


def _decisions(path: Path) -> Find:
    predictions = read_decisions(path)

    def find(item: Item) -> Answer | None:
        row = predictions.get(item.question_id)
        return None if row is None else Answer(row.choice, row.raw, row.status)

    return find


_READERS: Mapping[str, Callable[[Path], Find]] = {
    "causalstep": _causalstep,
    "castbench": _castbench,
    "causal2needles": _causal2needles,
    "decisions": _decisions,
}
