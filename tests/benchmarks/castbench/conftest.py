"""CaST-Bench rows written by hand, without the generator."""

import json

import pytest

EVIDENCE = {
    "evidence_start_time": "00:01",
    "evidence_end_time": "00:02",
    "evidence_instance_id": "ball_a1b",
    "evidence_rationale": "The ball rolls.",
    "SAV_instance_id": "manual_instance_001_video.json",
    "bboxes_in_range": {"1": "[10, 20, 30, 40]", "2": "[12, 20, 32, 40]"},
}


@pytest.fixture(scope="session")
def evidence_row():
    """Make an evidence of the authors' shape; a key given as None is left out."""

    def make(**changes: object) -> dict:
        return {key: value for key, value in (EVIDENCE | changes).items() if value is not None}

    return make


@pytest.fixture(scope="session")
def truth_row(evidence_row):
    """Make a row of the authors' shape; C is right; evidence in a list becomes a string."""

    def make(name: str = "one", evidence: object = None, **changes: object) -> dict:
        evidence = [evidence_row()] if evidence is None else evidence
        row = {
            "video": f"{name}.mp4",
            "question": f"Why in {name}?",
            "question_type": "Why (Causal Reasons)",
            "scene_category": "Table",
            "options": {letter: f"Because of {letter.lower()}." for letter in "ABCDEF"},
            "answer": "C",
            "evidence": json.dumps(evidence) if isinstance(evidence, list) else evidence,
        }
        return {key: value for key, value in (row | changes).items() if value is not None}

    return make


def answer_text(choice="C", *instances):
    """Write an answer; an instance is a list of (start, end, {second: box})."""
    return json.dumps(
        {
            "instances": [
                {
                    "instance_name": "x",
                    "evidences": [
                        {
                            "evidence_start_time": f"00:{start:02d}",
                            "evidence_end_time": f"00:{end:02d}",
                            "evidence_rationale": "It is seen.",
                            "bboxes_in_time_range": {f"00:{t:02d}": b for t, b in boxes.items()},
                        }
                        for start, end, boxes in instance
                    ],
                }
                for instance in instances
            ],
            "answer_choice": choice,
        }
    )


@pytest.fixture(scope="session")
def reply_text():
    """Give the function that writes an answer."""
    return answer_text
