"""Texts: how a claim may be said, and how a question may be asked.

A text is chosen among all those that its claim may be worded as, so that whoever checks it can
ask whether it belongs to its claim, without parsing English.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from simworld.causal import Value
from simworld.claims import Term
from simworld.errors import InputError
from simworld.scene import Phrase, Scene, Staged

_VIDEO = "{video}"

_DESCRIPTIVE = (
    "Which of these is true of part {part} of video {video}?",
    "In part {part} of video {video}, which of these is true?",
    "What can be said of part {part} of video {video}?",
    "Which statement on part {part} of video {video} is right?",
    "In video {video}, which of these is true of part {part}?",
)
_CAUSAL = (
    "What came of what in part {part} of video {video}?",
    "In part {part} of video {video}, what came of what?",
    "Which of these explains part {part} of video {video}?",
    "Which account of cause and effect is right of part {part} of video {video}?",
    "In video {video}, which of these explains what happened in part {part}?",
)
_ACCOUNT = (
    "Which of these accounts fits what happens in video {video}?",
    "Which of these tells rightly what happened in video {video}, and why?",
    "Which account of what happened in video {video}, and why, is right?",
    "What happened in video {video}, and why?",
)
_SUPPOSED = (
    "If {supposed} in video {video}, which of these would have been true?",
    "In video {video}, which of these would have been true if {supposed}?",
    "Which of these would have been true in video {video} if {supposed}?",
    "If {supposed}, which of these would video {video} have shown?",
)
_NEXT = (
    "Nothing more is set going after video {video} breaks off. How does it end, and why?",
    "If nothing more is set going after video {video} stops, which of these is true in the end?",
    "After video {video} stops, nothing more is set going. Which account of the end is right?",
    "If video {video} went on and nothing more were set going, which of these would it show?",
)
_INFERRED = (
    "In video {video}, what does the way things move show about {thing}?",
    "What do the events of video {video} show about {thing}?",
    "What can be told about {thing} in video {video}, and what shows it?",
    "Which conclusion about {thing} in video {video} is right?",
)
_DECISION = (
    "In video {video}, {past}. Under which of these changes would it not have come to that?",
    "Which of these changes would have prevented what happened in video {video}: {past}?",
    "In video {video}, {past}. Which of these changes would have prevented it?",
    "In video {video}, {past}. It would not have come to that under which of these changes?",
)
_START = (
    "Which scene of video {video} shows the start of this: {present}?",
    "In video {video}, which scene shows the start of this: {present}?",
)
_HELP_START = (
    "Which scene of video {video} shows the start of what something {color} in colour did to help "
    "make {made}?",
    "In video {video}, which scene shows the start of what something {color} in colour did to help "
    "make {made}?",
)
_MADE_START = (
    "Which scene of video {video} shows the start of what directly made {made}?",
    "In video {video}, which scene shows the start of what directly made {made}?",
)
_THAT_START = (
    "Which scene of video {video} shows the start of what something {color} in colour did to help "
    "bring that about?",
    "In video {video}, which scene shows the start of what something {color} in colour did to help "
    "bring that about?",
)
_SEEN_THERE = (
    "In the scene of video {video} that shows the start of what something {color} in colour did "
    "to help bring that about, which of these happened?",
    "Which of these happened in the scene of video {video} that shows the start of what something "
    "{color} in colour did to help bring that about?",
)


def descriptive_questions(part: int) -> tuple[str, ...]:
    """Return every way to ask what happened in a segment; `{video}` stands for the number."""
    return tuple(text.format(video=_VIDEO, part=part) for text in _DESCRIPTIVE)


def causal_questions(part: int) -> tuple[str, ...]:
    """Return every way to ask what came of what in a segment; `{video}` stands for the number."""
    return tuple(text.format(video=_VIDEO, part=part) for text in _CAUSAL)


def account_questions() -> tuple[str, ...]:
    """Return every way to ask what came of what in a whole video."""
    return tuple(text.format(video=_VIDEO) for text in _ACCOUNT)


def supposed_questions(staged: Staged) -> tuple[str, ...]:
    """Return every way to ask what would have happened under a staged intervention."""
    return tuple(text.format(video=_VIDEO, supposed=staged.supposed) for text in _SUPPOSED)


def next_questions() -> tuple[str, ...]:
    """Return every way to ask what comes after a video that is cut short."""
    return tuple(text.format(video=_VIDEO) for text in _NEXT)


def inference_questions(thing: str) -> tuple[str, ...]:
    """Return every way to ask what shows a property of a thing that cannot be seen."""
    return tuple(text.format(video=_VIDEO, thing=thing) for text in _INFERRED)


def decision_questions(outcome: str, scene: Scene, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return every way to ask which change would have prevented an event."""
    past = scene.phrase(outcome, values).past
    return tuple(text.format(video=_VIDEO, past=past) for text in _DECISION)


def change(staged: Staged) -> str:
    """Return a staged intervention as an option.

    >>> from simworld.scene import load_scene
    >>> change(load_scene("falling_cup").staged[0])
    'If the red ball had not been rolled'
    """
    return f"If {staged.supposed}"


def start_questions(event: str, scene: Scene, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return every way to ask in which scene an event begins."""
    present = scene.phrase(event, values).present
    return tuple(text.format(video=_VIDEO, present=present) for text in _START)


def help_start_questions(
    color: str, effect: str, scene: Scene, values: Mapping[str, Value]
) -> tuple[str, ...]:
    """Return every way to ask in which scene what something did to cause an event begins."""
    made = scene.phrase(effect, values).made
    return tuple(text.format(video=_VIDEO, color=color, made=made) for text in _HELP_START)


def made_start_questions(effect: str, scene: Scene, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return every way to ask in which scene an event's direct trigger begins."""
    made = scene.phrase(effect, values).made
    return tuple(text.format(video=_VIDEO, made=made) for text in _MADE_START)


def that_start_questions(color: str) -> tuple[str, ...]:
    """Return every way to ask where a cause begins of what another question asks for."""
    return tuple(text.format(video=_VIDEO, color=color) for text in _THAT_START)


def seen_there_questions(color: str) -> tuple[str, ...]:
    """Return every way to ask what else happened in that scene."""
    return tuple(text.format(video=_VIDEO, color=color) for text in _SEEN_THERE)


def helped_to_make(cause: str, effect: str, scene: Scene, values: Mapping[str, Value]) -> str:
    """Return the sentence that an event was a cause of another."""
    past, made = scene.phrase(cause, values).past, scene.phrase(effect, values).made
    return sentence(f"{past} and so helped to make {made}")


def directly_made(cause: str, effect: str, scene: Scene, values: Mapping[str, Value]) -> str:
    """Return the sentence that an event was the direct trigger of another."""
    past, made = scene.phrase(cause, values).past, scene.phrase(effect, values).made
    return sentence(f"{past} and so directly made {made}")


def phrasings(claim: Term, scene: Scene, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return every sentence that a claim may be worded as, in an option.

    Args:
        claim: The claim.
        scene: Gives the words.
        values: Of the world that the claim speaks of; some words depend on them.

    Raises:
        InputError: The scene has no words for a part of the claim.

    Example:
        >>> from simworld.claims import parse
        >>> from simworld.scene import load_scene
        >>> phrasings(parse("not(happens(shatter, 4))"), load_scene("falling_cup"), {})
        ('The mug stayed whole.',)
    """
    return tuple(dict.fromkeys(map(sentence, _Speaker(scene, values).clauses(claim))))


def sentence(clause: str) -> str:
    """Return a clause with its capital letter and full stop."""
    return f"{clause[0].upper()}{clause[1:]}."


def subjects_of(scene: Scene) -> tuple[str, ...]:
    """Return the noun phrases that a clause may begin with, the longest first."""
    return tuple(sorted(scene.things.values(), key=lambda words: (-len(words), words)))


def follow(first: str, second: str, subjects: tuple[str, ...], link: str) -> str:
    """Join two clauses; the second's subject becomes "it" where the first has the same."""
    for subject in subjects:
        if first.startswith(f"{subject} ") and second.startswith(f"{subject} "):
            return f"{first}{link}it{second.removeprefix(subject)}"
    return f"{first}{link}{second}"


def tell_both(first: str, second: str, subjects: tuple[str, ...]) -> str:
    """Tell two things in one breath; a subject that they share is said once."""
    for subject in subjects:
        if first.startswith(f"{subject} ") and second.startswith(f"{subject} "):
            return f"{first} and{second.removeprefix(subject)}"
    return f"{first}, and {second}"


class _Speaker:
    """Says claims in the words of one scene, in a world of these values."""

    def __init__(self, scene: Scene, values: Mapping[str, Value]) -> None:
        self._scene = scene
        self._values = values
        self._subjects = subjects_of(scene)

    def clauses(self, claim: Term) -> tuple[str, ...]:
        """Return every clause for a claim."""
        match claim:
            case Term("happens" | "occurs" | "holds", (event, *_)):
                return self.past(event)
            case Term("not", (Term("happens" | "occurs" | "holds", (event, *_)),)):
                return (self.denied(event),)
            case Term("would", (_, inner)):
                return self.clauses(inner)
            case Term("shows", (event, condition)):
                said = self._told(condition)[0]
                told = self._told(event)
                return tuple(follow(said, clause, self._subjects, ", since ") for clause in told)
            case Term("untold", (condition,)):
                return (f"nothing showed whether {self._phrase(condition).past}",)
            case Term("not", (Term("cause", (cause, effect)),)):
                return self._as_cause(cause, effect)
            case Term("trigger" | "cause" | "enables", (cause, effect)):
                return self._as_cause(cause, effect)
            case Term("and", (first, Term("untold", _) as second)):
                pairs = product(self.clauses(first), self.clauses(second))
                return tuple(self._joined(clause, other, "") for clause, other in pairs)
            case Term("and", (first, second)):
                links = self._links(first, second)
                return tuple(
                    self._joined(clause, other, links)
                    for clause, other in product(self.clauses(first), self._second(second))
                )
        raise InputError(f"scene {self._scene.name} has no words for the claim {str(claim)!r}")

    def past(self, event: Term) -> tuple[str, ...]:
        """Return every way to say that something happened, or was so."""
        match event:
            case Term("again", (hit,)):
                return tuple(f"{clause} a second time" for clause in self.past(hit))
            case Term("=", (Term("color", (Term(thing, ()),)), Term(color, ()))):
                return (f"{self._scene.things[thing]} was {color} in colour",)
        phrase = self._phrase(event)
        return (phrase.past, *phrase.also)

    def denied(self, event: Term) -> str:
        """Return how to say that it did not happen."""
        return self._phrase(event).denied

    def _as_cause(self, cause: Term, effect: Term) -> tuple[str, ...]:
        because = self._scene.because.get((str(cause), str(effect)))
        if because is not None:
            return (because,)
        return self._told(cause)

    def _told(self, end: Term) -> tuple[str, ...]:
        """Return every way to say that a variable is so or, denied, that it is not."""
        return (self.denied(end.args[0]),) if end.head == "not" else self.past(end)

    def _second(self, claim: Term) -> tuple[str, ...]:
        """Return what follows the link to a claim; of other ways to say it, the first alone."""
        if claim.head == "before":
            return self.past(claim.args[0])[:1]
        return self.clauses(claim)[:1]

    def _links(self, first: Term, second: Term) -> str:
        """Return what stands between two claims; "" if they are told in one breath.

        That something did not happen is a "but" only after what leads there.
        """
        if second.head == "not" and second.args[0].head == "cause":
            return ", and not because "
        if second.head == "not" and first.head not in ("not", "holds"):
            event, absent = first.args[0].head, second.args[0].args[0].head
            events = self._scene.scm.events
            apart = event in events and event not in self._scene.scm.ancestors(absent)
            return "" if apart else ", but "
        return {"before": " after ", "cause": " because "}.get(second.head, "")

    def _joined(self, first: str, second: str, link: str) -> str:
        if link:
            return follow(first, second, self._subjects, link)
        return tell_both(first, second, self._subjects)

    def _phrase(self, event: Term) -> Phrase:
        name = str(event)
        if name in self._scene.phrases:
            return self._scene.phrase(name, self._values)
        if name in self._scene.others:
            return self._scene.others[name]
        for variable in self._scene.scm.events:
            phrase = self._scene.phrases[variable]
            if event.head == "hit" and name == f"hit({', '.join(phrase.participants)})":
                return self._scene.phrase(variable, self._values)
        raise InputError(
            f"scene {self._scene.name} has no words for {name!r}; add them to `others`"
        )
