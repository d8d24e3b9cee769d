"""Which scenes make up a story, in which order, and what is carried from one to another."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from simworld import rng
from simworld.errors import InputError
from simworld.recipe import Recipe, SceneSettings, StorySettings
from simworld.scene import Scene, library, load_scene

SOURCE = "drop_hatch"
"""The scene in which things get lost, and what of it matters."""
LOST = "drop"
"""Its event that takes the thing away."""
SAVED = "marble_rests"
"""Its staging in which the thing is not taken away."""
AT_ONCE = 2
"""So many things are lost before the first of them is missed."""
NEAR = 2
"""At most so many fillers lie between two of these, so that questions reach from one to another."""


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode: how its scene is set up, and which of its scene's instances it is."""

    settings: SceneSettings
    instance: int

    @property
    def group(self) -> str:
        """The group of clips that it is one of."""
        return f"{self.settings.scene}-{self.instance:04d}"


@dataclass(frozen=True, slots=True)
class Link:
    """What is carried over: in episode `source` a thing is lost that `target` would have.

    Episodes count from 0. `staged` is the target's staging in which the thing is there after all.
    """

    source: int
    target: int
    staged: str


@dataclass(frozen=True, slots=True)
class Story:
    """A story's episodes in order, and what is carried over between them."""

    name: str
    episodes: tuple[Episode, ...]
    links: tuple[Link, ...]

    def videos(self) -> dict[str, tuple[str, ...]]:
        """Return the clips that make up each video of it, by the video's name.

        First the factual one; then one for each link, in which the thing is not lost, and what
        depends on that comes out otherwise. All other clips are the same.
        """
        factual = tuple(f"{episode.group}-factual" for episode in self.episodes)
        videos = {f"{self.name}-factual": factual}
        for number, link in enumerate(self.links, start=1):
            clips = list(factual)
            for index, staged in ((link.source, SAVED), (link.target, link.staged)):
                clips[index] = f"{self.episodes[index].group}-{staged.replace('_', '-')}"
            videos[f"{self.name}-kept-{number}"] = tuple(clips)
        return videos


def groups_of(recipe: Recipe, scenes_dir: Path | None) -> list[Episode]:
    """Return every group of a recipe, those of its stories last; instances are numbered on."""
    counts: Counter[str] = Counter()
    groups = []
    for settings in recipe.scenes:
        for _ in range(settings.groups):
            groups.append(Episode(settings, counts[settings.scene]))
            counts[settings.scene] += 1
    return groups + [one for story in cast(recipe, scenes_dir) for one in story.episodes]


def cast(recipe: Recipe, scenes_dir: Path | None) -> list[Story]:
    """Return a recipe's stories.

    Raises:
        InputError: There are not as many scenes that lack different things as links are asked for.
    """
    counts: Counter[str] = Counter()
    for settings in recipe.scenes:
        counts[settings.scene] += settings.groups
    known = _known(scenes_dir)
    stories: list[Story] = []
    for wanted in recipe.stories:
        for _ in range(wanted.videos):
            name = f"story-{len(stories):04d}"
            key = (recipe.seed, recipe.split, name)
            targets = _targets(known, wanted.links, key)
            fillers = _fillers(known, targets, wanted.fillers, key)
            stories.append(_arrange(name, wanted, targets, fillers, counts))
    return stories


@functools.cache
def _known(scenes_dir: Path | None) -> dict[str, Scene]:
    return {name: load_scene(name, scenes_dir) for name in sorted(library(scenes_dir))}


def _targets(known: dict[str, Scene], links: int, key: tuple[str | int, ...]) -> list[Scene]:
    """Draw scenes that each lack another thing, which none of the others shows."""
    able = [scene for scene in known.values() if scene.lacks is not None]
    chosen: list[Scene] = []
    for index in rng.stream(*key, "targets").permutation(len(able)):
        scene = able[int(index)]
        if not any(_shows(scene, other) or _shows(other, scene) for other in chosen):
            chosen.append(scene)
        if len(chosen) == links:
            return chosen
    raise InputError(
        f"[[stories]] links: expected at most {len(chosen)}, as many things as scenes can lack "
        f"without showing each other's, found {links}"
    )


def _shows(scene: Scene, other: Scene) -> bool:
    """Tell whether a scene shows a thing of the name of what another one lacks."""
    return other.lacking.object_name in scene.things


def _fillers(
    known: dict[str, Scene], targets: Sequence[Scene], count: int, key: tuple[str | int, ...]
) -> list[Scene]:
    """Draw scenes that show none of the things, each again only after all others."""
    things = {scene.lacking.object_name for scene in targets}
    able = [
        scene
        for scene in known.values()
        if scene.name != SOURCE and scene not in targets and not things & scene.things.keys()
    ]
    order = rng.stream(*key, "fillers").permutation(len(able))
    return [able[int(order[number % len(able)])] for number in range(count)]


def _arrange(
    name: str,
    settings: StorySettings,
    targets: Sequence[Scene],
    fillers: Sequence[Scene],
    counts: Counter[str],
) -> Story:
    """Put the episodes in order: some things are lost, then missed; fillers between and around."""
    order: list[tuple[str, int]] = []
    for start in range(0, len(targets), AT_ONCE):
        block = range(start, min(start + AT_ONCE, len(targets)))
        order += [("source", k) for k in block] + [("target", k) for k in block]
    first, *gaps = _spread(fillers, len(order) - 1)
    episodes = [_filler(scene, settings, counts) for scene in first]
    places: dict[tuple[str, int], int] = {}
    for (role, k), after in zip(order, gaps, strict=True):
        places[role, k] = len(episodes)
        episodes.append(_episode(_settings(role, targets[k], settings), counts))
        episodes += [_filler(scene, settings, counts) for scene in after]
    links = tuple(
        Link(places["source", k], places["target", k], str(scene.lacks))
        for k, scene in enumerate(targets)
    )
    return Story(name, tuple(episodes), links)


def _spread(fillers: Sequence[Scene], between: int) -> list[list[Scene]]:
    """Return the fillers that come first, those in each gap between, and those that come last."""
    gaps: list[list[Scene]] = [[] for _ in range(between + 2)]
    ends = (gaps[0], gaps[-1])
    for scene in fillers:
        near = [gap for gap in gaps[1:-1] if len(gap) < NEAR]
        min([*near, *ends], key=len).append(scene)
    return gaps


def _filler(scene: Scene, settings: StorySettings, counts: Counter[str]) -> Episode:
    one = SceneSettings(scene=scene.name, groups=1, slow_motion=settings.slow_motion)
    return _episode(one, counts)


def _settings(role: str, scene: Scene, settings: StorySettings) -> SceneSettings:
    """Return how an episode is set up in which a thing is lost, or missed."""
    name, staged = (f"{SOURCE}-{scene.name}", SAVED) if role == "source" else (scene.name, "")
    shown = load_scene(SOURCE) if role == "source" else scene
    return SceneSettings(
        scene=name,
        groups=1,
        twins=(f"remove_cause:{staged or scene.lacks}",),
        levels=dict(shown.showcase),
        slow_motion=settings.slow_motion,
    )


def _episode(settings: SceneSettings, counts: Counter[str]) -> Episode:
    counts[settings.scene] += 1
    return Episode(settings, counts[settings.scene] - 1)
