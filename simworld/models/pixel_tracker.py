"""Pixel tracker: a real pair of eyes, which gets only the video and the texts.

It follows things by their colour, and holds each sentence against what it saw: who set off when,
who came to touch whom, what went down, what came apart. It knows no scene, no event and no cause;
that things touch and then move is all that it takes for one. It shows that the videos carry the
information, and what perception costs that is not perfect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean

from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees, Span
from simworld.models.chance import guess
from simworld.models.pixels import Thing, watch
from simworld.models.sentences import GROUND, Clause, Noun, claimed_colors, read_clauses, read_nouns
from simworld.models.sights import (
    Sight,
    comes_apart,
    comes_down,
    is_near,
    lands,
    misses,
    moves,
    sets_off,
    touches,
)

UNSEEN = 0.02
DENIED = 0.2
STILL = 0.25
NEARLY = 0.75
BEYOND_SIGHT = 0.7
"""What a word costs that says more than can be seen: why, or what was before."""
VAGUE = 0.85
"""What a name without a colour costs where many things may be meant."""

_BEYOND = re.compile(r"\b(?:because|had|already)\b")


@MODELS.register("pixel_tracker")
class PixelTracker:
    """Takes the sentence that fits best what it saw; asked for a scene, the one that fits best."""

    name = "pixel_tracker"
    sees: Sees = "media"

    def answer(self, item: Item) -> Answer:
        """Look at what is shown and choose.

        Raises:
            InputError: The video is missing or is none.
        """
        shown = tuple((span.start_frame, span.stop_frame) for span in item.shown)
        things = watch(item.video, shown, item.backwards)
        last = max((int(thing.frames.max()) for thing in things), default=0)
        spans = item.shown or (Span(0, 0, last + 1),)
        if item.benchmark == "causal2needles" and not item.mode.startswith("2needle_id"):
            scores = _scene_scores(item, things, spans)
        else:
            scores = _option_scores(item, things, spans)
        best = max(scores.values())
        keys = [key for key in sorted(scores) if scores[key] == best]
        return Answer(guess(keys, item, self.name))


def _option_scores(item: Item, things: Sequence[Thing], spans: Sequence[Span]) -> dict[str, float]:
    """Score each option by the last segment shown; where scenes are shown, by all of them."""
    first = spans[-1] if item.shown and len(spans) <= 2 else spans[0]
    claimed = claimed_colors([item.question, *item.options.values()])
    sight = Sight(
        things, first.start_frame, spans[-1].stop_frame, claimed, len(item.shown) not in (1, 2)
    )
    topic = next((noun for noun in read_nouns(item.question) if noun.name not in GROUND), None)
    return {key: score(text, sight, topic) for key, text in item.options.items()}


def _scene_scores(item: Item, things: Sequence[Thing], spans: Sequence[Span]) -> dict[str, float]:
    """Score each scene by how well what the question names begins in it; two parts by turns.

    What begins in a scene is often still to be seen in the next: the first scene counts that fits
    nearly as well as the best.
    """
    claimed = claimed_colors([item.question])
    asked = item.question.partition(":")[2] or item.question
    fits = {
        str(span.index): score(
            asked, Sight(things, span.start_frame, span.stop_frame, claimed, anywhere=True)
        )
        for span in sorted(spans, key=lambda span: span.start_frame)
    }
    first = next(scene for scene, fit in fits.items() if fit >= NEARLY * max(fits.values()))
    fits[first] = max(fits.values()) + UNSEEN
    return {key: min(fits.get(part, 0.0) for part in key.split("+")) for key in item.options}


def score(text: str, sight: Sight, topic: Noun | None = None) -> float:
    """Say from 0 to 1 how well a sentence fits what was seen in a span of frames.

    Args:
        text: The sentence.
        sight: What was seen.
        topic: What the sentence means by "it".
    """
    clauses = read_clauses(text, topic)
    if not clauses:
        return UNSEEN
    fits = [_fit(clause, sight) for clause in clauses]
    value = min(fits) + 0.05 * (len(fits) - 1) * (min(fits) > 0.4)
    return value * BEYOND_SIGHT ** len(_BEYOND.findall(text))


def _fit(clause: Clause, sight: Sight) -> float:
    """Say how well one clause fits; a denial fits poorly at best, for little shows that.

    What happens counts if it happens to any of the things that may be meant. Where something is at
    rest beside another, all of them count alike; of what nobody can tell, nothing is said.
    """
    acts = clause.verb != "rest"
    nouns = [n for k, n in enumerate(clause.nouns[:2]) if acts or not k or sight.knows(n)]
    meant = [sight.candidates(noun, acts and not k) for k, noun in enumerate(nouns)]
    seen = [_seen(clause, things, sight) for things in _pairs(meant)] or [0.0]
    value = max(seen) if acts else fmean(seen)
    for noun, things in zip(nouns, meant, strict=True):
        if acts and noun.color is None and len(things) > 2:
            value *= VAGUE
    return DENIED * (1 - value) if clause.denied else value


def _pairs(meant: Sequence[Sequence[Thing]]) -> list[tuple[Thing | None, Thing | None]]:
    """List which things the subject and the object of a clause may be; None if it names none."""
    subjects: list[Thing | None] = list(meant[0]) if meant else []
    objects: list[Thing | None] = list(meant[1]) if len(meant) > 1 else []
    return [
        (a, b) for a in subjects or [None] for b in objects or [None] if a is not b or a is None
    ]


def _seen(clause: Clause, things: tuple[Thing | None, Thing | None], sight: Sight) -> float:
    """Say how well a clause fits things, where it fits best."""
    subject, other = things
    if subject is None:
        return UNSEEN
    fits = (
        likely * _begins(clause, subject, other, sight, at) for at, likely in sight.starts(subject)
    )
    return max(fits, default=0.0)


def _begins(clause: Clause, subject: Thing, other: Thing | None, sight: Sight, at: int) -> float:
    """Say how well a clause fits what begins in one frame."""
    if clause.verb == "break":
        return 0.97 * comes_apart(subject, sight, at)
    if clause.verb == "fall":
        return comes_down(subject, at) * (1 - 0.5 * comes_apart(subject, sight, at))
    if clause.verb == "move":
        return 0.8 * sets_off(subject, at)
    if clause.verb == "touch":
        broken = comes_apart(subject, sight, at)
        met = max(0.9 * lands(subject, at), 0.6 * broken)
        met = met if other is None else touches(subject, other, at)
        return 1 - met if clause.denied and other and misses(subject, other, at) else met
    if moves(subject, at):
        return 0.0
    if other is None:
        return STILL
    return STILL * (1.2 if is_near(subject, other, at) != clause.is_apart else 0.2)
