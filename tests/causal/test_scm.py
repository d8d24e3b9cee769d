import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.causal import SCM, Intervention, Value, Variable, condition, event, exogenous
from simworld.errors import InputError

CUP = SCM.build(
    [
        exogenous("ball"),
        exogenous("car"),
        exogenous("place", ("edge", "middle")),
        exogenous("floor", ("bare", "rug")),
        condition("near_edge", "place == 'edge'"),
        condition("hard_floor", "floor == 'bare'"),
        event("knock", "car"),
        event("bump", "ball"),
        event("fall", "bump and near_edge"),
        event("shatter", "fall and hard_floor"),
    ]
)
CONTEXT: dict[str, Value] = {"ball": 1, "car": 0, "place": "edge", "floor": "bare"}


def test_evaluate_gives_every_variable() -> None:
    assert CUP.evaluate(CONTEXT) == {
        **CONTEXT,
        "near_edge": 1,
        "hard_floor": 1,
        "knock": 0,
        "bump": 1,
        "fall": 1,
        "shatter": 1,
    }


def test_do_cuts_the_variable_from_its_parents() -> None:
    values = CUP.evaluate(CONTEXT, Intervention.parse("do(fall := 0)"))
    assert (values["bump"], values["fall"], values["shatter"]) == (1, 0, 0)
    values = CUP.evaluate({**CONTEXT, "ball": 0}, {"fall": 1})
    assert (values["bump"], values["fall"], values["shatter"]) == (0, 1, 1)


def test_do_may_set_an_exogenous_variable() -> None:
    assert CUP.evaluate(CONTEXT, {"floor": "rug"})["shatter"] == 0


@pytest.mark.parametrize(
    ("context", "do", "message"),
    [
        ({"ball": 1, "car": 0, "place": "edge"}, {}, r"no value for 'floor'; give one of"),
        ({**CONTEXT, "floor": "ice"}, {}, r"'floor' must be one of \('bare', 'rug'\), found 'ice'"),
        ({**CONTEXT, "bump": 0}, {}, "'bump' is no exogenous variable"),
        (CONTEXT, {"bmup": 0}, r"'bmup'; did you mean 'bump'\?"),
        (CONTEXT, {"bump": 2}, r"'bump' must be one of \(0, 1\), found 2"),
    ],
)
def test_evaluate_refuses(context: dict[str, int | str], do: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CUP.evaluate(context, do)


def test_levels_of_nuisances_are_passed_over() -> None:
    assert CUP.evaluate({**CONTEXT, "wall_colour": "blue"})["shatter"] == 1


def test_the_graph_has_kinds_and_roles() -> None:
    graph = CUP.graph()
    assert set(graph) == set(CUP.order)
    assert graph.nodes["fall"]["kind"] == "event"
    assert graph.nodes["near_edge"]["kind"] == "condition"
    assert dict(graph.edges) == {
        ("ball", "bump"): {"role": "triggers"},
        ("car", "knock"): {"role": "triggers"},
        ("place", "near_edge"): {"role": "sets"},
        ("floor", "hard_floor"): {"role": "sets"},
        ("bump", "fall"): {"role": "triggers"},
        ("near_edge", "fall"): {"role": "enables"},
        ("fall", "shatter"): {"role": "triggers"},
        ("hard_floor", "shatter"): {"role": "enables"},
    }


def test_a_parent_that_turns_its_child_off_prevents() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            condition("wall", "u"),
            event("roll", "u"),
            event("hit", "roll and not wall"),
        ]
    )
    assert scm.edge_role("wall", "hit") == "prevents"
    assert scm.edge_role("roll", "hit") == "triggers"
    with pytest.raises(InputError, match="no edge u -> hit"):
        scm.edge_role("u", "hit")


def test_relatives() -> None:
    assert CUP.parents("shatter") == ("fall", "hard_floor")
    assert CUP.children("bump") == ("fall",)
    assert CUP.ancestors("fall") == {"bump", "near_edge", "ball", "place"}
    assert CUP.descendants("near_edge") == {"fall", "shatter"}
    assert CUP.endogenous == ("near_edge", "hard_floor", "knock", "bump", "fall", "shatter")
    with pytest.raises(InputError, match=r"did you mean 'shatter'\?"):
        CUP.parents("shater")


def test_order_puts_parents_first_and_keeps_the_declared_order_otherwise() -> None:
    scm = SCM.build([event("b", "a"), exogenous("z"), event("a", "u"), exogenous("u")])
    assert scm.order == ("z", "u", "a", "b")


def test_json_round_trip() -> None:
    rows = json.loads(json.dumps(CUP.to_json()))
    assert rows[8] == {
        "name": "fall",
        "kind": "event",
        "domain": [0, 1],
        "parents": ["bump", "near_edge"],
        "table": [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]],
    }
    assert SCM.from_json(rows) == CUP


@given(st.sampled_from(["name", "kind", "domain", "parents", "table"]), st.integers(0, 9))
def test_json_without_a_field_is_refused(key: str, index: int) -> None:
    rows = CUP.to_json()
    del rows[index][key]
    with pytest.raises(InputError, match="name, kind, domain, parents and table"):
        SCM.from_json(rows)


def e(name: str, parents: tuple[str, ...], *table: tuple[int, ...]) -> Variable:
    return Variable(name, "event", (0, 1), parents, table)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ([e("a", (), (1,)), e("a", (), (0,))], "'a' more than once"),
        ([e("bump", (), (1,)), e("x", ("bmp",), (0, 0), (1, 1))], "'bmp'; did you mean 'bump'"),
        ([e("a", ("b",), (0, 0), (1, 1)), e("b", ("a",), (0, 0), (1, 1))], "no cycle, found"),
        ([e("a", ("a",), (0, 0), (1, 1))], "no cycle, found a -> a"),
        ([e("a", (), (1,)), e("b", ("a",), (0, 0))], r"no row for \('a',\) = \(1,\)"),
        ([e("a", (), (1,)), e("b", ("a",), (0, 0), (1, 1), (1, 0))], "two rows"),
        ([e("a", (), (1,)), e("b", ("a",), (0, 0), (2, 1))], r"'a' must be one of \(0, 1\), found"),
        ([e("a", (), (1,)), e("b", ("a",), (0, 0), (1, 2))], r"'b' must be one of \(0, 1\), found"),
        ([e("a", (), (1,)), e("b", ("a",), (0,))], r"must hold 2 values \('a', 'b'\), found"),
        ([e("a", ())], "no row"),
    ],
)
def test_a_wrong_model_is_refused(variables: list[Variable], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SCM(tuple(variables))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("2x", "event"), "found '2x'"),
        (("not", "event"), "no Python keyword"),
        (("x", "cause"), "kind must be one of"),
        (("x", "event", (0, 1, 2)), r"must be \(0, 1\)"),
        (("x", "exogenous", ()), "distinct values"),
        (("x", "exogenous", (1, 1)), "distinct values"),
        (("x", "exogenous", (0.5, 1)), "int or a str, found 0.5"),
        (("x", "exogenous", (0, 1), ("a",)), "no parents"),
        (("x", "event", (0, 1), ("a", "a")), "parents must be distinct"),
    ],
)
def test_a_wrong_variable_is_refused(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Variable(*arguments)  # type: ignore[arg-type]
