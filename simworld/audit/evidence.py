"""Where a viewer sees what an answer rests on, from the audit's own events and segments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simworld.audit.clips import Known
from simworld.qa.wording import sentence


def of_variable(known: Known, name: str) -> dict[str, Any]:
    """Return the evidence of an event, where it is seen; of a condition, in the opening.

    That an event did not happen is seen in the end.
    """
    values = known.facts.values
    phrase = known.file.scene.phrase(name, values)
    words = phrase.present if values[name] else phrase.denied
    for event in known.events:
        if event["variable"] == name:
            return _evidence(name, event["participants"][0], event, words)
    part = known.segments[0 if name in known.facts.conditions else -1]
    return _evidence(name, phrase.participants[0], part, words)


def by_part(known: Known, name: str, number: int) -> dict[str, Any]:
    """Return the evidence of an event by a segment's end; of a condition, in the opening.

    That an event did not happen by then is seen in the segment.
    """
    part = known.segments[number - 1]
    phrase = known.file.scene.phrase(name, known.facts.values)
    for event in known.events:
        if event["variable"] == name and event["start_frame"] < part["stop_frame"]:
            return _evidence(name, event["participants"][0], event, phrase.present)
    if name in known.facts.conditions:
        words = phrase.present if known.facts.conditions[name] else phrase.denied
        return _evidence(name, phrase.participants[0], known.segments[0], words)
    return _evidence(name, phrase.participants[0], part, phrase.denied)


def _evidence(name: str, thing: str, span: Mapping[str, Any], words: str) -> dict[str, Any]:
    return {
        "event": name,
        "object": thing,
        "start_frame": span["start_frame"],
        "stop_frame": span["stop_frame"],
        "rationale": sentence(words),
    }
