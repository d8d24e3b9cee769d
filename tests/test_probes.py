import re
import xml.etree.ElementTree as ElementTree

import pytest

from simworld.errors import InputError
from simworld.probes import METRICS, probe
from simworld.report.probes import write_probes
from simworld.report.tables import probe_tables

VIDEOS = 40


@pytest.fixture(scope="module")
def leaky(tmp_path_factory, video_row, write_rows):
    """A file whose right options are the longest, C among them most often; each in a group."""
    videos = [video_row(3, f"v{i}", group=f"g{i}") for i in range(VIDEOS)]
    for video in videos:
        for question in video["questions"]:
            question["options"]["C"] += ", which is why it did not stay where it was"
    folder = tmp_path_factory.mktemp("leaky")
    write_rows(folder / "causalstep.jsonl", videos)
    return folder


@pytest.fixture(scope="module")
def found(leaky):
    return probe(leaky)


def rows(found, benchmark="causalstep"):
    return {(r["probe"], r["metric"]): r for r in found["benchmarks"][benchmark]["rows"]}


def test_shortcuts_that_the_file_leaves_open_lie_above_chance_and_others_do_not(found, leaky):
    by = rows(found)
    learners = "answer_prior", "text_learner", "surface_learner"
    for shortcut in ("longest_option", *(f"{name}:{leaky.name}" for name in learners)):
        row = by[shortcut, "icra"]
        assert (row["value"], row["above_chance"]) == (1, True)
        assert row["chance"] == pytest.approx(1 / 8)
    for blind in ("chance", "constant:A"):
        assert by[blind, "icra"]["above_chance"] is False
    assert by["chance", "csr"]["chance"] == pytest.approx(1 / 8**3)


def test_each_row_says_its_size_interval_and_what_was_not_answered(found):
    bench = found["benchmarks"]["causalstep"]
    assert (bench["n"], bench["clusters"]) == (VIDEOS, VIDEOS)
    for row in bench["rows"]:
        assert row["ci_low"] <= row["value"] <= row["ci_high"]
        assert (row["not_answered"], row["sees"]) == (0, "media")
    assert {row["metric"] for row in bench["rows"]} == set(METRICS["causalstep"])


def test_a_folder_without_a_benchmark_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected a suite or a benchmark's folder"):
        probe(tmp_path)


def test_the_table_marks_what_lies_above_chance(found):
    [(title, header, cells)] = probe_tables(found)
    assert title == f"causalstep: n {VIDEOS}, {VIDEOS} clusters; * above chance, p < 0.05 by Holm"
    assert header == ["probe", "sees", *METRICS["causalstep"], "not answered"]
    longest = next(row for row in cells if row[0] == "longest_option")
    assert longest[3].startswith("1.000* [")
    assert all(len(row) == len(header) for row in cells)


def test_the_page_has_a_figure_for_each_metric_with_chance_in_it(found, tmp_path):
    page = write_probes(found, tmp_path / "new" / "probes.html").read_text()
    drawings = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawings) == len(METRICS["causalstep"])
    for drawing in drawings:
        tree = ElementTree.fromstring(drawing)
        assert len(tree.findall(".//circle")) == 9
        assert len(tree.findall("line[@class='chance']")) == 1
    assert "http" not in page.replace("http://www.w3.org", "")


def test_names_are_escaped(found, tmp_path):
    odd = found | {"folder": "<b>&"}
    assert "<b>&" not in write_probes(odd, tmp_path / "p.html").read_text()
