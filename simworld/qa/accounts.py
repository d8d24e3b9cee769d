"""Accounts: statements on what came of what, true in some worlds of a scene and false in others.

Every world of a scene is asked with the same ones, so that none can be told from its words: "the
mug broke because it hit the floor" is right where it did, and wrong where a rug lay there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations, product

from simworld.benchmarks.causalstep.schema import DistractorKind
from simworld.claims import Term
from simworld.qa.claims import Facts, decide, world_of
from simworld.scene import Scene, Staged

MANY = 12
"""In scenes of more events accounts are on neighbours in the graph alone, lest they be too many."""


def accounts(scene: Scene) -> tuple[Term, ...]:
    """Return claims on what leads to what: the one because of the other, or not in spite of it.

    Example:
        >>> from simworld.scene import load_scene
        >>> found = list(map(str, accounts(load_scene("falling_cup"))))
        >>> "and(occurs(shatter), cause(impact, shatter))" in found
        True
        >>> "and(not(occurs(fall)), cause(not(near_edge), not(fall)))" in found
        True
        >>> "and(occurs(slide), not(occurs(fall)))" in found
        True
    """
    return tuple(
        dict.fromkeys(claim for effect in scene.scm.events for claim in because(scene, effect))
    )


def suppositions(scene: Scene, staged: Staged) -> tuple[Term, ...]:
    """Return claims on what would happen, or not, under a staged intervention."""
    setting = Term("=", (Term(staged.variable), Term(str(staged.value))))
    events = [name for name in scene.scm.events if name != staged.variable]
    inner = [says(name) for name in events for says in (_occurs, _absent)]
    scm = scene.scm
    inner += [
        Term("and", (_occurs(first), says(second)))
        for first, second in permutations(events, 2)
        for says in (_occurs, _absent)
        if says is _absent or events.index(first) < events.index(second)
        if len(scm.events) <= MANY or first in scm.parents(second)
    ]
    return tuple(Term("would", (setting, claim)) for claim in inner)


def inferences(scene: Scene, hidden: str) -> tuple[Term, ...]:
    """Return claims on what shows a hidden condition, or that nothing does for want of a cause.

    Example:
        >>> from simworld.scene import load_scene
        >>> found = list(map(str, inferences(load_scene("hidden_mass"), "light_box")))
        >>> "shows(slide, light_box)" in found, "and(not(occurs(bump)), untold(light_box))" in found
        (True, True)
    """
    scm = scene.scm
    effects = [name for name in scm.events if name in scm.descendants(hidden)]
    beside = {other for child in scm.children(hidden) for other in scm.parents(child)}
    beside -= {hidden, *effects}
    reasons = beside.union(*map(scm.ancestors, beside))
    shown = [
        Term("shows", (_signed(effect, positive=happens), _signed(hidden, positive=holds)))
        for effect in effects
        for happens, holds in product((True, False), repeat=2)
    ]
    untold = [
        Term("and", (says(name), Term("untold", (Term(hidden),))))
        for name in scm.endogenous
        if name in reasons
        for says in ((_occurs, _absent) if name in scm.events else (_holds, _lacks))
    ]
    return (*shown, *untold)


def telling(claim: Term, scene: Scene, values: Mapping[str, int]) -> tuple[str, ...]:
    """Return the variables in which a viewer sees what a claim says.

    What is hidden is seen in the event that shows it, beside those that led there, or else the last
    one that might have.
    """
    if claim.head == "shows":
        [name], scm = named(claim.args[0]), scene.scm
        led = [one for one in scm.events if one in scm.parents(name) and values[one]]
        above = [one for one in scm.events if one in scm.ancestors(name) and values[one]]
        return (*(led or above[-1:]), name)
    return tuple(name for name in named(claim) if name not in hidden_conditions(scene))


def hidden_conditions(scene: Scene) -> tuple[str, ...]:
    """Return the conditions that depend on what cannot be seen.

    Example:
        >>> from simworld.scene import load_scene
        >>> hidden_conditions(load_scene("hidden_mass"))
        ('light_box',)
    """
    unseen = {level for one in scene.variations if one.hidden for level in one.levels}
    scm = scene.scm
    conditions = (name for name in scm.endogenous if name not in scm.events)
    return tuple(name for name in conditions if unseen & set(scm.parents(name)))


def named(claim: Term) -> tuple[str, ...]:
    """Return the variables that an account speaks of, each once."""
    match claim:
        case Term("would", (Term("=", (variable, _)), inner)):
            return tuple(dict.fromkeys((variable.head, *named(inner))))
        case Term(name, ()):
            return (name,)
    return tuple(dict.fromkeys(name for part in claim.args for name in named(part)))


def kind_of(claim: Term, facts: Facts) -> DistractorKind:
    """Return of which kind a false account is, as a wrong option."""
    inner = claim.args[1] if claim.head == "would" else claim
    if claim.head == "would" and decide(inner, facts):
        return "surface_level"
    values = world_of(claim, facts)
    if claim.head == "shows":
        untrue = [part for part in reversed(claim.args) if not _is_so(part, values)]
        return _kind_of_untrue(untrue[0]) if untrue else "causal_misattribution"
    first, *rest = inner.args if inner.head == "and" else (inner,)
    if not _is_so(first, values):
        return _kind_of_untrue(first)
    [second] = rest
    if second.head in ("not", "untold"):
        return "incomplete_reasoning"
    if second.head == "occurs":
        return _kind_of_untrue(second)
    cause = second.args[0]
    return "causal_misattribution" if _is_so(cause, values) else _kind_of_untrue(cause)


def _kind_of_untrue(claim: Term) -> DistractorKind:
    return "negation_polarity" if claim.head == "not" else "irrelevant_plausible"


def _is_so(claim: Term, values: Mapping[str, int]) -> bool:
    if claim.head == "not":
        return not _is_so(claim.args[0], values)
    return bool(values[claim.args[0].head if claim.args else claim.head])


def because(scene: Scene, effect: str) -> Iterator[Term]:
    """Yield the accounts of one event."""
    scm = scene.scm
    above = scm.ancestors(effect) if len(scm.events) <= MANY else scm.parents(effect)
    for cause in scm.endogenous:
        if cause in above:
            for cause_is, effect_is in product((True, False), repeat=2):
                yield _because(cause, effect, cause_is=cause_is, effect_is=effect_is)
            if cause in scm.events:
                yield Term("and", (_occurs(cause), _absent(effect)))


def _because(cause: str, effect: str, *, cause_is: bool, effect_is: bool) -> Term:
    said = _occurs(effect) if effect_is else _absent(effect)
    parts = (_signed(cause, positive=cause_is), _signed(effect, positive=effect_is))
    return Term("and", (said, Term("cause", parts)))


def _signed(name: str, *, positive: bool) -> Term:
    return Term(name) if positive else Term("not", (Term(name),))


def _occurs(event: str) -> Term:
    return Term("occurs", (Term(event),))


def _holds(condition: str) -> Term:
    return Term("holds", (Term(condition),))


def _lacks(condition: str) -> Term:
    return Term("not", (_holds(condition),))


def _absent(event: str) -> Term:
    return Term("not", (_occurs(event),))
