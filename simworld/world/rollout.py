"""What came out of one simulation: states, contacts, breaks, onsets, a digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Contacts = tuple[tuple[str, str, float], ...]
"""One step's contacts: (body, body, normal impulse in N s), names in order, force > 0 only."""


@dataclass(frozen=True, slots=True)
class Break:
    """A body broke into `shards` after step `step` (its pose there is the last one)."""

    body: str
    step: int
    shards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Start:
    """A mover started at `step`; what befell the `causes` brought that about, if any are named."""

    body: str
    step: int
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The part of a rollout that truth is made of; small enough to keep by the thousand.

    `values` holds every detector's value, conditions included, `onsets` the step of each
    event that occurred, `fired` how often each handle acted, `settled_step` the step at
    which every variable had its value, `digest` a sha256 of all states up to that step.
    `void` tells that a handle was armed and its variable reads otherwise.
    """

    values: Mapping[str, int]
    onsets: Mapping[str, int]
    fired: Mapping[str, int]
    settled_step: int
    digest: str
    void: bool


@dataclass(frozen=True, slots=True)
class Rollout:
    """One simulation in full.

    `states` is (S, N, 13) float64 [position m, quaternion xyzw, velocity m/s, spin rad/s],
    row k after k steps and row 0 before the first, in the order of `bodies` (shards last,
    named `mug#0`); NaN while a body does not exist. `contacts[k]` are those of row k.
    """

    bodies: tuple[str, ...]
    states: NDArray[np.float64]
    contacts: tuple[Contacts, ...]
    breaks: tuple[Break, ...]
    outcome: Outcome
    starts: tuple[Start, ...] = ()

    def index(self, body: str) -> int:
        """Return the column of a body in `states`."""
        return self.bodies.index(body)

    @property
    def steps(self) -> int:
        """Number of steps simulated."""
        return len(self.states) - 1
