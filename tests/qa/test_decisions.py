"""Decisions: the right change undoes the outcome in its own rollout, the wrong ones do not."""

from simworld.claims import parse
from simworld.qa.claims import decide
from simworld.qa.decisions import make_decisions, outcome_of, prevents
from simworld.scene import load_scene

CUP = load_scene("falling_cup")


def test_what_may_be_prevented_is_the_most_telling_event_of_the_last_segment():
    happened = dict.fromkeys(CUP.scm.endogenous, 1)
    assert outcome_of(CUP, "impact", happened) == "shatter"
    assert outcome_of(CUP, "impact", {**happened, "shatter": 0}) == "impact"
    assert outcome_of(CUP, "opening", happened) is None


def test_a_change_is_claimed_to_keep_the_outcome_from_happening():
    rug = next(one for one in CUP.staged if one.name == "rug")
    assert str(prevents(rug, "shatter")) == "would(hard_floor = 0, not(occurs(shatter)))"


def decision(clip):
    [found], drops = make_decisions(
        clip.scene, clip.truth, clip.events, clip.segments, group="cup", seed=0
    )
    assert drops == ()
    return found


def test_one_option_prevents_it_and_the_others_leave_it(clip):
    cup = clip()
    found = decision(cup)
    assert [decide(parse(o.claim), cup.facts) for o in found.options] == [
        o.right for o in found.options
    ]
    assert sum(option.right for option in found.options) == 1
    wrong = {o.text for o in found.options if not o.right}
    assert wrong == {"If the green ball had not been rolled"}
    assert all(option.proof for option in found.options)
    assert "the mug broke into pieces" in found.question


def test_where_nothing_happens_there_is_nothing_to_prevent(clip):
    cup = clip(ball="rests")
    questions, [drop] = make_decisions(
        cup.scene, cup.truth, cup.events, cup.segments, group="cup", seed=0
    )
    assert questions == () and "nothing happened" in drop.reason
