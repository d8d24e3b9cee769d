"""Causal2Needles' questions about one clip: in which scenes a cause and its effect begin.

A pair is an event and a cause of it that lie 3 to 21 scene spans apart. The questions about it, by
kind, with the number of the pair or question within the clip:

- `causal_1needle`: where something of a colour did what helped to bring the effect about;
- `noncausal_1needle`: where the cause begins, and where the effect begins; nothing is said of why;
- `first_part`, `second_part`: where what directly made a third event begins (the effect, found
  through what it did), and where something of a colour helped to bring "that" about;
- `image`: what else happened in that last scene, one of four events of the clip.

An option stands for a scene span, but for those of `image`; its claim is on an event that begins
there. The options are all spans that any window around the pair can show, and in exactly one of
them an event begins that answers the question, by `decide` over all events; pairs for which that is
not so are left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from simworld import rng
from simworld.annotate.segments import Segment
from simworld.benchmarks.causal2needles.schema import MAX_DISTANCE
from simworld.benchmarks.causal2needles.written import MIN_DISTANCE
from simworld.claims import Term
from simworld.qa import wording
from simworld.qa.case import Case
from simworld.qa.claims import Undecided, decide
from simworld.qa.facts import facts_of
from simworld.qa.items import Drop, Evidence, Option, Question
from simworld.qa.options import Unaskable, pick
from simworld.qa.scenes import Pair, Scenes
from simworld.scene import Scene
from simworld.truth import ClipTruth, Event
from simworld.words import MATERIALS

BENCHMARK = "causal2needles"
CAUSAL, NONCAUSAL = "causal_1needle", "noncausal_1needle"
FIRST, SECOND, IMAGE = "first_part", "second_part", "image"
MOST_PAIRS = 4
"""No more pairs are asked about in one way in one clip."""

_ASKED = (NONCAUSAL, CAUSAL, FIRST)


def make_needles(
    scene: Scene,
    truth: ClipTruth,
    events: Sequence[Event],
    spans: Sequence[Segment],
    *,
    group: str,
    seed: int,
) -> tuple[tuple[Question, ...], tuple[Drop, ...]]:
    """Make a clip's questions for Causal2Needles.

    Args:
        scene: The clip's scene.
        truth: What is known of it.
        events: Every event of the clip.
        spans: Its scene spans.
        group: The group that the clip belongs to.
        seed: Root seed of the choices.

    Returns:
        The questions; and for each way of asking the pairs that were tried and left out, counted
        by the reason, or that there is no pair.
    """
    case = Case(scene, facts_of(scene, truth, events, spans), tuple(spans))
    maker = _Maker(case, truth, events, group, seed)
    pairs = maker.pairs()
    questions: list[Question] = []
    drops: list[Drop] = []
    for kind in _ASKED:
        made, reasons = 0, Counter[str]()
        for pair in pairs:
            try:
                questions += maker.ask(kind, pair, made)
                made += 1
            except (Unaskable, Undecided) as reason:
                reasons[str(reason)] += 1
            if made == MOST_PAIRS:
                break
        drops += [Drop(truth.clip, 0, kind, why, count=n) for why, n in reasons.items()]
        if not pairs:
            apart = f"{MIN_DISTANCE} to {MAX_DISTANCE} scene spans before its effect"
            drops.append(Drop(truth.clip, 0, kind, f"no cause begins {apart}", count=0))
    return tuple(questions), tuple(drops)


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
        self._scenes = Scenes(case, truth)
        self._said: dict[str, set[str]] = {kind: set() for kind in _ASKED}

    def pairs(self) -> list[Pair]:
        """Return every pair that can be asked about, in a drawn order."""
        found = self._scenes.pairs()
        order = rng.stream(self._seed, BENCHMARK, self._truth.clip, "pairs").permutation(len(found))
        return [found[int(index)] for index in order]

    def ask(self, kind: str, pair: Pair, made: int) -> list[Question]:
        """Ask about a pair in one way, after `made` others; raise Unaskable or Undecided."""
        if kind == NONCAUSAL:
            self._check_words(pair.cause, pair.effect)
            spoken_of = {pair.cause, pair.effect, f"{pair.cause_span} to {pair.effect_span}"}
            questions = self._beginnings(pair, made)
        elif kind == CAUSAL:
            self._check_words(pair.effect)
            color = self._color(pair.cause)
            spoken_of = {f"{color} to {pair.effect}"}
            questions = [self._helped(pair, color, made + 1)]
        else:
            color, made_event = self._color(pair.cause), self._made_by(pair.effect)
            self._check_words(made_event)
            spoken_of = {color, made_event}
            questions = self._two_parts(pair, color, made_event, made + 1)
        if spoken_of & self._said[kind]:
            raise Unaskable("another question speaks of the same")
        self._said[kind] |= spoken_of
        return questions

    def _check_words(self, *events: str) -> None:
        """Refuse to speak of an event in words that tell of another one as well."""
        happened, words = self._case.happened(), self._scenes.words
        for event in events:
            if any(words(event) & words(other) for other in happened if other != event):
                raise Unaskable("something else in the video is said in the same words")

    def _color(self, event: str) -> str:
        """Return the colour of what acts in an event."""
        actor = self._events[event].participants[0]
        if actor not in self._case.facts.colors:
            raise Unaskable(f"{actor} cannot be seen")
        color = self._case.facts.colors[actor]
        if color in MATERIALS:
            raise Unaskable(f"{color} is no word for a colour")
        return color

    def _made_by(self, effect: str) -> str:
        """Return the first event of which another is the proven direct trigger."""
        for name in self._case.happened():
            relation = self._case.relation(effect, name)
            if relation and (relation.role, relation.directness) == ("trigger", "direct"):
                return name
        raise Unaskable("the effect is the proven direct trigger of nothing")

    def _beginnings(self, pair: Pair, made: int) -> list[Question]:
        scene, values = self._case.scene, self._case.facts.values
        questions = []
        for number, event in enumerate((pair.cause, pair.effect), start=2 * made + 1):
            asked = wording.start_questions(event, scene, values)
            options = self._beginning(pair, event)
            questions.append(self._question(NONCAUSAL, number, asked, options, self._plain(pair)))
        return questions

    def _beginning(self, pair: Pair, event: str) -> tuple[Option, ...]:
        return self._scenes.options(
            pair, event, lambda name: name == event, lambda _, n: _starts(event, n)
        )

    def _helped(self, pair: Pair, color: str, number: int) -> Question:
        values = self._case.facts.values
        asked = wording.help_start_questions(color, pair.effect, self._case.scene, values)
        options = self._helping(pair, color)
        return self._question(CAUSAL, number, asked, options, self._plain(pair))

    def _two_parts(self, pair: Pair, color: str, made: str, number: int) -> list[Question]:
        """Ask for the effect by what it made, for its cause by a colour, and what else is there."""
        scene, values = self._case.scene, self._case.facts.values
        evidence = self._rephrased(pair, made)
        first = self._question(
            FIRST,
            number,
            wording.made_start_questions(made, scene, values),
            self._scenes.options(
                pair,
                pair.effect,
                lambda name: name != made and decide(_trigger(name, made), self._case.facts),
                lambda name, n: _and(_trigger(name, made), _starts(name, n)),
            ),
            evidence,
        )
        asked = wording.that_start_questions(color)
        second = self._question(SECOND, number, asked, self._helping(pair, color), evidence)
        seen = tuple(f"{first.question} {text}" for text in wording.seen_there_questions(color))
        image = self._question(
            IMAGE,
            number,
            seen,
            self._scenes.images(pair, self._generator("options", number)),
            evidence,
        )
        return [first, second, image]

    def _helping(self, pair: Pair, color: str) -> tuple[Option, ...]:
        """Return the options for where something of a colour helped to bring an effect about."""
        facts, effect = self._case.facts, pair.effect

        def fits(name: str) -> bool:
            colors = {facts.colors.get(thing) for thing in self._events[name].participants}
            return name != effect and color in colors and decide(_cause(name, effect), facts)

        def says(name: str, number: Term) -> Term:
            actor = self._events[name].participants[0]
            is_so = Term("=", (Term("color", (Term(actor),)), Term(color)))
            return _and(is_so, _and(_cause(name, effect), _starts(name, number)))

        return self._scenes.options(pair, pair.cause, fits, says)

    def _question(
        self,
        kind: str,
        number: int,
        asked: Sequence[str],
        options: tuple[Option, ...],
        evidence: tuple[Evidence, ...],
    ) -> Question:
        return Question(
            group=self._group,
            clip=self._truth.clip,
            benchmark=BENCHMARK,
            kind=kind,
            segment=number,
            question=pick(asked, self._generator(kind, number)),
            options=options,
            evidence=evidence,
        )

    def _generator(self, kind: str, number: int) -> np.random.Generator:
        return rng.stream(self._seed, BENCHMARK, self._truth.clip, kind, number)

    def _plain(self, pair: Pair) -> tuple[Evidence, ...]:
        values = self._case.facts.values
        return tuple(
            self._evidence(name, wording.sentence(self._case.scene.phrase(name, values).present))
            for name in (pair.cause, pair.effect)
        )

    def _rephrased(self, pair: Pair, made: str) -> tuple[Evidence, ...]:
        """Return where cause and effect are seen, told so that what links them is named."""
        scene, values = self._case.scene, self._case.facts.values
        links = (
            wording.helped_to_make(pair.cause, pair.effect, scene, values),
            wording.directly_made(pair.effect, made, scene, values),
        )
        spans = (pair.cause_span, pair.effect_span)
        return tuple(
            self._evidence(name, f"{self._case.segments[span - 1].description} {link}")
            for name, span, link in zip((pair.cause, pair.effect), spans, links, strict=True)
        )

    def _evidence(self, variable: str, rationale: str) -> Evidence:
        event = self._events[variable]
        thing = event.participants[0]
        return Evidence(variable, thing, event.start_frame, event.stop_frame, rationale)


def _and(first: Term, second: Term) -> Term:
    return Term("and", (first, second))


def _starts(event: str, number: Term) -> Term:
    return Term("starts", (Term(event), number))


def _cause(cause: str, effect: str) -> Term:
    return Term("cause", (Term(cause), Term(effect)))


def _trigger(cause: str, effect: str) -> Term:
    return Term("trigger", (Term(cause), Term(effect)))
