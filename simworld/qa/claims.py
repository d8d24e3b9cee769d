"""What claims mean: `decide` tells from the facts of one clip whether a claim holds.

Generator and audit each gather their own `Facts` and share `decide`. It never guesses: a claim
that the facts do not settle raises `Undecided`.

- `happens(E, i)`: E sets in within segment i. An event that is still going on when the segment
  begins neither happens in it nor not. What stands all along, such as a colour, never happens.
- `starts(E, i)`: E sets in within segment i, whatever is going on at other times.
- `touches(a, b, i)`: the two objects touch at some time in segment i.
- `trigger(X, Y)`: X is a trigger of Y and has an edge to it; `cause` and `enables` likewise by
  role. X may be a variable, `not(X)` for what did not happen, a colour, or a contact. Nothing
  causes what did not happen; what is not so, or comes later, causes nothing.
- `cause(X, not(Y))`: X is a cause of Y's not happening.
- `would(X = x, P)`: P holds in the world that differs by do(X := x) alone; P speaks of conditions
  and events of the model.
- `shows(Y, X)`: Y happens, X holds, and without X Y would not happen; either may be denied. So
  whoever sees Y, and all else, can tell X. `untold(X)`: no event would be otherwise without X.
- A colour causes nothing once a world that differs in it, and in nothing that matters, came out
  alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from simworld.causal import Role
from simworld.causal.verdicts import Directness
from simworld.claims import Term
from simworld.errors import CheckError


class Undecided(CheckError):
    """The facts do not settle a claim, or it speaks of something that they do not know."""


@dataclass(frozen=True, slots=True)
class Happening:
    """When something set in, and the frames [start_frame, stop_frame) that it took."""

    start_step: int
    start_frame: int
    stop_frame: int


@dataclass(frozen=True, slots=True)
class Relation:
    """What a cause was to an effect, as in a verdict."""

    role: Role
    directness: Directness
    actual: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of one clip.

    Attributes:
        conditions: Value of every standing condition.
        events: For every event of the model when it happened, None if it did not.
        contacts: For a pair of objects every contact, in order of time; all pairs that ever
            touch are in it.
        breaks: Every object that broke.
        segments: Frames [start, stop) of each segment, by its number.
        relations: For each proven pair (cause, effect) what the one was to the other.
        colors: Colour word of each visible object.
        recolored: Objects of which it is proven that their colour changes no value.
        objects: Every object that claims may name, visible or not.
        outcomes: For every single intervention (variable, value) that was simulated in this
            clip's context, without noise, the value of every condition and event.
    """

    conditions: Mapping[str, int]
    events: Mapping[str, Happening | None]
    contacts: Mapping[frozenset[str], tuple[Happening, ...]]
    breaks: Mapping[str, Happening]
    segments: Mapping[int, tuple[int, int]]
    relations: Mapping[tuple[str, str], Relation]
    colors: Mapping[str, str]
    recolored: frozenset[str]
    objects: frozenset[str]
    outcomes: Mapping[tuple[str, int], Mapping[str, int]] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, int]:
        """Value of every condition and event."""
        events = {name: int(happening is not None) for name, happening in self.events.items()}
        return {**self.conditions, **events}


def decide(claim: Term, facts: Facts) -> bool:
    """Tell whether a claim holds.

    Raises:
        Undecided: The facts do not settle it.

    Example:
        >>> from simworld.claims import parse
        >>> bump = Happening(start_step=40, start_frame=4, stop_frame=5)
        >>> facts = Facts({}, {"bump": bump}, {}, {}, {1: (0, 4), 2: (4, 9)}, {},
        ...               {"mug": "blue"}, frozenset(), frozenset({"mug"}))
        >>> decide(parse("happens(bump, 2)"), facts), decide(parse("color(mug) = red"), facts)
        (True, False)
    """
    rule = _RULES.get((claim.head, len(claim.args)))
    if rule is None:
        known = ", ".join(sorted(head for head, _ in _RULES))
        raise Undecided(f"expected a claim with one of {known}, found {str(claim)!r}; reword it")
    return rule(facts, *claim.args)


def world_of(claim: Term, facts: Facts) -> Mapping[str, int]:
    """Return the value of every condition and event in the world that a claim speaks of.

    Raises:
        Undecided: It is a world that was not simulated.
    """
    match claim:
        case Term("would", (Term("=", (Term(name, ()), Term("0" | "1" as value, ()))), _)):
            if (name, int(value)) in facts.outcomes:
                return facts.outcomes[name, int(value)]
            raise Undecided(f"no rollout of do({name} := {value}) was run")
        case Term("would", (setting, _)):
            raise Undecided(f"expected a setting such as bump = 0 in would, found {str(setting)!r}")
    return facts.values


def occurrences(event: Term, facts: Facts) -> tuple[Happening, ...]:
    """Return every time that an event sets in, in order; none if it does not occur.

    Raises:
        Undecided: It is no event that the facts know.
    """
    match event:
        case Term(name, ()) if name in facts.events:
            happening = facts.events[name]
            return () if happening is None else (happening,)
        case Term("hit", (Term(a, ()), Term(b, ()))):
            _check_objects(facts, a, b)
            return facts.contacts.get(frozenset((a, b)), ())
        case Term("again", (Term("hit", _) as hit,)):
            return occurrences(hit, facts)[1:]
        case Term("breaks", (Term(a, ()),)):
            _check_objects(facts, a)
            return (facts.breaks[a],) if a in facts.breaks else ()
    raise Undecided(f"the facts know no event {str(event)!r}; name a variable or a hit(a, b)")


def _check_objects(facts: Facts, *names: str) -> None:
    for name in names:
        if name not in facts.objects:
            known = ", ".join(sorted(facts.objects))
            raise Undecided(f"the facts know no object {name!r}; name one of {known}")


def _segment(number: Term, facts: Facts) -> tuple[int, int]:
    try:
        return facts.segments[int(number.head)]
    except (KeyError, ValueError) as error:
        raise Undecided(
            f"expected a segment from 1 to {len(facts.segments)}, found {str(number)!r}"
        ) from error


def _not(facts: Facts, claim: Term) -> bool:
    return not decide(claim, facts)


def _and(facts: Facts, *claims: Term) -> bool:
    """One false part settles it, whatever is known of the others."""
    unsettled: Undecided | None = None
    for claim in claims:
        try:
            if not decide(claim, facts):
                return False
        except Undecided as error:
            unsettled = error
    if unsettled is not None:
        raise unsettled
    return True


def _holds(facts: Facts, condition: Term) -> bool:
    if condition.args or condition.head not in facts.conditions:
        raise Undecided(f"the facts know no condition {str(condition)!r}")
    return bool(facts.conditions[condition.head])


def _occurs(facts: Facts, event: Term) -> bool:
    return bool(occurrences(event, facts))


def _happens(facts: Facts, event: Term, segment: Term) -> bool:
    start, stop = _segment(segment, facts)
    if event.head == "=":
        decide(event, facts)
        return False
    times = occurrences(event, facts)
    if any(start <= time.start_frame < stop for time in times):
        return True
    if any(time.start_frame < start < time.stop_frame for time in times):
        raise Undecided(f"{event} is still going on when segment {segment} begins")
    return False


def _starts(facts: Facts, event: Term, segment: Term) -> bool:
    start, stop = _segment(segment, facts)
    return any(start <= time.start_frame < stop for time in occurrences(event, facts))


def _would(facts: Facts, setting: Term, claim: Term) -> bool:
    return _holds_in(world_of(Term("would", (setting, claim)), facts), facts, claim)


def _holds_in(values: Mapping[str, int], facts: Facts, claim: Term) -> bool:
    """Tell whether what is said of conditions and events fits their values."""
    match claim:
        case Term("not", (inner,)):
            return not _holds_in(values, facts, inner)
        case Term("and", parts):
            return all([_holds_in(values, facts, part) for part in parts])
        case Term("occurs", (Term(name, ()),)) if name in facts.events:
            return bool(values[name])
        case Term("holds", (Term(name, ()),)) if name in facts.conditions:
            return bool(values[name])
    raise Undecided(f"of another world the facts do not know {str(claim)!r}")


def _touches(facts: Facts, a: Term, b: Term, segment: Term) -> bool:
    start, stop = _segment(segment, facts)
    times = occurrences(Term("hit", (a, b)), facts)
    return any(time.start_frame < stop and start < time.stop_frame for time in times)


def _before(facts: Facts, first: Term, second: Term) -> bool:
    one, other = occurrences(first, facts), occurrences(second, facts)
    return bool(one and other) and one[0].start_step < other[0].start_step


def _equals(facts: Facts, left: Term, right: Term) -> bool:
    match left:
        case Term("color", (Term(name, ()),)) if name in facts.colors:
            return facts.colors[name] == right.head
    raise Undecided(f"the facts do not know {str(left)!r}; ask for a visible object's colour")


def _trigger(facts: Facts, cause: Term, effect: Term) -> bool:
    return _relates(
        facts,
        cause,
        effect,
        lambda r: r.role in ("trigger", "omission") and r.directness == "direct",
    )


def _cause(facts: Facts, cause: Term, effect: Term) -> bool:
    return _relates(facts, cause, effect, lambda r: r.actual or r.role == "overdeterminer")


def _enables(facts: Facts, cause: Term, effect: Term) -> bool:
    return _relates(
        facts,
        cause,
        effect,
        lambda r: r.role == "enabling_condition" and r.directness == "direct",
    )


def _relates(facts: Facts, cause: Term, effect: Term, accepts: Callable[[Relation], bool]) -> bool:
    """Tell whether a cause is one of a kind."""
    kept_away = effect.head == "not"
    effect = effect.args[0] if kept_away else effect
    onset = _effect(facts, effect)
    if (onset is None) is not kept_away:
        return False
    if cause.head == "=":
        return _look_relates(facts, cause)
    absent = cause.head == "not"
    named = cause.args[0] if absent else cause
    standing = not named.args and named.head in facts.conditions
    times = () if standing else occurrences(named, facts)
    is_so = bool(facts.conditions[named.head]) if standing else bool(times)
    if is_so == absent:
        return False
    if onset and times and all(time.start_step > onset.start_step for time in times):
        return False
    relation = facts.relations.get((str(named), effect.head))
    if relation is None:
        raise Undecided(f"what {named} was to {effect} is not proven")
    return accepts(relation)


def _effect(facts: Facts, effect: Term) -> Happening | None:
    """Return when an effect set in; None if it did not happen."""
    if effect.args or effect.head not in facts.events:
        raise Undecided(f"an effect is an event of the model, found {str(effect)!r}")
    return facts.events[effect.head]


def _look_relates(facts: Facts, look: Term) -> bool:
    subject = look.args[0]
    if not decide(look, facts):
        return False
    if subject.head == "color" and subject.args[0].head in facts.recolored:
        return False
    raise Undecided(f"no world that differs in {subject} alone was tried")


def _shows(facts: Facts, event: Term, condition: Term) -> bool:
    """Tell whether an event's happening, or not, shows that a condition holds, or does not."""
    (name, happens), (hidden, holds) = _signed(event), _signed(condition)
    if (_effect(facts, Term(name)) is not None) != happens:
        return False
    other = _otherwise(facts, hidden)
    return facts.conditions[hidden] == holds and other[name] != happens


def _untold(facts: Facts, condition: Term) -> bool:
    other = _otherwise(facts, condition.head)
    return all(other[name] == facts.values[name] for name in facts.events)


def _otherwise(facts: Facts, condition: str) -> Mapping[str, int]:
    """Return all values in the world that differs by one condition alone."""
    if condition not in facts.conditions:
        raise Undecided(f"the facts know no condition {condition!r}")
    other = Term(str(1 - facts.conditions[condition]))
    return world_of(Term("would", (Term("=", (Term(condition), other)), other)), facts)


def _signed(end: Term) -> tuple[str, int]:
    return (end.args[0].head, 0) if end.head == "not" else (end.head, 1)


_RULES: dict[tuple[str, int], Callable[..., bool]] = {
    ("not", 1): _not,
    ("and", 2): _and,
    ("holds", 1): _holds,
    ("occurs", 1): _occurs,
    ("happens", 2): _happens,
    ("starts", 2): _starts,
    ("touches", 3): _touches,
    ("before", 2): _before,
    ("=", 2): _equals,
    ("trigger", 2): _trigger,
    ("cause", 2): _cause,
    ("enables", 2): _enables,
    ("would", 2): _would,
    ("shows", 2): _shows,
    ("untold", 1): _untold,
}
