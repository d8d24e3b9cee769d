"""Put CausalStep's questions to a model, along the chain and by themselves, and score it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from simworld.benchmarks.causalstep.metrics import Observation, Settings, observe, result
from simworld.benchmarks.causalstep.protocol import Ask, Step, prompt
from simworld.benchmarks.causalstep.schema import Video, read_truth
from simworld.models.base import Answer, Item, Model, Span, Truth
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
        self._settings = Settings(**settings, seed=seed)  # type: ignore[arg-type]  # checked there
        self._truth = read_truth(truth_path)
        self._folder = truth_path.parent

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, plain JSON data."""
        return asdict(self._settings)

    def run(
        self, model: Model, store: ClaimStore | None, told: Callable[[int, int], None]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Ask a model everything; return its answers as predictions rows, and its result."""
        observations = []
        for done, video in enumerate(self._truth, start=1):
            observations.append(self._observe(video, model, store))
            told(done, len(self._truth))
        rows = [_row(step) for observation in observations for step in observation.steps]
        return rows, result(observations, self._settings)

    def _observe(self, video: Video, model: Model, store: ClaimStore | None) -> Observation:
        """Let a model answer one video's questions, each with no more than it may see."""

        def answer(ask: Ask) -> Answer:
            return model.answer(self._item(ask, model, store))

        return observe(video, answer, self._settings)

    def _item(self, ask: Ask, model: Model, store: ClaimStore | None) -> Item:
        question = ask.question
        previous = ask.previous.question_id if ask.previous else None
        seed = (self._settings.seed, "causalstep", question.question_id, ask.mode, previous or "")
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
            truth=Truth(question.answer) if model.sees == "truth" else None,
        )


def _row(step: Step) -> dict[str, Any]:
    """Return an answer as a predictions row, with the frames that were shown."""
    ask = step.ask
    row = {
        "question_id": ask.question.question_id,
        "mode": ask.mode,
        "choice": step.answer.choice,
        "status": step.answer.status,
    }
    if ask.previous is not None:
        row["previous"] = ask.previous.question_id
    if step.answer.raw is not None:
        row["raw"] = step.answer.raw
    return row | {"shown_frames": [[s.start_frame, s.stop_frame] for s in ask.shown]}
