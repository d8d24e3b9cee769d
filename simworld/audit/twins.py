"""Twins: what differs between two clips, found in their states and frames by the audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simworld.audit.clips import Known
from simworld.audit.footage import (
    Footage,
    PairJob,
    find_different_pixel,
    share_of_same_pixels,
)
from simworld.audit.plan import PlannedTwin
from simworld.audit.replays import Replays
from simworld.audit.report import Findings
from simworld.causal import Intervention
from simworld.clock import frame_of_step
from simworld.errors import InputError
from simworld.scene import Variation
from simworld.store import Suite, read_jsonl
from simworld.world.closure import SAME
from simworld.world.spec import Body

WHERE = "twins.jsonl"
METADATA = "metadata.jsonl"
POSE = slice(0, 7)


def judge_twin(
    planned: PlannedTwin,
    factual: Known,
    other: Known,
    row: Mapping[str, Any],
    replays: Replays,
    findings: Findings,
) -> None:
    """Check all that is said of one twin."""
    findings.counts["twins"] += 1
    before, after = factual.facts.values, other.facts.values
    names = factual.file.scm.endogenous
    changed = [name for name in names if before[name] != after[name]]
    do = Intervention.parse(row["intervention"])
    allowed = set(do).union(*(factual.file.scm.descendants(name) for name in do))
    claim = f"{planned.clip}: changed"
    findings.expect(
        f"{claim} no more than what depends on it",
        WHERE,
        [],
        [name for name in changed if name not in allowed],
    )
    _check_kind(planned, factual, other, row, findings)
    step = divergence_step(factual.footage, other.footage)
    expected = {
        "twin_id": planned.clip,
        "group": planned.group,
        "scene": factual.file.scene.name,
        "kind": planned.kind,
        "factual": factual.file.clip,
        "counterfactual": planned.clip,
        **_meant(planned, factual, other),
        "kept": [_kept(event, factual, other, replays) for event in _keeps(planned, factual)],
        "changed": changed,
        "unchanged": [name for name in names if name not in changed],
        "same_bodies": same_bodies(factual.footage, other.footage),
        "divergence_step": step,
        **_divergence(factual, other, step, replays),
        "rollouts": [factual.file.truth["rollout"], other.file.truth["rollout"]],
    }
    findings.expect_fields(f"{planned.clip}: twin", WHERE, expected, row)
    _check_identical(planned, factual.footage, other.footage, row["same_bodies"], findings)


def _meant(planned: PlannedTwin, factual: Known, other: Known) -> dict[str, str]:
    """Return the intervention, its means and words; the worlds must differ in nothing else.

    Raises:
        InputError: They differ in something else.
    """
    one, two = factual.file.context, other.file.context
    staged = {staged.name: staged for staged in factual.file.scene.staged}
    if planned.kind == "nuisance":
        alike = [n for n, value in one.nuisances.items() if two.nuisances.get(n) == value]
        if alike or (one.levels, one.numbers) != (two.levels, two.numbers):
            raise InputError(f"expected other looks and nothing else; alike are {alike}")
        return {"intervention": "do()", "means": "nuisance", "staged": "Only the looks differ."}
    if planned.kind != "remove_cause":
        varied = _variation(planned, factual)
        if two != one.at(varied.levels):
            raise InputError(f"expected the factual world but for {dict(varied.levels)}")
        return {
            "intervention": str(Intervention.of(varied.levels)),
            "means": f"levels:{varied.name}",
            "staged": varied.words,
        }
    means = staged[planned.name]
    if two != one.at(means.levels):
        raise InputError(f"expected the factual world but for {dict(means.levels)}")
    return {
        "intervention": str(Intervention.of({means.variable: means.value})),
        "means": f"staged:{means.name}",
        "staged": means.words,
    }


def _variation(planned: PlannedTwin, factual: Known) -> Variation:
    found = factual.file.scene.variations
    return next(v for v in found if (v.kind, v.name) == (planned.kind, planned.name))


def _keeps(planned: PlannedTwin, factual: Known) -> tuple[str, ...]:
    if planned.kind in ("remove_cause", "nuisance"):
        return ()
    return _variation(planned, factual).keeps


def _check_kind(
    planned: PlannedTwin, factual: Known, other: Known, row: Mapping[str, Any], findings: Findings
) -> None:
    """Check what a twin's kind promises."""
    one, two = factual.facts, other.facts
    if planned.kind in ("nuisance", "retime"):
        findings.expect(f"{planned.clip}: keeps what happens", WHERE, one.values, two.values)
    if planned.kind == "retime":
        told = [(_order(k), [_causes(k, e) for e in _onsets(k)]) for k in (factual, other)]
        if told[0] == told[1]:
            findings.fail(f"{planned.clip}: changes an answer", WHERE, "another order", "the same")
    for event in _keeps(planned, factual):
        if not one.values[event] == two.values[event] == 1:
            findings.fail(f"{planned.clip}: keeps {event}", WHERE, "it in both", row["changed"])
        elif _causes(factual, event) == _causes(other, event):
            findings.fail(f"{planned.clip}: swaps the cause of {event}", WHERE, "others", "same")
    if planned.kind == "parameter" and _variation(planned, factual).hidden:
        looks = [[_look(body) for body in k.footage.spec.bodies] for k in (factual, other)]
        findings.expect(f"{planned.clip}: is hidden", WHERE, looks[0], looks[1])


def _look(body: Body) -> list[object]:
    return [body.name, body.shape, body.position_m, body.quat_xyzw, body.color, body.present]


def _onsets(known: Known) -> Mapping[str, int]:
    return known.footage.rollout.outcome.onsets


def _causes(known: Known, event: str) -> set[str]:
    """Return an event's actual causes and the parts of its joint ones."""
    found = known.verdicts.items()
    return {x for (x, y), v in found if y == event and (v.actual or v.part_of_cause)}


def _order(known: Known) -> list[str]:
    onsets = _onsets(known)
    return sorted(onsets, key=lambda name: (onsets[name], name))


def _kept(event: str, factual: Known, other: Known, replays: Replays) -> dict[str, Any]:
    """Compare how an event comes out in two worlds, from its onset on, drawn again."""
    video = factual.file.video
    stride, size = video.steps_per_frame, (video.width, video.height)
    films = [(k.footage, _onsets(k)[event]) for k in (factual, other)]
    starts = [frame_of_step(step, stride) for _, step in films]
    count = min(len(f.pixels) - s for (f, _), s in zip(films, starts, strict=True))
    jobs = [
        PairJob(
            video.renderer,
            size,
            tuple(
                (f.spec, f.rollout.bodies, f.rollout.states[(start + k) * stride, :, POSE])
                for (f, _), start in zip(films, starts, strict=True)
            ),
        )
        for k in range(count)
    ]
    things = factual.file.scene.phrases[event].participants
    runs = []
    for film, step in films:
        own = [b.name for b in film.spec.bodies if b.object_name in things]
        names = [n for n in film.rollout.bodies if n.partition("#")[0] in own]
        runs.append({n: film.rollout.states[step:, film.rollout.index(n)] for n in names})
    length = min(f.rollout.steps + 1 - step for f, step in films)
    alike = runs[0].keys() == runs[1].keys() and all(
        np.array_equal(runs[0][n][:length], runs[1][n][:length], equal_nan=True) for n in runs[0]
    )
    share = round(share_of_same_pixels(replays.pool, jobs), 4)
    return {"event": event, "frames": count, "identical_px": share, "same_motion": alike}


def _divergence(factual: Known, other: Known, step: int, replays: Replays) -> dict[str, Any]:
    """Return the first frame that differs, by poses or by pixels, and the first such pixel."""
    video = factual.file.video
    stride = video.steps_per_frame
    one, two = factual.footage, other.footage
    pairs = enumerate(zip(one.pixels, two.pixels, strict=True))
    frame = next((k for k, (a, b) in pairs if a != b), None)
    by_pose = frame_of_step(step, stride)
    if frame is None:
        at = min(len(one.pixels), by_pose)
        return {
            "divergence_frame": at,
            "divergence_pixel_frame": None,
            "divergence_pixel": None,
        }
    worlds = tuple(
        (film.spec, film.rollout.bodies, film.rollout.states[frame * stride, :, POSE])
        for film in (one, two)
    )
    job = PairJob(video.renderer, (video.width, video.height), worlds)
    pixel = find_different_pixel(replays.pool, job)
    return {
        "divergence_frame": min(frame, by_pose),
        "divergence_pixel_frame": frame,
        "divergence_pixel": None if pixel is None else list(pixel),
    }


def divergence_step(one: Footage, other: Footage) -> int:
    """Return the first step at which some body's pose differs, or it exists in one world only.

    Poses closer than `SAME` are one.
    """
    names = sorted({*one.rollout.bodies, *other.rollout.bodies})
    steps = min(one.rollout.steps, other.rollout.steps) + 1
    first = steps
    for name in names:
        a, b = (_states(film, name, steps)[:, POSE] for film in (one, other))
        same = np.isclose(a, b, rtol=0.0, atol=SAME, equal_nan=True)
        differs = np.flatnonzero(~same.all(axis=1))
        first = min(first, int(differs[0])) if len(differs) else first
    return first


def _states(film: Footage, body: str, steps: int) -> NDArray[np.float64]:
    """Return a body's states; all NaN in a world that never has it."""
    if body not in film.rollout.bodies:
        return np.full((steps, film.rollout.states.shape[2]), np.nan)
    states: NDArray[np.float64] = film.rollout.states[:steps, film.rollout.index(body)]
    return states


def same_bodies(one: Footage, other: Footage) -> list[str]:
    """Return the bodies that nothing reaches which differs between two worlds.

    What differs is a body, but for its colour, or what is done to it. It reaches every body
    that can move and that it touches in either world, and what that one touches, and the movers
    that it starts.
    """
    bodies = [{body.name: body for body in film.spec.bodies} for film in (one, other)]
    differs = {
        name
        for name in bodies[0]
        if replace(bodies[0][name], color="") != replace(bodies[1][name], color="")
    }
    done = [set(film.spec.actions) for film in (one, other)]
    reached = differs | {action.body for action in done[0] ^ done[1]}
    pairs = {
        (x.partition("#")[0], y.partition("#")[0])
        for film in (one, other)
        for contacts in film.rollout.contacts
        for a, b, _ in contacts
        for x, y in ((a, b), (b, a))
    }
    moves = {n for some in bodies for n, body in some.items() if body.mass_kg and body.present}
    passes = {(x, y) for x, y in pairs if y in moves} | {
        (cause, start.body)
        for film in (one, other)
        for start in film.rollout.starts
        for cause in start.causes
    }
    while more := {y for x, y in passes if x in reached} - reached:
        reached |= more
    return sorted(set(bodies[0]) - reached)


def _check_identical(
    planned: PlannedTwin, one: Footage, other: Footage, names: list[str], findings: Findings
) -> None:
    steps = min(one.rollout.steps, other.rollout.steps) + 1
    for name in names:
        a, b = (_states(film, name, steps) for film in (one, other))
        if not np.allclose(a, b, rtol=0.0, atol=SAME, equal_nan=True):
            claim = f"{planned.clip}: twin: same body {name}"
            findings.fail(claim, WHERE, f"the same states, within {SAME:g}", "others")


def check_metadata(suite: Suite, twins: Sequence[Mapping[str, Any]], findings: Findings) -> None:
    """Check the VideoFolder's rows, one a twin."""
    with findings.reading("the VideoFolder's rows", METADATA):
        expected = [
            {
                "factual_file_name": f"clips/{twin['factual']}/video.mp4",
                "counterfactual_file_name": f"clips/{twin['counterfactual']}/video.mp4",
                "twin_id": twin["twin_id"],
                "scene": twin["scene"],
                "kind": twin["kind"],
                "intervention": twin["intervention"],
                "staged": twin["staged"],
                "changed": ", ".join(twin["changed"]),
                "divergence_frame": twin["divergence_frame"],
            }
            for twin in twins
        ]
        claims = [f"metadata of {twin['twin_id']}" for twin in twins]
        stored = list(read_jsonl(suite.folder / METADATA))
        findings.expect_rows(claims, METADATA, expected, stored)
