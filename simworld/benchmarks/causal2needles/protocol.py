"""Causal2Needles' protocol: what is shown, what is asked, how an answer is read.

What the authors' code does, done here as well:

- a window around cause and effect is shown, 0 to 5 clips before and the rest of 5 after; scenes are
  numbered from 1 in the order shown, and the narration of the whole movie is given along;
- a 2-needle question first replaces two sentences of the narration, in place: later questions of
  the same run see them replaced (`narration="in_place"`; with `copy` they do not);
- noncausal questions do not say which needle they are about: the first of a run of questions with
  one pair is about the cause, the others about the effect;
- an answer to a 1-needle question is right if the right number stands anywhere in it, among others
  as well; letters are the first A to D that stands alone, an article included.

Unlike there, the windows are drawn by name and stored, and one window serves both orders.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from simworld.benchmarks.causal2needles.schema import (
    EXPANSION,
    KINDS_ASKED,
    MAX_DISTANCE,
    Clip,
    Kind,
    Movie,
    Order,
    Question,
    Task,
    Window,
)
from simworld.errors import InputError
from simworld.models.base import Answer
from simworld.rng import stream

Narration = Literal["in_place", "copy"]

RUNS: tuple[tuple[Task, Order], ...] = (
    ("1needle_noncausal", "forward"),
    ("1needle", "forward"),
    ("2needle_vg", "forward"),
    ("2needle_vg", "reverse"),
    ("2needle_id", "forward"),
)
"""Each task in each order that it is asked in; a run goes through all movies anew."""

LETTERS = ("A", "B", "C", "D")

_TRIM_S = 0.5


@dataclass(frozen=True, slots=True)
class Ask:
    """One question as it is put.

    Attributes:
        movie: The movie that it is about.
        task: What is asked for: a scene, two scenes, or a letter.
        order: Whether the scenes are shown first to last or last to first.
        question: The entry of the question file.
        window: The clips that are shown.
        context: The narration that is given along.
        right: The right answers: a scene's number; those for Part 1 and Part 2; or a letter.
    """

    movie: Movie
    task: Task
    order: Order
    question: Question
    window: Window
    context: str
    right: tuple[str, ...]

    @property
    def shown(self) -> tuple[int, ...]:
        """Indices of the clips in the order in which they are shown: scene 1, scene 2, ..."""
        indices = range(self.window.first, self.window.last + 1)
        return tuple(indices if self.order == "forward" else reversed(indices))


@dataclass(frozen=True, slots=True)
class Step:
    """A question that was put, its answer, and whether each part of that is right."""

    ask: Ask
    answer: Answer
    right: tuple[bool, ...]


def draw_windows(movies: Iterable[Movie], seed: int) -> list[Movie]:
    """Return the movies with a window for each question, drawn by the question's name.

    The padding before the cause is uniform on 0 to 5, then cut at the movie's start.
    """
    return [
        replace(
            movie,
            windows={
                (kind, q.text): _draw_window(movie, kind, q, seed) for kind, q in movie.each()
            },
        )
        for movie in movies
    ]


def _draw_window(movie: Movie, kind: Kind, question: Question, seed: int) -> Window:
    rng = stream(seed, "causal2needles window", movie.name, kind, question.text)
    return Window.around(question, int(rng.integers(EXPANSION + 1)), len(movie.clips))


def asks(movies: Iterable[Movie], narration: Narration = "in_place") -> Iterator[Ask]:
    """Go through every question of every run, in the order of the files.

    Noncausal questions whose effect lies more than 21 clips behind the cause are not asked.

    Raises:
        InputError: There is no such narration, or a question has no window.
    """
    if narration not in get_args(Narration):
        known = ", ".join(get_args(Narration))
        raise InputError(f"expected narration to be one of {known}, found {narration!r}")
    every = list(movies)
    return (ask for run in RUNS for movie in every for ask in _run_movie(movie, *run, narration))


def _run_movie(movie: Movie, task: Task, order: Order, narration: Narration) -> Iterator[Ask]:
    kind = KINDS_ASKED[task]
    texts = list(movie.texts)
    before: Question | None = None
    for question in movie.questions.get(kind, ()):
        second = before is not None and _pair(before) == _pair(question)
        before = question
        if is_skipped(task, question):
            continue
        if (window := movie.windows.get((kind, question.text))) is None:
            raise InputError(
                f"{movie.name}, {kind}: expected a window for {question.text!r}, found none; draw "
                "windows with a seed and store them as windows.json"
            )
        if narration == "copy":
            texts = list(movie.texts)
        context = _narrate(texts, question)
        right = _right(task, order, question, window, second)
        yield Ask(movie, task, order, question, window, context, right)


def _pair(question: Question) -> tuple[int, int]:
    return question.cause, question.effect


def is_skipped(task: Task, question: Question) -> bool:
    """Tell whether the authors leave a question out, uncounted."""
    return task == "1needle_noncausal" and question.distance > MAX_DISTANCE


def _narrate(texts: list[str], question: Question) -> str:
    """Join the sentences; a 2-needle question first replaces its two in the list given."""
    if question.parts is None:
        return " ".join(texts)
    texts[question.cause] = question.parts.cause_text
    texts[question.effect] = question.parts.effect_text
    return " ".join(text.strip() for text in texts)


def _right(
    task: Task, order: Order, question: Question, window: Window, second: bool
) -> tuple[str, ...]:
    cause, effect = window.left + 1, window.left + question.distance + 1
    if task == "2needle_id":
        return (question.parts.image_answer if question.parts else "",)
    if task == "2needle_vg":
        if order == "reverse":
            cause, effect = len(window) - cause + 1, len(window) - effect + 1
        return str(effect), str(cause)
    return (str(effect if task == "1needle_noncausal" and second else cause),)


def frame_times_s(clip: Clip) -> tuple[float, ...]:
    """Return the times of a scene's five frames: even steps between 0.5 s inside either end.

    Of a clip under 1 s they run backwards, as in the authors' code.
    """
    begin_s, end_s = clip.begin_s + _TRIM_S, clip.end_s - _TRIM_S
    middle_s = begin_s + (end_s - begin_s) / 2
    return (
        begin_s,
        begin_s + (middle_s - begin_s) / 2,
        middle_s,
        middle_s + (end_s - middle_s) / 2,
        end_s,
    )


def frame_indices(clip: Clip, fps: float) -> tuple[int, ...]:
    """Return the indices of a scene's five frames, each time cut to a whole number.

    Raises:
        InputError: One lies before the video's start, as in a clip of 0 s to 0 s, which stands for
            a sentence without footage.
    """
    frames = tuple(int(time_s * fps) for time_s in frame_times_s(clip))
    if min(frames) < 0:
        raise InputError(
            f"expected a clip with frames at 0.5 s from either end, found {clip.begin_s:g} s to "
            f"{clip.end_s:g} s; leave out the questions whose windows hold it"
        )
    return frames


_MAX_DIGITS = 4000
_NUMBER = re.compile(r"\b\d+\b")
_PARTS = tuple(re.compile(rf"Scene (\d+) for Part {part}") for part in (1, 2))
_LETTER = re.compile(r"\b[A-D]\b|\([A-D]\)|[A-D]\.")


def names_scene(output: str, scene: str) -> bool:
    r"""Tell whether a scene's number stands anywhere in the words, as `\b` sees words.

    Example:
        >>> names_scene("Scene 3 or 4", "4"), names_scene("Scene 14", "4")
        (True, False)
    """
    return re.search(rf"\b{re.escape(scene)}\b", output) is not None


def read_scenes(output: str) -> tuple[int | None, int | None]:
    """Read the first `Scene N for Part 1` and `Scene N for Part 2`, each None if there is none.

    Example:
        >>> read_scenes("Scene 7 for Part 1 and scene 2 for Part 2.")
        (7, None)
    """
    part1, part2 = (_scene(pattern.search(output)) for pattern in _PARTS)
    return part1, part2


def _scene(match: re.Match[str] | None) -> int | None:
    """Return the number; digits beyond what an int can be read from name no scene."""
    return int(match[1]) if match and len(match[1]) <= _MAX_DIGITS else None


def read_letter(output: str) -> str | None:
    """Read the first A to D that stands alone, in brackets, or before a full stop.

    An article counts, and so does the end of a word in capitals.

    Example:
        >>> read_letter("The answer is (C)."), read_letter("A blue thing"), read_letter("b")
        ('C', 'A', None)
    """
    match = _LETTER.search(output)
    return match[0].strip("().") if match else None


def settle(ask: Ask, answer: Answer) -> Step:
    """Judge an answer by its words; without words, by its choice.

    Words that name no scene or letter at all give status `unparsed`; every status but ok is wrong.
    """
    output = answer.raw if answer.raw is not None else answer.choice
    if answer.status != "ok":
        return Step(ask, answer, (False,) * len(ask.right))
    said = read_keys(ask, output or "")
    right = tuple(key == wanted for key, wanted in zip(said, ask.right, strict=True))
    if not any(said):
        return Step(ask, replace(answer, status="unparsed"), right)
    return Step(ask, answer, right)


def read_keys(ask: Ask, output: str) -> tuple[str | None, ...]:
    """Read what words give for each part, a scene's number or a letter; None where they give none.

    To a 1-needle question they give the right scene if they name it at all, else the first.
    """
    if ask.task == "2needle_vg":
        return tuple(None if scene is None else str(scene) for scene in read_scenes(output))
    if ask.task == "2needle_id":
        return (read_letter(output),)
    named = _NUMBER.search(output)
    if named and names_scene(output, ask.right[0]):
        return ask.right
    return (named[0] if named else None,)
