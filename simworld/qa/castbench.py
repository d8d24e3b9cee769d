"""CaST-Bench's candidates of one clip: what came of what, and what would have come of it.

A candidate asks something that can be asked of every world of a scene, and offers all accounts of
which it is settled whether they are true there. `balance` chooses among them, so that each option
of a question is right in equally many worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from simworld.annotate.segments import Segment
from simworld.annotate.tracks import Tracks
from simworld.benchmarks.castbench.convert import Unfit, convert
from simworld.claims import Term
from simworld.qa import wording
from simworld.qa.accounts import (
    accounts,
    hidden_conditions,
    inferences,
    kind_of,
    suppositions,
    telling,
)
from simworld.qa.anticipation import Outlook, look_ahead
from simworld.qa.case import Case
from simworld.qa.claims import Undecided, decide, world_of
from simworld.qa.contested import Contested
from simworld.qa.facts import facts_of, references, staged_rehearsals
from simworld.qa.items import Drop, Evidence, Option, Question
from simworld.qa.options import Unaskable
from simworld.recipe import VideoSettings
from simworld.scene import Scene, Staged
from simworld.truth import FACTUAL, ClipTruth, Event

BENCHMARK = "castbench"
EXPLANATION, COUNTERFACTUAL = "causal_explanation", "counterfactual_reasoning"
ANTICIPATION, INFERENCE = "predictive_anticipation", "inference_description"
MAX_CHARACTERS = 110


def make_castbench(
    scene: Scene,
    truth: ClipTruth,
    events: Sequence[Event],
    segments: Sequence[Segment],
    *,
    group: str,
    staged: Sequence[Staged],
    video: VideoSettings,
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Make a clip's candidates for CaST-Bench.

    Args:
        scene: The clip's scene.
        truth: What is known of it.
        events: Every event of the clip.
        segments: Its segments; the first shows the opening.
        group: The group that the clip belongs to.
        staged: Interventions that may be supposed.
        video: How it is shown.

    Returns:
        The candidates, and those that could not be made with the reason.
    """
    case = Case(scene, facts_of(scene, truth, events, segments), tuple(segments))
    maker = _Maker(case, truth, events, group)
    values = case.facts.values
    supposed = [one for one in staged if one.supposed and values[one.variable] != one.value]
    makers: list[tuple[str, Callable[[], Question]]] = [
        (EXPLANATION, maker.explanation),
        *((COUNTERFACTUAL, partial(maker.counterfactual, one)) for one in supposed),
        (ANTICIPATION, partial(maker.anticipation, video)),
        *((INFERENCE, partial(maker.inference, hidden)) for hidden in hidden_conditions(scene)),
    ]
    candidates: list[Question] = []
    drops: list[Drop] = []
    for number, (kind, make) in enumerate(makers, start=1):
        try:
            candidates.append(replace(make(), kind=kind, segment=number))
        except Unaskable as reason:
            drops.append(Drop(truth.clip, number, kind, str(reason)))
    return tuple(candidates), tuple(drops)


def keep_shown(
    questions: Sequence[Question],
    tracks: Tracks,
    fps: int,
    size_px: tuple[int, int],
    can_be_cut: Callable[[int], bool],
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Keep the answers that the benchmark's file can show, and the questions of other benchmarks.

    Its evidence is whole seconds with a box at each, and its videos are the clip's or, if
    `can_be_cut` says so, so many of its first frames. Of the rest it is said why they are left out.
    """
    kept: list[Question] = []
    drops: list[Drop] = []
    for question in questions:
        if question.benchmark == BENCHMARK:
            stop = question.stop_frame
            seen = tracks.visible_xyxy_px[:stop]
            boxes = {str(name): seen[:, k] for k, name in enumerate(tracks.names)}
            options, reasons = _shown(question, boxes, fps, size_px)
            lost = not any(option.right for option in options)
            place = question.clip, question.segment, question.kind
            told = [(reason, 0) for reason in reasons] + [("no answer is left", 1)] * lost
            if not lost and stop is not None and not can_be_cut(stop):
                lost, told = True, [("the video cannot be cut where it would stop", 1)]
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
        self._contested = Contested(case.scene, truth.context, case.facts)

    def explanation(self) -> Question:
        """Ask what came of what."""
        options = map(self._option, accounts(self._case.scene))
        return self._candidate(wording.account_questions(), options)

    def counterfactual(self, staged: Staged) -> Question:
        """Ask what would have come of a staged intervention."""
        self._check_staging(staged)
        options = map(self._option, suppositions(self._case.scene, staged))
        return self._candidate(wording.supposed_questions(staged), options)

    def anticipation(self, video: VideoSettings) -> Question:
        """Ask what comes next, of a video that is cut short."""
        case, frame_count = self._case, self._case.segments[-1].stop_frame
        spec = case.scene.world(self._truth.context, FACTUAL)
        outlook = look_ahead(case.scene, case.facts, spec, frame_count, video)
        made = (self._foretold(claim, outlook) for claim in accounts(case.scene))
        asked = self._candidate(wording.next_questions(), made)
        return replace(asked, stop_frame=outlook.stop_frame)

    def inference(self, hidden: str) -> Question:
        """Ask what shows a property that cannot be seen."""
        scene = self._case.scene
        [thing, *_] = scene.phrase(hidden, self._case.facts.values).participants
        asked = wording.inference_questions(scene.things[thing])
        return self._candidate(asked, map(self._option, inferences(scene, hidden)))

    def _foretold(self, claim: Term, outlook: Outlook) -> Option | None:
        """Word an account of what is still open; if it is right, it can be told beforehand."""
        option = self._option(claim) if outlook.leaves_open(claim) else None
        if option is None or not option.right:
            return option
        shown = []
        for name in self._in_order(outlook.evidence(claim)):
            seen = self._seen(name)
            start, stop = outlook.span(name, (seen.start_frame, seen.stop_frame))
            shown.append(replace(seen, start_frame=start, stop_frame=stop))
        return replace(option, evidence=tuple(shown)) if shown else None

    def _check_staging(self, staged: Staged) -> None:
        """Raise Unaskable unless handle and staging show alike what an intervention does."""
        values = self._case.facts.outcomes.get((staged.variable, staged.value))
        shown = staged_rehearsals(staged, self._truth)
        if values is None or not shown or dict(shown[0].outcome.values) != dict(values):
            raise Unaskable(f"handle and staging do not show alike what {staged.name} does")

    def _candidate(self, asked: tuple[str, ...], made: Iterable[Option | None]) -> Question:
        """Offer all claims that are settled; raise Unaskable if none is right."""
        options = tuple(option for option in made if option is not None)
        if not any(option.right for option in options):
            raise Unaskable("no account is proven right")
        return Question(
            group=self._group,
            clip=self._truth.clip,
            benchmark=BENCHMARK,
            kind="",
            segment=0,
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
            if not right and claim in self._contested:
                return None
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
        names = telling(claim, self._case.scene, self._case.facts.values)
        return tuple(map(self._seen, self._in_order(names)))

    def _in_order(self, names: Collection[str]) -> list[str]:
        return [name for name in self._case.scene.scm.endogenous if name in names]

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
