"""What docs/interop.md prints is what happens."""

import re
from pathlib import Path

import pytest

from simworld.export import EXPORTERS, export

PAGE = (Path(__file__).parents[2] / "docs" / "interop.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
FORMATS = re.search(r"--to (\S+)", PAGE)[1].split(",")


def test_the_formats_are_the_exporters():
    assert set(FORMATS) <= set(EXPORTERS)
    assert re.findall(r"^\| `(\w+)`", PAGE, re.MULTILINE) == FORMATS


@pytest.fixture(scope="module")
def exported(small_suite, tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    export(small_suite, to=FORMATS, out=folder / "out")
    return folder


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("code", BLOCKS, ids=["pandas", "pgmpy", "causallearn", "dowhy"])
def test_each_example_runs(code, request, monkeypatch, capsys):
    for package in re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE):
        pytest.importorskip(package)
    if "out/" in code:
        monkeypatch.chdir(request.getfixturevalue("exported"))
    exec(compile(code, "docs/interop.md", "exec"), {})
    if comment := re.search(r"# (\d+):", code):
        assert capsys.readouterr().out.strip() == comment[1]
