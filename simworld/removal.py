"""What is left of a world when the objects of one event are taken away: object removal.

Labels of this kind are what earlier generators call causes. They are simulated and stored for the
models that use them; nothing here is a claim about causes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from simworld.errors import PlausibilityError
from simworld.scene import Context, Scene
from simworld.truth import FACTUAL, Removal
from simworld.world.simulate import simulate
from simworld.world.spec import WorldSpec, without


def removals(
    scene: Scene, context: Context, values: Mapping[str, int], onsets: Mapping[str, int]
) -> tuple[Removal, ...]:
    """Simulate the factual world without the objects of each event, in a worker.

    For an event and a later one, what is removed are the objects that move and take part in the
    first and not in the second; each set of objects once.
    """
    spec = scene.world(context, FACTUAL)
    return tuple(_remove(spec, things) for things in _removable(scene, spec, values, onsets))


def _remove(spec: WorldSpec, things: tuple[str, ...]) -> Removal:
    try:
        outcome = simulate(without(spec, things), "settled").outcome
    except PlausibilityError:
        return Removal(things, {}, "")
    return Removal(things, outcome.values, outcome.digest)


def _removable(
    scene: Scene, spec: WorldSpec, values: Mapping[str, int], onsets: Mapping[str, int]
) -> Iterator[tuple[str, ...]]:
    moving = {body.object_name for body in spec.bodies if body.present and spec.moves(body.name)}
    parts = {name: set(scene.phrase(name, values).participants) & moving for name in onsets}
    sets = {
        tuple(sorted(parts[cause] - parts[effect]))
        for cause in onsets
        for effect in onsets
        if cause != effect and onsets[cause] <= onsets[effect]
    }
    yield from sorted(things for things in sets if things)
