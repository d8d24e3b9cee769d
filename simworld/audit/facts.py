"""The audit's own facts of a clip, and the sentence on each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simworld.causal import SCM, Verdict
from simworld.claims import Term, parse
from simworld.errors import CheckError
from simworld.qa.claims import Facts, Happening, Relation, decide
from simworld.qa.wording import sentence, subjects_of, tell_both
from simworld.scene import Context, Scene
from simworld.world.spec import WorldSpec

Record = Mapping[str, Any]


def gather(
    scm: SCM,
    scene: Scene,
    spec: WorldSpec,
    context: Context,
    events: Sequence[Record],
    segments: Sequence[Record],
    verdicts: Mapping[tuple[str, str], Verdict],
    recolored: frozenset[str],
    outcomes: Mapping[tuple[str, int], Mapping[str, int]],
) -> Facts:
    """Gather facts from events, segments, verdicts and outcomes that the audit found itself."""
    contacts: dict[frozenset[str], list[Happening]] = {}
    variables: dict[str, Happening] = {}
    breaks: dict[str, Happening] = {}
    for row in sorted(events, key=lambda row: int(row["start_step"])):
        when = Happening(row["start_step"], row["start_frame"], row["stop_frame"])
        if row["variable"] is not None:
            variables[row["variable"]] = when
        if row["kind"] in ("hit", "rest"):
            contacts.setdefault(frozenset(row["participants"]), []).append(when)
        if row["kind"] == "break":
            breaks[row["participants"][0]] = when
    conditions = [name for name in scm.endogenous if scm.kind(name) == "condition"]
    values = scm.evaluate(context.levels)
    return Facts(
        conditions={name: int(values[name]) for name in conditions},
        events={name: variables.get(name) for name in scm.events},
        contacts={pair: tuple(times) for pair, times in contacts.items()},
        breaks=breaks,
        segments={row["index"]: (row["start_frame"], row["stop_frame"]) for row in segments},
        relations={
            pair: Relation(verdict.role, verdict.directness, verdict.actual)
            for pair, verdict in verdicts.items()
        },
        colors={b.object_name: b.color for b in spec.bodies if b.present},
        recolored=recolored,
        objects=frozenset(scene.things),
        outcomes=outcomes,
    )


def opening(scene: Scene, facts: Facts) -> str:
    """Return the words for what the scene opens with.

    Raises:
        CheckError: Not exactly one of the claims that the scene offers is true.
    """
    true = [words for text, words in scene.opening.right.items() if decide(parse(text), facts)]
    if len(true) != 1:
        raise CheckError(f"expected one true claim on the opening, found {len(true)}")
    return true[0]


def told_events(scene: Scene, facts: Facts, event: str, number: int) -> list[str]:
    """Return what a segment's sentence tells: its key event, and others that set in there."""
    others = [name for name in scene.asked[event] if name != event]
    here = Term(str(number))
    return [event, *(n for n in others if decide(Term("happens", (Term(n), here)), facts))]


def told(scene: Scene, facts: Facts, segment: Record) -> str:
    """Return the sentence that is true of a segment."""
    if segment["event"] == "opening":
        return sentence(opening(scene, facts))
    first, *others = (
        scene.phrase(name, facts.values).present
        for name in told_events(scene, facts, segment["event"], segment["index"])
    )
    for clause in others:
        first = tell_both(first, clause, subjects_of(scene))
    return sentence(first)


def narrated(scene: Scene, facts: Facts, span: Record) -> str:
    """Return the sentence on a scene span: all that sets in there, in order of time."""
    here = {
        name: when.start_step
        for name, when in facts.events.items()
        if when is not None and span["start_frame"] <= when.start_frame < span["stop_frame"]
    }
    clauses = [opening(scene, facts)] if span["index"] == 1 else []
    ordered = sorted(here, key=lambda name: here[name])
    clauses += [scene.phrase(name, facts.values).present for name in ordered]
    return sentence(", then ".join(clauses))
