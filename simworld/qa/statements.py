"""Statements on a part of a video: options are made of them.

They are true of some parts and false of others. Every part of every world of a scene is asked with
the same ones, so that none can be told from its words. A *description* says of two things whether
they happened in the part, or stood so; an *explanation* says what came of what, or did not, and
why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

from simworld.claims import Term, parse
from simworld.qa.accounts import MANY, because, hidden_conditions, named
from simworld.qa.claims import Facts
from simworld.scene import Scene

_NEIGHBOURS = 2
"""A description speaks of two events that stand so many places apart at most, in causal order."""
_WINDOW = 3
"""In a long chain only events so near to those of the part are spoken of, and what is beside it."""
_BESIDE = 2


def seen_conditions(scene: Scene) -> tuple[str, ...]:
    """Return the standing conditions, but those that show in nothing before they matter."""
    hidden = hidden_conditions(scene)
    return tuple(name for name in scene.conditions if name not in hidden)


def spoken_of(scene: Scene, here: Sequence[str]) -> tuple[str, ...]:
    """Return the events that statements on a part speak of, in causal order.

    Args:
        scene: The scene.
        here: The events that set in there.
    """
    events = scene.scm.events
    if len(events) <= MANY:
        return events
    places = [events.index(name) for name in here] or [0]
    near = {k for place in places for k in range(place - _WINDOW, place + _WINDOW + 1)}
    tied = {n for name in here for n in scene.scm.ancestors(name) | scene.scm.descendants(name)}
    beside = [name for name in events if name not in tied and name not in here][:_BESIDE]
    return tuple(name for k, name in enumerate(events) if k in near or name in beside)


def descriptions(scene: Scene, part: int, events: Sequence[str]) -> tuple[Term, ...]:
    """Return claims on two things each: that they happened in a part, in order, or did not.

    Example:
        >>> from simworld.scene import load_scene
        >>> cup = load_scene("falling_cup")
        >>> found = list(map(str, descriptions(cup, 2, cup.scm.events)))
        >>> "and(happens(bump, 2), not(happens(slide, 2)))" in found
        True
        >>> "and(happens(slide, 2), before(bump, slide))" in found
        True
        >>> "and(holds(hard_floor), not(happens(bump, 2)))" in found
        True
        >>> any("holds(hard_floor)" in text and "impact" in text for text in found)  # said of it
        False
    """
    return tuple(dict.fromkeys(_descriptions(scene, Term(str(part)), events)))


def explanations(scene: Scene, part: int, events: Sequence[str]) -> tuple[Term, ...]:
    """Return claims that one thing happened in a part because of another, or in spite of it.

    Example:
        >>> from simworld.scene import load_scene
        >>> cup = load_scene("falling_cup")
        >>> found = list(map(str, explanations(cup, 4, cup.scm.events)))
        >>> "and(happens(shatter, 4), cause(impact, shatter))" in found
        True
        >>> "and(not(occurs(fall)), cause(not(near_edge), not(fall)))" in found
        True
        >>> "and(happens(bump, 4), not(occurs(fall)))" in found
        True
        >>> "and(happens(shatter, 4), cause(knock, shatter))" in found
        True
    """
    return tuple(dict.fromkeys(_explanations(scene, Term(str(part)), events)))


def makeshifts(
    scene: Scene, facts: Facts, part: int, events: Sequence[str], *, causal: bool
) -> tuple[Term, ...]:
    """Return claims that are right nowhere, for where others make no wrong option of some kind.

    They tell of contacts that never were, of a colour as a cause, and of an effect as one.
    """
    makers = (_explained_badly if causal else _described_badly, _for_looks)
    claims = (claim for make in makers for claim in make(scene, facts, Term(str(part)), events))
    return tuple(dict.fromkeys(claims))


def _descriptions(scene: Scene, part: Term, events: Sequence[str]) -> Iterator[Term]:
    for a, b in combinations(range(len(events)), 2):
        if b - a <= _NEIGHBOURS:
            first, second = Term(events[a]), Term(events[b])
            yield from _both(_happens(first, part), _happens(second, part))
            yield Term("and", (_happens(first, part), Term("before", (second, first))))
            yield Term("and", (_happens(second, part), Term("before", (first, second))))
    standing = [Term("holds", (Term(name),)) for name in seen_conditions(scene)]
    told_by = {variant.variable: variant.when for variant in scene.variants}
    for condition, name in product(standing, events):
        if condition.args[0].head not in told_by.get(name, {}):
            yield from _both(condition, _happens(Term(name), part))
    for one, other in combinations(standing, 2):
        yield from _both(one, other)


def _explanations(scene: Scene, part: Term, events: Sequence[str]) -> Iterator[Term]:
    conditions = seen_conditions(scene)
    seen = {*events, *conditions}
    for effect in events:
        accounts = (claim for claim in because(scene, effect) if seen.issuperset(named(claim)))
        yield from (_anchored(claim, part) for claim in accounts)
        causes = [name for name in scene.scm.ancestors(effect) if name in seen]
        yield from (_not_caused(Term(cause), effect, part) for cause in sorted(causes))
        ancestors = scene.scm.ancestors(effect)
        for name in conditions:
            if name not in ancestors:
                yield from (_caused(cause, effect, part) for cause in _signed(name))
                yield _not_caused(Term(name), effect, part)
    for beside, event in permutations(events, 2):
        if not _connected(scene, beside, event):
            yield _caused(Term(beside), event, part)
            yield _not_caused(Term(beside), event, part)


def _described_badly(
    scene: Scene, facts: Facts, part: Term, events: Sequence[str]
) -> Iterator[Term]:
    for hit, event in _contacts(scene, events):
        for said in (_happens(event, part), _not(_happens(event, part))):
            yield Term("and", (_happens(hit, part), said))


def _explained_badly(
    scene: Scene, facts: Facts, part: Term, events: Sequence[str]
) -> Iterator[Term]:
    for hit, event in _contacts(scene, events):
        yield _caused(hit, event.head, part)
        yield Term("and", (_happens(hit, part), _not(Term("occurs", (event,)))))
    for cause, effect in permutations(events, 2):
        if effect in scene.scm.parents(cause):
            yield _caused(Term(cause), effect, part)


def _both(first: Term, second: Term) -> Iterator[Term]:
    """Yield the four ways in which two things may be so or not; what is so is told first."""
    for one, other in product((True, False), repeat=2):
        said = (first if one else _not(first), second if other else _not(second))
        yield Term("and", said if one or not other else said[::-1])


def _connected(scene: Scene, one: str, other: str) -> bool:
    return one in scene.scm.ancestors(other) or other in scene.scm.ancestors(one)


def _caused(cause: Term, effect: str, part: Term) -> Term:
    """Say that an event happened in a part because of something."""
    return Term("and", (_happens(Term(effect), part), Term("cause", (cause, Term(effect)))))


def _not_caused(cause: Term, effect: str, part: Term) -> Term:
    """Say that an event happened in a part, and not because of something that is so."""
    return Term("and", (_happens(Term(effect), part), _not(Term("cause", (cause, Term(effect))))))


def _signed(name: str) -> tuple[Term, Term]:
    return Term(name), _not(Term(name))


def _contacts(scene: Scene, events: Sequence[str]) -> Iterator[tuple[Term, Term]]:
    """Yield the contacts that there are words for, each with an event or two of its things."""
    for text in scene.others:
        hit = parse(text)
        if hit.head == "hit":
            things = {thing.head for thing in hit.args}
            own = [e for e in events if things & set(scene.phrases[e].participants)]
            for event in own[:2]:
                yield hit, Term(event)


def _for_looks(scene: Scene, facts: Facts, part: Term, events: Sequence[str]) -> Iterator[Term]:
    """Yield claims that a thing's colour made an event happen; any thing will do."""
    for thing in sorted(facts.recolored & facts.colors.keys())[:1]:
        look = Term("=", (Term("color", (Term(thing),)), Term(facts.colors[thing])))
        yield from (_caused(look, event, part) for event in events)


def _anchored(claim: Term, part: Term) -> Term:
    """Say of what an account begins with that it happens in a part."""
    match claim:
        case Term("and", (Term("occurs", (event,)), rest)):
            return Term("and", (_happens(event, part), rest))
    return claim


def _happens(event: Term, part: Term) -> Term:
    return Term("happens", (event, part))


def _not(claim: Term) -> Term:
    return Term("not", (claim,))
