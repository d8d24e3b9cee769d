import pytest

from simworld.benchmarks.causalstep.schema import read_truth
from simworld.errors import InputError, NotRegisteredError
from simworld.export import EXPORTERS, export


def test_the_three_benchmarks_can_be_exported():
    assert {"castbench", "causal2needles", "causalstep"} <= set(EXPORTERS)


def test_exported_folders_are_the_suites_and_stand_alone(small_suite, tmp_path):
    out = tmp_path / "out"
    folders = export(small_suite, to=["causalstep", "castbench"], out=out)
    assert folders == [out / "causalstep", out / "castbench"]
    assert sorted(out.iterdir()) == sorted(folders)
    for folder in folders:
        source = small_suite / "benchmarks" / folder.name
        held = {p.relative_to(source): p.read_bytes() for p in source.rglob("*") if p.is_file()}
        found = {p.relative_to(folder): p for p in folder.rglob("*") if p.is_file()}
        assert {name: path.read_bytes() for name, path in found.items()} == held
        assert all(path.stat().st_nlink == 1 for path in found.values())
    assert read_truth(out / "causalstep" / "causalstep.jsonl")


def test_an_empty_folder_is_filled_and_any_other_refused(small_suite, tmp_path):
    (tmp_path / "out").mkdir()
    export(small_suite, to=["causalstep"], out=tmp_path / "out")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="expected a new or empty folder"):
        export(small_suite, to=["castbench"], out=tmp_path / "out")
    assert sorted(tmp_path.rglob("*")) == before


def test_nothing_is_written_if_one_of_the_formats_cannot_be(small_suite, tmp_path):
    there = "castbench, causalstep, decisions; "
    with pytest.raises(InputError, match=f"folder of causal2needles in .*{there}"):
        export(small_suite, to=["causalstep", "causal2needles"], out=tmp_path / "out")
    with pytest.raises(NotRegisteredError, match="did you mean causalstep"):
        export(small_suite, to=["causalstp"], out=tmp_path / "out")
    with pytest.raises(InputError, match="each once"):
        export(small_suite, to=["causalstep", "causalstep"], out=tmp_path / "out")
    with pytest.raises(InputError, match=r"expected a suite's manifest\.json"):
        export(tmp_path, to=["causalstep"], out=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
