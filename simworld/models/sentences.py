"""Read a plain sentence about things: who, what they did, to whom, and whether that is denied."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from simworld.models.pixels import COLORS

Verb = Literal["touch", "fall", "move", "break", "rest"]

_COLOR = "|".join(COLORS)
_ADJECTIVE_COLOR = "|".join(color for color in COLORS if color != "brick")  # a thing, alone
_ADJECTIVE = r"(?:hard|soft|thick|thin|heavy|light|big|small|long|short|first|second|other)\s+"
_NOUN = re.compile(
    rf"\b(?:the|a|an|its)\s+(?:{_ADJECTIVE})*(?:({_ADJECTIVE_COLOR})\s+)?(\w+)", re.I
)
_SOME = re.compile(rf"\bsomething ({_COLOR}) in colour\b", re.I)
_APART = re.compile(r"\b(?:across from|away from|behind|opposite|far from)\b", re.I)
_TOLD = re.compile(rf"\bthe (\w+) was ({_COLOR}) in colour\b", re.I)
_VERBS: tuple[tuple[Verb, str], ...] = (
    ("rest", r"stay\w*|still|kept|was open|held"),
    ("break", r"broke|breaks?|pieces|shatter\w*|burst\w*"),
    (
        "touch",
        r"hits?|hitting|ran into|runs into|roll(?:ed|s) into|slid into(?! the way)|slides into"
        r"|str(?:uck|ikes?)|push\w*|bump\w*|touch\w*|crash\w*|land\w*|c[ao]mes? down on"
        r"|knock\w*|caught|reach\w*",
    ),
    (
        "fall",
        r"fell|falls?|toppl\w*|dropp?\w*|tipp\w*|went down|goes down|c[ao]mes? down"
        r"|lost its support|sank|sinks",
    ),
    (
        "move",
        r"let go|slid|slides?|glid\w*|roll\w*|r[au]ns?|open\w*|shut\w*|clos\w+|start\w*"
        r"|mov(?:ed|es?)|began|begins|sw[iu]ngs?|swung|turn\w*",
    ),
    ("rest", r"stood|stands?|lay|lies|rest\w*|sat|sits|leant"),
)
_DENIED = re.compile(r"\b(?:never|not|miss\w*|whole|missing)\b", re.I)
_NAMED_FIRST = re.compile(r"\s*(?:the|a|an|its|something)\b", re.I)
_RESTS_FIRST = re.compile(r"\s*(?:it|they|the \w+(?: \w+)?)\s+(?:stood|lay|sat|rested)\b", re.I)
_SPLIT = re.compile(r",\s*|\bbut\b|\band\b|\bthen\b|\bbecause\b", re.I)


GROUND = {
    "floor",
    "ground",
    "rug",
    "table",
    "edge",
    "row",
    "gap",
    "wall",
    "path",
    "way",
    "part",
    "video",
    "start",
}
"""Names of what things stand on or meet, and of no thing at all."""


@dataclass(frozen=True, slots=True)
class Noun:
    """What a sentence calls a thing: its colour, if it says one, and its name."""

    color: str | None
    name: str


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement: its verb, the things in the order named, whether it is denied, or apart."""

    verb: Verb
    nouns: tuple[Noun, ...]
    denied: bool
    is_apart: bool = False


def read_clauses(text: str, topic: Noun | None = None) -> list[Clause]:
    """Read the statements of a sentence; a part without a subject has that of the part before.

    Sentences about colours alone say nothing that happens, and have none.

    Args:
        text: The sentence.
        topic: What "it" and "they" mean at first.

    Example:
        >>> [(c.verb, c.denied) for c in read_clauses("The mug hit the floor, but it never broke.")]
        [('touch', False), ('break', True)]
    """
    clauses: list[Clause] = []
    subject = topic
    for part in _SPLIT.split(text):
        nouns = read_nouns(part)
        if subject is not None and not (nouns and _NAMED_FIRST.match(part)):
            nouns = [subject, *nouns]
        denied = _DENIED.search(part) is not None
        verb = _verb(part) or ("rest" if denied else None)
        if verb is not None and "in colour" not in part.replace("something", "", 1):
            is_apart = _APART.search(part) is not None
            clauses.append(Clause(verb, tuple(nouns), denied, is_apart))
        subject = nouns[0] if nouns else subject
    return clauses


def read_nouns(text: str) -> list[Noun]:
    """Read which things a text names, in order.

    Example:
        >>> [str(noun.color) + " " + noun.name for noun in read_nouns("The red ball hit the mug.")]
        ['red ball', 'None mug']
    """
    some = [Noun(color.lower(), "something") for color in _SOME.findall(text)]
    return some + [Noun(color.lower() or None, name.lower()) for color, name in _NOUN.findall(text)]


def _verb(part: str) -> Verb | None:
    if _RESTS_FIRST.match(part):
        return "rest"
    words = (verb for verb, words in _VERBS if re.search(rf"\b(?:{words})\b", part, re.I))
    return next(words, None)


def claimed_colors(texts: Iterable[str]) -> dict[str, set[str]]:
    """Return for each name the colours that go with it in some texts.

    Example:
        >>> claimed_colors(["The red ball hit the mug.", "The green ball fell."])["ball"] == {
        ...     "red", "green"}
        True
    """
    found: dict[str, set[str]] = {}
    for text in texts:
        for noun in read_nouns(text):
            found.setdefault(noun.name, set()).update({noun.color} if noun.color else ())
        for name, color in _TOLD.findall(text):
            found.setdefault(name.lower(), set()).add(color.lower())
    return found
