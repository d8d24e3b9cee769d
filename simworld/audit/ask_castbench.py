"""What CaST-Bench's questions ask, and what its file must say of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from simworld.audit import evidence
from simworld.audit.ask_causalstep import check_text, check_video_files
from simworld.audit.clips import Known
from simworld.audit.kinds import is_account_of_kind
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
FEWEST_OPTIONS = 4
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
    fewest = max(len(keys), FEWEST_OPTIONS)
    findings.expect(f"{name}: letters", WHERE, list(LETTERS[:fewest]), keys)
    _check_asked(known, row, findings)
    [right] = (parse(option["claim"]) for option in row["options"] if option["right"])
    names = [name for name in known.file.scm.endogenous if name in _named(right)]
    rows = [evidence.of_variable(known, event) for event in names]
    claims = [f"{name}: evidence {number}" for number in range(1, len(rows) + 1)]
    findings.expect_rows(claims, WHERE, rows, row["evidence"])


def is_right_kind(known: Known, row: Record, kind: str, claim: Term) -> bool:
    """Tell whether a false option's claim is of its kind."""
    return is_account_of_kind(kind, claim, known.facts)


def _named(claim: Term) -> set[str]:
    """Return every name in a claim."""
    return {claim.head}.union(*map(_named, claim.args))


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


def _check_asked(known: Known, row: Record, findings: Findings) -> None:
    """Check the question's text, and that all options answer it."""
    name, values = row["question_id"], known.facts.values
    claims = [parse(option["claim"]) for option in row["options"]]
    if row["kind"] == "counterfactual_reasoning":
        staged = _staged(known, row)
        texts = [text for one in staged for text in wording.supposed_questions(one)]
        findings.expect(
            f"{name}: supposes what is not so",
            WHERE,
            True,
            values[staged[0].variable] != staged[0].value,
        )
        claims = [claim.args[1] for claim in claims]
        fits = _is_plain
    else:
        texts = list(wording.account_questions())
        fits = _is_account
    others = [str(claim) for claim in claims if not fits(claim)]
    findings.expect(f"{name}: options that answer something else", WHERE, [], others)
    check_text(name, row, texts, findings)


def _is_plain(claim: Term) -> bool:
    """Tell whether a claim says of one event, or of two, that it happened or not."""
    parts = claim.args if claim.head == "and" else (claim,)
    bare = [part.args[0] if part.head == "not" else part for part in parts]
    return all(part.head == "occurs" for part in bare)


def _is_account(claim: Term) -> bool:
    """Tell whether a claim says that an event came of another, or did not for all that."""
    match claim:
        case Term("and", (said, Term("cause", (_, effect)))):
            absent = effect.head == "not"
            event = Term("occurs", (effect.args[0] if absent else effect,))
            return said == (Term("not", (event,)) if absent else event)
        case Term("and", (Term("occurs", _), Term("not", (Term("occurs", _),)))):
            return True
    return False


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
