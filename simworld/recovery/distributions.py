"""Exact distributions of a metric's value, for models whose answers are independent draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.rng import stream

LEVEL = 0.99
"""Central share of a distribution in which a measured value must lie."""
DRAWS = 200_000

Pmf = NDArray[np.float64]
"""Probabilities of 0, 1, 2, ..., (K,) [float64]."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The values that a metric can take, ascending, and how probable each is.

    Attributes:
        values: (K,) [float64].
        probabilities: (K,) [float64], summing to 1.
    """

    values: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """The expected value."""
        return float(self.values @ self.probabilities)

    @property
    def interval(self) -> tuple[float, float]:
        """The least and greatest value of the central LEVEL."""
        below = np.cumsum(self.probabilities)
        tail = (1 - LEVEL) / 2
        last = len(self.values) - 1
        low, high = (int(np.searchsorted(below, at - 1e-12)) for at in (tail, 1 - tail))
        return float(self.values[min(low, last)]), float(self.values[min(high, last)])

    def draw(self, count: int, *name: str) -> list[float]:
        """Draw values, by name."""
        rng = stream("recovery draw", *name)
        drawn: list[float] = rng.choice(self.values, count, p=self.probabilities).tolist()
        return drawn

    def p_value(self, measured: float) -> float:
        """Return twice the probability of a value as low as the measured one, or as high."""
        near = 1e-9 * max(1.0, abs(measured))
        low = float(self.probabilities[self.values <= measured + near].sum())
        high = float(self.probabilities[self.values >= measured - near].sum())
        return min(1.0, 2 * min(low, high))


def mean_of(pmfs: Iterable[tuple[Pmf, int]]) -> Distribution:
    """Return the distribution of the mean of independent whole numbers.

    The pmf of a sum is the convolution of the pmfs: the product of their Fourier transforms.

    Args:
        pmfs: Each a pmf, and how many of the numbers have it.
    """
    counted = list(pmfs)
    size = 1 + sum((len(pmf) - 1) * count for pmf, count in counted)
    n = sum(count for _, count in counted)
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    for pmf, count in counted:
        product *= np.fft.rfft(pmf, size) ** count
    total = np.clip(np.fft.irfft(product, size), 0.0, None)
    total[total < 1e-15] = 0.0
    return Distribution(np.arange(size) / n, total / total.sum())


def share_of(chances: Sequence[float]) -> Distribution:
    """Return the distribution of the share of successes in independent trials.

    The number of successes is Poisson binomial: a sum of trials, each with its own chance.
    """
    counted = Counter(round(chance, 15) for chance in chances)
    return mean_of((np.array([1 - p, p]), count) for p, count in counted.items())


def weighted_share(weights: Sequence[float], chance: float, *name: str) -> Distribution:
    """Return the distribution of the mean of weights, each of which counts or is 0.

    Exact where every weight is 0 or 1, else simulated: for each weight that occurs the number of
    those that count is binomial.

    Args:
        weights: What each trial earns if it succeeds.
        chance: Of success, the same for all.
        *name: Key of the random draws.
    """
    if all(weight in (0.0, 1.0) for weight in weights):
        return share_of([chance * weight for weight in weights])
    rng = stream("recovery", *name)
    total = np.zeros(DRAWS)
    for weight, count in sorted(Counter(weights).items()):
        total += weight * rng.binomial(count, chance, DRAWS)
    values, counts = np.unique(np.round(total / len(weights), 12), return_counts=True)
    return Distribution(values, counts / DRAWS)


def greatest_of(pmfs: Iterable[tuple[Pmf, int]]) -> Distribution:
    """Return the distribution of the greatest of independent whole numbers.

    The greatest is at most k if all are: its cumulative distribution is their product.
    """
    counted = list(pmfs)
    size = max(len(pmf) for pmf, _ in counted)
    below = np.ones(size)
    for pmf, count in counted:
        padded = np.concatenate([pmf, np.zeros(size - len(pmf))])
        below *= np.minimum(1.0, np.cumsum(padded)) ** count
    return Distribution(np.arange(float(size)), np.diff(below, prepend=0.0))
