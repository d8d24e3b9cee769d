"""Several clips' models and truths as one: every name carries its episode's number.

`e3_drop` is the event `drop` of the third episode. The setting that a thing's loss decides is no
setting of the joined model: the condition that it made is now made by the loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from simworld.causal import SCM
from simworld.causal.variables import BINARY, Row, Variable
from simworld.errors import CheckError
from simworld.scene import Context, Opening, Phrase, Scene, Staged
from simworld.story.cast import LOST, Story


@dataclass(frozen=True)
class JoinedScene(Scene):
    """A scene that several make up; it has no world of its own."""

    joined: SCM = field(default_factory=lambda: SCM(()))

    @property
    def scm(self) -> SCM:
        """The joined model."""
        return self.joined


def prefix(episode: int) -> str:
    """Return what names of an episode, which count from 0 here, begin with."""
    return f"e{episode + 1}_"


def staged_of(scene: Scene, name: str) -> Staged:
    """Return a scene's staging by name."""
    return next(staged for staged in scene.staged if staged.name == name)


def join_models(story: Story, scenes: Sequence[Scene]) -> SCM:
    """Return one model of all episodes.

    Raises:
        CheckError: What a link carries over decides more than one condition, or that by more
            than the one setting.
    """
    carried = {link.target: link for link in story.links}
    variables: list[Variable] = []
    for index, scene in enumerate(scenes):
        p, link, scm = prefix(index), carried.get(index), scene.scm
        setting = next(iter(staged_of(scene, link.staged).levels)) if link else None
        for name in scm.order:
            if name == setting:
                continue
            variable = scm[name]
            parents = tuple(p + parent for parent in variable.parents)
            table = variable.table
            if link and setting in variable.parents:
                parents = (prefix(link.source) + LOST,)
                table = _carried_table(scene, link.staged, variable)
            variables.append(replace(variable, name=p + name, parents=parents, table=table))
    return SCM(tuple(variables))


def _carried_table(scene: Scene, name: str, variable: Variable) -> tuple[Row, ...]:
    """Return the value of the condition without the thing lost (0) and with it lost (1)."""
    staged = staged_of(scene, name)
    [(setting, there)] = staged.levels.items()
    alone = variable.parents == (setting,) and scene.scm.children(setting) == (staged.variable,)
    if not alone or variable.name != staged.variable or scene.scm[variable.name].domain != BINARY:
        raise CheckError(
            f"scene {scene.name}: expected the setting {setting} of its staging {name} to decide "
            f"{staged.variable} alone, found {scene.scm.children(setting)}"
        )
    values = dict(row for row in variable.table if len(row) == 2)
    gone = scene.showcase[setting]
    return ((0, values[there]), (1, values[gone]))


def join_scenes(story: Story, scenes: Sequence[Scene]) -> JoinedScene:
    """Return the words of all episodes as those of one scene."""
    numbered = [(prefix(index), scene) for index, scene in enumerate(scenes)]
    return JoinedScene(
        name=story.name,
        version=1,
        summary="",
        tags=("story",),
        settings=(),
        nuisances=(),
        model=(),
        build=_no_world,
        conditions={},
        staged=(),
        phrases={p + n: _moved(p, w) for p, s in numbered for n, w in s.phrases.items()},
        things={p + name: words for p, s in numbered for name, words in s.things.items()},
        showcase={},
        key_events=(),
        opening=Opening("", {}),
        asked={},
        variants=tuple(
            replace(
                v,
                variable=p + v.variable,
                when={p + name: value for name, value in v.when.items()},
                phrase=_moved(p, v.phrase),
            )
            for p, s in numbered
            for v in s.variants
        ),
        joined=join_models(story, scenes),
    )


def carried_notice(target: Scene) -> str:
    """Return the sentence that tells what the loss of a thing is good for."""
    thing = target.things[target.lacking.object_name]
    return f"Unless {thing} drops into the bin, it will be in the way in a later scene."


def _moved(p: str, phrase: Phrase) -> Phrase:
    return replace(phrase, participants=tuple(p + name for name in phrase.participants))


def _no_world(_: Context) -> Any:
    raise CheckError("a story has no world of its own; build those of its episodes")


def numbered(p: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping with an episode's names."""
    return {p + name: value for name, value in values.items()}
