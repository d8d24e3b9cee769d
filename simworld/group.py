"""One group: a factual world and its twins, rehearsed, compared, asked about and filmed.

The unit of work, of sharding and of starting again. Runs in a worker.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from simworld.annotate.tracks import Tracks
from simworld.clock import frame_of_step
from simworld.errors import AgreementError, CheckError, DisturbanceError, PlausibilityError
from simworld.filming import Cut, Take, cut_clip, film_clips, first_difference, likeness
from simworld.lab import Lab
from simworld.qa.castbench import keep_shown, make_castbench
from simworld.qa.decisions import make_decisions
from simworld.qa.items import Drop, Question
from simworld.qa.needles import make_needles
from simworld.qa.questions import make_questions
from simworld.recipe import Recipe, SceneSettings, VideoSettings
from simworld.records import removal_record
from simworld.rehearsal import Sieve, UnstableError, rehearse
from simworld.scene import Context, Scene, load_scene
from simworld.splicing import can_be_cut
from simworld.store import digest_of, sha256_of, write_json
from simworld.truth import FACTUAL
from simworld.twins import Difference, Plan, World, compare, other_looks, plan_twin, spelled_out
from simworld.words import Staged

MAX_ATTEMPTS = 20
REFERENCE_ATTEMPT = -1
"""Key of reference contexts' draws; no clip shares it."""


@dataclass(frozen=True, slots=True)
class GroupTask:
    """What a worker needs to make one group."""

    recipe: Recipe
    settings: SceneSettings
    instance: int
    out: Path
    scenes_dir: Path | None

    @property
    def video(self) -> VideoSettings:
        """How its clips are drawn."""
        return self.recipe.video_of(self.settings)

    @property
    def group(self) -> str:
        """The group's id."""
        return f"{self.settings.scene}-{self.instance:04d}"

    @property
    def receipt(self) -> Path:
        """Where its receipt is, written last."""
        return self.out / "groups" / self.group / "receipt.json"

    def inputs(self) -> str:
        """Return a digest of all that the group is made from."""
        scene = load_scene(self.settings.scene, self.scenes_dir)
        return digest_of([self.recipe.model_dump(mode="json"), self.group, scene.version])


@dataclass(frozen=True, slots=True)
class _Shown:
    """One world of the group with all that is shown of it."""

    clip: str
    plan: Plan
    world: World
    shots: Cut
    questions: tuple[Question, ...]
    drops: tuple[Drop, ...]


def make_group(task: GroupTask) -> str:
    """Make a group's clips, twins and candidate questions; return the group's id.

    Raises:
        CheckError: The scene's script is wrong, or no context was accepted.
    """
    scene = load_scene(task.settings.scene, task.scenes_dir)
    rejections: Counter[str] = Counter()
    for attempt in range(MAX_ATTEMPTS):
        try:
            shown, differences = _stage(task, scene, attempt)
        except (PlausibilityError, UnstableError, DisturbanceError, Rejected) as reason:
            rejections[f"{type(reason).__name__}: {reason}"] += 1
            continue
        _write(task, scene, shown, differences, rejections)
        return task.group
    raise CheckError(
        f"group {task.group}: none of {MAX_ATTEMPTS} contexts was accepted; the last one: "
        f"{list(rejections)[-1]}. Give the scene's ranges wider gaps, or other levels"
    )


class Rejected(CheckError):
    """A context that cannot be shown; another one is drawn."""


def _stage(
    task: GroupTask, scene: Scene, attempt: int
) -> tuple[list[_Shown], list[Difference | None]]:
    """Rehearse the factual world and every twin of one drawn context, and compare them."""
    recipe = task.recipe
    context = scene.draw(recipe.seed, recipe.split, task.instance, attempt, task.settings.levels)
    factual = Plan("factual", "factual", context, FACTUAL, "handle", "")
    twins = spelled_out(scene, context, task.settings.twins)
    plans = [factual] + [
        plan_twin(scene, context, twin, recipe.seed, recipe.split, task.instance) for twin in twins
    ]
    for plan in plans[1:]:
        if plan.context == context:
            raise Rejected(f"the twin {plan.name} differs in nothing: what it stages is there")
    shown_as = {plan.name for plan in plans if plan.kind == "remove_cause"}
    staged = [one for one in scene.staged if one.name in shown_as] or scene.staged
    shown = [_show(task, scene, plan, attempt, staged) for plan in plans]
    first = shown[0]
    differences: list[Difference | None] = [None]
    differences += [compare(scene, first.world, s.world, s.plan) for s in shown[1:]]
    return shown, differences


def _show(
    task: GroupTask, scene: Scene, plan: Plan, attempt: int, staged: Sequence[Staged]
) -> _Shown:
    recipe = task.recipe
    clip = f"{task.group}-{plan.name.replace('_', '-')}"
    key = (recipe.seed, recipe.split, task.instance)
    noises = tuple(
        scene.noise(*key, attempt, draw, recipe.truth.sieve_noise)
        for draw in range(1, recipe.truth.sieve_draws + 1)
    )
    lab = Lab(scene)
    sieve = Sieve(recipe.truth.sieve_noise, noises)
    looks = other_looks(scene, plan.context, *key)
    truth = rehearse(lab, clip, plan.context, sieve, looks)
    world = World(truth, lab.film(plan.context))
    try:
        shots = cut_clip(scene, world, task.video)
    except AgreementError:
        raise
    except CheckError as reason:
        raise Rejected(str(reason)) from reason
    told = scene, truth, shots.events, shots.segments
    made = {
        "causalstep": make_questions(*told, group=task.group),
        "castbench": make_castbench(*told, group=task.group, staged=staged, video=task.video),
        "causal2needles": make_needles(*told[:3], shots.spans, group=task.group, seed=recipe.seed),
        "decisions": make_decisions(*told, group=task.group, seed=recipe.seed),
    }
    questions = tuple(question for some, _ in made.values() for question in some)
    drops = tuple(
        replace(drop, benchmark=name) for name, (_, some) in made.items() for drop in some
    )
    return _Shown(clip, plan, world, shots, questions, drops)


def _write(
    task: GroupTask,
    scene: Scene,
    shown: list[_Shown],
    differences: list[Difference | None],
    rejections: Counter[str],
) -> None:
    """Write the clips, then the group's own files, then its receipt."""
    frames = _write_clips(task, scene, shown)
    shown = [_with_evidence_seen(task, one) for one in shown]
    twins = [
        _twin_record(task, scene, shown[0], one, difference, (frames[0], digests))
        for one, difference, digests in zip(shown, differences, frames, strict=True)
        if difference is not None
    ]
    folder = task.receipt.parent
    write_json(folder / "twins.json", twins)
    write_json(folder / "candidates.json", [q.to_json() for s in shown for q in s.questions])
    files = sorted(path for s in shown for path in (task.out / "clips" / s.clip).iterdir())
    write_json(
        task.receipt,
        {
            "group": task.group,
            "inputs": task.inputs(),
            "clips": [s.clip for s in shown],
            "outputs": {path.relative_to(task.out).as_posix(): sha256_of(path) for path in files},
            "rejections": dict(sorted(rejections.items())),
            "no_questions": [asdict(drop) for one in shown for drop in one.drops],
        },
    )


def _write_clips(task: GroupTask, scene: Scene, shown: list[_Shown]) -> list[tuple[str, ...]]:
    """Film clips into folders that get their names only when all are complete."""
    with ExitStack() as stack:
        places = [task.out / "clips" / one.clip for one in shown]
        folders = [stack.enter_context(_folder_at_once(place)) for place in places]
        takes = [Take(s.world, s.shots, f) for s, f in zip(shown, folders, strict=True)]
        digests = film_clips(scene, takes, task.video)
        for one, folder in zip(shown, folders, strict=True):
            removals = [removal_record(removal) for removal in one.world.truth.removals]
            write_json(folder / "removals.json", removals)
            outputs = {path.name: sha256_of(path) for path in sorted(folder.iterdir())}
            write_json(folder / "receipt.json", {"inputs": task.inputs(), "outputs": outputs})
    return digests


def _with_evidence_seen(task: GroupTask, one: _Shown) -> _Shown:
    """Leave out the questions whose evidence cannot be shown at whole seconds."""
    video = task.video
    folder = task.out / "clips" / one.clip
    tracks, size_px = Tracks.load(folder / "tracks.npz"), (video.width, video.height)
    cut = partial(can_be_cut, folder / "video.mp4")
    kept, drops = keep_shown(one.questions, tracks, video.fps, size_px, cut)
    return replace(one, questions=kept, drops=(*one.drops, *drops))


@contextmanager
def _folder_at_once(path: Path) -> Iterator[Path]:
    """Yield a folder to fill; it takes its name at the end, or is gone on an error.

    A folder that already has the name was completed before an interruption; the same is
    made again, so that one stays.
    """
    partial = path.with_name(f".{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield partial
        if not path.exists():
            partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _twin_record(
    task: GroupTask,
    scene: Scene,
    factual: _Shown,
    other: _Shown,
    difference: Difference,
    frames: tuple[tuple[str, ...], tuple[str, ...]],
) -> dict[str, Any]:
    """Write one twin; its divergence is the first step, frame and pixel that differ."""
    video = task.video
    stride = video.steps_per_frame
    pairs = zip(*frames, strict=True)
    by_pixel = next((k for k, (a, b) in enumerate(pairs) if a != b), len(frames[0]))
    by_pose = frame_of_step(difference.divergence_step, stride)
    frame = min(by_pixel, by_pose)
    pixel, worlds = None, (factual.world, other.world)
    if by_pixel < len(frames[0]):
        pixel = first_difference(scene, worlds, by_pixel, video)
    return {
        "twin_id": other.clip,
        "group": task.group,
        "scene": scene.name,
        "kind": other.plan.kind,
        "factual": factual.clip,
        "counterfactual": other.clip,
        "intervention": str(other.plan.do),
        "means": other.plan.means,
        "staged": other.plan.words,
        "changed": list(difference.changed),
        "unchanged": list(difference.unchanged),
        "same_bodies": list(difference.same_bodies),
        "kept": [likeness(scene, worlds, event, video) for event in other.plan.keeps],
        "divergence_step": difference.divergence_step,
        "divergence_frame": frame,
        "divergence_pixel_frame": by_pixel if pixel else None,
        "divergence_pixel": list(pixel) if pixel else None,
        "rollouts": [factual.world.truth.rollout, other.world.truth.rollout],
    }


def reference_context(scene: Scene, recipe: Recipe, number: int) -> Context:
    """Draw a context in which a scene's edges are proven; in the first, everything happens."""
    fixed = scene.showcase if number == 0 else {}
    return scene.draw(recipe.seed, "train", number, REFERENCE_ATTEMPT, fixed)
