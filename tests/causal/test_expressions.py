import re

import pytest

from simworld.causal import SCM, Variable, condition, event, exogenous
from simworld.errors import InputError


def variable(expression: str) -> Variable:
    return SCM.build(
        [
            exogenous("a"),
            exogenous("b"),
            exogenous("floor", ("bare", "rug")),
            exogenous("size", (1, 2, 3)),
            event("x", expression),
        ]
    )["x"]


def test_the_table_lists_the_parents_values_and_the_value() -> None:
    x = variable("a and not b")
    assert x.parents == ("a", "b")
    assert set(x.table) == {(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 0)}


def test_parents_stand_in_order_of_first_appearance() -> None:
    assert variable("(b or floor == 'bare') and (a or b)").parents == ("b", "floor", "a")


def test_and_binds_tighter_than_or() -> None:
    assert set(variable("a or a and b").table) == {(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)}


def test_comparisons_of_levels() -> None:
    assert set(variable("floor == 'bare'").table) == {("bare", 1), ("rug", 0)}
    assert set(variable("size != 2").table) == {(1, 1), (2, 0), (3, 1)}
    assert set(variable("a == b").table) == {(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1)}


def test_a_constant_needs_no_parents() -> None:
    assert variable("1").table == ((1,),)


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("a +", "'a +', which cannot be read"),
        ("a + b", "'a + b'"),
        ("f(a)", "'f(a)'"),
        ("a if b else 0", "'a if b else 0'"),
        ("size > 1", "'size > 1'"),
        ("a == b == 1", "'a == b == 1'"),
        ("floor", "'floor' as a truth value"),
        ("'bare'", "\"'bare'\""),
        ("2", "'2'"),
        ("True", "'True'"),
        ("floor == 'bar'", "never equal"),
        ("size == (a and b)", "'a and b' in a comparison"),
        ("__import__('os')", "__import__"),
    ],
)
def test_anything_else_is_refused(expression: str, found: str) -> None:
    with pytest.raises(InputError, match=rf"equation of 'x'.*{re.escape(found)}.*allowed are"):
        variable(expression)


def test_an_unknown_name_brings_the_nearest() -> None:
    with pytest.raises(InputError, match=r"equation of 'x'.*'flor'.*did you mean 'floor'\?"):
        variable("flor == 'bare'")


def test_a_condition_may_name_what_is_declared_later() -> None:
    scm = SCM.build([condition("hard", "floor == 'bare'"), exogenous("floor", ("bare", "rug"))])
    assert scm.evaluate({"floor": "rug"})["hard"] == 0
