"""Where a viewer sees what an answer rests on, from the audit's own events and segments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simworld.audit.clips import Known
from simworld.audit.facts import opening_phrase
from simworld.qa.wording import sentence


def of_opening(known: Known) -> dict[str, Any]:
    """Return the evidence of what a clip opens with."""
    return _evidence(
        "opening",
        known.file.scene.opening.about,
        known.segments[0],
        opening_phrase(known.file.scene, known.facts).present,
    )


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


def _evidence(name: str, thing: str, span: Mapping[str, Any], words: str) -> dict[str, Any]:
    return {
        "event": name,
        "object": thing,
        "start_frame": span["start_frame"],
        "stop_frame": span["stop_frame"],
        "rationale": sentence(words),
    }
