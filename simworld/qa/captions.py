"""Captions: one true sentence on what a segment shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from simworld.annotate.segments import Segment, Span
from simworld.claims import Term, parse
from simworld.qa.claims import Facts, Undecided, decide
from simworld.qa.facts import facts_of
from simworld.qa.wording import sentence, subjects_of, tell_both
from simworld.scene import Scene
from simworld.truth import ClipTruth, Event


def caption_segments(
    scene: Scene, truth: ClipTruth, events: Sequence[Event], spans: Sequence[Span]
) -> tuple[Segment, ...]:
    """Return the segments of a clip, each with its sentence.

    The first span shows what the scene opens with, every other one its key event.
    """
    bare = [
        Segment(number, span.start_frame, span.stop_frame, span.event, "")
        for number, span in enumerate(spans, start=1)
    ]
    facts = facts_of(scene, truth, events, bare)
    return tuple(replace(segment, description=describe(scene, facts, segment)) for segment in bare)


def narrate_spans(
    scene: Scene, truth: ClipTruth, events: Sequence[Event], spans: Sequence[Span]
) -> tuple[Segment, ...]:
    """Return the scene spans of a clip, each with a sentence on all that sets in there, in order.

    The first tells what the scene opens with, too.
    """
    bare = [
        Segment(number, span.start_frame, span.stop_frame, span.event, "")
        for number, span in enumerate(spans, start=1)
    ]
    facts = facts_of(scene, truth, events, bare)
    return tuple(replace(span, description=_narrate(scene, facts, span)) for span in bare)


def _narrate(scene: Scene, facts: Facts, span: Segment) -> str:
    clauses = [opening(scene, facts)] if span.index == 1 else []
    clauses += [scene.phrase(name, facts.values).present for name in starting(facts, span.index)]
    return sentence(", then ".join(clauses))


def starting(facts: Facts, segment: int) -> tuple[str, ...]:
    """Return the events of the model that set in within a segment, in order of time."""
    onsets = {
        name: when.start_step
        for name, when in facts.events.items()
        if when is not None and decide(Term("starts", (Term(name), Term(str(segment)))), facts)
    }
    return tuple(sorted(onsets, key=lambda name: onsets[name]))


def describe(scene: Scene, facts: Facts, segment: Segment) -> str:
    """Return a sentence on a segment: its key event, and what follows at once."""
    if segment.event not in scene.key_events:
        return sentence(opening(scene, facts))
    clause = scene.phrase(segment.event, facts.values).present
    for event in told_with(scene, facts, segment):
        clause = tell_both(clause, scene.phrase(event, facts.values).present, subjects_of(scene))
    return sentence(clause)


def opening(scene: Scene, facts: Facts) -> str:
    """Return the words of the claim that is true of the scene's opening.

    Raises:
        Undecided: The scene offers no true one.
    """
    for claim, words in scene.opening.right.items():
        if decide(parse(claim), facts):
            return words
    raise Undecided(
        f"scene {scene.name}: expected one of {', '.join(scene.opening.right)} to be true of the "
        "opening, found none; add one"
    )


def told_with(scene: Scene, facts: Facts, segment: Segment) -> tuple[str, ...]:
    """Return the other events asked about in a segment that set in there too."""
    return tuple(
        event
        for event in scene.asked[segment.event]
        if event != segment.event
        and decide(Term("happens", (Term(event), Term(str(segment.index)))), facts)
    )
