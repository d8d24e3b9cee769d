"""Dealing: of all that may be offered in a question, what is offered, so that no text tells.

A statement that is right in some questions is offered as a wrong option in seven times as many, so
that whoever knows all statements by heart still has but one chance in eight; and so for the forms
of statements, "because" and "but not", and for how options look beside each other, lest they tell.
Questions are dealt in turn, and again, each given what all others have: of the right answers the
one that is wrong too often, of the wrong ones of each kind one that is right too often; and of
several such hands the one whose looks tell least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from simworld import rng
from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, DistractorKind
from simworld.claims import Term, parse
from simworld.qa.items import Option, Question
from simworld.qa.looks import FEATURES, VALUES, Looks
from simworld.qa.options import pick

ROUNDS = 6
WRONG = len(DISTRACTOR_KINDS)
_SIGNS = np.array([-WRONG] + [1] * WRONG)
"""An option that is right counts against as many wrong ones."""
_FORBIDDEN = 1e9
_STATEMENT, _FORM, _LOOK = 50, 1, 15
"""What a statement, a form of statement and a look count as; whole, so that ties are ties."""
_NEVER_RIGHT = 1000
"""What is right nowhere is offered only where nothing else is a wrong option of the kind."""
_HANDS = 12
"""So many hands are drawn, of which one is dealt; looks do not count in the first rounds."""
_FIRST_ROUNDS = 2
_SPREAD = 2.0
"""Hands may differ in statements whose counts differ by less than this."""

Hand = tuple[int, tuple[int, ...]]
"""Places among a candidate's options: of the right one, and of the wrong one of each kind."""


@dataclass(frozen=True, slots=True)
class _Offer:
    """What may be offered in one question.

    Attributes:
        statements: Number of each option's statement.
        right: Places of the right options.
        wrong: For each kind, whether an option is a wrong one of it, shape (kinds, options).
    """

    statements: NDArray[np.intp]
    right: NDArray[np.intp]
    wrong: NDArray[np.bool_]


def can_be_dealt(options: Sequence[Option]) -> bool:
    """Tell whether there are a right option and a wrong one of each kind, whichever is right."""
    offer = _offer(options, {}, ())
    none = np.zeros(len(offer.statements))
    return len(offer.right) > 0 and all(
        _hand(_with_right(offer, place), none) is not None for place in offer.right
    )


def deal(candidates: Sequence[Question], *, seed: int) -> tuple[Question, ...]:
    """Choose one right option and a wrong one of each kind of each candidate, and word them.

    Args:
        candidates: Open candidates of one benchmark, each of which can be dealt.
        seed: Root seed.
    """
    table = _Table(candidates)
    for round_ in range(ROUNDS):
        generator = rng.stream(seed, "deal", round_)
        for index in map(int, generator.permutation(len(candidates))):
            table.deal(index, generator, 1 if round_ < _FIRST_ROUNDS else _HANDS)
    return tuple(
        _closed(candidate, table.hands[index], seed) for index, candidate in enumerate(candidates)
    )


class _Table:
    """All candidates, what each is dealt, and by how much each thing is wrong too often."""

    def __init__(self, candidates: Sequence[Question]) -> None:
        numbers: dict[tuple[str, ...], int] = {}
        forms: dict[tuple[str, ...], int] = {}
        self._offers = [_offer(c.options, numbers, (c.scene, c.kind)) for c in candidates]
        self._forms = [_number_forms(c, forms) for c in candidates]
        self._kinds = [forms.setdefault((c.kind,), len(forms)) for c in candidates]
        self._looks = [Looks([option.wordings[0] for option in c.options]) for c in candidates]
        self._surplus: NDArray[np.intp] = np.full(len(numbers), _NEVER_RIGHT)
        for offer in self._offers:
            self._surplus[offer.statements[offer.right]] = 0
        self._of_forms: NDArray[np.intp] = np.zeros(len(forms), dtype=np.intp)
        shape = 2 * FEATURES, len(forms), VALUES
        self._of_looks: NDArray[np.intp] = np.zeros(shape, dtype=np.intp)
        self.hands: dict[int, Hand] = {}

    def deal(self, index: int, generator: np.random.Generator, many: int) -> None:
        """Deal one candidate anew, the best of so many hands."""
        if index in self.hands:
            self._count(index, self.hands[index], -1)
        offer = self._offers[index]
        surplus = _STATEMENT * self._surplus[offer.statements]
        surplus += _FORM * self._of_forms[self._forms[index]]
        spread = _SPREAD if many > 1 else 0.5
        drawn = []
        for _ in range(many):
            jitter = generator.random(len(offer.statements)) * spread * _STATEMENT
            hand = _hand(offer, surplus + jitter)
            assert hand is not None
            drawn.append(hand)
        hand = min(drawn, key=lambda hand: self._cost(index, hand, surplus))
        self._count(index, hand, 1)
        self.hands[index] = hand

    def _cost(self, index: int, hand: Hand, surplus: NDArray[np.intp]) -> int:
        """Tell how much a hand adds to what is uneven."""
        places = [hand[0], *hand[1]]
        looks = self._of_looks[self._where(index, places)].sum(axis=0)
        return int(_SIGNS @ (surplus[places] + _LOOK * looks))

    def _count(self, index: int, hand: Hand, times: int) -> None:
        places = [hand[0], *hand[1]]
        counts = times * _SIGNS
        np.add.at(self._surplus, self._offers[index].statements[places], counts)
        np.add.at(self._of_forms, self._forms[index][places], counts)
        np.add.at(self._of_looks, self._where(index, places), np.tile(counts, (2 * FEATURES, 1)))

    def _where(self, index: int, places: list[int]) -> tuple[NDArray[np.intp], ...]:
        """Return where the looks of options are counted: with their forms, and in all."""
        looks = self._looks[index].of(places)
        forms = np.tile(self._forms[index][places], (FEATURES, 1))
        kinds = np.full_like(forms, self._kinds[index])
        return (
            np.arange(2 * FEATURES)[:, None],
            np.vstack([forms, kinds]),
            np.vstack([looks, looks]),
        )


def _offer(
    options: Sequence[Option], numbers: dict[tuple[str, ...], int], about: tuple[str, ...]
) -> _Offer:
    """Number the statements; those that read alike are one."""
    places = [numbers.setdefault((*about, *o.wordings), len(numbers)) for o in options]
    return _Offer(
        np.array(places, dtype=np.intp),
        np.flatnonzero([option.right for option in options]),
        np.array([[kind in o.kinds for o in options] for kind in DISTRACTOR_KINDS]),
    )


def _number_forms(candidate: Question, numbers: dict[tuple[str, ...], int]) -> NDArray[np.intp]:
    """Number the forms of a candidate's statements, such as "because" or "but not"."""
    forms = [(candidate.kind, _form(parse(option.claim))) for option in candidate.options]
    return np.array([numbers.setdefault(form, len(numbers)) for form in forms], dtype=np.intp)


def _form(claim: Term) -> str:
    """Return a claim without its names.

    >>> _form(parse("and(happens(bump, 2), not(happens(fall, 2)))"))
    'and(happens(, ), not(happens(, )))'
    """
    return f"{claim.head}({', '.join(map(_form, claim.args))})" if claim.args else ""


def _with_right(offer: _Offer, place: int) -> _Offer:
    """Return an offer with one right option."""
    return replace(offer, right=np.array([place]))


def _hand(offer: _Offer, surplus: NDArray[np.float64]) -> Hand | None:
    """Choose for one question; None if there is no wrong option of each kind.

    `surplus` tells of each option how much more often its statement is wrong than it should be.
    """
    from scipy.optimize import linear_sum_assignment

    right = int(offer.right[surplus[offer.right].argmax()])
    free = offer.wrong & (offer.statements != offer.statements[right])
    costs = np.where(free, surplus, _FORBIDDEN)
    _, chosen = linear_sum_assignment(costs)
    if len(chosen) < WRONG or costs[np.arange(WRONG), chosen].max() >= _FORBIDDEN:
        return None
    return right, tuple(map(int, chosen))


def _closed(candidate: Question, hand: Hand, seed: int) -> Question:
    """Word a question and its options, the right one first."""
    generator = rng.stream(seed, "words", candidate.clip, candidate.kind, candidate.segment)
    right, wrong = hand
    chosen = [candidate.options[place] for place in (right, *wrong)]
    kinds: tuple[DistractorKind | None, ...] = (None, *DISTRACTOR_KINDS)
    texts: list[str] = []
    for option in chosen:
        texts.append(pick([t for t in option.wordings if t not in texts], generator))
    return replace(
        candidate,
        question=pick(candidate.wordings, generator),
        options=tuple(
            replace(option, text=text, distractor_type=kind, wordings=(), kinds=(), evidence=())
            for option, kind, text in zip(chosen, kinds, texts, strict=True)
        ),
        evidence=candidate.options[right].evidence,
        wordings=(),
    )
