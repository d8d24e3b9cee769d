"""What decisions ask, and that each option is a change that the scene can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simworld.audit import evidence
from simworld.audit.ask_causalstep import check_text, check_video_files
from simworld.audit.clips import Known
from simworld.audit.report import Findings
from simworld.benchmarks.decisions.schema import FILE_NAME, Decision, read_truth
from simworld.claims import Term, parse
from simworld.qa import wording
from simworld.scene import Staged
from simworld.store import Suite

WHERE = "questions.jsonl"
FOLDER = "benchmarks/decisions"
FILE = f"{FOLDER}/{FILE_NAME}"
MOST_OPTIONS = 6
Record = Mapping[str, Any]


def check_all(known: Known, questions: Sequence[Record], findings: Findings) -> None:
    """Check that a clip has one question."""
    claim = f"{known.file.clip}: decisions"
    findings.expect(claim, WHERE, [1], [row["segment"] for row in questions])


def check(known: Known, row: Record, findings: Findings) -> None:
    """Check what a question asks, that its options are on that, and its evidence."""
    name, scene, values = row["question_id"], known.file.scene, known.facts.values
    last = known.segments[-1]["event"]
    outcome = next((event for event in scene.asked.get(last, ()) if values[event]), "nothing")
    check_text(name, row, wording.decision_questions(outcome, scene, values), findings)
    undone = Term("not", (Term("occurs", (Term(outcome),)),))
    claims = [parse(option["claim"]) for option in row["options"]]
    others = [str(c) for c in claims if c.head != "would" or c.args[1] != undone]
    findings.expect(f"{name}: options on another outcome", WHERE, [], others)
    findings.expect(f"{name}: two to six options", WHERE, True, 2 <= len(claims) <= MOST_OPTIONS)
    for claim in claims:
        staged = _staged(known, claim)
        differs = any(values[one.variable] != one.value for one in staged)
        findings.expect(f"{name}: {claim}: a change that can be shown", WHERE, True, differs)
    rows = [evidence.of_variable(known, outcome)]
    findings.expect_rows([f"{name}: evidence 1"], WHERE, rows, row["evidence"])


def is_right_kind(known: Known, row: Record, kind: str, claim: Term) -> bool:
    """Tell whether a false option is of its kind: all are changes that leave the outcome."""
    return kind == "causal_misattribution"


def texts(known: Known, row: Record, option: Record, claim: Term) -> Sequence[str]:
    """Return every text that an option may have."""
    return [wording.change(one) for one in _staged(known, claim)]


def _staged(known: Known, claim: Term) -> list[Staged]:
    """Return the scene's changes that do what a claim supposes."""
    supposed = str(claim.args[0])
    return [
        one
        for one in known.file.scene.staged
        if one.supposed and supposed == f"{one.variable} = {one.value}"
    ]


def expected_decision(known: Known, group: str, row: Record) -> Decision:
    """Return what the benchmark's file must say of a clip's question."""
    return Decision(
        question_id=row["question_id"],
        video=f"videos/{row['video']:04d}.mp4",
        question=row["question"],
        options={option["key"]: option["text"] for option in row["options"]},
        answer=row["answer"],
        group=group,
        scene=known.file.scene.name,
        proof=row["question_id"],
    )


def check_file(suite: Suite, expected: Mapping[str, Decision], findings: Findings) -> None:
    """Compare the benchmark's file and videos with what they must be, by clip."""
    if not expected and not (suite.folder / FOLDER).exists():
        return
    with findings.reading("the decisions' file", FILE):
        rows = {decision.question_id: decision for decision in expected.values()}
        stored = {decision.question_id: decision for decision in read_truth(suite.folder / FILE)}
        ids = sorted(rows, key=lambda name: rows[name].video)
        findings.expect("the decisions", FILE, ids, list(stored))
        clips = {decision.video: clip for clip, decision in expected.items()}
        check_video_files(suite, FOLDER, clips, findings)
        for name in rows.keys() & stored.keys():
            one, other = (decision.model_dump() for decision in (rows[name], stored[name]))
            findings.expect_fields(f"decision {name}", FILE, one, other)
