from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.causal import (
    SCM,
    Intervention,
    Unreachable,
    Value,
    Variable,
    Verdict,
    condition,
    event,
    exogenous,
    settings_used,
    verdicts,
)
from simworld.causal.variables import Kind

Do = Mapping[str, Value]
ROCKS = SCM.build(
    [
        exogenous("u"),
        event("suzy", "u"),
        event("billy", "u"),
        event("suzy_hits", "suzy"),
        event("billy_hits", "billy and not suzy_hits"),
        event("shatters", "suzy_hits or billy_hits"),
    ]
)


@st.composite
def models(draw: st.DrawFn) -> SCM:
    """Small binary models with arbitrary tables; the context is in the roots' tables."""
    variables: list[Variable] = []
    for name in "abcde"[: draw(st.integers(2, 5))]:
        others = [variable.name for variable in variables]
        parents = tuple(other for other in others if draw(st.booleans()))
        rows = product((0, 1), repeat=len(parents))
        table = tuple((*row, draw(st.integers(0, 1))) for row in rows)
        kind: Kind = "condition" if not parents and draw(st.booleans()) else "event"
        variables.append(Variable(name, kind, (0, 1), parents, table))
    return SCM(tuple(variables))


def brute_force(scm: SCM, effect: str) -> dict[frozenset[str], int]:
    """All minimal causes with the size of the smallest witness, straight from the definition."""
    actual = scm.evaluate({})
    others = [name for name in scm.endogenous if name != effect]
    subsets = [frozenset(c) for n in range(len(others) + 1) for c in combinations(others, n)]

    def undoes(cause: frozenset[str], held: frozenset[str]) -> bool:
        do = {name: 1 - int(actual[name]) for name in cause} | {name: actual[name] for name in held}
        return scm.evaluate({}, do)[effect] != actual[effect]

    works = {
        cause: min(sizes)
        for cause in subsets
        if (sizes := [len(held) for held in subsets if not held & cause and undoes(cause, held)])
    }
    return {cause: size for cause, size in works.items() if not any(c < cause for c in works)}


@settings(max_examples=150, deadline=None)
@given(models())
def test_verdicts_agree_with_the_definition(scm: SCM) -> None:
    causes = {effect: brute_force(scm, effect) for effect in scm.events}
    for verdict in verdicts(scm, partial(scm.evaluate, {})):
        sets = {c: w for c, w in causes[verdict.effect].items() if verdict.cause in c}
        alone = frozenset({verdict.cause})
        assert verdict.proven
        assert verdict.but_for == (sets.get(alone) == 0)
        assert verdict.actual == (alone in sets)
        assert verdict.part_of_cause == (bool(sets) and alone not in sets)
        smallest = min((len(c) + w for c, w in sets.items()), default=0)
        assert verdict.responsibility == (Fraction(1, smallest) if smallest else 0)
        if sets:
            assert verdict.cause_set is not None and verdict.witness is not None
            assert len(verdict.witness) == sets[frozenset(verdict.cause_set)]
            assert len(verdict.cause_set) + len(verdict.witness) == smallest


@settings(max_examples=100, deadline=None)
@given(models())
def test_the_settings_show_the_verdict(scm: SCM) -> None:
    actual = scm.evaluate({})
    for verdict in verdicts(scm, partial(scm.evaluate, {})):
        undone = [
            scm.evaluate({}, do)[verdict.effect] != actual[verdict.effect]
            for do in verdict.settings
        ]
        assert dict(verdict.settings[0]) == {verdict.cause: 1 - verdict.cause_value}
        assert undone[0] == verdict.but_for
        if verdict.cause_set is not None or verdict.role == "preempted_backup":
            assert undone == [False] * (len(undone) - 1) + [True]
        else:
            assert not any(undone)


def test_the_smallest_witness_is_stored() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            event("x", "u"),
            event("a", "not x"),
            event("b", "not x"),
            event("c", "not x"),
            event("y", "x or c and (a or b)"),
        ]
    )
    found = pairs(verdicts(scm, partial(scm.evaluate, {"u": 1})))
    assert found["x", "y"].witness == {"c": 0}


def test_responsibility_counts_held_variables_as_well() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            *(event(name, "u") for name in "pqvx"),
            event("m", "not x and not v"),
            event("n", "not x and not v"),
            event("y", "(x or v or m or n) and (x or p or q)"),
        ]
    )
    found = pairs(verdicts(scm, partial(scm.evaluate, {"u": 1})))
    assert found["v", "y"].cause_set == ("v", "x")
    assert found["v", "y"].witness == {"m": 0, "n": 0}
    assert found["v", "y"].responsibility == Fraction(1, 4)
    assert found["x", "y"].cause_set == ("p", "q", "x")
    assert found["x", "y"].responsibility == Fraction(1, 3)


@settings(max_examples=100, deadline=None)
@given(models())
def test_no_setting_is_evaluated_twice_or_is_the_same_as_a_smaller_one(scm: SCM) -> None:
    seen: list[dict[str, Value]] = []

    def evaluate(do: Do) -> Mapping[str, Value]:
        seen.append(dict(do))
        return scm.evaluate({}, do)

    found = verdicts(scm, evaluate)
    assert len(seen) == len({Intervention.of(do) for do in seen})
    assert {str(do) for do in settings_used(found)} <= {str(Intervention.of(do)) for do in seen}
    for do in seen:
        for name, value in do.items():
            rest = {other: do[other] for other in do if other != name}
            assert scm.evaluate({}, rest)[name] != value


def test_a_plain_chain_needs_one_evaluation_per_variable() -> None:
    links = [event(f"e{i}", f"e{i - 1}") for i in range(1, 51)]
    scm = SCM.build([exogenous("u"), event("e0", "u"), *links])
    calls: list[Do] = []

    def evaluate(do: Do) -> Mapping[str, Value]:
        calls.append(do)
        return scm.evaluate({"u": 1}, do)

    found = {(v.cause, v.effect): v for v in verdicts(scm, evaluate)}
    assert found["e0", "e50"].role == "trigger"
    assert len(calls) == 52


def test_settings_used_lists_each_setting_once_and_starts_with_the_factual() -> None:
    used = settings_used(verdicts(ROCKS, partial(ROCKS.evaluate, {"u": 1})))
    assert used[0] == Intervention()
    assert len(used) == len(set(used))
    assert Intervention.parse("do(billy_hits := 0, suzy := 0)") in used


def without(*refused: str) -> Callable[[Do], Mapping[str, Value]]:
    """Evaluate the rock throwing, but for settings in which one of these assignments stands."""

    def evaluate(do: Do) -> Mapping[str, Value]:
        for name, value in do.items():
            if f"{name} := {value}" in refused:
                raise Unreachable(f"no handle for {name} := {value}")
        return ROCKS.evaluate({"u": 1}, do)

    return evaluate


def pairs(found: tuple[Verdict, ...]) -> dict[tuple[str, str], Verdict]:
    return {(verdict.cause, verdict.effect): verdict for verdict in found}


def test_what_needs_an_unreachable_witness_is_unproven_not_wrong() -> None:
    found = pairs(verdicts(ROCKS, without("billy_hits := 0")))
    suzy = found["suzy", "shatters"]
    assert (suzy.proven, suzy.role, suzy.actual) == (False, "unknown", False)
    assert found["suzy", "suzy_hits"].proven
    assert found["suzy", "suzy_hits"].role == "trigger"


def test_an_event_that_cannot_be_forced_leaves_the_verdicts_of_others_proven() -> None:
    found = pairs(verdicts(ROCKS, without("billy_hits := 1")))
    assert not found["billy_hits", "shatters"].proven
    assert found["billy_hits", "shatters"].role == "unknown"
    assert found["suzy", "shatters"].proven and found["suzy", "shatters"].actual
    assert found["billy", "shatters"].proven
    assert found["billy", "shatters"].role == "preempted_backup"


def test_above_the_limit_the_role_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simworld.causal.search.SETTINGS_LIMIT", 8)
    voters = [f"v{i}" for i in range(5)]
    scm = SCM.build(
        [
            exogenous("u"),
            *(event(voter, "u") for voter in voters),
            condition("open", "u"),
            event("win", f"open and ({' or '.join(voters)})"),
            event("idle", "u"),
        ]
    )
    found = pairs(verdicts(scm, partial(scm.evaluate, {"u": 1})))
    assert (found["v0", "win"].role, found["v0", "win"].proven) == ("unknown", False)
    assert (found["open", "win"].role, found["open", "win"].proven) == ("enabling_condition", True)
    assert (found["idle", "win"].role, found["idle", "win"].proven) == ("unrelated", True)


def test_a_physics_that_knows_an_edge_that_the_graph_lacks_is_reported() -> None:
    def evaluate(do: Do) -> Mapping[str, Value]:
        values = ROCKS.evaluate({"u": 1}, do)
        return {**values, "suzy": 0} if values["shatters"] == 0 else values

    found = pairs(verdicts(ROCKS, evaluate))
    assert found["shatters", "suzy"].but_for
