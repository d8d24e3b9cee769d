import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.causal import Intervention
from simworld.errors import InputError

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: (
        name not in {"and", "or", "not", "is", "in", "if", "as", "for", "def", "del", "try"}
    )
)
VALUES = st.integers(-(10**9), 10**9) | st.text(max_size=12)


def test_text_is_sorted_by_name() -> None:
    assert str(Intervention.of({"bump": 0})) == "do(bump := 0)"
    assert str(Intervention.of({"hard_floor": 1, "bump": 0})) == "do(bump := 0, hard_floor := 1)"
    assert str(Intervention()) == "do()"


def test_string_values_are_quoted() -> None:
    assert str(Intervention.of({"floor": "rug"})) == "do(floor := 'rug')"
    assert Intervention.parse('do(floor := "rug")') == Intervention.of({"floor": "rug"})


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_parse_reads_back_what_str_wrote(values: dict[str, int | str]) -> None:
    intervention = Intervention.of(values)
    assert Intervention.parse(str(intervention)) == intervention
    assert dict(intervention) == values


@pytest.mark.parametrize(
    "text",
    ["", "bump := 0", "do(bump = 0)", "do(bump)", "do(0)", "undo(bump := 0)", "do(bump := x)",
     "do(bump := 1.5)", "do(bump := True)", "do(bump := [0])", "do(bump := 0, bump := 1)",
     "do(bump := 0); do()", "do(bump := 0"],
)  # fmt: skip
def test_parse_refuses_anything_else(text: str) -> None:
    with pytest.raises(InputError):
        Intervention.parse(text)


def test_it_is_a_hashable_mapping() -> None:
    intervention = Intervention.of({"bump": 0, "floor": "rug"})
    assert intervention["floor"] == "rug"
    assert "slide" not in intervention
    assert len({intervention, Intervention.of({"floor": "rug", "bump": 0})}) == 1


def test_union_joins_and_refuses_a_contradiction() -> None:
    bump = Intervention.of({"bump": 0})
    joint = bump | Intervention.of({"hard_floor": 1}) | {"bump": 0}
    assert str(joint) == "do(bump := 0, hard_floor := 1)"
    with pytest.raises(InputError, match=r"'bump' to both 0 and 1"):
        bump | {"bump": 1}
