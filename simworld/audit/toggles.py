"""The audit's own toggling: every cause, with what it must not act through held, everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product

from simworld.audit.replays import Replays, Setting, factual
from simworld.causal import SCM, Intervention, Value
from simworld.scene import Context
from simworld.truth import FEW


@dataclass(frozen=True, slots=True)
class Toggle:
    """A cause toggled in a reference context (its digest), with `held` (a do()) held."""

    context: str
    held: str
    changed: bool

    def __str__(self) -> str:
        """Say which toggle it was."""
        return f"toggling it with {self.held} in context {self.context} changes the effect"


@dataclass(slots=True)
class Toggles:
    """What toggling shows in a scene's reference contexts.

    For a condition or event as cause, the effect's parents are held; for a setting, and for
    every cause in a scene of more than `FEW` conditions and events, its own children. Nothing
    is asked of a setting that has a condition for a child: holding the condition is to choose
    the setting.
    """

    scm: SCM
    scene: str
    contexts: tuple[Context, ...]
    replays: Replays
    _tried: dict[tuple[str, str], list[Toggle]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Toggle everything that can be toggled."""
        self.replays.prepare([setting for setting, _ in self._bases()])
        causes = [name for name in self.scm.exogenous if not self._chooses_condition(name)]
        if self._few:
            self.replays.prepare(
                [self._toggled(s, x, v) for s, y in self._bases() for x, v in self._others(s, y)]
            )
            for setting, effect in self._bases():
                self._toggle_others(setting, effect)
        else:
            causes += self.scm.endogenous
        self.replays.prepare([s for name in causes for runs in self._levels(name) for s in runs])
        for name in causes:
            self._toggle_cause(name)

    @property
    def _few(self) -> bool:
        return len(self.scm.endogenous) <= FEW

    def tried(self, cause: str, effect: str) -> list[Toggle]:
        """Return every toggle of a cause that could be brought about."""
        return self._tried.get((cause, effect), [])

    def held_for(self, cause: str, effect: str) -> tuple[str, ...]:
        """Return what is held when a cause is toggled for an effect."""
        if self.scm.kind(cause) == "exogenous" or not self._few:
            return self.scm.children(cause)
        return self.scm.parents(effect)

    def matters(self, parent: str, child: str) -> bool:
        """Tell whether toggling a parent changes its child under some setting of the others."""
        found: dict[tuple[str, tuple[Value, ...]], set[int]] = {}
        at = self.scm.parents(child).index(parent)
        for setting, effect in self._bases():
            values = self.replays.reached(setting) if effect == child else None
            if values is not None:
                held = tuple(setting.do[name] for name in self.scm.parents(child))
                key = setting.context.digest(), (*held[:at], *held[at + 1 :])
                found.setdefault(key, set()).add(values[child])
        return any(len(values) > 1 for values in found.values())

    def _bases(self) -> Iterator[tuple[Setting, str]]:
        """Yield each setting of each effect's parents, and the effect."""
        for context in self.contexts:
            for effect in self.scm.endogenous:
                for held in self._every(self.scm.parents(effect)):
                    yield factual(self.scene, context).doing(held), effect

    def _every(self, names: tuple[str, ...]) -> Iterator[dict[str, Value]]:
        for values in product(*(self.scm[name].domain for name in names)):
            yield dict(zip(names, values, strict=True))

    def _others(self, base: Setting, effect: str) -> Iterator[tuple[str, int]]:
        """Yield each possible cause that is not held, and the value that it does not have."""
        values = self.replays.reached(base)
        if values is not None:
            for name in self.scm.endogenous:
                if name != effect and name not in base.do:
                    yield name, 1 - values[name]

    def _toggled(self, base: Setting, cause: str, value: int) -> Setting:
        return base.doing({**base.do, cause: value})

    def _toggle_others(self, base: Setting, effect: str) -> None:
        before = self.replays.reached(base)
        for cause, value in self._others(base, effect):
            after = self.replays.reached(self._toggled(base, cause, value))
            if before is not None and after is not None:
                self._note(cause, effect, base.context, base.do, before[effect] != after[effect])

    def _chooses_condition(self, name: str) -> bool:
        return any(self.scm.kind(child) == "condition" for child in self.scm.children(name))

    def _levels(self, name: str) -> Iterator[list[Setting]]:
        """Yield, with a variable's children held at each of their values, all of its own."""
        for context in self.contexts:
            bare = factual(self.scene, context)
            for held in self._every(self.scm.children(name)):
                yield [bare.doing({**held, name: level}) for level in self.scm[name].domain]

    def _toggle_cause(self, name: str) -> None:
        children = self.scm.children(name)
        for settings in self._levels(name):
            reached = [v for s in settings if (v := self.replays.reached(s)) is not None]
            held = {child: settings[0].do[child] for child in children}
            for effect in self.scm.endogenous if len(reached) > 1 else ():
                if effect != name and effect not in children:
                    changed = any(a[effect] != b[effect] for a, b in combinations(reached, 2))
                    self._note(name, effect, settings[0].context, held, changed)

    def _note(
        self, cause: str, effect: str, context: Context, held: Mapping[str, Value], changed: bool
    ) -> None:
        toggle = Toggle(context.digest(), str(Intervention.of(held)), changed)
        self._tried.setdefault((cause, effect), []).append(toggle)
