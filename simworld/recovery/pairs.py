"""Questions asked of both worlds of a twin, found by the claims of their options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from simworld.benchmarks.rows import Row, read_rows

NUISANCE = "nuisance"
PARAMETER = "parameter"
_LEAST_SHARED = 2

_Place = tuple[str | int, ...]


class _Option(Row, extra="ignore"):
    key: str
    claim: str
    right: bool | int


class _Evidence(Row, extra="ignore"):
    event: str


class _Question(Row, extra="ignore"):
    question_id: str
    clip: str
    benchmark: str
    kind: str
    segment: int
    options: list[_Option]
    answer: str
    evidence: list[_Evidence]


class _Twin(Row, extra="ignore"):
    kind: str
    group: str
    factual: str
    counterfactual: str


@dataclass(frozen=True, slots=True)
class Pair:
    """One question as it is asked of a twin's two worlds.

    Attributes:
        twin_kind: What sets the worlds apart, such as `remove_cause`; `nuisance` if nothing that
            matters does.
        group: The clips made together.
        factual: Id of the question about the factual world.
        counterfactual: Id of that about the other.
        claims: Of either question each option's claim by key, factual first.
        right: Of either question the right claim, factual first.
    """

    twin_kind: str
    group: str
    factual: str
    counterfactual: str
    claims: tuple[Mapping[str, str], Mapping[str, str]]
    right: tuple[str, str]

    @property
    def flips(self) -> bool:
        """Whether the right claim is another in the other world."""
        return self.right[0] != self.right[1]

    @property
    def stale_key(self) -> str:
        """The wrong option of the counterfactual question that was right in the factual world.

        Where that is not offered, the first wrong one: what was right is so no longer.
        """
        wrong = [k for k, claim in sorted(self.claims[1].items()) if claim != self.right[1]]
        return next((k for k in wrong if self.claims[1][k] == self.right[0]), wrong[0])


def read_pairs(suite: Path, benchmark: str) -> list[Pair]:
    """Pair the questions of a suite's twins that ask the same of both worlds.

    Two questions ask the same if they are of one kind, about one segment or, in Causal2Needles,
    one cause and its effect, and have two or more claims in common. Of decisions several may be
    right and one is offered, so that both right ones must be offered twice: else nothing tells
    whether the one is wrong in the other world. Under nuisance twins one claim is right in both
    worlds, or something else is asked. A folder that is no suite has none.

    Args:
        suite: A suite's folder, or any.
        benchmark: Whose questions.

    Raises:
        InputError: twins.jsonl or questions.jsonl is not what it must be.
    """
    paths = suite / "twins.jsonl", suite / "questions.jsonl"
    if not all(path.is_file() for path in paths):
        return []
    asked: dict[str, dict[_Place, _Question]] = defaultdict(dict)
    for _, question in read_rows(paths[1], _Question):
        if question.benchmark == benchmark:
            of_clip = asked[question.clip]
            of_clip[_place(question, of_clip)] = question
    pairs = []
    for _, twin in read_rows(paths[0], _Twin):
        ours, theirs = asked[twin.factual], asked[twin.counterfactual]
        for place in sorted(ours.keys() & theirs.keys()):
            pair = _pair(twin, ours[place], theirs[place])
            shared = set(pair.claims[0].values()) & set(pair.claims[1].values())
            told = benchmark != "decisions" or shared.issuperset(pair.right)
            same = pair.twin_kind != NUISANCE or not pair.flips
            if len(shared) >= _LEAST_SHARED and told and same:
                pairs.append(pair)
    return pairs


def _place(question: _Question, others: Container[_Place]) -> _Place:
    """Return what a question has in common with the one that asks the same in another world.

    Of two about one cause and its effect the first is about the cause, so they keep their order.
    """
    if question.benchmark != "causal2needles":
        return question.kind, question.segment
    place = question.kind, *(evidence.event for evidence in question.evidence)
    return place if place not in others else (*place, "again")


def _pair(twin: _Twin, factual: _Question, counterfactual: _Question) -> Pair:
    first, second = (
        {option.key: option.claim for option in question.options}
        for question in (factual, counterfactual)
    )
    return Pair(
        twin.kind,
        twin.group,
        factual.question_id,
        counterfactual.question_id,
        (first, second),
        (first[factual.answer], second[counterfactual.answer]),
    )


def stale_keys(pairs: Sequence[Pair]) -> dict[str, str]:
    """Return for each counterfactual question that flips the option that was right before."""
    return {pair.counterfactual: pair.stale_key for pair in pairs if pair.flips}
