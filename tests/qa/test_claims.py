import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.claims import Term, parse
from simworld.qa.claims import Facts, Happening, Relation, Undecided, decide

# A stone hits a bottle and the bottle breaks, twice hit; a bird sings beforehand.
FACTS = Facts(
    conditions={"brittle": 1, "wrapped": 0},
    events={
        "sing": Happening(10, 1, 4),
        "hit_bottle": Happening(50, 5, 6),
        "topple": Happening(60, 6, 12),
        "break_bottle": Happening(60, 6, 7),
        "roll": None,
    },
    contacts={
        frozenset(("stone", "bottle")): (Happening(50, 5, 6), Happening(90, 9, 10)),
        frozenset(("bottle", "floor")): (Happening(80, 8, 12),),
    },
    breaks={"bottle": Happening(60, 6, 7)},
    segments={1: (0, 5), 2: (5, 8), 3: (8, 12)},
    relations={
        ("hit_bottle", "break_bottle"): Relation("trigger", "direct", True),
        ("brittle", "break_bottle"): Relation("enabling_condition", "direct", True),
        ("wrapped", "break_bottle"): Relation("omission", "direct", True),
        ("sing", "break_bottle"): Relation("temporal_predecessor", "none", False),
        ("hit_bottle", "topple"): Relation("overdeterminer", "direct", False),
        ("hit_bottle", "roll"): Relation("preventer", "direct", True),
    },
    colors={"bottle": "green", "stone": "grey"},
    recolored=frozenset({"bottle"}),
    objects=frozenset({"stone", "bottle", "floor", "bird"}),
    outcomes={
        ("hit_bottle", 0): {
            "brittle": 1,
            "wrapped": 0,
            "sing": 1,
            "hit_bottle": 0,
            "topple": 0,
            "break_bottle": 0,
            "roll": 1,
        },
    },
)

TRUE = """
    occurs(sing)
    occurs(hit(bottle, stone))
    occurs(breaks(bottle))
    occurs(again(hit(stone, bottle)))
    happens(hit_bottle, 2)
    happens(hit(stone, bottle), 3)
    happens(topple, 2)
    starts(topple, 2)
    starts(hit(stone, bottle), 3)
    touches(bottle, floor, 3)
    touches(floor, bottle, 3)
    before(sing, hit_bottle)
    holds(brittle)
    color(bottle) = green
    trigger(hit_bottle, break_bottle)
    trigger(not(wrapped), break_bottle)
    cause(hit_bottle, break_bottle)
    cause(brittle, break_bottle)
    cause(hit_bottle, topple)
    enables(brittle, break_bottle)
    not(holds(wrapped))
    and(occurs(sing), not(occurs(roll)))
    would(hit_bottle = 0, occurs(roll))
    would(hit_bottle = 0, not(occurs(break_bottle)))
    would(hit_bottle = 0, and(occurs(sing), not(occurs(topple))))
    would(hit_bottle = 0, holds(brittle))
    not(would(hit_bottle = 0, occurs(topple)))
"""

FALSE = """
    occurs(roll)
    occurs(hit(stone, floor))
    occurs(breaks(stone))
    occurs(again(hit(bottle, floor)))
    happens(sing, 2)
    happens(hit_bottle, 1)
    starts(topple, 3)
    starts(roll, 1)
    happens(color(bottle) = green, 1)
    touches(bottle, floor, 2)
    before(hit_bottle, sing)
    before(topple, break_bottle)
    before(roll, sing)
    holds(wrapped)
    color(bottle) = grey
    trigger(brittle, break_bottle)
    trigger(sing, break_bottle)
    trigger(roll, break_bottle)
    trigger(not(hit_bottle), break_bottle)
    trigger(hit(bottle, floor), break_bottle)
    trigger(hit(stone, floor), break_bottle)
    trigger(hit_bottle, roll)
    trigger(hit_bottle, topple)
    trigger(color(bottle) = green, break_bottle)
    trigger(color(stone) = red, break_bottle)
    cause(sing, break_bottle)
    cause(topple, sing)
    cause(wrapped, break_bottle)
    enables(hit_bottle, break_bottle)
    and(happens(topple, 3), occurs(roll))
    would(hit_bottle = 0, occurs(break_bottle))
    would(hit_bottle = 0, not(occurs(sing)))
    would(hit_bottle = 0, holds(wrapped))
    would(hit_bottle = 0, and(occurs(sing), occurs(topple)))
"""

UNDECIDED = """
    happens(topple, 3)
    happens(sing, 4)
    starts(sing, 4)
    starts(laugh, 1)
    happens(sing, soon)
    happens(brittle, 1)
    occurs(laugh)
    occurs(hit(stone, window))
    occurs(hit(stone))
    holds(sing)
    color(bird) = red
    size(bottle) = big
    trigger(sing, hit_bottle)
    trigger(hit(stone, bottle), break_bottle)
    trigger(not(hit(stone, floor)), break_bottle)
    trigger(color(stone) = grey, break_bottle)
    trigger(hit_bottle, hit(bottle, floor))
    trigger(hit_bottle, brittle)
    prevents(hit_bottle, roll)
    sing
    and(occurs(sing), happens(topple, 3))
    would(hit_bottle = 1, occurs(sing))
    would(sing = 0, occurs(topple))
    would(hit_bottle = soon, occurs(sing))
    would(hit_bottle, occurs(sing))
    would(hit_bottle = 0, occurs(hit(bottle, floor)))
    would(hit_bottle = 0, happens(sing, 1))
    would(hit_bottle = 0, cause(hit_bottle, break_bottle))
    would(hit_bottle = 0, and(not(occurs(sing)), occurs(laugh)))
    not(happens(topple, 3))
"""


def lines(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("text", lines(TRUE))
def test_what_holds(text):
    assert decide(parse(text), FACTS) is True


@pytest.mark.parametrize("text", lines(FALSE))
def test_what_does_not_hold(text):
    assert decide(parse(text), FACTS) is False


@pytest.mark.parametrize("text", lines(UNDECIDED))
def test_what_the_facts_do_not_settle_is_never_called_false(text):
    with pytest.raises(Undecided):
        decide(parse(text), FACTS)


claims = st.sampled_from(lines(TRUE + FALSE + UNDECIDED)).map(parse)


def settle(claim):
    try:
        return decide(claim, FACTS)
    except Undecided:
        return None


@given(claims, claims)
def test_not_and_and_follow_three_valued_logic(one, other):
    first, second = settle(one), settle(other)
    assert settle(Term("not", (one,))) == (None if first is None else not first)
    both = settle(Term("and", (one, other)))
    if False in (first, second):
        assert both is False
    else:
        assert both is (None if None in (first, second) else True)


@pytest.mark.parametrize(
    ("role", "directness", "holding"),
    [
        ("trigger", "direct", {"trigger", "cause"}),
        ("trigger", "indirect", {"cause"}),
        ("preempted_backup", "none", set()),
        ("common_cause_sibling", "none", set()),
        ("unrelated", "none", set()),
    ],
)
def test_a_role_decides_which_causal_claims_hold(role, directness, holding):
    relation = Relation(role, directness, actual=role == "trigger")
    facts = dataclasses.replace(FACTS, relations={("hit_bottle", "break_bottle"): relation})
    effect = (Term("hit_bottle"), Term("break_bottle"))
    heads = {h for h in ("trigger", "cause", "enables") if decide(Term(h, effect), facts)}
    assert heads == holding
