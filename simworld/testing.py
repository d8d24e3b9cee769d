"""The checks that authors of scenes and of renderers run in their own tests."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from simworld.declarations import faults
from simworld.errors import CheckError, PlausibilityError
from simworld.executors import Workers
from simworld.lab import Lab
from simworld.mechanism import Mechanism, Survey, merge, survey, survey_parts
from simworld.rehearsal import Sieve, UnstableError, rehearse
from simworld.scene import load_scene
from simworld.twins import other_looks

SIEVE_DRAWS = 2
SIEVE_NOISE = 0.02
ATTEMPTS = 5
SAID = 3


def check_scene(name: str, scenes_dir: Path | None = None, *, contexts: int = 3) -> Mechanism:
    """Hold a scene to all that a suite would hold it to, in a few contexts.

    First what is declared is looked through. Then, in the context where everything happens and in
    others that are drawn: model and physics agree under every intervention that a verdict, an edge
    or a non-edge rests on; an intervention that changes nothing changes no bit; what is staged does
    what its handle does; small noise and other looks change no value; every declared edge shows,
    and no other.

    Args:
        name: The scene's name.
        scenes_dir: The folder of its script, if it is one of your own.
        contexts: How many contexts.

    Returns:
        What was proven of the scene.

    Raises:
        CheckError: Something does not hold; the message says what, and how to see it.
        InputError: There is no such scene, or its script is not what it must be.
    """
    scene = load_scene(name, scenes_dir)
    if wrong := tuple(dict.fromkeys(faults(scene))):
        raise CheckError(f"scene {name}: {'; '.join(wrong[:SAID])}")
    parts = (None, *survey_parts(scene))
    tasks = [_Task(name, scenes_dir, k, part) for k in range(contexts) for part in parts]
    with Workers() as workers:
        found = workers.map(_examine, tasks)
    return merge(scene, [one for one in found if one is not None])


def check_renderer(name: str) -> None:
    """Hold a renderer to what suites, tracks and audits take for granted.

    The order of its objects; types and shapes; ids and depth at pixels' centres, against the
    projection of each object's mesh; amodal extents, shadows and normals if it tells them; and
    the same bits whatever was drawn before, in two processes.

    Args:
        name: A registered renderer, such as "raster"; a package's own is found by its entry
            point.

    Raises:
        CheckError: Something does not hold; the message says what.
        NotRegisteredError: There is no such renderer.
    """
    with Workers(2) as workers:
        first, second = workers.map(_examine_renderer, [name, name])
    wrong = [*first[0], *(["two processes draw other bits"] if first[1] != second[1] else [])]
    if wrong:
        raise CheckError(f"renderer {name}: {'; '.join(wrong[:SAID])}")


def _examine_renderer(name: str) -> tuple[tuple[str, ...], str]:
    """Return what is wrong with a renderer, and a digest of what it draws; runs in a worker."""
    from simworld.render.base import renderers
    from simworld.render.conformance import digest, drawn, faults, wander

    make = renderers[name]
    return faults(make), digest(drawn(make, *wander()))


@dataclass(frozen=True, slots=True)
class _Task:
    """One part of a survey of one context, or its rehearsal."""

    scene: str
    scenes_dir: Path | None
    instance: int
    part: str | None


def _examine(task: _Task) -> Survey | None:
    """Do one task, in a worker; a context that could not happen or is unstable is drawn again."""
    for attempt in range(ATTEMPTS - 1):
        with suppress(PlausibilityError, UnstableError):
            return _examine_once(task, attempt)
    return _examine_once(task, ATTEMPTS - 1)


def _examine_once(task: _Task, attempt: int) -> Survey | None:
    scene = load_scene(task.scene, task.scenes_dir)
    fixed = {} if task.instance else scene.showcase
    context = scene.draw(0, "train", task.instance, attempt, fixed)
    if task.part is not None:
        return survey(scene, context, task.part)
    noises = tuple(
        scene.noise(0, "train", task.instance, attempt, draw, SIEVE_NOISE)
        for draw in range(1, SIEVE_DRAWS + 1)
    )
    looks = other_looks(scene, context, 0, "train", task.instance)
    rehearse(Lab(scene), scene.name, context, Sieve(SIEVE_NOISE, noises), looks)
    return None
