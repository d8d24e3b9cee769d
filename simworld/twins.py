"""Twins: a factual and a counterfactual world with one context and one difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from simworld import rng
from simworld.causal import Intervention
from simworld.errors import CheckError, InputError
from simworld.rehearsal import check_same_truth
from simworld.scene import Context, Nuisance, Scene, Split
from simworld.truth import FACTUAL, ClipTruth
from simworld.world.closure import SAME, moving_bodies, reached, strays
from simworld.world.rollout import Rollout

UNSEEN: Mapping[str, Any] = {
    "mass_kg": 1.0,
    "friction": 0.5,
    "rolling_friction": 0.0,
    "restitution": 0.1,
    "soft": None,
    "breakable": None,
}
"""What cannot be seen of a body at rest, with values that say nothing."""

STATE_COLUMNS = slice(0, 7)
"""Position and quaternion: what two worlds must share to look alike."""


@dataclass(frozen=True, slots=True)
class World:
    """One world of a group: its settings, truth, and the rollout that is shown."""

    truth: ClipTruth
    rollout: Rollout


@dataclass(frozen=True, slots=True)
class Plan:
    """How one twin differs: its context, the intervention meant, and how it is staged.

    The events of `keeps` must come out alike, by other causes; a `hidden` difference must not
    show before it acts.
    """

    name: str
    kind: str
    context: Context
    do: Intervention
    means: str
    words: str
    keeps: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """What a twin changed and what it left alone.

    `same_bodies` are the bodies that nothing which differs ever touched; all their states are
    the same. `divergence_step` is the first step at which anything differs.
    """

    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    same_bodies: tuple[str, ...]
    divergence_step: int


def plan_twin(
    scene: Scene, context: Context, twin: str, seed: int, split: Split, instance: int
) -> Plan:
    """Read a recipe's twin: `remove_cause:STAGED`, `nuisance`, or `KIND:VARIATION`.

    Raises:
        InputError: The scene has no such twin.
    """
    kind, _, name = twin.partition(":")
    staged = {s.name: s for s in scene.staged}
    if kind == "remove_cause" and name in staged:
        one = staged[name]
        return Plan(
            name,
            kind,
            context.at(one.levels),
            Intervention.of({one.variable: one.value}),
            f"staged:{name}",
            one.words,
        )
    if twin == "nuisance":
        looks = other_looks(scene, context, seed, split, instance)
        return Plan("nuisance", kind, looks, FACTUAL, "nuisance", "Only the looks differ.")
    for varied in scene.variations:
        if (varied.kind, varied.name) == (kind, name):
            return Plan(
                name,
                kind,
                context.at(varied.levels),
                Intervention.of(varied.levels),
                f"levels:{name}",
                varied.words,
                varied.keeps,
                varied.hidden,
            )
    raise InputError(
        f"scene {scene.name} has no twin {twin!r}; it has {', '.join(twins_of(scene))}"
    )


def twins_of(scene: Scene) -> tuple[str, ...]:
    """Name every twin that a scene has, as a recipe asks for it."""
    staged = [f"remove_cause:{one.name}" for one in scene.staged]
    return (*staged, *(f"{one.kind}:{one.name}" for one in scene.variations), "nuisance")


def spelled_out(scene: Scene, context: Context, twins: Sequence[str]) -> tuple[str, ...]:
    """Name the twins of one context: `remove_cause` alone stands for all that can be staged.

    What the context has staged already is left out.
    """
    named = []
    for twin in twins:
        changing = [one for one in scene.staged if context.at(one.levels) != context]
        all_staged = [f"remove_cause:{one.name}" for one in changing]
        named += all_staged if twin == "remove_cause" else [twin]
    return tuple(dict.fromkeys(named))


def other_looks(scene: Scene, context: Context, seed: int, split: Split, instance: int) -> Context:
    """Return the context with every nuisance changed: other words, other amounts."""
    changed = {
        n.name: _other(n, context, (seed, split, scene.name, instance, "other_looks"))
        for n in scene.nuisances
    }
    return replace(context, nuisances=changed)


def _other(nuisance: Nuisance, context: Context, key: tuple[str | int, ...]) -> str | float:
    generator = rng.stream(*key, nuisance.name)
    if nuisance.words:
        words = [word for word in nuisance.words if word != context.nuisances[nuisance.name]]
        return words[int(generator.integers(len(words)))]
    return float(generator.uniform(*nuisance.between))


def compare(scene: Scene, factual: World, other: World, plan: Plan) -> Difference:
    """Check that a twin changed what it should and nothing else, and say what it changed.

    Raises:
        CheckError: A non-descendant changed, or a body that nothing different ever touched.
    """
    names = scene.scm.endogenous
    before, after = factual.truth.values, other.truth.values
    changed = tuple(name for name in names if before[name] != after[name])
    allowed = {*plan.do, *(name for x in plan.do for name in scene.scm.descendants(x))}
    for name in changed:
        if name not in allowed:
            raise CheckError(
                f"scene {scene.name}: the twin {plan.name} changed {name}, which does not "
                f"depend on {', '.join(plan.do)}"
            )
    _check_kind(scene, factual, other, plan)
    same = _untouched(scene, factual, other)
    for body in strays(factual.rollout, other.rollout, same):
        raise CheckError(
            f"scene {scene.name}: in the twin {plan.name} {body} moves otherwise, though nothing "
            "that differs ever touches it"
        )
    return Difference(
        changed,
        tuple(name for name in names if name not in changed),
        same,
        _divergence_step(factual.rollout, other.rollout),
    )


def _check_kind(scene: Scene, factual: World, other: World, plan: Plan) -> None:
    """Check what a twin's kind promises: what it keeps, and that it makes a difference."""
    what = f"scene {scene.name}: the twin {plan.name}"
    before, after = factual.truth, other.truth
    if plan.kind in ("nuisance", "retime"):
        one, two = (t.rehearsals[t.rollout] for t in (before, after))
        check_same_truth(one, two, what)
    if plan.kind == "retime" and _told(before) == _told(after):
        raise CheckError(f"{what} changes no order and no verdict: no answer would change")
    for event in plan.keeps:
        if not before.values[event] == after.values[event] == 1:
            raise CheckError(f"{what} must keep {event}, which does not happen in both worlds")
        if causes_of(before, event) == causes_of(after, event):
            raise CheckError(f"{what} must give {event} another cause, and gives it the same")
    if plan.hidden:
        looks = [[replace(b, **UNSEEN) for b in scene.world(t.context, FACTUAL).bodies]
                 for t in (before, after)]  # fmt: skip
        if looks[0] != looks[1]:
            raise CheckError(f"{what} must not show, and changes how a body looks or where it is")


def causes_of(truth: ClipTruth, event: str) -> frozenset[str]:
    """Return the actual causes of an event, and the parts of its joint ones."""
    return frozenset(
        proven.verdict.cause
        for proven in truth.verdicts
        if proven.verdict.effect == event
        and (proven.verdict.actual or proven.verdict.part_of_cause)
    )


def _told(truth: ClipTruth) -> tuple[object, ...]:
    """Return what answers rest on: the order of the events, and their causes."""
    order = tuple(sorted(truth.onsets, key=lambda name: (truth.onsets[name], name)))
    return order, tuple((event, causes_of(truth, event)) for event in sorted(truth.onsets))


def _untouched(scene: Scene, factual: World, other: World) -> tuple[str, ...]:
    """Name the bodies that nothing which differs ever touches, directly or through others."""
    specs = [scene.world(w.truth.context, FACTUAL) for w in (factual, other)]
    bodies = [{body.name: replace(body, color="") for body in spec.bodies} for spec in specs]
    sources = {name for name in bodies[0] if bodies[0][name] != bodies[1][name]}
    sources |= {action.body for action in set(specs[0].actions) ^ set(specs[1].actions)}
    touched = reached(sources, moving_bodies(specs), (factual.rollout, other.rollout))
    return tuple(sorted(set(bodies[0]) - touched))


def _divergence_step(one: Rollout, other: Rollout) -> int:
    """Find the first step at which the pose of some body differs, or it exists in one only."""
    steps = min(one.steps, other.steps) + 1
    shared = [name for name in one.bodies if name in other.bodies]
    first = one.states[:steps, [one.index(n) for n in shared], STATE_COLUMNS]
    second = other.states[:steps, [other.index(n) for n in shared], STATE_COLUMNS]
    same = (np.abs(first - second) <= SAME) | (np.isnan(first) & np.isnan(second))
    differs = np.flatnonzero(~same.all(axis=(1, 2)))
    return int(differs[0]) if len(differs) else steps
