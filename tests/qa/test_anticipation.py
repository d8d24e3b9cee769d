"""Where videos stop short, on cups whose every time is known; see conftest.py.

Frames: the green ball is set going to hit at 9, the red one bumps the mug at 14, which slides at
14, falls at 16 and hits the floor at 20, of 45.
"""

import pytest

from simworld.claims import parse
from simworld.qa.anticipation import look_ahead
from simworld.recipe import VideoSettings
from simworld.truth import FACTUAL
from tests.qa.conftest import FRAMES, ONSETS
from tests.qa.test_castbench import ask

LEVELS = [{}, {"floor": "rug"}, {"rail": "present"}, {"ball": "rests"}, {"edge_gap": "far"}]


def outlook_of(cup, **video):
    spec = cup.scene.world(cup.truth.context, FACTUAL)
    return look_ahead(cup.scene, cup.facts, spec, FRAMES, VideoSettings(**video))


def foretold(cup):
    [*_, question] = ask(cup, names=())[0]
    return question


def test_it_stops_before_the_fall_and_tells_of_what_comes_then(clip):
    cup = clip()
    outlook = outlook_of(cup)
    assert outlook.stop_frame == 15
    assert outlook.begun.keys() == {"knock", "bump", "slide"}
    assert outlook.foreseen == {"fall", "impact", "shatter"}
    question = foretold(cup)
    assert (question.kind, question.stop_frame) == ("predictive_anticipation", 15)
    right = {option.claim: option.evidence for option in question.options if option.right}
    broke = right["and(occurs(shatter), cause(brittle_mug, shatter))"]
    assert [(e.event, e.start_frame, e.stop_frame) for e in broke] == [
        ("brittle_mug", 0, 15), ("slide", 2, 15)
    ]  # fmt: skip


@pytest.mark.parametrize("levels", LEVELS)
def test_what_is_told_lies_after_the_stop_and_what_it_is_told_from_before(clip, levels):
    cup = clip(**levels)
    question = foretold(cup)
    stop = question.stop_frame
    for option in question.options:
        outcome = option.claim.rstrip(")").rpartition("(")[2].rpartition(" ")[2]
        began = cup.truth.onsets.get(outcome)
        assert began is None or began > 20 * (stop - 1)
        assert bool(option.evidence) is option.right
        for evidence in option.evidence:
            assert 0 <= evidence.start_frame < evidence.stop_frame <= stop
            assert cup.truth.onsets.get(evidence.event, 0) <= 20 * (stop - 1)


def test_that_a_ball_is_not_set_going_is_seen_all_along(clip):
    question = foretold(clip(ball="rests"))
    claim = "and(not(occurs(slide)), cause(not(bump), not(slide)))"
    [answer] = [option for option in question.options if option.claim == claim]
    [evidence] = answer.evidence
    assert (evidence.object, evidence.start_frame) == ("ball", 0)
    assert evidence.stop_frame == question.stop_frame


def test_it_stops_only_after_all_is_set_going_and_with_two_seconds_shown(clip):
    late = clip(green_start="late")
    starts = [action.step for action in late.scene.world(late.truth.context, FACTUAL).actions]
    assert outlook_of(late).stop_frame >= max(starts) / 20 + 3
    assert outlook_of(clip(), fps=24).stop_frame > 24


def test_nothing_is_left_when_all_has_happened(clip):
    early = {name: 20 * k for k, name in enumerate(ONSETS, start=1)}
    cup = clip(onsets=early)
    assert outlook_of(cup).foreseen == frozenset()
    assert {q.kind for q in ask(cup, names=())[0]} == {"causal_explanation"}


def test_an_account_is_told_from_what_it_names_and_is_seen(clip):
    outlook = outlook_of(clip())
    for account, seen in {
        "and(occurs(impact), cause(bump, impact))": {"bump"},
        "and(occurs(shatter), cause(impact, shatter))": {"slide"},
        "and(occurs(shatter), cause(hard_floor, shatter))": {"hard_floor", "slide"},
        "and(occurs(slide), not(occurs(knock)))": set(),
    }.items():
        assert outlook.evidence(parse(account)) == seen
