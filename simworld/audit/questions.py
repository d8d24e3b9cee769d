"""Questions: every option's claim decided by the audit's own facts, every text by its claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simworld.audit.clips import Known
from simworld.audit.facts import opening_phrase, told_events
from simworld.audit.kinds import is_listed_for_opening, is_of_kind
from simworld.audit.replays import Replays
from simworld.audit.report import Findings
from simworld.audit.verdicts import check_proof, shown_by
from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, LETTERS
from simworld.claims import Term, parse
from simworld.errors import CheckError
from simworld.qa import wording
from simworld.qa.claims import decide

WHERE = "questions.jsonl"
Record = Mapping[str, Any]


def judge_questions(
    known: Known, questions: Sequence[Record], replays: Replays, findings: Findings
) -> None:
    """Check all of a clip's questions: that they are all there, and each of them."""
    asked = [(row["segment"], row["kind"]) for row in questions]
    wanted = [
        (row["index"], kind)
        for row in known.segments
        for kind in ("descriptive", "causal")[: 1 if row["index"] == 1 else 2]
    ]
    if asked:
        claim = f"{known.file.clip}: one descriptive question a segment, a causal one from the 2nd"
        findings.expect(claim, WHERE, wanted, asked)
    for row in questions:
        findings.counts["questions"] += 1
        with findings.reading(str(row["question_id"]), WHERE):
            _judge(known, row, replays, findings)


def _judge(known: Known, row: Record, replays: Replays, findings: Findings) -> None:
    name, options = row["question_id"], row["options"]
    keys = [option["key"] for option in options]
    findings.expect(f"{name}: letters", WHERE, list(LETTERS), keys)
    findings.expect(f"{name}: clip", WHERE, known.file.clip, row["clip"])
    kinds = [option["distractor_type"] for option in options if not option["right"]]
    findings.expect(f"{name}: kinds", WHERE, sorted(DISTRACTOR_KINDS), sorted(map(str, kinds)))
    true = []
    for option in options:
        findings.counts["options"] += 1
        claim = f"{name}: option {option['key']} {option['claim']}"
        with findings.reading(claim, WHERE):
            true += [option["key"]] * _judge_option(known, row, option, claim, replays, findings)
    findings.expect(f"{name}: right options", WHERE, true[:1], true)
    findings.expect(f"{name}: answer", WHERE, "".join(true), row["answer"])
    _check_asked(known, row, findings)
    findings.expect_rows(
        [f"{name}: evidence {number}" for number, _ in enumerate(_evidence(known, row), start=1)],
        WHERE,
        _evidence(known, row),
        row["evidence"],
    )


def _judge_option(
    known: Known, row: Record, option: Record, claim: str, replays: Replays, findings: Findings
) -> bool:
    """Check one option; tell whether its claim is true."""
    scene, facts = known.file.scene, known.facts
    term = parse(option["claim"])
    holds = decide(term, facts)
    findings.expect(f"{claim}: right", WHERE, holds, option["right"])
    texts = wording.phrasings(term, scene, facts.values)
    if option["text"] not in texts:
        findings.fail(f"{claim}: text", WHERE, " or ".join(texts), option["text"])
    kind = option["distractor_type"]
    if holds:
        findings.expect(f"{claim}: kind", WHERE, None, kind)
    elif not _is_of_kind(known, row, kind, term):
        findings.fail(f"{claim}: kind", WHERE, "the kind that its claim is of", kind)
    required, choices = showing(known, term, replays)
    check_proof(known.file, claim, option["proof"], required, findings, WHERE)
    ids = {reference.partition(":")[2] for reference in option["proof"]}
    for some in choices:
        if not ids & some:
            found = "none of the rollouts that set it apart"
            findings.fail(f"{claim}: proof", WHERE, "a rollout that shows it", found)
    return holds


def _is_of_kind(known: Known, row: Record, kind: str, claim: Term) -> bool:
    if row["segment"] == 1 and row["kind"] == "descriptive":
        return is_listed_for_opening(kind, str(claim), known.file.scene)
    about = known.segments[row["segment"] - 1]["event"]
    if row["kind"] == "causal":
        about = str(_right_claim(row).args[0])
    return is_of_kind(kind, claim, about, known.file.scene, known.facts)


def _check_asked(known: Known, row: Record, findings: Findings) -> None:
    """Check that the question is one on its segment, and that all options answer that one."""
    name, scene, number = row["question_id"], known.file.scene, row["segment"]
    claims = [parse(option["claim"]) for option in row["options"]]
    segment = known.segments[number - 1]
    if row["kind"] == "causal":
        effect = str(_right_claim(row).args[1])
        texts = wording.causal_questions(number, effect, scene, known.facts.values)
        happens = Term("happens", (Term(effect), Term(str(number))))
        asked = effect in scene.asked[segment["event"]] and decide(happens, known.facts)
        findings.expect(f"{name}: asks what happens in its segment", WHERE, True, asked)
        others = [str(claim) for claim in claims if _effects(claim) != {effect}]
        findings.expect(f"{name}: options on another effect", WHERE, [], others)
    elif number == 1:
        texts = wording.opening_questions(scene)
    else:
        texts = wording.descriptive_questions(number)
        others = [str(claim) for claim in claims if not _segments(claim) <= {str(number)}]
        findings.expect(f"{name}: options on another segment", WHERE, [], others)
    texts = tuple(text.replace("{video}", str(row["video"])) for text in texts)
    if row["question"] not in texts:
        findings.fail(f"{name}: text", WHERE, " or ".join(texts), row["question"])


def _right_claim(row: Record) -> Term:
    """Return what is said to be right of a link: a claim on the direct trigger of an effect."""
    for option in row["options"]:
        term = parse(option["claim"])
        if option["right"] and term.head == "trigger":
            return term
    raise CheckError("no right option is a claim on a trigger")


def _effects(claim: Term) -> set[str]:
    """Return the effects of all triggers that a claim speaks of."""
    if claim.head == "trigger":
        return {str(claim.args[1])}
    return set().union(*map(_effects, claim.args)) if claim.head == "and" else set()


def _segments(claim: Term) -> set[str]:
    """Return the numbers of all segments that a claim speaks of."""
    if claim.head in ("happens", "touches"):
        return {str(claim.args[-1])}
    return set().union(*map(_segments, claim.args))


def _evidence(known: Known, row: Record) -> list[dict[str, Any]]:
    """Return where the answer is seen: the opening, what a segment tells, or a link's two ends."""
    scene, segment = known.file.scene, known.segments[row["segment"] - 1]
    if row["kind"] == "descriptive" and segment["index"] == 1:
        return [
            {
                "event": "opening",
                "object": scene.opening.about,
                "start_frame": segment["start_frame"],
                "stop_frame": segment["stop_frame"],
                "rationale": wording.sentence(opening_phrase(scene, known.facts).present),
            }
        ]
    if row["kind"] == "descriptive":
        names = told_events(scene, known.facts, segment["event"], segment["index"])
    else:
        names = [str(part) for part in _right_claim(row).args]
    events = {event["variable"]: event for event in known.events if event["variable"]}
    return [
        {
            "event": name,
            "object": events[name]["participants"][0],
            "start_frame": events[name]["start_frame"],
            "stop_frame": events[name]["stop_frame"],
            "rationale": wording.sentence(scene.phrase(name, known.facts.values).present),
        }
        for name in names
    ]


def showing(known: Known, claim: Term, replays: Replays) -> tuple[set[str], list[set[str]]]:
    """Return the rollouts that together show a claim, and sets of which one member must too."""
    rendered = {str(known.file.truth["rollout"])}
    match claim:
        case Term("not", (inner,)):
            return showing(known, inner, replays)
        case Term("and", parts):
            pairs = [showing(known, part, replays) for part in parts]
            choices = [some for _, more in pairs for some in more]
            return rendered.union(*(ids for ids, _ in pairs)), choices
        case Term("trigger" | "cause" | "enables", (Term("=", (look, _)), Term(effect, ()))):
            name = look.args[0].head
            if look.head == "color":
                return rendered, [set(known.looks.get(name, ()))]
            return rendered, [_set_apart(known, name, effect, replays)]
        case Term("trigger" | "cause" | "enables", (cause, Term(effect, ()))):
            absent = cause.head == "not"
            name = str(cause.args[0] if absent else cause)
            verdict = known.verdicts.get((name, effect))
            if verdict is not None and bool(verdict.cause_value) != absent:
                return shown_by(known.file, verdict), []
    return rendered, []


def _set_apart(known: Known, setting: str, effect: str, replays: Replays) -> set[str]:
    """Return the rollouts in which the setting stands, a link after it is undone, and no effect."""
    scm, values = known.file.scm, known.facts.values
    between = scm.descendants(setting) & scm.ancestors(effect)
    links = [{name: 0} for name in between if values.get(name)]
    return {
        run.rollout
        for run in known.file.runs.values()
        if dict(run.setting.do) in links
        and run.setting.context == known.file.context
        and not any(run.setting.noise.values())
        and not replays.values(run.setting)[effect]
    }
