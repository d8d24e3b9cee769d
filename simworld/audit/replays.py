"""Simulates again: every setting that a claim rests on, in worker processes, each world once.

Two settings with one world are one simulation: a world is all that a simulation is given. Each is
simulated alone from its first step; but in a large scene, where that would take an hour, worlds
that differ in what is armed alone are simulated together, and what they have in common once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from simworld.causal import Intervention, Unreachable, Value
from simworld.errors import CheckError, PlausibilityError, SimworldError
from simworld.executors import Workers
from simworld.scene import Context, Scene, load_scene
from simworld.truth import FACTUAL, FEW
from simworld.world.rollout import Outcome, Rollout
from simworld.world.simulate import simulate_all
from simworld.world.spec import WorldSpec, without

BUILT_AT_ONCE = 64
SIMULATED_AT_ONCE = 24

Item = TypeVar("Item")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a rollout is run with; `noise` shifts the context's numbers, `without` takes objects.

    `key` is the setting as text, for look-up.
    """

    scene: str
    context: Context
    noise: Mapping[str, float]
    do: Intervention
    without: tuple[str, ...] = ()
    key: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Write the key."""
        context = self.context.shifted(self.noise).to_json()
        key = json.dumps([self.scene, context, str(self.do), self.without], sort_keys=True)
        object.__setattr__(self, "key", key)

    def doing(self, do: Mapping[str, Value]) -> Setting:
        """Return the same without noise, under another intervention."""
        return Setting(self.scene, self.context, {}, Intervention.of(do))


@dataclass(frozen=True, slots=True)
class World:
    """What a setting is built into: a digest of the world, and each visible object's colour.

    `unarmed` is the digest of the world that it begins as. If it cannot be built, `unreachable`
    says that no handle brings it about, or `error` what is wrong with the setting.
    """

    digest: str = ""
    unarmed: str = ""
    colors: Mapping[str, str] | None = None
    unreachable: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Implausible:
    """Why a world cannot be simulated to its end."""

    reason: str


Result = Outcome | Implausible
Job = tuple[Path | None, tuple[Setting, ...]]


class Replays:
    """Outcomes of settings, simulated when they are first asked for and kept."""

    def __init__(self, pool: Workers, scenes_dir: Path | None, progress: Progress) -> None:
        """Begin with nothing simulated."""
        self.pool = pool
        self.scenes_dir = scenes_dir
        self._progress = progress
        self._worlds: dict[str, World] = {}
        self._results: dict[str, Result] = {}

    def prepare(self, settings: Iterable[Setting]) -> None:
        """Simulate whatever was not yet, spread over the workers."""
        todo = {setting.key: setting for setting in settings if setting.key not in self._worlds}
        chunks = list(_chunked(list(todo.values()), BUILT_AT_ONCE))
        for index, worlds in self.pool.each(build_worlds, [(self.scenes_dir, c) for c in chunks]):
            for setting, world in zip(chunks[index], worlds, strict=True):
                self._worlds[setting.key] = world
        alike = sorted(todo, key=lambda key: self._worlds[key].unarmed)
        new = {
            world.digest: todo[key]
            for key in alike
            if (world := self._worlds[key]).digest and world.digest not in self._results
        }
        self._results.update(simulate_worlds(self.pool, self.scenes_dir, new, self._progress))

    @property
    def count(self) -> int:
        """How many worlds were simulated."""
        return len(self._results)

    def world(self, setting: Setting) -> World:
        """Return what a setting is built into.

        Raises:
            Unreachable: No handle brings it about.
            CheckError: It is no setting of its scene.
        """
        if setting.key not in self._worlds:
            self.prepare([setting])
        world = self._worlds[setting.key]
        if world.unreachable:
            raise Unreachable(world.unreachable)
        if world.error:
            raise CheckError(world.error)
        return world

    def outcome(self, setting: Setting) -> Outcome:
        """Return what came out of a setting.

        Raises:
            Unreachable: No handle brings it about.
            CheckError: It is no setting of its scene.
            PlausibilityError: What happens in it could not happen.
        """
        result = self._results[self.world(setting).digest]
        if isinstance(result, Implausible):
            raise PlausibilityError(result.reason)
        return result

    def values(self, setting: Setting) -> Mapping[str, int]:
        """Return the values of a setting; a handle that failed makes it unreachable too."""
        outcome = self.outcome(setting)
        if outcome.void:
            raise Unreachable(f"the handle for {setting.do} failed")
        return outcome.values

    def reached(self, setting: Setting) -> Mapping[str, int] | None:
        """Return the values of a setting, None if it cannot be brought about."""
        try:
            return self.values(setting)
        except Unreachable:
            return None


def simulate_worlds(
    pool: Workers, scenes_dir: Path | None, worlds: Mapping[str, Setting], progress: Progress
) -> dict[str, Result]:
    """Simulate one setting of each world, by the world's digest, in chunks in their order."""
    results: dict[str, Result] = {}
    chunks = list(_chunked(list(worlds.items()), SIMULATED_AT_ONCE))
    jobs: list[Job] = [(scenes_dir, tuple(setting for _, setting in chunk)) for chunk in chunks]
    for index, found in pool.each(run_settings, jobs):
        digests = [digest for digest, _ in chunks[index]]
        results.update(zip(digests, found, strict=True))
        progress("simulating again", len(results), len(worlds))
    return results


def build_worlds(job: Job) -> tuple[World, ...]:
    """Build settings, in a worker: floating-point arithmetic is the workers' own."""
    scenes_dir, settings = job
    return tuple(_build(setting, scenes_dir) for setting in settings)


def _build(setting: Setting, scenes_dir: Path | None) -> World:
    scene = load_scene(setting.scene, scenes_dir)
    try:
        spec = _spec(scene, setting)
    except Unreachable as reason:
        return World(unreachable=str(reason))
    except (SimworldError, LookupError, TypeError, ValueError) as error:
        return World(error=f"{setting.do} cannot be built: {type(error).__name__}: {error}")
    shown = {body.object_name: body.color for body in reversed(spec.bodies) if body.present}
    return World(spec.digest(), spec.unarmed().digest(), shown)


def run_settings(job: Job) -> tuple[Result, ...]:
    """Simulate settings until all their variables are settled, in a worker."""
    scenes_dir, settings = job
    specs = [_spec(load_scene(one.scene, scenes_dir), one) for one in settings]
    alike: dict[str, list[int]] = {}
    for index, spec in enumerate(specs):
        beginning = spec.unarmed() if len(spec.detectors) > FEW else spec
        alike.setdefault(beginning.digest(), []).append(index)
    found: dict[int, Result] = {}
    for indices in alike.values():
        armings = [specs[index].armed for index in indices]
        results = simulate_all(specs[indices[0]], armings, "settled")
        found.update(zip(indices, map(_told, results), strict=True))
    return tuple(found[index] for index in range(len(settings)))


def _told(result: Rollout | PlausibilityError) -> Result:
    return Implausible(str(result)) if isinstance(result, PlausibilityError) else result.outcome


def _spec(scene: Scene, setting: Setting) -> WorldSpec:
    spec = scene.world(setting.context.shifted(setting.noise), setting.do)
    return without(spec, setting.without) if setting.without else spec


def factual(scene: str, context: Context) -> Setting:
    """Return the setting in which nothing is done."""
    return Setting(scene, context, {}, FACTUAL)


def _chunked(items: Sequence[Item], size: int) -> Iterator[tuple[Item, ...]]:
    for start in range(0, len(items), size):
        yield tuple(items[start : start + size])
