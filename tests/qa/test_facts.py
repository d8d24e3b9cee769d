import dataclasses

import pytest

from simworld.claims import parse
from simworld.qa.claims import Undecided, decide
from simworld.qa.facts import other_looks, proof_of


def test_facts_say_what_the_clip_shows(clip):
    cup = clip("cup-0", book="present")
    facts = cup.facts
    assert facts.conditions == {"near_edge": 1, "hard_floor": 1, "brittle_mug": 1}
    assert facts.events["bump"].start_step == 262
    assert facts.breaks["mug"].start_step == 382
    assert facts.colors["book"] == "purple"
    assert facts.recolored == {"mug", "floor"}
    for text in (
        "trigger(impact, shatter)",
        "enables(hard_floor, shatter)",
        "occurs(hit(mug, ball))",
    ):
        assert decide(parse(text), facts), text


def test_what_is_not_visible_and_did_not_happen(clip):
    facts = clip("cup-0", book="absent", floor="rug").facts
    assert "book" not in facts.colors
    assert facts.events["shatter"] is None
    assert not decide(parse("occurs(hit(mug, floor))"), facts)
    assert decide(parse("happens(hit(mug, rug), 4)"), facts)


@pytest.mark.parametrize(
    ("claim", "proof"),
    [
        ("happens(bump, 2)", ("do()",)),
        ("trigger(bump, slide)", ("do()", "do(bump = 0)")),
        ("trigger(knock, slide)", ("do()", "do(knock = 0)")),
        ("trigger(hit(green_ball, mug), slide)", ("do()",)),
        ("trigger(not(bump), slide)", ("do()",)),
        ("trigger(color(mug) = blue, slide)", ("do()", "other looks")),
        ("would(bump = 0, occurs(fall))", ("do()", "do(bump = 0)", "staged ball_rests")),
        ("and(trigger(bump, shatter), before(fall, bump))", ("do()", "do(bump = 0)")),
    ],
)
def test_each_claim_is_shown_by_its_rollouts(clip, claim, proof):
    cup = clip()
    assert proof_of(parse(claim), cup.scene, cup.truth) == proof


def test_that_something_was_not_so_is_shown_by_its_verdict(clip):
    steel = clip(mug_material="steel")
    claim = parse("trigger(not(brittle_mug), fall)")
    assert not decide(claim, steel.facts)
    assert proof_of(claim, steel.scene, steel.truth) == ("do()", "do(brittle_mug = 1)")


def test_a_colour_that_was_never_changed_is_neither_proven_nor_decided(clip):
    cup = clip()
    claim = parse("trigger(color(yellow_box) = yellow, slide)")
    with pytest.raises(Undecided):
        proof_of(claim, cup.scene, cup.truth)
    with pytest.raises(Undecided):
        decide(claim, cup.facts)


def test_a_world_in_which_more_than_looks_differs_proves_nothing_of_colours(clip):
    cup = clip()
    looks = cup.truth.rehearsals["other looks"]
    for other in (
        dataclasses.replace(looks, context=looks.context.at({"floor": "rug"})),
        dataclasses.replace(looks, noise={"mug_mass.usual": 0.01}),
        dataclasses.replace(
            looks, outcome=dataclasses.replace(looks.outcome, values={"shatter": 0})
        ),
    ):
        truth = dataclasses.replace(cup.truth, rehearsals={"other looks": other})
        assert other_looks(cup.scene, truth) == {}


def test_an_unproven_verdict_is_not_claimed(clip):
    cup = clip()
    kept = [
        v for v in cup.truth.verdicts if (v.verdict.cause, v.verdict.effect) != ("bump", "slide")
    ]
    truth = dataclasses.replace(cup.truth, verdicts=tuple(kept))
    with pytest.raises(Undecided):
        decide(parse("trigger(bump, slide)"), dataclasses.replace(cup, truth=truth).facts)


def test_outcomes_are_of_the_clips_own_world_and_of_valid_rollouts(clip):
    cup = clip()
    outcomes = cup.facts.outcomes
    assert outcomes["bump", 0]["fall"] == 0 and outcomes["bump", 0]["knock"] == 1
    assert ("shatter", 1) not in outcomes
    found = cup.truth.rehearsals["do(bump = 0)"]
    void = dataclasses.replace(found, outcome=dataclasses.replace(found.outcome, void=True))
    for other in (
        dataclasses.replace(found, noise={"mug_mass.usual": 0.01}),
        dataclasses.replace(found, context=found.context.at({"floor": "rug"})),
        dataclasses.replace(found, means="staged:ball_rests"),
        void,
    ):
        rehearsals = {**cup.truth.rehearsals, "do(bump = 0)": other}
        truth = dataclasses.replace(cup.truth, rehearsals=rehearsals)
        changed = dataclasses.replace(cup, truth=truth)
        assert ("bump", 0) not in changed.facts.outcomes
        with pytest.raises(Undecided):
            proof_of(parse("would(bump = 0, occurs(fall))"), cup.scene, truth)
