"""Runs that begin alike are simulated once and forked where they come apart.

Until an armed handle acts, its world is that of every other arming of the same specification.
So one process steps the world for all of them; when a handle's moment comes, those in which it
is armed go on in a fork, which has every bit of the past. A fork of a small process takes about
a millisecond.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from simworld.errors import PlausibilityError, SimworldError
from simworld.world.handles import Handle
from simworld.world.rollout import Rollout

Result = Rollout | PlausibilityError


@dataclass(slots=True)
class Party:
    """The armings that share one running world, by index.

    `handles` are those that some of them arm; `results` those of the parts that have gone their
    own way and come to their end.
    """

    handles: tuple[Handle, ...]
    armings: dict[int, Mapping[str, int]]
    results: dict[int, Result] = field(default_factory=dict)
    _pipe: int | None = None

    def __post_init__(self) -> None:
        """Keep the handles that matter."""
        self._be(self.armings)

    @property
    def is_fork(self) -> bool:
        """Tell whether this process was forked off, and must never return to its caller."""
        return self._pipe is not None

    def _be(self, armings: dict[int, Mapping[str, int]]) -> None:
        self.armings = armings
        armed = {(name, value) for arming in armings.values() for name, value in arming.items()}
        self.handles = tuple(h for h in self.handles if (h.variable, h.value) in armed)

    def acting(self, due: Sequence[Handle]) -> tuple[Handle, ...]:
        """Return which of these handles, whose moment has come, are armed in this process.

        Armings that differ in them are parted: this process goes on with one part, and returns
        to go on once the forks with the others are done.
        """
        if not due:
            return ()
        parts: dict[tuple[Handle, ...], dict[int, Mapping[str, int]]] = {}
        for index, armed in self.armings.items():
            acting = tuple(h for h in due if armed.get(h.variable) == h.value)
            parts.setdefault(acting, {})[index] = armed
        here, *others = parts
        for part in others:
            if self._fork(parts[part]):
                return part
        if others:
            self._be(parts[here])
        return here

    def _fork(self, armings: dict[int, Mapping[str, int]]) -> bool:
        """Fork a process for some armings and wait for it; tell whether this is that process."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            self.results, self._pipe = {}, writing
            self._be(armings)
            return True
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            sent = pipe.read()
        os.waitpid(child, 0)
        if not sent:
            raise SimworldError(
                "a forked simulation ended without a word; perhaps there is too little memory"
            )
        results = pickle.loads(sent)
        if isinstance(results, BaseException):
            raise results
        self.results.update(results)
        return False

    def leave(self, results: object) -> NoReturn:
        """End a forked process, handing its results, or what went wrong, to the one it is from."""
        try:
            assert self._pipe is not None
            with os.fdopen(self._pipe, "wb") as pipe:
                pipe.write(pickle.dumps(results))
        finally:
            os._exit(0)
