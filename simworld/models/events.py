"""What models that see claims have in common: reading options by the events that they name."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from simworld.claims import Term
from simworld.models.base import Claims, Event, Span

_CAUSAL = ("trigger", "cause", "enables")


def conjuncts(claim: Term) -> list[Term]:
    """Return the claims that a claim is put together from by `and`."""
    if claim.head != "and":
        return [claim]
    return [part for one in claim.args for part in conjuncts(one)]


def asked_effect(claims: Iterable[Term]) -> Term | None:
    """Return the effect that most options give a cause for, or None if none does."""
    effects = Counter(claim.args[1] for claim in claims if is_causal(claim))
    return effects.most_common(1)[0][0] if effects else None


def is_causal(claim: Term) -> bool:
    """Tell whether a claim gives a cause, or a condition, for an effect."""
    return claim.head in _CAUSAL and len(claim.args) == 2


def prevented(options: Mapping[str, Term]) -> tuple[Term, dict[str, Term]] | None:
    """Read options that are changes, each said to keep one and the same event from happening.

    Returns:
        The event, and what each option changes, by its key; None if the options are no such.

    Example:
        >>> from simworld.claims import parse
        >>> texts = "would(bump = 0, not(occurs(fall)))", "would(rug = 1, not(occurs(fall)))"
        >>> event, changes = prevented(dict(zip("AB", map(parse, texts))))
        >>> str(event), str(changes["B"])
        ('fall', 'rug')
    """
    if any(claim.head != "would" for claim in options.values()):
        return None
    undone = {claim.args[1] for claim in options.values()}
    denied = [term.args[0] for term in undone if term.head == "not"]
    if len(undone) != 1 or not denied or denied[0].head != "occurs":
        return None
    return denied[0].args[0], {key: claim.args[0].args[0] for key, claim in options.items()}


def earlier_events(effect: Term, events: Iterable[Event]) -> list[Event]:
    """Return the events that began before the effect did, the latest last; none if it never did."""
    every = list(events)
    onset_step = min((e.start_step for e in every if e.is_named_by(effect)), default=None)
    earlier = [e for e in every if onset_step is not None and e.start_step < onset_step]
    return sorted(earlier, key=lambda event: event.start_step)


def naming(claims: Claims, blamed: Callable[[Term], Event | None]) -> list[str]:
    """List the options that give for an effect the very event that is blamed for it.

    Args:
        claims: What is offered; options may give causes of different effects.
        blamed: Names the cause of an effect.
    """
    return [
        key
        for key, claim in sorted(claims.options.items())
        for part in conjuncts(claim)
        if part.head in ("trigger", "cause")
        and is_causal(part)
        and (cause := blamed(part.args[1])) is not None
        and cause.is_named_by(part.args[0])
    ]


def starting_in(event: Event | None, shown: Sequence[Span]) -> list[str]:
    """List the scene in which an event begins, if it is shown."""
    return [
        str(span.index)
        for span in shown
        if event is not None and span.start_frame <= event.start_frame < span.stop_frame
    ]


def asked_scene(parts: Iterable[Term]) -> Term | None:
    """Return the event whose beginning is asked for, if the options are scenes."""
    return next((part.args[0] for part in parts if part.head == "starts"), None)
