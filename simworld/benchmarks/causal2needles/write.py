"""Write Causal2Needles' folder from a suite's stored files, videos included."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simworld.benchmarks.causal2needles.protocol import draw_windows
from simworld.benchmarks.causal2needles.schema import (
    KINDS,
    Clip,
    Kind,
    Movie,
    Question,
    TwoParts,
    read_folder,
    windows_document,
)
from simworld.benchmarks.causal2needles.written import check_written
from simworld.errors import CheckError
from simworld.store import Suite, link_file, write_json, write_text

NAME = "causal2needles"
SOURCE = "yms"
"""Of the benchmark's two sources the one whose folder and annotation key agree."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WriteCounts:
    """What was written."""

    videos: int
    questions: int


def write(folder: Path) -> WriteCounts:
    """Write `benchmarks/causal2needles/` into a suite, read it back and compare.

    Only clips with questions are written; nothing in the files tells which clip a video is. The
    windows are drawn with the recipe's seed. Without any such clip nothing is written.

    Args:
        folder: The suite, with recipe.json, questions.jsonl and clips/.

    Raises:
        InputError: A stored file is missing or is not what it must be.
        CheckError: What is read back is not what was written.
    """
    suite = Suite(folder)
    asked: dict[str, list[Row]] = {}
    for row in suite.questions():
        if row["benchmark"] == NAME:
            asked.setdefault(row["clip"], []).append(row)
    if not asked:
        return WriteCounts(0, 0)
    clips = sorted(asked, key=lambda clip: asked[clip][0]["video"])
    movies = [movie_of(suite, clip, asked[clip]) for clip in clips]
    movies = draw_windows(movies, suite.recipe["seed"])
    check_written(movies)
    target = folder / "benchmarks" / NAME
    for movie, clip in zip(movies, clips, strict=True):
        link_file(suite.clip(clip) / "video.mp4", target / f"videos/{movie.name}.mp4")
    write_movies(target, movies)
    if read_folder(target) != movies:
        raise CheckError(f"expected to read back from {target} what was written, found otherwise")
    return WriteCounts(len(movies), sum(1 for movie in movies for _ in movie.each()))


def movie_of(suite: Suite, clip: str, rows: Sequence[Row]) -> Movie:
    """Return a clip as a movie, without windows."""
    spans, fps = suite.spans(clip), suite.truth(clip)["video"]["fps"]
    return Movie(
        SOURCE,
        f"{rows[0]['video']:04d}",
        tuple(
            Clip(round(span["start_frame"] / fps, 6), round(span["stop_frame"] / fps, 6))
            for span in spans
        ),
        tuple(span["description"] for span in spans),
        {
            "1needle": _one_needle("causal_1needle", rows, spans),
            "1needle_noncausal": _one_needle("noncausal_1needle", rows, spans),
            "2needle": _two_needles(rows, spans),
        },
    )


def _one_needle(kind: str, rows: Sequence[Row], spans: Sequence[Row]) -> tuple[Question, ...]:
    mine = sorted((row for row in rows if row["kind"] == kind), key=lambda row: row["segment"])
    return tuple(Question(row["question"], *_pair(row, spans)) for row in mine)


def _two_needles(rows: Sequence[Row], spans: Sequence[Row]) -> tuple[Question, ...]:
    """Put the rows that have a number together: two parts, and an image question."""
    entries: dict[int, dict[str, Row]] = {}
    for row in rows:
        entries.setdefault(row["segment"], {})[row["kind"]] = row
    return tuple(
        _two_parts(entries[number], spans)
        for number in sorted(entries)
        if "image" in entries[number]
    )


def _two_parts(entry: Mapping[str, Row], spans: Sequence[Row]) -> Question:
    first, second, image = (entry[kind] for kind in ("first_part", "second_part", "image"))
    cause, effect = (evidence["rationale"] for evidence in image["evidence"])
    options = " ".join(f"{option['key']}. {option['text']}" for option in image["options"])
    part1, part2 = first["question"], second["question"]
    parts = TwoParts(
        cause_text=cause,
        effect_text=effect,
        image_question=f"{image['question']} {options}",
        image_answer=image["answer"],
        part1=part1,
        part2=part2,
    )
    joined = f"{part1.removesuffix('?')}, and {part2[0].lower()}{part2[1:]}"
    return Question(joined, *_pair(image, spans), parts)


def _pair(row: Row, spans: Sequence[Row]) -> tuple[int, int]:
    """Return the indices of the spans in which cause and effect begin, from 0."""
    cause, effect = (
        next(
            index
            for index, span in enumerate(spans)
            if span["start_frame"] <= evidence["start_frame"] < span["stop_frame"]
        )
        for evidence in row["evidence"]
    )
    return cause, effect


def write_movies(target: Path, movies: Sequence[Movie]) -> None:
    """Write all files of the folder but the videos; question files keep their order."""
    write_json(
        target / "annotations.json",
        {SOURCE: {movie.movie_id: _annotations(movie) for movie in movies}},
    )
    for movie in movies:
        for kind in KINDS:
            entries = {q.text: _slots(q) for q in movie.questions.get(kind, ())}
            write_text(_question_path(target, movie, kind), json.dumps(entries, indent=1) + "\n")
    write_json(target / "windows.json", windows_document(movies))


def _question_path(target: Path, movie: Movie, kind: Kind) -> Path:
    return target / "questions" / movie.source / kind / f"{movie.movie_id}.json"


def _annotations(movie: Movie) -> dict[str, Any]:
    rows = [
        {
            "id": movie.movie_id,
            "begin_time": clip.begin_s,
            "end_time": clip.end_s,
            "matched": "yes",
            "text": text,
        }
        for clip, text in zip(movie.clips, movie.texts, strict=True)
    ]
    return {"annotations": rows, "texts": list(movie.texts)}


def _slots(question: Question) -> list[list[int] | list[str]]:
    """Return a question's positional entry."""
    pair = [question.cause, question.effect]
    parts = question.parts
    if parts is None:
        return [pair]
    return [
        pair,
        [parts.cause_text, parts.effect_text],
        [parts.image_question, parts.image_answer],
        [parts.part1, parts.part2],
    ]
