"""CausalStep rows written by hand, without the generator."""

import json
from pathlib import Path

import pytest

from simworld.executors import Workers
from simworld.suite import generate

SMALL = """
name = "small"
[video]
width = 160
height = 120
[truth]
sieve_draws = 1
reference_contexts = 1
[[scenes]]
scene = "falling_cup"
groups = 1
twins = ["remove_cause:rug", "nuisance"]
[scenes.levels]
ball = "rolls"
brick = "aside"
rail = "absent"
crate = "absent"
floor = "bare"
mug_material = "glass"
green_ball = "rolls"
edge_gap = "near"
"""

KINDS = [
    "temporal_confusion",
    "causal_misattribution",
    "object_misrecognition",
    "irrelevant_plausible",
    "surface_level",
    "negation_polarity",
    "incomplete_reasoning",
]


def question_row(video_id: str, segment: int, kind: str, answer: str) -> dict:
    name = f"{video_id}-{kind[0]}{segment}"
    wrong = [letter for letter in "ABCDEFGH" if letter != answer]
    return {
        "question_id": name,
        "segment": segment,
        "kind": kind,
        "question": f"In {video_id}, {kind} {segment}?",
        "options": {letter: f"{name} option {letter}" for letter in "ABCDEFGH"},
        "answer": answer,
        "distractor_types": dict(zip(wrong, KINDS, strict=True)),
    }


@pytest.fixture(scope="session")
def workers():
    """Two worker processes, in which physics and pixels are computed."""
    with Workers(2) as pool:
        yield pool


@pytest.fixture(scope="session")
def small_suite(tmp_path_factory):
    """A suite of one falling cup, its twin with a rug and its nuisance twin; not to be changed."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    generate(folder / "small.toml", folder / "suite", workers=2)
    return folder / "suite"


@pytest.fixture(scope="session")
def video_row():
    """Make a valid video row: 10 frames a segment at 12.5 fps; C is right wherever it is asked."""

    def make(segments: int = 4, video_id: str = "v1", **extra: object) -> dict:
        numbers = range(1, segments + 1)
        return {
            "video_id": video_id,
            "video": f"videos/{video_id}.mp4",
            "fps": 12.5,
            "width": 320,
            "height": 240,
            "segments": [
                {
                    "index": i,
                    "start_frame": 10 * (i - 1),
                    "stop_frame": 10 * i,
                    "start_s": 0.8 * (i - 1),
                    "stop_s": 0.8 * i,
                    "description": f"Segment {i}.",
                }
                for i in numbers
            ],
            "questions": [
                question_row(video_id, i, kind, "C")
                for i in numbers
                for kind in ("descriptive", "causal")[: 1 if i == 1 else 2]
            ],
            **extra,
        }

    return make


@pytest.fixture(scope="session")
def write_rows():
    """Write rows as JSON lines and return the path."""

    def write(path: Path, rows: list[dict]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write
