"""What models that learn from a file's answers share: the examples, and never their own group's.

A learner is made from a folder. Asked about a question of that folder it has learnt from all
groups but those of the question's fold, so that neither the question nor its twins are among its
examples; asked about any other, from all of them.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from simworld.benchmarks.castbench.schema import FILE_NAME as CASTBENCH
from simworld.benchmarks.castbench.schema import read_truth as read_castbench
from simworld.benchmarks.causal2needles.protocol import asks, draw_windows
from simworld.benchmarks.causal2needles.run import options as scene_options
from simworld.benchmarks.causal2needles.schema import read_folder
from simworld.benchmarks.causalstep.schema import read_truth as read_causalstep
from simworld.benchmarks.decisions.metrics import group_of
from simworld.benchmarks.decisions.schema import FILE_NAME as DECISIONS
from simworld.benchmarks.decisions.schema import read_truth as read_decisions
from simworld.errors import InputError, MissingDependencyError
from simworld.models.base import Answer, Item, Sees
from simworld.models.chance import guess

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its answer. `kind` tells apart questions that are asked differently."""

    question_id: str
    kind: str
    question: str
    options: Mapping[str, str]
    answer: str
    group: str


class Fitted(Protocol):
    """What was learnt: a score for each option of a question; the best is taken."""

    def __call__(self, kind: str, question: str, options: Mapping[str, str]) -> Mapping[str, float]:
        """Score each option by its key."""


Fit = Callable[[Sequence[Example]], Fitted]


class Learner:
    """Takes the option that scores best by what was learnt; among equals it draws.

    Args:
        name: Name of the learner.
        fit: Learns from examples.
        folder: A suite or a benchmark's folder.
    """

    sees: Sees = "media"

    def __init__(self, name: str, fit: Fit, folder: str) -> None:
        """Name the folder; it is read once the benchmark is known."""
        self._fit = fit
        self._folder = Path(folder)
        self._label = name
        self._taught: dict[str, _Taught] = {}
        self.name = f"{name}:{self._folder.name}"

    def answer(self, item: Item) -> Answer:
        """Choose by what was learnt.

        Raises:
            InputError: The folder has no such benchmark.
            MissingDependencyError: The learner needs an extra that is not installed.
        """
        if item.benchmark not in self._taught:
            examples = list(_READERS[item.benchmark](self._folder))
            self._taught[item.benchmark] = _Taught(examples, self._fit)
        fitted = self._taught[item.benchmark].for_question(item.question_id)
        scores = fitted(kind_of(item), item.question, item.options)
        best = max(scores.values())
        keys = [key for key in sorted(scores) if scores[key] == best]
        return Answer(guess(keys, item, self._label))


class _Taught:
    """What was learnt of one benchmark, for each fold left out, and of everything."""

    def __init__(self, examples: Sequence[Example], fit: Fit) -> None:
        self._examples = examples
        self._fit = fit
        groups = sorted({example.group for example in examples})
        fold = {group: number % FOLDS for number, group in enumerate(groups)}
        self._fold = {example.question_id: fold[example.group] for example in examples}
        self._fitted: dict[int | None, Fitted] = {}

    def for_question(self, question_id: str) -> Fitted:
        left_out = self._fold.get(question_id)
        if left_out not in self._fitted:
            kept = [e for e in self._examples if self._fold[e.question_id] != left_out]
            self._fitted[left_out] = self._fit(kept)
        return self._fitted[left_out]


def kind_of(item: Item) -> str:
    """Return what tells apart questions that are asked differently: scenes from letters, say."""
    return item.mode if item.benchmark == "causal2needles" else ""


def template(text: str) -> str:
    """Return a text without its numbers, lower case: what videos have in common.

    Example:
        >>> template("In video 17, why did the mug fall?")
        'in video #, why did the mug fall?'
    """
    return re.sub(r"\d+", "#", text.casefold())


def missing_extra(feature: str) -> MissingDependencyError:
    """Say which extra a learner needs."""
    return MissingDependencyError(
        f"expected scikit-learn, which {feature} needs, found none; "
        "install it with: pip install 'simworld[probe]'"
    )


def _file(folder: Path, benchmark: str, name: str) -> Path:
    for path in (folder / "benchmarks" / benchmark / name, folder / name):
        if path.is_file():
            return path
    raise InputError(
        f"expected {name} to learn from in {folder}, or in a suite there, found none; "
        "give a suite or the benchmark's folder"
    )


def _causalstep(folder: Path) -> Iterator[Example]:
    for video in read_causalstep(_file(folder, "causalstep", "causalstep.jsonl")):
        for question in video.questions:
            options = {str(key): text for key, text in question.options.items()}
            group = video.group or video.video_id
            yield Example(
                question.question_id, "", question.question, options, question.answer, group
            )


def _castbench(folder: Path) -> Iterator[Example]:
    for question in read_castbench(_file(folder, "castbench", CASTBENCH)):
        options = {str(key): text for key, text in question.options.items()}
        group = question.group or question.video
        yield Example(question.qa_id, "", question.question, options, question.answer, group)


def _decisions(folder: Path) -> Iterator[Example]:
    for decision in read_decisions(_file(folder, "decisions", DECISIONS)):
        options = {str(key): text for key, text in decision.options.items()}
        name, group = decision.question_id, group_of(decision)
        yield Example(name, "", decision.question, options, decision.answer, group)


def _causal2needles(folder: Path) -> Iterator[Example]:
    root = _file(folder, "causal2needles", "annotations.json").parent
    movies = read_folder(root)
    if not (root / "windows.json").exists():
        movies = draw_windows(movies, 0)
    for ask in asks(movies):
        yield Example(
            f"{ask.movie.name}/{ask.question.text}",
            f"{ask.task}_{ask.order}",
            ask.question.text,
            scene_options(ask),
            "+".join(ask.right),
            ask.movie.name,
        )


_READERS: Mapping[str, Callable[[Path], Iterator[Example]]] = {
    "causalstep": _causalstep,
    "castbench": _castbench,
    "causal2needles": _causal2needles,
    "decisions": _decisions,
}


def shares(examples: Sequence[Example], keys: Callable[[Example], Mapping[str, str]]) -> Fitted:
    """Learn how often what an option is known by is right, by the examples' keys.

    Args:
        examples: What to learn from.
        keys: Given an example, what each of its options is known by.

    Returns:
        The share of right ones among the options known by the same, one half added to the right
        and a half to the wrong; 1/2 for what was never seen.
    """
    right: dict[tuple[str, str], float] = defaultdict(lambda: 0.5)
    seen: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for example in examples:
        for option, known in keys(example).items():
            right[example.kind, known] += option == example.answer
            seen[example.kind, known] += 1

    def score(kind: str, question: str, options: Mapping[str, str]) -> dict[str, float]:
        asked = Example("", kind, question, options, "", "")
        known = keys(asked)
        return {k: right.get((kind, v), 0.5) / seen.get((kind, v), 1.0) for k, v in known.items()}

    return score
