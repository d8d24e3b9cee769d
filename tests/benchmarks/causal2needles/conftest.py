"""Causal2Needles folders written by hand, without the generator."""

import json
from pathlib import Path

import pytest

IMAGE = "What service was held? When its cause occurs, what colour is the beam? A. Red B. Blue"


def two_needles(cause: int, effect: int, answer: str = "B", tag: str = "") -> list:
    return [
        [cause, effect],
        [f" Cause{tag} rephrased. ", f"Effect{tag} rephrased."],
        [f"{IMAGE} C. Green D. White", answer],
        [f"What service{tag} was held?", f"How did it{tag} occur?"],
    ]


def document(clips: int = 20, clip_s: float = 4.0) -> dict:
    """Return one movie's entry of annotations.json, clips end to end."""
    return {
        "annotations": [
            {"id": "0001", "begin_time": i * clip_s, "end_time": (i + 1) * clip_s, "matched": "yes"}
            for i in range(clips)
        ],
        "texts": [f"Sentence {i}." for i in range(clips)],
    }


def sample() -> dict:
    """Return every file of a valid folder of ours: one movie of 20 clips, all three kinds."""
    return {
        "annotations.json": {"yms": {"0001": document()}},
        "questions/yms/1needle/0001.json": {"Why did it fall?": [[6, 10]]},
        "questions/yms/1needle_noncausal/0001.json": {
            "Who pushes?": [[6, 10]],
            "Who falls?": [[6, 10]],
        },
        "questions/yms/2needle/0001.json": {"What service, and how?": two_needles(6, 10)},
        "windows.json": {
            "yms/0001": {
                "1needle": {"Why did it fall?": {"left": 2, "first": 4, "last": 13}},
                "1needle_noncausal": {
                    "Who pushes?": {"left": 0, "first": 6, "last": 15},
                    "Who falls?": {"left": 5, "first": 1, "last": 10},
                },
                "2needle": {"What service, and how?": {"left": 3, "first": 3, "last": 12}},
            }
        },
    }


@pytest.fixture
def write_folder(tmp_path):
    """Write files, given as JSON documents by path, into a folder and return it."""

    def write(files: dict, name: str = "c2n") -> Path:
        for relative, value in files.items():
            path = tmp_path / name / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            text = value if isinstance(value, str) else json.dumps(value)
            path.write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture(name="sample")
def sample_files():
    return sample()


@pytest.fixture(name="two_needles", scope="session")
def two_needles_entry():
    return two_needles


@pytest.fixture(name="document", scope="session")
def movie_document():
    return document
