"""Where the naive labellers are right and wrong: as theory has it, or as the page says."""

import pytest

from simworld.scene import library
from tests.labelling import PAGE, THEORY, label

pytestmark = pytest.mark.slow

ADJACENCY_ERRS = {
    "common_cause": "mug_fall -> vase_fall",
    "temporal_decoy": "tap -> fall",
    "blocked_ball": "slide -> no shatter",
    "door_knocked_shut": "shut -> no box_hit",
}
REMOVAL_ERRS = {
    "racing_balls": "red_hit -> fall",
    "double_push": "red_hit -> fall",
}


@pytest.fixture(scope="module")
def labels(workers):
    names = list(library())
    return dict(zip(names, workers.map(label, names), strict=True))


@pytest.mark.parametrize("name", ADJACENCY_ERRS)
def test_adjacency_errs_where_what_touches_is_no_cause_and_what_is_none_touches(labels, name):
    assert ADJACENCY_ERRS[name] in labels[name][0].wrong


@pytest.mark.parametrize("name", REMOVAL_ERRS)
def test_object_removal_errs_where_a_second_cause_stands_by(labels, name):
    assert REMOVAL_ERRS[name] in labels[name][1].wrong


@pytest.mark.parametrize("name", ["falling_cup", "domino_run", "racing_balls"])
def test_adjacency_is_right_along_chains_and_under_preemption(labels, name):
    assert labels[name][0].labelled > 0 and labels[name][0].wrong == []


@pytest.mark.parametrize("name", ["falling_cup", "door_knocked_shut", "temporal_decoy"])
def test_object_removal_is_right_where_each_cause_has_an_object_of_its_own(labels, name):
    assert labels[name][1].labelled > 0 and labels[name][1].wrong == []


def test_the_page_says_of_every_scene_what_comes_out(labels):
    rows = {
        cells[1].strip(): (cells[2].strip(), cells[4].strip())
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if len(cells := line.split("|")) > 5
    }
    found = {name: tuple(map(str, pair)) for name, pair in labels.items()}
    assert {name: rows.get(name) for name in found} == found
    assert set(THEORY) - {"rube_goldberg", "cut_off"} <= set(found)
