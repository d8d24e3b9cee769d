"""Read a plain sentence about things: who, what they did, to whom, and whether that is denied."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from simworld.models.pixels import COLORS

Verb = Literal["touch", "fall", "move", "break", "stand"]
Link = Literal["and", "after", "because"]

_COLOR = "|".join(COLORS)
_ADJECTIVE_COLOR = "|".join(color for color in COLORS if color != "brick")  # a thing, alone
_ADJECTIVE = r"(?:hard|soft|thick|thin|heavy|light|big|small|long|short|first|second|other)\s+"
_NOUN = re.compile(
    rf"\b(?:the|a|an|its)\s+(?:{_ADJECTIVE})*(?:({_ADJECTIVE_COLOR})\s+)?(\w+)", re.I
)
_SOME = re.compile(rf"\bsomething ({_COLOR}) in colour\b", re.I)
_TOLD = re.compile(rf"\bthe (\w+) was ({_COLOR}) in colour\b", re.I)
_VERBS: tuple[tuple[Verb, str], ...] = (
    ("break", r"broke|breaks?|pieces|shatter\w*|burst\w*|smash\w*|stay(?:ed|s) whole"),
    (
        "touch",
        r"hits?|hitting|ran into|runs into|roll(?:ed|s) into|slid into(?! the way)|slides into"
        r"|str(?:uck|ikes?)|push\w*|bump\w*|touch\w*|crash\w*|land\w*|c[ao]mes? down on"
        r"|knock\w*|caught|reach\w*|tapp\w*|cross\w*|miss(?:ed|es)|(?:rolled|ran) over",
    ),
    (
        "fall",
        r"fell(?! shut)|falls?(?! shut)|toppl\w*|keel\w*|dropp?\w*|tipp\w*|went (?:down|over)"
        r"|goes down|c[ao]mes? down|lost its support|sank|sinks"
        r"|stay(?:ed|s) (?:up|on|level|upright)",
    ),
    (
        "move",
        r"let go|slid|slides?|glid\w*|roll\w*|r[au]ns?|open\w*|shut\w*|clos\w+|start\w*"
        r"|mov(?:ed|es?)|began|begins|sw[iu]ngs?|swung|turn\w*|tilt\w*|fell shut"
        r"|drawn|shot|stay\w*",
    ),
)
_STANDS = re.compile(
    r"^\s*(?:nothing|no|one)\b|\bwas(?! (?:struck|hit|pushed|let|sent|drawn|smashed|knocked))"
    r"|\b(?:were|stood|stands|lay|lies|rest(?:ed|s)|sat|leant|led|kept|held|had|ran along)\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:never|not|miss(?:ed|es)|stay\w*|stopped)\b", re.I)
_NAMED_FIRST = re.compile(r"\s*(?:the|a|an|its|something|nothing|no|one)\b", re.I)
_SPLIT = re.compile(r"(,|\bbut\b|\band\b|\bthen\b|\bafter\b|\bbecause\b)", re.I)
_MADE = re.compile(r"\bmade of (glass|steel)\b", re.I)
_LINKS: dict[str, Link] = {"after": "after", "because": "because"}


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
    """One statement of a sentence.

    Attributes:
        verb: What is said to happen, or `stand`: how things are.
        nouns: The things, in the order named.
        denied: Whether it is said not to happen.
        material: What the first thing is said to be made of, if anything is.
        link: How it goes with the statements before it.
    """

    verb: Verb
    nouns: tuple[Noun, ...]
    denied: bool
    link: Link = "and"
    material: str | None = None


def read_clauses(text: str, topic: Noun | None = None) -> list[Clause]:
    """Read the statements of a sentence; a part without a subject has that of the part before.

    Args:
        text: The sentence.
        topic: What "it" and "they" mean at first.

    Example:
        >>> [(c.verb, c.denied) for c in read_clauses("The mug hit it, but stayed whole.")]
        [('touch', False), ('break', True)]
    """
    clauses: list[Clause] = []
    subject, link = topic, ""
    for part in _SPLIT.split(text):
        if _SPLIT.fullmatch(part):
            link = part.casefold()
            continue
        nouns = read_nouns(part)
        if subject is not None and not (nouns and _NAMED_FIRST.match(part)):
            nouns = [subject, *nouns]
        verb = _verb(part)
        if verb is not None:
            denied = verb != "stand" and _DENIED.search(part) is not None
            made = _MADE.search(part)
            material = made[1].lower() if made else None
            clauses.append(Clause(verb, tuple(nouns), denied, _LINKS.get(link, "and"), material))
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
    if _STANDS.search(part):
        return "stand"
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
