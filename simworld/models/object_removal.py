"""Object removal: takes an event for a cause if the effect is gone without the event's objects.

The labels of generators that take whole objects away and look again. The objects of the effect
itself stay; where an event has no others, nothing is said of it. Right along plain chains, and
wrong where a second cause stands by, since then the effect comes all the same.
"""

from collections.abc import Sequence

from simworld.claims import Term
from simworld.models import MODELS
from simworld.models.base import Answer, Claims, Event, Item, Sees
from simworld.models.temporal_neighbour import answer_by


@MODELS.register("object_removal")
class ObjectRemoval:
    """Answers with the latest event without whose objects the effect does not come."""

    name = "object_removal"
    sees: Sees = "claims"

    def answer(self, item: Item) -> Answer:
        """Choose by the worlds without some objects that the suite holds."""

        def latest_needed(effect: Term, earlier: Sequence[Event]) -> Event | None:
            claims = item.claims
            of_effect = [e for e in claims.events if e.is_named_by(effect)] if claims else []
            first = min(of_effect, key=lambda event: event.start_step, default=None)
            if claims is None or first is None:
                return None
            needed = (e for e in reversed(earlier) if is_needed(e, first, claims))
            return next(needed, None)

        return answer_by(item, latest_needed, self.name)


def is_needed(event: Event, effect: Event, claims: Claims) -> bool | None:
    """Tell whether an effect is gone without an event's objects; None where nothing tells.

    The suite holds sets of those objects that move; the largest that takes part in the event
    and not in the effect counts.
    """
    apart = set(event.participants) - set(effect.participants)
    known = [things for things in claims.removals if things <= apart]
    largest = max(known, key=lambda things: (len(things), sorted(things)), default=None)
    left = None if largest is None else claims.removals[largest]
    return None if left is None or effect.variable is None else effect.variable not in left
