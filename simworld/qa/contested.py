"""Causes of an absence that the model holds for some of several, though no rollout shows it.

A mug of steel that never fell stayed whole for two reasons. Where nothing can make it fall, no
rollout shows the second; a careful viewer may hold it for right, so it is no wrong answer.
"""

from __future__ import annotations

from functools import cached_property, partial

from simworld.causal import verdicts
from simworld.claims import Term
from simworld.qa.accounts import MANY
from simworld.qa.claims import Facts
from simworld.scene import Context, Scene


class Contested:
    """What is contested of one clip; in scenes of many events, nothing."""

    def __init__(self, scene: Scene, context: Context, facts: Facts) -> None:
        self._scene = scene
        self._context = context
        self._facts = facts

    def __contains__(self, claim: Term) -> bool:
        """Tell whether a claim gives such a cause for an absence."""
        match claim:
            case Term("and", (_, Term("cause", (cause, Term("not", (Term(effect, ()),)))))):
                name, value = (cause.args[0].head, 0) if cause.head == "not" else (cause.head, 1)
                is_so = self._facts.values[name] == value
                return is_so and (name, effect) in self._causes_of_absence
        return False

    @cached_property
    def _causes_of_absence(self) -> frozenset[tuple[str, str]]:
        scm = self._scene.scm
        if len(scm.events) > MANY:
            return frozenset()
        found = verdicts(scm, partial(scm.evaluate, self._context.levels))
        some = (one for one in found if one.actual or one.part_of_cause)
        return frozenset((one.cause, one.effect) for one in some if not one.effect_value)
