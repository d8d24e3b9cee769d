import pytest

from simworld.claims import parse
from simworld.errors import InputError
from simworld.qa import wording
from simworld.qa.wording import phrasings
from simworld.scene import load_scene

CUP = load_scene("falling_cup")


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("happens(bump, 2)", "The red ball bumped the mug."),
        ("trigger(bump, slide)", "The red ball bumped the mug."),
        ("trigger(hit(ball, mug), slide)", "The red ball bumped the mug."),
        ("trigger(again(hit(ball, mug)), fall)", "The red ball bumped the mug a second time."),
        ("trigger(slide, fall)", "The mug lost its support at the edge."),
        ("trigger(slide, impact)", "The mug slid along the table."),
        ("trigger(not(bump), slide)", "The red ball never touched the mug."),
        ("not(happens(fall, 3))", "The mug stayed on the table."),
        ("trigger(color(mug) = white, slide)", "The mug was white in colour."),
        (
            "and(happens(impact, 4), happens(shatter, 4))",
            "The mug hit the hard floor and broke into pieces.",
        ),
        (
            "and(happens(impact, 4), not(occurs(shatter)))",
            "The mug hit the hard floor, but it stayed whole.",
        ),
        (
            "and(happens(bump, 2), not(occurs(slide)))",
            "The red ball bumped the mug, but the mug never moved.",
        ),
        (
            "and(trigger(fall, shatter), before(impact, fall))",
            "The mug fell off the table after it hit the hard floor.",
        ),
        (
            "and(happens(fall, 3), cause(color(mug) = blue, fall))",
            "The mug fell off the table because it was blue in colour.",
        ),
        ("holds(near_edge)", "The mug stood near the table's edge."),
        ("would(near_edge = 0, holds(near_edge))", "The mug stood near the table's edge."),
        ("would(near_edge = 0, not(occurs(fall)))", "The mug stayed on the table."),
        (
            "would(bump = 1, and(occurs(impact), not(occurs(shatter))))",
            "The mug hit the hard floor, but it stayed whole.",
        ),
    ],
)
def test_a_claim_and_its_words(claim, text):
    assert phrasings(parse(claim), CUP, {})[0] == text


def test_words_depend_on_what_lies_on_the_floor():
    claim = parse("happens(impact, 4)")
    assert phrasings(claim, CUP, {"hard_floor": 0})[0] == "The mug landed on the rug."
    assert phrasings(claim, CUP, {"hard_floor": 1})[0] == "The mug hit the hard floor."


def test_a_claim_without_words_is_refused():
    for claim in ("occurs(hit(book, rail))", "touches(mug, book, 7)", "enables(storm, slide)"):
        with pytest.raises(InputError, match="has no words for"):
            phrasings(parse(claim), CUP, {})


def test_two_claims_never_share_a_text_but_for_their_predicate():
    events = [*CUP.phrases, *(text for text in CUP.others if "=" not in text)]
    said = {}
    for event in events:
        for text in phrasings(parse(f"occurs({event})"), CUP, {}):
            assert said.setdefault(text, event) == event, text


def test_every_question_text_is_a_question_about_a_numbered_video():
    for texts in (
        wording.descriptive_questions(3),
        wording.causal_questions(2),
        wording.account_questions(),
        *map(wording.supposed_questions, CUP.staged),
    ):
        assert len(set(texts)) == len(texts) >= 3
        for text in texts:
            assert text.endswith("?") and text.count("{video}") == 1 and text[0].isupper()
