"""Scene spans as options: which can be shown around a cause and an effect, and which is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simworld.annotate.segments import Segment
from simworld.benchmarks.causal2needles.schema import EXPANSION, MAX_DISTANCE
from simworld.benchmarks.causal2needles.written import MIN_DISTANCE
from simworld.benchmarks.causalstep.schema import DistractorKind
from simworld.claims import Term
from simworld.qa.captions import starting
from simworld.qa.case import Case
from simworld.qa.claims import Undecided, decide
from simworld.qa.facts import references
from simworld.qa.items import Option
from simworld.qa.options import OptionMaker, Unaskable, pick
from simworld.scene import Scene
from simworld.truth import ClipTruth

WRONG_IMAGES = 3


@dataclass(frozen=True, slots=True)
class Pair:
    """A cause and an effect, and the numbers of the scene spans in which they begin."""

    cause: str
    effect: str
    cause_span: int
    effect_span: int


class Scenes:
    """The scene spans of one clip."""

    def __init__(self, case: Case, truth: ClipTruth) -> None:
        self._case = case
        self._truth = truth
        self._option_maker = OptionMaker(case, truth)
        self._starting = {s.index: starting(case.facts, s.index) for s in case.segments}
        self._span_of = {name: n for n, names in self._starting.items() for name in names}

    def pairs(self) -> list[Pair]:
        """Return every event and proven cause of it that lie as far apart as they must."""
        return [
            Pair(cause, effect, one, other)
            for effect, other in self._span_of.items()
            for cause, one in self._span_of.items()
            if MIN_DISTANCE <= other - one <= MAX_DISTANCE and self._is_cause(cause, effect)
        ]

    def _is_cause(self, cause: str, effect: str) -> bool:
        relation = self._case.relation(cause, effect)
        return relation is not None and (relation.actual or relation.role == "overdeterminer")

    def words(self, event: str) -> set[str]:
        """Return all ways of saying that an event happened."""
        phrase = self._case.scene.phrase(event, self._case.facts.values)
        return {phrase.past, *phrase.also}

    def images(self, pair: Pair, generator: np.random.Generator) -> tuple[Option, ...]:
        """Return another event of the cause's scene, and three of scenes that are shown as well.

        No two are said in the same words. In a story they are all of one sort, each of which is
        seen now in one scene, now in another.

        Raises:
            Unaskable: There is no other event in it, or too few are proven not to be seen there.
        """
        of_a_sort = _of_a_sort(self._case.scene)
        offered = of_a_sort if len(of_a_sort) > WRONG_IMAGES else self._span_of.keys()
        beginning = self._starting[pair.cause_span]
        there = [name for name in beginning if name != pair.cause and name in offered]
        if not there:
            raise Unaskable("nothing else begins in the cause's scene that could be asked for")
        here = Term(str(pair.cause_span))
        said = {text for name in beginning for text in self.words(name)}
        elsewhere = []
        for name, n in self._span_of.items():
            if pair.cause_span < n <= pair.effect_span and name in offered:
                if not said & self.words(name):
                    elsewhere.append(Term("happens", (Term(name), here)))
                said |= self.words(name)
        make = self._option_maker
        options = [make.right(Term("happens", (Term(pick(there, generator)), here)), generator)]
        for _ in range(WRONG_IMAGES):
            found = make.wrong("temporal_confusion", (tuple(elsewhere),), options, set(), generator)
            if found is None:
                raise Unaskable(f"fewer than {WRONG_IMAGES} other events are proven not to be seen")
            options.append(found[0])
        make.check(options)
        return tuple(options)

    def options(
        self,
        pair: Pair,
        target: str,
        fits: Callable[[str], bool],
        says: Callable[[str, Term], Term],
    ) -> tuple[Option, ...]:
        """Return an option for each span that a window around the pair can show.

        Args:
            pair: The pair.
            target: The event that answers the question.
            fits: Tells whether an event answers it.
            says: From an event and a span's number to the claim that it does, and begins there.

        Raises:
            Unaskable: The events that answer it do not all begin in one span.
        """
        first, last = pair.cause_span - EXPANSION, pair.effect_span + EXPANSION
        window = [span for span in self._case.segments if first <= span.index <= last]
        found = {s.index for s in window for name in self._starting[s.index] if fits(name)}
        if found != {self._span_of[target]}:
            raise Unaskable(f"what answers the question begins in {len(found)} scenes")
        return tuple(self._span(span, target, says) for span in window)

    def _span(self, span: Segment, target: str, says: Callable[[str, Term], Term]) -> Option:
        """Return a span's option: the first claim on an event there that is settled."""
        right = span.index == self._span_of[target]
        for name in (target,) if right else (*self._starting[span.index], target):
            claim = says(name, Term(str(span.index)))
            try:
                if decide(claim, self._case.facts) is not right:
                    continue
                proof = references(claim, self._case.scene, self._truth)
            except Undecided:
                continue
            kind: DistractorKind | None = None if right else "temporal_confusion"
            return Option(span.description, str(claim), right, kind, proof, str(span.index))
        raise Unaskable("what begins in one of the scenes is not proven to be no answer")


def _of_a_sort(scene: Scene) -> set[str]:
    """Return the events apart from all others that befall things of one name, as many as can be."""
    scm = scene.scm
    found: dict[str, set[str]] = {}
    for event in scm.events:
        related = (*scm.parents(event), *scm.children(event))
        _, *others = scene.phrases[event].participants
        if len(others) == 1 and not any(name in scm.endogenous for name in related):
            found.setdefault(scene.things[others[0]], set()).add(event)
    return max(found.values(), key=len, default=set())
