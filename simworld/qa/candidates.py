"""Which claims may stand as wrong options: candidates of each kind, the best first.

Candidates come in tiers. They are proposals: whoever takes one checks that it is decided false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from simworld.annotate.segments import Segment
from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, DistractorKind
from simworld.claims import Term, parse
from simworld.qa.captions import told_with
from simworld.qa.claims import Facts, Happening, Relation, occurrences
from simworld.scene import Scene

Tiers = tuple[tuple[Term, ...], ...]
Candidates = Mapping[DistractorKind, Tiers]

_NO_CAUSE = ("preempted_backup", "common_cause_sibling", "temporal_predecessor", "unrelated")


@dataclass(frozen=True, slots=True)
class Case:
    """A clip that questions are made for."""

    scene: Scene
    facts: Facts
    segments: tuple[Segment, ...]

    def happened(self) -> dict[str, Happening]:
        """Return the events that happened, in causal order."""
        return {name: when for name, when in self.facts.events.items() if when is not None}

    def relation(self, cause: str, effect: str) -> Relation | None:
        """Return what one variable was to another, if that is proven."""
        return self.facts.relations.get((cause, effect))

    def trigger_of(self, effect: str) -> str | None:
        """Return the first proven direct trigger of an event."""
        for name in self.happened():
            relation = self.relation(name, effect)
            if relation and (relation.role, relation.directness) == ("trigger", "direct"):
                return name
        return None


def for_opening(case: Case) -> Candidates:
    """Return wrong answers to the opening's question, as the scene lists them."""
    listed = {
        kind: tuple((parse(text),) for text in case.scene.opening.wrong.get(kind, ()))
        for kind in DISTRACTOR_KINDS
    }
    later = tuple(tier for tier in listed["temporal_confusion"] if _comes_true(tier[0], case))
    return {**listed, "temporal_confusion": later}


def _comes_true(claim: Term, case: Case) -> bool:
    """Tell whether what is wrongly said of the first segment happens at some time."""
    event = Term("hit", claim.args[:2]) if claim.head == "touches" else claim.args[0]
    return bool(occurrences(event, case.facts))


def for_descriptive(case: Case, segment: Segment) -> Candidates:
    """Return wrong answers to what happened in a segment."""
    key = segment.event
    number = Term(str(segment.index))
    near = case.scene.scm.ancestors(key) | case.scene.scm.descendants(key) | {key}
    with_key = told_with(case.scene, case.facts, segment)
    elsewhere = [name for name in case.happened() if name not in with_key]
    swapped = [_and(_happens(key, number), _before(event, key)) for event in with_key]
    decoys = [_happens(name, number) for name in elsewhere if name not in near]
    told = (key, *with_key)
    return {
        "temporal_confusion": (
            tuple(_happens(name, number) for name in elsewhere if name in near - {key}),
            tuple(swapped),
        ),
        "causal_misattribution": (
            (*decoys, *_because(told, number, lambda effect: map(Term, _beside(case, effect)))),
            _because(told, number, lambda effect: _idle(case, effect)),
            _because(told, number, lambda _: _looks(case)),
        ),
        "object_misrecognition": (
            tuple(Term("happens", (hit, number)) for hit in _mistaken(case, key)),
        ),
        "irrelevant_plausible": (
            tuple(Term("happens", (hit, number)) for hit in _absent_hits(case, key)),
        ),
        "surface_level": (tuple(Term("happens", (look, number)) for look in _looks(case)),),
        "negation_polarity": ((Term("not", (_happens(key, number),)),),),
        "incomplete_reasoning": (tuple(_half_way(case, key, with_key, number)),),
    }


def _because(
    told: Iterable[str], number: Term, causes: Callable[[str], Iterable[Term]]
) -> tuple[Term, ...]:
    """Return claims that give what happened in a segment to what is proven no cause of it."""
    return tuple(
        _and(_happens(effect, number), Term("cause", (cause, Term(effect))))
        for effect in told
        for cause in causes(effect)
    )


def _half_way(case: Case, key: str, with_key: tuple[str, ...], number: Term) -> list[Term]:
    """Return claims that tell the first half of what happened and deny the second."""
    if with_key:
        return [_and(_happens(key, number), _not_occurs(event)) for event in with_key]
    trigger = case.trigger_of(key)
    return [_and(Term("occurs", (Term(trigger),)), _not_occurs(key))] if trigger else []


def for_causal(case: Case, segment: Segment, trigger: str, effect: str) -> Candidates:
    """Return wrong answers to which event directly made an effect happen."""
    so_far = (*_earlier(case, effect), *_standing(case))
    upstream = [name for name in so_far if _is_cause(case, name, effect)]

    def as_trigger(causes: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(Term("trigger", (cause, Term(effect))) for cause in causes)

    return {
        "temporal_confusion": (
            as_trigger(_later(case, effect)),
            tuple(_in_other_order(case, trigger, effect)),
        ),
        "causal_misattribution": (
            as_trigger(map(Term, _beside(case, effect))),
            as_trigger(_idle(case, effect)),
            as_trigger(_looks(case)),
        ),
        "object_misrecognition": (as_trigger(_mistaken(case, trigger)),),
        "irrelevant_plausible": (
            as_trigger(_again(case, case.segments[segment.index - 2].event)),
            as_trigger(_absent_hits(case, trigger)),
        ),
        "surface_level": (as_trigger(_looks(case)),),
        "negation_polarity": (as_trigger([Term("not", (Term(trigger),))]),),
        "incomplete_reasoning": (
            as_trigger(Term(name) for name in upstream if name != trigger),
            as_trigger(_seen_settings(case, effect)),
        ),
    }


def _later(case: Case, effect: str) -> list[Term]:
    """Return what happened after an event: variables, and contacts that there are words for."""
    onset_step = case.happened()[effect].start_step
    events = [Term(name) for name in case.happened()] + _hits(case)
    return [
        event
        for event in events
        if (times := occurrences(event, case.facts)) and times[0].start_step > onset_step
    ]


def _in_other_order(case: Case, trigger: str, effect: str) -> list[Term]:
    """Return claims that put an earlier key event after a later one; the trigger itself last."""
    happened = case.happened()
    keys = dict.fromkeys((*case.scene.key_events, effect))
    stop_step = happened[effect].start_step
    until = [key for key in keys if key in happened and happened[key].start_step <= stop_step]
    pairs = [(a, b) for a, b in combinations(until, 2) if a != effect]
    others = [pair for pair in pairs if pair[0] != trigger]
    return [
        _and(Term("trigger", (Term(first), Term(effect))), _before(second, first))
        for first, second in (others or pairs)
    ]


def _again(case: Case, event: str) -> list[Term]:
    """Return the claim that two objects hit each other once more, if they did not."""
    if event not in case.scene.key_events:
        return []
    participants = case.scene.phrase(event, case.facts.values).participants
    if len(participants) != 2:
        return []
    again = Term("again", (_hit(*participants),))
    return [] if occurrences(again, case.facts) else [again]


def _mistaken(case: Case, event: str) -> list[Term]:
    """Return contacts that never were, with another visible object in an event's role."""
    terms = [parse(text) for text in case.scene.mistaken.get(event, ())]
    return [term for term in terms if _is_absent(term, case)]


def _absent_hits(case: Case, event: str) -> list[Term]:
    """Return contacts of visible objects that never were and do not resemble the event."""
    alike = {_pair(parse(text)) for text in case.scene.mistaken.get(event, ())}
    return [h for h in _hits(case) if _is_absent(h, case) and _pair(h) not in alike]


def _hits(case: Case) -> list[Term]:
    terms = [parse(text) for text in case.scene.others]
    return [term for term in terms if term.head == "hit"]


def _is_absent(hit: Term, case: Case) -> bool:
    return _pair(hit) <= case.facts.colors.keys() and not occurrences(hit, case.facts)


def _pair(hit: Term) -> frozenset[str]:
    return frozenset(part.head for part in hit.args)


def _looks(case: Case) -> list[Term]:
    """Return true statements on colours that are proven to change nothing."""
    return [
        Term("=", (Term("color", (Term(name),)), Term(case.facts.colors[name])))
        for name in case.scene.things
        if name in case.facts.recolored and name in case.facts.colors
    ]


def _seen_settings(case: Case, effect: str) -> list[Term]:
    """Return settings that can be seen, stand as said and lie upstream of an effect."""
    terms = [parse(text) for text in case.scene.others]
    upstream = case.scene.scm.ancestors(effect)
    return [
        term
        for term in terms
        if term.head == "="
        and (name := term.args[0].args[0].head) in upstream
        and case.facts.levels[name] == term.args[1].head
    ]


def _standing(case: Case) -> list[str]:
    return [name for name, value in case.facts.conditions.items() if value]


def _earlier(case: Case, effect: str) -> list[str]:
    happened = case.happened()
    onset_step = happened[effect].start_step
    return [name for name, when in happened.items() if when.start_step < onset_step]


def _beside(case: Case, effect: str) -> list[str]:
    """Return events before an event that are proven no cause of it."""
    return [name for name in _earlier(case, effect) if _is_no_cause(case, name, effect)]


def _idle(case: Case, effect: str) -> list[Term]:
    """Return how conditions stand that are proven no cause of an event and not in its words."""
    telling = {n for v in case.scene.variants if v.variable == effect for n in v.when}
    return [
        Term(name) if value else Term("not", (Term(name),))
        for name, value in case.facts.conditions.items()
        if _is_no_cause(case, name, effect) and name not in telling
    ]


def _is_cause(case: Case, name: str, effect: str) -> bool:
    relation = case.relation(name, effect)
    return relation is not None and relation.actual


def _is_no_cause(case: Case, name: str, effect: str) -> bool:
    relation = case.relation(name, effect)
    return relation is not None and relation.role in _NO_CAUSE


def _happens(event: str, number: Term) -> Term:
    return Term("happens", (Term(event), number))


def _not_occurs(event: str) -> Term:
    return Term("not", (Term("occurs", (Term(event),)),))


def _before(first: str, second: str) -> Term:
    return Term("before", (Term(first), Term(second)))


def _hit(a: str, b: str) -> Term:
    return Term("hit", (Term(a), Term(b)))


def _and(first: Term, second: Term) -> Term:
    return Term("and", (first, second))
