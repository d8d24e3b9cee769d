"""Estimates with intervals for data that come in clusters."""

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
