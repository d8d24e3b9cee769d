"""Questions asked of both worlds of a twin, found by the claims of their options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simworld.benchmarks.rows import Row, read_rows

NUISANCE = "nuisance"
PAIRED = ("causalstep", "castbench")
"""Benchmarks whose questions can be paired, and choices compared question by question."""
_LEAST_SHARED = 2


class _Option(Row, extra="ignore"):
    key: str
    claim: str
    right: bool | int


class _Question(Row, extra="ignore"):
    question_id: str
    clip: str
    benchmark: str
    kind: str
    segment: int
    options: list[_Option]
    answer: str


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

    Two questions ask the same if they are of one kind, about one segment, and have two or more
    claims in common. A folder that is no suite has none, nor has Causal2Needles, whose answers are
    places in a window that differs between the worlds.

    Args:
        suite: A suite's folder, or any.
        benchmark: Whose questions.

    Raises:
        InputError: twins.jsonl or questions.jsonl is not what it must be.
    """
    paths = suite / "twins.jsonl", suite / "questions.jsonl"
    if benchmark not in PAIRED or not all(path.is_file() for path in paths):
        return []
    asked: dict[str, dict[tuple[str, int], _Question]] = defaultdict(dict)
    for _, question in read_rows(paths[1], _Question):
        if question.benchmark == benchmark:
            asked[question.clip][question.kind, question.segment] = question
    pairs = []
    for _, twin in read_rows(paths[0], _Twin):
        ours, theirs = asked[twin.factual], asked[twin.counterfactual]
        for place in sorted(ours.keys() & theirs.keys()):
            pair = _pair(twin, ours[place], theirs[place])
            if len(set(pair.claims[0].values()) & set(pair.claims[1].values())) >= _LEAST_SHARED:
                pairs.append(pair)
    return pairs


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


def choices(rows: Sequence[Mapping[str, Any]], benchmark: str) -> dict[str, str | None]:
    """Return a run's choice for each question: asked by itself, or with its own evidence."""
    if benchmark == "causalstep":
        return {row["question_id"]: row["choice"] for row in rows if row["mode"] == "isolated"}
    from simworld.benchmarks.castbench.protocol import read_reply

    return {
        row["qa_id"]: read_reply(row["predict"]).choice for row in rows if row["chain"] == "self"
    }


def asked_for(metric: str, rows: Sequence[Mapping[str, Any]], benchmark: str) -> list[str]:
    """List the questions of a run that count for a metric."""
    if benchmark == "castbench":
        chain = metric.removeprefix("accuracy_") if metric.startswith("accuracy_") else "self"
        return [row["qa_id"] for row in rows if row["chain"] == chain]
    if benchmark != "causalstep":
        return []
    mode = {"dua": "isolated", "icra": "isolated", "icra_pair": "isolated_pair"}.get(
        metric, "chain"
    )
    causal = {row["question_id"] for row in rows if row["mode"] == "isolated_pair"}
    counts = {"dua": lambda name: name not in causal, "icra": lambda name: name in causal}
    names = [row["question_id"] for row in rows if row["mode"] == mode]
    return list(filter(counts.get(metric, lambda _: True), names))
