"""Adjacency: takes the latest earlier event that shares an object with the effect for its cause.

The shortcut of a careful labeller without interventions: things cause what they touch. It is right
along plain chains, and wrong where a decoy touches the same object, where one thing keeps another
from happening, and where one push starts two things.
"""

from collections.abc import Sequence

from simworld.claims import Term
from simworld.models import MODELS
from simworld.models.base import Answer, Event, Item, Sees
from simworld.models.temporal_neighbour import answer_by


@MODELS.register("adjacency")
class Adjacency:
    """Answers like the temporal neighbour, but looks at events with an object in common only."""

    name = "adjacency"
    sees: Sees = "claims"

    def answer(self, item: Item) -> Answer:
        """Choose by the order of events and by who takes part in them."""
        events = item.claims.events if item.claims else ()

        def latest_sharing(effect: Term, earlier: Sequence[Event]) -> Event | None:
            of_effect = [e for e in events if e.is_named_by(effect)]
            first = min(of_effect, key=lambda event: event.start_step, default=None)
            objects = set(first.participants) if first else set()
            return next((e for e in reversed(earlier) if objects & set(e.participants)), None)

        return answer_by(item, latest_sharing, self.name)
