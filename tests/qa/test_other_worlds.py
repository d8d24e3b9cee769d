"""Whoever knows all, but of another world than is shown, is right where the worlds agree."""

import re

import pytest

from simworld.claims import parse
from simworld.qa.castbench import make_castbench
from simworld.qa.claims import Undecided, decide
from simworld.qa.finalise import finalise
from simworld.qa.questions import make_questions
from simworld.recipe import VideoSettings

CHANGED = {
    "rug": ({"floor": "rug"}, {"hard_floor", "shatter"}),
    "steel_mug": ({"mug_material": "steel"}, {"brittle_mug", "shatter"}),
}
"""What differs in each twin of the usual cup: by hand, what its mug cannot do without."""


def asked_of(cup):
    told = cup.scene, cup.truth, cup.events, cup.segments
    step, _ = make_questions(*told, group="falling_cup-0000")
    cast, _ = make_castbench(
        *told, group="falling_cup-0000", staged=cup.scene.staged, video=VideoSettings()
    )
    return finalise([*step, *cast], seed=0)


def answer(question, facts):
    """Return the only option that is true by these facts; None if none is, or several are."""

    def holds(option):
        try:
            return decide(parse(option.claim), facts)
        except Undecided:
            return False

    found = [option for option in question.options if holds(option)]
    return found[0] if len(found) == 1 else None


def is_right(question, facts):
    found = answer(question, facts)
    return found is not None and found.right


def names(claim):
    return set(re.findall(r"[a-z_]+", claim))


def said_to_be_so(claim):
    """Return all that a claim says of what is shown, but for what it denies."""
    if claim.head in ("not", "would"):
        return set()
    return {claim.head}.union(*map(said_to_be_so, claim.args))


def test_the_truth_of_the_world_shown_answers_every_question(clip):
    cup = clip()
    asked = asked_of(cup)
    assert {q.benchmark for q in asked} == {"causalstep", "castbench"}
    assert all(is_right(question, cup.facts) for question in asked)


def test_the_truth_of_the_twin_with_other_looks_answers_every_question(clip):
    other = clip(mug_color="orange").facts
    asked = [q for q in asked_of(clip()) if not any("color" in o.claim for o in q.options)]
    assert len(asked) > 5 and all(is_right(question, other) for question in asked)


@pytest.mark.parametrize("twin", CHANGED)
def test_the_truth_of_a_twin_answers_only_what_does_not_turn_on_the_change(clip, twin):
    levels, changed = CHANGED[twin]
    cup, other = clip(), clip(**levels).facts
    asked = asked_of(cup)
    turning = [
        question
        for question in asked
        if any(said_to_be_so(parse(o.claim)) & changed for o in question.options if o.right)
    ]
    assert turning and not any(is_right(question, other) for question in turning)
    alike = [q for q in asked if not any(names(o.claim) & changed for o in q.options)]
    assert all(is_right(question, other) for question in alike)
