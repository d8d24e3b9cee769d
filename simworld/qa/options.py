"""Options: claims chosen, worded and proven, so that exactly one of a question is right."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from simworld.benchmarks.causalstep.schema import DistractorKind
from simworld.claims import Term, parse
from simworld.errors import CheckError
from simworld.qa import wording
from simworld.qa.case import Case
from simworld.qa.claims import Undecided, decide, world_of
from simworld.qa.facts import proof_of, references
from simworld.qa.items import Option
from simworld.truth import ClipTruth

Tiers = tuple[tuple[Term, ...], ...]
"""Claims that may stand as wrong options, the best first; whoever takes one proves it false."""

MAX_CHARACTERS = 64
"""No option is longer, so that none stands out by its length."""


class Unaskable(CheckError):
    """A question cannot be asked of this clip; the message is the reason that is counted."""


class OptionMaker:
    """Makes the options of one clip's questions."""

    def __init__(self, case: Case, truth: ClipTruth) -> None:
        self._case = case
        self._truth = truth

    def right(self, claim: Term, generator: np.random.Generator) -> Option:
        """Word the right answer.

        Raises:
            Unaskable: It cannot be said briefly.
            Undecided: No rollout shows it.
        """
        option = self._option(claim, None, generator)
        if option is None:
            raise Unaskable(f"the right option is longer than {MAX_CHARACTERS} characters")
        return option

    def wrong(
        self,
        kind: DistractorKind,
        tiers: Tiers,
        chosen: Collection[Option],
        gists: set[str],
        generator: np.random.Generator,
    ) -> tuple[Option, str] | None:
        """Choose a wrong option of a kind, if possible about something not yet spoken of.

        Args:
            kind: The kind.
            tiers: Claims of that kind, the best first.
            chosen: The question's options so far; no text and no claim stands twice.
            gists: What they speak of.
            generator: Of the choice.

        Returns:
            The option and what it speaks of; None if none of the claims is proven false.
        """
        texts = {option.text for option in chosen}
        claims = {option.claim for option in chosen}
        for spoken_of in (gists, set[str]()):
            for tier in tiers:
                for index in generator.permutation(len(tier)):
                    claim = tier[int(index)]
                    new = str(claim) not in claims and gist(claim) not in spoken_of
                    if new and self._is_false(claim):
                        option = self._option(claim, kind, generator)
                        if option is not None and option.text not in texts:
                            return option, gist(claim)
        return None

    def check(self, options: Sequence[Option]) -> None:
        """Check that the first option is right, and it alone.

        Raises:
            Unaskable: It is not.
        """
        true = [o.claim for o in options if decide(parse(o.claim), self._case.facts)]
        if true != [options[0].claim]:
            raise Unaskable(f"not exactly one option is right but {true}")

    def _is_false(self, claim: Term) -> bool:
        """Tell whether a claim is false, and a rollout shows it."""
        try:
            proof_of(claim, self._case.scene, self._truth)
            return not decide(claim, self._case.facts)
        except Undecided:
            return False

    def _option(
        self, claim: Term, kind: DistractorKind | None, generator: np.random.Generator
    ) -> Option | None:
        """Word a claim as an option; None if it cannot be said briefly."""
        values = world_of(claim, self._case.facts)
        said = wording.phrasings(claim, self._case.scene, values)
        texts = [text for text in said if len(text) <= MAX_CHARACTERS]
        if not texts:
            return None
        proof = references(claim, self._case.scene, self._truth)
        return Option(pick(texts, generator), str(claim), kind is None, kind, proof)


def gist(claim: Term) -> str:
    """Name what a claim speaks of, so that no two options of a question speak of the same."""
    match claim:
        case Term("and", (_, Term("cause", (cause, _)))):
            return gist(cause)
        case Term("and", (first, _)):
            return gist(first)
        case Term("happens" | "occurs" | "trigger" | "cause", (event, *_)):
            return gist(event)
        case Term("hit" | "touches", (Term(a), Term(b), *_)):
            return f"hit({', '.join(sorted((a, b)))})"
    return str(claim)


def pick(texts: Sequence[str], generator: np.random.Generator) -> str:
    """Draw one of the texts."""
    return texts[int(generator.integers(len(texts)))]
