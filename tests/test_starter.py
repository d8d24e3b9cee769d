"""A new scene is a script and a test that pass as they stand, and mark what is to be changed."""

import subprocess
import sys
from pathlib import Path

import pytest

from simworld import cli
from simworld.errors import InputError
from simworld.scene import library_folder, load_scene
from simworld.starter import new_scene

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    folder = tmp_path_factory.mktemp("user") / "mine"
    return new_scene("tipping_vase", folder)


def test_the_script_and_its_test_are_where_a_user_finds_them(started):
    script, test = started
    folder = script.parent
    assert script == folder / "tipping_vase.py"
    assert test == folder / "tests" / "test_tipping_vase.py"
    assert {path for path in folder.rglob("*.py")} == {script, test}
    assert load_scene("tipping_vase", folder).name == "tipping_vase"


@pytest.mark.slow
def test_the_test_passes_as_it_stands_outside_the_checkout(started, tmp_path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(started[1])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


@pytest.mark.slow
def test_a_wrong_equation_fails_the_test_that_came_with_it(tmp_path):
    script, test = new_scene("wrong_vase", tmp_path / "mine")
    right = script.read_text()
    wrong = right.replace('event("slide", "bump")', 'event("slide", "roll and not bump")')
    assert wrong != right
    script.write_text(wrong)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "the model says slide = 0, the physics slide = 1" in done.stdout


def test_the_smallest_scene_of_our_own_tests_is_what_a_new_one_is():
    ours = HERE / "user_scenes"
    for kept in (ours / "nudge.py", ours / "tests" / "test_nudge.py"):
        template = "test.txt" if kept.name.startswith("test_") else "scene.txt"
        text = (HERE.parent / "simworld" / "starter" / template).read_text()
        assert kept.read_text() == text.replace("SCENE_NAME", "nudge")


def test_in_a_checkout_the_librarys_tests_are_the_checkouts(tmp_path, monkeypatch):
    checkout = tmp_path / "checkout"
    (checkout / "tests" / "scenes").mkdir(parents=True)
    (checkout / "scenes").mkdir()
    monkeypatch.setattr("simworld.starter.library_folder", lambda: checkout / "scenes")
    monkeypatch.chdir(checkout)
    script, test = new_scene("tipping_vase")
    assert script == Path("scenes/tipping_vase.py")
    assert test == Path("tests/scenes/test_tipping_vase.py")
    assert 'NAME, SCENES = "tipping_vase", None\n' in test.read_text()
    assert "Path" not in test.read_text()
    monkeypatch.chdir(checkout / "scenes")
    assert new_scene("other_vase", Path())[1] == checkout / "tests/scenes/test_other_vase.py"


@pytest.mark.parametrize("name", ["Vase", "2vases", "my-vase", "", "class", "../vase", "_vase"])
def test_what_cannot_be_a_scenes_name_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="expected a scene's name of small letters"):
        new_scene(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_taken_name_and_a_file_in_the_way_are_refused(started, tmp_path):
    with pytest.raises(InputError, match="'falling_cup', which is in the library"):
        new_scene("falling_cup", tmp_path)
    before = started[0].read_text()
    with pytest.raises(InputError, match=r"expected no file at .*tipping_vase\.py"):
        new_scene("tipping_vase", started[0].parent)
    assert started[0].read_text() == before
    assert (library_folder() / "falling_cup.py").is_file()


def test_the_command_prints_the_paths_and_what_to_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.run(["new", "scene", "tipping_vase", "--scenes", "mine"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines() == [
        "mine/tipping_vase.py",
        "mine/tests/test_tipping_vase.py",
        "run the test with: pytest mine/tests/test_tipping_vase.py",
    ]
    assert cli.run(["new", "scene", "Tipping"]) == 2
