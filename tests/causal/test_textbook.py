"""The standard hard cases, with the verdicts that the literature gives.

Halpern, *Actual Causality* (2016), chapters 2, 3 and 6, under the modified definition.
"""

from fractions import Fraction
from functools import partial
from itertools import product

import pytest

from simworld.causal import (
    SCM,
    Declaration,
    Value,
    Variable,
    Verdict,
    condition,
    event,
    exogenous,
    verdicts,
)

Pairs = dict[tuple[str, str], Verdict]


def judge(scm: SCM, onsets: dict[str, int] | None = None, **context: Value) -> Pairs:
    found = verdicts(scm, partial(scm.evaluate, context), onsets)
    return {(verdict.cause, verdict.effect): verdict for verdict in found}


def causes_of(found: Pairs, effect: str) -> set[str]:
    return {cause for (cause, other), v in found.items() if other == effect and v.actual}


def test_conjunctive_forest_fire_each_is_a_but_for_cause() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            event("lightning", "u"),
            event("match", "u"),
            event("fire", "lightning and match"),
        ]
    )
    found = judge(scm, u=1)
    for cause in ("lightning", "match"):
        verdict = found[cause, "fire"]
        assert verdict.but_for and verdict.actual and not verdict.part_of_cause
        assert (verdict.cause_set, verdict.witness) == ((cause,), {})
        assert verdict.responsibility == 1
        assert verdict.role == "trigger"
        assert [str(do) for do in verdict.settings] == [f"do({cause} := 0)"]


def test_disjunctive_forest_fire_the_two_together_are_the_cause() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            event("lightning", "u"),
            event("match", "u"),
            event("fire", "lightning or match"),
        ]
    )
    found = judge(scm, u=1)
    for cause in ("lightning", "match"):
        verdict = found[cause, "fire"]
        assert not verdict.but_for and not verdict.actual and verdict.part_of_cause
        assert (verdict.cause_set, verdict.witness) == (("lightning", "match"), {})
        assert (verdict.responsibility, verdict.role) == (Fraction(1, 2), "overdeterminer")
        assert verdict.directness == "direct"
        assert str(verdict.settings[-1]) == "do(lightning := 0, match := 0)"


ROCKS: list[Variable | Declaration] = [
    exogenous("u"),
    event("suzy_throws", "u"),
    event("billy_throws", "u"),
    event("suzy_hits", "suzy_throws"),
    event("billy_hits", "billy_throws and not suzy_hits"),
]


def test_rock_throwing_suzy_is_the_cause_and_billy_is_not() -> None:
    found = judge(SCM.build([*ROCKS, event("shatters", "suzy_hits or billy_hits")]), u=1)
    suzy = found["suzy_throws", "shatters"]
    assert suzy.actual and not suzy.but_for
    assert suzy.witness == {"billy_hits": 0}
    assert (suzy.responsibility, suzy.role) == (Fraction(1, 2), "trigger")
    assert suzy.directness == "indirect"
    assert [str(do) for do in suzy.settings] == [
        "do(suzy_throws := 0)",
        "do(billy_hits := 0, suzy_throws := 0)",
    ]
    assert found["suzy_hits", "shatters"].actual
    assert found["suzy_hits", "shatters"].directness == "direct"
    assert found["suzy_throws", "billy_hits"].role == "preventer"

    billy = found["billy_throws", "shatters"]
    assert not billy.actual and not billy.part_of_cause
    assert billy.cause_set is None and billy.witness is None and billy.responsibility == 0
    assert (billy.role, billy.directness) == ("preempted_backup", "none")
    assert [str(do) for do in billy.settings] == [
        "do(billy_throws := 0)",
        "do(suzy_throws := 0)",
        "do(billy_throws := 0, suzy_throws := 0)",
    ]
    assert found["billy_hits", "shatters"].role == "unrelated"


def test_a_backup_is_found_among_standing_conditions_and_shared_later_links() -> None:
    scm = SCM.build(
        [
            *ROCKS,
            exogenous("bottle", ("glass", "steel")),
            condition("brittle", "bottle == 'glass'"),
            event("shatters", "(suzy_hits or billy_hits) and brittle"),
            event("shards_land", "shatters"),
            event("alarm", "shards_land and brittle"),
        ]
    )
    found = judge(scm, u=1, bottle="glass")
    assert causes_of(found, "alarm") == {
        "suzy_throws",
        "suzy_hits",
        "brittle",
        "shatters",
        "shards_land",
    }
    assert found["billy_throws", "alarm"].role == "preempted_backup"
    assert found["brittle", "alarm"].role == "enabling_condition"


def test_an_absent_event_is_no_backup() -> None:
    scm = SCM.build(
        [
            *ROCKS[:4],
            exogenous("v"),
            event("shield", "v"),
            event("billy_hits", "billy_throws and not suzy_hits and not shield"),
            event("shatters", "suzy_hits or billy_hits"),
        ]
    )
    found = judge(scm, u=1, v=0)
    assert found["billy_throws", "shatters"].role == "preempted_backup"
    assert found["shield", "shatters"].role == "unrelated"


def test_of_three_throwers_the_second_and_the_third_are_backups() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            event("a", "u"),
            event("b", "u"),
            event("c", "u"),
            event("a_hits", "a"),
            event("b_hits", "b and not a_hits"),
            event("c_hits", "c and not a_hits and not b_hits"),
            event("shatters", "a_hits or b_hits or c_hits"),
        ]
    )
    found = judge(scm, u=1)
    assert causes_of(found, "shatters") == {"a", "a_hits"}
    assert found["a", "shatters"].witness == {"b_hits": 0, "c_hits": 0}
    assert found["a", "shatters"].responsibility == Fraction(1, 3)
    assert found["b", "shatters"].role == found["c", "shatters"].role == "preempted_backup"


def test_early_preemption_the_backup_that_was_cut_off_is_no_cause() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            condition("supervisor_ready", "u"),
            event("trainee_shoots", "u"),
            event("supervisor_shoots", "supervisor_ready and not trainee_shoots"),
            event("death", "trainee_shoots or supervisor_shoots"),
        ]
    )
    found = judge(scm, u=1)
    trainee = found["trainee_shoots", "death"]
    assert trainee.actual and not trainee.but_for
    assert trainee.witness == {"supervisor_shoots": 0}
    assert found["supervisor_ready", "death"].role == "preempted_backup"
    assert causes_of(found, "death") == {"trainee_shoots"}


def election(votes_for: int, votes_against: int) -> Pairs:
    voters = tuple(f"voter_{i}" for i in range(votes_for + votes_against))
    votes = product((0, 1), repeat=len(voters))
    table = tuple((*row, int(sum(row) > len(voters) / 2)) for row in votes)
    variables = [
        Variable(name, "event", (0, 1), (), ((int(i < votes_for),),))
        for i, name in enumerate(voters)
    ]
    return judge(SCM((*variables, Variable("win", "event", (0, 1), voters, table))))


def test_voting_eleven_to_nothing_each_voter_has_one_sixth() -> None:
    found = election(11, 0)
    for i in range(11):
        verdict = found[f"voter_{i}", "win"]
        assert verdict.part_of_cause and not verdict.actual
        assert verdict.cause_set is not None and len(verdict.cause_set) == 6
        assert verdict.responsibility == Fraction(1, 6)


def test_voting_six_to_five_each_voter_of_the_majority_is_a_but_for_cause() -> None:
    found = election(6, 5)
    for i in range(6):
        assert found[f"voter_{i}", "win"].but_for
        assert found[f"voter_{i}", "win"].responsibility == 1
    for i in range(6, 11):
        assert found[f"voter_{i}", "win"].cause_set is None
        assert found[f"voter_{i}", "win"].responsibility == 0


def test_double_prevention_who_stops_the_preventer_is_a_cause() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            event("billy_shoots", "u"),
            event("enemy_shoots", "u and not billy_shoots"),
            event("suzy_bombs", "u"),
            event("target_hit", "suzy_bombs and not enemy_shoots"),
        ]
    )
    found = judge(scm, u=1)
    billy = found["billy_shoots", "target_hit"]
    assert billy.but_for and billy.role == "trigger" and billy.directness == "indirect"
    assert found["billy_shoots", "enemy_shoots"].role == "preventer"
    assert found["enemy_shoots", "target_hit"].role == "omission"
    assert scm.edge_role("enemy_shoots", "target_hit") == "prevents"


def test_railroad_with_one_route_variable_the_switch_is_no_cause() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            event("train", "u"),
            event("switch", "u"),
            event("route", "train and switch"),
            event("arrival", "train"),
        ]
    )
    found = judge(scm, u=1, onsets={"train": 0, "switch": 5, "route": 9, "arrival": 20})
    assert causes_of(found, "arrival") == {"train"}
    assert found["switch", "route"].actual
    assert found["switch", "arrival"].role == "temporal_predecessor"
    assert found["route", "arrival"].role == "common_cause_sibling"


def test_railroad_with_two_track_variables_the_switch_is_a_cause() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            event("switch", "u"),
            event("right_track", "switch"),
            event("left_track", "not switch"),
            event("arrival", "left_track or right_track"),
        ]
    )
    switch = judge(scm, u=1)["switch", "arrival"]
    assert switch.actual and not switch.but_for
    assert switch.witness == {"left_track": 0}


def test_bogus_prevention_an_antidote_against_no_poison_is_no_cause() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            exogenous("v"),
            event("poison", "v"),
            event("antidote", "u"),
            event("death", "poison and not antidote"),
        ]
    )
    found = judge(scm, u=1, v=0)
    # The minimal cause of survival is the pair: no poison, and an antidote against it.
    assert causes_of(found, "death") == set()
    assert found["antidote", "death"].cause_set == ("poison", "antidote")
    assert judge(scm, u=1, v=1)["antidote", "death"].role == "preventer"
    assert judge(scm, u=0, v=0)["poison", "death"].role == "omission"


def test_broken_transitivity_the_boulder_is_no_cause_of_survival() -> None:
    scm = SCM.build(
        [
            exogenous("u"),
            event("boulder", "u"),
            event("duck", "boulder"),
            event("survive", "not boulder or duck"),
        ]
    )
    found = judge(scm, u=1)
    assert found["boulder", "duck"].but_for and found["duck", "survive"].but_for
    assert found["boulder", "survive"].cause_set is None
    assert found["boulder", "survive"].role == "unrelated"


def test_siblings_have_a_common_cause() -> None:
    scm = SCM.build(
        [exogenous("u"), event("tilt", "u"), event("fall_1", "tilt"), event("fall_2", "tilt")]
    )
    found = judge(scm, u=1, onsets={"tilt": 0, "fall_1": 10, "fall_2": 20})
    assert (
        found["fall_1", "fall_2"].role == found["fall_2", "fall_1"].role == "common_cause_sibling"
    )


CUP = SCM.build(
    [
        exogenous("ball"),
        exogenous("car"),
        exogenous("place", ("edge", "middle")),
        exogenous("floor", ("bare", "rug")),
        exogenous("mug", ("glass", "steel")),
        condition("near_edge", "place == 'edge'"),
        condition("hard_floor", "floor == 'bare'"),
        condition("brittle_mug", "mug == 'glass'"),
        event("knock", "car"),
        event("bump", "ball"),
        event("slide", "bump"),
        event("fall", "slide and near_edge"),
        event("impact", "fall"),
        event("shatter", "impact and hard_floor and brittle_mug"),
    ]
)
CUP_CONTEXT: dict[str, Value] = {
    "ball": 1,
    "car": 1,
    "place": "edge",
    "floor": "bare",
    "mug": "glass",
}
CUP_ONSETS = {"knock": 5, "bump": 10, "slide": 12, "fall": 30, "impact": 70, "shatter": 71}


@pytest.fixture(scope="module")
def cup() -> Pairs:
    return judge(CUP, CUP_ONSETS, **CUP_CONTEXT)


def test_falling_cup_every_ancestor_is_a_cause(cup: Pairs) -> None:
    assert causes_of(cup, "shatter") == {
        "bump", "slide", "fall", "impact", "near_edge", "hard_floor", "brittle_mug"
    }  # fmt: skip
    assert all(cup[cause, "shatter"].but_for for cause in causes_of(cup, "shatter"))


def test_falling_cup_only_the_impact_is_a_direct_trigger(cup: Pairs) -> None:
    direct = {
        cause: verdict.role
        for (cause, effect), verdict in cup.items()
        if effect == "shatter" and verdict.directness == "direct"
    }
    assert direct == {
        "impact": "trigger",
        "hard_floor": "enabling_condition",
        "brittle_mug": "enabling_condition",
    }
    assert cup["near_edge", "shatter"].directness == "indirect"


def test_falling_cup_the_knock_is_merely_earlier(cup: Pairs) -> None:
    assert cup["knock", "shatter"].role == "temporal_predecessor"
    assert cup["knock", "shatter"].directness == "none"
    assert cup["shatter", "knock"].role == "unrelated"


def test_falling_cup_an_effect_is_no_cause_of_its_cause(cup: Pairs) -> None:
    assert cup["shatter", "bump"].role == "unrelated"
    assert cup["shatter", "slide"].role == "unrelated"


def test_falling_cup_on_a_rug_the_soft_floor_is_an_omission() -> None:
    found = judge(CUP, CUP_ONSETS, **CUP_CONTEXT | {"floor": "rug"})
    assert found["hard_floor", "shatter"].role == "omission"
    assert found["impact", "shatter"].cause_set is None
