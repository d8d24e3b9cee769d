"""Temporal neighbour: takes whatever happened last before the effect for its cause.

The shortcut that mistakes "after" for "because of". It knows perfectly what happened when, and
nothing of causes.
"""

from collections import Counter
from collections.abc import Iterable

from simworld.claims import Term
from simworld.models import MODELS
from simworld.models.base import Answer, Claims, Event, Item, Sees
from simworld.models.chance import guess

_CAUSAL = ("trigger", "cause", "enables")


@MODELS.register("temporal_neighbour")
class TemporalNeighbour:
    """Answers "why" with the latest event before the effect's onset, whatever it touches.

    Other questions it answers with the option whose event did happen in the segment shown. Where
    several options fit it draws among them; where none does, among those that the stored events do
    not contradict, else among all.
    """

    name = "temporal_neighbour"
    sees: Sees = "claims"

    def answer(self, item: Item) -> Answer:
        """Choose by the order of events alone."""
        if item.claims is None:
            raise TypeError("temporal_neighbour was handed an item without its claims")
        effect = _asked_effect(item.claims.options.values())
        if effect is not None:
            pool = _naming_latest(item.claims, effect)
        else:
            pool = _happening(item.claims, item)
        return Answer(guess(pool or sorted(item.options), item, self.name))


def _asked_effect(claims: Iterable[Term]) -> Term | None:
    """Return the effect that most options give a cause for, or None if none does."""
    effects = Counter(claim.args[1] for claim in claims if _is_causal(claim))
    return effects.most_common(1)[0][0] if effects else None


def _is_causal(claim: Term) -> bool:
    return claim.head in _CAUSAL and len(claim.args) == 2


def _onset_step(effect: Term, events: Iterable[Event]) -> int | None:
    return min((event.start_step for event in events if event.is_named_by(effect)), default=None)


def _naming_latest(claims: Claims, effect: Term) -> list[str]:
    """List the options that give the latest event before the effect as its cause."""
    onset_step = _onset_step(effect, claims.events)
    earlier = [e for e in claims.events if onset_step is not None and e.start_step < onset_step]
    if not earlier:
        return []
    latest = max(earlier, key=lambda event: event.start_step)
    return [
        key
        for key, claim in sorted(claims.options.items())
        if claim.head in ("trigger", "cause")
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
