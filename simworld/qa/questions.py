"""CausalStep's candidates of one clip: what is true of each segment, and what came of what there.

One descriptive question a segment, one causal question a segment from the second on, each with all
statements of which it is settled whether they are true. `deal` chooses one right option and one
wrong one of each kind. Where a question cannot be had, the clip gets none, and why is returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simworld.annotate.segments import Segment
from simworld.benchmarks.causalstep.schema import Kind
from simworld.claims import Term
from simworld.qa import wording
from simworld.qa.case import Case
from simworld.qa.claims import Undecided, decide, world_of
from simworld.qa.contested import Contested
from simworld.qa.deal import can_be_dealt
from simworld.qa.facts import facts_of, references
from simworld.qa.items import Drop, Evidence, Option, Question
from simworld.qa.options import Unaskable
from simworld.qa.parts import Part, named
from simworld.qa.statements import descriptions, explanations, makeshifts, spoken_of
from simworld.scene import Scene
from simworld.truth import ClipTruth, Event

BENCHMARK = "causalstep"
KINDS: tuple[Kind, ...] = ("descriptive", "causal")
MAX_CHARACTERS = 110
"""No option is longer, so that none stands out by its length."""


def make_questions(
    scene: Scene,
    truth: ClipTruth,
    events: Sequence[Event],
    segments: Sequence[Segment],
    *,
    group: str,
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Make all of a clip's candidates, or none.

    Args:
        scene: The clip's scene.
        truth: What is known of it.
        events: Every event of the clip.
        segments: Its segments; the first shows the opening, every other a key event.
        group: The group that the clip belongs to.

    Returns:
        The candidates in order of segments, descriptive before causal; and if they could not all
        be made, none of them and why.
    """
    if len(segments) < 2:
        return (), (Drop(truth.clip, 0, None, "fewer than two segments"),)
    case = Case(scene, facts_of(scene, truth, events, segments), tuple(segments))
    maker = _Maker(case, truth, events, group)
    candidates: list[Question] = []
    drops: list[Drop] = []
    for segment in segments:
        for kind in KINDS if segment.index > 1 else KINDS[:1]:
            try:
                candidates.append(maker.candidate(kind, segment.index))
            except Unaskable as reason:
                drops.append(Drop(truth.clip, segment.index, kind, str(reason)))
    return ((), tuple(drops)) if drops else (tuple(candidates), ())


class _Maker:
    """Makes the candidates of one clip."""

    def __init__(self, case: Case, truth: ClipTruth, events: Sequence[Event], group: str) -> None:
        self._case = case
        self._truth = truth
        self._contested = Contested(case.scene, truth.context, case.facts)
        self._events = {event.variable: event for event in events if event.variable is not None}
        self._group = group

    def candidate(self, kind: Kind, number: int) -> Question:
        """Offer all statements on a segment that are settled, and makeshifts where they are needed.

        Raises:
            Unaskable: None is right, or there is no wrong one of some kind.
        """
        part = Part(self._case, number)
        claims, spare = self._claims(kind, part, number)
        for late, some in ((True, claims), (True, claims + spare), (False, claims + spare)):
            options = self._options(some, part, number, late=late)
            if can_be_dealt(options):
                break
        else:
            raise Unaskable("no right option with a wrong one of each kind")
        asked = wording.descriptive_questions if kind == "descriptive" else wording.causal_questions
        return Question(
            group=self._group,
            clip=self._truth.clip,
            benchmark=BENCHMARK,
            kind=kind,
            segment=number,
            question=asked(number)[0],
            options=options,
            evidence=(),
            wordings=asked(number),
        )

    def _claims(
        self, kind: Kind, part: Part, number: int
    ) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """Return what may be said of a segment, and what may be said besides if need be."""
        scene, facts = self._case.scene, self._case.facts
        events = spoken_of(scene, part.here)
        ways = descriptions if kind == "descriptive" else explanations
        spare = makeshifts(scene, facts, number, events, causal=kind == "causal")
        return ways(scene, number, events), spare

    def _options(
        self, claims: Sequence[Term], part: Part, number: int, *, late: bool
    ) -> tuple[Option, ...]:
        """Word the claims that can be offered; of those that read alike, none."""
        worded = [o for claim in claims if (o := self._option(claim, part, number, late=late))]
        said = Counter(text for option in worded for text in option.wordings)
        return tuple(o for o in worded if all(said[text] == 1 for text in o.wordings))

    def _option(self, claim: Term, part: Part, number: int, *, late: bool) -> Option | None:
        """Word a claim; None if it is not settled, says nothing of the part, or cannot be said."""
        case = self._case
        try:
            if not part.is_sayable(claim):
                return None
            right = decide(claim, case.facts)
            if right and not part.answers(claim, late=late):
                return None
            if not right and claim in self._contested:
                return None
            proof = references(claim, case.scene, self._truth)
            said = wording.phrasings(claim, case.scene, world_of(claim, case.facts))
        except Undecided:
            return None
        texts = tuple(text for text in said if len(text) <= MAX_CHARACTERS)
        if not texts:
            return None
        evidence = tuple(self._seen(name, number) for name in named(claim)) if right else ()
        kinds = () if right else part.kinds(claim)
        return Option(texts[0], str(claim), right, None, proof, "", texts, evidence, kinds)

    def _seen(self, variable: str, number: int) -> Evidence:
        """Return where an event is seen, a condition in the opening, an absence in the segment."""
        phrase = self._case.scene.phrase(variable, self._case.facts.values)
        segment = self._case.segments[number - 1]
        event = self._events.get(variable)
        if event is not None and event.start_frame < segment.stop_frame:
            frames, thing = (event.start_frame, event.stop_frame), event.participants[0]
            return Evidence(variable, thing, *frames, wording.sentence(phrase.present))
        stands = self._case.facts.conditions.get(variable)
        part = segment if stands is None else self._case.segments[0]
        words = phrase.present if stands else phrase.denied
        frames = part.start_frame, part.stop_frame
        return Evidence(variable, phrase.participants[0], *frames, wording.sentence(words))
