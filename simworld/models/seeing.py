"""What whoever saw events makes of claims on them: so, not so, or not to be told from that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simworld.claims import Term
from simworld.models.base import Event, Span
from simworld.models.events import conjuncts

Holds = bool | None


@dataclass(frozen=True, slots=True)
class Sight:
    """What was seen: events, which conditions hold, and in which spans was looked.

    No spans mean the whole video. Of what happens outside them nothing is known.
    """

    events: Sequence[Event]
    standing: Mapping[str, bool]
    shown: Sequence[Span]


def seen_events(events: Sequence[Event], shown: Sequence[Span]) -> tuple[Event, ...]:
    """Return the events that begin in what is shown; no spans mean the whole video."""
    return tuple(event for event in events if not shown or _span_of(event, shown) is not None)


def likeliest(sight: Sight, options: Mapping[str, Term]) -> list[str]:
    """List the options of which most was seen to be so, of those not seen to be untrue; else all.

    Example:
        >>> from simworld.claims import parse
        >>> bump = Event("bump", "bump", "hit", ("ball", "mug"), 30, 600)
        >>> sight = Sight((bump,), {"bare": True}, (Span(2, 24, 36),))
        >>> texts = ("and(happens(bump, 2), holds(bare))", "and(happens(fall, 2), holds(bare))")
        >>> likeliest(sight, dict(zip("AB", map(parse, texts))))
        ['A']
    """
    ranks = {key: _rank(claim, sight) for key, claim in sorted(options.items())}
    return [key for key, rank in ranks.items() if rank == max(ranks.values())]


def is_contradicted(claim: Term, sight: Sight) -> bool:
    """Tell whether a part of a claim was seen to be untrue."""
    return _rank(claim, sight) < 0


def _span_of(event: Event, shown: Sequence[Span]) -> Span | None:
    within = (s for s in shown if s.start_frame <= event.start_frame < s.stop_frame)
    return next(within, None)


def _rank(claim: Term, sight: Sight) -> int:
    """Rank a claim: -1 if seen to be untrue, else the number of its parts seen to be so."""
    parts = [_holds(part, sight) for part in conjuncts(claim)]
    return -1 if False in parts else sum(part is True for part in parts)


def _holds(claim: Term, sight: Sight) -> Holds:
    """Tell whether a claim was seen to be so; None if what was shown does not tell.

    What was not seen may have happened all the same, in frames that were not shown.
    """
    match claim.head, claim.args:
        case "not", (Term("cause" | "trigger", _),):
            return None
        case "not", (inner,):
            held = _holds(inner, sight)
            return None if held is None else not held
        case "holds", (condition,):
            return sight.standing.get(condition.head)
        case "before", (first, second):
            return _precedes(first, second, sight)
        case (("trigger" | "cause" | "occurs"), (event, *_)):
            return _happened(event, sight)
        case (("happens" | "starts"), (event, place)):
            return _placed(event, place, sight)
    return None


def _happened(term: Term, sight: Sight) -> Holds:
    """Tell whether what a term names was seen: an event, or the denial of one."""
    if term.head == "not":
        return _holds(Term("not", (Term("occurs", term.args),)), sight)
    if any(event.is_named_by(term) for event in sight.events):
        return True
    return None if sight.shown else False


def _precedes(first: Term, second: Term, sight: Sight) -> Holds:
    """Tell whether of two events the first was seen to begin first."""
    onsets = [
        min((e.start_step for e in sight.events if e.is_named_by(term)), default=None)
        for term in (first, second)
    ]
    one, other = onsets
    return None if one is None or other is None else one < other


def _placed(event: Term, place: Term, sight: Sight) -> Holds:
    """Tell whether an event was seen to begin in a segment or scene, and in no other."""
    spans = [_span_of(one, sight.shown) for one in sight.events if one.is_named_by(event)]
    numbers = {str(span.index) for span in spans if span is not None}
    looked = any(str(span.index) == place.head for span in sight.shown)
    return place.head in numbers if numbers or looked else None
