"""Conclusions on a hidden mass, made and audited whole: a light box beside a heavy one."""

import shutil

import pytest

from simworld.store import Suite
from simworld.suite import generate
from tests.audit.forge import QUESTIONS, edited, mend

pytestmark = pytest.mark.slow

RECIPE = """
name = "boxes"
[video]
width = 160
height = 120
[truth]
sieve_draws = 0
reference_contexts = 1
[[scenes]]
scene = "hidden_mass"
groups = 1
twins = ["parameter:full_box"]
[scenes.levels]
ball = "rolls"
far_edge = "open"
near_edge = "open"
green_ball = "rolls"
box_mass = "empty"
"""


@pytest.fixture(scope="module")
def boxes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boxes")
    (folder / "boxes.toml").write_text(RECIPE, encoding="utf-8")
    generate(folder / "boxes.toml", folder / "suite", workers=2)
    return folder / "suite"


def inferred(rows):
    return [row for row in rows if row["kind"] == "inference_description"]


def test_what_shows_the_mass_is_asked_of_both_boxes_and_holds(boxes, inspect):
    report = inspect(boxes, workers=2)
    assert report.ok, report.failures
    rights = [
        next(option["claim"] for option in row["options"] if option["right"])
        for row in inferred(Suite(boxes).questions())
    ]
    assert [claim.count("not(light_box)") for claim in rights] == [0, 1]
    assert all(claim.startswith("shows(") for claim in rights)


def other_answer(row):
    right = next(option for option in row["options"] if option["right"])
    wrong = next(option for option in row["options"] if not option["right"])
    right["right"], wrong["right"], row["answer"] = False, True, wrong["key"]
    right["distractor_type"], wrong["distractor_type"] = wrong["distractor_type"], None
    return f"option {right['key']} {right['claim']}: right: expected True"


def less_proof(row):
    right = next(option for option in row["options"] if option["right"])
    del right["proof"][1:]
    return f"option {right['key']} {right['claim']}: proof"


def other_kind(row):
    wrong = next(option for option in row["options"] if not option["right"])
    wrong["distractor_type"] = "surface_level"
    return f"option {wrong['key']} {wrong['claim']}: kind"


def another_thing(row):
    row["question"] = row["question"].replace("the box", "the can")
    return f"{row['question_id']}: text"


def seen_to_be_heavy(row):
    row["evidence"][0] |= {"event": "light_box", "rationale": "The box is empty and light."}
    return f"{row['question_id']}: evidence 1: event"


@pytest.mark.parametrize(
    "forge", [other_answer, less_proof, other_kind, another_thing, seen_to_be_heavy]
)
def test_a_forged_conclusion_is_named(boxes, inspect, tmp_path, forge):
    folder = tmp_path / "suite"
    shutil.copytree(boxes, folder)
    with edited(folder / QUESTIONS) as rows:
        claim = forge(inferred(rows)[0])
    mend(folder)
    assert claim in "\n".join(map(str, inspect(folder, workers=2).failures))
