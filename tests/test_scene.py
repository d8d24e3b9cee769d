"""Contexts are drawn by name, worlds built from levels, scripts found or refused in one line."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld import scene as scene_module
from simworld.causal import Intervention, Unreachable
from simworld.errors import InputError, NotRegisteredError
from simworld.scene import Band, Context, Range, library, library_folder, load_scene
from simworld.truth import FACTUAL

CUP = load_scene("falling_cup")
LEVELS = {s.name: s.levels for s in CUP.settings} | {n.name: n.words for n in CUP.nuisances}
FIXED = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(words) for name, words in LEVELS.items() if words}
)


def do(**values: int) -> Intervention:
    return Intervention.of(values)


# Drawing


def test_seed_zero_reproduces_itself_and_differs_from_one():
    draws = [[CUP.draw(seed, "train", k).digest() for k in range(5)] for seed in (0, 0, 1)]
    assert draws[0] == draws[1]
    assert not set(draws[0]) & set(draws[2])


def test_every_part_of_the_key_counts():
    keys = [(0, "train", 0, 0), (0, "held_out", 0, 0), (0, "train", 1, 0), (0, "train", 0, 1)]
    assert len({CUP.draw(*key).digest() for key in keys}) == len(keys)


@given(FIXED, st.integers(0, 20))
def test_a_fixed_level_shifts_no_other_draw(fixed, instance):
    free, held = CUP.draw(3, "train", instance), CUP.draw(3, "train", instance, fixed=fixed)
    assert held.numbers == free.numbers
    for name in LEVELS:
        drawn = held.levels.get(name, held.nuisances.get(name))
        assert drawn == fixed.get(name, free.levels.get(name, free.nuisances.get(name)))


@given(st.sets(st.sampled_from([s.name for s in CUP.settings])), st.integers(0, 20))
def test_a_setting_more_or_less_shifts_no_other_draw(kept, instance):
    whole = CUP.draw(1, "train", instance)
    kept = kept | set(CUP.scm.exogenous)  # the equations need these
    part = replace(CUP, settings=tuple(s for s in CUP.settings if s.name in kept))
    context = part.draw(1, "train", instance)
    assert context.levels == {name: whole.levels[name] for name in whole.levels if name in kept}
    assert context.numbers.items() <= whole.numbers.items()
    assert context.nuisances == whole.nuisances


@given(st.sampled_from(["train", "held_out"]), st.integers(0, 50))
def test_numbers_lie_in_the_part_of_the_band_that_is_asked_for(split, instance):
    context = CUP.draw(0, split, instance)
    for setting in CUP.settings:
        assert context.levels[setting.name] in setting.levels
        if isinstance(setting, Range):
            for level, band in setting.bands.items():
                low, high = (band.low, band.high) if split == "train" else band.held_out
                assert low <= context.numbers[f"{setting.name}.{level}"] <= high
    assert -8 <= context.amount("camera_turn") <= 8


def test_levels_come_as_often_as_their_weights_say():
    drawn = [CUP.draw(0, "train", k).level("mug_material") for k in range(500)]
    assert drawn.count("steel") / 500 == pytest.approx(0.2, abs=0.05)


@given(st.integers(1, 9), st.floats(0.001, 0.5))
def test_noise_is_small_against_each_range_and_new_in_each_draw(draw, share):
    noise = CUP.noise(0, "train", 0, 0, draw, share)
    assert noise.keys() == CUP.draw(0, "train", 0).numbers.keys()
    for setting in CUP.settings:
        if isinstance(setting, Range):
            for level, band in setting.bands.items():
                size = abs(noise[f"{setting.name}.{level}"])
                assert 0 < size <= share * (band.high - band.low) * (1 + 1e-12)
    assert noise != CUP.noise(0, "train", 0, 0, draw + 1, share)


def test_changing_a_level_takes_the_number_that_was_drawn_for_it():
    context = CUP.draw(0, "train", 0, fixed={"edge_gap": "near"})
    far = context.at({"edge_gap": "far"})
    assert far == CUP.draw(0, "train", 0, fixed={"edge_gap": "far"})
    assert 0.055 <= context.number("edge_gap") <= 0.068 < 0.36 <= far.number("edge_gap") <= 0.40


def test_a_context_comes_back_from_json_and_its_name_tells_it_apart():
    context = CUP.draw(0, "train", 7)
    assert Context.from_json(context.to_json()) == context
    assert re.fullmatch("[0-9a-f]{16}", context.digest())
    shifted = context.shifted({"mug_mass.usual": 1e-9})
    assert shifted.digest() != context.digest() == context.shifted({}).digest()


@pytest.mark.parametrize(
    ("fixed", "words"),
    [
        ({"bal": "rests"}, "expected one of the settings ball, .*, found 'bal'"),
        ({"ball": "flies"}, "setting ball has the levels rolls, rests; found 'flies'"),
        ({"book": "open"}, "setting book has the levels absent, present; found 'open'"),
        ({"camera_turn": "3"}, "expected one of the settings .*, found 'camera_turn'"),
    ],
)
def test_what_cannot_be_fixed_is_refused_in_one_line(fixed, words):
    with pytest.raises(InputError, match=f"^scene falling_cup: {words}$") as caught:
        CUP.draw(0, "train", 0, fixed=fixed)
    assert "\n" not in str(caught.value)


# Worlds


@pytest.fixture
def everything():
    return CUP.draw(0, "train", 0, fixed=CUP.showcase)


def test_an_event_arms_its_handle_and_changes_nothing_else(everything):
    factual, armed = CUP.world(everything, FACTUAL), CUP.world(everything, do(bump=0, fall=1))
    assert factual.armed == {}
    assert armed == replace(factual, armed={"bump": 0, "fall": 1})


def test_a_condition_changes_the_world_and_arms_nothing(everything):
    steel = CUP.world(everything, do(brittle_mug=0))
    assert steel == CUP.world(everything.at({"mug_material": "steel"}), FACTUAL)
    assert steel.armed == {}
    assert steel.body("mug").breakable.peak_m_s is None


def test_a_condition_set_to_what_it_is_changes_nothing(everything):
    assert CUP.world(everything, do(brittle_mug=1)) == CUP.world(everything, FACTUAL)


def test_a_setting_may_be_put_at_a_level(everything):
    rug = CUP.world(everything, Intervention.of({"floor": "rug"}))
    assert rug == CUP.world(everything.at({"floor": "rug"}), FACTUAL)


def test_what_no_handle_brings_about_is_unreachable_unless_it_is_so_anyway(everything):
    with pytest.raises(Unreachable, match="falling_cup has no handle for impact := 1"):
        CUP.world(everything, do(fall=0, impact=1))
    assert CUP.world(everything, do(impact=1)).armed == {"impact": 1}


def test_an_intervention_on_what_is_no_variable_is_refused(everything):
    with pytest.raises(InputError, match="'bumb'"):
        CUP.world(everything, do(bumb=0))


def test_every_world_of_a_scene_has_the_same_bodies_in_the_same_order():
    contexts = [CUP.draw(5, "train", k) for k in range(10)]
    names = {tuple(b.name for b in CUP.world(c, FACTUAL).bodies) for c in contexts}
    assert len(names) == 1


def test_a_phrase_may_depend_on_the_values(everything):
    values = CUP.scm.evaluate(everything.levels)
    assert "hard floor" in CUP.phrase("impact", values).past
    assert "rug" in CUP.phrase("impact", values | {"hard_floor": 0}).past


# Finding scripts


MINE = """
from dataclasses import replace
from simworld.scene import load_scene
SCENE = replace(load_scene("falling_cup"), name="{name}")
"""


def script(folder: Path, name: str, text: str = MINE, **words: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(text.replace("{name}", words.get("called", name)))
    return folder


def loaded(name: str, folder: Path) -> tuple[str, int]:
    scene = load_scene(name, folder)
    return scene.name, len(scene.scm.endogenous)


def test_a_checkout_has_its_scenes_beside_the_package():
    assert library_folder() == Path(__file__).parent.parent / "scenes"
    assert {path.stem for path in library_folder().glob("*.py")} <= set(library())


def test_a_wheel_has_its_scenes_inside_the_package(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "simworld"
    package.mkdir(parents=True)
    script(package / "scenes", "alone", "from simworld.scene import load_scene\n" + MINE)
    cup = Path(scene_module.__file__).parent.parent / "scenes" / "falling_cup.py"
    (package / "scenes" / "falling_cup.py").write_text(cup.read_text())
    (package / "scenes" / "alone.py").unlink()
    monkeypatch.setattr(scene_module, "__file__", str(package / "scene.py"))
    assert library_folder() == package / "scenes"
    assert list(library()) == ["falling_cup"]


def test_a_users_folder_adds_to_the_library(tmp_path):
    folder = script(tmp_path / "mine", "my_cup")
    script(folder, "_helper", "raise RuntimeError")  # a name with _ is no scene
    assert set(library(folder)) == {*library(), "my_cup"}
    assert load_scene("my_cup", folder).name == "my_cup"
    with pytest.raises(NotRegisteredError, match="found 'my_cup'"):
        load_scene("my_cup")


def test_a_script_may_have_dataclasses_of_its_own(tmp_path):
    own = """from __future__ import annotations
from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    number: int


"""
    folder = script(tmp_path / "mine", "my_chain", own + MINE)
    assert load_scene("my_chain", folder).name == "my_chain"


def test_a_worker_finds_it_too(tmp_path, workers):
    folder = script(tmp_path / "mine", "my_cup")
    assert workers.call(loaded, "my_cup", folder) == ("my_cup", 9)
    assert workers.call(loaded, "falling_cup", folder) == ("falling_cup", 9)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "broken",
            "1 / 0",
            r"the scene script .*broken\.py does not load: ZeroDivisionError.*mend",
        ),
        ("typo", "def", r"the scene script .*typo\.py does not load: SyntaxError"),
        ("empty", "", r"expected .*empty\.py to define SCENE, a simworld\.scene\.Scene$"),
        ("other", "SCENE = 3", r"expected .*other\.py to define SCENE"),
        ("wrong", MINE.replace("{name}", "right"), r"wrong\.py to be named wrong: 'right'$"),
        ("falling_cup", MINE, r"the scene in .*mine.*, found that of .*scenes.*; rename one"),
    ],
)
def test_a_script_that_is_none_is_refused_in_one_line(tmp_path, name, text, words):
    folder = script(tmp_path / "mine", name, text)
    with pytest.raises(InputError, match=words) as caught:
        library(folder)
    assert len(str(caught.value)) < 500 and "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"expected a folder of scene scripts at .*none, found"):
        library(tmp_path / "none")


def test_a_misspelt_scene_is_told_the_nearest():
    with pytest.raises(NotRegisteredError, match="did you mean falling_cup"):
        load_scene("faling_cup")


def test_a_range_of_one_level_is_drawn_but_unknown_to_the_model():
    extra = Range("extra", "m", {"only": Band(1, 2, held_out=(2, 3))})
    more = replace(CUP, settings=(*CUP.settings, extra))
    assert more.scm == CUP.scm
    assert 1 <= more.draw(0, "train", 0).number("extra") <= 2
