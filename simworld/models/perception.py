"""Perfect perception without causality: sees every event in what it is shown, knows no cause.

It tells what a benchmark asks of the eyes alone. Every option whose events it saw to be otherwise
it rules out; that an event made another happen it neither believes nor doubts.
"""

from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees
from simworld.models.chance import guess
from simworld.models.seeing import Sight, likeliest, seen_events


@MODELS.register("perception")
class Perception:
    """Takes the option of which it saw most to be so, else one that it did not see to be untrue.

    A cause that it saw happen is as good as any other that it saw; of what would have happened it
    knows nothing. It reads events and conditions, not colours or places.
    """

    name = "perception"
    sees: Sees = "claims"

    def answer(self, item: Item) -> Answer:
        """Choose by what was seen."""
        if item.claims is None:
            raise TypeError("perception was handed an item without its claims")
        seen = seen_events(item.claims.events, item.shown)
        fitting = likeliest(Sight(seen, item.claims.standing, item.shown), item.claims.options)
        return Answer(guess(fitting, item, self.name))
