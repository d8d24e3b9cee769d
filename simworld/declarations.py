"""What is wrong with a script's declarations, found without simulating anything."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from simworld.errors import InputError
from simworld.render.palette import color_rgb
from simworld.scene import Choice, Context, Range, Scene
from simworld.truth import FACTUAL
from simworld.world.spec import WorldSpec


def faults(scene: Scene) -> Iterator[str]:
    """Yield, one line each, what a scene declares that cannot be right.

    Example:
        >>> from simworld.scene import load_scene
        >>> list(faults(load_scene("falling_cup")))
        []
    """
    shown = scene.draw(0, "train", 0, fixed=scene.showcase)
    spec = scene.world(shown, FACTUAL)
    for part in (
        _description_faults(scene, shown),
        _event_faults(scene, spec),
        _condition_faults(scene, shown),
        _staging_faults(scene, shown),
        _lacking_faults(scene),
        itertools.chain.from_iterable(map(_setting_faults, scene.settings)),
        _word_faults(scene, spec),
        _world_faults(scene, shown),
    ):
        yield from part


def _description_faults(scene: Scene, shown: Context) -> Iterator[str]:
    if not scene.summary.strip() or not scene.tags:
        yield "summary and tags: expected both, found none; say what is seen, and its structure"
    if scene.version < 1:
        yield f"version: expected 1 or more, found {scene.version}"
    for name in scene.key_events:
        if name not in scene.asked:
            yield f"asked: expected the events to ask about in the segment of {name}, found none"
    values = scene.scm.evaluate(shown.levels)
    unseen = [name for name in scene.key_events if not values[name]]
    if len(unseen) == len(scene.key_events):
        yield f"showcase: expected levels at which a key event happens, found none of {unseen}"


def _event_faults(scene: Scene, spec: WorldSpec) -> Iterator[str]:
    events = set(scene.scm.events)
    prevented = {handle.variable for handle in spec.handles if handle.value == 0}
    yield from _differing("detectors", set(spec.detectors), set(scene.scm.endogenous))
    yield from _differing("deadlines", set(spec.deadlines), events)
    yield from _differing("handles that prevent", prevented, events)
    for name, deadline in spec.deadlines.items():
        if deadline >= spec.duration_steps:
            yield (
                f"deadline of {name}: expected a step before the clip's end at "
                f"{spec.duration_steps}, found {deadline}"
            )
        for cause in scene.scm.parents(name) if name in events else ():
            if spec.deadlines.get(cause, 0) > deadline:
                yield (
                    f"deadline of {name}: expected none before that of its cause {cause} at "
                    f"{spec.deadlines[cause]}, found {deadline}"
                )


def _condition_faults(scene: Scene, shown: Context) -> Iterator[str]:
    standing = {name for name in scene.scm.endogenous if scene.scm.kind(name) == "condition"}
    yield from _differing("conditions", set(scene.conditions), standing)
    for name in standing & set(scene.conditions):
        for value in (0, 1):
            levels = scene.conditions[name].get(value)
            if levels is None:
                yield f"conditions: expected levels that make {name} = {value}, found none"
            elif scene.scm.evaluate(shown.at(levels).levels)[name] != value:
                yield f"conditions: expected {dict(levels)} to make {name} = {value}; it does not"


def _staging_faults(scene: Scene, shown: Context) -> Iterator[str]:
    before = scene.scm.evaluate(shown.levels)
    names = [staged.name for staged in scene.staged]
    for staged in scene.staged:
        where = f"staged {staged.name}"
        if names.count(staged.name) > 1:
            yield f"{where}: expected a name of its own, found it twice"
        after = scene.scm.evaluate(shown.at(staged.levels).levels)
        if not after[staged.variable] == staged.value != before[staged.variable]:
            yield (
                f"{where}: expected to turn {staged.variable} from {1 - staged.value} to "
                f"{staged.value} in the showcase, found {before[staged.variable]} before and "
                f"{after[staged.variable]} after"
            )
        if not (staged.words[:1].isupper() and staged.words.endswith(".")):
            yield f"{where}: expected a sentence, found {staged.words!r}"


def _lacking_faults(scene: Scene) -> Iterator[str]:
    """Yield why no story could take the thing away that the scene would have in its way."""
    if scene.lacks is None:
        return
    try:
        _ = scene.lacking
    except InputError as error:
        yield str(error)
    staged = next(s for s in scene.staged if s.name == scene.lacks)
    decided = {child for setting in staged.levels for child in scene.scm.children(setting)}
    alone = scene.scm.parents(staged.variable) == tuple(staged.levels)
    if len(staged.levels) != 1 or decided != {staged.variable} or not alone:
        yield (
            f"lacks {scene.lacks}: expected one setting that decides {staged.variable} alone, "
            f"found {', '.join(staged.levels)}, which decide {', '.join(sorted(decided))}"
        )


def _setting_faults(setting: Choice | Range) -> Iterator[str]:
    """Yield what is wrong with weights, or with bands: levels must be far from each other."""
    weights = (
        setting.weights
        if isinstance(setting, Choice)
        else {level: band.weight for level, band in setting.bands.items()}
    )
    if min(weights.values(), default=0.0) <= 0:
        yield f"setting {setting.name}: expected weights above 0, found {dict(weights)}"
    spans: list[tuple[float, float]] = []
    for level, band in setting.bands.items() if isinstance(setting, Range) else ():
        low, high = band.held_out
        if not (band.low < band.high and low < high and (low >= band.high or high <= band.low)):
            yield (
                f"setting {setting.name}, level {level}: expected two ranges beside each other, "
                f"found {(band.low, band.high)} and, held out, {band.held_out}"
            )
        spans.append((min(band.low, low), max(band.high, high)))
    for one, other in itertools.pairwise(sorted(spans)):
        if one[1] >= other[0]:
            yield f"setting {setting.name}: expected a gap between levels, found {one} and {other}"


def _word_faults(scene: Scene, spec: WorldSpec) -> Iterator[str]:
    names = {body.object_name for body in spec.bodies}
    named: Mapping[str, tuple[str, ...]] = {
        "things": tuple(scene.things),
        "opening": (scene.opening.about,),
        **{f"words for {name}": phrase.participants for name, phrase in scene.phrases.items()},
        **{f"words for {claim}": phrase.participants for claim, phrase in scene.others.items()},
    }
    for where, objects in named.items():
        for name in objects:
            if name not in names:
                yield f"{where}: expected objects of {', '.join(sorted(names))}, found {name!r}"
    for name, phrase in (*scene.phrases.items(), *scene.others.items()):
        if not phrase.present or phrase.present.endswith("."):
            yield f"words for {name}: expected a clause without full stop, found {phrase.present!r}"


def _world_faults(scene: Scene, shown: Context) -> Iterator[str]:
    """Yield what differs between worlds that must not, and colours that there are not."""
    usual = scene.build(shown)
    if scene.build(shown) != usual:
        yield "build: expected the same world of the same context; let nothing else have a say"
    nuisances = {n.name: n.words or n.between for n in scene.nuisances}
    at_levels = [shown.at({s.name: level}) for s in scene.settings for level in s.levels]
    looks = [
        replace(shown, nuisances={**shown.nuisances, name: value})
        for name, values in nuisances.items()
        for value in values
    ]
    for context in (*at_levels, *looks):
        spec = scene.build(context)
        if [body.name for body in spec.bodies] != [body.name for body in usual.bodies]:
            yield f"build: expected the same bodies in the same order, found others at {context}"
        for body in spec.bodies:
            try:
                color_rgb(body.color)
            except InputError as error:
                yield f"body {body.name}: {error}"
    for context in looks:
        for one, other in zip(usual.bodies, scene.build(context).bodies, strict=False):
            if one.mass_kg != other.mass_kg or (one.present != other.present and not one.nuisance):
                yield f"body {one.name}: expected nuisances to leave it there and as heavy"


def _differing(what: str, found: set[str], expected: set[str]) -> Iterator[str]:
    for name in sorted(expected - found):
        yield f"{what}: expected one for {name}, found none"
    for name in sorted(found - expected):
        yield f"{what}: expected those for {', '.join(sorted(expected))}, found {name!r} too"
