"""What Causal2Needles' questions ask, and what its folder must say of them.

An option stands for a scene span. In which span a question's answer lies is found out over all
events that begin in a span that can be shown, whatever the options speak of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from simworld.audit import evidence
from simworld.audit.ask_causalstep import check_text, check_video_files
from simworld.audit.clips import Known
from simworld.audit.report import Findings
from simworld.benchmarks.causal2needles.protocol import LETTERS, draw_windows
from simworld.benchmarks.causal2needles.schema import (
    EXPANSION,
    MAX_DISTANCE,
    Clip,
    Movie,
    Question,
    TwoParts,
    read_folder,
)
from simworld.benchmarks.causal2needles.written import MIN_DISTANCE, check_written
from simworld.claims import Term, parse
from simworld.clock import seconds_of_frame
from simworld.errors import CheckError
from simworld.qa import wording
from simworld.qa.claims import decide
from simworld.store import Suite, read_json

WHERE = "questions.jsonl"
FOLDER = "benchmarks/causal2needles"
ANNOTATIONS = f"{FOLDER}/annotations.json"
SOURCE = "yms"
NONCAUSAL, CAUSAL = "noncausal_1needle", "causal_1needle"
FIRST, SECOND, IMAGE = PARTS = ("first_part", "second_part", "image")
Record = Mapping[str, Any]


def by_spans(known: Known) -> Known:
    """Cut the clip into its scene spans, so that claims number these."""
    frames = {span["index"]: (span["start_frame"], span["stop_frame"]) for span in known.spans}
    facts = dataclasses.replace(known.facts, segments=frames)
    return dataclasses.replace(known, segments=known.spans, facts=facts)


def texts(known: Known, row: Record, option: Record, claim: Term) -> Sequence[str]:
    """Return the texts that an option may have: of a scene, the sentence on it."""
    if row["kind"] == IMAGE:
        return wording.phrasings(claim, known.file.scene, known.facts.values)
    numbered = {str(span["index"]): span["description"] for span in known.spans}
    return (numbered[option["key"]],)


def is_right_kind(known: Known, row: Record, kind: str, claim: Term) -> bool:
    """Tell whether a false option's claim is of its kind; all are taken for another time."""
    return kind == "temporal_confusion"


def check_all(known: Known, questions: Sequence[Record], findings: Findings) -> None:
    """Check that questions are numbered by kind, and those that belong together have one pair."""
    by_kind: dict[str, list[Record]] = {}
    for row in questions:
        by_kind.setdefault(row["kind"], []).append(row)
    clip = known.file.clip
    for kind, rows in by_kind.items():
        numbers = [row["segment"] for row in rows]
        claim = f"{clip}: numbers of {kind}"
        findings.expect(claim, WHERE, list(range(1, len(rows) + 1)), numbers)
    beginnings = by_kind.get(NONCAUSAL, [])
    findings.expect(f"{clip}: {NONCAUSAL} in twos", WHERE, 0, len(beginnings) % 2)
    together = list(zip(beginnings[::2], beginnings[1::2], strict=False))
    parts = [by_kind.get(kind, []) for kind in PARTS]
    counts = [len(rows) for rows in parts]
    findings.expect(f"{clip}: a part 1, a part 2, an image each", WHERE, counts[:1] * 3, counts)
    for three in zip(*parts, strict=False):
        together += pairwise(three)
        first, image = three[0], three[2]
        claim = f"{image['question_id']}: asks as {first['question_id']} does"
        begins = image["question"].startswith(f"{first['question']} ")
        findings.expect(claim, WHERE, True, begins)
    for one, other in together:
        claim = f"{other['question_id']}: evidence of {one['question_id']}"
        findings.expect(claim, WHERE, one["evidence"], other["evidence"])


def check(known: Known, row: Record, findings: Findings) -> None:
    """Check what one question asks, its options' keys, its right scene and its evidence."""
    name, (cause, effect) = row["question_id"], _pair(row)
    one, other = _span_of(known, cause), _span_of(known, effect)
    is_cause = decide(Term("cause", (Term(cause), Term(effect))), known.facts)
    findings.expect(f"{name}: {cause} is a cause of {effect}", WHERE, True, is_cause)
    apart = MIN_DISTANCE <= other - one <= MAX_DISTANCE
    claim = f"{name}: scenes from cause to effect"
    if not apart:
        findings.fail(claim, WHERE, f"{MIN_DISTANCE} to {MAX_DISTANCE}", other - one)
    check_text(name, row, _questions(known, row), findings)
    rows = _evidence(known, row)
    claims = [f"{name}: evidence {number}" for number in range(1, len(rows) + 1)]
    findings.expect_rows(claims, WHERE, rows, row["evidence"])
    keys = [option["key"] for option in row["options"]]
    if row["kind"] == IMAGE:
        findings.expect(f"{name}: letters", WHERE, list(LETTERS), keys)
        _check_images(known, row, findings)
        return
    shown = _shown(known, row)
    findings.expect(f"{name}: scenes", WHERE, [str(number) for number in shown], keys)
    right = sorted({_span_of(known, event) for event in _answers(known, row)})
    target = _span_of(known, effect if _asks_for_effect(row) else cause)
    findings.expect(f"{name}: scenes that answer it", WHERE, [target], right)
    findings.expect(f"{name}: right scene", WHERE, str(target), row["answer"])
    for option in row["options"]:
        claim, number = str(parse(option["claim"])), Term(option["key"])
        if claim not in _claims(known, row, number):
            expected = f"a claim on what begins in scene {number} and answers the question"
            findings.fail(f"{name}: option {number}: claim", WHERE, expected, claim)


def _check_images(known: Known, row: Record, findings: Findings) -> None:
    """Check that all speak of the cause's scene, the wrong ones of what is shown after it."""
    name, (cause, effect) = row["question_id"], _pair(row)
    one, other = _span_of(known, cause), _span_of(known, effect)
    for option in row["options"]:
        term, claim = parse(option["claim"]), f"{name}: option {option['key']}: shown in scenes"
        match term:
            case Term("happens", (Term(event, ()), Term(number, ()))) if number == str(one):
                begins = _span_of(known, event)
                fits = begins == one if option["right"] else one < begins <= other
                if not fits or event == cause:
                    expected = one if option["right"] else f"{one + 1} to {other}"
                    findings.fail(claim, WHERE, f"{expected}, and not the cause", term)
            case _:
                findings.fail(claim, WHERE, f"what happens in scene {one}", term)


def _pair(row: Record) -> tuple[str, str]:
    """Return the cause and the effect: what the evidence shows, in this order."""
    cause, effect = (str(item["event"]) for item in row["evidence"])
    return cause, effect


def _span_of(known: Known, event: str) -> int:
    """Return the number of the scene span in which an event begins."""
    when = known.facts.events[event]
    if when is None:
        raise CheckError(f"{event} did not happen")
    [number] = (
        index
        for index, (start, stop) in known.facts.segments.items()
        if start <= when.start_frame < stop
    )
    return number


def _shown(known: Known, row: Record) -> list[int]:
    """Return the numbers of all spans that a window around the pair can show."""
    one, other = (_span_of(known, event) for event in _pair(row))
    return [n for n in known.facts.segments if one - EXPANSION <= n <= other + EXPANSION]


def _asks_for_effect(row: Record) -> bool:
    is_second = int(row["segment"]) % 2 == 0
    return row["kind"] == FIRST or (row["kind"] == NONCAUSAL and is_second)


def _participants(known: Known, event: str) -> Sequence[str]:
    [found] = (row["participants"] for row in known.events if row["variable"] == event)
    return list(found)


def _color(known: Known, row: Record) -> str:
    """Return the colour of what acts in the cause."""
    return known.facts.colors[_participants(known, _pair(row)[0])[0]]


def _made(known: Known, row: Record) -> str:
    """Return the first event, in causal order, of which the effect is the direct trigger."""
    _, effect = _pair(row)
    for name, when in known.facts.events.items():
        relation = known.facts.relations.get((effect, name))
        is_direct = relation and (relation.role, relation.directness) == ("trigger", "direct")
        if is_direct and when is not None:
            return name
    raise CheckError(f"{effect} is proven the direct trigger of nothing")


def _answers(known: Known, row: Record) -> set[str]:
    """Return all events that answer a question and begin in a span that can be shown."""
    shown, (cause, effect) = _shown(known, row), _pair(row)
    happened = [name for name, when in known.facts.events.items() if when is not None]
    events = [name for name in happened if _span_of(known, name) in shown]
    if row["kind"] == NONCAUSAL:
        return {effect if _asks_for_effect(row) else cause}
    if row["kind"] == FIRST:
        made = _made(known, row)
        terms = {name: Term("trigger", (Term(name), Term(made))) for name in events if name != made}
    else:
        color, colors = _color(known, row), known.facts.colors
        terms = {
            name: Term("cause", (Term(name), Term(effect)))
            for name in events
            if name != effect
            and color in {colors.get(thing) for thing in _participants(known, name)}
        }
    return {name for name, term in terms.items() if decide(term, known.facts)}


def _claims(known: Known, row: Record, number: Term) -> set[str]:
    """Return all that may be claimed of a scene: that an event begins there and is the answer."""
    cause, effect = _pair(row)
    happened = [name for name, when in known.facts.events.items() if when is not None]
    starts = {name: Term("starts", (Term(name), number)) for name in happened}
    if row["kind"] == NONCAUSAL:
        return {str(starts[effect if _asks_for_effect(row) else cause])}
    if row["kind"] == FIRST:
        made = Term(_made(known, row))
        return {
            str(Term("and", (Term("trigger", (Term(name), made)), begins)))
            for name, begins in starts.items()
        }
    color = Term(_color(known, row))
    return {
        str(Term("and", (Term("=", (Term("color", (Term(thing),)), color)), is_cause)))
        for name, begins in starts.items()
        for is_cause in [Term("and", (Term("cause", (Term(name), Term(effect))), begins))]
        for thing in _participants(known, name)
    }


def _questions(known: Known, row: Record) -> list[str]:
    """Return every way to ask a question."""
    (cause, effect), scene, values = _pair(row), known.file.scene, known.facts.values
    match row["kind"]:
        case "noncausal_1needle":
            event = effect if _asks_for_effect(row) else cause
            return list(wording.start_questions(event, scene, values))
        case "causal_1needle":
            return list(wording.help_start_questions(_color(known, row), effect, scene, values))
        case "first_part":
            return list(wording.made_start_questions(_made(known, row), scene, values))
        case "second_part":
            return list(wording.that_start_questions(_color(known, row)))
        case "image":
            firsts = wording.made_start_questions(_made(known, row), scene, values)
            seen = wording.seen_there_questions(_color(known, row))
            return [f"{first} {text}" for first in firsts for text in seen]
    raise CheckError(f"expected a kind of Causal2Needles' questions, found {row['kind']!r}")


def _evidence(known: Known, row: Record) -> list[dict[str, Any]]:
    """Return the evidence; that of two parts tells the scene, and what links cause and effect."""
    cause, effect = _pair(row)
    rows = [evidence.of_variable(known, event) for event in (cause, effect)]
    if row["kind"] in PARTS:
        scene, values = known.file.scene, known.facts.values
        links = (
            wording.helped_to_make(cause, effect, scene, values),
            wording.directly_made(effect, _made(known, row), scene, values),
        )
        for item, link in zip(rows, links, strict=True):
            span = known.spans[_span_of(known, item["event"]) - 1]
            item["rationale"] = f"{span['description']} {link}"
    return rows


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
    cause, effect = (_span_of(known, event) - 1 for event in _pair(row))
    return Question(row["question"], cause, effect)


def _two_needles(known: Known, first: Record, second: Record, image: Record) -> Question:
    one, other = str(first["question"]), str(second["question"])
    told = [item["rationale"] for item in _evidence(known, image)]
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
