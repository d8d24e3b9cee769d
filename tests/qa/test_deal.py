"""Dealing on made-up candidates, of which it is known what there is to choose from."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS
from simworld.qa.deal import can_be_dealt, deal
from simworld.qa.items import Option, Question

SAYINGS = [f"Saying {k}." for k in range(16)]


def option(text, right, kinds=DISTRACTOR_KINDS):
    claim = f"occurs({text.rstrip('.').replace(' ', '_')})"
    errs = () if right else kinds
    return Option(text, claim, right, None, ("c:r",), "", (text,), (), errs)


def candidate(number, right, sayings=SAYINGS, kind="causal"):
    """Make a candidate of which one saying is right, and each other a wrong option of any kind."""
    options = tuple(option(text, text == right) for text in sayings)
    return Question(
        group="scene-0000",
        clip=f"scene-{number:04d}-factual",
        benchmark="causalstep",
        kind=kind,
        segment=2,
        question="?",
        options=options,
        evidence=(),
        wordings=("What came of what in video {video}?",),
    )


def shares(questions):
    """Tell of each sentence in which share of the questions that offer it it is right."""
    offered, right = Counter(), Counter()
    for question in questions:
        offered.update(o.text for o in question.options)
        right.update(o.text for o in question.options if o.right)
    return {text: right[text] / offered[text] for text in offered}


def test_every_sentence_is_right_once_in_eight_where_that_can_be():
    # 16 sayings, each right in ten of 160 questions: each should be wrong in 70 of the others.
    dealt = deal([candidate(n, SAYINGS[n % 16]) for n in range(160)], seed=0)
    assert all(share == pytest.approx(1 / 8, abs=0.01) for share in shares(dealt).values())


def test_of_several_right_options_the_one_that_is_often_wrong_is_taken():
    # Saying 0 is right everywhere, and so never wrong; whoever took it would give it away.
    def one(number):
        found = candidate(number, SAYINGS[1 + number % 15])
        both = tuple(option(o.text, o.right or o.text == SAYINGS[0]) for o in found.options)
        return replace(found, options=both)

    dealt = deal([one(n) for n in range(150)], seed=0)
    assert SAYINGS[0] not in shares(dealt)


def test_what_is_right_nowhere_is_offered_only_where_nothing_else_is_of_the_kind():
    never = option("Never.", right=False, kinds=DISTRACTOR_KINDS)
    only = option("Only this.", right=False, kinds=("surface_level",))

    def one(number, more):
        found = candidate(number, SAYINGS[number % 16])
        rest = tuple(
            option(o.text, o.right, tuple(k for k in DISTRACTOR_KINDS if k != "surface_level"))
            for o in found.options
        )
        return replace(found, options=(*(rest if more is only else found.options), more))

    plain = deal([one(n, never) for n in range(32)], seed=0)
    assert "Never." not in shares(plain)
    forced = deal([one(n, only) for n in range(32)], seed=0)
    assert all("Only this." in [o.text for o in q.options] for q in forced)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_one_option_is_right_and_each_kind_is_there_once(data):
    kinds = st.lists(st.sampled_from(DISTRACTOR_KINDS), min_size=1, max_size=3, unique=True)
    sayings = data.draw(st.lists(st.sampled_from(SAYINGS), min_size=2, max_size=16, unique=True))
    options = [option(text, right=False, kinds=tuple(data.draw(kinds))) for text in sayings[1:]]
    options.append(option(sayings[0], right=True))
    found = replace(candidate(0, ""), options=tuple(options))
    if not can_be_dealt(options):
        return
    [question] = deal([found], seed=data.draw(st.integers(0, 3)))
    assert [o.text for o in question.options if o.right] == [sayings[0]]
    wrong = {o.distractor_type: o.text for o in question.options if not o.right}
    assert set(wrong) == set(DISTRACTOR_KINDS)
    own = {o.text: o.kinds for o in options}
    assert all(kind in own[text] for kind, text in wrong.items())
    assert len({o.text for o in question.options}) == 8


def test_without_an_option_of_some_kind_nothing_is_dealt():
    lacking = [k for k in DISTRACTOR_KINDS if k != "surface_level"]
    options = [option(text, right=False, kinds=tuple(lacking)) for text in SAYINGS]
    assert not can_be_dealt([*options, option("Right.", right=True)])
    assert not can_be_dealt([option(text, right=False) for text in SAYINGS])
    assert can_be_dealt([*options, option("Right.", right=True), option("Green.", right=False)])


def test_no_form_of_statement_is_right_more_often_than_another():
    # Eight sayings of each of two forms; those of the one form are right twice as often.
    rights = [SAYINGS[k] for k in (*range(8), *range(8), *range(8, 16))] * 8
    made = []
    for number, right in enumerate(rights):
        found = candidate(number, right)
        options = tuple(
            replace(o, claim=f"not({o.claim})") if SAYINGS.index(o.text) < 8 else o
            for o in found.options
        )
        made.append(replace(found, options=options))
    offered, right = Counter(), Counter()
    for question in deal(made, seed=0):
        offered.update(o.claim[:3] for o in question.options)
        right.update(o.claim[:3] for o in question.options if o.right)
    assert right["not"] / offered["not"] == pytest.approx(1 / 8, abs=0.02)


def test_the_right_option_is_not_told_by_what_it_shares_with_another():
    # Of each two sayings that share words one denies the other. There are two options of the first
    # kind, the denial of the right one and another, so that it is there more often than not.
    pairs = [f"The {name} {end}" for name in "abcdefgh" for end in ("fell.", "did not fall.")]

    def one(number):
        own = number % 16
        sayings = tuple(
            option(
                text,
                text == pairs[own],
                DISTRACTOR_KINDS if place in (own ^ 1, (own + 2) % 16) else DISTRACTOR_KINDS[1:],
            )
            for place, text in enumerate(pairs)
        )
        return replace(candidate(number, ""), options=sayings)

    shown = right = 0
    for question in deal([one(n) for n in range(320)], seed=0):
        names = Counter(o.text.split()[1] for o in question.options)
        for o in question.options:
            if names[o.text.split()[1]] == 2:
                shown, right = shown + 1, right + o.right
    assert right / shown == pytest.approx(1 / 8, abs=0.01)
