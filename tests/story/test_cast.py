import math
from collections import Counter
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.errors import InputError
from simworld.recipe import Recipe, SceneSettings, StorySettings
from simworld.scene import library_folder, load_scene
from simworld.story.cast import BYSTANDERS, SHOWN, SOURCE, bystander, cast, groups_of


def recipe_of(seed, links, fillers, videos=2):
    story = StorySettings(videos=videos, links=links, fillers=fillers)
    return Recipe(name="stories", seed=seed, stories=(story,))


@given(seed=st.integers(0, 10_000), links=st.integers(1, 4), fillers=st.integers(0, 20))
@settings(max_examples=25, deadline=None)
def test_what_is_lost_is_missed_later_and_shown_nowhere_else(seed, links, fillers):
    for story in cast(recipe_of(seed, links, fillers), None):
        assert len(story.episodes) == 2 * links + fillers
        scenes = [load_scene(one.settings.scene) for one in story.episodes]
        for link in story.links:
            assert link.source < link.target <= link.source + 6  # of some three scenes each
            thing = scenes[link.target].lacking
            whole, target, kind = scenes[link.source].name.split("-")
            assert (whole, target) == (SOURCE, scenes[link.target].name)
            assert kind == bystander(scenes[link.source])
            shown = [k for k, scene in enumerate(scenes) if thing.object_name in scene.things]
            assert shown == [link.source, link.target]


def kinds_shown(episodes):
    """What runs into a can in these episodes for certain."""
    return {
        kind
        for one in episodes
        if (kind := bystander(scene := load_scene(one.settings.scene)))
        and one.settings.levels.get(kind) == scene.showcase[kind]
    }


@given(seed=st.integers(0, 10_000), links=st.integers(1, 4), fillers=st.integers(8, 15))
@settings(max_examples=25, deadline=None)
def test_what_happens_beside_a_loss_is_one_of_four_things_of_which_the_others_follow(
    seed, links, fillers
):
    for story in cast(recipe_of(seed, links, fillers), None):
        for link in story.links:
            [kind] = kinds_shown(story.episodes[link.source : link.source + 1])
            others = kinds_shown(story.episodes[link.source + 1 : link.target + 1]) - {kind}
            assert len(others) == SHOWN - 1


def test_whatever_is_among_the_four_is_the_one_as_often_as_others():
    seen, offered = Counter(), Counter()
    for seed in range(150):
        for story in cast(recipe_of(seed, 2, 6), None):
            for link in story.links:
                seen.update(kinds_shown(story.episodes[link.source : link.source + 1]))
                offered.update(kinds_shown(story.episodes[link.source : link.target + 1]))
    assert set(seen) == set(BYSTANDERS)
    for kind, count in offered.items():
        share = 1 / SHOWN
        assert abs(seen[kind] - share * count) < 4 * math.sqrt(share * (1 - share) * count), kind


@given(seed=st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_a_counterfactual_video_shares_all_clips_but_two(seed):
    for story in cast(recipe_of(seed, 2, 3), None):
        factual, *others = story.videos().values()
        assert len(others) == len(story.links)
        for link, clips in zip(story.links, others, strict=True):
            differ = [
                k for k, pair in enumerate(zip(factual, clips, strict=True)) if len(set(pair)) > 1
            ]
            assert differ == [link.source, link.target]


def test_instances_are_numbered_on_from_the_scenes_of_the_recipe():
    recipe = recipe_of(0, 2, 30, videos=3)
    first = groups_of(recipe, None)[0].settings.scene
    more = recipe.model_copy(update={"scenes": (SceneSettings(scene=first, groups=2),)})
    names = [one.group for one in groups_of(more, None)]
    assert len(set(names)) == len(names)
    assert [name for name in names if name.startswith(first)][:2] == [
        f"{first}-0000",
        f"{first}-0001",
    ]
    story = chain.from_iterable(s.episodes for s in cast(more, None))
    assert names[2:] == [one.group for one in story]


def test_too_many_links_are_one_clear_error():
    with pytest.raises(InputError, match=r"links: expected at most \d, as many things"):
        cast(recipe_of(0, 20, 0), None)


def test_a_scene_of_the_users_own_can_lack_a_thing(tmp_path):
    text = (library_folder() / "ramp_gate.py").read_text(encoding="utf-8")
    mine = text.replace('name="ramp_gate"', 'name="my-ramp"')
    (tmp_path / "my-ramp.py").write_text(mine, encoding="utf-8")
    hatch = load_scene(f"{SOURCE}-my-ramp-cube", tmp_path)
    assert hatch.name == f"{SOURCE}-my-ramp-cube"
    assert hatch.things["brick"] == "the brick"
    names = {
        one.settings.scene.removesuffix(f"-{bystander(load_scene(one.settings.scene, tmp_path))}")
        for seed in range(30)
        for story in cast(recipe_of(seed, 3, 0), tmp_path)
        for one in story.episodes
    }
    assert {"my-ramp", f"{SOURCE}-my-ramp"} <= names
