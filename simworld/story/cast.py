"""Which scenes make up a story, in which order, and what is carried from one to another."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
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
BYSTANDERS = ("cube", "white_ball", "yellow_ball", "pink_ball", "green_ball", "blue_ball")
"""What runs into a can beside it, which is no cause of anything; its forms have one each."""
CAN = "can"
AT_ONCE = 2
"""So many things are lost before the first of them is missed."""
SHOWN = 4
"""In so many kinds does what happens beside come in the episodes of things that are lost at once.

One of them is seen where a thing is lost, at random, and the others between that and where it is
missed: so a question on what else was seen there has no answer that is likelier than others.
"""


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
            director = _Director(known, wanted, key, scenes_dir)
            stories.append(_number(name, director, counts))
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


def bystander(scene: Scene) -> str | None:
    """Return what runs into a can in a scene, if that is its own setting's doing and no cause."""
    scm = scene.scm
    for event in scm.events:
        actor, *others = scene.phrases[event].participants
        if others == [CAN] and scm.parents(event) == (actor,) and not scm.children(event):
            return actor
    return None


NO_LEVELS: Mapping[str, str] = {}

Cue = tuple[str, SceneSettings]
"""An episode, and whether a thing is lost or missed in it: the role and the scene that lacks it."""


class _Director:
    """Puts one story together."""

    def __init__(
        self,
        known: dict[str, Scene],
        settings: StorySettings,
        key: tuple[str | int, ...],
        scenes_dir: Path | None,
    ) -> None:
        self._settings = settings
        self._scenes_dir = scenes_dir
        self._drawn = rng.stream(*key, "bystanders")
        self.targets = _targets(known, settings.links, key)
        self._fillers = _fillers(known, self.targets, key)
        self._left = settings.fillers

    def cues(self) -> list[Cue]:
        """Return the episodes: things are lost, then missed; fillers between and around."""
        blocks = [
            self._block(self.targets[start : start + AT_ONCE])
            for start in range(0, len(self.targets), AT_ONCE)
        ]
        around: list[list[Cue]] = [[] for _ in range(len(blocks) + 1)]
        for number in range(self._left):
            scene = self._use(self._fillers[0])
            around[number % len(around)].append(("", self._set(scene.name)))
        return [
            *around[0],
            *(cue for k, block in enumerate(blocks) for cue in (*block, *around[k + 1])),
        ]

    def _block(self, targets: Sequence[Scene]) -> list[Cue]:
        """Return episodes in which these things are lost, and then missed one after the other.

        Of the kinds of things that happen beside, each source shows one; what the others are is
        shown between it and its target. A filler shows each of them, so that what fillers there
        are, and with them what can be asked, does not depend on which kind is whose.
        """
        kinds = self._kinds(targets)
        seen, rest = kinds[: len(targets)], kinds[len(targets) :]
        *others, last = zip(targets, seen, strict=True)
        block = [self._source(*pair) for pair in others]
        after = self._showing(rest)
        later = [self._showing([kind]) for _, kind in others]
        block += [*self._showing(seen[-1:]), self._source(*last), *after]
        for scene, shown in zip(targets, [[], *later], strict=True):
            block += [*shown, self._target(scene, kinds)]
        return block

    def _kinds(self, targets: Sequence[Scene]) -> list[str]:
        """Draw what happens beside in a block, if possible what does in its targets as well."""
        able = {bystander(scene) for scene in self._fillers}
        every = [kind for kind in BYSTANDERS if kind in able]
        order = [every[int(index)] for index in self._drawn.permutation(len(every))]
        own = [bystander(scene) for scene in targets]
        kinds = sorted(order, key=lambda kind: kind not in own)[:SHOWN]
        return [kinds[int(index)] for index in self._drawn.permutation(len(kinds))]

    def _source(self, scene: Scene, kind: str) -> Cue:
        """Return an episode in which a scene's thing is lost."""
        name = f"{SOURCE}-{scene.name}-{kind}"
        levels = load_scene(name, self._scenes_dir).showcase
        return (f"source {scene.name}", self._set(name, levels, f"remove_cause:{SAVED}"))

    def _target(self, scene: Scene, kinds: Sequence[str]) -> Cue:
        """Return an episode in which a thing is missed; what happens beside is of these kinds."""
        levels = dict(scene.showcase)
        if (kind := bystander(scene)) is not None and kind not in kinds:
            levels[kind] = next(str(v) for v in scene.scm[kind].domain if v != levels[kind])
        return (
            f"target {scene.name}",
            self._set(scene.name, levels, f"remove_cause:{scene.lacks}"),
        )

    def _showing(self, kinds: Sequence[str]) -> list[Cue]:
        """Return a filler for each kind of thing that happens beside, while fillers are left."""
        found: list[Cue] = []
        for kind in kinds[: self._left]:
            scene = self._use(next(one for one in self._fillers if bystander(one) == kind))
            happens = {kind: scene.showcase[kind]}
            found.append(("", self._set(scene.name, happens)))
        self._left -= len(found)
        return found

    def _set(self, name: str, levels: Mapping[str, str] = NO_LEVELS, *twins: str) -> SceneSettings:
        slow = self._settings.slow_motion
        return SceneSettings(
            scene=name, groups=1, twins=twins, levels=dict(levels), slow_motion=slow
        )

    def _use(self, scene: Scene) -> Scene:
        """Put a filler behind all others and return it."""
        self._fillers.remove(scene)
        self._fillers.append(scene)
        return scene


def _number(name: str, director: _Director, counts: Counter[str]) -> Story:
    """Return a story, its episodes numbered on from what there is of their scenes."""
    episodes: list[Episode] = []
    places: dict[str, int] = {}
    for role, settings in director.cues():
        places[role] = len(episodes)
        episodes.append(Episode(settings, counts[settings.scene]))
        counts[settings.scene] += 1
    links = tuple(
        Link(places[f"source {s.name}"], places[f"target {s.name}"], str(s.lacks))
        for s in director.targets
    )
    return Story(name, tuple(episodes), links)


def _fillers(
    known: dict[str, Scene], targets: Sequence[Scene], key: tuple[str | int, ...]
) -> list[Scene]:
    """Return the scenes that show none of the things, in a drawn order."""
    things = {scene.lacking.object_name for scene in targets}
    able = [
        scene
        for scene in known.values()
        if scene.name != SOURCE and scene not in targets and not things & scene.things.keys()
    ]
    order = rng.stream(*key, "fillers").permutation(len(able))
    return [able[int(index)] for index in order]
