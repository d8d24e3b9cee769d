"""What CaST-Bench's questions ask, and what its file must say of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from simworld.audit import evidence
from simworld.audit.ask_causalstep import check_text
from simworld.audit.clips import Known
from simworld.audit.kinds import is_account_of_kind
from simworld.audit.report import Findings
from simworld.benchmarks.castbench.convert import convert
from simworld.benchmarks.castbench.schema import FILE_NAME, LETTERS, Question, read_truth
from simworld.benchmarks.castbench.write import QUESTION_TYPE
from simworld.claims import Term, parse
from simworld.errors import CheckError
from simworld.qa import wording
from simworld.qa.accounts import hidden_conditions, named, telling
from simworld.qa.anticipation import look_ahead, outcome_of
from simworld.scene import Staged
from simworld.splicing import frames_digest
from simworld.store import Suite, sha256_of

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
    if row["kind"] == "predictive_anticipation":
        rows = _check_foretold(known, row, right, findings)
    else:
        findings.expect(f"{name}: shows the whole clip", WHERE, None, row.get("stop_frame"))
        names = telling(right, known.file.scene, known.facts.values)
        rows = [evidence.of_variable(known, one) for one in _in_order(known, names)]
    claims = [f"{name}: evidence {number}" for number in range(1, len(rows) + 1)]
    findings.expect_rows(claims, WHERE, rows, row["evidence"])


def is_right_kind(known: Known, row: Record, kind: str, claim: Term) -> bool:
    """Tell whether a false option's claim is of its kind."""
    match claim:
        case Term("shows", (event, condition)):
            order: tuple[Term, ...] = (condition, event)
        case Term("and", (said, Term("untold", _))):
            order = (said,)
        case _:
            return is_account_of_kind(kind, claim, known.facts)
    for part in order:
        [name] = named(part)
        denied = part.head == "not"
        if bool(known.facts.values[name]) is denied:
            return kind == ("negation_polarity" if denied else "irrelevant_plausible")
    return kind == ("causal_misattribution" if claim.head == "shows" else "incomplete_reasoning")


def _in_order(known: Known, names: Collection[str]) -> list[str]:
    return [name for name in known.file.scm.endogenous if name in names]


def _check_foretold(
    known: Known, row: Record, right: Term, findings: Findings
) -> list[dict[str, Any]]:
    """Check that a video stops before what is asked about; return what it shows of it."""
    name, stop, frame_count = row["question_id"], row["stop_frame"], len(known.footage.pixels)
    args = (known.file.scene, known.facts, known.footage.spec, frame_count, known.file.video)
    outlook = look_ahead(*args)
    findings.expect(f"{name}: where its video stops", WHERE, outlook.stop_frame, stop)
    for option in row["options"]:
        begins = known.facts.events[outcome_of(parse(option["claim"]))]
        if begins is not None and begins.start_frame < stop:
            claim = f"{name}: option {option['key']} tells of what comes later"
            findings.fail(claim, WHERE, f"frame {stop} or later", begins.start_frame)
    late = [one["event"] for one in row["evidence"] if one["stop_frame"] > stop]
    findings.expect(f"{name}: evidence after the video stops", WHERE, [], late)
    rows = []
    for variable in _in_order(known, outlook.evidence(right)):
        seen = evidence.of_variable(known, variable)
        start, last = outlook.span(variable, (seen["start_frame"], seen["stop_frame"]))
        rows.append(seen | {"start_frame": start, "stop_frame": last})
    return rows


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
    elif row["kind"] == "inference_description":
        texts, fits = _inference_texts(known, claims), _is_inference
    else:
        foretold = row["kind"] == "predictive_anticipation"
        texts = list(wording.next_questions() if foretold else wording.account_questions())
        fits = _is_account
    others = [str(claim) for claim in claims if not fits(claim)]
    findings.expect(f"{name}: options that answer something else", WHERE, [], others)
    check_text(name, row, texts, findings)


def _inference_texts(known: Known, claims: Sequence[Term]) -> list[str]:
    """Return how to ask about the thing of which all options name the same hidden condition."""
    scene = known.file.scene
    found = {name for claim in claims for name in named(claim.args[-1])}
    if len(found) != 1 or not found <= set(hidden_conditions(scene)):
        raise CheckError(f"expected one condition that is hidden, found {', '.join(sorted(found))}")
    [thing, *_] = scene.phrase(found.pop(), known.facts.values).participants
    return list(wording.inference_questions(scene.things[thing]))


def _is_inference(claim: Term) -> bool:
    """Tell whether a claim says what shows a condition, or that nothing does."""
    return claim.head == "shows" or (claim.head == "and" and claim.args[1].head == "untold")


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
    return [_expected(known, group, row) for row in rows]


def _expected(known: Known, group: str, row: Record) -> Question:
    video, scene = known.file.video, known.file.scene.name
    size_px, stop = (video.width, video.height), row.get("stop_frame")
    shown = known.footage.boxes_px[:stop]
    boxes = {str(name): shown[:, k] for k, name in enumerate(known.footage.tracks.names)}
    return Question(
        qa_id=row["question_id"],
        video=_video_name(row),
        question=row["question"],
        question_type=QUESTION_TYPE[row["kind"]],
        scene_category=f"Simulated physics: {scene.replace('_', ' ')}",
        options={option["key"]: option["text"] for option in row["options"]},
        answer=row["answer"],
        evidences=tuple(convert(e, boxes, video.fps, size_px) for e in row["evidence"]),
        size_px=size_px,
        duration_s=round(len(shown) / video.fps, 6),
        group=group,
        scene=scene,
        proof=row["question_id"],
    )


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
        _check_videos(suite, findings)
        for name in rows.keys() & stored.keys():
            one, other = (dataclasses.asdict(question) for question in (rows[name], stored[name]))
            findings.expect_fields(f"castbench question {name}", FILE, one, other)


def _check_videos(suite: Suite, findings: Findings) -> None:
    """Check that each video file shows its clip, or as many of its first frames as it should."""
    rows = (row for row in suite.questions() if row["benchmark"] == "castbench")
    shown = {_video_name(row): row for row in rows}
    folder = suite.folder / FOLDER / "videos"
    found = sorted(path.name for path in folder.iterdir())
    findings.expect(f"{FOLDER}: video files", f"{FOLDER}/videos", sorted(shown), found)
    for name in sorted(shown.keys() & set(found)):
        clip, stop = shown[name]["clip"], shown[name].get("stop_frame")
        source, where = suite.clip(clip) / "video.mp4", f"{FOLDER}/videos/{name}"
        if stop is None:
            same = sha256_of(folder / name) == sha256_of(source)
        else:
            same = frames_digest([folder / name]) == frames_digest([source], stop)
        found_there = "its frames" if same else "others"
        findings.expect(f"{where}: shows {clip}", where, "its frames", found_there)


def _video_name(row: Record) -> str:
    return f"sim_{row['video']:04d}{'_start' if row.get('stop_frame') else ''}.mp4"
