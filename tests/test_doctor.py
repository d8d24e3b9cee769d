import importlib.metadata
from typing import NoReturn

import pytest

from simworld import doctor


def test_a_missing_package_comes_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "jinja2":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    lacking = [finding for finding in doctor.examine() if finding.needed and not finding.ok]
    assert [finding.name for finding in lacking] == ["jinja2"]
    assert lacking[0].mend.endswith("-m pip install 'jinja2>=3.1'")
    assert "LACK jinja2: not installed\n" in str(lacking[0])


def test_a_later_python_is_a_note_not_a_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.sys, "version_info", (3, 12, 1))
    finding = doctor._python()
    assert (finding.ok, finding.needed) == (False, False)


def test_physics_that_cannot_run_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> NoReturn:
        raise ImportError("no pybullet here")

    monkeypatch.setattr("simworld.executors.Workers.__init__", broken)
    finding = doctor._physics()
    assert not finding.ok
    assert "no pybullet here" in finding.found
    assert "pip install" in finding.mend
