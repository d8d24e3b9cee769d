import dataclasses
import re
from collections import Counter

import pytest

from simworld.claims import parse
from simworld.qa import wording
from simworld.qa.claims import decide
from simworld.qa.finalise import finalise
from simworld.qa.needles import CAUSAL, FIRST, IMAGE, NONCAUSAL, SECOND
from simworld.qa.wording import phrasings
from tests.dominoes import FPS, make_run

WORLDS = [{}, {"row": "gap"}, {"post": "in_the_way"}, {"cube": "rests"}, {"side": "right"}]


@pytest.fixture(scope="module")
def run():
    return make_run()


def of_kind(questions, *kinds):
    return [question for question in questions if question.kind in kinds]


def right_of(question):
    [right] = [option for option in question.options if option.right]
    return right


def pair_of(question, clip):
    """Return the numbers of the spans in which the cause and the effect of a question begin."""
    return [
        next(s.index for s in clip.spans if s.start_frame <= e.start_frame < s.stop_frame)
        for e in question.evidence
    ]


def test_spans_last_two_seconds_and_tell_all_that_begins_in_them(run):
    assert run.spans[0].start_frame == 0
    for span, then in zip(run.spans, run.spans[1:], strict=False):
        assert span.stop_frame == then.start_frame
    assert all(span.stop_frame - span.start_frame >= 2 * FPS for span in run.spans)
    assert run.spans[0].description == (
        "The dominoes stand in a row without a gap, then the cube slides into the can."
    )
    assert run.spans[1].description == (
        "The ball hits the 1st red domino, then the 1st red domino falls over."
    )
    told = " ".join(span.description for span in run.spans)
    assert told.count("falls over") == 24 and told.endswith("domino strikes the drum.")


@pytest.mark.parametrize("levels", WORLDS)
def test_each_question_has_one_right_scene_3_to_21_before_or_after_the_other(levels):
    clip = make_run(**levels)
    questions, drops = clip.ask()
    assert questions or drops
    for question in questions:
        cause, effect = pair_of(question, clip)
        assert 3 <= effect - cause <= 21
        if question.kind == IMAGE:
            continue
        keys = [int(option.key) for option in question.options]
        widest = range(max(1, cause - 5), min(len(clip.spans), effect + 5) + 1)
        assert keys == list(widest)
        asks_for_effect = question.kind == FIRST or (
            question.kind == NONCAUSAL and question.segment % 2 == 0
        )
        assert int(right_of(question).key) == (effect if asks_for_effect else cause)
        for option in question.options:
            assert decide(parse(option.claim), clip.facts) is option.right
            assert option.text == clip.spans[int(option.key) - 1].description
            assert option.proof and all(ref.startswith("run-0:do(") for ref in option.proof)


def test_nothing_else_in_the_window_answers_the_question(run):
    """Ask the model itself, over every event: in a chain all earlier links are causes."""
    facts, scm = run.facts, run.scene.scm
    span_of = {
        name: span.index
        for name, when in facts.events.items()
        if when is not None
        for span in run.spans
        if span.start_frame <= when.start_frame < span.stop_frame
    }
    asked = of_kind(run.ask()[0], CAUSAL, SECOND)
    assert len(asked) == 8
    for question in asked:
        [color] = re.findall(r"something (\w+) in colour", question.question)
        effect = question.evidence[1].event
        shown = {int(option.key) for option in question.options}
        scenes = {
            span
            for name, span in span_of.items()
            if span in shown and name in scm.ancestors(effect)
            for thing in run.scene.phrases[name].participants
            if run.truth.colors[thing] == color
        }
        assert scenes == {int(right_of(question).key)}


def test_the_first_part_does_not_name_the_effect_that_links_the_two(run):
    questions, _ = run.ask()
    firsts, seconds = of_kind(questions, FIRST), of_kind(questions, SECOND)
    assert len(firsts) == len(seconds) == len(of_kind(questions, IMAGE)) == 4
    for first, second in zip(firsts, seconds, strict=True):
        effect = first.evidence[1].event
        made = run.scene.scm.children(effect)[0]
        words = run.scene.things[effect.replace("fall", "domino")]
        assert words not in first.question + second.question
        assert run.scene.phrases[made].made in first.question
        assert second.question.endswith("to help bring that about?")


def test_image_options_are_events_of_the_clip_of_which_one_is_in_the_scene(run):
    images = of_kind(run.ask()[0], IMAGE)
    for question in images:
        cause, effect = pair_of(question, run)
        assert len(question.options) == 4
        for option in question.options:
            claim = parse(option.claim)
            assert claim.head == "happens" and int(claim.args[1].head) == cause
            name = claim.args[0].head
            assert name != question.evidence[0].event
            seen = next(s.index for s in run.spans if decide(starts(name, s.index), run.facts))
            assert (seen == cause) is option.right
            assert cause <= seen <= effect  # in every window
            assert option.text in phrasings(claim, run.scene, run.facts.values)


def starts(name, number):
    return parse(f"starts({name}, {number})")


def test_what_is_still_going_on_in_a_scene_is_no_wrong_image(run):
    slow = make_run(fall_frames=60)  # each fall goes on for three scenes
    for question in of_kind(slow.ask()[0], IMAGE):
        cause, _ = pair_of(question, slow)
        start = slow.spans[cause - 1].start_frame
        for option in question.options:
            when = slow.facts.events[parse(option.claim).args[0].head]
            assert option.right or not when.start_frame < start < when.stop_frame


def test_rephrased_sentences_name_the_link(run):
    second = of_kind(run.ask()[0], SECOND)[0]
    cause, effect = (evidence.event for evidence in second.evidence)
    values = run.facts.values
    told = [evidence.rationale for evidence in second.evidence]
    assert told[0].endswith(wording.helped_to_make(cause, effect, run.scene, values))
    assert " and so directly made " in told[1]
    assert [t.startswith(run.spans[i - 1].description) for t, i in
            zip(told, pair_of(second, run), strict=True)] == [True, True]  # fmt: skip


def test_too_short_a_clip_gives_no_questions_and_says_why():
    questions, drops = make_run(links=3).ask()
    assert questions == ()
    assert Counter(drop.reason for drop in drops) == {
        "no cause begins 3 to 21 scene spans before its effect": 3
    }
    assert {drop.kind for drop in drops} == {NONCAUSAL, CAUSAL, FIRST}


def test_pairs_left_out_are_counted_by_reason(run):
    _, drops = run.ask()
    assert "what answers the question begins in 2 scenes" in {drop.reason for drop in drops}
    assert all(drop.count > 0 for drop in drops)


def test_what_is_not_proven_is_not_asked(run):
    truth = dataclasses.replace(run.truth, verdicts=())
    questions, drops = dataclasses.replace(run, truth=truth).ask()
    assert questions == () and len(drops) == 3


def test_finalised_questions_keep_scene_numbers_and_deal_letters(run):
    clips = [run, make_run(clip="run-1", instance=1), make_run(clip="run-2", instance=2)]
    finished = finalise([q for clip in clips for q in clip.ask()[0]], seed=0)
    letters = Counter(right_of(q).key for q in finished if q.kind == IMAGE)
    assert set(letters) == set("ABCD") and max(letters.values()) == min(letters.values()) == 3
    for question in finished:
        if question.kind != IMAGE:
            assert all(option.key.isdecimal() for option in question.options)
        assert f"video {question.video}" in question.question
    assert len({q.question_id for q in finished}) == len(finished)


def test_the_same_seed_asks_the_same_and_another_something_else(run):
    assert run.ask(3) == run.ask(3)
    assert run.ask(3)[0] != run.ask(4)[0]
