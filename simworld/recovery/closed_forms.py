"""Closed forms: what each metric comes to for a model of known competence, as a distribution.

The model `competence:c/q` has each thing that it is asked right with a probability of its own,
independently: c + (1 - c) / n of n options where that takes causal understanding, q + (1 - q) / n
where it takes eyes, and q for evidence in the video, which nobody hits by guessing. Write p for the
first. From that follows, question by question,

    CausalStep       dua  q + (1 - q) / 8        icra, icra_pair  p with n = 8
                     csr  d p^(N - 1) over videos of N segments, with d as dua; amcl, mcl, rf and ws
                     from the recursion of `chains`
    CaST-Bench       accuracy p;  faithful p q;  spurious p (1 - q);  the metrics of evidence are q
                     times what the true evidence itself scores, since a two-second rule and the
                     like can keep even that from being matched
    Causal2Needles   1-needle p or, if noncausal, q + (1 - q) / n, over n scenes shown; visual
                     grounding q + (1 - q) / n for Part 1, p for Part 2, their product for both;
                     images p with n = 4
    Decisions        repair_success p

A metric is the mean of these over questions or videos, so that its distribution is that of a sum of
independent numbers, exact but for unequal weights of evidence, which are simulated. With c = q = 0
the model guesses: the floor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import singledispatch

from simworld.benchmarks.castbench.metrics import Observation, score_question
from simworld.benchmarks.castbench.protocol import read_reply, write_reply
from simworld.benchmarks.castbench.run import CastBenchRun
from simworld.benchmarks.causal2needles.metrics import PARTS, PLAIN
from simworld.benchmarks.causal2needles.protocol import LETTERS as IMAGE_LETTERS
from simworld.benchmarks.causal2needles.run import Causal2NeedlesRun
from simworld.benchmarks.causalstep.run import CausalStepRun
from simworld.benchmarks.causalstep.schema import LETTERS
from simworld.benchmarks.decisions.run import DecisionsRun
from simworld.recovery.chains import chain_forms
from simworld.recovery.distributions import (
    Distribution,
    greatest_of,
    mean_of,
    share_of,
    weighted_share,
)

Forms = Mapping[str, Distribution]


@singledispatch
def closed_forms(bench: object, c: float, q: float) -> Forms:
    """Return the distribution of every metric for the model `competence:c/q`.

    Args:
        bench: A benchmark's run, with its questions and settings.
        c: Causal competence, 0 to 1.
        q: Quality of evidence, 0 to 1.
    """
    raise TypeError(f"no closed forms are known for {type(bench).__name__}")


def _right(level: float, options: int) -> float:
    return level + (1 - level) / options


@closed_forms.register
def _(bench: CausalStepRun, c: float, q: float) -> Forms:
    d, p = _right(q, len(LETTERS)), _right(c, len(LETTERS))
    reading = bench.reading
    lengths = Counter(len(video.segments) for video in bench.truth)
    forms = {n: chain_forms(n, d, p, reading.restart, reading.scoring) for n in lengths}
    kinds = Counter(question.kind for video in bench.truth for question in video.questions)
    causal = share_of([p] * kinds["causal"]) if kinds["causal"] else None
    found = {
        "csr": share_of([d * p ** (n - 1) for n in lengths.elements()]),
        "amcl": mean_of((forms[n].longest, count) for n, count in lengths.items()),
        "mcl": greatest_of((forms[n].longest, count) for n, count in lengths.items()),
        "rf": mean_of((forms[n].breaks, count) for n, count in lengths.items()),
        "ws": mean_of((forms[n].score, count) for n, count in lengths.items()),
        "dua": share_of([d] * kinds["descriptive"]),
    }
    return found | ({"icra": causal, "icra_pair": causal} if causal else {})


@closed_forms.register
def _(bench: CastBenchRun, c: float, q: float) -> Forms:
    right = [_right(c, len(question.options)) for question in bench.truth]
    accuracy = share_of(right)
    found = {f"accuracy_{chain}": accuracy for chain in bench.chains if chain != "self"}
    if "self" not in bench.chains:
        return found
    best = [
        score_question(
            Observation(question, read_reply(write_reply(question.answer, question.evidences))),
            bench.scoring,
        )
        for question in bench.truth
    ]
    for name in ("faithful_rate", "faithful_rate_paper"):
        found[name] = share_of([p * q * b[name] for p, b in zip(right, best, strict=True)])
    shares = [p * (1 - q * b["faithful_rate"]) for p, b in zip(right, best, strict=True)]
    found |= {"accuracy": accuracy, "spurious_rate": share_of(shares)}
    for name in ("im_tiou", "im_viou", "temporal_recall", "st_recall"):
        found[name] = weighted_share([b[name] for b in best], q, name, str(q))
    return found


@closed_forms.register
def _(bench: Causal2NeedlesRun, c: float, q: float) -> Forms:
    chances: dict[str, list[float]] = {}
    for ask in bench.asks:
        scenes = len(ask.window)
        if ask.task == "2needle_vg":
            parts = [_right(q, scenes), _right(c, scenes)]
            for part, chance in zip(PARTS, (*parts, parts[0] * parts[1]), strict=True):
                chances.setdefault(f"vg_{ask.order}_{part}", []).append(chance)
        else:
            options = len(IMAGE_LETTERS) if ask.task == "2needle_id" else scenes
            level = q if ask.task == "1needle_noncausal" else c
            chances.setdefault(PLAIN[ask.task], []).append(_right(level, options))
    for part in PARTS:
        both = [chances.get(f"vg_{order}_{part}", []) for order in ("forward", "reverse")]
        if all(both):
            chances[f"vg_avg_{part}"] = both[0] + both[1]
    return {name: share_of(each) for name, each in chances.items()}


@closed_forms.register
def _(bench: DecisionsRun, c: float, q: float) -> Forms:
    return {"repair_success": share_of([_right(c, len(d.options)) for d in bench.truth])}
