"""Temporal neighbour: takes whatever happened last before the effect for its cause.

The shortcut that mistakes "after" for "because of". It knows perfectly what happened when, and
nothing of causes.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from simworld.claims import Term
from simworld.models import MODELS
from simworld.models.base import Answer, Claims, Event, Item, Sees, Span
from simworld.models.chance import guess

_CAUSAL = ("trigger", "cause", "enables")


@MODELS.register("temporal_neighbour")
class TemporalNeighbour:
    """Answers "why" with the latest event before the effect's onset, whatever it touches.

    Other questions it answers with the option whose event did happen in the segment shown. Asked
    for a scene, it names the one in which the latest event before the effect begins, or the event
    that is asked for. Where several options fit it draws among them; where none does, among those
    that the stored events do not contradict, else among all.
    """

    name = "temporal_neighbour"
    sees: Sees = "claims"

    def answer(self, item: Item) -> Answer:
        """Choose by the order of events alone."""
        if item.claims is None:
            raise TypeError("temporal_neighbour was handed an item without its claims")
        parts = [part for claim in item.claims.options.values() for part in _conjuncts(claim)]
        effect = _asked_effect(item.claims.options.values())
        if any(part.head == "starts" for part in parts):
            pool = _beginning(item.claims.events, parts, item.shown)
        elif effect is not None:
            pool = _naming_latest(item.claims, effect)
        else:
            pool = _happening(item.claims, item)
        return Answer(guess(pool or sorted(item.options), item, self.name))


def _conjuncts(claim: Term) -> list[Term]:
    """Return the claims that a claim is put together from by `and`."""
    if claim.head != "and":
        return [claim]
    return [part for one in claim.args for part in _conjuncts(one)]


def _asked_effect(claims: Iterable[Term]) -> Term | None:
    """Return the effect that most options give a cause for, or None if none does."""
    effects = Counter(claim.args[1] for claim in claims if _is_causal(claim))
    return effects.most_common(1)[0][0] if effects else None


def _is_causal(claim: Term) -> bool:
    return claim.head in _CAUSAL and len(claim.args) == 2


def _onset_step(effect: Term, events: Iterable[Event]) -> int | None:
    return min((event.start_step for event in events if event.is_named_by(effect)), default=None)


def _latest_before(effect: Term, events: Iterable[Event]) -> Event | None:
    every = list(events)
    onset_step = _onset_step(effect, every)
    earlier = [e for e in every if onset_step is not None and e.start_step < onset_step]
    return max(earlier, key=lambda event: event.start_step, default=None)


def _beginning(events: Sequence[Event], parts: Sequence[Term], shown: Sequence[Span]) -> list[str]:
    """List the scene in which begins what comes last before the effect, or what is asked for."""
    effect = _asked_effect(parts)
    if effect is not None:
        found = _latest_before(effect, events)
    else:
        names = [part.args[0] for part in parts if part.head == "starts"]
        found = next((event for event in events if event.is_named_by(names[0])), None)
    return [
        str(span.index)
        for span in shown
        if found is not None and span.start_frame <= found.start_frame < span.stop_frame
    ]


def _naming_latest(claims: Claims, effect: Term) -> list[str]:
    """List the options that give the latest event before the effect as its cause."""
    latest = _latest_before(effect, claims.events)
    return [
        key
        for key, claim in sorted(claims.options.items())
        if latest is not None
        and claim.head in ("trigger", "cause")
        and _is_causal(claim)
        and claim.args[1] == effect
        and latest.is_named_by(claim.args[0])
    ]


def _happening(claims: Claims, item: Item) -> list[str]:
    """List the options whose event began in the segment shown, else those not contradicted."""
    said = {
        key: _confirmed(claim, claims.events, item) for key, claim in sorted(claims.options.items())
    }
    confirmed = [key for key, holds in said.items() if holds]
    return confirmed or [key for key, holds in said.items() if holds is None]


def _confirmed(claim: Term, events: Iterable[Event], item: Item) -> bool | None:
    """Tell whether a claim `happens(E, segment)` fits the events; None for any other claim."""
    if claim.head != "happens" or len(claim.args) != 2:
        return None
    span = item.shown[-1]
    return claim.args[1] == Term(str(span.index)) and any(
        event.is_named_by(claim.args[0]) and span.start_frame <= event.start_frame < span.stop_frame
        for event in events
    )
