"""How options look beside each other, whatever they mean.

Their length and the words they share, each with the form of the statement: what is left to go by
for whoever knows nothing of the world. `deal` sees to it that none of it tells the right option.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS
from simworld.qa.options import MAX_CHARACTERS

OFFERED = 1 + len(DISTRACTOR_KINDS)
"""Options of a question."""

_STEPS = 20
"""A share of words is told in so many steps."""

_CHARACTERS = 4
"""Lengths are told in steps of so many characters."""

FEATURES = 8
VALUES = max(OFFERED**2, _STEPS + 1, MAX_CHARACTERS // _CHARACTERS + 1)


class Looks:
    """How a candidate's options look in the hands that can be dealt of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Take one wording of each option."""
        words = [set(re.findall(r"[a-z']+", text.casefold())) for text in texts]
        self._first = np.unique([min(some) for some in words], return_inverse=True)[1]
        self._shared = np.array([[_shared(one, other) for other in words] for one in words])
        np.fill_diagonal(self._shared, 0.0)
        self._lengths = np.array([len(text) for text in texts])

    def of(self, places: Sequence[int]) -> NDArray[np.intp]:
        """Return what shows of the options in these places, shape (FEATURES, options).

        Values are below VALUES: length, and how much is shared with the other options on average
        and with the one most alike, each as a rank and in steps; two of the ranks together; and how
        many options have the same first word of the alphabet.
        """
        shared, lengths = self._shared[np.ix_(places, places)], self._lengths[list(places)]
        mean = (shared.sum(axis=1) / (len(places) - 1)).round(9)
        most = shared.max(axis=1)
        ranks = [_rank(mean), _rank(most), _rank(lengths)]
        steps = [(_STEPS * mean).astype(int), (_STEPS * most).astype(int), lengths // _CHARACTERS]
        first = self._first[list(places)]
        alike = (first[:, None] == first).sum(axis=1)
        return np.array([*ranks, *steps, ranks[0] * OFFERED + ranks[2], alike])


def _shared(one: set[str], other: set[str]) -> float:
    """Return Jaccard's index of two sets of words."""
    return len(one & other) / max(1, len(one | other))


def _rank(values: NDArray[np.float64] | NDArray[np.intp]) -> NDArray[np.intp]:
    """Count for each value how many are smaller."""
    smaller: NDArray[np.intp] = (values[:, None] > values).sum(axis=1)
    return smaller
