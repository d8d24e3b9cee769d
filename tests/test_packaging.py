"""The wheel holds all that a user without a checkout needs."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(out.glob("*.whl")))


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", ["scenes", "simworld/recipes", "simworld/report/templates", "simworld/starter"]
)
def test_wheel_holds_the_same_files_as_the_checkout(wheel: zipfile.ZipFile, folder: str) -> None:
    inside = "simworld/scenes" if folder == "scenes" else folder
    files = [
        path
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert files, f"{folder} is empty"
    for path in files:
        name = f"{inside}/{path.relative_to(ROOT / folder).as_posix()}"
        assert wheel.read(name) == path.read_bytes()


@pytest.mark.slow
def test_wheel_holds_no_tests_and_says_it_is_typed(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert "simworld/py.typed" in names
    assert {name.split("/")[0] for name in names} == {"simworld", "simworld-0.1.0.dist-info"}
