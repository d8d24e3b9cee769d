"""What Causal2Needles' questions ask.

An option stands for a scene span. In which span a question's answer lies is found out over all
events that begin in a span that can be shown, whatever the options speak of.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from simworld.audit import evidence
from simworld.audit.ask_causalstep import check_text
from simworld.audit.clips import Known
from simworld.audit.report import Findings
from simworld.benchmarks.causal2needles.protocol import LETTERS
from simworld.benchmarks.causal2needles.schema import EXPANSION, MAX_DISTANCE
from simworld.benchmarks.causal2needles.written import MIN_DISTANCE
from simworld.claims import Term, parse
from simworld.errors import CheckError
from simworld.qa import wording
from simworld.qa.claims import decide
from simworld.words import MATERIALS

WHERE = "questions.jsonl"
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
    name, (cause, effect) = row["question_id"], pair_of(row)
    one, other = span_of(known, cause), span_of(known, effect)
    is_cause = decide(Term("cause", (Term(cause), Term(effect))), known.facts)
    findings.expect(f"{name}: {cause} is a cause of {effect}", WHERE, True, is_cause)
    apart = MIN_DISTANCE <= other - one <= MAX_DISTANCE
    claim = f"{name}: scenes from cause to effect"
    if not apart:
        findings.fail(claim, WHERE, f"{MIN_DISTANCE} to {MAX_DISTANCE}", other - one)
    check_text(name, row, _questions(known, row), findings)
    _check_words(known, row, findings)
    rows = evidence_of(known, row)
    claims = [f"{name}: evidence {number}" for number in range(1, len(rows) + 1)]
    findings.expect_rows(claims, WHERE, rows, row["evidence"])
    keys = [option["key"] for option in row["options"]]
    if row["kind"] == IMAGE:
        findings.expect(f"{name}: letters", WHERE, list(LETTERS), keys)
        _check_images(known, row, findings)
        return
    shown = _shown(known, row)
    findings.expect(f"{name}: scenes", WHERE, [str(number) for number in shown], keys)
    right = sorted({span_of(known, event) for event in _answers(known, row)})
    target = span_of(known, effect if _asks_for_effect(row) else cause)
    findings.expect(f"{name}: scenes that answer it", WHERE, [target], right)
    findings.expect(f"{name}: right scene", WHERE, str(target), row["answer"])
    for option in row["options"]:
        claim, number = str(parse(option["claim"])), Term(option["key"])
        if claim not in _claims(known, row, number):
            expected = f"a claim on what begins in scene {number} and answers the question"
            findings.fail(f"{name}: option {number}: claim", WHERE, expected, claim)


def _check_words(known: Known, row: Record, findings: Findings) -> None:
    """Check that nothing else that happened is said in the words that the question says it in."""
    cause, effect = pair_of(row)
    spoken = {NONCAUSAL: (cause, effect), CAUSAL: (effect,)}.get(row["kind"], ())
    for event in spoken or (_made(known, row),):
        same = [name for name in _happened(known) if _words(known, name) & _words(known, event)]
        findings.expect(f"{row['question_id']}: said of {event} alone", WHERE, [event], same)


def _happened(known: Known) -> list[str]:
    return [name for name, when in known.facts.events.items() if when is not None]


def _words(known: Known, event: str) -> set[str]:
    phrase = known.file.scene.phrase(event, known.facts.values)
    return {phrase.past, *phrase.also}


def _check_images(known: Known, row: Record, findings: Findings) -> None:
    """Check that all speak of the cause's scene, the wrong ones of what is shown after it."""
    name, (cause, effect) = row["question_id"], pair_of(row)
    one, other = span_of(known, cause), span_of(known, effect)
    said: set[str] = set()
    for option in row["options"]:
        term, claim = parse(option["claim"]), f"{name}: option {option['key']}: shown in scenes"
        match term:
            case Term("happens", (Term(event, ()), Term(number, ()))) if number == str(one):
                begins = span_of(known, event)
                fits = begins == one if option["right"] else one < begins <= other
                seen = {text for e in _happened(known) if span_of(known, e) == one
                        for text in _words(known, e)}  # fmt: skip
                if not option["right"] and seen & _words(known, event):
                    findings.fail(claim, WHERE, "what nothing in that scene is said as", term)
                if not fits or event == cause:
                    expected = one if option["right"] else f"{one + 1} to {other}"
                    findings.fail(claim, WHERE, f"{expected}, and not the cause", term)
                if said & _words(known, event):
                    findings.fail(claim, WHERE, "what no other option says in other words", term)
                said |= _words(known, event)
            case _:
                findings.fail(claim, WHERE, f"what happens in scene {one}", term)


def pair_of(row: Record) -> tuple[str, str]:
    """Return the cause and the effect: what the evidence shows, in this order."""
    cause, effect = (str(item["event"]) for item in row["evidence"])
    return cause, effect


def span_of(known: Known, event: str) -> int:
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
    one, other = (span_of(known, event) for event in pair_of(row))
    return [n for n in known.facts.segments if one - EXPANSION <= n <= other + EXPANSION]


def _asks_for_effect(row: Record) -> bool:
    is_second = int(row["segment"]) % 2 == 0
    return row["kind"] == FIRST or (row["kind"] == NONCAUSAL and is_second)


def _participants(known: Known, event: str) -> Sequence[str]:
    [found] = (row["participants"] for row in known.events if row["variable"] == event)
    return list(found)


def _color(known: Known, row: Record) -> str:
    """Return the colour of what acts in the cause."""
    color = known.facts.colors[_participants(known, pair_of(row)[0])[0]]
    if color in MATERIALS:
        raise CheckError(f"{color} is no word for a colour")
    return color


def _made(known: Known, row: Record) -> str:
    """Return the first event, in causal order, of which the effect is the direct trigger."""
    _, effect = pair_of(row)
    for name, when in known.facts.events.items():
        relation = known.facts.relations.get((effect, name))
        is_direct = relation and (relation.role, relation.directness) == ("trigger", "direct")
        if is_direct and when is not None:
            return name
    raise CheckError(f"{effect} is proven the direct trigger of nothing")


def _answers(known: Known, row: Record) -> set[str]:
    """Return all events that answer a question and begin in a span that can be shown."""
    shown, (cause, effect) = _shown(known, row), pair_of(row)
    events = [name for name in _happened(known) if span_of(known, name) in shown]
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
    cause, effect = pair_of(row)
    starts = {name: Term("starts", (Term(name), number)) for name in _happened(known)}
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
    (cause, effect), scene, values = pair_of(row), known.file.scene, known.facts.values
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


def evidence_of(known: Known, row: Record) -> list[dict[str, Any]]:
    """Return the evidence; that of two parts tells the scene, and what links cause and effect."""
    cause, effect = pair_of(row)
    rows = [evidence.of_variable(known, event) for event in (cause, effect)]
    if row["kind"] in PARTS:
        scene, values = known.file.scene, known.facts.values
        links = (
            wording.helped_to_make(cause, effect, scene, values),
            wording.directly_made(effect, _made(known, row), scene, values),
        )
        for item, link in zip(rows, links, strict=True):
            span = known.spans[span_of(known, item["event"]) - 1]
            item["rationale"] = f"{span['description']} {link}"
    return rows
