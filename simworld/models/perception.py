"""Perfect perception without causality: sees every event in what it is shown, knows no cause.

It tells what a benchmark asks of the eyes alone. Every option whose events it saw to be otherwise
it rules out; that an event made another happen it neither believes nor doubts.
"""

from collections.abc import Sequence

from simworld.claims import Term
from simworld.models import MODELS
from simworld.models.base import Answer, Event, Item, Sees, Span
from simworld.models.chance import guess
from simworld.models.events import conjuncts

Holds = bool | None


@MODELS.register("perception")
class Perception:
    """Takes the option of which it saw most to be so, else one that it did not see to be untrue.

    A cause that it saw happen is as good as any other that it saw; of what would have happened it
    knows nothing. It reads events, not colours or places.
    """

    name = "perception"
    sees: Sees = "claims"

    def answer(self, item: Item) -> Answer:
        """Choose by what was seen."""
        if item.claims is None:
            raise TypeError("perception was handed an item without its claims")
        seen = seen_events(item.claims.events, item.shown)
        ranks = {
            key: _rank(claim, seen, item.shown)
            for key, claim in sorted(item.claims.options.items())
        }
        best = max(ranks.values())
        return Answer(guess([key for key, rank in ranks.items() if rank == best], item, self.name))


def seen_events(events: Sequence[Event], shown: Sequence[Span]) -> tuple[Event, ...]:
    """Return the events that begin in what is shown; no spans mean the whole video."""
    return tuple(event for event in events if not shown or _span_of(event, shown) is not None)


def _span_of(event: Event, shown: Sequence[Span]) -> Span | None:
    within = (s for s in shown if s.start_frame <= event.start_frame < s.stop_frame)
    return next(within, None)


def _rank(claim: Term, seen: Sequence[Event], shown: Sequence[Span]) -> int:
    """Rank a claim: -1 if seen to be untrue, else the number of its parts seen to be so."""
    parts = [_holds(part, seen, shown) for part in conjuncts(claim)]
    return -1 if False in parts else sum(part is True for part in parts)


def _holds(claim: Term, seen: Sequence[Event], shown: Sequence[Span]) -> Holds:
    """Tell whether a claim was seen to be so; None if what was shown does not tell.

    What was not seen may have happened all the same, in frames that were not shown.
    """
    match claim.head, claim.args:
        case "not", (inner,):
            held = _holds(inner, seen, shown)
            return None if held is None else not held
        case (("trigger" | "cause" | "occurs"), (event, *_)):
            return _happened(event, seen, shown)
        case (("happens" | "starts"), (event, place)):
            return _placed(event, place, seen, shown)
    return None


def _happened(term: Term, seen: Sequence[Event], shown: Sequence[Span]) -> Holds:
    """Tell whether what a term names was seen: an event, or the denial of one."""
    if term.head == "not":
        return _holds(Term("not", (Term("occurs", term.args),)), seen, shown)
    return any(event.is_named_by(term) for event in seen) or None


def _placed(event: Term, place: Term, seen: Sequence[Event], shown: Sequence[Span]) -> Holds:
    """Tell whether an event was seen to begin in a segment or scene, and in no other."""
    spans = [_span_of(one, shown) for one in seen if one.is_named_by(event)]
    numbers = {str(span.index) for span in spans if span is not None}
    return place.head in numbers if numbers else None
