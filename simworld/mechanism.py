"""What holds of a scene rather than of one clip: edges and non-edges, shown by toggling.

An edge X -> Y: under some setting of Y's other parents, held by handles, toggling X changes Y;
a control toggles something else there and Y stays. A non-edge X -> Y: for a condition or event
X of a scene with `FEW` of them, Y's parents are held at every setting that can be brought about
and toggling X never changes Y; for a setting X, and in larger scenes for every X, its own
children are held at every value and toggling X changes nothing else.
Nothing is claimed of a setting that has a condition for a child: holding the condition is to
choose the setting.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from simworld.causal import Intervention, Unreachable, Value
from simworld.errors import CheckError
from simworld.lab import Lab
from simworld.scene import Context, Scene
from simworld.truth import FEW, Rehearsal

FORCING = "forcing"
"""The part of a survey that asks what bringing about an absent cause brings about."""

WITHOUT = "without:"
"""Begins the name of a part that toggles one variable with its children held."""

TOGETHER = 6
"""In a large scene, so many neighbours in causal order are surveyed together."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A proven edge: two rollouts that differ in the parent alone, and a control."""

    parent: str
    child: str
    role: str
    toggle: tuple[str, str]
    held: Intervention
    control: str


@dataclass(frozen=True, slots=True)
class NonEdge:
    """A proven absence of an edge: in all these rollout pairs the effect stayed."""

    cause: str
    effect: str
    contexts: int
    proof: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Pearl's probability of sufficiency, over the reference contexts.

    Of the `n` contexts in which cause and effect are both absent, the share in which bringing
    about the cause brings about the effect; None where n is 0 or the cause cannot be forced.
    """

    cause: str
    effect: str
    share: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Mechanism:
    """All that is proven of a scene, and the rollouts that it rests on."""

    scene: Scene
    edges: tuple[Edge, ...]
    non_edges: tuple[NonEdge, ...]
    sufficiency: tuple[Sufficiency, ...]
    rehearsals: Mapping[str, Rehearsal]


Pair = tuple[str, str]
Pairs = tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What one part of a survey shows in one reference context; many make a mechanism.

    `pairs` are those of rollouts that refute an edge from one variable to another.
    """

    edges: tuple[Edge, ...]
    pairs: Mapping[Pair, Pairs]
    forced: Mapping[Pair, bool]
    rehearsals: Mapping[str, Rehearsal]


def survey_parts(scene: Scene) -> tuple[str, ...]:
    """Name the parts of a survey, which can be done apart: an effect, a cause, `forcing`.

    In a large scene a part is several effects and causes, apart by blanks: neighbours in causal
    order, whose rollouts begin alike and are simulated together.
    """
    scm = scene.scm
    settings = [
        f"{WITHOUT}{name}"
        for name in scm.exogenous
        if not any(scm.kind(child) == "condition" for child in scm.children(name))
    ]
    effects = scm.endogenous
    if not _few(scene):
        blocks = (effects[k : k + TOGETHER] for k in range(0, len(effects), TOGETHER))
        effects = tuple(" ".join((*b, *(f"{WITHOUT}{name}" for name in b))) for b in blocks)
    return (*effects, *settings, FORCING)


def _few(scene: Scene) -> bool:
    return len(scene.scm.endogenous) <= FEW


def survey(scene: Scene, context: Context, part: str) -> Survey:
    """Toggle everything that one part asks for, in one reference context."""
    lab = Lab(scene)
    if part == FORCING:
        return Survey((), {}, _survey_forcing(lab, context), lab.rehearsals)
    names = part.split()
    lab.prepare(context, (do for name in names for do in _toggles(scene, context, name)))
    edges: list[Edge] = []
    pairs: dict[Pair, Pairs] = {}
    for name in names:
        if name.startswith(WITHOUT):
            pairs |= _survey_cause(lab, context, name.removeprefix(WITHOUT))
        else:
            found = _survey_effect(lab, context, name)
            edges += _edges_to(scene, name, found.by_setting, found.controls)
            pairs |= found.pairs
    return Survey(tuple(edges), pairs, {}, lab.rehearsals)


def merge(scene: Scene, surveys: Sequence[Survey]) -> Mechanism:
    """Put the surveys of the reference contexts together.

    Raises:
        CheckError: A declared edge was shown in none of them.
    """
    edges: dict[tuple[str, str], Edge] = {}
    for one in surveys:
        for edge in one.edges:
            edges.setdefault((edge.parent, edge.child), edge)
    for child in scene.scm.endogenous:
        for parent in scene.scm.parents(child):
            if (parent, child) not in edges:
                raise CheckError(
                    f"scene {scene.name} declares the edge {parent} -> {child}, but toggling "
                    f"{parent} changed {child} under no setting of its other parents in which "
                    "toggling something else could be a control; mend the equation, or give the "
                    "scene another event"
                )
    pairs = list(dict.fromkeys(pair for one in surveys for pair in one.pairs))
    non_edges = [
        NonEdge(cause, effect, sum(bool(one.pairs.get((cause, effect))) for one in surveys), proof)
        for cause, effect in pairs
        if (proof := tuple(p for one in surveys for p in one.pairs.get((cause, effect), ())))
    ]
    rehearsals = {name: r for one in surveys for name, r in one.rehearsals.items()}
    return Mechanism(
        scene, tuple(edges.values()), tuple(non_edges), _sufficiency(scene, surveys), rehearsals
    )


@dataclass(frozen=True, slots=True)
class _Found:
    by_setting: dict[tuple[Value, ...], Rehearsal]
    controls: dict[tuple[Value, ...], str]
    pairs: dict[Pair, Pairs]


def _settings(scene: Scene, names: Sequence[str]) -> Iterator[tuple[Value, ...]]:
    yield from itertools.product(*(scene.scm[name].domain for name in names))


def _run(lab: Lab, context: Context, do: Mapping[str, Value]) -> Rehearsal | None:
    try:
        return lab.run(context, Intervention.of(do))
    except Unreachable:
        return None


def _toggles(scene: Scene, context: Context, name: str) -> Iterator[Intervention]:
    """Yield what an effect or a cause is surveyed by, but for controls that stand in."""
    scm = scene.scm
    if name.startswith(WITHOUT):
        cause = name.removeprefix(WITHOUT)
        names = (cause, *scm.children(cause))
        for values in _settings(scene, names):
            yield Intervention.of(dict(zip(names, values, strict=True)))
        return
    parents, others = scm.parents(name), _others(scene, name)
    for setting in _settings(scene, parents):
        held = dict(zip(parents, setting, strict=True))
        yield Intervention.of(held)
        found = scm.evaluate(context.levels, held)
        for other in others if _few(scene) else others[:1]:
            yield Intervention.of({**held, other: 1 - int(found[other])})


def _others(scene: Scene, effect: str) -> list[str]:
    """Return the conditions and events that are toggled for an effect.

    In a large scene they are tried until one can be, to be the control; first the nearest that
    leads to the effect through its parents.
    """
    scm = scene.scm
    kept = (effect, *scm.parents(effect))
    others = [name for name in scm.endogenous if name not in kept]
    if _few(scene):
        return others
    leading = [name for name in others if effect in scm.descendants(name)]
    return [*reversed(leading), *(name for name in others if name not in leading)]


def _survey_effect(lab: Lab, context: Context, effect: str) -> _Found:
    """Hold an effect's parents at every setting, and toggle every other condition and event.

    In a large scene one of them is toggled, to be the control.
    """
    parents, others = lab.scene.scm.parents(effect), _others(lab.scene, effect)
    found = _Found({}, {}, {})
    pairs: dict[Pair, list[Pair]] = {(x, effect): [] for x in others}
    for setting in _settings(lab.scene, parents):
        held = dict(zip(parents, setting, strict=True))
        base = _run(lab, context, held)
        if base is None:
            continue
        found.by_setting[setting] = base
        for name in others:
            toggled = _run(lab, context, {**held, name: 1 - int(base.outcome.values[name])})
            if toggled is not None:
                _same(lab.scene, base, toggled, name, [effect])
                found.controls[setting] = toggled.rollout
                if not _few(lab.scene):
                    break
                pairs[name, effect].append((base.rollout, toggled.rollout))
    found.pairs.update({key: tuple(value) for key, value in pairs.items()})
    return found


def _survey_cause(lab: Lab, context: Context, cause: str) -> dict[Pair, Pairs]:
    """Hold a variable's children at every value, and put it at each of its own."""
    scm = lab.scene.scm
    children = scm.children(cause)
    others = [name for name in scm.endogenous if name != cause and name not in children]
    pairs: list[Pair] = []
    for values in _settings(lab.scene, children):
        held = dict(zip(children, values, strict=True))
        runs = [_run(lab, context, {**held, cause: value}) for value in scm[cause].domain]
        for base, toggled in itertools.pairwise([run for run in runs if run is not None]):
            _same(lab.scene, base, toggled, cause, others)
            pairs.append((base.rollout, toggled.rollout))
    return {(cause, effect): tuple(pairs) for effect in others}


def _same(
    scene: Scene, base: Rehearsal, toggled: Rehearsal, cause: str, effects: Sequence[str]
) -> None:
    for effect in effects:
        if base.outcome.values[effect] != toggled.outcome.values[effect]:
            raise CheckError(
                f"scene {scene.name} declares no edge {cause} -> {effect}, but it shows: "
                f"{base.do} and {toggled.do} differ in {effect}"
            )


def _edges_to(
    scene: Scene,
    effect: str,
    by_setting: Mapping[tuple[Value, ...], Rehearsal],
    controls: Mapping[tuple[Value, ...], str],
) -> Iterator[Edge]:
    """Find, for each parent, two settings that differ in it alone and in the effect's value."""
    parents = scene.scm.parents(effect)
    for at, parent in enumerate(parents):
        for one, other in itertools.combinations(by_setting, 2):
            if [k for k in range(len(parents)) if one[k] != other[k]] != [at]:
                continue
            first, second = by_setting[one], by_setting[other]
            changed = first.outcome.values[effect] != second.outcome.values[effect]
            if changed and one in controls:
                held = {n: v for n, v in zip(parents, one, strict=True) if n != parent}
                yield Edge(
                    parent,
                    effect,
                    scene.scm.edge_role(parent, effect),
                    (first.rollout, second.rollout),
                    Intervention.of(held),
                    controls[one],
                )
                break


def _survey_forcing(lab: Lab, context: Context) -> dict[tuple[str, str], bool]:
    """For each absent cause and absent effect: does bringing about the one bring the other?"""
    scm = lab.scene.scm
    values = lab.run(context).outcome.values
    lab.prepare(context, (Intervention.of({x: 1}) for x in scm.endogenous if not values[x]))
    forced = {}
    for cause in scm.endogenous:
        run = None if values[cause] else _run(lab, context, {cause: 1})
        if run is not None:
            for effect in scm.events:
                if effect != cause and not values[effect]:
                    forced[cause, effect] = bool(run.outcome.values[effect])
    return forced


def _sufficiency(scene: Scene, surveys: Sequence[Survey]) -> tuple[Sufficiency, ...]:
    found = []
    for cause in scene.scm.endogenous:
        for effect in scene.scm.events:
            if cause != effect:
                shown = [s.forced[cause, effect] for s in surveys if (cause, effect) in s.forced]
                share = sum(shown) / len(shown) if shown else None
                found.append(Sufficiency(cause, effect, share, len(shown)))
    return tuple(found)
