"""What CaST-Bench's questions ask, and what its file must say of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from simworld.audit import evidence
from simworld.audit.ask_causalstep import check_text, check_video_files, effects, right_claim
from simworld.audit.clips import Known
from simworld.audit.kinds import is_of_kind
from simworld.audit.report import Findings
from simworld.benchmarks.castbench.convert import convert
from simworld.benchmarks.castbench.schema import FILE_NAME, LETTERS, Question, read_truth
from simworld.benchmarks.castbench.write import QUESTION_TYPE
from simworld.claims import Term, parse
from simworld.errors import CheckError
from simworld.qa import wording
from simworld.scene import Staged
from simworld.store import Suite

WHERE = "questions.jsonl"
FOLDER = "benchmarks/castbench"
FILE = f"{FOLDER}/{FILE_NAME}"
MOST_EVIDENCE = 4
Record = Mapping[str, Any]


def check_all(known: Known, questions: Sequence[Record], findings: Findings) -> None:
    """Check that a clip's questions are numbered, each number once, in order."""
    numbers = [row["segment"] for row in questions]
    claim = f"{known.file.clip}: numbers of CaST-Bench's questions"
    findings.expect(claim, WHERE, sorted(set(numbers)), numbers)


def check(known: Known, row: Record, findings: Findings) -> None:
    """Check what one question asks, its letters and its evidence."""
    name = row["question_id"]
    keys = [option["key"] for option in row["options"]]
    findings.expect(f"{name}: letters", WHERE, list(LETTERS), keys)
    first, outcome = _link(known, row)
    _check_asked(known, row, outcome, findings)
    names = [item["event"] for item in row["evidence"]]
    rows = [evidence.of_variable(known, event) for event in names]
    claims = [f"{name}: evidence {number}" for number in range(1, len(rows) + 1)]
    findings.expect_rows(claims, WHERE, rows, row["evidence"])
    scm = known.file.scm
    between = scm.descendants(first) & scm.ancestors(outcome)
    whole = {outcome, *([first] if _is_seen(known, first) else [])}
    fits = whole <= set(names) <= whole | between and len(names) <= MOST_EVIDENCE
    claim = f"{name}: evidence from {first} to {outcome}"
    findings.expect(claim, WHERE, True, fits and names[-1] == outcome)


def is_right_kind(known: Known, row: Record, kind: str, claim: Term) -> bool:
    """Tell whether a false option's claim is of its kind."""
    _, outcome = _link(known, row)
    about = outcome if claim.head == "would" else _direct_trigger(known, outcome)
    return is_of_kind(kind, claim, about, known.file.scene, known.facts)


def _is_seen(known: Known, name: str) -> bool:
    """Tell whether a variable is seen: a condition always, an event where it happened."""
    return bool(known.facts.values[name]) or name in known.facts.conditions


def _link(known: Known, row: Record) -> tuple[str, str]:
    """Return what is said to bring about what: a cause or what is supposed, and the outcome."""
    if row["kind"] == "causal_explanation":
        cause, effect = right_claim(row).args
        return str(cause), str(effect)
    outcome = row["evidence"][-1]["event"]
    return _staged(known, row)[0].variable, str(outcome)


def _direct_trigger(known: Known, effect: str) -> str:
    """Return the first direct trigger of an event, in causal order."""
    for name in known.file.scm.events:
        relation = known.facts.relations.get((name, effect))
        is_direct = relation and (relation.role, relation.directness) == ("trigger", "direct")
        if is_direct and known.facts.values[name]:
            return name
    raise CheckError(f"no direct trigger of {effect} is proven")


def _staged(known: Known, row: Record) -> list[Staged]:
    """Return the staged interventions that bring about what all options suppose."""
    supposed = {str(parse(o["claim"]).args[0]) for o in row["options"]}
    found = [
        staged
        for staged in known.file.scene.staged
        if supposed == {f"{staged.variable} = {staged.value}"} and staged.supposed
    ]
    if not found:
        raise CheckError(f"no staged intervention brings about {', '.join(sorted(supposed))}")
    return found


def _check_asked(known: Known, row: Record, outcome: str, findings: Findings) -> None:
    """Check the question's text, and that all options answer it."""
    name, scene, values = row["question_id"], known.file.scene, known.facts.values
    if row["kind"] == "counterfactual_reasoning":
        staged = _staged(known, row)
        texts = [text for one in staged for text in wording.supposed_questions(one)]
        findings.expect(
            f"{name}: supposes what is not so",
            WHERE,
            True,
            values[staged[0].variable] != staged[0].value,
        )
    else:
        right = right_claim(row)
        ask = wording.direct_questions if right.head == "trigger" else wording.helped_questions
        texts = list(ask(outcome, scene, values))
        claims = [parse(option["claim"]) for option in row["options"]]
        others = [str(c) for c in claims if effects(c) != {outcome} or _head(c) != right.head]
        findings.expect(f"{name}: options on another effect", WHERE, [], others)
    asked = any(outcome in scene.asked[segment["event"]] for segment in known.segments[1:])
    findings.expect(f"{name}: asks what may be asked", WHERE, True, asked and values[outcome] == 1)
    check_text(name, row, texts, findings)


def _head(claim: Term) -> str:
    """Return which kind of cause a claim speaks of."""
    return _head(claim.args[0]) if claim.head == "and" else claim.head


def expected_questions(known: Known, group: str, rows: Sequence[Record]) -> list[Question]:
    """Return what the benchmark's file must say of a clip's questions."""
    video, tracks = known.file.video, known.footage.tracks
    size_px = (video.width, video.height)
    boxes = {str(name): known.footage.boxes_px[:, k] for k, name in enumerate(tracks.names)}
    scene = known.file.scene.name
    return [
        Question(
            qa_id=row["question_id"],
            video=f"sim_{row['video']:04d}.mp4",
            question=row["question"],
            question_type=QUESTION_TYPE[row["kind"]],
            scene_category=f"Simulated physics: {scene.replace('_', ' ')}",
            options={option["key"]: option["text"] for option in row["options"]},
            answer=row["answer"],
            evidences=tuple(convert(e, boxes, video.fps, size_px) for e in row["evidence"]),
            size_px=size_px,
            duration_s=round(len(known.footage.pixels) / video.fps, 6),
            group=group,
            scene=scene,
            proof=row["question_id"],
        )
        for row in rows
    ]


def check_file(
    suite: Suite, expected: Mapping[str, Sequence[Question]], findings: Findings
) -> None:
    """Compare the benchmark's file and videos with what they must be, by clip."""
    if not expected and not (suite.folder / FOLDER).exists():
        return
    with findings.reading("CaST-Bench's file", FILE):
        rows = {q.qa_id: q for questions in expected.values() for q in questions}
        stored = {question.qa_id: question for question in read_truth(suite.folder / FILE)}
        ids = sorted(rows, key=lambda name: (rows[name].video, name))
        found = sorted(stored, key=lambda name: (stored[name].video, name))
        findings.expect("CaST-Bench's questions", FILE, ids, found)
        clips = {f"videos/{q[0].video}": clip for clip, q in expected.items()}
        check_video_files(suite, FOLDER, clips, findings)
        for name in rows.keys() & stored.keys():
            one, other = (dataclasses.asdict(question) for question in (rows[name], stored[name]))
            findings.expect_fields(f"castbench question {name}", FILE, one, other)
