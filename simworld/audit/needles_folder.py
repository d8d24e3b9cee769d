"""What Causal2Needles' folder must say of a suite's questions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from simworld.audit.ask_causalstep import check_video_files
from simworld.audit.ask_needles import (
    CAUSAL,
    NONCAUSAL,
    PARTS,
    by_spans,
    evidence_of,
    pair_of,
    span_of,
)
from simworld.audit.clips import Known
from simworld.audit.report import Findings
from simworld.benchmarks.causal2needles.protocol import draw_windows
from simworld.benchmarks.causal2needles.schema import (
    Clip,
    Movie,
    Question,
    TwoParts,
    read_folder,
)
from simworld.benchmarks.causal2needles.written import check_written
from simworld.claims import parse
from simworld.clock import seconds_of_frame
from simworld.qa.claims import decide
from simworld.store import Suite, read_json

FOLDER = "benchmarks/causal2needles"
ANNOTATIONS = f"{FOLDER}/annotations.json"
SOURCE = "yms"
Record = Mapping[str, Any]


def expected_movie(known: Known, rows: Sequence[Record]) -> Movie:
    """Return what the benchmark's folder must say of a clip, but for the windows."""
    cut, fps = by_spans(known), known.file.video.fps
    by_kind: dict[str, list[Record]] = {}
    for row in sorted(rows, key=lambda row: int(row["segment"])):
        by_kind.setdefault(row["kind"], []).append(row)
    three = zip(*(by_kind.get(kind, []) for kind in PARTS), strict=False)
    frames = [(span["start_frame"], span["stop_frame"]) for span in known.spans]
    return Movie(
        SOURCE,
        f"{rows[0]['video']:04d}",
        tuple(Clip(*(round(seconds_of_frame(frame, fps), 6) for frame in ends)) for ends in frames),
        tuple(span["description"] for span in known.spans),
        {
            "1needle": tuple(_one_needle(cut, row) for row in by_kind.get(CAUSAL, [])),
            "1needle_noncausal": tuple(_one_needle(cut, r) for r in by_kind.get(NONCAUSAL, [])),
            "2needle": tuple(_two_needles(cut, *parts) for parts in three),
        },
    )


def _one_needle(known: Known, row: Record) -> Question:
    cause, effect = (span_of(known, event) - 1 for event in pair_of(row))
    return Question(row["question"], cause, effect)


def _two_needles(known: Known, first: Record, second: Record, image: Record) -> Question:
    one, other = str(first["question"]), str(second["question"])
    told = [item["rationale"] for item in evidence_of(known, image)]
    options = [f"{option['key']}. {option['text']}" for option in image["options"]]
    asked = " ".join([image["question"], *options])
    [right] = (o["key"] for o in image["options"] if decide(parse(o["claim"]), known.facts))
    text = f"{one.removesuffix('?')}, and {other[0].lower()}{other[1:]}"
    parts = TwoParts(told[0], told[1], asked, right, one, other)
    return dataclasses.replace(_one_needle(known, image), text=text, parts=parts)


def check_file(suite: Suite, seed: int, expected: Mapping[str, Movie], findings: Findings) -> None:
    """Compare the benchmark's folder with what it must hold, by clip; windows come of the seed."""
    if not expected and not (suite.folder / FOLDER).exists():
        return
    with findings.reading("Causal2Needles' folder", FOLDER):
        stored = {movie.name: movie for movie in read_folder(suite.folder / FOLDER)}
        movies = {movie.name: movie for movie in draw_windows(expected.values(), seed)}
        findings.expect("Causal2Needles' movies", FOLDER, sorted(movies), sorted(stored))
        clips = {f"videos/{movie.name}.mp4": clip for clip, movie in expected.items()}
        check_video_files(suite, FOLDER, clips, findings)
        annotations = read_json(suite.folder / ANNOTATIONS)
        claim = "movies that are annotated"
        ids = {SOURCE: sorted(movie.movie_id for movie in movies.values())}
        found = {source: sorted(annotated) for source, annotated in annotations.items()}
        findings.expect(claim, ANNOTATIONS, ids, found)
        for name in sorted(movies.keys() & stored.keys()):
            findings.counts["benchmark videos"] += 1
            movie = movies[name]
            _compare_annotations(movie, annotations[SOURCE][movie.movie_id], findings)
            _compare_questions(movie, stored[name], findings)
        check_written(stored.values())


def _compare_annotations(movie: Movie, found: Record, findings: Findings) -> None:
    """Compare every scene's times and sentence, those that our reader passes over as well."""
    who = f"causal2needles {movie.name}"
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
    claims = [f"{who}: scene {number}" for number in range(1, len(rows) + 1)]
    findings.expect_rows(claims, ANNOTATIONS, rows, found["annotations"])
    findings.expect(f"{who}: sentences", ANNOTATIONS, list(movie.texts), found["texts"])


def _compare_questions(movie: Movie, found: Movie, findings: Findings) -> None:
    who = f"causal2needles {movie.name}"
    for kind, questions in movie.questions.items():
        where = f"{FOLDER}/questions/{movie.source}/{kind}/{movie.movie_id}.json"
        asked = [dataclasses.asdict(question) for question in questions]
        stored = [dataclasses.asdict(question) for question in found.questions.get(kind, ())]
        claims = [f"{who}: {kind} {number}" for number in range(1, len(asked) + 1)]
        findings.expect_rows(claims, where, asked, stored)
        for claim, question in zip(claims, questions, strict=True):
            key = kind, question.text
            window, other = movie.windows[key], found.windows.get(key)
            findings.expect(f"{claim}: window", f"{FOLDER}/windows.json", window, other)
