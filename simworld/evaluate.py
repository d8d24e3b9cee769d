"""Run models through a benchmark's protocol, and keep what they said.

The judge's side alone: nothing here knows how a suite was made, and a folder of real videos is
treated like a synthetic one.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import simworld
from simworld.benchmarks.causalstep.metrics import Observation, Settings, observe, result
from simworld.benchmarks.causalstep.protocol import Ask, Reading, Step, prompt
from simworld.benchmarks.causalstep.schema import Video, read_truth
from simworld.errors import InputError
from simworld.models import make_model
from simworld.models.base import Answer, Claims, Item, Model, Span, Truth
from simworld.models.payload import ClaimStore

Progress = Callable[[str, int, int], None]

BENCHMARKS = ("causalstep",)


def evaluate(
    folder: Path,
    *,
    models: Sequence[str],
    out: Path,
    benchmark: str = "causalstep",
    restart: Reading = "prose",
    scoring: Reading = "prose",
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run models through a benchmark's protocol, score them, and write a run folder.

    Every question is asked in the chain mode as far as the paths lead there, by itself, and (if
    causal) by itself with both segments. `out` then holds `answers.jsonl` (every answer),
    `results.json` (what is returned) and `run.json` (the settings); each is written whole or not
    at all.

    Args:
        folder: A suite, or the folder of one benchmark, synthetic or real.
        models: Names as `simworld.models.make_model` takes them, each once.
        out: Where the run goes; made if it is not there.
        benchmark: Whose protocol and metrics.
        restart: What is asked after a wrong causal answer.
        scoring: What a right causal answer earns.
        seed: Seed of the models' draws and of the bootstrap intervals.
        progress: Called with a model's name, videos done, videos in all.

    Returns:
        For each model its result document with `model` and `sees`, plain JSON data.

    Raises:
        InputError: The folder, a model's name or a reading is not what it must be; or a model
            needs stored claims and the folder has none.
    """
    settings = Settings(restart, scoring, seed)
    truth_path = _truth_path(folder, benchmark)
    truth = read_truth(truth_path)
    if not models or len(set(models)) < len(models):
        raise InputError(f"expected one or more models, each once, found {', '.join(models)!r}")
    made = {name: make_model(name) for name in models}
    store = None
    if any(model.sees == "claims" for model in made.values()):
        store = ClaimStore(truth_path.resolve().parents[2])
    answers: list[dict[str, Any]] = []
    results: dict[str, Any] = {}
    for name, model in made.items():
        observations = []
        for done, video in enumerate(truth, start=1):
            observations.append(_observe(video, model, truth_path.parent, store, settings))
            if progress is not None:
                progress(name, done, len(truth))
        answers += [{"model": name} | row for row in _answer_rows(observations)]
        results[name] = {"model": name, "sees": model.sees} | result(observations, settings)
    digest = hashlib.sha256(truth_path.read_bytes()).hexdigest()
    run = {"benchmark": benchmark, "models": list(models), **asdict(settings)}
    run |= {"truth_sha256": digest, "simworld": simworld.__version__}
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "answers.jsonl", "".join(json.dumps(row) + "\n" for row in answers))
    _write(out / "results.json", json.dumps(results, indent=1) + "\n")
    _write(out / "run.json", json.dumps(run, indent=1) + "\n")
    return results


def _truth_path(folder: Path, benchmark: str) -> Path:
    """Return the benchmark's truth file in a suite or in the benchmark's own folder."""
    if benchmark not in BENCHMARKS:
        known = ", ".join(BENCHMARKS)
        raise InputError(f"expected a benchmark out of {known}, found {benchmark!r}")
    name = f"{benchmark}.jsonl"
    for path in (folder / "benchmarks" / benchmark / name, folder / name):
        if path.is_file():
            return path
    raise InputError(
        f"expected {name} in {folder} or in {folder / 'benchmarks' / benchmark}, found neither; "
        "give a suite or the benchmark's folder"
    )


def _observe(
    video: Video, model: Model, folder: Path, store: ClaimStore | None, settings: Settings
) -> Observation:
    """Let a model answer one video's questions, each with no more than it may see."""

    def answer(ask: Ask) -> Answer:
        question = ask.question
        claims = truth = None
        if model.sees == "claims" and store is not None:
            claims = store.claims(question.proof, question.question_id)
        if model.sees == "truth":
            truth = Truth(question.answer)
        return model.answer(_item(ask, folder, settings.seed, claims, truth))

    return observe(video, answer, settings)


def _item(ask: Ask, folder: Path, seed: int, claims: Claims | None, truth: Truth | None) -> Item:
    question = ask.question
    previous = ask.previous.question_id if ask.previous else None
    return Item(
        benchmark="causalstep",
        question_id=question.question_id,
        mode=ask.mode,
        prompt=prompt(ask),
        question=question.question,
        options={letter: text for letter, text in question.options.items()},
        video=folder / ask.video.video,
        shown=tuple(Span(s.index, s.start_frame, s.stop_frame) for s in ask.shown),
        previous_id=previous,
        seed=(seed, "causalstep", question.question_id, ask.mode, previous or ""),
        claims=claims,
        truth=truth,
    )


def _answer_rows(observations: Sequence[Observation]) -> list[dict[str, Any]]:
    return [_answer_row(step) for o in observations for step in o.steps]


def _answer_row(step: Step) -> dict[str, Any]:
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


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
