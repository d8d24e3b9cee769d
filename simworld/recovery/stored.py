"""What a run's answers say of the questions that a suite stores: by their ids and options' keys.

CausalStep, CaST-Bench and the decisions put stored questions as they are. Causal2Needles puts one
or two of them at once, whose options are scene spans of the whole clip, numbered from 1, and asks
for the place in a window of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch

from simworld.benchmarks.castbench.metrics import METRICS
from simworld.benchmarks.castbench.protocol import read_reply
from simworld.benchmarks.castbench.run import CastBenchRun
from simworld.benchmarks.causal2needles.metrics import PARTS, PLAIN
from simworld.benchmarks.causal2needles.protocol import Ask, read_keys
from simworld.benchmarks.causal2needles.run import Causal2NeedlesRun, stored_ids
from simworld.benchmarks.causalstep.run import CausalStepRun
from simworld.benchmarks.decisions.run import DecisionsRun
from simworld.models.base import Item
from simworld.models.journal import Row

Keys = Mapping[str, str]


@singledispatch
def right_keys(bench: object) -> Keys:
    """Return the right option of each question that `chosen_keys` tells of.

    Args:
        bench: A benchmark's run.
    """
    raise TypeError(f"nothing is known of the questions of {type(bench).__name__}")


@singledispatch
def chosen_keys(bench: object, rows: Sequence[Row]) -> Mapping[str, str | None]:
    """Return the option that a model chose in each question, None if it chose none.

    Of several ways of asking one counts: by itself, with its own evidence, scenes first to last.

    Args:
        bench: A benchmark's run.
        rows: Its answers.
    """
    raise TypeError(f"nothing is known of the questions of {type(bench).__name__}")


@singledispatch
def counted_for(bench: object, rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    """Return for each metric the questions that count for it, by their ids.

    Args:
        bench: A benchmark's run.
        rows: A perfect model's answers.
    """
    raise TypeError(f"nothing is known of the questions of {type(bench).__name__}")


@singledispatch
def other_keys(bench: object, item: Item, stale: Keys) -> list[str | None]:
    """Return for each part of an item the key that a stored question's option has in it.

    Args:
        bench: A benchmark's run.
        item: What is put to a model.
        stale: Options' keys by stored questions' ids; a part that has none gets None.
    """
    return [stale.get(item.question_id), *(None for _ in _parts(item)[1:])]


def _parts(item: Item) -> Sequence[object]:
    return item.truth.parts if item.truth else ()


@right_keys.register
def _(bench: CausalStepRun) -> Keys:
    return {q.question_id: q.answer for video in bench.truth for q in video.questions}


@chosen_keys.register
def _(bench: CausalStepRun, rows: Sequence[Row]) -> Mapping[str, str | None]:
    return {row["question_id"]: row["choice"] for row in rows if row["mode"] == "isolated"}


@counted_for.register
def _(bench: CausalStepRun, rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    asked = {
        mode: [row["question_id"] for row in rows if row["mode"] == mode]
        for mode in ("chain", "isolated", "isolated_pair")
    }
    causal = set(asked["isolated_pair"])
    return dict.fromkeys(("csr", "amcl", "mcl", "rf", "ws"), asked["chain"]) | {
        "dua": [name for name in asked["isolated"] if name not in causal],
        "icra": [name for name in asked["isolated"] if name in causal],
        "icra_pair": asked["isolated_pair"],
    }


@right_keys.register
def _(bench: CastBenchRun) -> Keys:
    return {question.qa_id: question.answer for question in bench.truth}


@chosen_keys.register
def _(bench: CastBenchRun, rows: Sequence[Row]) -> Mapping[str, str | None]:
    return {
        row["qa_id"]: read_reply(row["predict"]).choice for row in rows if row["chain"] == "self"
    }


@counted_for.register
def _(bench: CastBenchRun, rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    asked = {c: [row["qa_id"] for row in rows if row["chain"] == c] for c in bench.chains}
    others = {f"accuracy_{chain}": asked[chain] for chain in bench.chains if chain != "self"}
    return others | dict.fromkeys(METRICS, asked.get("self", []))


@right_keys.register
def _(bench: DecisionsRun) -> Keys:
    return {decision.question_id: decision.answer for decision in bench.truth}


@chosen_keys.register
def _(bench: DecisionsRun, rows: Sequence[Row]) -> Mapping[str, str | None]:
    return {row["question_id"]: row["choice"] for row in rows}


@counted_for.register
def _(bench: DecisionsRun, rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    return {"repair_success": [row["question_id"] for row in rows]}


@right_keys.register
def _(bench: Causal2NeedlesRun) -> Keys:
    return {
        name: _stored_key(ask, key)
        for ask in bench.asks
        for name, key in zip(stored_ids(ask), ask.right, strict=True)
    }


@chosen_keys.register
def _(bench: Causal2NeedlesRun, rows: Sequence[Row]) -> Mapping[str, str | None]:
    return {
        name: None if key is None else _stored_key(ask, key)
        for ask, row in zip(bench.asks, rows, strict=True)
        if ask.order == "forward"
        for name, key in zip(stored_ids(ask), read_keys(ask, row["output"] or ""), strict=True)
    }


@counted_for.register
def _(bench: Causal2NeedlesRun, rows: Sequence[Row]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for ask in bench.asks:
        names = stored_ids(ask)
        if ask.task != "2needle_vg":
            found.setdefault(PLAIN[ask.task], []).extend(names)
            continue
        for part, counted in zip(PARTS, (names[:1], names[1:], names), strict=True):
            for order in (ask.order, "avg"):
                found.setdefault(f"vg_{order}_{part}", []).extend(counted)
    return found


@other_keys.register
def _(bench: Causal2NeedlesRun, item: Item, stale: Keys) -> list[str | None]:
    ask = bench.asked[item.question_id, item.mode]
    return [
        _shown_key(ask, stale[name], right) if name in stale else None
        for name, right in zip(stored_ids(ask), ask.right, strict=True)
    ]


def _stored_key(ask: Ask, key: str) -> str:
    """Return the stored key of what an answer gives: of a scene its number in the whole clip."""
    if ask.task == "2needle_id":
        return key
    place = int(key)
    return str(ask.shown[place - 1] + 1) if 1 <= place <= len(ask.shown) else ""


def _shown_key(ask: Ask, stored: str, right: str) -> str:
    """Return a stored key as the item has it; another wrong scene where it is not shown."""
    if ask.task == "2needle_id":
        return stored
    scenes = {str(clip + 1): str(place) for place, clip in enumerate(ask.shown, 1)}
    return scenes.get(stored) or next(place for place in scenes.values() if place != right)
