"""From a recipe to a suite's folder: plan, run, finalise, manifest.

Running the same recipe into the same folder goes on where it stopped. Whatever the number of
workers and however often it was interrupted, the folder's bytes are the same.
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from simworld import __version__
from simworld.benchmarks.castbench.write import write as write_castbench
from simworld.benchmarks.causal2needles.write import write as write_causal2needles
from simworld.benchmarks.causalstep.write import write as write_causalstep
from simworld.benchmarks.decisions.write import write as write_decisions
from simworld.executors import TUNABLES, Workers
from simworld.group import GroupTask, make_group, reference_context
from simworld.masking import evidence_masked
from simworld.mechanism import Survey, merge, survey, survey_parts
from simworld.ownership import Shard, owned
from simworld.qa.balance import left_out as not_balanced
from simworld.qa.filters import filter_counts, filters_section
from simworld.qa.finalise import finalise
from simworld.qa.items import Drop, Question
from simworld.recipe import Recipe, load_recipe
from simworld.records import mechanism_record
from simworld.render.base import renderers
from simworld.scene import load_scene, script_digest
from simworld.store import SCHEMA, Suite, digest_of, read_json, write_json, write_jsonl, write_text
from simworld.story.cast import cast, groups_of
from simworld.story.tell import tell
from simworld.twins import plan_twin, spelled_out
from simworld.video import check_size
from simworld.world.engine import PHYSICS

Progress = Callable[[str, int, int], None]
"""Called with a label, the number of tasks done, and their total."""

VERSIONED = ("pybullet", "numba", "numpy", "av", "networkx", "scipy")


@dataclass(frozen=True, slots=True)
class SurveyTask:
    """What a worker needs to survey one part of a scene in one reference context."""

    recipe: Recipe
    scene: str
    number: int
    part: str
    scenes_dir: Path | None


Task = GroupTask | SurveyTask


def generate(
    recipe: str | Path,
    out: Path,
    *,
    workers: int | None = None,
    overrides: Sequence[str] = (),
    scenes_dir: Path | None = None,
    shard: str | None = None,
    progress: Progress = lambda *_: None,
) -> dict[str, Any]:
    """Generate a suite, or finish one that was interrupted.

    Args:
        recipe: A TOML file, or a shipped recipe's name.
        out: The suite's folder.
        workers: Processes that simulate; one for each processor if None.
        overrides: Changes to the recipe, such as `seed=1`.
        scenes_dir: A folder with scene scripts of your own.
        shard: `2/8` for the second of eight runs that share the work, at the same time or one
            after the other, on machines that share the folder. The last one finishes the suite.
        progress: Is told what is done.

    Returns:
        The manifest; `{"unfinished": n}` where other shards have n groups or scenes to do.

    Raises:
        InputError: The recipe is not what it must be, or the folder holds another suite.
        CheckError: A scene's script is wrong: model and physics disagree.
    """
    resolved = load_recipe(recipe, overrides)
    check_recipe(resolved, scenes_dir)
    names = {one.settings.scene for one in groups_of(resolved, scenes_dir)}
    scripts = {name: script_digest(name, scenes_dir) for name in names}
    part = None if shard is None else Shard.parse(shard)
    groups = [
        GroupTask(resolved, one.settings, one.instance, out, scenes_dir)
        for one in groups_of(resolved, scenes_dir)
    ]
    with owned(out, resolved, scripts, part) as hold:
        _run(resolved, groups, out, workers, scenes_dir, progress, part)
        if part is not None:
            undone = [task.group for task in groups if not _is_done(task)]
            undone += _unsurveyed(groups, out)
            if undone:
                return {"unfinished": len(undone)}
            hold.alone()
        return _finish(resolved, groups, out, workers, scenes_dir)


def _finish(
    resolved: Recipe,
    groups: Sequence[GroupTask],
    out: Path,
    workers: int | None,
    scenes_dir: Path | None,
) -> dict[str, Any]:
    receipts = [read_json(task.receipt) for task in groups]
    rejections: Counter[str] = Counter()
    left_out: list[Drop] = []
    for receipt in receipts:
        rejections.update(receipt["rejections"])
        left_out += (Drop(**row) for row in receipt["no_questions"])
    candidates, twins = _candidates(groups)
    for story in cast(resolved, scenes_dir):
        asked, drops = tell(story, out, resolved.seed, scenes_dir)
        candidates += asked
        left_out += drops
    questions = finalise(candidates, seed=resolved.seed)
    left_out += not_balanced(candidates, questions)
    with Workers(workers) as pool:
        masked = evidence_masked(Suite(out), questions, pool, scenes_dir)
    counts = filter_counts(questions, left_out, rejections, len(groups), masked)
    _write_files(out, questions, twins)
    write_text(out / "README.md", _card(resolved, groups, questions, twins, counts))
    told = {
        "rejections": dict(sorted(rejections.items())),
        "filters": counts,
        "no_questions": [asdict(drop) for drop in left_out],
    }
    return _write_manifest(resolved, out, told)


def check_recipe(recipe: Recipe, scenes_dir: Path | None) -> None:
    """Refuse what would fail only after minutes: sizes, rates, renderers, levels and twins."""
    renderers[recipe.video.renderer]
    check_size((recipe.video.width, recipe.video.height), "[video]")
    for settings in (one.settings for one in groups_of(recipe, scenes_dir)):
        _ = recipe.video_of(settings).steps_per_frame
        scene = load_scene(settings.scene, scenes_dir)
        context = scene.draw(recipe.seed, recipe.split, 0, 0, settings.levels)
        for twin in spelled_out(scene, context, settings.twins):
            plan_twin(scene, context, twin, recipe.seed, recipe.split, 0)


def _run(
    recipe: Recipe,
    groups: Sequence[GroupTask],
    out: Path,
    workers: int | None,
    scenes_dir: Path | None,
    progress: Progress,
    shard: Shard | None,
) -> None:
    """Run what is not done yet, of a shard its own: groups, then surveys of scenes."""
    missing = _unsurveyed(groups, out)
    if shard is not None:
        names = tuple(dict.fromkeys(task.settings.scene for task in groups))
        missing = [name for name in shard.share(names) if name in missing]
        groups = shard.share(groups)
    surveys = [
        SurveyTask(recipe, name, number, part, scenes_dir)
        for name in missing
        for number in range(recipe.truth.reference_contexts)
        for part in survey_parts(load_scene(name, scenes_dir))
    ]
    tasks: list[Task] = [*(task for task in groups if not _is_done(task)), *surveys]
    if not tasks:
        return
    found: dict[str, dict[int, Survey]] = {name: {} for name in missing}
    wanted = Counter(task.scene for task in surveys)
    progress("simulating", 0, len(tasks))
    with Workers(workers) as pool:
        for done, (index, result) in enumerate(pool.each(_work, tasks), start=1):
            task = tasks[index]
            if isinstance(task, SurveyTask) and isinstance(result, Survey):
                found[task.scene][index] = result
                if len(found[task.scene]) == wanted[task.scene]:
                    ordered = [result for _, result in sorted(found[task.scene].items())]
                    _write_mechanism(out, task.scene, scenes_dir, ordered)
            progress("simulating", done, len(tasks))


def _unsurveyed(groups: Sequence[GroupTask], out: Path) -> list[str]:
    names = dict.fromkeys(task.settings.scene for task in groups)
    return [name for name in names if not (out / "mechanisms" / f"{name}.json").is_file()]


def _work(task: Task) -> Survey | str:
    """Do one task, in a worker."""
    if isinstance(task, GroupTask):
        return make_group(task)
    scene = load_scene(task.scene, task.scenes_dir)
    return survey(scene, reference_context(scene, task.recipe, task.number), task.part)


def _is_done(task: GroupTask) -> bool:
    return task.receipt.is_file() and read_json(task.receipt)["inputs"] == task.inputs()


def _write_mechanism(
    out: Path, name: str, scenes_dir: Path | None, surveys: Sequence[Survey]
) -> None:
    mechanism = merge(load_scene(name, scenes_dir), surveys)
    write_json(out / "mechanisms" / f"{name}.json", mechanism_record(mechanism))


def _candidates(groups: Sequence[GroupTask]) -> tuple[list[Question], list[dict[str, Any]]]:
    """Read the groups' candidates and twins, in the order of groups."""
    candidates: list[Question] = []
    twins: list[dict[str, Any]] = []
    for task in groups:
        rows = read_json(task.receipt.parent / "candidates.json")
        candidates += [Question.from_json(row) for row in rows]
        twins += read_json(task.receipt.parent / "twins.json")
    return candidates, twins


def _write_files(out: Path, questions: Sequence[Question], twins: Sequence[dict[str, Any]]) -> None:
    """Write what all groups share, and the benchmarks' files."""
    write_jsonl(out / "questions.jsonl", [question.to_json() for question in questions])
    write_jsonl(out / "twins.jsonl", twins)
    write_jsonl(out / "metadata.jsonl", [_metadata(twin) for twin in twins])
    write_causalstep(out)
    write_castbench(out)
    write_causal2needles(out)
    write_decisions(out)


def _metadata(twin: dict[str, Any]) -> dict[str, Any]:
    """Describe a twin as a row of a Hugging Face VideoFolder: two videos and what differs."""
    return {
        "factual_file_name": f"clips/{twin['factual']}/video.mp4",
        "counterfactual_file_name": f"clips/{twin['counterfactual']}/video.mp4",
        **{key: twin[key] for key in ("twin_id", "scene", "kind", "intervention", "staged")},
        "changed": ", ".join(twin["changed"]),
        "divergence_frame": twin["divergence_frame"],
    }


def _write_manifest(recipe: Recipe, out: Path, told: Mapping[str, Any]) -> dict[str, Any]:
    suite = Suite(out)
    answered = {
        "recipe": recipe.model_dump(mode="json"),
        "versions": versions(),
        "artefacts": suite.artefacts(),
    }
    manifest = {
        "schema": SCHEMA,
        **answered,
        "physics": PHYSICS,
        **told,
        "digest": digest_of(answered),
    }
    write_json(out / "manifest.json", manifest)
    return manifest


def versions() -> dict[str, str]:
    """Return the versions of all that the bytes of a suite depend on."""
    names, libc = {name: version(name) for name in VERSIONED}, platform.libc_ver()
    return {
        "simworld": __version__,
        "python": platform.python_version(),
        "libc": "-".join(libc),
        "tunables": TUNABLES,
        **names,
    }


def _card(
    recipe: Recipe,
    groups: Sequence[GroupTask],
    questions: Sequence[Question],
    twins: Sequence[dict[str, Any]],
    counts: Mapping[str, Any],
) -> str:
    """Write the data card."""
    scenes = ", ".join(dict.fromkeys(task.settings.scene for task in groups))
    return f"""---
pretty_name: simworld {recipe.name}
license: mit
task_categories: [video-text-to-text]
---
# {recipe.name}

Made by simworld {__version__} from the recipe in recipe.json (seed {recipe.seed}): {len(groups)}
groups of the scenes {scenes}; {len(twins)} twins; {len(questions)} questions.

Every causal claim here was checked by intervening and simulating again. The rollouts that show it
are listed beside it and can be run again with `simworld audit`.

This is truth about scripted rigid-body worlds at the level of the declared variables. It says
nothing about people, intentions, or real footage.

{filters_section(counts)}
"""
