"""Estimates with intervals for data that come in clusters."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.rng import stream

CONFIDENCE = 0.95
BOOTSTRAP_DRAWS = 2000
_BLOCK_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value, its interval and the number of units that it rests on.

    Attributes:
        value: None where nothing was measured.
        ci_low: Lower end of the interval; None where there is none.
        ci_high: Upper end of the interval; None where there is none.
        n: Number of units: videos, questions, answers.
    """

    value: float | None
    ci_low: float | None
    ci_high: float | None
    n: int

    def as_dict(self) -> dict[str, float | int | None]:
        """Return the four fields as a plain dictionary."""
        return asdict(self)


def cluster_mean(
    values: Sequence[float], groups: Sequence[str], *, seed: int, share: bool = False
) -> Estimate:
    """Estimate a mean over units that come in groups, with a 95 % interval.

    The interval is the percentile interval of a bootstrap that draws whole groups (Davison and
    Hinkley 1997, section 3.8). It does not depend on the order of the units. A share of 0 or 1,
    where every resample would be alike, gets the exact interval, with the number of groups as its
    sample size: units of one group are not independent. Otherwise fewer than two groups give no
    interval.

    Args:
        values: One number a unit.
        groups: The group of each unit.
        seed: Seed of the bootstrap.
        share: Whether the values are 0 and 1, so that the mean is a share.

    Example:
        >>> cluster_mean([0.0, 0.0, 0.0], ["a", "b", "c"], seed=0, share=True).as_dict()
        {'value': 0.0, 'ci_low': 0.0, 'ci_high': 0.7075982261787133, 'n': 3}
    """
    if not values:
        return Estimate(None, None, None, 0)
    names, member = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    sums = np.bincount(member, weights=values).astype(np.float64)
    counts = np.bincount(member)
    value = float(sums.sum() / counts.sum())
    if share and value in (0.0, 1.0):
        low, high = clopper_pearson(len(names) if value else 0, len(names))
        return Estimate(value, low, high, len(values))
    if len(names) < 2:
        return Estimate(value, None, None, len(values))
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(_resampled_means(sums, counts, seed), [tail, 1 - tail])
    return Estimate(value, float(low), float(high), len(values))


def _resampled_means(
    sums: NDArray[np.float64], counts: NDArray[np.intp], seed: int
) -> NDArray[np.float64]:
    """Return the mean of each bootstrap resample of groups, (BOOTSTRAP_DRAWS,) [float64]."""
    rng = stream("cluster bootstrap", seed)
    means = []
    rows = max(1, _BLOCK_CELLS // len(sums))
    for start in range(0, BOOTSTRAP_DRAWS, rows):
        size = (min(rows, BOOTSTRAP_DRAWS - start), len(sums))
        drawn = rng.integers(len(sums), size=size)
        means.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    return np.concatenate(means)


def clopper_pearson(successes: int, n: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a share (Clopper and Pearson 1934).

    Args:
        successes: Number of successes, 0 to n.
        n: Number of independent trials, at least 1.
    """
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    return low, high


def wilson(successes: int, n: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share (Wilson 1927).

    Args:
        successes: Number of successes, 0 to n.
        n: Number of independent trials, at least 1.

    Example:
        >>> [round(end, 3) for end in wilson(8, 10)]
        [0.49, 0.943]
    """
    z = -_normal_quantile((1 - CONFIDENCE) / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def _normal_quantile(probability: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(probability))


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Return the two-sided p-value of two models being right equally often (McNemar 1947, exact).

    Under the hypothesis a question that just one of them has right is the first's or the second's
    with probability 1/2 each.

    Args:
        only_first: Number of questions that the first alone has right.
        only_second: Number of questions that the second alone has right.

    Example:
        >>> mcnemar_exact(0, 5)
        0.0625
    """
    from scipy.special import betainc

    fewer, n = min(only_first, only_second), only_first + only_second
    if fewer == n - fewer:
        return 1.0
    return min(1.0, 2 * float(betainc(n - fewer, fewer + 1, 0.5)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number (Holm 1979), in the same order.

    Rejecting those under a level keeps the chance of any false rejection under that level.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    worst = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        worst = max(worst, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = worst
    return adjusted


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's tau-b of two orders, None where either is a single tie.

    Example:
        >>> kendall_tau([1, 2, 3], [1, 2, 3]), kendall_tau([1, 2, 3], [5, 5, 5])
        (1.0, None)
    """
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    from scipy.stats import kendalltau

    return float(kendalltau(first, second).statistic)


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of independent values (Student 1908), two or more.

    Example:
        >>> [round(end, 3) for end in mean_interval([1.0, 2.0, 3.0])]
        [-0.484, 4.484]
    """
    from scipy.special import stdtrit

    n = len(values)
    half = (
        float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * float(np.std(values, ddof=1)) / math.sqrt(n)
    )
    middle = float(np.mean(values))
    return middle - half, middle + half
