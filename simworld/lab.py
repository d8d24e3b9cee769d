"""The lab: runs a scene's rollouts and holds the declared model to what the physics does.

Each setting is simulated with its handles armed, the factual values included. Settings that begin
alike are simulated as one until a handle acts: an intervention that changes nothing is the factual
run, in which its handle watched and never acted. All but `intervene` runs inside a worker.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from simworld.causal import Intervention, Unreachable, Value
from simworld.errors import AgreementError, DisturbanceError, PlausibilityError
from simworld.executors import Workers
from simworld.scene import Context, Scene, load_scene
from simworld.truth import FACTUAL, Rehearsal
from simworld.world.closure import moving_bodies, reached, strays
from simworld.world.rollout import Outcome, Rollout
from simworld.world.simulate import simulate, simulate_all
from simworld.world.spec import WorldSpec

NO_NOISE: Mapping[str, float] = {}
AT_ONCE = 24
"""No more rollouts are simulated together: all of them are in memory until the last one ends."""


def intervene(
    scene: str, context: Context, do: str = "do()", scenes_dir: Path | None = None
) -> Outcome:
    """Simulate one intervention in a worker process and return what came out.

    Args:
        scene: Name of a scene.
        context: Settings, as `Scene.draw` gives them.
        do: The intervention as text; `do()` is the factual world.
        scenes_dir: A folder with scene scripts of your own.

    Raises:
        Unreachable: No handle brings it about.
        AgreementError: Model and physics disagree.
    """
    with Workers(1) as workers:
        return workers.call(_intervene, scene, context, do, scenes_dir)


def _intervene(scene: str, context: Context, do: str, scenes_dir: Path | None) -> Outcome:
    lab = Lab(load_scene(scene, scenes_dir))
    return lab.run(context, Intervention.parse(do)).outcome


def rollout_id(
    scene: Scene, context: Context, noise: Mapping[str, float], do: Intervention, means: str
) -> str:
    """Return 16 hexadecimal digits that name a rollout."""
    key = [scene.name, scene.version, context.to_json(), dict(noise), str(do), means]
    text = json.dumps(key, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Lab:
    """Runs rollouts of one scene and keeps what came out of each, by id."""

    def __init__(self, scene: Scene) -> None:
        """Start with nothing run."""
        self.scene = scene
        self.rehearsals: dict[str, Rehearsal] = {}
        self.voids = 0
        self._failures: dict[str, PlausibilityError] = {}
        self._factual: tuple[Context, Rollout] | None = None

    def run(
        self,
        context: Context,
        do: Intervention = FACTUAL,
        noise: Mapping[str, float] = NO_NOISE,
        means: str = "handle",
    ) -> Rehearsal:
        """Simulate a setting and hold the model's values to it.

        Raises:
            Unreachable: No handle brings it about, or the handle failed.
            AgreementError: Model and physics disagree.
            PlausibilityError: The rollout is none that could happen.
            DisturbanceError: A handle disturbs what it does not name.
        """
        name = rollout_id(self.scene, context, noise, do, means)
        if name not in self.rehearsals and name not in self._failures:
            spec = self.scene.world(context.shifted(noise), do)
            self._simulate(context, noise, means, {do: spec})
        if name in self._failures:
            raise self._failures[name]
        rehearsal = self.rehearsals[name]
        if rehearsal.outcome.void:
            raise Unreachable(f"the handle for {do} failed in rollout {name}")
        check_agreement(self.scene, rehearsal)
        return rehearsal

    def prepare(
        self, context: Context, dos: Iterable[Intervention], noise: Mapping[str, float] = NO_NOISE
    ) -> None:
        """Simulate settings together, so that what begins alike is simulated once.

        `run` then finds them done. What no handle brings about is left out.
        """
        alike: dict[str, dict[Intervention, WorldSpec]] = {}
        for do in dict.fromkeys([FACTUAL, *dos]):
            name = rollout_id(self.scene, context, noise, do, "handle")
            if name in self.rehearsals or name in self._failures:
                continue
            try:
                spec = self.scene.world(context.shifted(noise), do)
            except Unreachable:
                continue
            alike.setdefault(spec.unarmed().digest(), {})[do] = spec
        for specs in alike.values():
            ordered = list(specs.items())
            for start in range(0, len(ordered), AT_ONCE):
                some = dict(ordered[start : start + AT_ONCE])
                self._simulate(context, noise, "handle", some)

    def _simulate(
        self,
        context: Context,
        noise: Mapping[str, float],
        means: str,
        specs: Mapping[Intervention, WorldSpec],
    ) -> None:
        """Simulate worlds that differ in what is armed alone, and keep what came out."""
        armings = [spec.armed for spec in specs.values()]
        base = next(iter(specs.values()))
        for do, result in zip(specs, simulate_all(base, armings, "settled"), strict=True):
            name = rollout_id(self.scene, context, noise, do, means)
            if isinstance(result, PlausibilityError):
                self._failures[name] = result
                continue
            self._check_surgical(context.shifted(noise), do, specs[do], result)
            self.rehearsals[name] = Rehearsal(name, context, noise, do, means, result.outcome)
            self.voids += result.outcome.void

    def _check_surgical(
        self, context: Context, do: Intervention, spec: WorldSpec, rollout: Rollout
    ) -> None:
        """Check that handles disturb no body that theirs never reach by touch."""
        if do == FACTUAL:
            self._factual = (context, rollout)
        if self._factual is None or self._factual[0] != context:
            return
        if any(name not in spec.armed for name in do):
            return
        named = {handle.body for handle in spec.handles if handle.variable in do}
        factual = self._factual[1]
        touched = reached(named, moving_bodies([spec]), (factual, rollout))
        for body in strays(factual, rollout, {b.name for b in spec.bodies} - touched):
            raise DisturbanceError(
                f"scene {self.scene.name}: the handles of {do} disturb {body}, which nothing of "
                "theirs ever touches; let them act on their own bodies alone"
            )

    def values(self, context: Context, do: Mapping[str, Value]) -> Mapping[str, Value]:
        """Return what the physics makes of every condition and event."""
        return self.run(context, Intervention.of(do)).outcome.values

    def film(self, context: Context) -> Rollout:
        """Simulate the factual world to its end, for showing; its truth is that of `run`."""
        rollout = simulate(self.scene.world(context, FACTUAL), "end")
        known = self.run(context).outcome
        if outcome_key(rollout.outcome) != outcome_key(known):
            raise AgreementError(
                f"scene {self.scene.name}: the rollout that is shown differs from the one that "
                f"was proven: digests {rollout.outcome.digest[:16]} and {known.digest[:16]}"
            )
        return rollout


def outcome_key(outcome: Outcome) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Return what two runs of one world must share: digest and values."""
    return outcome.digest, tuple(sorted(outcome.values.items()))


def check_agreement(scene: Scene, rehearsal: Rehearsal) -> None:
    """Raise AgreementError unless the declared model gives the values that the physics gave."""
    declared = scene.scm.evaluate(rehearsal.context.levels, rehearsal.do)
    found = rehearsal.outcome.values
    for name in scene.scm.endogenous:
        if declared[name] != found[name]:
            raise AgreementError(
                f"scene {scene.name}, {rehearsal.do} by {rehearsal.means}: the model says "
                f"{name} = {declared[name]}, the physics {name} = {found[name]}. Mend the script: "
                f"the equation, the detector or the ranges. Run it again (a scene in a folder of "
                f"your own needs scenes_dir=Path(DIR) as a fourth argument): "
                f"{_command(scene, rehearsal)}"
            )


def _command(scene: Scene, rehearsal: Rehearsal) -> str:
    """Return a shell command that simulates a rehearsal again."""
    context = json.dumps(rehearsal.context.shifted(rehearsal.noise).to_json())
    code = (
        "import simworld; from simworld.scene import Context; "
        f'print(simworld.intervene("{scene.name}", Context.from_json({context}), '
        f'"{rehearsal.do}"))'
    )
    return f"python -c {shlex.quote(code)}"
