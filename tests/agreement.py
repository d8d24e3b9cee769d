"""Holds one context of a scene to its model, at length; see truth.py."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from simworld.causal import Intervention, Unreachable
from simworld.errors import AgreementError, CheckError, DisturbanceError, PlausibilityError
from simworld.lab import Lab
from simworld.rehearsal import single_settings
from simworld.scene import Context, Scene, load_scene
from simworld.truth import FACTUAL

NOISE = 0.02
LARGER = (0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Task:
    scene: str
    instance: int
    sieve: int
    pairs: bool


@dataclass
class Found:
    """What one context shows; `rejected` says why it is not used."""

    scene: str
    rollouts: int = 0
    voids: int = 0
    seconds: float = 0.0
    disagreements: list[str] = field(default_factory=list)
    rejected: str = ""
    margin: float | None = None


def examine(task: Task) -> Found:
    scene = load_scene(task.scene)
    fixed = scene.showcase if task.instance == 0 else {}
    split = "held_out" if task.instance % 4 == 3 else "train"
    context = scene.draw(0, split, task.instance, 0, fixed)
    lab, found, began = Lab(scene), Found(task.scene), time.perf_counter()
    singles = [FACTUAL, *single_settings(scene)]
    pairs = pairs_of(scene) if task.pairs else ()
    try:
        hold_to_the_model(lab, context, [*singles, *pairs], {}, found)
        for draw in range(1, task.sieve + 1):
            noise = scene.noise(0, split, task.instance, 0, draw, NOISE)
            hold_to_the_model(lab, context, singles, noise, found, sieve=True)
        found.margin = margin_of(lab, context, (split, task.instance))
    except (DisturbanceError, PlausibilityError) as error:
        found.rejected = f"{type(error).__name__}: {error}"
    except CheckError as error:
        found.disagreements.append(str(error))
    found.rollouts, found.voids = len(lab.rehearsals), lab.voids
    found.seconds = time.perf_counter() - began
    return found


def pairs_of(scene: Scene) -> Iterator[Intervention]:
    for one, two in itertools.combinations(scene.scm.endogenous, 2):
        for values in itertools.product((0, 1), repeat=2):
            yield Intervention.of(dict(zip((one, two), values, strict=True)))


def hold_to_the_model(
    lab: Lab,
    context: Context,
    dos: Iterable[Intervention],
    noise: dict[str, float],
    found: Found,
    *,
    sieve: bool = False,
) -> None:
    dos = list(dos)
    lab.prepare(context, dos, noise)
    for do in dos:
        try:
            lab.run(context, do, noise)
        except Unreachable:
            continue
        except AgreementError as error:
            if sieve:
                found.rejected = found.rejected or f"unstable: {do}"
            else:
                found.disagreements.append(str(error))


def margin_of(lab: Lab, context: Context, key: tuple[str, int]) -> float | None:
    """Return the smallest of the larger noises that flips a value; None if none does."""
    split, instance = key
    for share in LARGER:
        for draw in (1, 2):
            noise = lab.scene.noise(0, split, instance, 0, draw, share)  # type: ignore[arg-type]
            try:
                lab.run(context, FACTUAL, noise)
            except (AgreementError, PlausibilityError):
                return share
    return None
