"""What CausalStep's questions ask, and what its file must say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simworld.audit import evidence
from simworld.audit.clips import Known
from simworld.audit.parts import PartView, halves, is_description, is_explanation
from simworld.audit.report import Findings
from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, LETTERS, Video, read_truth
from simworld.claims import Term, parse
from simworld.clock import seconds_of_frame
from simworld.qa import wording
from simworld.store import Suite, sha256_of

WHERE = "questions.jsonl"
FOLDER = "benchmarks/causalstep"
FILE = f"{FOLDER}/causalstep.jsonl"
Record = Mapping[str, Any]


def check_all(known: Known, questions: Sequence[Record], findings: Findings) -> None:
    """Check that a clip has one descriptive question a segment, a causal one from the second."""
    asked = [(row["segment"], row["kind"]) for row in questions]
    wanted = [
        (row["index"], kind)
        for row in known.segments
        for kind in ("descriptive", "causal")[: 1 if row["index"] == 1 else 2]
    ]
    claim = f"{known.file.clip}: one descriptive question a segment, a causal one from the 2nd"
    findings.expect(claim, WHERE, wanted, asked)


def check(known: Known, row: Record, findings: Findings) -> None:
    """Check what one question asks, its letters, its kinds and its evidence."""
    name, options = row["question_id"], row["options"]
    keys = [option["key"] for option in options]
    findings.expect(f"{name}: letters", WHERE, list(LETTERS), keys)
    kinds = [str(option["distractor_type"]) for option in options if not option["right"]]
    findings.expect(f"{name}: kinds", WHERE, sorted(DISTRACTOR_KINDS), sorted(kinds))
    _check_asked(known, row, findings)
    rows = _evidence(known, row)
    claims = [f"{name}: evidence {number}" for number in range(1, len(rows) + 1)]
    findings.expect_rows(claims, WHERE, rows, row["evidence"])


def is_right_kind(known: Known, row: Record, kind: str, claim: Term) -> bool:
    """Tell whether a false option's claim is of its kind."""
    return _part(known, row).is_of_kind(kind, claim)


def _part(known: Known, row: Record) -> PartView:
    return PartView(row["segment"], known.file.scene, known.facts)


def check_text(name: str, row: Record, texts: Sequence[str], findings: Findings) -> None:
    """Check that a question is one of the texts; `{video}` stands for its video's number."""
    texts = [text.replace("{video}", str(row["video"])) for text in texts]
    if row["question"] not in texts:
        findings.fail(f"{name}: text", WHERE, " or ".join(texts), row["question"])


def _check_asked(known: Known, row: Record, findings: Findings) -> None:
    """Check the question's text, and that each option speaks of its segment, in one sense only."""
    name, number = row["question_id"], row["segment"]
    causal = row["kind"] == "causal"
    asked = wording.causal_questions if causal else wording.descriptive_questions
    check_text(name, row, asked(number), findings)
    fits, part = is_explanation if causal else is_description, _part(known, row)
    claims = {option["claim"]: option["right"] for option in row["options"]}
    terms = {text: parse(text) for text in claims}
    others = [text for text, claim in terms.items() if not fits(claim, number)]
    findings.expect(f"{name}: options that answer something else", WHERE, [], others)
    double = [text for text, claim in terms.items() if part.misleads(claim)]
    findings.expect(f"{name}: options that can be taken in two ways", WHERE, [], double)
    idle = [text for text, claim in terms.items() if claims[text] and not part.answers(claim)]
    findings.expect(f"{name}: right options that tell nothing of the segment", WHERE, [], idle)


def _evidence(known: Known, row: Record) -> list[dict[str, Any]]:
    """Return where what the right option speaks of is seen."""
    [right] = (parse(option["claim"]) for option in row["options"] if option["right"])
    names = dict.fromkeys(half.name.head for half in halves(right))
    return [evidence.by_part(known, name, row["segment"]) for name in names]


def expected_video(known: Known, group: str, rows: Sequence[Record]) -> dict[str, Any]:
    """Return what the benchmark's file must say of a clip."""
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
        "questions": [_expected_question(row) for row in rows],
        "group": group,
        "scene": known.file.scene.name,
    }


def _expected_question(row: Record) -> dict[str, Any]:
    return {
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


def check_file(suite: Suite, expected: Mapping[str, dict[str, Any]], findings: Findings) -> None:
    """Compare the benchmark's file and videos with what they must be, by clip."""
    if not expected and not (suite.folder / FOLDER).exists():
        return
    with findings.reading("CausalStep's file", FILE):
        stored = {video.video_id: video for video in read_truth(suite.folder / FILE)}
        numbers = sorted(video["video_id"] for video in expected.values())
        findings.expect("CausalStep's videos", FILE, numbers, list(stored))
        check_video_files(suite, FOLDER, {v["video"]: c for c, v in expected.items()}, findings)
        for video in expected.values():
            findings.counts["benchmark videos"] += 1
            if video["video_id"] in stored:
                _compare(video, stored[video["video_id"]], findings)


def check_video_files(
    suite: Suite, folder: str, clips: Mapping[str, str], findings: Findings
) -> None:
    """Check that a benchmark's videos are those of the clips; `clips` maps its paths to them."""
    found = {
        path.relative_to(suite.folder / folder).as_posix(): path
        for path in (suite.folder / folder / "videos").rglob("*")
        if path.is_file()
    }
    claim = f"{folder}: video files"
    findings.expect(claim, f"{folder}/videos", sorted(clips), sorted(found))
    for name in sorted(clips.keys() & found.keys()):
        same = sha256_of(found[name]) == sha256_of(suite.clip(clips[name]) / "video.mp4")
        claim = f"{folder}/{name}: shows {clips[name]}"
        findings.expect(claim, f"{folder}/{name}", "its video", "its video" if same else "another")


def _compare(expected: dict[str, Any], video: Video, findings: Findings) -> None:
    who, found = f"causalstep video {video.video_id}", video.model_dump(mode="json")
    for name, key in (("segment", "index"), ("question", "question_id")):
        rows = expected[f"{name}s"]
        claims = [f"{who}: {name} {row[key]}" for row in rows]
        findings.expect_rows(claims, FILE, rows, found[f"{name}s"])
    rest = [key for key in expected if key not in ("segments", "questions")]
    findings.expect_fields(
        who, FILE, {key: expected[key] for key in rest}, {key: found[key] for key in rest}
    )
