"""CausalStep's questions about one clip: what happened, and what directly made it happen.

One descriptive question a segment, one causal question a segment from the second on; eight
options each, the right one and one wrong one of each kind. Exactly one option is right by
`decide`; where that cannot be had, the clip gets no questions, and the reasons are returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from simworld import rng
from simworld.annotate.segments import Segment
from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, DistractorKind, Kind
from simworld.claims import Term
from simworld.qa import candidates, wording
from simworld.qa.candidates import Candidates, Case
from simworld.qa.captions import opening_claim, told_with
from simworld.qa.claims import Undecided, decide
from simworld.qa.facts import facts_of
from simworld.qa.items import Drop, Evidence, Option, Question
from simworld.qa.options import OptionMaker, Unaskable, gist, pick
from simworld.scene import Scene
from simworld.truth import ClipTruth, Event

KINDS: tuple[Kind, ...] = ("descriptive", "causal")

_ORDER: tuple[DistractorKind, ...] = (
    "negation_polarity",
    "object_misrecognition",
    "causal_misattribution",
    "temporal_confusion",
    "incomplete_reasoning",
    "irrelevant_plausible",
    "surface_level",
)


@dataclass(frozen=True, slots=True)
class _Draft:
    """What one question is made from."""

    kind: Kind
    segment: Segment
    asked: tuple[str, ...]
    right: Term
    wrong: Candidates
    evidence: tuple[Evidence, ...]


def make_questions(
    scene: Scene,
    truth: ClipTruth,
    events: Sequence[Event],
    segments: Sequence[Segment],
    *,
    group: str,
    seed: int,
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Make all of a clip's questions, or none.

    Args:
        scene: The clip's scene.
        truth: What is known of it.
        events: Every event of the clip.
        segments: Its segments; the first shows the opening, every other a key event.
        group: The group that the clip belongs to.
        seed: Root seed of the choices.

    Returns:
        The questions in order of segments, descriptive before causal; and if they could not all
        be made, none of them and why.
    """
    if len(segments) < 2:
        return (), (Drop(truth.clip, 0, None, "fewer than two segments"),)
    case = Case(scene, facts_of(scene, truth, events, segments), tuple(segments))
    maker = _Maker(case, truth, events, group, seed)
    questions: list[Question] = []
    drops: list[Drop] = []
    for segment in segments:
        for kind in KINDS if segment.index > 1 else KINDS[:1]:
            try:
                questions.append(maker.question(kind, segment))
            except (Unaskable, Undecided) as reason:
                drops.append(Drop(truth.clip, segment.index, kind, str(reason)))
    return ((), tuple(drops)) if drops else (tuple(questions), ())


class _Maker:
    """Makes the questions of one clip."""

    def __init__(
        self, case: Case, truth: ClipTruth, events: Sequence[Event], group: str, seed: int
    ) -> None:
        self._case = case
        self._truth = truth
        self._events = {event.variable: event for event in events if event.variable is not None}
        self._group = group
        self._seed = seed
        self._option_maker = OptionMaker(case, truth)

    def question(self, kind: Kind, segment: Segment) -> Question:
        """Make one question; raise Unaskable or Undecided if there is none."""
        if kind == "causal":
            draft = self._causal(segment)
        elif segment.index == 1:
            draft = self._opening(segment)
        else:
            draft = self._descriptive(segment)
        key = (self._seed, "question", self._truth.clip, kind, segment.index)
        generator = rng.stream(*key)
        options = self._options(draft, generator)
        return Question(
            group=self._group,
            clip=self._truth.clip,
            benchmark="causalstep",
            kind=kind,
            segment=segment.index,
            question=pick(draft.asked, generator),
            options=options,
            evidence=draft.evidence,
        )

    def _opening(self, segment: Segment) -> _Draft:
        scene = self._case.scene
        claim, phrase = opening_claim(scene, self._case.facts)
        evidence = Evidence(
            "opening",
            scene.opening.about,
            segment.start_frame,
            segment.stop_frame,
            wording.sentence(phrase.present),
        )
        asked = wording.opening_questions(scene)
        wrong = candidates.for_opening(self._case)
        return _Draft("descriptive", segment, asked, claim, wrong, (evidence,))

    def _descriptive(self, segment: Segment) -> _Draft:
        right = right_description(self._case, segment)
        told = (segment.event, *told_with(self._case.scene, self._case.facts, segment))
        return _Draft(
            "descriptive",
            segment,
            wording.descriptive_questions(segment.index),
            right,
            candidates.for_descriptive(self._case, segment),
            tuple(map(self._evidence, told)),
        )

    def _causal(self, segment: Segment) -> _Draft:
        trigger, effect = asked_link(self._case, segment)
        values = self._case.facts.values
        return _Draft(
            "causal",
            segment,
            wording.causal_questions(segment.index, effect, self._case.scene, values),
            Term("trigger", (Term(trigger), Term(effect))),
            candidates.for_causal(self._case, segment, trigger, effect),
            (self._evidence(trigger), self._evidence(effect)),
        )

    def _evidence(self, variable: str) -> Evidence:
        event = self._events[variable]
        phrase = self._case.scene.phrase(variable, self._case.facts.values)
        return Evidence(
            event.name,
            event.participants[0],
            event.start_frame,
            event.stop_frame,
            wording.sentence(phrase.present),
        )

    def _options(self, draft: _Draft, generator: np.random.Generator) -> tuple[Option, ...]:
        """Choose one wrong option of each kind and word all eight; the right one comes first."""
        make = self._option_maker
        right = make.right(draft.right, generator)
        chosen: dict[DistractorKind, Option] = {}
        gists = {gist(draft.right)}
        for kind in _ORDER:
            taken = (right, *chosen.values())
            found = make.wrong(kind, draft.wrong[kind], taken, gists, generator)
            if found is None:
                raise Unaskable(f"no wrong option of the kind {kind}")
            chosen[kind], new = found
            gists.add(new)
        options = (right, *(chosen[kind] for kind in DISTRACTOR_KINDS))
        make.check(options)
        return options


def right_description(case: Case, segment: Segment) -> Term:
    """Return what happened in a segment: its key event, and what the same subject does next."""
    number = Term(str(segment.index))
    claim = Term("happens", (Term(segment.event), number))
    values = case.facts.values
    subject = case.scene.phrase(segment.event, values).participants[0]
    for event in told_with(case.scene, case.facts, segment):
        if case.scene.phrase(event, values).participants[0] == subject:
            return Term("and", (claim, Term("happens", (Term(event), number))))
    return claim


def asked_link(case: Case, segment: Segment) -> tuple[str, str]:
    """Return (trigger, effect) of the most telling event in a segment with a proven trigger.

    Raises:
        Unaskable: There is none.
    """
    for effect in case.scene.asked[segment.event]:
        happens = Term("happens", (Term(effect), Term(str(segment.index))))
        trigger = case.trigger_of(effect)
        if trigger is not None and decide(happens, case.facts):
            return trigger, effect
    asked = ", ".join(case.scene.asked[segment.event])
    raise Unaskable(f"no direct trigger of {asked} is proven")
