"""CausalStep's protocol: what is shown, what is asked next, how an answer is read.

The paper's prose and its Algorithm 1 contradict each other twice, and neither data nor code is
published. Both readings are here, behind two switches:

- `restart`: after a wrong causal answer about segment i, `prose` asks the descriptive question of
  that same segment i, `algorithm1` that of segment i + 1;
- `scoring`: a right causal answer earns, by `prose`, its place among the causal answers of its
  chain (1, 2, 3, ...); by `algorithm1`, the chain's length, the descriptive answer included
  (2, 3, 4, ...).

A wrong descriptive answer moves on to the next segment's descriptive question in both.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from simworld.benchmarks.causalstep.schema import LETTERS, Mode, Question, Segment, Video
from simworld.models.base import Answer

Reading = Literal["prose", "algorithm1"]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question as it is put: never with a later segment or a later question.

    Attributes:
        video: The video that it is about.
        question: What is asked.
        mode: `chain`, `isolated` or `isolated_pair`.
        shown: The segments that are shown, in order.
        previous: The question whose right answer is given along, or None.
    """

    video: Video
    question: Question
    mode: Mode
    shown: tuple[Segment, ...]
    previous: Question | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A question that was put, and its answer."""

    ask: Ask
    answer: Answer

    @property
    def right(self) -> bool:
        """Whether the answer is the right option; every status but ok is wrong."""
        return self.answer.status == "ok" and self.answer.choice == self.ask.question.answer


@dataclass(frozen=True, slots=True)
class Transcript:
    """The chain run of one video.

    Attributes:
        steps: The questions in the order in which they were put.
        breaks: Number of wrong answers; each ends or forestalls a chain.
        longest: Length of the longest chain of right answers.
        score: Points by the scoring that was asked for.
    """

    steps: tuple[Step, ...]
    breaks: int
    longest: int
    score: int


Answerer = Callable[[Ask], Answer]


def run_chain(video: Video, answer: Answerer, restart: Reading, scoring: Reading) -> Transcript:
    """Ask a video's questions one by one, the next depending on whether the last was right.

    Causal question i is shown segments i - 1 and i and the right answer of the question before it
    on the path; descriptive question i is shown segment i alone.
    """
    steps: list[Step] = []
    chain = causal = score = breaks = longest = 0
    i = 1
    while i <= len(video.segments):
        step = _put(_chain_ask(video, i, steps[-1].ask.question if chain else None), answer)
        steps.append(step)
        if step.right:
            causal = causal + 1 if chain else 0
            chain += 1
            score += 1 if chain == 1 else causal if scoring == "prose" else chain
            i += 1
        else:
            breaks += 1
            if chain == 0 or restart == "algorithm1":
                i += 1
            chain = 0
        longest = max(longest, chain)
    return Transcript(tuple(steps), breaks, longest, score)


def run_isolated(video: Video, answer: Answerer) -> tuple[Step, ...]:
    """Ask every question by itself, showing its own segment alone and no previous answer."""
    asks = [
        Ask(video, question, "isolated", (video.segments[question.segment - 1],))
        for question in video.questions
    ]
    return tuple(_put(ask, answer) for ask in asks)


def run_pairs(video: Video, answer: Answerer) -> tuple[Step, ...]:
    """Ask every causal question by itself, showing both its segments and no previous answer.

    Against `run_isolated` it tells a lack of context from a lack of causal understanding.
    """
    asks = [
        Ask(
            video,
            question,
            "isolated_pair",
            video.segments[question.segment - 2 : question.segment],
        )
        for question in video.questions
        if question.kind == "causal"
    ]
    return tuple(_put(ask, answer) for ask in asks)


def _chain_ask(video: Video, i: int, before: Question | None) -> Ask:
    """Return what is asked about segment i: causal if a chain is alive, else descriptive."""
    if before is None:
        return Ask(video, video.question(i, "descriptive"), "chain", (video.segments[i - 1],))
    return Ask(video, video.question(i, "causal"), "chain", video.segments[i - 2 : i], before)


def _put(ask: Ask, answer: Answerer) -> Step:
    return Step(ask, settle(answer(ask)))


def prompt(ask: Ask) -> str:
    """Write what a model that reads is told besides the frames."""
    *earlier, current = ask.shown
    lines = [f"You see segment {current.index} of a video."]
    if earlier:
        lines = [f"You see segments {earlier[0].index} and {current.index} of a video, in order."]
    if ask.previous is not None:
        right = ask.previous.options[ask.previous.answer]
        lines += [f"Earlier question: {ask.previous.question}", f"Its right answer: {right}"]
    lines.append(f"Question: {ask.question.question}")
    lines += [f"{letter}. {ask.question.options[letter]}" for letter in LETTERS]
    lines.append("Reply with the letter of the one right option.")
    return "\n".join(lines)


_CHOICE = r"(?:[B-H]|A(?!\s+(?!because\b|since\b)[a-z]))(?![A-Za-z0-9'])"
# What is possessive (*+) is never tried again shorter: overlong answers are read in linear time.
_LONE = re.compile(r"(?:(?i:option)\s++)?\W*+([A-Ha-h])\W*+")
_LEADING = re.compile(r"\W*(?:(?i:option)\s++)?(?:\(([A-H])\)|([A-H])[.):])(?=[\s*]|$)")
_ANNOUNCED = re.compile(
    rf"(?i:\b(?:answer|choice)\b[\s*]*+(?:is\b[\s*]*+:?|:)[\s*]*+(?:option\s++)?)\W?({_CHOICE})"
)
_MENTION = re.compile(r"(?<![A-Za-z0-9'])(?:[B-H]|A(?!\s+[a-z]))(?![A-Za-z0-9'])")


def read_choice(raw: str) -> str | None:
    """Read the chosen letter out of a model's words, or None if they do not say just one.

    What comes before the last `</think>` is not read. The rest must say its letter in one of
    these ways:

    - it is nothing but the letter, in either case: `C`, `c`, `(C)`, `**C**`, `C.`, `Option C`;
    - it begins with the letter and a mark: `C. text`, `C) text`, `C: text`, `(C) text`;
    - it announces it: `Answer: C`, `the answer is (C)`, `my choice is option C because ...`.

    An A that a word follows is an article, not a choice: `A ball hit it`, `Answer: A ball hit it`
    (`the answer is A because ...` does choose A). If the words name any other option by its bare
    capital letter as well, as in `C or D`, the answer is not read. Nothing is ever guessed.

    Example:
        >>> read_choice("The answer is (C)."), read_choice("C or D"), read_choice("A ball hit it")
        ('C', None, None)
    """
    text = raw.rpartition("</think>")[2].strip()
    if lone := _LONE.fullmatch(text):
        return lone.group(1).upper()
    if "<think>" in text:
        return None
    said = set(_ANNOUNCED.findall(text))
    if leading := _LEADING.match(text):
        said.add(leading.group(1) or leading.group(2))
    return said.pop() if len(said) == 1 and said >= set(_MENTION.findall(text)) else None


def settle(answer: Answer) -> Answer:
    """Return the answer with its choice read out of the words, or with status `unparsed`."""
    if answer.status != "ok":
        return replace(answer, choice=None)
    choice = answer.choice
    if choice is None and answer.raw is not None:
        choice = read_choice(answer.raw)
    if choice not in LETTERS:
        return replace(answer, choice=None, status="unparsed")
    return replace(answer, choice=choice)
