"""Questions: every option's claim decided by the audit's own facts, every text by its claim.

What holds of every benchmark's questions is checked here; what a question asks, and what it must
show, by the benchmark's own module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simworld.audit import ask_castbench, ask_causalstep, ask_decisions, ask_needles
from simworld.audit.clips import Known
from simworld.audit.replays import Replays
from simworld.audit.report import Findings
from simworld.audit.verdicts import check_proof, shown_by
from simworld.causal import Intervention
from simworld.claims import Term, parse
from simworld.lab import rollout_id
from simworld.qa import wording
from simworld.qa.claims import decide, world_of
from simworld.qa.contested import Contested

WHERE = "questions.jsonl"
Record = Mapping[str, Any]
Prove = Callable[[Known, Record, str, Replays, Findings], None]


def _phrasings(known: Known, row: Record, option: Record, claim: Term) -> Sequence[str]:
    """Return every text that an option's claim may be worded as."""
    return wording.phrasings(claim, known.file.scene, world_of(claim, known.facts))


def _by_segments(known: Known) -> Known:
    """Leave the clip cut into segments."""
    return known


@dataclass(frozen=True, slots=True)
class Asker:
    """How one benchmark asks.

    `check_all` looks at all of a clip's questions, `check` at one beyond its options;
    `is_of_kind` tells whether a false option is of its kind, `texts` gives those that an option
    may have, `cut` the clip in the parts that claims number.
    """

    check_all: Callable[[Known, Sequence[Record], Findings], None]
    check: Callable[[Known, Record, Findings], None]
    is_of_kind: Callable[[Known, Record, str, Term], bool]
    texts: Callable[[Known, Record, Record, Term], Sequence[str]] = _phrasings
    cut: Callable[[Known], Known] = _by_segments


ASKERS: Mapping[str, Asker] = {
    "causalstep": Asker(
        ask_causalstep.check_all, ask_causalstep.check, ask_causalstep.is_right_kind
    ),
    "castbench": Asker(ask_castbench.check_all, ask_castbench.check, ask_castbench.is_right_kind),
    "causal2needles": Asker(
        ask_needles.check_all,
        ask_needles.check,
        ask_needles.is_right_kind,
        ask_needles.texts,
        ask_needles.by_spans,
    ),
    "decisions": Asker(
        ask_decisions.check_all,
        ask_decisions.check,
        ask_decisions.is_right_kind,
        ask_decisions.texts,
    ),
}


def judge_questions(
    known: Known,
    questions: Sequence[Record],
    replays: Replays,
    findings: Findings,
    prove: Prove | None = None,
) -> None:
    """Check all questions on a clip; `prove` checks that an option's proof shows its claim."""
    contested = Contested(known.file.scene, known.file.context, known.facts)
    for benchmark in dict.fromkeys(row["benchmark"] for row in questions):
        rows = [row for row in questions if row["benchmark"] == benchmark]
        if benchmark not in ASKERS:
            claim = f"{known.file.clip}: questions for {benchmark}"
            findings.fail(claim, WHERE, f"one of {', '.join(ASKERS)}", benchmark)
            continue
        asker = ASKERS[benchmark]
        cut = asker.cut(known)
        asker.check_all(cut, rows, findings)
        for row in rows:
            findings.counts["questions"] += 1
            with findings.reading(str(row["question_id"]), WHERE):
                _judge(cut, asker, row, replays, findings, prove or check_option_proof)
                asker.check(cut, row, findings)
                expect_uncontested(row, contested, findings)


def expect_uncontested(row: Record, contested: Contested, findings: Findings) -> None:
    """Check that no wrong option gives what the model holds for one of several causes."""
    for option in row["options"]:
        if not option["right"] and parse(option["claim"]) in contested:
            claim = f"{row['question_id']}: option {option['key']} {option['claim']}"
            expected = "a reason that nobody can hold for right"
            findings.fail(claim, WHERE, expected, "one of several causes of an absence")


def _judge(
    known: Known,
    asker: Asker,
    row: Record,
    replays: Replays,
    findings: Findings,
    prove: Prove,
) -> None:
    name, options = row["question_id"], row["options"]
    findings.expect(f"{name}: clip", WHERE, known.file.clip, row["clip"])
    said = [_said(option) for option in options]
    findings.expect(f"{name}: different options", WHERE, len(said), len(set(said)))
    true = []
    for option in options:
        findings.counts["options"] += 1
        claim = f"{name}: option {option['key']} {option['claim']}"
        with findings.reading(claim, WHERE):
            holds = _judge_option(known, asker, row, option, claim, findings)
            true += [option["key"]] * holds
            prove(known, option, claim, replays, findings)
    findings.expect(f"{name}: right options", WHERE, true[:1], true)
    findings.expect(f"{name}: answer", WHERE, "".join(true), row["answer"])


def _said(option: Record) -> str:
    """Return what tells an option apart: the number of a scene, else the text.

    >>> _said({"key": "12", "text": "The bridge comes down."})
    '12'
    >>> _said({"key": "B", "text": "The bridge comes down."})
    'The bridge comes down.'
    """
    number = str(option["key"])
    return number if number.isdecimal() else str(option["text"])


def _judge_option(
    known: Known, asker: Asker, row: Record, option: Record, claim: str, findings: Findings
) -> bool:
    """Check one option's flag, text and kind; tell whether its claim is true."""
    term = parse(option["claim"])
    holds = decide(term, known.facts)
    findings.expect(f"{claim}: right", WHERE, holds, option["right"])
    texts = asker.texts(known, row, option, term)
    if option["text"] not in texts:
        findings.fail(f"{claim}: text", WHERE, " or ".join(texts), option["text"])
    kind = option["distractor_type"]
    if holds:
        findings.expect(f"{claim}: kind", WHERE, None, kind)
    elif not asker.is_of_kind(known, row, kind, term):
        findings.fail(f"{claim}: kind", WHERE, "the kind that its claim is of", kind)
    return holds


def check_option_proof(
    known: Known, option: Record, claim: str, replays: Replays, findings: Findings
) -> None:
    """Check that an option's proof exists, and shows that its claim holds, or does not."""
    required, choices = showing(known, parse(option["claim"]), replays)
    check_proof(known.file, claim, option["proof"], required, findings, WHERE)
    ids = {reference.partition(":")[2] for reference in option["proof"]}
    for some in choices:
        if not ids & some:
            found = "none of the rollouts that set it apart"
            findings.fail(f"{claim}: proof", WHERE, "a rollout that shows it", found)


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
        case Term("would", (Term("=", (Term(name, ()), Term(value, ()))), _)):
            do = Intervention.of({name: int(value)})
            file = known.file
            return rendered | {rollout_id(file.scene, file.context, {}, do, "handle")}, []
        case Term("shows", (_, condition)) | Term("untold", (condition,)):
            name = str(condition.args[0] if condition.head == "not" else condition)
            do = Intervention.of({name: 1 - known.facts.values[name]})
            file = known.file
            return rendered | {rollout_id(file.scene, file.context, {}, do, "handle")}, []
        case Term("trigger" | "cause" | "enables", (Term("=", (look, _)), _)):
            return rendered, [set(known.looks.get(look.args[0].head, ()))]
        case Term("trigger" | "cause" | "enables", ends):
            absent = [end.head == "not" for end in ends]
            cause, effect = (str(end.args[0] if end.head == "not" else end) for end in ends)
            verdict = known.verdicts.get((cause, effect))
            if verdict is not None:
                values = verdict.cause_value, verdict.effect_value
                if [not value for value in values] == absent:
                    return shown_by(known.file, verdict), []
    return rendered, []
