"""Verdicts across episodes, against the exact search over the joined model."""

from functools import partial

import pytest

from simworld.causal import verdicts
from simworld.recipe import SceneSettings
from simworld.scene import library, load_scene
from simworld.story.cast import LOST, SOURCE, Episode, Link, Story
from simworld.story.compose import Told, composed
from simworld.story.join import join_models, prefix, staged_of
from simworld.truth import ProvenVerdict

LACKING = [name for name in library() if load_scene(name).lacks and name != "rube_goldberg"]
SAME = (
    "cause_value",
    "effect_value",
    "but_for",
    "actual",
    "part_of_cause",
    "cause_set",
    "witness",
    "responsibility",
    "directness",
)


def told(scene, levels):
    """What a simulation would tell of an episode, by its model."""
    evaluate = partial(scene.scm.evaluate, levels)
    values = evaluate()
    onsets = {name: k for k, name in enumerate(scene.scm.events) if values[name]}
    found = verdicts(scene.scm, evaluate, onsets)
    own = {(v.cause, v.effect): ProvenVerdict(v, (f"{scene.name}:{v.cause}",)) for v in found}
    return Told(
        scene,
        {name: values[name] for name in scene.scm.endogenous},
        onsets,
        own,
        f"{scene.name}:shown",
        {name: f"{scene.name}:{name}" for name in scene.scm.endogenous},
    )


def two_episodes(name, changes):
    """A hatch and the scene that lacks what it takes away, at levels that fit each other."""
    target = load_scene(name)
    source = load_scene(f"{SOURCE}-{name}-cube")
    hatch = source.draw(0, "train", 0, fixed=source.showcase | changes).levels
    is_lost = source.scm.evaluate(hatch)[LOST]
    levels = target.draw(0, "train", 0, fixed=target.showcase).levels
    staged = staged_of(target, target.lacks)
    if not is_lost:
        levels = {**levels, **staged.levels}
    episodes = tuple(
        Episode(SceneSettings(scene=scene.name, groups=1), 0) for scene in (source, target)
    )
    story = Story("story", episodes, (Link(0, 1, target.lacks),))
    return story, (source, target), (hatch, levels), next(iter(staged.levels))


@pytest.mark.parametrize("changes", [{}, {"marble": "rests"}, {"place": "shelf"}])
@pytest.mark.parametrize("name", LACKING)
def test_a_cause_across_episodes_is_one_by_exact_search_over_the_joined_model(name, changes):
    story, scenes, levels, setting = two_episodes(name, changes)
    model = join_models(story, scenes)
    context = {
        prefix(k) + key: level
        for k, (scene, some) in enumerate(zip(scenes, levels, strict=True))
        for key, level in some.items()
        if key in scene.scm.exogenous and prefix(k) + key != prefix(1) + setting
    }
    exact = {(v.cause, v.effect): v for v in verdicts(model, partial(model.evaluate, context))}
    joined, apart = composed(story, [told(s, x) for s, x in zip(scenes, levels, strict=True)])
    assert joined
    for proven in (*joined, *apart):
        mine = proven.verdict
        search = exact[mine.cause, mine.effect]
        assert {key: getattr(mine, key) for key in SAME} == {
            key: getattr(search, key) for key in SAME
        }
        assert proven.proof
        if mine.actual:
            assert mine.role == search.role


@pytest.mark.parametrize("name", LACKING)
def test_most_pairs_that_a_link_joins_are_told(name):
    story, scenes, levels, _ = two_episodes(name, {})
    joined, _ = composed(story, [told(s, x) for s, x in zip(scenes, levels, strict=True)])
    pairs = len(scenes[0].scm.endogenous) * len(scenes[1].scm.events)
    assert len(joined) >= 0.9 * pairs
    lost = {v.verdict.effect for v in joined if v.verdict.cause == "e1_drop" and v.verdict.actual}
    values = [told(s, x).values for s, x in zip(scenes, levels, strict=True)]
    without = scenes[1].scm.evaluate({**levels[1], **staged_of(scenes[1], scenes[1].lacks).levels})
    differ = {f"e2_{n}" for n in scenes[1].scm.events if values[1][n] != without[n]}
    assert differ <= lost
