"""What CausalStep's questions ask, and what its file must say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simworld.audit import evidence
from simworld.audit.clips import Known
from simworld.audit.facts import told_events
from simworld.audit.kinds import is_listed_for_opening, is_of_kind
from simworld.audit.report import Findings
from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, LETTERS, Video, read_truth
from simworld.claims import Term, parse
from simworld.clock import seconds_of_frame
from simworld.errors import CheckError
from simworld.qa import wording
from simworld.qa.claims import decide
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
    scene = known.file.scene
    if row["segment"] == 1 and row["kind"] == "descriptive":
        return is_listed_for_opening(kind, str(claim), scene)
    about = known.segments[row["segment"] - 1]["event"]
    if row["kind"] == "causal":
        about = str(right_claim(row).args[0])
    return is_of_kind(kind, claim, about, scene, known.facts)


def right_claim(row: Record) -> Term:
    """Return what is said to be right of a link: a claim on a cause of an effect."""
    for option in row["options"]:
        term = parse(option["claim"])
        if option["right"] and term.head in ("trigger", "cause"):
            return term
    raise CheckError("no right option is a claim on a cause")


def effects(claim: Term) -> set[str]:
    """Return the effects of all causes that a claim speaks of."""
    if claim.head in ("trigger", "cause"):
        return {str(claim.args[1])}
    return set().union(*map(effects, claim.args)) if claim.head == "and" else set()


def check_text(name: str, row: Record, texts: Sequence[str], findings: Findings) -> None:
    """Check that a question is one of the texts; `{video}` stands for its video's number."""
    texts = [text.replace("{video}", str(row["video"])) for text in texts]
    if row["question"] not in texts:
        findings.fail(f"{name}: text", WHERE, " or ".join(texts), row["question"])


def _check_asked(known: Known, row: Record, findings: Findings) -> None:
    """Check that the question is one on its segment, and that all options answer that one."""
    name, scene, number = row["question_id"], known.file.scene, row["segment"]
    claims = [parse(option["claim"]) for option in row["options"]]
    if row["kind"] == "causal":
        right = right_claim(row)
        effect = str(right.args[1])
        texts = wording.causal_questions(number, effect, scene, known.facts.values)
        happens = Term("happens", (Term(effect), Term(str(number))))
        asked = effect in scene.asked[known.segments[number - 1]["event"]]
        found = right.head == "trigger" and asked and decide(happens, known.facts)
        findings.expect(f"{name}: asks what happens in its segment", WHERE, True, found)
        others = [str(claim) for claim in claims if effects(claim) != {effect}]
        findings.expect(f"{name}: options on another effect", WHERE, [], others)
    elif number == 1:
        texts = wording.opening_questions(scene)
    else:
        texts = wording.descriptive_questions(number)
        others = [str(claim) for claim in claims if not _segments(claim) <= {str(number)}]
        findings.expect(f"{name}: options on another segment", WHERE, [], others)
    check_text(name, row, texts, findings)


def _segments(claim: Term) -> set[str]:
    """Return the numbers of all segments that a claim speaks of."""
    if claim.head in ("happens", "touches"):
        return {str(claim.args[-1])}
    return set().union(*map(_segments, claim.args))


def _evidence(known: Known, row: Record) -> list[dict[str, Any]]:
    """Return where the answer is seen: the opening, what a segment tells, or a link's two ends."""
    segment = known.segments[row["segment"] - 1]
    if row["kind"] == "causal":
        names = [str(part) for part in right_claim(row).args]
    elif segment["index"] == 1:
        return [evidence.of_opening(known)]
    else:
        names = told_events(known.file.scene, known.facts, segment["event"], segment["index"])
    return [evidence.of_variable(known, name) for name in names]


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
