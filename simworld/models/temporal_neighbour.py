"""Temporal neighbour: takes whatever happened last before the effect for its cause.

The shortcut that mistakes "after" for "because of". It knows perfectly what happened when, and
nothing of causes.
"""

from collections.abc import Callable, Mapping, Sequence

from simworld.claims import Term
from simworld.models import MODELS
from simworld.models.base import Answer, Event, Item, Sees
from simworld.models.chance import guess
from simworld.models.events import (
    asked_effect,
    asked_scene,
    conjuncts,
    earlier_events,
    naming,
    prevented,
    starting_in,
)
from simworld.models.seeing import Sight, is_contradicted, likeliest

Pick = Callable[[Term, Sequence[Event]], Event | None]


@MODELS.register("temporal_neighbour")
class TemporalNeighbour:
    """Answers "why" with the latest event before the effect's onset, whatever it touches.

    Of options that events contradict it takes none; if no other names its cause, one of which most
    did happen. Asked for a scene, it names the one in which the latest event before the effect
    begins, or the event that is asked for. Asked what to change, it goes back from event to event,
    and changes the first that it can. Where several options fit it draws among them.
    """

    name = "temporal_neighbour"
    sees: Sees = "claims"

    def answer(self, item: Item) -> Answer:
        """Choose by the order of events alone."""
        return answer_by(item, lambda _, earlier: earlier[-1] if earlier else None, self.name)


def answer_by(item: Item, pick: Pick, name: str) -> Answer:
    """Answer as one who takes a certain earlier event for the cause of any effect.

    Args:
        item: What is asked.
        pick: Given the effect and what began before it, the latest last, names the cause.
        name: The model's, for its draws among options that fit alike.
    """
    if item.claims is None:
        raise TypeError(f"{name} was handed an item without its claims")
    events = item.claims.events
    parts = [part for claim in item.claims.options.values() for part in conjuncts(claim)]
    effect, sought = asked_effect(parts), asked_scene(parts)
    sight = Sight(events, item.claims.standing, item.shown)
    if (wanted := prevented(item.claims.options)) is not None:
        pool = _first_offered(*wanted, events, pick)
    elif effect is not None and sought is not None:
        pool = starting_in(pick(effect, earlier_events(effect, events)), item.shown)
    elif sought is not None:
        found = next((event for event in events if event.is_named_by(sought)), None)
        pool = starting_in(found, item.shown)
    else:
        named = naming(item.claims, lambda one: pick(one, earlier_events(one, events)))
        fitting = [k for k in named if not is_contradicted(item.claims.options[k], sight)]
        pool = fitting or likeliest(sight, item.claims.options)
    return Answer(guess(pool or sorted(item.options), item, name))


def _first_offered(
    effect: Term, changes: Mapping[str, Term], events: Sequence[Event], pick: Pick
) -> list[str]:
    """Go back from cause to cause until one is met that can be changed; list its options."""
    while (cause := pick(effect, earlier_events(effect, events))) is not None:
        offered = [key for key, changed in sorted(changes.items()) if cause.is_named_by(changed)]
        if offered:
            return offered
        effect = Term(cause.event)
    return []
