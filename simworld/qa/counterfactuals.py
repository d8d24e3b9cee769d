"""What would have happened under an intervention: the true statement and the false ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from simworld.claims import Term
from simworld.qa.candidates import Candidates, Case
from simworld.scene import Staged


@dataclass(frozen=True, slots=True)
class Supposition:
    """A staged intervention, the outcome that is asked about, and how the world then is.

    `values` gives every condition and event under the intervention; `outcome` is an event that
    did happen.
    """

    case: Case
    staged: Staged
    outcome: str
    values: Mapping[str, int]

    def right(self) -> Term:
        """Return what would have become of the outcome.

        If it does not happen, the last event on the way to it that does is told first.
        """
        if self.values[self.outcome]:
            return self._would(_occurs(self.outcome))
        return self._would(self._after_last(_not(_occurs(self.outcome))))

    def wrong(self) -> Candidates:
        """Return wrong answers; whoever takes one checks that it is false.

        They deny what is right; break off at another link; change what does not depend on the
        variable; or tell the video as it is, as if nothing were supposed.
        """
        scm, variable = self.case.scene.scm, self.staged.variable
        way = self._way()
        links = [(p, name) for name in way for p in way if p in scm.parents(name) and p != variable]
        beside = [
            name
            for name in self.case.happened()
            if name != variable and name not in scm.descendants(variable)
        ]
        lost = [name for name in way if name in self.case.happened() and not self.values[name]]
        return {
            "negation_polarity": self._tiers(
                [self._after_last(_occurs(self.outcome))],
                [_occurs(self.outcome), _not(_occurs(self.outcome))],
            ),
            "incomplete_reasoning": self._tiers(
                [_and(_occurs(first), _not(_occurs(then))) for first, then in links]
            ),
            "causal_misattribution": self._tiers(
                [_not(_occurs(name)) for name in beside if name not in way],
                [_not(_occurs(name)) for name in beside if name in way],
            ),
            "surface_level": self._tiers(
                [_occurs(name) for name in lost if name not in (variable, self.outcome)],
                [self._as_it_is()],
            ),
        }

    def _would(self, claim: Term) -> Term:
        setting = Term("=", (Term(self.staged.variable), Term(str(self.staged.value))))
        return Term("would", (setting, claim))

    def _tiers(self, *tiers: list[Term]) -> tuple[tuple[Term, ...], ...]:
        return tuple(tuple(map(self._would, tier)) for tier in tiers)

    def _way(self) -> list[str]:
        """Return the events that lead to the outcome, and it, in causal order."""
        scm = self.case.scene.scm
        return [n for n in scm.events if n in scm.ancestors(self.outcome) or n == self.outcome]

    def _after_last(self, claim: Term) -> Term:
        """Put the last event that happens on the way to the outcome before a claim."""
        variable, way = self.staged.variable, self._way()[:-1]
        happen = [name for name in way if self.values[name] and name != variable]
        return _and(_occurs(happen[-1]), claim) if happen else claim

    def _as_it_is(self) -> Term:
        name = self.staged.variable
        head = "occurs" if name in self.case.scene.scm.events else "holds"
        claim = Term(head, (Term(name),))
        return claim if self.case.facts.values[name] else _not(claim)


def _occurs(event: str) -> Term:
    return Term("occurs", (Term(event),))


def _not(claim: Term) -> Term:
    return Term("not", (claim,))


def _and(first: Term, second: Term) -> Term:
    return Term("and", (first, second))
