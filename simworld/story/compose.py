"""What a variable of one episode was to an event of another, composed of what is proven in each.

Episodes act on each other only by what is carried over: a loss `v` in the one decides a condition
`c` in the other, and `c` alone. So a variable is an actual cause (modified Halpern-Pearl) of an
event beyond exactly if it is one of `v` and `c` is one of that event: the sets held in the two
episodes together are a set to hold in the joined model, and any such set falls apart into two.
Where that would take a joint cause, nothing is said. Between episodes that nothing joins there is
no cause: undoing the one leaves all that goes into the other as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from simworld.causal import Verdict
from simworld.causal.verdicts import Role
from simworld.scene import Scene
from simworld.story.cast import LOST, Link, Story
from simworld.story.join import prefix, staged_of
from simworld.truth import ProvenVerdict

Pair = tuple[str, str]


@dataclass(frozen=True)
class Told:
    """What is known of one episode, by its own names; references are `clip:rollout`.

    `rendered` is the rollout that is shown, `undone` that in which one variable alone is undone.
    """

    scene: Scene
    values: Mapping[str, int]
    onsets: Mapping[str, int]
    verdicts: Mapping[Pair, ProvenVerdict]
    rendered: str
    undone: Mapping[str, str]


def composed(story: Story, told: Sequence[Told]) -> tuple[list[ProvenVerdict], list[ProvenVerdict]]:
    """Return the verdict on each pair of different episodes that can be proven, by joined names.

    First those on pairs that links join, then those on pairs that nothing joins.
    """
    joined: list[ProvenVerdict] = []
    apart: list[ProvenVerdict] = []
    for one, first in enumerate(told):
        for other, second in enumerate(told):
            if one == other:
                continue
            path = path_between(story, one, other)
            for cause in first.scene.scm.endogenous:
                for effect in second.scene.scm.events:
                    names = prefix(one) + cause, prefix(other) + effect
                    if path is None:
                        apart.append(_apart(names, (first, cause), (second, effect), one < other))
                    elif (verdict := _along(path, told, cause, effect)) is not None:
                        joined.append(verdict)
    return joined, apart


def path_between(story: Story, first: int, last: int) -> list[Link] | None:
    """Return the links that lead from one episode to another; None if none do."""
    into = {link.target: link for link in story.links}
    path: list[Link] = []
    at = last
    while at != first:
        if at not in into:
            return None
        path.insert(0, into[at])
        at = into[at].source
    return path


def _apart(
    names: Pair, first: tuple[Told, str], second: tuple[Told, str], earlier: bool
) -> ProvenVerdict:
    """Return the verdict on a pair that nothing joins; `earlier` if its cause's episode is."""
    (one, cause), (other, effect) = first, second
    proof = [one.rendered, *([one.undone[cause]] if cause in one.undone else []), other.rendered]
    values = one.values[cause], other.values[effect]
    verdict = _verdict(names, values, _no_cause(earlier and cause in one.onsets, values[1]))
    return ProvenVerdict(verdict, tuple(proof))


def _no_cause(happened_before: bool, effect_value: int) -> Role:
    """Return the role of what is no cause."""
    return "temporal_predecessor" if happened_before and effect_value else "unrelated"


def _along(path: list[Link], told: Sequence[Told], cause: str, effect: str) -> ProvenVerdict | None:
    """Return the verdict on a pair that links lead from and to, or None.

    Of each episode on the way it takes what led to the loss, and what the condition led to.
    """
    first, last = told[path[0].source], told[path[-1].target]
    names = prefix(path[0].source) + cause, prefix(path[-1].target) + effect
    steps: list[tuple[int, str, str]] = [(path[0].source, cause, LOST)]
    for before in path[:-1]:
        steps.append((before.target, decided(before, told), LOST))
    steps.append((path[-1].target, decided(path[-1], told), effect))
    parts = [_step(told[k], k, one, other) for k, one, other in steps]
    values = first.values[cause], last.values[effect]
    for part in parts:
        if part is not None and not (part.verdict.actual or part.verdict.part_of_cause):
            proof = (first.rendered, *part.proof, last.rendered)
            role = _no_cause(cause in first.onsets, values[1])
            return ProvenVerdict(_verdict(names, values, role), tuple(dict.fromkeys(proof)))
    known = [part for part in parts if part is not None and part.verdict.actual]
    if len(known) < len(parts):
        return None
    held = {name: value for part in known for name, value in (part.verdict.witness or {}).items()}
    kind = first.scene.scm.kind(cause)
    role = _role(values, kind == "condition")
    proof = tuple(dict.fromkeys(reference for part in known for reference in part.proof))
    verdict = Verdict(
        cause=names[0],
        effect=names[1],
        cause_value=values[0],
        effect_value=values[1],
        but_for=all(part.verdict.but_for for part in known),
        actual=True,
        part_of_cause=False,
        cause_set=(names[0],),
        witness=held,
        responsibility=Fraction(1, 1 + len(held)),
        directness="indirect",
        role=role,
        settings=(),
        proven=True,
    )
    return ProvenVerdict(verdict, proof)


def decided(link: Link, told: Sequence[Told]) -> str:
    """Return the condition that a link decides, by its episode's own name."""
    return staged_of(told[link.target].scene, link.staged).variable


def _step(told: Told, index: int, cause: str, effect: str) -> ProvenVerdict | None:
    """Return an episode's own verdict, its witness by joined names; of a variable on itself, too.

    A variable's loss is undone by undoing it.
    """
    if cause == effect:
        value = told.values[cause]
        itself = _verdict((cause, effect), (value, value), "trigger", actual=True)
        proof = [told.rendered, *([told.undone[cause]] if cause in told.undone else [])]
        return ProvenVerdict(itself, tuple(proof))
    found = told.verdicts.get((cause, effect))
    if found is None:
        return None
    witness = found.verdict.witness
    held = None if witness is None else {prefix(index) + n: value for n, value in witness.items()}
    return replace(found, verdict=replace(found.verdict, witness=held))


def _role(values: tuple[int, int], standing: bool) -> Role:
    """Return the role of an actual cause, as `causal.verdicts` defines it."""
    cause_value, effect_value = values
    if effect_value and standing:
        return "enabling_condition"
    if not cause_value:
        return "omission"
    return "trigger" if effect_value else "preventer"


def _verdict(names: Pair, values: tuple[int, int], role: Role, *, actual: bool = False) -> Verdict:
    """Return a verdict without a witness: of no cause, or of a variable on itself."""
    return Verdict(
        cause=names[0],
        effect=names[1],
        cause_value=values[0],
        effect_value=values[1],
        but_for=actual,
        actual=actual,
        part_of_cause=False,
        cause_set=(names[0],) if actual else None,
        witness={} if actual else None,
        responsibility=Fraction(int(actual)),
        directness="none",
        role=role,
        settings=(),
        proven=True,
    )
