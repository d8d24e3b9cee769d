"""A suite folder made by hand: one twin of the falling cup, four frames a clip, no pixels."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NAN = float("nan")
EVENTS = ["bump", "slide", "fall", "impact", "shatter"]


def write(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")


def write_lines(path: Path, rows: list[Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def write_clip(suite: Path, clip_id: str, values: dict[str, int], frames: int) -> None:
    folder = suite / "clips" / clip_id
    write(folder / "truth.json", {"values": values, "video": {"fps": 12}})
    write(
        folder / "segments.json",
        [
            {
                "index": 1,
                "start_frame": 0,
                "stop_frame": frames // 2,
                "event": None,
                "description": "A glass mug stands near the table's edge.",
            },
            {
                "index": 2,
                "start_frame": frames // 2,
                "stop_frame": frames,
                "event": "bump",
                "description": "A red ball bumps the mug.",
            },
        ],
    )
    write(
        folder / "events.json",
        [
            {
                "event": "e1",
                "variable": "bump",
                "kind": "contact",
                "participants": ["ball", "mug"],
                "start_frame": frames // 2,
                "stop_frame": frames // 2 + 1,
                "start_step": 40,
                "stop_step": 60,
            }
        ],
    )
    boxes = np.full((frames, 3, 4), NAN, np.float32)
    for frame in range(frames):
        x = 20 + frame * 160 / frames
        boxes[frame, 0] = (x, 100, x + 40, 140)
        boxes[frame, 1] = (200, 80, 240, 140)
    boxes[0, 0] = NAN
    boxes[:, 2] = (10, 140, 300, 200)
    position_m = np.zeros((frames, 3, 3))
    position_m[:, 0, 0] = np.linspace(0.0, 0.5, frames)
    position_m[:, 2] = NAN
    names = np.array(["ball", "mug", "table"])
    np.savez(folder / "tracks.npz", names=names, visible_xyxy_px=boxes, position_m=position_m)


def question(clip: str) -> dict[str, Any]:
    return {
        "question_id": f"{clip}-q1",
        "group": "g0",
        "clip": clip,
        "benchmark": "causalstep",
        "kind": "causal",
        "question": "In video 17, what directly made the <mug> move?",
        "options": [
            {
                "key": "A",
                "text": "The red ball bumped it.",
                "claim": "cause(bump, slide)",
                "right": True,
                "distractor_type": None,
                "proof": [f"{clip}:r1", f"{clip}:r2"],
            },
            {
                "key": "B",
                "text": "The floor is hard.",
                "claim": "cause(hard_floor, slide)",
                "right": False,
                "distractor_type": "irrelevant_plausible",
                "proof": [f"{clip}:r3"],
            },
        ],
        "answer": "A",
        "evidence": [],
    }


def result(sees: str, csr: float, rf: float) -> dict[str, Any]:
    return {
        "benchmark": "causalstep",
        "sees": sees,
        "settings": {"restart": "prose", "scoring": "algorithm1"},
        "n": 2,
        "metrics": {
            "csr": {"value": csr, "ci_low": 0.0, "ci_high": 1.0, "n": 2},
            "rf": {"value": rf, "ci_low": None, "ci_high": None, "n": 2},
            "icra": {"value": None, "ci_low": None, "ci_high": None, "n": 0},
        },
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    models = {"oracle": result("truth", 1.0, 0.0), "chance": result("media", 0.125, 2.5)}
    write(folder / "results.json", models)
    return folder


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "cups"
    build(folder, frames=4)
    return folder


def build(folder: Path, frames: int) -> None:
    conditions = {"hard_floor": 1, "brittle_mug": 1}
    write_clip(folder, "c0-f", conditions | dict.fromkeys(EVENTS, 1), frames)
    write_clip(folder, "c0-bump", conditions | dict.fromkeys(EVENTS, 0), frames)
    write(folder / "manifest.json", {"versions": {"simworld": "0.1.0"}, "digest": "abc123"})
    chain = list(itertools.pairwise(EVENTS))
    edges = [{"from": a, "to": b, "role": "triggers"} for a, b in chain]
    edges += [{"from": name, "to": "shatter", "role": "enables"} for name in conditions]
    write(
        folder / "mechanisms" / "falling_cup.json",
        {
            "scene": "falling_cup",
            "variables": [{"name": "ball_released", "kind": "exogenous"}]
            + [{"name": name, "kind": "condition"} for name in conditions]
            + [{"name": name, "kind": "event"} for name in EVENTS],
            "edges": edges,
        },
    )
    twin = {
        "twin_id": "g0-bump",
        "group": "g0",
        "scene": "falling_cup",
        "kind": "remove_cause",
        "factual": "c0-f",
        "counterfactual": "c0-bump",
        "intervention": "do(bump := 0)",
        "staged": "The ball is not released.",
        "changed": EVENTS,
        "unchanged": list(conditions),
        "divergence_step": 20,
        "divergence_frame": 1,
        "divergence_pixel": [20, 100],
    }
    write_lines(folder / "twins.jsonl", [twin])
    write_lines(folder / "questions.jsonl", [question("c0-f"), question("c0-bump")])
