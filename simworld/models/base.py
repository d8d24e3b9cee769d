"""What a model is: it is handed an item of a benchmark and gives an answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from simworld.claims import Term

Sees = Literal["media", "claims", "truth"]
Status = Literal["ok", "unparsed", "refused", "truncated", "error"]
Facet = Literal["answer", "evidence"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    Attributes:
        choice: The key of the chosen option. A model that talks leaves it None with status ok;
            the benchmark's protocol then reads the choice out of `raw`.
        raw: What the model said, word for word; None for models without words.
        status: Anything but ok is a wrong answer, and is counted by its name.
    """

    choice: str | None
    raw: str | None = None
    status: Status = "ok"


@dataclass(frozen=True, slots=True)
class Span:
    """Shown frames `[start_frame, stop_frame)` of a video; `index` is the segment's number.

    An empty span keeps its number and shows nothing: a blank picture.
    """

    index: int
    start_frame: int
    stop_frame: int


@dataclass(frozen=True, slots=True)
class Event:
    """An event as the suite stores it. `variable` is its name in the causal model, if it has one.

    Attributes:
        event: The event's own name in the clip.
        variable: The variable that it makes true, or None.
        kind: What happened, such as `hit`.
        participants: The objects' names, in the order of the claim language.
        start_frame: First frame.
        start_step: First physics step, which orders events within a frame.
    """

    event: str
    variable: str | None
    kind: str
    participants: tuple[str, ...]
    start_frame: int
    start_step: int

    def is_named_by(self, term: Term) -> bool:
        """Tell whether an event term, such as `bump` or `hit(ball, mug)`, means this event."""
        participants = tuple(map(Term, self.participants))
        return str(term) in (self.event, self.variable) or term == Term(self.kind, participants)


@dataclass(frozen=True, slots=True)
class Claims:
    """What `claims` models see besides the media: the clip's events and each option's claim.

    `removals` tells, for sets of objects, which variables are 1 without them; None where what
    happens without them could not happen. `standing` tells which conditions hold, and
    no more of events.
    """

    events: tuple[Event, ...]
    options: Mapping[str, Term]
    removals: Mapping[frozenset[str], frozenset[str] | None] = field(default_factory=dict)
    standing: Mapping[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that an answer has to get right.

    Attributes:
        facet: `answer` if it takes causal understanding, `evidence` if it takes eyes: what happens
            in a segment, which scene shows it, where an object is.
        right: The right key.
        keys: Every key that a guess may hit; none where nobody hits by guessing.
    """

    facet: Facet
    right: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Truth:
    """What `truth` models see besides: what is right, and how any answer is put in words.

    Attributes:
        answer: The right option's key.
        reply: The perfect answer word for word, where the benchmark wants more than a key.
        parts: What there is to get right, each by itself.
        word: Words an answer from a key for each part, where the benchmark wants more than a key.
        cause_s: When the cause is to be seen, `[start, stop)` in seconds; None if not known.
        effect_s: When the effect is to be seen, likewise.
    """

    answer: str
    reply: str | None = None
    parts: tuple[Part, ...] = ()
    word: Callable[[Sequence[str]], str] | None = None
    cause_s: tuple[float, float] | None = None
    effect_s: tuple[float, float] | None = None

    def say(self, keys: Sequence[str]) -> Answer:
        """Give an answer that has these keys for its parts."""
        return Answer("+".join(keys)) if self.word is None else Answer(keys[0], self.word(keys))


@dataclass(frozen=True, slots=True)
class Item:
    """One question as it is put to a model.

    Attributes:
        benchmark: Name of the benchmark.
        question_id: Id of the question in the benchmark's file.
        mode: How the benchmark asks it, such as `chain`.
        prompt: The whole text for models that read: context, question, options, how to answer.
        question: The bare question.
        options: Text of each option by its key.
        video: Path of the video file; models decode it only if they look.
        shown: The frames that may be looked at, and no others; none given means the whole video.
        previous_id: Question whose right answer is given along, or None.
        seed: Key of the item's random draws; a model adds its own name.
        claims: For models that see `claims`; else None.
        truth: For models that see `truth`; else None.
        captions: A sentence for each span of `shown`, as far as the benchmark's file has them. They
            are not in the prompt.
        backwards: Whether each span is played from its last frame to its first.
    """

    benchmark: str
    question_id: str
    mode: str
    prompt: str
    question: str
    options: Mapping[str, str]
    video: Path
    shown: tuple[Span, ...]
    previous_id: str | None
    seed: tuple[str | int, ...]
    claims: Claims | None = None
    truth: Truth | None = None
    captions: tuple[str, ...] = ()
    backwards: bool = False


class Model(Protocol):
    """Answers items one by one, and says what it has to see for that.

    `sees` is `media` (frames and text: every real model), `claims` (also stored events and
    the options' claims) or `truth` (privileged). It stands in every table beside the name.
    """

    @property
    def name(self) -> str:
        """Name in tables."""

    @property
    def sees(self) -> Sees:
        """What the model has to be handed."""

    def answer(self, item: Item) -> Answer:
        """Answer one item; what goes wrong is told by the answer's status."""


def is_told(model: Model) -> bool:
    """Tell whether a model is handed the truth.

    Besides those that see it, a wrapper is that says `informed`: it has to know what to hide from
    the model that it wraps, and hands the truth on to none.
    """
    return model.sees == "truth" or bool(getattr(model, "informed", False))
