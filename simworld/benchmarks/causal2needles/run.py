"""Put Causal2Needles' questions to a model, run by run, and score it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar, cast

from simworld.benchmarks.causal2needles.metrics import result
from simworld.benchmarks.causal2needles.prompts import prompt, words
from simworld.benchmarks.causal2needles.protocol import (
    LETTERS,
    Ask,
    Narration,
    asks,
    draw_windows,
    settle,
)
from simworld.benchmarks.causal2needles.schema import KINDS_ASKED, read_folder
from simworld.claims import Term
from simworld.models.base import Answer, Facet, Item, Model, Part, Span, Truth, is_told
from simworld.models.journal import Keep, Row, ask_anew
from simworld.models.payload import ClaimStore
from simworld.video import probe

NAME = "causal2needles"
_IMAGE_OPTIONS = re.compile(r"\bA[.)](.*)\bB[.)](.*)\bC[.)](.*)\bD[.)](.*)", re.DOTALL)
_STORED = {
    "1needle": ("c",),
    "1needle_noncausal": ("n",),
    "2needle_vg": ("f", "s"),
    "2needle_id": ("i",),
}
"""For each task the letters in the names of the stored questions that it is made from."""


class Causal2NeedlesRun:
    """Every question of the five runs, each run through all movies anew.

    Where the folder has no windows.json, windows are drawn with the seed; the answers say which.
    An option's key is a scene's number, two of them for two parts (`7+2`), or a letter.
    """

    FILE_NAME: ClassVar[str] = "annotations.json"
    SETTINGS: ClassVar[tuple[str, ...]] = ("narration",)

    def __init__(self, truth_path: Path, settings: Mapping[str, str], seed: int) -> None:
        """Read the folder.

        Raises:
            InputError: A file or a setting is not what it must be.
        """
        self._folder = truth_path.parent
        self._seed = seed
        self._narration = settings.get("narration", "in_place")
        movies = read_folder(self._folder)
        if not (self._folder / "windows.json").exists():
            movies = draw_windows(movies, seed)
        self.movies = movies
        self.asks = list(asks(movies, cast(Narration, self._narration)))
        self.asked = {(_question_id(ask), _mode(ask)): ask for ask in self.asks}
        self._fps = cache(self._read_fps)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, plain JSON data."""
        return {"narration": self._narration, "seed": self._seed}

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
        for done, ask in enumerate(self.asks, start=1):
            rows.append(keep(_asked(ask), partial(self._answered, ask, model, store)))
            steps.append(settle(ask, Answer(None, rows[-1]["output"], rows[-1]["status"])))
            told(done, len(self.asks))
        found = result(self.movies, steps, self._seed)
        found["settings"] = {"narration": self._narration} | found["settings"]
        return rows, found

    def _answered(self, ask: Ask, model: Model, store: ClaimStore | None) -> Row:
        answer = settle(ask, self._answer(ask, model, store)).answer
        return {"output": answer.raw, "status": answer.status}

    def _answer(self, ask: Ask, model: Model, store: ClaimStore | None) -> Answer:
        """Let a model answer, a model that sees claims one part at a time."""
        if store is None:
            return _in_words(ask, model.answer(self._item(ask, model)))
        answers = [model.answer(item) for item in self._parts(ask, model, store)]
        wrong = next((answer for answer in answers if answer.choice is None), None)
        if wrong is not None:
            return wrong
        return _in_words(ask, Answer("+".join(str(answer.choice) for answer in answers)))

    def _item(self, ask: Ask, model: Model) -> Item:
        question = ask.question.text
        if ask.task == "2needle_id" and ask.question.parts:
            question = ask.question.parts.image_question
        mode = _mode(ask)
        return Item(
            benchmark=NAME,
            question_id=_question_id(ask),
            mode=mode,
            prompt=prompt(ask),
            question=question,
            options=options(ask),
            video=self._video(ask.movie.name),
            shown=self._shown(ask),
            previous_id=None,
            seed=(self._seed, NAME, ask.movie.name, mode, ask.question.text),
            truth=_truth(ask) if is_told(model) else None,
            captions=tuple(ask.movie.texts[clip] for clip in ask.shown),
        )

    def _parts(self, ask: Ask, model: Model, store: ClaimStore) -> list[Item]:
        """Return an item for each scene or letter that is asked for, with its options' claims.

        Stored options are named by the numbers of scene spans, which count from 1; models are
        handed claims on scenes by their place among those shown.
        """
        item = self._item(ask, model)
        items = []
        for name, letter in zip(stored_ids(ask), _STORED[ask.task], strict=True):
            claims, options = store.claims(name, item.question_id), item.options
            if ask.task != "2needle_id":
                places = {str(clip + 1): str(n) for n, clip in enumerate(ask.shown, start=1)}
                numbered = {
                    place: _renumbered(claims.options[scene], places)
                    for scene, place in places.items()
                }
                claims, options = replace(claims, options=numbered), _scenes(ask)
            seed = (*item.seed, letter)
            items.append(replace(item, options=options, claims=claims, seed=seed))
        return items

    def _shown(self, ask: Ask) -> tuple[Span, ...]:
        """Return the frames of each scene in the order shown; none if there is no video."""
        fps = self._fps(ask.movie.name)
        if fps is None:
            return ()
        clips = [ask.movie.clips[index] for index in ask.shown]
        return tuple(
            Span(number, round(clip.begin_s * fps), round(clip.end_s * fps))
            for number, clip in enumerate(clips, start=1)
        )

    def _video(self, movie: str) -> Path:
        return self._folder / "videos" / f"{movie}.mp4"

    def _read_fps(self, movie: str) -> float | None:
        path = self._video(movie)
        return float(probe(path).fps) if path.is_file() else None


def _renumbered(claim: Term, places: Mapping[str, str]) -> Term:
    """Give the scenes that a claim names their places among those shown.

    Example:
        >>> from simworld.claims import parse
        >>> str(_renumbered(parse("and(cause(push, fall), starts(push, 5))"), {"5": "3"}))
        'and(cause(push, fall), starts(push, 3))'
    """
    match claim:
        case Term("starts", (event, Term(scene, ()))):
            return Term("starts", (event, Term(places.get(scene, scene))))
    return Term(claim.head, tuple(_renumbered(part, places) for part in claim.args))


def _question_id(ask: Ask) -> str:
    return f"{ask.movie.name}/{ask.question.text}"


def _mode(ask: Ask) -> str:
    return f"{ask.task}_{ask.order}"


def stored_ids(ask: Ask) -> tuple[str, ...]:
    """Return the ids in questions.jsonl of what is asked for, part by part.

    Stored questions are named by the movie and their place in its file.
    """
    place = ask.movie.questions[KINDS_ASKED[ask.task]].index(ask.question) + 1
    return tuple(f"{NAME}-{ask.movie.movie_id}-{letter}{place}" for letter in _STORED[ask.task])


def _scenes(ask: Ask) -> dict[str, str]:
    return {str(number): f"Scene {number}" for number in range(1, len(ask.window) + 1)}


def options(ask: Ask) -> dict[str, str]:
    """Return every answer that can be given, by its key."""
    if ask.task == "2needle_id":
        return _image_options(ask)
    scenes = _scenes(ask)
    if ask.task == "2needle_vg":
        return {f"{a}+{b}": words(ask, (a, b)) for a in scenes for b in scenes}
    return scenes


def _image_options(ask: Ask) -> dict[str, str]:
    """Return the four options that stand in an image question; the bare letters if none do."""
    found = _IMAGE_OPTIONS.search(ask.question.parts.image_question if ask.question.parts else "")
    texts = [text.strip() for text in found.groups()] if found else LETTERS
    return dict(zip(LETTERS, texts, strict=True))


def _in_words(ask: Ask, answer: Answer) -> Answer:
    """Word the key that a model without words chose, as the prompt wants it."""
    if answer.raw is not None or answer.choice is None:
        return answer
    return replace(answer, raw=words(ask, answer.choice.split("+")))


def _truth(ask: Ask) -> Truth:
    """Say what is right: to find an effect, or what is named, takes eyes; to find a cause, more."""
    facets: tuple[Facet, ...] = ("answer",)
    if ask.task == "2needle_vg":
        facets = ("evidence", "answer")
    elif ask.task == "1needle_noncausal":
        facets = ("evidence",)
    keys = LETTERS if ask.task == "2needle_id" else tuple(_scenes(ask))
    cause_s, effect_s = (
        (clip.begin_s, clip.end_s)
        for clip in (ask.movie.clips[ask.question.cause], ask.movie.clips[ask.question.effect])
    )
    return Truth(
        "+".join(ask.right),
        words(ask, ask.right),
        tuple(Part(facet, right, keys) for facet, right in zip(facets, ask.right, strict=True)),
        cause_s=cause_s,
        effect_s=effect_s,
    )


def _asked(ask: Ask) -> Row:
    """Return what a predictions row says of the question, with the clips that were shown."""
    return {
        "video": ask.movie.name,
        "task": ask.task,
        "order": ask.order,
        "question": ask.question.text,
        "shown_clips": list(ask.shown),
    }
