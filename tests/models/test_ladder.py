"""The ladder: models whose competence is known, so that metrics can be held against it."""

import dataclasses
from pathlib import Path

import pytest

from simworld.claims import parse
from simworld.errors import InputError
from simworld.models import make_model
from simworld.models.base import Answer, Claims, Event, Item, Part, Span, Truth

EVENTS = tuple(
    Event(name, name, kind, participants, frame, 20 * frame)
    for name, kind, participants, frame in [
        ("bump", "hit", ("ball", "mug"), 12),
        ("slide", "slide", ("mug",), 14),
        ("knock", "hit", ("cube", "wall"), 31),
        ("impact", "hit", ("mug", "floor"), 35),
        ("shatter", "break", ("mug",), 36),
    ]
)
LETTERS = tuple("ABCDEFGH")


def item(*claims, seed=0, truth=None, shown=((3, 20, 30), (4, 30, 40)), options=None):
    return Item(
        benchmark="causalstep",
        question_id="q",
        mode="chain",
        prompt="?",
        question="Why did the mug break?",
        options=options or {letter: f"option {letter}" for letter in LETTERS},
        video=Path("v.mp4"),
        shown=tuple(Span(*span) for span in shown),
        previous_id=None,
        seed=(seed, "q"),
        claims=Claims(EVENTS, dict(zip(LETTERS, map(parse, claims), strict=False))),
        truth=truth,
    )


def drawn(model, *claims, **extra):
    return {make_model(model).answer(item(*claims, seed=s, **extra)).choice for s in range(60)}


def test_adjacency_takes_the_latest_earlier_event_that_shares_an_object():
    options = "trigger(slide, shatter)", "trigger(impact, shatter)", "trigger(knock, shatter)"
    assert drawn("adjacency", *options) == {"B"}
    # The cube hit the wall right before the impact: what deceives the temporal neighbour only.
    options = "trigger(slide, impact)", "trigger(knock, impact)"
    assert drawn("adjacency", *options) == {"A"}
    assert drawn("temporal_neighbour", *options) == {"B"}


def test_labellers_know_their_cause_in_an_account_of_what_came_of_what():
    accounts = [
        "and(occurs(shatter), cause(slide, shatter))",
        "and(occurs(shatter), cause(impact, shatter))",
        "and(occurs(impact), cause(knock, impact))",
        "and(not(occurs(slide)), cause(not(bump), not(slide)))",
    ]
    # Each account has an effect of its own: what came last before one of them is what counts.
    four = {letter: f"option {letter}" for letter in "ABCD"}
    assert drawn("temporal_neighbour", *accounts, options=four) == {"B", "C"}
    assert drawn("adjacency", *accounts, options=four) == {"B"}


def test_labellers_change_what_they_take_for_the_cause_going_back_to_what_can_be_changed():
    options = [
        "would(knock = 0, not(occurs(shatter)))",
        "would(bump = 0, not(occurs(shatter)))",
        "would(rug = 1, not(occurs(shatter)))",
    ]
    # Impact, slide, bump: each shares the mug. What came last before all that is the knock.
    assert drawn("adjacency", *options) == {"B"}
    assert drawn("temporal_neighbour", *options) == {"A"}
    assert drawn("perception", *options) == {"A", "B", "C"}
    two = {"A": "this", "B": "that"}
    assert drawn("adjacency", *options[::2], options=two) == {"A", "B"}  # no mug: a guess
    # Other questions suppose one thing and ask what would come of it.
    supposed = "would(knock = 0, occurs(shatter))", "would(knock = 0, not(occurs(shatter)))"
    assert drawn("temporal_neighbour", *supposed, options=two) == {"A", "B"}


def test_perception_knows_what_happened_where_and_not_what_it_did():
    happened = "happens(impact, 4)", "and(happens(impact, 4), happens(shatter, 4))"
    assert drawn("perception", *happened, "happens(bump, 4)") == {"B"}
    causes = "trigger(impact, shatter)", "trigger(knock, shatter)", "trigger(not(impact), shatter)"
    assert drawn("perception", *causes, "trigger(bump, shatter)") == {"A", "B"}


def test_perception_is_blind_to_what_is_not_shown():
    options = "trigger(bump, slide)", "trigger(knock, slide)", "color(mug) = red"
    assert drawn("perception", *options, shown=[(1, 0, 20)]) == {"A"}
    assert drawn("perception", *options, shown=[(1, 0, 0)]) == {"A", "B", "C"}
    assert drawn("perception", *options, shown=[]) == {"A", "B"}  # the whole video


def test_word_overlap_takes_the_option_that_repeats_the_question():
    options = {"A": "The ball rolled.", "B": "Why, the mug did break.", "C": "A mug."}
    assert drawn("word_overlap", options=options) == {"B"}


ANSWER = Part("answer", "C", LETTERS)
DESCRIPTION = Part("evidence", "C", LETTERS)
EVIDENCE = Part("evidence", "right")


def said(model, part, draws=4000):
    """Return the share of right keys among a model's answers to a question of one part."""
    made = make_model(model)
    truth = Truth("C", parts=(part,))
    keys = [made.answer(item(seed=s, truth=truth)).choice for s in range(draws)]
    return sum(key == part.right for key in keys) / draws


@pytest.mark.parametrize(
    ("levels", "part", "share"),
    [
        ("0/1", ANSWER, 1 / 8),
        ("0.5/0", ANSWER, 0.5 + 0.5 / 8),
        ("1/0", ANSWER, 1),
        ("1/0", DESCRIPTION, 1 / 8),
        ("0/0.25", DESCRIPTION, 0.25 + 0.75 / 8),
        ("0/0.25", EVIDENCE, 0.25),  # nobody hits by guessing
    ],
)
def test_competence_is_right_as_often_as_its_levels_say(levels, part, share):
    assert said(f"competence:{levels}", part) == pytest.approx(share, abs=0.025)


def test_competence_gives_parts_independently():
    made = make_model("competence:0.5/0.5")
    parts = Part("evidence", "7", tuple("1234567")), Part("answer", "2", tuple("1234567"))
    truth = Truth("7+2", parts=parts)
    keys = [made.answer(item(seed=s, truth=truth)).choice.split("+") for s in range(4000)]
    first, second = (sum(k[i] == r for k in keys) / 4000 for i, r in ((0, "7"), (1, "2")))
    both = sum(k == ["7", "2"] for k in keys) / 4000
    assert both == pytest.approx(first * second, abs=0.02)


@pytest.mark.parametrize("levels", ["0.5", "a/b", "2/0", "0/-1", "0.5/0.5/0.5", "nan/0"])
def test_levels_that_are_no_two_shares_are_refused(levels):
    with pytest.raises(InputError, match="competence:C/Q with two numbers from 0 to 1"):
        make_model(f"competence:{levels}")


def test_one_sided_models_are_always_right_in_one_facet_and_wrong_in_the_other():
    assert said("right_answer_wrong_evidence", ANSWER, 200) == 1
    assert said("right_answer_wrong_evidence", DESCRIPTION, 200) == 0
    assert said("right_answer_wrong_evidence", EVIDENCE, 20) == 0
    assert said("right_evidence_wrong_answer", ANSWER, 200) == 0
    assert said("right_evidence_wrong_answer", EVIDENCE, 20) == 1


def test_an_answer_with_evidence_is_worded_by_the_benchmark():
    truth = Truth("C", parts=(ANSWER, EVIDENCE), word=lambda keys: f"{keys[0]} as {keys[1]}")
    answer = make_model("competence:1/1").answer(item(truth=truth))
    assert answer == Answer("C", "C as right")
    wrong = make_model("right_answer_wrong_evidence").answer(item(truth=truth))
    assert wrong.raw == "C as wrong"


@pytest.mark.parametrize(
    "name", ["competence:1/1", "right_answer_wrong_evidence", "perception", "adjacency"]
)
def test_a_model_that_is_not_handed_what_it_sees_says_so(name):
    bare = dataclasses.replace(item(), claims=None)
    with pytest.raises(TypeError, match="was handed an item without its"):
        make_model(name).answer(bare)
