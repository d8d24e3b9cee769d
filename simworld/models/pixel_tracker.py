"""Pixel tracker: a real pair of eyes, which gets only the video and the texts.

It follows things by their colour, and holds each sentence against what it saw: who set off when,
who came to touch whom, what went down, what came apart. It knows no scene, no event and no cause;
that things touch and then move is all that it takes for one. It shows that the videos carry the
information, and what perception costs that is not perfect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from simworld.models import MODELS
from simworld.models.base import Answer, Item, Sees, Span
from simworld.models.chance import guess
from simworld.models.pixels import Thing, watch
from simworld.models.sentences import GROUND, Clause, Noun, claimed_colors, read_clauses, read_nouns
from simworld.models.sights import (
    Sight,
    comes_apart,
    comes_down,
    lands,
    sets_off,
    touches,
)

UNSEEN = 0.02
NEARLY = 0.75
UNTOLD = 0.5
"""What is said of how things stand, or of what was before, may be so or not."""
DENIED = 0.6
"""What is not seen to happen may happen elsewhere."""
QUIET = 0.5
"""That nothing happens is less of an answer than what does."""
MADE_OF_IT = {"glass": 0.95, "steel": 0.6}
"""What has the colour of a material may be made of it; shadows look like steel."""
VAGUE = 0.85
"""What a name without a colour costs where many things may be meant."""
DOUBTFUL = 0.6
"""What meeting something costs that has not the look of what is named."""
MOST = 8
"""So many things are tried for a name."""

_LOOKS = "in colour"


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
    """Score each option by the last segment shown; where scenes are shown, by all of them.

    An event begins at the start of its segment, but anywhere in the opening.
    """
    first = spans[-1] if item.shown and len(spans) <= 2 else spans[0]
    claimed = claimed_colors([item.question, *item.options.values()])
    clauses = [c for text in item.options.values() for c in read_clauses(text)]
    sight = Sight(
        things,
        first.start_frame,
        spans[-1].stop_frame,
        claimed,
        anywhere=len(item.shown) not in (1, 2) or first.index == 1,
        steel={c.nouns[0].name for c in clauses if c.material == "steel" and c.nouns},
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
    """Say from 0 to 1 how likely a sentence is to be true, by what was seen in a span of frames.

    Its statements count alike. Each name stands for the same thing in all of them, the one that
    makes the sentence likeliest.

    Args:
        text: The sentence.
        sight: What was seen.
        topic: What the sentence means by "it".
    """
    clauses = read_clauses(text, topic)
    if not clauses or _LOOKS in text.replace("something", ""):
        return UNSEEN
    nouns = dict.fromkeys(noun for clause in clauses for noun in clause.nouns[:2])
    tells = any(clause.verb != "stand" and not clause.denied for clause in clauses)
    return (1.0 if tells else QUIET) * max(
        fits * prod(_likely(clause, things, sight) for clause in clauses)
        for things, fits in _bindings({noun: sight.candidates(noun) for noun in nouns})
    )


def _bindings(
    meant: Mapping[Noun, Sequence[tuple[Thing, float]]],
) -> Iterator[tuple[dict[Noun, Thing], float]]:
    """Yield the ways in which names may stand for things, each for one of its own, and how likely.

    Last comes that they stand for none.
    """
    known = {noun: things[:MOST] for noun, things in meant.items() if things}
    vague = prod(VAGUE for noun, things in known.items() if noun.color is None and len(things) > 2)
    for ways in product(*known.values()):
        if len({id(thing) for thing, _ in ways}) == len(ways):
            things = {noun: thing for noun, (thing, _) in zip(known, ways, strict=True)}
            yield things, vague * prod(likely for _, likely in ways)
    yield {}, vague


def _likely(clause: Clause, things: Mapping[Noun, Thing], sight: Sight) -> float:
    """Say how likely one statement of a sentence is, its names standing for certain things.

    What happened before, or made it happen, need not be in what is shown.
    """
    subject = things.get(clause.nouns[0]) if clause.nouns else None
    if clause.material is not None and subject is not None:
        fits = (subject.color == "steel") == (clause.material == "steel")
        return MADE_OF_IT[clause.material] if fits else UNSEEN
    if clause.verb == "stand" or clause.link == "after":
        return UNTOLD
    seen = 0.0 if subject is None else _fit(clause, subject, things, sight)
    if clause.denied:
        seen = DENIED * (1 - seen)
    return UNTOLD * (1 + seen) / 2 if clause.link == "because" else max(UNSEEN, seen)


def _fit(clause: Clause, subject: Thing, things: Mapping[Noun, Thing], sight: Sight) -> float:
    """Say how well what a clause tells, or denies, fits its subject, where it fits best.

    It may have met something that has not the look of what it is said to meet.
    """
    named = clause.nouns[1] if len(clause.nouns) > 1 else None
    fit = _seen(clause, subject, things.get(named) if named else None, sight)
    if clause.verb != "touch" or named is None or sight.knows(named):
        return fit
    others = (thing for thing in sight.things if thing is not subject)
    met = max((_seen(clause, subject, other, sight) for other in others), default=0.0)
    return max(fit, DOUBTFUL * met)


def _seen(clause: Clause, subject: Thing, other: Thing | None, sight: Sight) -> float:
    """Say how well a clause fits things, where it fits best."""
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
        return 0.8 * sets_off(subject, at) * (1 - 0.5 * comes_down(subject, at))
    if other is not None:
        return touches(subject, other, at)
    return max(0.9 * lands(subject, at), 0.6 * comes_apart(subject, sight, at))
