"""Put CausalStep's questions to a model, along the chain and by themselves, and score it."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from simworld.benchmarks.causalstep.metrics import Settings, observe, result
from simworld.benchmarks.causalstep.protocol import Ask, Reading, prompt, settle
from simworld.benchmarks.causalstep.schema import LETTERS, read_truth
from simworld.models.base import Answer, Facet, Item, Model, Part, Span, Truth, is_told
from simworld.models.journal import Keep, Row, ask_anew
from simworld.models.payload import ClaimStore


class CausalStepRun:
    """Every question in three modes.

    In the chain, as far as the paths lead there; by itself; and, if causal, by itself with both
    segments.
    """

    FILE_NAME: ClassVar[str] = "causalstep.jsonl"
    SETTINGS: ClassVar[tuple[str, ...]] = ("restart", "scoring")

    def __init__(self, truth_path: Path, settings: Mapping[str, str], seed: int) -> None:
        """Read the truth.

        Raises:
            InputError: The file or a setting is not what it must be.
        """
        self.reading = Settings(**settings, seed=seed)  # type: ignore[arg-type]  # checked there
        self.truth = read_truth(truth_path)
        self._folder = truth_path.parent

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, plain JSON data."""
        return asdict(self.reading)

    def under(self, restart: Reading, scoring: Reading) -> Self:
        """Return the same run under another reading."""
        other = copy(self)
        other.reading = replace(self.reading, restart=restart, scoring=scoring)
        return other

    def run(
        self,
        model: Model,
        store: ClaimStore | None,
        told: Callable[[int, int], None],
        keep: Keep = ask_anew,
    ) -> tuple[list[Row], dict[str, Any]]:
        """Ask a model everything; return its answers as predictions rows, and its result."""
        rows: list[Row] = []
        observations = []
        for done, video in enumerate(self.truth, start=1):

            def answer(ask: Ask) -> Answer:
                rows.append(keep(_asked(ask), partial(self._answered, ask, model, store)))
                return Answer(rows[-1]["choice"], rows[-1].get("raw"), rows[-1]["status"])

            observations.append(observe(video, answer, self.reading))
            told(done, len(self.truth))
        return rows, result(observations, self.reading)

    def _answered(self, ask: Ask, model: Model, store: ClaimStore | None) -> Row:
        """Let a model answer, handing it no more than it may see."""
        answer = settle(model.answer(self._item(ask, model, store)))
        row = {"choice": answer.choice, "status": answer.status}
        return row if answer.raw is None else row | {"raw": answer.raw}

    def _item(self, ask: Ask, model: Model, store: ClaimStore | None) -> Item:
        question = ask.question
        previous = ask.previous.question_id if ask.previous else None
        seed = (self.reading.seed, "causalstep", question.question_id, ask.mode, previous or "")
        return Item(
            benchmark="causalstep",
            question_id=question.question_id,
            mode=ask.mode,
            prompt=prompt(ask),
            question=question.question,
            options={letter: text for letter, text in question.options.items()},
            video=self._folder / ask.video.video,
            shown=tuple(Span(s.index, s.start_frame, s.stop_frame) for s in ask.shown),
            previous_id=previous,
            seed=seed,
            claims=store.claims(question.proof, question.question_id) if store else None,
            truth=_truth(ask) if is_told(model) else None,
            captions=tuple(segment.description for segment in ask.shown),
        )


def _truth(ask: Ask) -> Truth:
    """Say what is right: a descriptive question takes eyes, a causal one more than that."""
    question = ask.question
    facet: Facet = "evidence" if question.kind == "descriptive" else "answer"
    parts = (Part(facet, question.answer, LETTERS),)
    if question.kind == "descriptive":
        return Truth(question.answer, parts=parts)
    cause_s, effect_s = (
        (segment.start_s, segment.stop_s)
        for segment in ask.video.segments[question.segment - 2 : question.segment]
    )
    return Truth(question.answer, parts=parts, cause_s=cause_s, effect_s=effect_s)


def _asked(ask: Ask) -> Row:
    """Return what a predictions row says of the question, with the frames that were shown."""
    row: Row = {"question_id": ask.question.question_id, "mode": ask.mode}
    if ask.previous is not None:
        row["previous"] = ask.previous.question_id
    return row | {"shown_frames": [[s.start_frame, s.stop_frame] for s in ask.shown]}
