"""The causes of one effect in one context, as masks: what verdicts are read from."""

from dataclasses import dataclass

from simworld.causal.scm import SCM
from simworld.causal.search import Search, Settings, search

SHOWN_WITNESS_SIZE = 2
"""For no cause, the settings with up to this many variables held are listed."""

Setting = tuple[int, int]


@dataclass(frozen=True, slots=True)
class EffectCauses:
    """All minimal causes of one effect.

    Attributes:
        actual: The search under the modified Halpern-Pearl definition.
        undoings: The search for sets of standing variables whose joint undoing, nothing held,
            undoes the effect; None where no variable is left that might be a backup.
        upstream: Mask of the effect's ancestors.
        standing: Mask of the ancestors of value 1.
    """

    actual: Search
    undoings: Search | None
    upstream: int
    standing: int

    def smallest(self, bit: int) -> Setting | None:
        """Return the smallest cause (undone, held) that the variable belongs to."""
        sets = [setting for setting in self.actual.found.items() if setting[0] & bit]
        return min(
            sets,
            key=lambda setting: (_size(setting), setting[0].bit_count(), setting),
            default=None,
        )

    def is_settled(self, bit: int, found: Setting | None) -> bool:
        """Whether no setting that was left out could still change what was found.

        That a variable belongs to no cause counts as settled once each setting that undoes it
        alone was tried; sets with another variable that cannot be undone are passed over.
        """
        if found is None:
            alone = all(undone != bit for undone, _ in self.actual.unreachable)
            return alone and (self.actual.complete or not bit & self.upstream)
        cause_set, size = found[0], _size(found)
        if not self.actual.complete and size > cause_set.bit_count() > 1:
            return False
        return not any(
            (undone != cause_set and undone & cause_set == undone)
            or (undone & bit and _size((undone, held)) < size)
            for undone, held in self.actual.unreachable
        )

    def backup_set(self, bit: int) -> int | None:
        """Return a smallest set that the variable belongs to and that matters jointly."""
        sets = [undone for undone in self.undoings.found if undone & bit] if self.undoings else []
        return min(sets, key=lambda undone: (undone.bit_count(), undone), default=None)

    def is_backup_settled(self, bit: int) -> bool:
        """Whether the variable is surely no backup if `backup_set` gives none."""
        if self.undoings is None or not bit & self.standing:
            return True
        return self.undoings.complete and not self.undoings.unreachable

    def shown_by(self, bit: int, found: Setting | None, is_backup: bool) -> tuple[Setting, ...]:
        """Return the settings that show what the variable is, its own undoing first."""
        alone = (bit, 0)
        if found is not None:
            return (alone,) if found == alone else (alone, found)
        shown = [
            (undone, held)
            for undone, held in self.actual.tried
            if undone == bit and held.bit_count() <= SHOWN_WITNESS_SIZE
        ]
        backup = self.backup_set(bit) if is_backup else None
        if backup is not None:
            shown += [(backup & ~bit, 0), (backup, 0)]
        return tuple(shown)


def find_causes(scm: SCM, settings: Settings, effect: str) -> EffectCauses:
    """Search for the causes of one effect, and for backups if some variable may be one."""
    upstream = settings.mask(scm.ancestors(effect))
    every = settings.mask(settings.names)
    actual = search(settings, effect, every, undoable=upstream, holdable=upstream)
    standing = upstream & settings.mask(name for name in settings.names if settings.factual[name])
    in_a_cause = 0
    for cause_set in actual.found:
        in_a_cause |= cause_set
    undoings = None
    if standing & ~in_a_cause:
        undoings = search(settings, effect, standing, undoable=standing, holdable=0)
    return EffectCauses(actual, undoings, upstream, standing)


def _size(setting: Setting) -> int:
    return setting[0].bit_count() + setting[1].bit_count()
