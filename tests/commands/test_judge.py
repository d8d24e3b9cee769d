import json

import pytest

from simworld import cli


@pytest.fixture
def folder(tmp_path, write_rows, video_row):
    rows = [video_row(3, f"v{number}", group=f"g{number}") for number in range(8)]
    write_rows(tmp_path / "causalstep.jsonl", rows)
    return tmp_path


def test_recover_prints_a_row_of_verdicts_for_each_metric(folder, capfd):
    assert cli.run(["recover", str(folder)]) == 0
    out = capfd.readouterr().out
    assert "causalstep, five verdicts: n 8, 8 clusters, at most 0% not answered" in out
    for word in ("csr", "icra_pair", "closed form", "evidence", "pass for"):
        assert word in out


def test_recover_prints_one_json_document_and_the_rest_on_stderr(folder, capfd):
    assert cli.run(["recover", str(folder), "--json"]) == 0
    captured = capfd.readouterr()
    found = json.loads(captured.out)
    assert found["benchmarks"]["causalstep"]["n"] == 8
    assert "causalstep: " in captured.err


def test_probe_prints_a_table_and_writes_a_page_where_it_is_told_to(folder, capfd):
    page = folder / "page.html"
    assert cli.run(["probe", str(folder), "--figure", str(page)]) == 0
    out = capfd.readouterr().out
    assert "above chance" in out
    assert out.splitlines()[-1] == str(page)
    assert "<svg" in page.read_text()


def test_probe_prints_one_json_document(folder, capfd):
    assert cli.run(["probe", str(folder), "--json"]) == 0
    rows = json.loads(capfd.readouterr().out)["benchmarks"]["causalstep"]["rows"]
    assert {"probe", "sees", "metric", "value", "chance", "p", "above_chance"} <= set(rows[0])


@pytest.mark.parametrize("command", ["probe", "recover"])
def test_a_folder_without_a_benchmark_is_one_line_and_exit_2(tmp_path, capfd, command):
    assert cli.run([command, str(tmp_path)]) == 2
    err = capfd.readouterr().err
    assert err.startswith("simworld: error: expected a suite or a benchmark's folder")
    assert err.count("\n") == 1


def test_evaluate_repeats_and_takes_a_set(folder, capfd):
    arguments = ["evaluate", str(folder), "--models", "ladder", "--out", str(folder / "run")]
    assert cli.run([*arguments, "--repeats", "2", "--json"]) == 0
    results = json.loads(capfd.readouterr().out)
    assert results["oracle"]["repeats"]["n"] == 2
    assert "competence:0.5/1" in results
