"""The last step over a whole file of questions: numbers, letters, names, uniqueness.

It works on all candidates in the order of their groups, after every shard is done, so that how the
work was shared out cannot change it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from string import ascii_uppercase

from simworld import rng
from simworld.errors import CheckError
from simworld.qa.balance import balance
from simworld.qa.deal import deal
from simworld.qa.items import Option, Question


def finalise(candidates: Sequence[Question], *, seed: int) -> tuple[Question, ...]:
    """Choose, number the videos, deal the letters and name the questions.

    Open candidates are dealt, or put into blocks; see `deal` and `balance`. Video numbers are
    shuffled, so that they tell nothing of which world a clip shows. Among a benchmark's questions
    of equally many options each letter is the right one equally often, up to one; so in every row
    of as many such questions as there are letters, too. Options that have their keys keep them.

    Args:
        candidates: The questions of all groups, in the order of groups.
        seed: Root seed.

    Raises:
        CheckError: Two questions read alike.
    """
    candidates = balance(_dealt(candidates, seed), seed=seed)
    clips = list(dict.fromkeys(question.clip for question in candidates))
    order = rng.stream(seed, "video numbers").permutation(len(clips))
    numbers = {clips[int(index)]: number for number, index in enumerate(order, start=1)}
    asked: Counter[tuple[str, int]] = Counter()
    finished = []
    for question in candidates:
        alike = question.benchmark, len(question.options)
        finished.append(_finish(question, numbers[question.clip], asked[alike], seed))
        asked[alike] += not _has_keys(question)
    _check_unique("question_id", (question.question_id for question in finished))
    _check_unique("question text", (question.question for question in finished))
    return tuple(finished)


def _dealt(candidates: Sequence[Question], seed: int) -> list[Question]:
    """Close the candidates that are dealt, in their places."""
    dealt = iter(deal([c for c in candidates if _is_dealt(c)], seed=seed))
    return [next(dealt) if _is_dealt(candidate) else candidate for candidate in candidates]


def _is_dealt(candidate: Question) -> bool:
    return any(option.kinds for option in candidate.options)


def _finish(question: Question, video: int, place: int, seed: int) -> Question:
    name = f"{question.benchmark}-{video:04d}-{question.kind[0]}{question.segment}"
    return replace(
        question,
        question=question.question.replace("{video}", str(video)),
        options=question.options if _has_keys(question) else _deal(question, place, seed),
        video=video,
        question_id=name,
    )


def _has_keys(question: Question) -> bool:
    return all(option.key for option in question.options)


def _deal(question: Question, place: int, seed: int) -> tuple[Option, ...]:
    """Return the options in the order of their letters.

    The right one gets the letter that is due at this place of the file; the wrong ones share
    the others at random.
    """
    count = len(question.options)
    block, turn = divmod(place, count)
    key = (seed, question.benchmark)
    due = int(rng.stream(*key, "right letters", block).permutation(count)[turn])
    wrong = [option for option in question.options if not option.right]
    [right] = (option for option in question.options if option.right)
    shuffle = rng.stream(*key, "wrong letters", place).permutation(len(wrong))
    ordered = [wrong[int(index)] for index in shuffle]
    ordered.insert(due, right)
    pairs = zip(ascii_uppercase[:count], ordered, strict=True)
    return tuple(replace(option, key=letter) for letter, option in pairs)


def _check_unique(what: str, texts: Iterable[str]) -> None:
    repeated = [(text, count) for text, count in Counter(texts).items() if count > 1]
    for text, count in repeated[:1]:
        raise CheckError(
            f"expected every {what} once in the file, found {text!r} {count} times; "
            "give each clip one set of candidates"
        )
