"""CaST-Bench's candidates of one clip: what came of what, and what would have come of it.

A candidate asks something that can be asked of every world of a scene, and offers all accounts of
which it is settled whether they are true there. `balance` chooses among them, so that each option
of a question is right in equally many worlds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from simworld.annotate.segments import Segment
from simworld.annotate.tracks import Tracks
from simworld.benchmarks.castbench.convert import Unfit, convert
from simworld.claims import Term
from simworld.qa import wording
from simworld.qa.accounts import accounts, kind_of, named, suppositions
from simworld.qa.candidates import Case
from simworld.qa.claims import Undecided, decide, world_of
from simworld.qa.facts import facts_of, references, staged_rehearsals
from simworld.qa.items import Drop, Evidence, Option, Question
from simworld.qa.options import Unaskable
from simworld.scene import Scene, Staged
from simworld.truth import ClipTruth, Event

BENCHMARK = "castbench"
EXPLANATION, COUNTERFACTUAL = "causal_explanation", "counterfactual_reasoning"
MAX_CHARACTERS = 110


def make_castbench(
    scene: Scene,
    truth: ClipTruth,
    events: Sequence[Event],
    segments: Sequence[Segment],
    *,
    group: str,
    seed: int,
    staged: Sequence[Staged],
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Make a clip's candidates for CaST-Bench.

    Args:
        scene: The clip's scene.
        truth: What is known of it.
        events: Every event of the clip.
        segments: Its segments; the first shows the opening.
        group: The group that the clip belongs to.
        seed: Root seed; nothing is drawn before `finalise`.
        staged: Interventions that may be supposed.

    Returns:
        The candidates, and those that could not be made with the reason.
    """
    case = Case(scene, facts_of(scene, truth, events, segments), tuple(segments))
    maker = _Maker(case, truth, events, group)
    candidates: list[Question] = []
    drops: list[Drop] = []
    for number, one in enumerate([None, *staged], start=1):
        kind = EXPLANATION if one is None else COUNTERFACTUAL
        try:
            if one is None:
                asked, claims = wording.account_questions(), accounts(scene)
            elif one.supposed and case.facts.values[one.variable] != one.value:
                maker.check_staging(one)
                asked, claims = wording.supposed_questions(one), suppositions(scene, one)
            else:
                continue
            candidates.append(maker.candidate(number, kind, asked, claims))
        except Unaskable as reason:
            drops.append(Drop(truth.clip, number, kind, str(reason)))
    return tuple(candidates), tuple(drops)


def keep_shown(
    questions: Sequence[Question], tracks: Tracks, fps: int, size_px: tuple[int, int]
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Keep the answers that the benchmark's file can show, and the questions of other benchmarks.

    Its evidence is whole seconds with a box at each; say of the rest why they are left out.
    """
    boxes = {str(name): tracks.visible_xyxy_px[:, k] for k, name in enumerate(tracks.names)}
    kept: list[Question] = []
    drops: list[Drop] = []
    for question in questions:
        if question.benchmark == BENCHMARK:
            options, reasons = _shown(question, boxes, fps, size_px)
            lost = not any(option.right for option in options)
            place = question.clip, question.segment, question.kind
            told = [(reason, 0) for reason in reasons] + [("no answer is left", 1)] * lost
            drops += [Drop(*place, *why, "evidence_not_visible", BENCHMARK) for why in told]
            if lost:
                continue
            question = replace(question, options=options)
        kept.append(question)
    return tuple(kept), tuple(drops)


def _shown(
    question: Question,
    boxes_xyxy_px: Mapping[str, object],
    fps: int,
    size_px: tuple[int, int],
) -> tuple[tuple[Option, ...], list[str]]:
    """Return the options without answers whose evidence cannot be shown, and why it cannot."""
    options, reasons = [], []
    for option in question.options:
        try:
            for evidence in option.evidence:
                convert(evidence.to_json(), boxes_xyxy_px, fps, size_px)  # type: ignore[arg-type]
            options.append(option)
        except Unfit as reason:
            reasons.append(f"one answer less, since {reason}")
    return tuple(options), reasons


class _Maker:
    """Makes the candidates of one clip."""

    def __init__(self, case: Case, truth: ClipTruth, events: Sequence[Event], group: str) -> None:
        self._case = case
        self._truth = truth
        self._events = {event.variable: event for event in events if event.variable is not None}
        self._group = group
        self._proofs: dict[Term, tuple[str, ...]] = {}

    def check_staging(self, staged: Staged) -> None:
        """Raise Unaskable unless handle and staging show alike what an intervention does."""
        values = self._case.facts.outcomes.get((staged.variable, staged.value))
        shown = staged_rehearsals(staged, self._truth)
        if values is None or not shown or dict(shown[0].outcome.values) != dict(values):
            raise Unaskable(f"handle and staging do not show alike what {staged.name} does")

    def candidate(
        self, number: int, kind: str, asked: tuple[str, ...], claims: Sequence[Term]
    ) -> Question:
        """Offer all claims that are settled; raise Unaskable if none is right."""
        options = tuple(option for claim in claims if (option := self._option(claim)))
        if not any(option.right for option in options):
            raise Unaskable("no account is proven right")
        return Question(
            group=self._group,
            clip=self._truth.clip,
            benchmark=BENCHMARK,
            kind=kind,
            segment=number,
            question=asked[0],
            options=options,
            evidence=(),
            wordings=asked,
        )

    def _option(self, claim: Term) -> Option | None:
        """Word a claim; None if it is not settled, or cannot be said briefly."""
        case = self._case
        try:
            right = decide(claim, case.facts)
            proof = self._proof(claim)
            said = wording.phrasings(claim, case.scene, world_of(claim, case.facts))
        except Undecided:
            return None
        texts = tuple(text for text in said if len(text) <= MAX_CHARACTERS)
        if not texts:
            return None
        kind = None if right else kind_of(claim, case.facts)
        evidence = self._evidence(claim) if right else ()
        return Option(texts[0], str(claim), right, kind, proof, "", texts, evidence)

    def _proof(self, claim: Term) -> tuple[str, ...]:
        """Return the proof of a claim; it is the same of all that one intervention would do."""
        about = claim.args[0] if claim.head == "would" else claim
        if about not in self._proofs:
            self._proofs[about] = references(claim, self._case.scene, self._truth)
        return self._proofs[about]

    def _evidence(self, claim: Term) -> tuple[Evidence, ...]:
        """Return where what a claim speaks of is seen, in causal order."""
        names = named(claim)
        return tuple(map(self._seen, (n for n in self._case.scene.scm.endogenous if n in names)))

    def _seen(self, variable: str) -> Evidence:
        """Return where an event is seen, a condition in the opening, an absence in the end."""
        values = self._case.facts.values
        phrase = self._case.scene.phrase(variable, values)
        if variable in self._events:
            event = self._events[variable]
            frames, thing = (event.start_frame, event.stop_frame), event.participants[0]
        else:
            part = self._case.segments[0 if variable in self._case.facts.conditions else -1]
            frames, thing = (part.start_frame, part.stop_frame), phrase.participants[0]
        words = phrase.present if values[variable] else phrase.denied
        return Evidence(variable, thing, *frames, wording.sentence(words))
