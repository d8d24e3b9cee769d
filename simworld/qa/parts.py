"""One part of a clip: how statements on it err, and which of the true ones answer a question on it.

How a wrong option errs, each kind one of CausalStep's; a statement may err in several ways:

- `temporal_confusion`: it tells what happens at another time, or in the other order;
- `causal_misattribution`: an explanation of what does happen here gives for a cause what is so and
  is none, which only causes tell from the truth; a description tells what happens elsewhere, and
  led to nothing here;
- `object_misrecognition`: it gives another thing the part that one has in what happens here: what
  that one does, or the place beside a thing that is at work here; or it takes such a thing for
  what it is not;
- `irrelevant_plausible`: it tells how things could have gone, or stood, and did not;
- `surface_level`: it goes by how things stand or look, or says of nothing that it happened;
- `negation_polarity`: it denies what is so, a cause too, or affirms a condition that is not;
- `incomplete_reasoning`: one half is so and the other is not.
"""

from __future__ import annotations

from dataclasses import dataclass

from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, DistractorKind
from simworld.claims import Term
from simworld.qa.case import Case
from simworld.qa.claims import Happening, occurrences
from simworld.qa.wording import subjects_of
from simworld.scene import Scene

_PLAUSIBLE: DistractorKind = "irrelevant_plausible"
_APART_FRAMES = 3
"""Which of two things comes first can be seen if they set in so many frames apart."""


@dataclass(frozen=True, slots=True)
class _Half:
    """What a statement says of one thing: `here` if of the part, else of the whole video."""

    name: Term
    positive: bool
    here: bool


class Part:
    """A segment of a clip, and what happens in it."""

    def __init__(self, case: Case, number: int) -> None:
        self._case = case
        self._facts = case.facts
        self._start, self._stop = case.facts.segments[number]
        self._number = number
        self.here = tuple(name for name, h in case.facts.events.items() if h and self._sets_in(h))
        scm = case.scene.scm
        self._causes = {name for event in self.here for name in scm.ancestors(event)}
        values = case.facts.values
        phrases = [case.scene.phrase(event, values) for event in self.here]
        self._things = {t for phrase in phrases for t in phrase.participants}
        self._things = self._things or {case.scene.opening.about}
        self._doings = {_doing(phrase.past, case.scene) for phrase in phrases}

    def is_sayable(self, claim: Term) -> bool:
        """Tell whether a viewer of the part can take a claim in one way only.

        That something did not happen in the part is not said of what happened before, nor that it
        never happened of what happens later, nor in which order two things came that nearly
        coincide, nor that something was no cause which was not so, or came later. How a thing
        stands is told as long as nothing has moved it; and of contacts for which there are no more
        than words, none that ever was.
        """
        halves = _halves(claim)
        if _denies_cause(claim) and not self._came_before(*halves):
            return False
        if any(part.head == "holds" and self._is_past(part.args[0].head) for part in _bare(claim)):
            return False
        if any(half.name.args and occurrences(half.name, self._facts) for half in halves):
            return False
        if claim.args[1].head == "before":
            one, other = (self._facts.events[term.head] for term in claim.args[1].args)
            if one and other and abs(one.start_frame - other.start_frame) < _APART_FRAMES:
                return False
        return not any(self._is_half_true(half) for half in halves if not half.positive)

    def answers(self, claim: Term, *, late: bool = True) -> bool:
        """Tell whether a true claim answers what happens in the part, and can be seen there.

        A description tells an event of the part, if there is one. An explanation tells of an event
        there, or of what did not come of one there, if no other reason would have done. What came
        before, as a cause or not, is seen there or in the part before; a cause longer ago counts
        if there is no other.
        """
        second = claim.args[1]
        halves = _halves(claim)
        is_told_before = second.head in ("before", "cause") or _denies_cause(claim)
        if is_told_before and not self._shows(halves[1], late):
            return False
        if claim.args[0].head == "not" and second.head == "cause":
            kept_away, cause = (half.name.head for half in halves)
            relation = self._case.relation(cause, kept_away)
            alone = relation is not None and relation.actual
            return alone and not self._case.scene.scm.ancestors(kept_away).isdisjoint(self.here)
        return any(half.positive and half.here for half in halves) or not self.here

    def kinds(self, claim: Term) -> tuple[DistractorKind, ...]:
        """Return how a false claim errs."""
        halves, second = _halves(claim), claim.args[1]
        untrue = [half for half in halves if not self._is_so(half)]
        found = {kind for half in untrue for kind in self._errors(half)}
        if second.head == "cause" or (second.head == "not" and second.args[0].head != "happens"):
            found.discard("causal_misattribution")
        if not untrue:
            found |= self._falsity(claim)
        if len(untrue) == 1 and len(halves) == 2:
            found.add("incomplete_reasoning")
        standing = any(half.name.head in self._facts.conditions for half in halves)
        if standing or len(halves) == 1 or not any(half.positive for half in halves):
            found.add("surface_level")
        return tuple(kind for kind in DISTRACTOR_KINDS if kind in found)

    def _errors(self, half: _Half) -> set[DistractorKind]:
        if half.name.head in self._facts.conditions:
            about = self._case.scene.phrase(half.name.head, self._facts.values).participants
            taken = set[DistractorKind]({"negation_polarity", _PLAUSIBLE})
            return taken if self._things.isdisjoint(about) else {*taken, "object_misrecognition"}
        if not half.positive:
            return {"negation_polarity"} if half.here else {"negation_polarity", _PLAUSIBLE}
        errors: set[DistractorKind] = {_PLAUSIBLE}
        if occurrences(half.name, self._facts):
            led_here = half.name.head in self._causes
            errors = {"temporal_confusion"}
            if not led_here:
                errors.add("causal_misattribution")
        if self._is_mistaken(half.name):
            errors.add("object_misrecognition")
        return errors

    def _is_mistaken(self, event: Term) -> bool:
        """Tell whether an event is one of those here but for one of its things."""
        if event.args:
            things = {thing.head for thing in event.args}
            return not self._things.isdisjoint(things)
        phrase = self._case.scene.phrase(event.head, self._facts.values)
        beside = len(phrase.participants) > 1 and not self._things.isdisjoint(phrase.participants)
        return beside or _doing(phrase.past, self._case.scene) in self._doings

    def _falsity(self, claim: Term) -> set[DistractorKind]:
        """Tell how two true things are put together wrongly: in the other order, or as a cause."""
        match claim.args[1]:
            case Term("before", _):
                return {"temporal_confusion"}
            case Term("not", _):
                return {"negation_polarity"}
            case Term("cause", (Term(cause, ()), Term(effect, ()))):
                one, other = (self._facts.events.get(name) for name in (cause, effect))
                if one and other and one.start_step > other.start_step:
                    return {"temporal_confusion"}
                if one and self._is_mistaken(Term(cause)):
                    return {"causal_misattribution", "object_misrecognition"}
        return {"causal_misattribution"}

    def _is_so(self, half: _Half) -> bool:
        standing = self._facts.conditions.get(half.name.head)
        if standing is not None and not half.name.args:
            return bool(standing) is half.positive
        times = occurrences(half.name, self._facts)
        happened = any(map(self._sets_in, times)) if half.here else bool(times)
        return happened is half.positive

    def _is_half_true(self, half: _Half) -> bool:
        """Tell whether a denial is so in one sense: not here but before, or not yet."""
        if half.name.head in self._facts.conditions and not half.name.args:
            return False
        times = occurrences(half.name, self._facts)
        if not times or any(map(self._sets_in, times)):
            return False
        first_frame = times[0].start_frame
        return first_frame < self._start if half.here else first_frame >= self._stop

    def _came_before(self, effect: _Half, cause: _Half) -> bool:
        """Tell whether something is so by the part's end, and did not set in after an event."""
        if cause.name.head in self._facts.conditions:
            return self._is_so(cause)
        one, other = (self._facts.events.get(half.name.head) for half in (cause, effect))
        if one is None or one.start_frame >= self._stop:
            return False
        return other is None or one.start_step < other.start_step

    def _is_past(self, condition: str) -> bool:
        """Tell whether what a condition is about did something before the part."""
        scene, values = self._case.scene, self._facts.values
        subject = scene.phrase(condition, values).participants[0]
        return any(
            when is not None
            and when.start_frame < self._start
            and scene.phrase(event, values).participants[0] == subject
            for event, when in self._facts.events.items()
        )

    def _shows(self, half: _Half, late: bool) -> bool:
        """Tell whether a cause is seen by the end of the part, or never happened.

        If `late`, it is seen in the part or the one before it.
        """
        times = self._facts.events.get(half.name.head)
        if half.name.head in self._facts.conditions or times is None:
            return True
        start, _ = self._facts.segments[max(1, self._number - 1)]
        return (start if late else 0) <= times.start_frame < self._stop

    def _sets_in(self, happening: Happening) -> bool:
        return self._start <= happening.start_frame < self._stop


def named(claim: Term) -> tuple[str, ...]:
    """Return the conditions and events that a statement speaks of, each once."""
    return tuple(dict.fromkeys(half.name.head for half in _halves(claim)))


def _halves(claim: Term) -> tuple[_Half, ...]:
    """Return what a statement says of one thing and of the other; of a colour, nothing."""
    first, second = claim.args
    halves = [_half(first)]
    match second:
        case Term("before", (name, _)):
            halves.append(_Half(name, positive=True, here=False))
        case Term("cause", (Term("=", _), _)):
            pass
        case Term("not", (Term("cause", (name, _)),)):
            halves.append(_Half(name, positive=True, here=False))
        case Term("cause", (Term("not", (name,)), _)):
            halves.append(_Half(name, positive=False, here=False))
        case Term("cause", (name, _)):
            halves.append(_Half(name, positive=True, here=False))
        case _:
            halves.append(_half(second))
    return tuple(halves)


def _denies_cause(claim: Term) -> bool:
    second = claim.args[1]
    return second.head == "not" and second.args[0].head == "cause"


def _bare(claim: Term) -> tuple[Term, ...]:
    """Return the two things that a statement says, without their denials."""
    return tuple(part.args[0] if part.head == "not" else part for part in claim.args)


def _half(claim: Term) -> _Half:
    positive = claim.head != "not"
    inner = claim if positive else claim.args[0]
    return _Half(inner.args[0], positive, inner.head == "happens")


def _doing(clause: str, scene: Scene) -> str:
    """Return what a clause says without the things that it says it of."""
    for words in subjects_of(scene):
        clause = clause.replace(words, "")
    return clause
