"""What is left of a world when the objects of one event are taken away: object removal.

Labels of this kind are what earlier generators call causes. They are simulated and stored for the
models that use them; nothing here is a claim about causes.
"""

from __future__ import annotations

from collections.abc import Iterator

from simworld.errors import PlausibilityError
from simworld.scene import Context, Scene
from simworld.truth import FACTUAL, Removal
from simworld.world.detectors import Absent, Present
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate
from simworld.world.spec import WorldSpec, without


def removals(scene: Scene, context: Context, outcome: Outcome) -> tuple[Removal, ...]:
    """Simulate the factual world without some of its objects, in a worker.

    For a condition that holds or an event that happened, and an event that came later or never,
    what is removed are the objects that take part in the first and not in the second; each set
    of objects once. Objects that never move are removed only if they are there by a setting's
    choice: nobody takes the floor away.
    """
    spec = scene.world(context, FACTUAL)
    return tuple(_remove(spec, things) for things in _removable(scene, spec, outcome))


def _remove(spec: WorldSpec, things: tuple[str, ...]) -> Removal:
    try:
        outcome = simulate(without(spec, things), "settled").outcome
    except PlausibilityError:
        return Removal(things, {}, "")
    return Removal(things, outcome.values, outcome.digest)


def _removable(scene: Scene, spec: WorldSpec, outcome: Outcome) -> Iterator[tuple[str, ...]]:
    chosen = {d.body for d in spec.detectors.values() if isinstance(d, Present | Absent)}
    loose = {b.object_name for b in spec.bodies if spec.moves(b.name) or b.name in chosen}
    loose &= {body.object_name for body in spec.bodies if body.present}
    values, onsets = outcome.values, outcome.onsets
    parts = {
        name: loose.intersection(scene.phrase(name, values).participants)
        for name in scene.scm.endogenous
    }
    never = spec.duration_steps
    sets = {
        tuple(sorted(parts[cause] - parts[effect]))
        for cause in scene.scm.endogenous
        for effect in scene.scm.events
        if cause != effect and values[cause] and onsets.get(cause, 0) <= onsets.get(effect, never)
    }
    yield from sorted(things for things in sets if things)
