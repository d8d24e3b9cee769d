"""What is known of one clip, or of a story's video, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from simworld.errors import InputError
from simworld.store import Suite

Table = tuple[str, list[str], list[list[str]]]


def read_clip(folder: Path) -> dict[str, Any]:
    """Return a clip's events, causes and questions, plain JSON data.

    Args:
        folder: `clips/<clip_id>` or `stories/<video>` in a suite.

    Raises:
        InputError: There is no clip.
    """
    folder = folder.resolve()
    if folder.parent.name not in ("clips", "stories"):
        raise InputError(f"expected a clip's folder, clips/<clip_id> in a suite, found {folder}")
    suite, clip = Suite(folder.parent.parent), folder.name
    truth = suite.truth(clip)
    return {
        "clip": clip,
        "scene": truth.get("scene", truth.get("story")),
        "settings": truth["context"].get("levels", truth["context"]),
        "fps": truth["video"]["fps"],
        "events": suite.events(clip),
        "causes": [v for v in truth["verdicts"] if v["actual"] or v["part_of_cause"]],
        "questions": [row for row in suite.questions() if row["clip"] == clip],
    }


def clip_tables(known: Mapping[str, Any]) -> list[Table]:
    """Return the tables that tell a clip: its settings, events, causes and questions."""
    settings = [[name, str(level)] for name, level in known["settings"].items()]
    events = [
        [
            str(event["start_frame"]),
            f"{event['start_frame'] / known['fps']:.2f}",
            event["event"],
            ", ".join(event["participants"]),
        ]
        for event in known["events"]
        if event["kind"] != "rest"
    ]
    causes = [
        [
            f"{v['cause']} = {v['cause_value']}",
            f"{v['effect']} = {v['effect_value']}",
            v["role"].replace("_", " "),
            v["directness"],
            _held(v["witness"]),
            str(len(v["proof"])),
        ]
        for v in known["causes"]
    ]
    questions = [[q["benchmark"], q["kind"], q["question"], _right(q)] for q in known["questions"]]
    return [
        (f"{known['clip']}: {known['scene']}", ["setting", "level"], settings),
        ("Events", ["frame", "s", "event", "things"], events),
        ("Causes", ["cause", "effect", "role", "directness", "held", "rollouts"], causes),
        ("Questions", ["benchmark", "kind", "question", "right"], questions),
    ]


def _held(witness: Mapping[str, int] | None) -> str:
    return ", ".join(f"{name} = {value}" for name, value in (witness or {}).items())


def _right(question: Mapping[str, Any]) -> str:
    option = next(option for option in question["options"] if option["right"])
    return f"{option['key']}. {option['text']}"
