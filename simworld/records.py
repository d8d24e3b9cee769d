"""How truth is written: the JSON shapes of truth.json, mechanisms/*.json and twins.jsonl."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simworld.causal import Verdict
from simworld.mechanism import Mechanism
from simworld.store import SCHEMA
from simworld.truth import FACTUAL, ClipTruth, Event, ProvenVerdict, Rehearsal, Removal


def rehearsal_record(rehearsal: Rehearsal) -> dict[str, Any]:
    """Write one rollout: how to run it again, and what came out."""
    outcome = rehearsal.outcome
    return {
        "context": rehearsal.context.digest(),
        "noise": dict(sorted(rehearsal.noise.items())),
        "do": str(rehearsal.do),
        "means": rehearsal.means,
        "values": dict(outcome.values),
        "onsets": dict(outcome.onsets),
        "fired": {name: n for name, n in outcome.fired.items() if n},
        "void": outcome.void,
        "settled_step": outcome.settled_step,
        "digest": outcome.digest,
    }


def rehearsal_records(rehearsals: Mapping[str, Rehearsal]) -> dict[str, Any]:
    """Write rollouts by id, and the contexts that they share by digest."""
    contexts = {r.context.digest(): r.context.to_json() for r in rehearsals.values()}
    return {
        "contexts": dict(sorted(contexts.items())),
        "rollouts": {name: rehearsal_record(r) for name, r in sorted(rehearsals.items())},
    }


def removal_record(removal: Removal) -> dict[str, Any]:
    """Write what is left of a world without some objects; null where that could not happen."""
    return {
        "removed": list(removal.removed),
        "values": dict(removal.values) or None,
        "digest": removal.digest or None,
    }


def verdict_record(truth: ClipTruth, proven: ProvenVerdict) -> dict[str, Any]:
    """Write one verdict with its proof, a list of `clip:rollout` references."""
    verdict: Verdict = proven.verdict
    return {
        "cause": verdict.cause,
        "effect": verdict.effect,
        "cause_value": verdict.cause_value,
        "effect_value": verdict.effect_value,
        "but_for": verdict.but_for,
        "actual": verdict.actual,
        "part_of_cause": verdict.part_of_cause,
        "cause_set": None if verdict.cause_set is None else list(verdict.cause_set),
        "witness": verdict.witness,
        "responsibility": str(verdict.responsibility),
        "directness": verdict.directness,
        "role": verdict.role,
        "proof": [truth.reference(rollout) for rollout in proven.proof],
    }


def truth_record(truth: ClipTruth, things: Mapping[str, Any]) -> dict[str, Any]:
    """Write a clip's truth; `things` are the visible objects and the camera."""
    return {
        "schema": SCHEMA,
        "clip": truth.clip,
        "scene": truth.scene,
        "scene_version": truth.scene_version,
        "rollout": truth.rollout,
        "context": truth.context.to_json(),
        "values": dict(truth.values),
        "onsets": dict(truth.onsets),
        **things,
        "verdicts": [verdict_record(truth, proven) for proven in truth.verdicts],
        "margin": {"noise": truth.margin.noise, "draws": truth.margin.draws},
        **rehearsal_records(truth.rehearsals),
    }


def event_record(event: Event) -> dict[str, Any]:
    """Write one event."""
    return {
        "event": event.name,
        "variable": event.variable,
        "kind": event.kind,
        "participants": list(event.participants),
        "start_frame": event.start_frame,
        "stop_frame": event.stop_frame,
        "start_step": event.start_step,
        "stop_step": event.stop_step,
    }


def mechanism_record(mechanism: Mechanism) -> dict[str, Any]:
    """Write what is proven of a scene."""
    scene = mechanism.scene
    factual = [r for r in mechanism.rehearsals.values() if r.do == FACTUAL]
    return {
        "schema": SCHEMA,
        "scene": scene.name,
        "version": scene.version,
        "reference_contexts": sorted({r.context.digest() for r in factual}),
        "variables": scene.scm.to_json(),
        "edges": [
            {
                "from": edge.parent,
                "to": edge.child,
                "role": edge.role,
                "proof": {
                    "toggle": list(edge.toggle),
                    "held": str(edge.held),
                    "control": edge.control,
                },
            }
            for edge in mechanism.edges
        ],
        "non_edges": [
            {
                "from": gap.cause,
                "to": gap.effect,
                "contexts": gap.contexts,
                "proof": [list(pair) for pair in gap.proof],
            }
            for gap in mechanism.non_edges
        ],
        "sufficiency": [
            {"cause": s.cause, "effect": s.effect, "share": s.share, "n": s.n}
            for s in mechanism.sufficiency
        ],
        **rehearsal_records(mechanism.rehearsals),
    }
