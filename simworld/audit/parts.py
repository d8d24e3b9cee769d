"""Statements on a part of a clip: of which kind a false one is, and whether a true one answers.

Judged by the claim and the audit's own facts. The kinds are CausalStep's; a statement has two
halves, each of which affirms or denies something:

- `temporal_confusion`: affirms an event of another time, or puts two in the other order;
- `causal_misattribution`: an explanation gives for a cause what is so and is none; a description
  affirms an event of another time that led to nothing here;
- `object_misrecognition`: affirms an event that is not here, but for a thing is one that is; or
  gives such a one for a cause; or says wrongly how a thing stands that has part in one;
- `irrelevant_plausible`: affirms an event that never was, says of a condition what is not so, or
  denies an event of the whole video;
- `surface_level`: speaks of a condition or a colour, or affirms nothing;
- `negation_polarity`: denies an event that is here, or a cause, or says of a condition what is not
  so;
- `incomplete_reasoning`: one half is so, the other is not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from simworld.claims import Term
from simworld.qa.claims import Facts, decide, occurrences
from simworld.scene import Scene

NEARLY_AT_ONCE_FRAMES = 3


@dataclass(frozen=True)
class Half:
    """One half of a statement: what it names, what it claims of it, and whether it affirms it."""

    name: Term
    claim: Term
    affirms: bool

    @property
    def on_part(self) -> bool:
        """Whether it speaks of the part alone."""
        return self.claim.head == "happens"


def halves(statement: Term) -> list[Half]:
    """Return what a statement says of its one or two things; what a colour did is no half."""
    first, second = statement.args
    found = [_half(first)]
    if second.head == "before":
        found.append(_half(Term("occurs", second.args[:1])))
    elif denies_cause(statement):
        found.append(_half(Term("occurs", second.args[0].args[:1])))
    elif second.head != "cause":
        found.append(_half(second))
    elif second.args[0].head != "=":
        cause = second.args[0]
        bare = Term("occurs", (cause.args[0] if cause.head == "not" else cause,))
        found.append(_half(Term("not", (bare,)) if cause.head == "not" else bare))
    return found


def denies_cause(statement: Term) -> bool:
    """Tell whether a statement says of something that it was no cause."""
    second = statement.args[1]
    return second.head == "not" and second.args[0].head == "cause"


def _half(claim: Term) -> Half:
    inner = claim.args[0] if claim.head == "not" else claim
    return Half(inner.args[0], inner, claim.head != "not")


@dataclass(frozen=True)
class PartView:
    """A part of a clip as the audit knows it."""

    number: int
    scene: Scene
    facts: Facts

    @cached_property
    def here(self) -> list[str]:
        """The events that set in here."""
        return [name for name in self.facts.events if self._sets_in(Term(name))]

    @cached_property
    def busy(self) -> set[str]:
        """The things that have part in an event here; in its beginning a clip's main one."""
        values = self.facts.values
        things = {t for name in self.here for t in self.scene.phrase(name, values).participants}
        return things or {self.scene.opening.about}

    def is_so(self, half: Half) -> bool:
        """Tell whether a half of a statement is so."""
        name = half.name.head
        if name in self.facts.conditions:
            return bool(self.facts.conditions[name]) == half.affirms
        if half.on_part:
            return self._sets_in(half.name) == half.affirms
        return bool(occurrences(half.name, self.facts)) == half.affirms

    def is_of_kind(self, kind: str, statement: Term) -> bool:
        """Tell whether a false statement is a wrong option of a kind."""
        return _RULES[kind](self, statement, halves(statement))

    def misleads(self, statement: Term) -> bool:
        """Tell whether a viewer of the part might take a statement in two ways."""
        for half in halves(statement):
            if half.claim.head == "holds" and self._has_acted(half.name.head):
                return True
            times = occurrences(half.name, self.facts) if self.is_event(half.name) else ()
            if half.name.args and times:
                return True
            if times and not half.affirms and not self._sets_in(half.name):
                start, stop = self.facts.segments[self.number]
                first = times[0].start_frame
                if first < start if half.on_part else first >= stop:
                    return True
        if denies_cause(statement) and not self._goes_before(*halves(statement)):
            return True
        if statement.args[1].head == "before":
            onsets = [self.facts.events[name.head] for name in statement.args[1].args]
            frames = [when.start_frame for when in onsets if when is not None]
            return len(frames) == 2 and abs(frames[0] - frames[1]) < NEARLY_AT_ONCE_FRAMES
        return False

    def answers(self, statement: Term) -> bool:
        """Tell whether a true statement tells of what happens here, and of nothing later."""
        second = statement.args[1]
        if second.head in ("before", "cause") or denies_cause(statement):
            onset = self.facts.events.get(halves(statement)[1].name.head)
            if onset is not None and onset.start_frame >= self._stop:
                return False
        if second.head == "cause" and statement.args[0].head == "not":
            kept_away = halves(statement)[0].name.head
            relation = self.facts.relations.get((halves(statement)[1].name.head, kept_away))
            if relation is None or not relation.actual:
                return False  # anything else would have kept it away, too
            return any(name in self.here for name in self.scene.scm.ancestors(kept_away))
        told = [half for half in halves(statement) if half.affirms and half.on_part]
        return bool(told) or not self.here

    def _goes_before(self, effect: Half, cause: Half) -> bool:
        """Tell whether what is said to be no cause is so by the part's end, and came first."""
        if not self.is_event(cause.name):
            return self.is_so(cause)
        onset, other = (self.facts.events[half.name.head] for half in (cause, effect))
        if onset is None or onset.start_frame >= self._stop:
            return False
        return other is None or onset.start_step < other.start_step

    def _has_acted(self, condition: str) -> bool:
        """Tell whether what a condition is about did something before the part."""
        values, (start, _) = self.facts.values, self.facts.segments[self.number]
        subject = self.scene.phrase(condition, values).participants[0]
        before = [n for n, when in self.facts.events.items() if when and when.start_frame < start]
        return subject in {self.scene.phrase(name, values).participants[0] for name in before}

    @property
    def _stop(self) -> int:
        return self.facts.segments[self.number][1]

    def _sets_in(self, event: Term) -> bool:
        return decide(Term("starts", (event, Term(str(self.number)))), self.facts)

    def is_event(self, name: Term) -> bool:
        """Tell an event or a contact from a condition."""
        return bool(name.args) or name.head in self.facts.events

    def affirmed_wrongly(self, statement: list[Half]) -> list[Term]:
        """Return the events that are affirmed and are not so."""
        return [
            half.name
            for half in statement
            if half.affirms and self.is_event(half.name) and not self.is_so(half)
        ]

    def says_wrongly_of_condition(self, statement: list[Half]) -> bool:
        """Tell whether of a condition is said what is not so."""
        return any(not self.is_event(h.name) and not self.is_so(h) for h in statement)

    def differs_by_a_thing(self, event: Term) -> bool:
        """Tell whether an event differs from one that is here by one of its things."""
        values = self.facts.values
        if event.args:
            return bool(self.busy & {thing.head for thing in event.args})
        phrase = self.scene.phrase(event.head, values)
        if len(phrase.participants) > 1 and self.busy & set(phrase.participants):
            return True
        present = [self.scene.phrase(name, values) for name in self.here]
        return self._without_things(phrase.past) in {self._without_things(p.past) for p in present}

    def _without_things(self, clause: str) -> str:
        for noun in sorted(self.scene.things.values(), key=lambda noun: (-len(noun), noun)):
            clause = clause.replace(noun, "")
        return clause


def _temporal(view: PartView, statement: Term, said: list[Half]) -> bool:
    if any(occurrences(event, view.facts) for event in view.affirmed_wrongly(said)):
        return True
    second = statement.args[1]
    if not all(map(view.is_so, said)) or second.head not in ("before", "cause"):
        return False
    return second.head == "before" or _comes_too_late(view, second)


def _comes_too_late(view: PartView, claim: Term) -> bool:
    """Tell whether what is given for a cause set in after what it is said to have caused."""
    onsets = [view.facts.events.get(end.head) for end in claim.args]
    cause, effect = (None if when is None else when.start_step for when in onsets)
    return cause is not None and effect is not None and cause > effect


def _misattributes(view: PartView, statement: Term, said: list[Half]) -> bool:
    second = statement.args[1]
    if second.head == "cause":
        return all(map(view.is_so, said)) and not _comes_too_late(view, second)
    if second.head == "not" and second.args[0].head != "happens":
        return False
    led_here = {name for event in view.here for name in view.scene.scm.ancestors(event)}
    elsewhere = [e for e in view.affirmed_wrongly(said) if occurrences(e, view.facts)]
    return any(event.head not in led_here for event in elsewhere)


def _mistakes(view: PartView, statement: Term, said: list[Half]) -> bool:
    suspects = view.affirmed_wrongly(said)
    if statement.args[1].head == "cause" and _misattributes(view, statement, said):
        suspects += [h.name for h in said[1:] if h.affirms and view.is_event(h.name)]
    if any(map(view.differs_by_a_thing, suspects)):
        return True
    standing = [h.name.head for h in said if not view.is_event(h.name) and not view.is_so(h)]
    busy, values = view.busy, view.facts.values
    return any(busy & set(view.scene.phrase(name, values).participants) for name in standing)


def _never(view: PartView, statement: Term, said: list[Half]) -> bool:
    absent = [e for e in view.affirmed_wrongly(said) if not occurrences(e, view.facts)]
    return (
        bool(absent)
        or view.says_wrongly_of_condition(said)
        or any(
            not h.affirms and not h.on_part and view.is_event(h.name) and not view.is_so(h)
            for h in said
        )
    )


def _on_the_surface(view: PartView, statement: Term, said: list[Half]) -> bool:
    standing = any(half.name.head in view.facts.conditions for half in said)
    return standing or len(said) == 1 or not any(half.affirms for half in said)


def _denies(view: PartView, statement: Term, said: list[Half]) -> bool:
    if denies_cause(statement) and all(map(view.is_so, said)):
        return True
    denied = [h for h in said if not h.affirms and view.is_event(h.name) and not view.is_so(h)]
    return bool(denied) or view.says_wrongly_of_condition(said)


def _half_right(view: PartView, statement: Term, said: list[Half]) -> bool:
    return sorted(map(view.is_so, said)) == [False, True]


_RULES: Mapping[str, Callable[[PartView, Term, list[Half]], bool]] = {
    "temporal_confusion": _temporal,
    "causal_misattribution": _misattributes,
    "object_misrecognition": _mistakes,
    "irrelevant_plausible": _never,
    "surface_level": _on_the_surface,
    "negation_polarity": _denies,
    "incomplete_reasoning": _half_right,
}


def is_description(statement: Term, number: int) -> bool:
    """Tell whether a claim says of two things whether they were so in a part, or in what order."""
    return _speaks_of(statement, number, ("before", "happens", "holds", "not", "cause"))


def is_explanation(statement: Term, number: int) -> bool:
    """Tell whether a claim says why an event is, or is not, or that it is not for all that."""
    if statement.head != "and":
        return False
    first, second = statement.args
    if denies_cause(statement):
        return first.head == "happens" and _same_effect(first, second.args[0].args[1])
    denied = second.head == "not" and second.args[0].head == "occurs"
    return (second.head == "cause" and _same_effect(first, second.args[1])) or (
        denied and first.head == "happens" and _speaks_of(statement, number, ("not",))
    )


def _same_effect(first: Term, effect: Term) -> bool:
    said = _half(first)
    absent = effect.head == "not"
    return said.name == (effect.args[0] if absent else effect) and said.affirms is not absent


def _speaks_of(statement: Term, number: int, heads: tuple[str, ...]) -> bool:
    if statement.head != "and" or statement.args[1].head not in heads:
        return False
    return all(
        half.claim.args[1] == Term(str(number)) for half in halves(statement) if half.on_part
    )
