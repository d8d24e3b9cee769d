"""What CONTRIBUTING tells a new author to do works, line by line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CONTRIBUTING = Path(__file__).parent.parent / "CONTRIBUTING.md"


@pytest.mark.slow
def test_a_scene_in_five_minutes(tmp_path):
    text = CONTRIBUTING.read_text(encoding="utf-8")
    section = text.split("## Add a scene in five minutes")[1].split("\n## ")[0]
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", section, re.DOTALL)).splitlines()
    assert [line.split()[:2] for line in lines if line] == [
        ["simworld", "new"],
        ["pytest", "scenes/tests/test_tipping_vase.py"],
        ["simworld", "generate"],
        ["simworld", "audit"],
        ["simworld", "show"],
    ]
    [recipe] = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    (tmp_path / "first.toml").write_text(recipe, encoding="utf-8")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for line in filter(None, lines):
        done = subprocess.run(
            line.split(),
            cwd=tmp_path,
            env=os.environ | {"PATH": programs},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    assert (tmp_path / "sheet.png").is_file()
