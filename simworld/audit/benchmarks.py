"""The benchmarks' own files: they say what questions, segments and videos of the suite say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simworld.audit.clips import Known
from simworld.audit.report import Findings
from simworld.benchmarks.causalstep.schema import Video, read_truth
from simworld.clock import seconds_of_frame
from simworld.store import Suite, read_jsonl, sha256_of

CAUSALSTEP = "benchmarks/causalstep"
METADATA = "metadata.jsonl"
Record = Mapping[str, Any]


def check_causalstep(
    suite: Suite,
    known: Mapping[str, Known],
    questions: Sequence[Record],
    groups: Mapping[str, str],
    findings: Findings,
) -> None:
    """Check CausalStep's file and videos; `groups` maps each clip to its group."""
    asked: dict[str, list[Record]] = {}
    for row in questions:
        if row["benchmark"] == "causalstep":
            asked.setdefault(row["clip"], []).append(row)
    folder, where = suite.folder / CAUSALSTEP, f"{CAUSALSTEP}/causalstep.jsonl"
    if not asked and not folder.exists():
        return
    with findings.reading("CausalStep's file", where):
        videos = {video.video_id: video for video in read_truth(suite.folder / where)}
        numbers = {clip: f"{rows[0]['video']:04d}" for clip, rows in asked.items()}
        findings.expect("CausalStep's videos", where, sorted(numbers.values()), list(videos))
        files = sorted(path.name for path in (folder / "videos").iterdir())
        wanted = sorted(f"{number}.mp4" for number in numbers.values())
        findings.expect("CausalStep's video files", f"{CAUSALSTEP}/videos", wanted, files)
        for clip, rows in asked.items():
            findings.counts["benchmark videos"] += 1
            if numbers[clip] in videos and clip in known:
                video, who = videos[numbers[clip]], f"causalstep video {numbers[clip]}"
                with findings.reading(who, where):
                    expected = _video(known[clip], rows, groups[clip])
                    _compare(who, where, expected, video, findings)
                    path = folder / video.video
                    same = sha256_of(path) == sha256_of(suite.clip(clip) / "video.mp4")
                    found = "its video" if same else "another one"
                    findings.expect(who, f"{CAUSALSTEP}/{video.video}", "its video", found)


def _compare(
    who: str, where: str, expected: dict[str, Any], video: Video, findings: Findings
) -> None:
    found = video.model_dump(mode="json")
    for name, key in (("segment", "index"), ("question", "question_id")):
        rows, stored = expected.pop(f"{name}s"), found.pop(f"{name}s")
        claims = [f"{who}: {name} {row[key]}" for row in rows]
        findings.expect_rows(claims, where, rows, stored)
    findings.expect_fields(who, where, expected, found)


def _video(known: Known, rows: Sequence[Record], group: str) -> dict[str, Any]:
    """Return what CausalStep's file must say of a clip."""
    pictures, number = known.file.video, f"{rows[0]['video']:04d}"
    return {
        "video_id": number,
        "video": f"videos/{number}.mp4",
        "fps": float(pictures.fps),
        "width": pictures.width,
        "height": pictures.height,
        "segments": [
            {
                "index": segment["index"],
                "start_frame": segment["start_frame"],
                "stop_frame": segment["stop_frame"],
                "start_s": round(seconds_of_frame(segment["start_frame"], pictures.fps), 6),
                "stop_s": round(seconds_of_frame(segment["stop_frame"], pictures.fps), 6),
                "description": segment["description"],
            }
            for segment in known.segments
        ],
        "questions": [
            {
                "question_id": row["question_id"],
                "segment": row["segment"],
                "kind": row["kind"],
                "question": row["question"],
                "options": {option["key"]: option["text"] for option in row["options"]},
                "answer": row["answer"],
                "distractor_types": {
                    option["key"]: option["distractor_type"]
                    for option in row["options"]
                    if option["distractor_type"] is not None
                },
                "proof": row["question_id"],
            }
            for row in rows
        ],
        "group": group,
        "scene": known.file.scene.name,
    }


def check_metadata(suite: Suite, twins: Sequence[Record], findings: Findings) -> None:
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
