"""What our own Causal2Needles files promise beyond the format; write and audit hold them to it."""

import re
import reprlib
from collections.abc import Iterable
from itertools import groupby

from simworld.benchmarks.causal2needles.schema import MAX_DISTANCE, Movie, TwoParts
from simworld.errors import InputError

MIN_DISTANCE = 3
"""Least effect index minus cause index."""
MIN_CLIP_S = 2.0
"""Readers trim 0.5 s at either end; of a shorter clip less than 1 s would be left to show."""

_OPTIONS = re.compile(r"\bA[.)].*\bB[.)].*\bC[.)].*\bD[.)]", re.DOTALL)


def check_written(movies: Iterable[Movie]) -> None:
    """Demand of our own files what the format leaves open, so that every reader reads them alike.

    The source is `yms`, whose folder and annotation key agree; each clip has a sentence and lasts
    MIN_CLIP_S or more; effects lie MIN_DISTANCE to MAX_DISTANCE clips after their causes; noncausal
    questions come in twos with one pair, about the cause and then the effect; image questions name
    their options and one of them is right; every question has a window.

    Raises:
        InputError: Something is not so; the message names the first such place.
    """
    for movie in movies:
        where = f"movie {movie.name}"
        _expect(movie.source == "yms", where, "the source yms", repr(movie.source))
        _check_clips(movie, where)
        for kind, question in movie.each():
            there = f"{where}, {kind}, question {reprlib.repr(question.text)}"
            _expect(
                MIN_DISTANCE <= question.distance <= MAX_DISTANCE,
                there,
                f"an effect {MIN_DISTANCE} to {MAX_DISTANCE} clips after its cause",
                f"{question.distance}",
            )
            _expect((kind, question.text) in movie.windows, there, "a window", "none")
            if question.parts is not None:
                _check_image(question.parts, there)
        pairs = [(q.cause, q.effect) for q in movie.questions.get("1needle_noncausal", ())]
        for pair, run in groupby(pairs):
            _expect(
                (count := len(list(run))) == 2,
                f"{where}, 1needle_noncausal",
                f"two questions in a row with the pair {list(pair)}, on the cause then the effect",
                f"{count}",
            )


def _check_clips(movie: Movie, where: str) -> None:
    clips, texts = len(movie.clips), len(movie.texts)
    _expect(clips == texts, where, "a sentence for each clip", f"{texts} for {clips} clips")
    for number, (clip, text) in enumerate(zip(movie.clips, movie.texts, strict=True)):
        _expect(bool(text.strip()), f"{where}, clip {number}", "a sentence", repr(text))
        _expect(
            clip.begin_s >= 0 and clip.end_s - clip.begin_s >= MIN_CLIP_S - 1e-6,
            f"{where}, clip {number}",
            f"{MIN_CLIP_S:g} s or more, from 0 s on",
            f"{clip.begin_s:g} s to {clip.end_s:g} s",
        )


def _check_image(parts: TwoParts, where: str) -> None:
    _expect(parts.image_answer in set("ABCD"), where, "an answer A to D", repr(parts.image_answer))
    found = reprlib.repr(parts.image_question)
    named = _OPTIONS.search(parts.image_question) is not None
    _expect(named, where, "options A to D inside the image question", found)


def _expect(condition: bool, where: str, expected: str, found: str) -> None:
    if not condition:
        raise InputError(f"{where}: expected {expected}, found {found}; mend what writes it")
