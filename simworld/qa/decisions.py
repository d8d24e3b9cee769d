"""Decisions: which change would have prevented the failure that a clip shows.

Each option is a staged intervention, and what it would have brought about was simulated: the one
right choice undoes the outcome, no other one does. What a chain of answers is worth can so be held
to what its author would do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simworld import rng
from simworld.annotate.segments import Segment
from simworld.benchmarks.causalstep.schema import DistractorKind
from simworld.claims import Term
from simworld.qa import wording
from simworld.qa.case import Case
from simworld.qa.claims import Undecided, decide
from simworld.qa.facts import facts_of, references, staged_rehearsals
from simworld.qa.items import Drop, Evidence, Option, Question
from simworld.qa.options import Unaskable, pick
from simworld.scene import Scene, Staged
from simworld.truth import ClipTruth, Event

BENCHMARK = "decisions"
KIND = "repair"
MOST_OPTIONS = 6


def make_decisions(
    scene: Scene,
    truth: ClipTruth,
    events: Sequence[Event],
    segments: Sequence[Segment],
    *,
    group: str,
    seed: int,
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Ask what would have prevented the last key event of a clip.

    Args:
        scene: The clip's scene.
        truth: What is known of it.
        events: Every event of the clip.
        segments: Its segments.
        group: The group that the clip belongs to.
        seed: Root seed of the choices.

    Returns:
        The question, or why there is none.
    """
    case = Case(scene, facts_of(scene, truth, events, segments), tuple(segments))
    try:
        return (_question(case, truth, events, group, seed),), ()
    except (Unaskable, Undecided) as reason:
        return (), (Drop(truth.clip, 1, KIND, str(reason)),)


def outcome_of(scene: Scene, last_key: str, values: Mapping[str, int]) -> str | None:
    """Return what may be asked to be prevented: the most telling event of the last segment."""
    return next((name for name in scene.asked.get(last_key, ()) if values[name]), None)


def _question(
    case: Case, truth: ClipTruth, events: Sequence[Event], group: str, seed: int
) -> Question:
    outcome = outcome_of(case.scene, case.segments[-1].event, case.facts.values)
    shown = {event.variable: event for event in events}
    if outcome is None:
        raise Unaskable("nothing happened that could have been prevented")
    generator = rng.stream(seed, BENCHMARK, truth.clip)
    options = [_option(case, truth, one, outcome) for one in _changes(case, truth)]
    right = [option for option in options if option.right]
    wrong = [option for option in options if not option.right]
    if not right or not wrong:
        raise Unaskable(f"{'no' if not right else 'every'} staged change prevents {outcome}")
    order = [int(k) for k in generator.permutation(len(wrong))][: MOST_OPTIONS - 1]
    event = shown[outcome]
    words = case.scene.phrase(outcome, case.facts.values)
    asked = wording.decision_questions(outcome, case.scene, case.facts.values)
    evidence = Evidence(
        outcome,
        event.participants[0],
        event.start_frame,
        event.stop_frame,
        wording.sentence(words.present),
    )
    return Question(
        group=group,
        clip=truth.clip,
        benchmark=BENCHMARK,
        kind=KIND,
        segment=1,
        question=pick(asked, generator),
        options=(right[int(generator.integers(len(right)))], *(wrong[k] for k in order)),
        evidence=(evidence,),
    )


def _changes(case: Case, truth: ClipTruth) -> list[Staged]:
    """Return the staged interventions that change something, and do what their handle does."""
    found: dict[tuple[str, int], Staged] = {}
    for one in case.scene.staged:
        values = case.facts.outcomes.get((one.variable, one.value))
        shown = staged_rehearsals(one, truth)
        differs = case.facts.values[one.variable] != one.value
        alike = values is not None and shown and dict(shown[0].outcome.values) == dict(values)
        if one.supposed and differs and alike:
            found.setdefault((one.variable, one.value), one)
    return list(found.values())


def _option(case: Case, truth: ClipTruth, staged: Staged, outcome: str) -> Option:
    claim = prevents(staged, outcome)
    right = decide(claim, case.facts)
    proof = references(claim, case.scene, truth)
    kind: DistractorKind | None = None if right else "causal_misattribution"
    return Option(wording.change(staged), str(claim), right, kind, proof)


def prevents(staged: Staged, outcome: str) -> Term:
    """Return the claim that an outcome would not occur under a staged intervention."""
    setting = Term("=", (Term(staged.variable), Term(str(staged.value))))
    return Term("would", (setting, Term("not", (Term("occurs", (Term(outcome),)),))))
