"""How many questions a suite could have asked, how many it asks, and what the others fell to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from simworld.qa.balance import unbalanced
from simworld.qa.items import Drop, Filter, Question

FILTERS: tuple[Filter, ...] = get_args(Filter)
NAMES = {
    "castbench": "CaST-Bench",
    "causal2needles": "Causal2Needles",
    "causalstep": "CausalStep",
    "decisions": "The decision suite",
}
REJECTED = {
    "UnstableError": "unstable",
    "PlausibilityError": "implausible",
    "DisturbanceError": "disturbed",
    "Rejected": "not_showable",
}
"""For each reason that a context is drawn again for, the name under which it is counted."""


def filter_counts(
    questions: Sequence[Question],
    drops: Sequence[Drop],
    rejections: Mapping[str, int],
    groups: int,
    masked: Mapping[str, int],
) -> dict[str, Any]:
    """Count what was asked, and what fell to which filter.

    Args:
        questions: What is asked.
        drops: Every candidate that is not.
        rejections: How often a context was drawn again, by its reason as receipts give it.
        groups: How many groups the suite has.
        masked: What `masking.evidence_masked` counted.

    Returns:
        `contexts`: how many are `kept`, and how many were drawn again: `unstable` under the
        sieve's noise, `implausible`, `disturbed` by a handle, or `not_showable`. `questions`: for
        each benchmark its `candidates`, those `asked`, and those that fell to each filter, which
        add up. `evidence_masked`: as counted. `notes`: a sentence on each benchmark that could not
        be balanced.
    """
    asked = Counter(question.benchmark for question in questions)
    fell: dict[str, Counter[str]] = {name: Counter() for name in asked}
    for drop in drops:
        fell.setdefault(drop.benchmark, Counter())[drop.filter] += drop.count
    redrawn: Counter[str] = Counter()
    for reason, count in rejections.items():
        redrawn[REJECTED[reason.partition(":")[0]]] += count
    return {
        "contexts": {"kept": groups, **{name: redrawn[name] for name in REJECTED.values()}},
        "questions": {
            name: {
                "candidates": asked[name] + fell[name].total(),
                "asked": asked[name],
                **{filter_: fell[name][filter_] for filter_ in FILTERS},
            }
            for name in sorted(fell)
        },
        "evidence_masked": dict(masked),
        "notes": [
            f"{NAMES[name]}'s questions are not balanced: too few worlds of one scene differ in "
            "the answer, so whoever learns from texts alone may tell it."
            for name in unbalanced(questions)
        ],
    }


def filters_section(counts: Mapping[str, Any]) -> str:
    """Write the counts as a section of the data card."""
    contexts = counts["contexts"]
    again = sum(contexts.values()) - contexts["kept"]
    heads = ("candidates", "asked", *FILTERS)
    lines = [
        "## Filters",
        "",
        f"{contexts['kept']} contexts are kept; {again} were drawn again, {contexts['unstable']} "
        "of these since small noise changed their truth.",
        "",
        "| benchmark | " + " | ".join(head.replace("_", " ") for head in heads) + " |",
        "|---|" + "---|" * len(heads),
    ]
    for name, row in counts["questions"].items():
        lines.append(f"| {name} | " + " | ".join(str(row[head]) for head in heads) + " |")
    masked = counts["evidence_masked"]
    lines += [
        "",
        f"{masked['paired']} of CaST-Bench's questions have another answer in another world of "
        f"their group; with the evidence masked in both, {masked['masked']} of these show the same "
        "there, to the last bit.",
    ]
    return "\n".join([*lines, *(line for note in counts["notes"] for line in ("", note))])
