"""Exact search for actual causes under the modified Halpern-Pearl definition.

Halpern, "A modification of the Halpern-Pearl definition of causality" (IJCAI 2015) and *Actual
Causality* (2016): a set X of variables is an actual cause of Y's value if, for some set W held at
its actual values, undoing X undoes Y, and no proper subset of X has this property.

A joint setting is a pair of bit masks over the variables in topological order: those that are
undone (set to the other value) and those that are held (set to the actual value). A setting is
redundant if one of its variables would have that value anyway. It is then the same as a smaller
setting, so only the others are searched. Adding variables in topological order, an undone one only
if it still has its actual value and a held one only if it has lost it, reaches each of them exactly
once: what comes later cannot change what came before. There are at most 2^n for n variables.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from simworld.causal.intervention import Intervention
from simworld.causal.variables import Value
from simworld.errors import InputError, SimworldError

Evaluate = Callable[[Mapping[str, Value]], Mapping[str, Value]]

SETTINGS_LIMIT = 2**16
"""Settings tried per effect: all of 14 events and three conditions, the effect being one."""


class Unreachable(SimworldError):
    """A setting that cannot be brought about: some variable in it has no handle for its value."""


class Settings:
    """Joint settings of binary variables, each evaluated at most once.

    Args:
        names: The variables, in topological order.
        evaluate: What the variables' values are under an intervention; may raise Unreachable,
            but not for the empty one.
    """

    def __init__(self, names: Iterable[str], evaluate: Evaluate) -> None:
        """Evaluate the empty setting."""
        self.names = tuple(names)
        self._evaluate = evaluate
        factual = evaluate(Intervention())
        for name in self.names:
            if factual.get(name) not in (0, 1):
                raise InputError(
                    f"evaluate must give 0 or 1 for each condition and event, found "
                    f"{factual.get(name)!r} for {name!r}"
                )
        self.factual = {name: int(factual[name]) for name in self.names}
        self._changed: dict[tuple[int, int], int | Unreachable] = {(0, 0): 0}

    def mask(self, names: Iterable[str]) -> int:
        """Return the bit mask of the variables among `names`; other names are passed over."""
        wanted = set(names)
        return sum(1 << index for index, name in enumerate(self.names) if name in wanted)

    def members(self, mask: int) -> tuple[str, ...]:
        """Return the variables of a mask, in topological order."""
        return tuple(name for index, name in enumerate(self.names) if mask >> index & 1)

    def intervention(self, undone: int, held: int = 0) -> Intervention:
        """Return the setting as a do()."""
        other = {name: 1 - self.factual[name] for name in self.members(undone)}
        actual = {name: self.factual[name] for name in self.members(held)}
        return Intervention.of({**other, **actual})

    def changed(self, undone: int, held: int = 0) -> int:
        """Return the mask of variables whose values differ from the actual ones.

        Raises:
            Unreachable: The setting cannot be brought about.
        """
        key = (undone, held)
        if key not in self._changed:
            try:
                values = self._evaluate(self.intervention(undone, held))
                self._changed[key] = self.mask(
                    name for name in self.names if values[name] != self.factual[name]
                )
            except Unreachable as error:
                self._changed[key] = error
        result = self._changed[key]
        if isinstance(result, Unreachable):
            raise result
        return result


@dataclass(frozen=True, slots=True)
class Search:
    """What a search for one effect came to.

    Attributes:
        found: Minimal undone set -> its smallest held set, both as masks.
        tried: The settings (undone, held) that left the effect as it was.
        unreachable: The settings that could not be brought about; nothing beyond them was tried.
        complete: False if SETTINGS_LIMIT ended the search.
    """

    found: Mapping[int, int]
    tried: tuple[tuple[int, int], ...]
    unreachable: tuple[tuple[int, int], ...]
    complete: bool


def search(settings: Settings, effect: str, singles: int, undoable: int, holdable: int) -> Search:
    """Find all minimal sets whose undoing undoes the effect, smallest first.

    Args:
        settings: Evaluates; holds the topological order.
        effect: The variable that must lose its actual value.
        singles: Mask of the variables to undo alone; a superset of `undoable`.
        undoable: Mask of the variables to undo together with others.
        holdable: Mask of the variables that may be held at their actual values.
    """
    effect_bit = settings.mask([effect])
    found: dict[int, int] = {}
    tried: list[tuple[int, int]] = []
    unreachable: list[tuple[int, int]] = []
    # Sorted by the number undone, then held: all smaller sets are settled before a larger one.
    queue = [(1, 0, bit, 0) for bit in _bits(singles & ~effect_bit)]
    while queue:
        n_undone, n_held, undone, held = heapq.heappop(queue)
        if any(known & undone == known for known in found):
            continue
        if len(tried) + len(found) + len(unreachable) >= SETTINGS_LIMIT:
            return Search(found, tuple(tried), tuple(unreachable), complete=False)
        try:
            changed = settings.changed(undone, held)
        except Unreachable:
            unreachable.append((undone, held))
            continue
        if changed & effect_bit:
            found[undone] = held
            continue
        tried.append((undone, held))
        if undone & ~undoable:
            continue
        later = ~((1 << (undone | held).bit_length()) - 1) & ~effect_bit
        for bit in _bits(undoable & later & ~changed):
            heapq.heappush(queue, (n_undone + 1, n_held, undone | bit, held))
        for bit in _bits(holdable & later & changed):
            heapq.heappush(queue, (n_undone, n_held + 1, undone, held | bit))
    return Search(found, tuple(tried), tuple(unreachable), complete=True)


def _bits(mask: int) -> list[int]:
    """Return the single bits of a mask, lowest first."""
    return [1 << index for index in range(mask.bit_length()) if mask >> index & 1]
