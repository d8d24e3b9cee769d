"""Questions are what their candidates offer, and each option of one is right equally often."""

import json

import pytest

from simworld.audit.plan import PlannedGroup, check_copies
from simworld.audit.report import Findings
from simworld.qa.castbench import make_castbench
from simworld.qa.finalise import finalise
from simworld.recipe import SceneSettings
from simworld.scene import load_scene
from simworld.store import Suite, write_json, write_jsonl
from tests.qa.conftest import make_clip
from tests.qa.test_castbench import VIDEO, WORLDS


@pytest.fixture(scope="module")
def chosen():
    """Candidates of nine falling cups, and the questions chosen from them."""
    made = []
    for number, levels in enumerate(WORLDS):
        cup = make_clip(f"cup-{number}", **levels)
        told = cup.scene, cup.truth, cup.events, cup.segments
        made += make_castbench(*told, group="falling_cup-0000", staged=(), video=VIDEO)[0]
    asked = finalise(made, seed=0)
    assert 4 <= len(asked) < len(made)
    return [q.to_json() for q in made], [q.to_json() for q in asked]


def failures(folder, candidates, questions) -> list[str]:
    settings = SceneSettings(scene="falling_cup", groups=1)
    group = PlannedGroup("falling_cup-0000", load_scene("falling_cup"), settings, 0, ())
    write_json(folder / group.folder / "candidates.json", candidates)
    write_json(folder / group.folder / "twins.json", [])
    write_jsonl(folder / "questions.jsonl", questions)
    write_jsonl(folder / "twins.jsonl", [])
    findings = Findings()
    check_copies(Suite(folder), [group], findings)
    return [str(failure) for failure in findings.failures]


def test_what_finalise_chose_is_in_order(tmp_path, chosen):
    assert failures(tmp_path, *chosen) == []


def other_words(question):
    question["options"][0]["text"] = "It fell up."


def other_evidence(question):
    question["evidence"][0]["stop_frame"] += 1


def other_question(question):
    question["question"] = f"Why, in video {question['video']}?"


def other_proof(question):
    question["options"][0]["proof"] = ["cup-0:do()", "cup-0:more"]


@pytest.mark.parametrize("change", [other_words, other_evidence, other_question, other_proof])
def test_what_no_candidate_offers_is_named(tmp_path, chosen, change):
    candidates, questions = json.loads(json.dumps(chosen))
    change(questions[1])
    found = failures(tmp_path, candidates, questions)
    assert any(questions[1]["clip"] in failure for failure in found)


def test_a_block_with_a_world_less_is_named(tmp_path, chosen):
    candidates, questions = chosen
    [*_, last] = failures(tmp_path, candidates, questions[1:])
    assert "how often each of its options is right" in last
