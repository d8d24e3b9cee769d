"""A clip's files held to the clip as it comes out again: truth, events, segments, boxes, video."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simworld.annotate.tracks import Tracks
from simworld.audit import happenings
from simworld.audit.facts import gather, narrated, told
from simworld.audit.footage import Footage
from simworld.audit.replays import Replays, Setting, factual
from simworld.audit.report import Findings
from simworld.audit.runs import Run, Runs
from simworld.benchmarks.causal2needles.written import MIN_CLIP_S
from simworld.causal import SCM, Verdict
from simworld.clock import frame_of_step, frames_in
from simworld.errors import PlausibilityError
from simworld.qa.claims import Facts
from simworld.recipe import VideoSettings
from simworld.scene import Context, Scene
from simworld.store import SCHEMA, Suite
from simworld.world.detectors import Absent, Present

TRACKED = (
    "visible_xyxy_px",
    "visible_px",
    "amodal_xyxy_px",
    "amodal_px",
    "occlusion",
    "position_m",
    "quat_xyzw",
)


@dataclass(frozen=True, slots=True)
class ClipFile:
    """A clip's truth.json, read. `scm` is the model that its scene's mechanism file states."""

    clip: str
    scene: Scene
    scm: SCM
    truth: Mapping[str, Any]
    context: Context
    runs: Runs
    video: VideoSettings

    @property
    def folder(self) -> str:
        """Its folder within the suite."""
        return f"clips/{self.clip}"

    @property
    def where(self) -> str:
        """Its truth file within the suite."""
        return f"{self.folder}/truth.json"

    @property
    def rendered(self) -> Run | None:
        """The rollout that the file says is shown."""
        return self.runs.get(self.truth["rollout"])


@dataclass(frozen=True, slots=True)
class Known:
    """What the audit knows of a clip, all of it from its own simulation.

    `facts` number the segments; `spans` are the scene spans, each with its sentence.
    """

    file: ClipFile
    footage: Footage
    events: Sequence[Mapping[str, Any]]
    segments: Sequence[Mapping[str, Any]]
    spans: Sequence[Mapping[str, Any]]
    verdicts: Mapping[tuple[str, str], Verdict]
    facts: Facts
    looks: Mapping[str, frozenset[str]]


def judge_clip(
    file: ClipFile,
    footage: Footage,
    verdicts: Mapping[tuple[str, str], Verdict],
    replays: Replays,
    suite: Suite,
    findings: Findings,
) -> Known:
    """Check all files of a clip but its verdicts, and return what is known of it."""
    scene, spec, rollout = file.scene, footage.spec, footage.rollout
    stride = file.video.steps_per_frame
    findings.counts["clips"] += 1
    findings.counts["frames"] += len(footage.pixels)
    events = happenings.records(scene, spec, rollout, stride)
    spans = cut(scene, rollout.outcome.onsets, frames_in(rollout.steps, stride), stride)
    looks = other_looks(file, replays)
    own = (events, spans, verdicts, frozenset(looks), single_outcomes(file, replays))
    facts = gather(file.scm, scene, spec, file.context, *own)
    segments = [{**span, "description": told(scene, facts, span)} for span in spans]
    _check_truth(file, footage, replays, findings)
    whole = [
        {**span, "description": narrated(scene, facts, span)}
        for span in merged(spans, math.ceil(MIN_CLIP_S * file.video.fps))
    ]
    for name, expected, key, read in (
        ("events", events, "event", suite.events),
        ("segments", segments, "index", suite.segments),
        ("spans", whole, "index", suite.spans),
    ):
        where = f"{file.folder}/{name}.json"
        claims = [f"{file.clip}: {name[:-1]} {row[key]}" for row in expected]
        with findings.reading(f"{file.clip}: {name}", where):
            findings.expect_rows(claims, where, expected, read(file.clip))
    _check_removals(file, footage, replays, suite, findings)
    _check_tracks(file, footage, suite, findings)
    for claim, found in footage.problems.items():
        where = f"{file.folder}/{claim.partition(' ')[0]}"
        findings.fail(f"{file.clip}: {claim}", where, "the frames as drawn again", found)
    return Known(file, footage, events, segments, whole, verdicts, facts, looks)


def cut(
    scene: Scene, onsets: Mapping[str, int], frame_count: int, stride: int
) -> list[dict[str, Any]]:
    """Return the segments: each begins with a key event, the first with the clip."""
    keys = {name: onsets[name] for name in scene.key_events if name in onsets}
    order = sorted(keys, key=lambda name: frame_of_step(keys[name], stride))
    starts = [0, *(frame_of_step(keys[name], stride) for name in order), frame_count]
    return [
        {"index": index, "start_frame": start, "stop_frame": stop, "event": event}
        for index, (event, (start, stop)) in enumerate(
            zip(["opening", *order], pairwise(starts), strict=True), start=1
        )
    ]


def merged(spans: Sequence[Mapping[str, Any]], min_frames: int) -> list[dict[str, Any]]:
    """Return scene spans: consecutive segments together until each is long enough.

    A span has its first segment's event; what is left over at the end joins the last one.
    """
    groups: list[list[Mapping[str, Any]]] = [[]]
    for span in spans:
        if groups[-1] and span["start_frame"] - groups[-1][0]["start_frame"] >= min_frames:
            groups.append([])
        groups[-1].append(span)
    left = groups[-1][-1]["stop_frame"] - groups[-1][0]["start_frame"]
    if len(groups) > 1 and left < min_frames:
        last = groups.pop()
        groups[-1] += last
    return [
        {**group[0], "index": index, "stop_frame": group[-1]["stop_frame"]}
        for index, group in enumerate(groups, start=1)
    ]


def other_looks(file: ClipFile, replays: Replays) -> dict[str, frozenset[str]]:
    """Return, for each object, the rollouts in which only looks differ, its colour among them.

    Those in which another value came out do not count.
    """
    bare = factual(file.scene.name, file.context)
    colors, values = replays.world(bare).colors or {}, replays.values(bare)
    found: dict[str, set[str]] = {}
    for run in file.runs.values():
        setting = run.setting
        same = (setting.context.levels, setting.context.numbers) == (
            file.context.levels,
            file.context.numbers,
        )
        differs = setting.context.nuisances != file.context.nuisances
        if same and differs and not setting.do and not any(setting.noise.values()):
            if replays.values(setting) != values:
                continue
            for name, color in (replays.world(setting).colors or {}).items():
                if colors.get(name, color) != color:
                    found.setdefault(name, set()).add(run.rollout)
    return {name: frozenset(ids) for name, ids in found.items()}


def single_settings(file: ClipFile) -> list[Setting]:
    """Return do(X := x) for every condition and event and both values."""
    bare = factual(file.scene.name, file.context)
    return [bare.doing({name: value}) for name in file.scm.endogenous for value in (0, 1)]


def single_outcomes(file: ClipFile, replays: Replays) -> dict[tuple[str, int], Mapping[str, int]]:
    """Return the values under each single intervention that can be brought about."""
    found = {}
    for setting in single_settings(file):
        values = replays.reached(setting)
        if values is not None:
            [(name, value)] = setting.do.items()
            found[name, int(value)] = values
    return found


def _check_truth(file: ClipFile, footage: Footage, replays: Replays, findings: Findings) -> None:
    """Check what truth.json says apart from rollouts and verdicts."""
    spec, outcome = footage.spec, footage.rollout.outcome
    shown = {body.object_name: body for body in reversed(spec.bodies) if body.present}
    expected = {
        "schema": SCHEMA,
        "clip": file.clip,
        "scene": file.scene.name,
        "scene_version": file.scene.version,
        "values": dict(outcome.values),
        "onsets": dict(outcome.onsets),
        "objects": {
            name: {
                "shape": type(body.shape).__name__.lower(),
                "color": body.color,
                "words": file.scene.things.get(name, name),
            }
            for name, body in shown.items()
        },
        "camera": spec.to_json()["camera"],
        "video": file.video.model_dump(),
        "world": spec.digest(),
    }
    with findings.reading(f"{file.clip}: truth", file.where):
        for key, value in expected.items():
            findings.expect(f"{file.clip}: {key}", file.where, value, file.truth[key])
        run = file.rendered
        bare = factual(file.scene.name, file.context)
        claim = f"{file.clip}: rollout that is shown"
        if run is None or run.setting.key != bare.key or run.means != "handle":
            found = file.truth["rollout"]
            findings.fail(claim, file.where, "the rollout of its context, nothing done", found)
        known = replays.outcome(bare)
        findings.expect(claim, file.where, known.digest, outcome.digest)


def _check_removals(
    file: ClipFile, footage: Footage, replays: Replays, suite: Suite, findings: Findings
) -> None:
    """Check what is said to be left of the world without the objects of its events."""
    scene, spec, outcome = file.scene, footage.spec, footage.rollout.outcome
    optional = {d.body for d in spec.detectors.values() if isinstance(d, Absent | Present)}
    taken = {
        body.object_name
        for body in spec.bodies
        if body.present and (spec.moves(body.name) or body.name in optional)
    }
    words = {name: scene.phrase(name, outcome.values) for name in file.scm.endogenous}
    taking_part = {name: taken.intersection(p.participants) for name, p in words.items()}
    wanted: set[tuple[str, ...]] = set()
    for first in (name for name in words if outcome.values[name]):
        for second in file.scm.events:
            late = second in outcome.onsets and outcome.onsets[second] < outcome.onsets.get(
                first, 0
            )
            if first != second and not late:
                wanted.add(tuple(sorted(taking_part[first] - taking_part[second])))
    bare = factual(scene.name, file.context)
    settings = [replace(bare, without=things) for things in sorted(wanted - {()})]
    replays.prepare(settings)
    expected = []
    for setting in settings:
        try:
            left = replays.outcome(setting)
        except PlausibilityError:
            row: dict[str, Any] = {"values": None, "digest": None}
        else:
            row = {"values": dict(left.values), "digest": left.digest}
        expected.append({"removed": list(setting.without), **row})
    where = f"{file.folder}/removals.json"
    with findings.reading(f"{file.clip}: removals", where):
        claims = [f"{file.clip}: without {', '.join(row['removed'])}" for row in expected]
        findings.expect_rows(claims, where, expected, suite.removals(file.clip))


def _check_tracks(file: ClipFile, footage: Footage, suite: Suite, findings: Findings) -> None:
    """Compare stored tracks with those of the frames drawn again."""
    where = f"{file.folder}/tracks.npz"
    with findings.reading(f"{file.clip}: tracks", where):
        stored = Tracks.load(suite.folder / where)
        drawn = footage.tracks
        names = [str(name) for name in drawn.names]
        if not findings.expect(
            f"{file.clip}: objects tracked", where, names, [str(n) for n in stored.names]
        ):
            return
        for field in TRACKED:
            own = {"visible_xyxy_px": footage.boxes_px, "visible_px": footage.counts_px}
            expected = own.get(field, getattr(drawn, field))
            found = getattr(stored, field)
            _compare(file.clip, names, field, expected, found, where, findings)


def _compare(
    clip: str,
    names: Sequence[str],
    field: str,
    expected: NDArray[Any],
    found: NDArray[Any],
    where: str,
    findings: Findings,
) -> None:
    """Compare one array of tracks; a failure names each object and the first frame."""
    if expected.shape != found.shape:
        findings.fail(f"{clip}: {field}", where, expected.shape, found.shape)
        return
    differs = ~((expected == found) | (np.isnan(expected) & np.isnan(found)))
    per_object = differs.reshape(*differs.shape[:2], -1).any(axis=2)
    for k in map(int, np.flatnonzero(per_object.any(axis=0))):
        frames = np.flatnonzero(per_object[:, k])
        at = int(frames[0])
        claim = f"{clip}: {field} of {names[k]} in frame {at}"
        more = f" (and {len(frames) - 1} frames more)" if len(frames) > 1 else ""
        findings.fail(claim, where, expected[at, k].tolist(), f"{found[at, k].tolist()}{more}")
