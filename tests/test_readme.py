"""What README prints is what happens."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_python_example_runs_and_prints_what_is_shown(tmp_path):
    text = README.read_text(encoding="utf-8")
    [(code, shown)] = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    script = tmp_path / "example.py"
    script.write_text(code, encoding="utf-8")
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout == shown


def test_the_two_commands_stand_alone_in_code_blocks():
    text = README.read_text(encoding="utf-8")
    assert "```sh\nmake demo\n```" in text
    assert "```sh\nmake test\n```" in text
