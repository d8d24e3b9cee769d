"""What a suite's scenes are, handed to other programs."""

import csv
from collections import defaultdict

import networkx as nx
import pytest

from simworld.causal import SCM, Intervention
from simworld.errors import InputError
from simworld.export import export
from simworld.store import Suite, read_json, write_json

GRAPHS = ["bif", "causal_learn", "dot", "gml", "node_link"]


@pytest.fixture(scope="module")
def folders(small_suite, tmp_path_factory):
    out = tmp_path_factory.mktemp("exported") / "out"
    export(small_suite, to=[*GRAPHS, "outcomes"], out=out)
    return out


@pytest.fixture(scope="module")
def rows(folders):
    with (folders / "outcomes" / "falling_cup" / "outcomes.csv").open() as file:
        return list(csv.DictReader(file))


def test_each_format_has_a_file_for_each_scene(folders):
    found = {path.relative_to(folders).as_posix() for path in folders.rglob("*") if path.is_file()}
    assert found == {
        "bif/falling_cup.bif",
        "causal_learn/falling_cup.txt",
        "dot/falling_cup.dot",
        "gml/falling_cup.gml",
        "node_link/falling_cup.json",
        "outcomes/falling_cup/contexts.csv",
        "outcomes/falling_cup/outcomes.csv",
    }


def test_the_graph_is_that_of_the_suites_proven_edges(small_suite, folders):
    proven = Suite(small_suite).mechanism("falling_cup")["edges"]
    expected = {(edge["from"], edge["to"]): edge["role"] for edge in proven}
    read = nx.read_gml(folders / "gml" / "falling_cup.gml")
    assert {(a, b): role for a, b, role in read.edges(data="role")} == expected
    data = read_json(folders / "node_link" / "falling_cup.json")
    assert {(e["source"], e["target"]): e["role"] for e in data["edges"]} == expected
    lines = (folders / "causal_learn" / "falling_cup.txt").read_text().splitlines()
    assert {tuple(line.split()[1::2]) for line in lines if "-->" in line} == set(expected)


def test_each_rollout_of_mechanism_and_clips_is_one_row(small_suite, rows):
    suite = Suite(small_suite)
    clips = defaultdict(list)
    for rollout in suite.mechanism("falling_cup")["rollouts"]:
        clips[rollout] = []
    for clip in suite.clip_ids:
        for rollout in suite.truth(clip)["rollouts"]:
            clips[rollout].append(clip)
    assert {row["rollout"]: row["clips"].split() for row in rows} == clips
    assert len(rows) == len(clips) > 100


def test_the_rows_are_what_the_model_says_of_their_settings(small_suite, rows):
    scm = SCM.from_json(Suite(small_suite).mechanism("falling_cup")["variables"])
    for row in rows:
        do = Intervention.parse(row["do"])
        assert row["targets"].split() == list(do)
        levels = {name: row[name] for name in scm.exogenous}
        expected = scm.evaluate(levels, do)
        assert {n: int(row[n]) for n in scm.endogenous} == {n: expected[n] for n in scm.endogenous}
    targets = {row["targets"] for row in rows}
    assert {"", *scm.endogenous} <= targets
    assert {row["void"] for row in rows} == {"0"}


def test_contexts_have_their_numbers_and_are_those_of_the_rows(small_suite, folders, rows):
    with (folders / "outcomes" / "falling_cup" / "contexts.csv").open() as file:
        contexts = {row["context"]: row for row in csv.DictReader(file)}
    assert set(contexts) == {row["context"] for row in rows}
    suite = Suite(small_suite)
    truth = suite.truth(suite.clip_ids[0])
    digest = truth["rollouts"][truth["rollout"]]["context"]
    for name, number in truth["context"]["numbers"].items():
        assert float(contexts[digest][name]) == number
    for name, nuisance in truth["context"]["nuisances"].items():
        assert contexts[digest][name] == str(nuisance)


def test_a_suite_without_scenes_and_a_variable_named_like_a_column_are_refused(tmp_path):
    write_json(tmp_path / "suite" / "manifest.json", {})
    with pytest.raises(InputError, match="models of one scene or more"):
        export(tmp_path / "suite", to=["gml"], out=tmp_path / "out")
    row = {"kind": "event", "domain": [0, 1], "parents": [], "table": [[1]]}
    mechanism = {"variables": [{"name": "void", **row}], "contexts": {}, "rollouts": {}}
    write_json(tmp_path / "suite" / "mechanisms" / "odd.json", mechanism)
    with pytest.raises(InputError, match="named unlike the columns"):
        export(tmp_path / "suite", to=["outcomes"], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
