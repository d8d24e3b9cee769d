"""What each variable was to each event in one context, by exact search.

A cause here is a condition or an event, an effect an event; that an event did not happen counts as
an effect too. `actual` is the modified Halpern-Pearl definition, see `search`.

The roles, of which a verdict has the first that holds:

- `enabling_condition`: an actual cause of an event that happened, and a standing condition.
- `omission`: an actual cause whose value is 0. What did not happen changed what did.
- `preventer`: an actual cause of an event's not happening.
- `trigger`: an actual cause that is an event.
- `overdeterminer`: part of a minimal set of several variables that is an actual cause.
- `preempted_backup`: it happened, is part of no cause, and would have mattered had others not come
  first: it belongs to a minimal set of variables of value 1 whose joint undoing, nothing held,
  undoes the effect. The rest of the set (it always holds a cause) can be undone and the effect
  still comes, now because of the backup. The set is searched for, rather than all actual causes
  undone at once, because those include standing conditions and later links that the backup itself
  needs: without the brittle bottle no second throw would break it either. With three throwers in a
  row the second and the third are both backups.
- `common_cause_sibling`: it happened, and an event that happened is an actual cause of both. An
  effect of the effect is no sibling of it.
- `temporal_predecessor`: it set in before the effect.
- `unrelated`: none of these.
- `unknown`: the search was cut short, by its limit or by settings that cannot be brought about.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from simworld.causal.effects import find_causes
from simworld.causal.intervention import Intervention
from simworld.causal.scm import SCM
from simworld.causal.search import Evaluate, Settings
from simworld.causal.variables import Value

Role = Literal[
    "enabling_condition",
    "omission",
    "preventer",
    "trigger",
    "overdeterminer",
    "preempted_backup",
    "common_cause_sibling",
    "temporal_predecessor",
    "unrelated",
    "unknown",
]
Directness = Literal["direct", "indirect", "none"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `cause` was to `effect` in one context.

    Attributes:
        cause: A condition or an event.
        effect: Another variable, an event.
        cause_value: Its actual value, 0 or 1.
        effect_value: Its actual value, 0 or 1.
        but_for: Undoing the cause alone undoes the effect.
        actual: The cause alone is an actual cause.
        part_of_cause: The cause is one of several variables that together are an actual cause,
            none of them being one alone.
        cause_set: The minimal actual cause that it belongs to, in topological order; of several
            the one with the fewest variables, held ones included. None if there is none.
        witness: The smallest set held at actual values with which undoing `cause_set` undoes the
            effect, `{}` if none need be held; None where `cause_set` is.
        responsibility: 1 / (size of `cause_set` + size of `witness`), Halpern 2016; 0 where
            part of no cause.
        directness: `direct` for a cause with an edge to the effect, `indirect` for a cause
            without one, `none` for no cause.
        role: See the module.
        settings: The interventions that show it. First the undoing of the cause alone. Then for a
            cause the joint setting of `cause_set` and `witness`, if that is another; for no
            cause the settings tried with up to two variables held; for a preempted backup also
            the undoing of the others and the undoing of all.
        proven: False if a setting that it needs cannot be brought about or the search was cut
            short; what is not proven must not be claimed.
    """

    cause: str
    effect: str
    cause_value: int
    effect_value: int
    but_for: bool
    actual: bool
    part_of_cause: bool
    cause_set: tuple[str, ...] | None
    witness: dict[str, Value] | None
    responsibility: Fraction
    directness: Directness
    role: Role
    settings: tuple[Intervention, ...]
    proven: bool


def verdicts(
    scm: SCM, evaluate: Evaluate, onsets: Mapping[str, int] | None = None
) -> tuple[Verdict, ...]:
    """Return the verdict for each condition or event as a cause of each other event.

    Args:
        scm: Gives the variables and the graph; its mechanisms are not looked at.
        evaluate: The values under an intervention, in the context at hand: the model's own
            `functools.partial(scm.evaluate, context)`, or a simulation. It is called once per
            setting and may raise `Unreachable`.
        onsets: When each event set in, in any unit; without them there is no
            `temporal_predecessor`.

    Example:
        >>> from functools import partial
        >>> from simworld.causal import SCM, event, exogenous, verdicts
        >>> scm = SCM.build([
        ...     exogenous("match"), event("spark", "match"), event("fire", "spark")])
        >>> [spark_fire, fire_spark] = verdicts(scm, partial(scm.evaluate, {"match": 1}))
        >>> spark_fire.role, str(spark_fire.settings[0])
        ('trigger', 'do(spark := 0)')
    """
    judge = _Judge(scm, Settings(scm.endogenous, evaluate), onsets or {})
    return tuple(
        judge.verdict(cause, effect)
        for cause in scm.endogenous
        for effect in scm.events
        if cause != effect
    )


def settings_used(found: Iterable[Verdict]) -> tuple[Intervention, ...]:
    """Return every intervention that the verdicts rest on, the empty one first, each once."""
    used = {intervention for verdict in found for intervention in verdict.settings}
    by_size = sorted(used, key=lambda intervention: (len(intervention), str(intervention)))
    return (Intervention(), *by_size)


class _Judge:
    """Holds the searches of all effects, since a sibling's verdict rests on those of others."""

    def __init__(self, scm: SCM, settings: Settings, onsets: Mapping[str, int]) -> None:
        self._scm = scm
        self._settings = settings
        self._onsets = onsets
        self._causes = {effect: find_causes(scm, settings, effect) for effect in scm.events}

    def verdict(self, cause: str, effect: str) -> Verdict:
        """Return the verdict for one pair."""
        settings, causes = self._settings, self._causes[effect]
        bit = settings.mask([cause])
        found = causes.smallest(bit)
        settled = causes.is_settled(bit, found)
        size = 0 if found is None else found[0].bit_count() + found[1].bit_count()
        edge = cause in self._scm.parents(effect)
        role = self._role(cause, effect)
        return Verdict(
            cause=cause,
            effect=effect,
            cause_value=settings.factual[cause],
            effect_value=settings.factual[effect],
            but_for=found == (bit, 0),
            actual=found is not None and found[0] == bit,
            part_of_cause=found is not None and found[0] != bit,
            cause_set=None if found is None else settings.members(found[0]),
            witness=None if found is None else dict(settings.intervention(0, found[1])),
            responsibility=Fraction(1, size) if size else Fraction(0),
            directness="none" if found is None else "direct" if edge else "indirect",
            role=role,
            settings=tuple(
                settings.intervention(*setting)
                for setting in causes.shown_by(bit, found, role == "preempted_backup")
            ),
            proven=settled and role != "unknown",
        )

    def _role(self, cause: str, effect: str) -> Role:
        """Return the first role that holds."""
        settings, causes = self._settings, self._causes[effect]
        bit = settings.mask([cause])
        found = causes.smallest(bit)
        if found is not None and found[0] == bit:
            return self._role_of_actual(cause, effect)
        if not causes.is_settled(bit, found):
            return "unknown"
        if found is not None:
            return "overdeterminer"
        if causes.backup_set(bit) is not None:
            return "preempted_backup"
        if not causes.is_backup_settled(bit):
            return "unknown"
        if self._is_sibling(cause, effect):
            return "common_cause_sibling"
        if {cause, effect} <= self._onsets.keys() and self._onsets[cause] < self._onsets[effect]:
            return "temporal_predecessor"
        return "unrelated"

    def _role_of_actual(self, cause: str, effect: str) -> Role:
        factual = self._settings.factual
        if factual[effect] and self._scm.kind(cause) == "condition":
            return "enabling_condition"
        if not factual[cause]:
            return "omission"
        return "trigger" if factual[effect] else "preventer"

    def _is_sibling(self, one: str, other: str) -> bool:
        """Whether some event is an actual cause of both, and `other` is no cause of `one`."""
        settings = self._settings
        if self._scm.kind(one) != "event" or not settings.factual[one]:
            return False
        bits = {name: settings.mask([name]) for name in self._scm.events if settings.factual[name]}
        causes_of_one = self._causes[one]
        if causes_of_one.smallest(settings.mask([other])) is not None:
            return False
        return any(
            bit in causes_of_one.actual.found and bit in self._causes[other].actual.found
            for name, bit in bits.items()
            if name not in (one, other)
        )
