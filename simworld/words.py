"""The words of a scene script: how its variables, stagings and opening are said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

MATERIALS = ("brick", "steel")
"""Colours of things that are no words for a colour: nobody says that something is steel in
colour."""


@dataclass(frozen=True, slots=True)
class Staged:
    """An intervention that a viewer can believe: settings that bring about variable := value.

    `words` say what differs from the factual world, as a sentence; `supposed` what follows "If ..."
    in a question, such as "the red ball had not been rolled". Without it none is asked.
    """

    name: str
    variable: str
    value: int
    levels: Mapping[str, str]
    words: str
    supposed: str = ""


@dataclass(frozen=True, slots=True)
class Phrase:
    """How people say a variable or a contact; each a clause without capital or full stop.

    `present` "the red ball bumps the mug"; `past` "the red ball bumped the mug"; `denied` "the
    red ball never touched the mug"; `made` what follows "What directly made ...", as in
    "the mug slide". `participants` are the objects that take part, the acting one first.
    `also` are other ways of saying `past`.
    """

    present: str
    past: str
    denied: str = ""
    made: str = ""
    participants: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """Another phrase for a variable where conditions or events have certain values."""

    variable: str
    when: Mapping[str, int]
    phrase: Phrase


@dataclass(frozen=True, slots=True)
class Opening:
    """What is seen before the first key event.

    Attributes:
        about: The object that it is about.
        right: Claims, of which one is true, each with a clause that tells what is seen.
    """

    about: str
    right: Mapping[str, str]


def hits(things: Mapping[str, str], *pairs: tuple[str, str]) -> dict[str, Phrase]:
    """Return words for contacts of two things, the acting one first.

    >>> hits({"ball": "the red ball", "mug": "the mug"}, ("ball", "mug"))["hit(ball, mug)"].past
    'the red ball hit the mug'
    """
    return {
        f"hit({a}, {b})": Phrase(
            f"{things[a]} hits {things[b]}",
            f"{things[a]} hit {things[b]}",
            participants=(a, b),
        )
        for a, b in pairs
    }


VariationKind = Literal["swap_cause", "retime", "parameter"]


@dataclass(frozen=True, slots=True)
class Variation:
    """A twin that removes nothing: some settings at other levels.

    A `swap_cause` brings about the events of `keeps` by other causes; a `retime` changes when
    things happen and keeps which events happen; a `parameter` changes a property of an object,
    such as its mass, which is `hidden` if nothing shows it before it makes a difference.
    `words` say what differs from the factual world, as a sentence.
    """

    name: str
    kind: VariationKind
    levels: Mapping[str, str]
    words: str
    keeps: tuple[str, ...] = ()
    hidden: bool = False
