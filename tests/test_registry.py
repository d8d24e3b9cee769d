import importlib.metadata
import sys
from types import ModuleType

import pytest

from simworld.errors import InputError, NotRegisteredError
from simworld.registry import Registry


@pytest.fixture
def registry():
    registry: Registry[object] = Registry("model", "models")
    registry.register("oracle")(1)
    registry.register("chance")(2)
    return registry


def entry_points(monkeypatch, **values):
    points = [
        importlib.metadata.EntryPoint(name.replace("__", "."), value, "simworld")
        for name, value in values.items()
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points)


def test_names_are_sorted_and_it_reads_like_a_mapping(registry):
    assert list(registry) == ["chance", "oracle"]
    assert len(registry) == 2
    assert "oracle" in registry and "oracel" not in registry
    assert registry["oracle"] == 1


def test_the_decorator_returns_what_it_registers():
    registry: Registry[type] = Registry("model", "models")

    @registry.register("x")
    class X: ...

    assert registry["x"] is X


def test_a_misspelt_name_is_told_the_nearest(registry):
    with pytest.raises(NotRegisteredError, match="'oracel'; did you mean oracle"):
        registry["oracel"]


def test_a_name_like_no_other_is_told_all(registry):
    with pytest.raises(NotRegisteredError, match="choose from: chance, oracle"):
        registry["zzz"]


def test_a_second_thing_of_one_name_is_refused(registry):
    with pytest.raises(InputError, match=r"'oracle'.*is taken"):
        registry.register("oracle")(3)
    assert registry["oracle"] == 1


def test_entry_points_of_the_section_are_loaded_when_asked_for(registry, monkeypatch):
    entry_points(monkeypatch, models__plugin="json:loads", scenes__other="json:dumps")
    import json

    assert list(registry) == ["chance", "oracle", "plugin"]
    assert registry["plugin"] is json.loads


def test_an_entry_point_is_not_imported_before_it_is_asked_for(registry, monkeypatch):
    entry_points(monkeypatch, models__broken="no_such_module_at_all:x")
    assert "broken" in registry and registry["oracle"] == 1
    with pytest.raises(InputError, match=r"no_such_module_at_all.*mend or uninstall"):
        registry["broken"]


def test_an_entry_point_with_a_taken_name_is_refused(registry, monkeypatch):
    entry_points(monkeypatch, models__oracle="json:loads")
    with pytest.raises(InputError, match="is taken"):
        registry["oracle"]


def test_modules_of_the_package_register_themselves_at_the_first_look_up(tmp_path, monkeypatch):
    package = tmp_path / "plugs"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("import holder\nholder.registry.register('one')(1)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    holder = ModuleType("holder")
    holder.registry = Registry("model", "models", package="plugs")
    monkeypatch.setitem(sys.modules, "holder", holder)
    assert "plugs.one" not in sys.modules
    assert list(holder.registry) == ["one"]
