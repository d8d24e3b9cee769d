"""A recipe is checked before anything runs; each mistake is told in one line."""

import pytest

from simworld.errors import InputError
from simworld.recipe import load_recipe, shipped_recipes
from simworld.scene import load_scene
from simworld.story.cast import groups_of
from simworld.suite import check_recipe
from simworld.twins import spelled_out

GOOD = """
name = "mine"
[[scenes]]
scene = "falling_cup"
groups = 2
twins = ["nuisance"]
levels = {floor = "rug"}
"""


@pytest.fixture
def written(tmp_path):
    def write(text: str):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return path

    return write


def test_what_is_not_said_has_a_default(written):
    recipe = load_recipe(written(GOOD))
    assert (recipe.name, recipe.seed, recipe.split) == ("mine", 0, "train")
    assert (recipe.video.width, recipe.video.height, recipe.video.fps) == (320, 240, 12)
    assert (recipe.truth.sieve_draws, recipe.truth.sieve_noise) == (8, 0.02)
    (scene,) = recipe.scenes
    assert (scene.groups, scene.twins, scene.levels) == (2, ("nuisance",), {"floor": "rug"})


@pytest.mark.parametrize("name", shipped_recipes())
def test_every_shipped_recipe_loads_by_its_name(name):
    assert load_recipe(name).name == name


def test_a_file_comes_before_a_shipped_recipe_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").write_text(GOOD)
    assert load_recipe("demo").name == "mine"


@pytest.mark.parametrize(
    ("overrides", "seed", "fps", "name"),
    [
        ((), 0, 12, "mine"),
        (("seed=7",), 7, 12, "mine"),
        (("video.fps=24", "seed=1", "seed=2"), 2, 24, "mine"),
        (("name=yours",), 0, 12, "yours"),
        (("name='yours'",), 0, 12, "yours"),
    ],
)
def test_settings_can_be_overridden(written, overrides, seed, fps, name):
    recipe = load_recipe(written(GOOD), overrides)
    assert (recipe.seed, recipe.video.fps, recipe.name) == (seed, fps, name)


def test_a_scene_has_its_own_slow_motion_or_the_recipes(written):
    text = GOOD.replace("[[scenes]]", "[video]\nfps = 10\nslow_motion = 2\n[[scenes]]")
    text += '[[scenes]]\nscene = "domino_run"\ngroups = 1\nslow_motion = 12\n'
    recipe = load_recipe(written(text))
    steps = [recipe.video_of(settings).steps_per_frame for settings in recipe.scenes]
    assert steps == [240 // 20, 240 // 120]


def refused(path, words: str, overrides=()) -> None:
    with pytest.raises(InputError, match=words) as caught:
        load_recipe(path, overrides)
    assert "\n" not in str(caught.value)


def test_a_recipe_that_is_nowhere_is_told_the_shipped_ones(tmp_path):
    refused(tmp_path / "none.toml", r"shipped recipes \(.*demo.*\), found neither at .*none\.toml")


def test_what_is_no_toml_is_told_where(written):
    refused(written("name = "), r"expected TOML in .*mine\.toml, found: Invalid value")


def test_what_is_no_text_is_refused_too(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b"name = '\xff'")
    refused(path, r"expected TOML in .*mine\.toml, found: ")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ('nam = "x"', r"nam: Extra inputs are not permitted; found 'x'"),
        ("seed = -1", r"seed: .*greater than or equal to 0; found -1"),
        ("seed = 1.5", r"seed: .*integer.*; found 1\.5"),
        ('split = "test"', r"split: .*'train' or 'held_out'; found 'test'"),
        ("[video]\nfps = 0", r"video\.fps: .*; found 0"),
        ("[video]\nwidth = '320px'", r"video\.width: .*integer.*; found '320px'"),
        ("[video]\ncolour = 1", r"video\.colour: Extra inputs"),
        (
            "[truth]\nsieve_noise = 2.0",
            r"truth\.sieve_noise: .*less than or equal to 1; found 2\.0",
        ),
        ("[truth]\nreference_contexts = 0", r"truth\.reference_contexts: .*; found 0"),
    ],
)
def test_each_bad_setting_is_named_with_what_was_found(written, change, words):
    text = GOOD.replace('name = "mine"', f'name = "mine"\n{change}')
    refused(written(text), rf"^recipe .*mine\.toml: {words}")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "mine"', "", r"name: Field required"),
        ('name = "mine"', 'name = "My Suite"', r"name: .*pattern.*; found 'My Suite'"),
        ("groups = 2", "groups = 0", r"scenes\.0\.groups: .*; found 0"),
        ("groups = 2", "group = 2", r"scenes\.0\.groups: Field required"),
        ('["nuisance"]', '"nuisance"', r"scenes\.0\.twins: .*; found 'nuisance'"),
        ('{floor = "rug"}', "{floor = 1}", r"scenes\.0\.levels\.floor: .*string; found 1"),
    ],
)
def test_each_bad_scene_is_named_by_its_number(written, old, new, words):
    refused(written(GOOD.replace(old, new)), rf"^recipe .*mine\.toml: {words}")


def test_a_recipe_without_scenes_is_refused(written):
    path = written('name = "mine"\nscenes = []')
    refused(path, r"at least one \[\[scenes\]\] or \[\[stories\]\]")


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("seed", r"override such as seed=1 or video\.fps=24, found 'seed'"),
        ("seed.x=1", r"'seed\.x=1': seed is no table"),
        ("video.fsp=24", r"video\.fsp: Extra inputs"),
        ("scenes.groups=2", r"scenes is no table"),
        ("seed=many", r"seed: .*integer.*; found 'many'"),
    ],
)
def test_each_bad_override_is_told(written, override, words):
    refused(
        written('seed = 1\nname = "mine"\n' + GOOD.partition("\n")[2].partition("\n")[2]),
        words,
        [override],
    )


@pytest.mark.parametrize("name", shipped_recipes())
def test_every_shipped_recipe_can_be_generated(name):
    recipe = load_recipe(name)
    check_recipe(recipe, None)
    groups = [one.group for one in groups_of(recipe, None)]
    assert len(set(groups)) == len(groups) >= 1


@pytest.mark.parametrize(
    ("name", "clips"), [("castbench-1015", 1015), ("causalstep-100", 100), ("minimal-pairs", 95)]
)
def test_a_published_size_is_kept(name, clips):
    recipe = load_recipe(name)
    found = 0
    for one in groups_of(recipe, None):
        scene = load_scene(one.settings.scene)
        drawn = scene.draw(recipe.seed, recipe.split, one.instance, 0, one.settings.levels)
        found += 1 + len(spelled_out(scene, drawn, one.settings.twins))
    assert found == clips


def test_a_tenth_is_rounded_up_and_at_least_one_of_each(written):
    path = written(GOOD.replace("groups = 2", "groups = 11") + "[[stories]]\nvideos = 3\n")
    recipe = load_recipe(path, ["scale=0.1"])
    assert (recipe.scenes[0].groups, recipe.stories[0].videos, recipe.scale) == (2, 1, 1.0)
    assert load_recipe(path, ["scale=1"]).scenes[0].groups == 11


@pytest.mark.parametrize("scale", ["0", "-1", "inf", "nan"])
def test_no_other_scale_is_taken(written, scale):
    with pytest.raises(InputError, match="scale"):
        load_recipe(written(GOOD), [f"scale={scale}"])
