"""Small worlds with known outcomes, and the falling cup's, for tests of what runs in workers."""

from dataclasses import replace
from pathlib import Path

from simworld.causal import Declaration, Intervention
from simworld.scene import Context, Scene, load_scene
from simworld.truth import FACTUAL
from simworld.world.handles import Handle
from simworld.world.rollout import Rollout
from simworld.world.simulate import Until, simulate
from simworld.world.spec import Body, Box, Camera, Launch, Sphere, WorldSpec

G_M_S2 = 9.81
STEP_S = 1 / 240
CAMERA = Camera((0.0, -3.0, 1.0), (0.0, 0.0, 0.0))
FLOOR = Body("floor", Box((6.0, 6.0, 0.1)), (0.0, 0.0, -0.1), friction=1.0, restitution=0.9)


def world(*bodies: Body, steps: int = 240, actions: tuple[Launch, ...] = (), **more) -> WorldSpec:
    return WorldSpec(
        bodies, actions, CAMERA, duration_steps=steps, **({"detectors": {}, "deadlines": {}} | more)
    )


def ball(name: str = "ball", at=(0.0, 0.0, 1.0), radius_m: float = 0.1, **more) -> Body:
    return Body(name, Sphere(radius_m), at, **({"mass_kg": 1.0} | more))


def cube(name: str = "cube", at=(0.0, 0.0, 0.1), half_m: float = 0.1, **more) -> Body:
    return Body(name, Box((half_m, half_m, half_m)), at, **({"mass_kg": 1.0} | more))


def cup_context(instance: int = 0, **fixed: str) -> Context:
    """A context of the falling cup in which everything happens, but for what is `fixed`."""
    scene = load_scene("falling_cup")
    return scene.draw(0, "train", instance, fixed={**scene.showcase, "book": "absent", **fixed})


def cup_rollout(context: Context, do: Intervention = FACTUAL, until: Until = "end") -> Rollout:
    return simulate(load_scene("falling_cup").world(context, do), until)


def with_model(scene: Scene, *declarations: Declaration) -> Scene:
    """The same scene with other equations for some variables."""
    changed = {declaration.name: declaration for declaration in declarations}
    return replace(scene, model=tuple(changed.get(d.name, d) for d in scene.model))


def with_handles(scene: Scene, *handles: Handle) -> Scene:
    """The same scene with other handles for some values of variables."""
    changed = {(handle.variable, handle.value): handle for handle in handles}

    def build(context: Context) -> WorldSpec:
        spec = scene.build(context)
        kept = tuple(changed.get((h.variable, h.value), h) for h in spec.handles)
        return replace(spec, handles=kept)

    return replace(scene, build=build)


def nudge() -> Scene:
    """The smallest scene that there can be: roll, bump, slide."""
    return load_scene("nudge", Path(__file__).parent / "user_scenes")
