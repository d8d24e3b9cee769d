r"""CausalStep's chain run as a Markov chain: what a model of known competence scores in it.

A descriptive question is right with probability d, a causal one with c, independently. Let the
run stand before segment i of N, with no chain (state D_i) or with a chain alive (state C_i), and
N + 1 be the end. By the protocol

    D_i:  d -> C_{i+1}     1 - d -> D_{i+1}, a break
    C_i:  c -> C_{i+1}     1 - c -> D_i (prose) or D_{i+1} (algorithm1), a break

Write the distribution of what is still to come as a polynomial in x, whose coefficient of x^k is
the probability of k; D_{N+1} = C_{N+1} = 1. Then, with R = D_i or D_{i+1} as above,

    breaks   D_i = d C_{i+1} + (1 - d) x D_{i+1}           C_i = c C_{i+1} + (1 - c) x R
    score    D_i = d x C_{i+1,0} + (1 - d) D_{i+1}         C_{i,k} = c x^g C_{i+1,k+1} + (1 - c) R

where k causal answers of the chain were right so far and the next earns g = k + 1 (prose) or k + 2
(algorithm1). The longest chain is at most L with the probability that these recursions give when
every chain longer than L is struck out: with length l of the chain so far,

    D_i = d [1 <= L] C_{i+1,1} + (1 - d) D_{i+1}    C_{i,l} = c [l + 1 <= L] C_{i+1,l+1} + (1 - c) R

A run without a break has probability d c^(N - 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simworld.benchmarks.causalstep.protocol import Reading
from simworld.recovery.distributions import Pmf


@dataclass(frozen=True, slots=True)
class ChainForms:
    """One video's chain run: the distribution of its breaks, its longest chain, its score."""

    breaks: Pmf
    longest: Pmf
    score: Pmf


def chain_forms(n: int, d: float, c: float, restart: Reading, scoring: Reading) -> ChainForms:
    """Return the distributions for a video of n segments.

    Args:
        n: Number of segments.
        d: Probability that a descriptive answer is right.
        c: Probability that a causal answer is right.
        restart: What is asked after a wrong causal answer.
        scoring: What a right causal answer earns.
    """
    stay = restart == "prose"
    extra = 1 if scoring == "prose" else 2
    return ChainForms(
        _breaks(n, d, c, stay), _longest(n, d, c, stay), _scores(n, d, c, stay, extra)
    )


def _breaks(n: int, d: float, c: float, stay: bool) -> Pmf:
    size = 2 * n + 1
    down = alive = _one(size)
    for _ in range(n):
        here = d * alive + (1 - d) * _times(down, 1)
        alive = c * alive + (1 - c) * _times(here if stay else down, 1)
        down = here
    return np.trim_zeros(down, "b")


def _scores(n: int, d: float, c: float, stay: bool, extra: int) -> Pmf:
    """Go backwards over segments; `alive[k]` is C_{i,k} of the segment after the current one."""
    m = n - 1
    size = 2 + m * (m + 1) // 2 + (extra - 1) * m
    down = _one(size)
    alive = [_one(size)] * (n + 1)
    for i in range(n, 0, -1):
        here = d * _times(alive[0], 1) + (1 - d) * down
        back = here if stay else down
        alive = [c * _times(alive[k + 1], k + extra) + (1 - c) * back for k in range(i)]
        down = here
    return np.trim_zeros(down, "b")


def _longest(n: int, d: float, c: float, stay: bool) -> Pmf:
    """Go backwards with a vector over L = 0 .. n in place of a polynomial."""
    limits = np.arange(n + 1)
    down = np.ones(n + 1)
    alive = [np.ones(n + 1)] * (n + 2)
    for i in range(n, 0, -1):
        here = d * (limits >= 1) * alive[1] + (1 - d) * down
        back = here if stay else down
        grown = [c * (limits >= k + 1) * alive[k + 1] + (1 - c) * back for k in range(i + 1)]
        alive, down = grown, here
    return np.diff(down, prepend=0.0)


def _one(size: int) -> Pmf:
    pmf = np.zeros(size)
    pmf[0] = 1.0
    return pmf


def _times(pmf: Pmf, power: int) -> Pmf:
    """Multiply a polynomial by x to a power; what would not fit is zero in all that is reached."""
    shifted = np.zeros_like(pmf)
    shifted[power:] = pmf[: len(pmf) - power]
    return shifted
