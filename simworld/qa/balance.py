"""Balance: the same question with the same options, asked of worlds that differ in the answer.

Open candidates that ask alike are put together in blocks. A block has one question and as many
options as worlds: each option is right in one of them and proven wrong in all others. So nothing
that the texts show, alone or together, tells which option is right. Large blocks are made first;
where worlds do not differ in enough ways, smaller ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from simworld import rng
from simworld.qa.items import Drop, Option, Question
from simworld.qa.options import pick

SIZES: Mapping[str, tuple[int, ...]] = {"castbench": (6, 5, 4)}
"""How many options a benchmark's questions may have; so many worlds make a block."""

_MOST_STEPS = 20_000
"""A search for one block gives up after so many steps."""

Statement = tuple[str, tuple[str, ...]]
"""A claim and all that it may be worded as."""


World = frozenset[tuple[Statement, bool]]
"""All that is offered in a world, and whether it is right there."""


def balance(candidates: Sequence[Question], *, seed: int) -> tuple[Question, ...]:
    """Choose one answer and the wrong options of each open candidate, or leave it out.

    Of a benchmark that has no block at all, its suite being too small, all candidates with enough
    wrong options are kept: such questions are not balanced, but asked alike of as many worlds of a
    group as can be.

    Args:
        candidates: Questions in the order of groups; those that are not open are returned as
            they are.
        seed: Root seed.
    """
    chosen = {k: candidate for k, candidate in enumerate(candidates) if not candidate.wordings}
    for _, block in _all_blocks(candidates):
        chosen |= _closed(candidates, block, seed)
    found = {chosen[index].benchmark for index in chosen}
    for key, some in _alike(candidates, lambda one: one.group).items():
        if key[0] not in found:
            for block, options in _of_group(some, SIZES[key[0]][0], seed):
                chosen |= _closed(candidates, block, seed, options)
    return tuple(question for _, question in sorted(chosen.items()))


def left_out(candidates: Sequence[Question], asked: Sequence[Question]) -> list[Drop]:
    """Say of each open candidate that is not asked that it is left out."""
    kept = {_place(question) for question in asked}
    return [
        Drop(
            one.clip,
            one.segment,
            one.kind,
            "too few worlds that differ in the answer",
            filter="text_balance",
            benchmark=one.benchmark,
        )
        for one in candidates
        if one.wordings and _place(one) not in kept
    ]


def balanceable(candidates: Sequence[Question]) -> list[str]:
    """Name the benchmarks of whose open candidates some make a block."""
    return sorted({benchmark for benchmark, _ in _all_blocks(candidates)})


def unbalanced(questions: Sequence[Question]) -> list[str]:
    """Name the benchmarks of which some question's options are not right equally often."""
    right: dict[tuple[str, str, frozenset[str]], Counter[str]] = defaultdict(Counter)
    for question in questions:
        if question.benchmark in SIZES:
            asked = question.question.replace(f"video {question.video}", "video {video}")
            texts = frozenset(option.text for option in question.options)
            counts = right[question.benchmark, asked, texts]
            counts.update({text: 0 for text in texts})
            counts.update(option.text for option in question.options if option.right)
    uneven = (key[0] for key, counts in right.items() if len(set(counts.values())) > 1)
    return sorted(set(uneven))


def _place(question: Question) -> tuple[str, str, str, int]:
    return question.clip, question.benchmark, question.kind, question.segment


def _closed(
    candidates: Sequence[Question],
    block: Mapping[int, Statement],
    seed: int,
    options: Sequence[Statement] | None = None,
) -> dict[int, Question]:
    """Close the candidates of a block, each with its answer; they share all wordings."""
    statements = options or list(block.values())
    key = (candidates[min(block)].clip, *candidates[min(block)].wordings[:1])
    generator = rng.stream(seed, "block", *key)
    asked = pick(candidates[min(block)].wordings, generator)
    texts = {statement: pick(statement[1], generator) for statement in sorted(statements)}
    closed = {}
    for index, answer in block.items():
        candidate = candidates[index]
        offered = {_statement(option): option for option in candidate.options}
        ordered = [answer, *(s for s in statements if s != answer)]
        closed[index] = replace(
            candidate,
            question=asked,
            options=tuple(
                replace(offered[s], text=texts[s], wordings=(), evidence=()) for s in ordered
            ),
            evidence=offered[answer].evidence,
            wordings=(),
        )
    return closed


def _statement(option: Option) -> Statement:
    return option.claim, option.wordings


def _all_blocks(candidates: Sequence[Question]) -> Iterator[tuple[str, dict[int, Statement]]]:
    """Yield the blocks of all candidates that ask alike, with their benchmark."""
    for (benchmark, *_), some in _alike(candidates, lambda one: one.scene).items():
        for block in _blocks(some, SIZES[benchmark]):
            yield benchmark, block


def _alike(
    candidates: Sequence[Question], where: Callable[[Question], str]
) -> dict[tuple[str, str, str, tuple[str, ...]], dict[int, Question]]:
    """Return the open candidates that ask alike in one place, by benchmark and what they ask."""
    alike: dict[tuple[str, str, str, tuple[str, ...]], dict[int, Question]] = defaultdict(dict)
    for index, candidate in enumerate(candidates):
        if candidate.wordings and candidate.benchmark in SIZES:
            key = candidate.benchmark, where(candidate), candidate.kind, candidate.wordings
            alike[key][index] = candidate
    return alike


def _blocks(
    candidates: Mapping[int, Question], sizes: Sequence[int]
) -> Iterator[dict[int, Statement]]:
    """Yield blocks, each candidate in one at most: from its index to its answer.

    Worlds of which most are left come first, and of their answers those used least.
    """
    left = _by_world(candidates)
    used: Counter[Statement] = Counter()
    search = _Search(tuple(left))
    for size in sizes:
        while block := search.find(size, left, used):
            used.update(block.values())
            yield {left[world].pop(0): statement for world, statement in block.items()}


def _by_world(candidates: Mapping[int, Question]) -> dict[World, list[int]]:
    left: dict[World, list[int]] = defaultdict(list)
    for index, candidate in candidates.items():
        left[frozenset((_statement(o), o.right) for o in candidate.options)].append(index)
    return left


class _Search:
    """Finds answers of different worlds that are each wrong in the worlds of all others."""

    def __init__(self, worlds: Sequence[World]) -> None:
        self._nodes = [(w, s) for w in worlds for s, right in sorted(w) if right]
        self._of = {
            world: sum(1 << k for k, (w, _) in enumerate(self._nodes) if w == world)
            for world in worlds
        }
        self._fits = [
            sum(1 << k for k, other in enumerate(self._nodes) if _fit(node, other))
            for node in self._nodes
        ]
        self._steps = 0

    def find(
        self, size: int, left: Mapping[World, Sequence[int]], used: Mapping[Statement, int]
    ) -> dict[World, Statement]:
        """Return so many worlds with their answers, or none."""
        worlds = sorted((w for w in left if left[w]), key=lambda w: (-len(left[w]), left[w][0]))
        self._steps = 0
        found = self._extend([], worlds, sum(self._of[world] for world in worlds), size, used)
        return {self._nodes[k][0]: self._nodes[k][1] for k in found}

    def _extend(
        self,
        block: list[int],
        worlds: Sequence[World],
        open_: int,
        size: int,
        used: Mapping[Statement, int],
    ) -> list[int]:
        """Complete a block with answers that are still open, of worlds in this order."""
        if len(block) == size:
            return block
        worlds = [world for world in worlds if self._of[world] & open_]
        while len(block) + len(worlds) >= size and self._steps < _MOST_STEPS:
            world, *worlds = worlds
            answers = _bits(self._of[world] & open_)
            for k in sorted(answers, key=lambda k: used.get(self._nodes[k][1], 0)):
                self._steps += 1
                rest = open_ & self._fits[k]
                if found := self._extend([*block, k], worlds, rest, size, used):
                    return found
        return []


def _bits(mask: int) -> list[int]:
    return [k for k in range(mask.bit_length()) if mask >> k & 1]


def _fit(one: tuple[World, Statement], other: tuple[World, Statement]) -> bool:
    """Tell whether each answer is offered as a wrong one in the other's world, worded apart."""
    return (
        (one[1], False) in other[0]
        and (other[1], False) in one[0]
        and not set(one[1][1]) & set(other[1][1])
    )


def _of_group(
    candidates: Mapping[int, Question], size: int, seed: int
) -> Iterator[tuple[dict[int, Statement], list[Statement]]]:
    """Yield answers of one group's candidates, each with the options that they share.

    As many worlds as can be are asked with the same options, those that are all alike with the
    same answer too. What has too few wrong options is left out.
    """
    first = candidates[min(candidates)]
    generator = rng.stream(seed, "group", first.group, first.kind, *first.wordings[:1])
    left = _by_world(candidates)
    statements = sorted({statement for world in left for statement, _ in world})
    drawn = [statements[int(k)] for k in generator.permutation(len(statements))]
    order = {statement: place for place, statement in enumerate(drawn)}
    search = _Search(tuple(left))
    for many in range(min(len(left), size), 0, -1):
        while block := search.find(many, left, order):
            options = list(block.values())
            for other in drawn:
                said = {text for _, texts in options for text in texts}
                if all((other, False) in world for world in block) and not said & set(other[1]):
                    options.append(other)
            if len(options) >= size:
                answers = {i: block[world] for world in block for i in left[world]}
                yield answers, options[:size]
            elif many > 1:
                break
            left |= {world: [] for world in block}
