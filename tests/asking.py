"""Makes a suite's candidate questions without its pixels; see shortcuts.py.

The factual rollout of each world is simulated: when things happen, and what touches what. Under
interventions the declared model speaks for the physics, which tests/truth.py holds it to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any
from unittest.mock import patch

from simworld.annotate.segments import Segment
from simworld.causal import Intervention
from simworld.errors import CheckError
from simworld.filming import Cut, cut_clip
from simworld.lab import Lab, rollout_id
from simworld.qa.castbench import make_castbench
from simworld.qa.decisions import make_decisions
from simworld.qa.items import Drop, Question
from simworld.qa.needles import make_needles
from simworld.qa.questions import make_questions
from simworld.recipe import Recipe, StorySettings, VideoSettings
from simworld.records import event_record, truth_record
from simworld.rehearsal import Sieve, rehearse
from simworld.scene import Context, Scene, load_scene
from simworld.store import Suite
from simworld.story.cast import Episode, Story, cast
from simworld.story.compose import composed
from simworld.story.join import join_scenes
from simworld.story.tell import joined_truth, read_parts
from simworld.truth import FACTUAL, ClipTruth, Rehearsal
from simworld.twins import Plan, World, other_looks, plan_twin, twins_of
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate
from simworld.world.spec import WorldSpec

SLOW_MOTION = {"domino_run": 20}


@dataclass(frozen=True)
class Task:
    scene: str
    seed: int
    instance: int


@dataclass(frozen=True)
class Told:
    """A clip that questions can be asked of; `group` is the world's with its twins."""

    group: str
    truth: ClipTruth
    shots: Cut
    video: VideoSettings


class ModelLab(Lab):
    """A lab in which the model answers every intervention, and the physics the factual world."""

    def _simulate(
        self,
        context: Context,
        noise: Mapping[str, float],
        means: str,
        specs: Mapping[Intervention, WorldSpec],
    ) -> None:
        for do, spec in specs.items():
            name = rollout_id(self.scene, context, noise, do, means)
            declared = self.scene.scm.evaluate(context.levels, do)
            values = {name: int(declared[name]) for name in sorted(self.scene.scm.endogenous)}
            onsets: Mapping[str, int] = {}
            if do == FACTUAL and means == "handle" and not self.rehearsals:
                self.factual = simulate(spec, "end")
                values, onsets = dict(self.factual.outcome.values), self.factual.outcome.onsets
            digest = hashlib.sha256(repr(values).encode()).hexdigest()
            outcome = Outcome(values, onsets, {}, 0, digest, void=False)
            self.rehearsals[name] = Rehearsal(name, context, noise, do, means, outcome)


def tell(task: Task) -> list[Told]:
    """Show one drawn context and all its twins; worlds that cannot be shown are left out."""
    scene = load_scene(task.scene)
    context = scene.draw(task.seed, "train", task.instance)
    plans = [Plan("factual", "factual", context, FACTUAL, "handle", "")]
    for twin in twins_of(scene):
        plan = plan_twin(scene, context, twin, task.seed, "train", task.instance)
        plans += [plan] * (plan.context not in [other.context for other in plans])
    video = VideoSettings(slow_motion=SLOW_MOTION.get(task.scene, 1))
    told = []
    for plan in plans:
        try:
            told.append(_tell(scene, task, plan, video))
        except CheckError:
            continue
    return told


def _tell(scene: Scene, task: Task, plan: Plan, video: VideoSettings) -> Told:
    group = f"{task.scene}-{task.instance:04d}"
    looks = other_looks(scene, plan.context, task.seed, "train", task.instance)
    lab = ModelLab(scene)
    lab.run(plan.context)
    with patch("simworld.rehearsal.removals", lambda *_: ()):
        truth = rehearse(lab, f"{group}-{plan.name}", plan.context, Sieve(0.0, ()), looks)
    return Told(group, truth, cut_clip(scene, World(truth, lab.factual), video), video)


def ask(told: Told, seed: int) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Make all questions of a clip, as a suite does that shows every twin."""
    scene = load_scene(told.truth.scene)
    of = scene, told.truth, told.shots.events
    names = {"group": told.group, "seed": seed}
    made = (
        make_questions(*of, told.shots.segments, group=told.group),
        make_castbench(
            *of, told.shots.segments, group=told.group, staged=scene.staged, video=told.video
        ),
        make_needles(*of, told.shots.spans, **names),
        make_decisions(*of, told.shots.segments, **names),
    )
    return tuple(q for some, _ in made for q in some), tuple(d for _, some in made for d in some)


def ask_all(task: Task) -> list[Question]:
    """Show one context and its twins, and make all questions of all of them."""
    return [question for told in tell(task) for question in ask(told, task.seed)[0]]


@dataclass(frozen=True)
class StoryTask:
    story: Story
    seed: int


def stories_of(seed: int, count: int) -> list[StoryTask]:
    """Cast stories as the shipped recipe does, with fillers between losses and misses alone."""
    settings = StorySettings(videos=count, links=2, fillers=4, slow_motion=5)
    recipe = Recipe(name="stories", seed=seed, stories=(settings,))
    return [StoryTask(story, seed) for story in cast(recipe, None)]


class Stored(Suite):
    """Clips as a suite tells them, that are stored nowhere."""

    def __init__(self, clips: Mapping[str, Told]) -> None:
        self._clips = clips

    def truth(self, clip_id: str) -> dict[str, Any]:
        told = self._clips[clip_id]
        objects = {name: {"color": color} for name, color in told.truth.colors.items()}
        return truth_record(told.truth, {"video": told.video.model_dump(), "objects": objects})

    def events(self, clip_id: str) -> list[dict[str, Any]]:
        return [event_record(event) for event in self._clips[clip_id].shots.events]

    def spans(self, clip_id: str) -> list[dict[str, Any]]:
        spans: tuple[Segment, ...] = self._clips[clip_id].shots.spans
        return [asdict(span) for span in spans]


def ask_story(task: StoryTask) -> list[Question]:
    """Show a story as it went and as it would have gone, and make Causal2Needles' questions.

    A story with a clip that cannot be shown has none.
    """
    story = task.story
    scenes = [load_scene(one.settings.scene) for one in story.episodes]
    try:
        clips = {
            told.truth.clip: told
            for one, scene in zip(story.episodes, scenes, strict=True)
            for told in _episode(scene, one, task.seed)
        }
    except CheckError:
        return []
    questions: list[Question] = []
    for video, names in story.videos().items():
        parts = read_parts(Stored(clips), scenes, names)
        joined, apart = composed(story, [part.told for part in parts])
        truth, events, spans = joined_truth(story, video, parts, [*joined, *apart])
        scene = join_scenes(story, scenes)
        made, _ = make_needles(scene, truth, events, spans, group=story.name, seed=task.seed)
        questions += made
    return questions


def _episode(scene: Scene, one: Episode, seed: int) -> list[Told]:
    settings = one.settings
    context = scene.draw(seed, "train", one.instance, 0, settings.levels)
    plans = [Plan("factual", "factual", context, FACTUAL, "handle", "")]
    plans += [plan_twin(scene, context, t, seed, "train", one.instance) for t in settings.twins]
    task = Task(settings.scene, seed, one.instance)
    video = VideoSettings(slow_motion=settings.slow_motion)
    named = [replace(plan, name=plan.name.replace("_", "-")) for plan in plans]
    return [_tell(scene, task, plan, video) for plan in named]
