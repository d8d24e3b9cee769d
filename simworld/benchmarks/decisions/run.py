"""Put the decisions to a model, and score what it chose."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from simworld.benchmarks.decisions.metrics import result
from simworld.benchmarks.decisions.protocol import prompt, settle
from simworld.benchmarks.decisions.schema import FILE_NAME, Decision, read_truth
from simworld.models.base import Answer, Item, Model, Part, Truth, is_told
from simworld.models.journal import Keep, Row, ask_anew
from simworld.models.payload import ClaimStore

NAME = "decisions"


class DecisionsRun:
    """Every question once, with the whole video."""

    FILE_NAME: ClassVar[str] = FILE_NAME
    SETTINGS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, truth_path: Path, settings: Mapping[str, str], seed: int) -> None:
        """Read the truth; there are no settings.

        Raises:
            InputError: The file is not what it must be.
        """
        self.truth = read_truth(truth_path)
        self._folder = truth_path.parent
        self._seed = seed

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, plain JSON data."""
        return {"seed": self._seed}

    def run(
        self,
        model: Model,
        store: ClaimStore | None,
        told: Callable[[int, int], None],
        keep: Keep = ask_anew,
    ) -> tuple[list[Row], dict[str, Any]]:
        """Ask a model everything; return its answers as predictions rows, and its result."""
        rows: list[Row] = []
        steps = []
        for done, decision in enumerate(self.truth, start=1):
            item = self._item(decision, model, store)
            asked = {"question_id": decision.question_id}
            row = keep(asked, partial(_answered, model, item, decision))
            rows.append(row)
            steps.append(settle(decision, Answer(row["choice"], row.get("raw"), row["status"])))
            told(done, len(self.truth))
        return rows, result(steps, self._seed)

    def _item(self, decision: Decision, model: Model, store: ClaimStore | None) -> Item:
        parts = (Part("answer", decision.answer, tuple(decision.options)),)
        return Item(
            benchmark=NAME,
            question_id=decision.question_id,
            mode="decide",
            prompt=prompt(decision),
            question=decision.question,
            options={letter: text for letter, text in decision.options.items()},
            video=self._folder / decision.video,
            shown=(),
            previous_id=None,
            seed=(self._seed, NAME, decision.question_id),
            claims=store.claims(decision.proof, decision.question_id) if store else None,
            truth=Truth(decision.answer, parts=parts) if is_told(model) else None,
        )


def _answered(model: Model, item: Item, decision: Decision) -> Row:
    answer = settle(decision, model.answer(item)).answer
    row = {"choice": answer.choice, "status": answer.status}
    return row if answer.raw is None else row | {"raw": answer.raw}
