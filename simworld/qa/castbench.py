"""CaST-Bench's questions about one clip: what made it happen, and what would have happened.

Up to two questions for the direct trigger of an event, one for any other cause of the outcome, one
for each staged intervention that the group shows and the clip does not. Six options, of which
exactly one is right by `decide`; evidence for whoever looks, in causal order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from simworld import rng
from simworld.annotate.segments import Segment
from simworld.annotate.tracks import Tracks
from simworld.benchmarks.castbench.convert import Unfit, convert
from simworld.claims import Term
from simworld.qa import candidates, wording
from simworld.qa.candidates import Candidates, Case
from simworld.qa.claims import Undecided
from simworld.qa.counterfactuals import Supposition
from simworld.qa.facts import facts_of, staged_rehearsals
from simworld.qa.items import Drop, Evidence, Option, Question
from simworld.qa.options import OptionMaker, Unaskable, gist, pick
from simworld.qa.questions import asked_link
from simworld.scene import Scene, Staged
from simworld.truth import ClipTruth, Event

BENCHMARK = "castbench"
EXPLANATION, COUNTERFACTUAL = "causal_explanation", "counterfactual_reasoning"
WRONG_OPTIONS = 5
MOST_DIRECT = 2
MOST_EVIDENCE = 4


@dataclass(frozen=True, slots=True)
class _Draft:
    """What one question is made from; the evidence is of `seen`, conditions or events."""

    kind: str
    asked: tuple[str, ...]
    right: Term
    wrong: Candidates
    seen: tuple[str, ...]


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
    """Make a clip's questions for CaST-Bench.

    Args:
        scene: The clip's scene.
        truth: What is known of it.
        events: Every event of the clip.
        segments: Its segments; the first shows the opening, every other a key event.
        group: The group that the clip belongs to.
        seed: Root seed of the choices.
        staged: Interventions that some clip of the group shows.

    Returns:
        The questions, and those that could not be asked with the reason.
    """
    case = Case(scene, facts_of(scene, truth, events, segments), tuple(segments))
    maker = _Maker(case, truth, events, group, seed)
    questions: list[Question] = []
    drops: list[Drop] = []
    for number, (kind, draft) in enumerate(maker.plans(staged), start=1):
        try:
            questions.append(maker.question(number, draft()))
        except (Unaskable, Undecided) as reason:
            drops.append(Drop(truth.clip, number, kind, str(reason)))
    return tuple(questions), tuple(drops)


def keep_shown(
    questions: Sequence[Question], tracks: Tracks, fps: int, size_px: tuple[int, int]
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Keep the questions that the benchmark's file can show, and those of other benchmarks.

    Its evidence is whole seconds with a box at each; say of the rest why they are left out.
    """
    boxes = {str(name): tracks.visible_xyxy_px[:, k] for k, name in enumerate(tracks.names)}
    kept: list[Question] = []
    drops: list[Drop] = []
    for question in questions:
        try:
            if question.benchmark == BENCHMARK:
                for evidence in question.evidence:
                    convert(evidence.to_json(), boxes, fps, size_px)
            kept.append(question)
        except Unfit as reason:
            drops.append(Drop(question.clip, question.segment, question.kind, str(reason)))
    return tuple(kept), tuple(drops)


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

    def plans(self, staged: Sequence[Staged]) -> list[tuple[str, Callable[[], _Draft]]]:
        """List the questions to try: each one's kind, and what drafts it."""
        told = self._case.segments[1:]
        if not told:
            return []
        order = rng.stream(self._seed, "links", self._truth.clip).permutation(len(told))
        values = self._case.facts.values
        return [
            *(
                (EXPLANATION, partial(self._direct, told[index]))
                for index in sorted(map(int, order[:MOST_DIRECT]))
            ),
            (EXPLANATION, partial(self._helped, told[-1])),
            *(
                (COUNTERFACTUAL, partial(self._supposed, told[-1], one))
                for one in staged
                if one.supposed and values[one.variable] != one.value
            ),
        ]

    def question(self, number: int, draft: _Draft) -> Question:
        """Make one question of a draft; raise Unaskable or Undecided if there is none."""
        generator = rng.stream(self._seed, BENCHMARK, self._truth.clip, draft.kind, number)
        return Question(
            group=self._group,
            clip=self._truth.clip,
            benchmark=BENCHMARK,
            kind=draft.kind,
            segment=number,
            question=pick(draft.asked, generator),
            options=self._options(draft, generator),
            evidence=tuple(map(self._evidence, draft.seen)),
        )

    def _direct(self, segment: Segment) -> _Draft:
        """Ask for the direct trigger of what happens in a segment."""
        trigger, effect = asked_link(self._case, segment)
        return _Draft(
            EXPLANATION,
            wording.direct_questions(effect, self._case.scene, self._case.facts.values),
            Term("trigger", (Term(trigger), Term(effect))),
            candidates.for_causal(self._case, segment, trigger, effect),
            (trigger, effect),
        )

    def _helped(self, segment: Segment) -> _Draft:
        """Ask for another cause of what happens in a segment, however far back."""
        trigger, effect = asked_link(self._case, segment)
        facts = self._case.facts
        causes = [
            name
            for name, value in facts.values.items()
            if value and name != trigger and self._is_cause(name, effect)
        ]
        if not causes:
            raise Unaskable(f"no cause of {effect} but its direct trigger is proven")
        cause = pick(causes, rng.stream(self._seed, "cause", self._truth.clip, effect))
        wrong = candidates.for_causal(self._case, segment, trigger, effect)
        return _Draft(
            EXPLANATION,
            wording.helped_questions(effect, self._case.scene, facts.values),
            Term("cause", (Term(cause), Term(effect))),
            {
                kind: tuple(tuple(map(_as_cause, tier)) for tier in tiers)
                for kind, tiers in wrong.items()
            },
            self._chain(cause, effect),
        )

    def _is_cause(self, name: str, effect: str) -> bool:
        relation = self._case.relation(name, effect)
        return relation is not None and (relation.actual or relation.role == "overdeterminer")

    def _supposed(self, segment: Segment, staged: Staged) -> _Draft:
        """Ask what would have become of the outcome in a segment under an intervention."""
        _, outcome = asked_link(self._case, segment)
        values = self._case.facts.outcomes.get((staged.variable, staged.value))
        shown = staged_rehearsals(staged, self._truth)
        if values is None or not shown or dict(shown[0].outcome.values) != dict(values):
            raise Unaskable(f"handle and staging do not show alike what {staged.name} does")
        supposition = Supposition(self._case, staged, outcome, values)
        return _Draft(
            COUNTERFACTUAL,
            wording.supposed_questions(staged),
            supposition.right(),
            supposition.wrong(),
            self._chain(staged.variable, outcome),
        )

    def _chain(self, cause: str, effect: str) -> tuple[str, ...]:
        """Return what is seen from a cause to an effect, in causal order, the latest links."""
        case = self._case
        scm, happened = case.scene.scm, case.happened()
        between = scm.descendants(cause) & scm.ancestors(effect)
        links = [name for name in happened if name in between]
        if len(links) > MOST_EVIDENCE - 2:
            links = [name for name in links if name in case.scene.key_events] or links
        first = [cause] if cause in happened or cause in case.facts.conditions else []
        return tuple(dict.fromkeys((*first, *links[-(MOST_EVIDENCE - 2) :], effect)))

    def _evidence(self, variable: str) -> Evidence:
        """Return where a condition or an event is seen; a condition in the opening."""
        values = self._case.facts.values
        phrase = self._case.scene.phrase(variable, values)
        if variable in self._events:
            event = self._events[variable]
            frames, thing = (event.start_frame, event.stop_frame), event.participants[0]
        else:
            opening = self._case.segments[0]
            frames, thing = (opening.start_frame, opening.stop_frame), phrase.participants[0]
        words = phrase.present if values[variable] else phrase.denied
        return Evidence(variable, thing, *frames, wording.sentence(words))

    def _options(self, draft: _Draft, generator: np.random.Generator) -> tuple[Option, ...]:
        """Choose and word the options, the right one first.

        The wrong ones go through the kinds in turn, first what is true of the video and of objects
        that have no part in it.
        """
        make = self._option_maker
        options = [make.right(draft.right, generator)]
        gists = {gist(draft.right)}
        kinds = sorted(draft.wrong)
        order = [kinds[int(index)] for index in generator.permutation(len(kinds))]
        order.sort(key=lambda kind: kind != "causal_misattribution")
        for kind in order * WRONG_OPTIONS:
            found = make.wrong(kind, draft.wrong[kind], options, gists, generator)
            if found is not None:
                options.append(found[0])
                gists.add(found[1])
            if len(options) > WRONG_OPTIONS:
                make.check(options)
                return tuple(options)
        raise Unaskable(f"only {len(options) - 1} wrong options are proven false")


def _as_cause(claim: Term) -> Term:
    """Claim for any cause what is claimed for a direct trigger."""
    head = "cause" if claim.head == "trigger" else claim.head
    return Term(head, tuple(map(_as_cause, claim.args)))
