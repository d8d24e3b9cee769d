import dataclasses
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS
from simworld.claims import parse
from simworld.qa.claims import decide
from simworld.qa.finalise import finalise
from simworld.qa.options import MAX_CHARACTERS, gist
from simworld.qa.questions import make_questions
from simworld.qa.wording import phrasings

SAMPLE = Path(__file__).with_name("sample_questions.txt")


def ask(cup, seed=0):
    return make_questions(cup.scene, cup.truth, cup.events, cup.segments, group="g0", seed=seed)


def right_of(question):
    [right] = [option for option in question.options if option.right]
    return right


def wrong_of(question):
    return {option.distractor_type: option for option in question.options if not option.right}


def check(cup, questions):
    """Check what must hold of every set of questions of a clip."""
    facts, values = cup.facts, cup.facts.values
    for question in questions:
        assert len(question.options) == 8
        assert set(wrong_of(question)) == set(DISTRACTOR_KINDS)
        assert len({option.text for option in question.options}) == 8
        assert len({option.claim for option in question.options}) == 8
        for option in question.options:
            assert decide(parse(option.claim), facts) is option.right
            assert option.text in phrasings(parse(option.claim), cup.scene, values)
            assert re.fullmatch(r"[A-Z][A-Za-z', -]+\.", option.text)
            assert len(option.text) <= MAX_CHARACTERS
            assert option.proof and all(
                ref.partition(":")[0] == cup.truth.clip
                and ref.partition(":")[2] in cup.truth.rehearsals
                for ref in option.proof
            )
        for evidence in question.evidence:
            assert evidence.start_frame < evidence.stop_frame
            assert evidence.object in cup.truth.colors
    asked = [(question.segment, question.kind) for question in questions]
    wanted = [(s.index, k) for s in cup.segments for k in ("descriptive", "causal")][:1]
    wanted += [(s.index, k) for s in cup.segments[1:] for k in ("descriptive", "causal")]
    assert asked == wanted


PINNED = {
    (1, "descriptive"): ("holds(near_edge)", "It stood on the table, near the edge."),
    (2, "descriptive"): ("happens(bump, 2)", "The red ball bumped the mug."),
    (2, "causal"): ("trigger(bump, slide)", "The red ball bumped the mug."),
    (3, "descriptive"): ("happens(fall, 3)", "The mug fell off the table."),
    (3, "causal"): ("trigger(slide, fall)", "The mug lost its support at the edge."),
    (4, "descriptive"): (
        "and(happens(impact, 4), happens(shatter, 4))",
        "The mug hit the hard floor and broke into pieces.",
    ),
    (4, "causal"): ("trigger(impact, shatter)", "The mug hit the hard floor."),
}


@pytest.mark.parametrize("seed", range(5))
def test_the_falling_cup_has_its_seven_questions(clip, seed):
    cup = clip()
    questions, drops = ask(cup, seed)
    assert drops == ()
    check(cup, questions)
    for question in questions:
        claim, text = PINNED[question.segment, question.kind]
        assert right_of(question).claim == claim
        assert text in phrasings(parse(claim), cup.scene, cup.truth.values)
    assert [q.kind for q in questions].count("causal") == 3


@pytest.mark.parametrize("seed", range(5))
def test_it_goes_down_for_want_of_support_and_not_for_a_second_push(clip, seed):
    questions, _ = ask(clip(), seed)
    [why_down] = [q for q in questions if (q.segment, q.kind) == (3, "causal")]
    assert "directly made the mug go down" in why_down.question
    pushed = wrong_of(why_down)["irrelevant_plausible"]
    assert pushed.claim == "trigger(again(hit(ball, mug)), fall)"
    assert pushed.text.endswith("the mug a second time.")


def test_an_ancestor_or_a_condition_is_called_incomplete(clip):
    cup = clip()
    for seed in range(10):
        for question in ask(cup, seed)[0]:
            if question.kind == "causal":
                claim = parse(wrong_of(question)["incomplete_reasoning"].claim)
                cause, effect = (str(arg) for arg in claim.args)
                if "=" not in cause:
                    assert decide(parse(f"cause({cause}, {effect})"), cup.facts)


MOVES, DROPS = "trigger(bump, slide)", "trigger(slide, fall)"


@pytest.mark.parametrize(
    ("levels", "causal"),
    [
        ({"floor": "rug"}, [MOVES, DROPS, "trigger(fall, impact)"]),
        ({"mug_material": "steel"}, [MOVES, DROPS, "trigger(fall, impact)"]),
        ({"green_ball": "rests"}, [MOVES, DROPS, "trigger(impact, shatter)"]),
        ({"crate": "present"}, [MOVES, DROPS]),
        ({"rail": "present"}, [MOVES]),
        ({"edge_gap": "far"}, [MOVES]),
    ],
)
def test_counterfactual_clips_are_asked_about_what_happened_in_them(clip, levels, causal):
    cup = clip(**levels)
    questions, drops = ask(cup)
    assert drops == ()
    check(cup, questions)
    assert [right_of(q).claim for q in questions if q.kind == "causal"] == causal


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ({"ball": "rests"}, "fewer than two segments"),
        ({"brick": "in_the_way"}, "no direct trigger of slide is proven"),
    ],
)
def test_a_clip_without_a_chain_is_left_out_and_counted(clip, levels, reason):
    questions, drops = ask(clip(**levels))
    assert questions == ()
    assert reason in [drop.reason for drop in drops]


def test_without_a_world_of_other_looks_nothing_is_said_of_colours(clip):
    cup = clip()
    kept = {name: r for name, r in cup.truth.rehearsals.items() if name != "other looks"}
    plain = dataclasses.replace(cup, truth=dataclasses.replace(cup.truth, rehearsals=kept))
    questions, drops = ask(plain)
    assert questions == ()
    assert {drop.reason for drop in drops} == {"no wrong option of the kind surface_level"}


def test_of_two_direct_triggers_one_is_asked_for_and_the_other_is_no_option(clip):
    cup = clip()

    def with_second_trigger(proven):
        if (proven.verdict.cause, proven.verdict.effect) != ("bump", "fall"):
            return proven
        return dataclasses.replace(
            proven, verdict=dataclasses.replace(proven.verdict, directness="direct")
        )

    verdicts = tuple(map(with_second_trigger, cup.truth.verdicts))
    both = dataclasses.replace(cup, truth=dataclasses.replace(cup.truth, verdicts=verdicts))
    for seed in range(10):
        questions, _ = ask(both, seed)
        check(both, questions)
        [why_down] = [q for q in questions if (q.segment, q.kind) == (3, "causal")]
        claims = [option.claim for option in why_down.options]
        assert ("trigger(bump, fall)" in claims) != ("trigger(slide, fall)" in claims)


SETTINGS = {
    "ball": ("rolls", "rests"),
    "brick": ("aside", "in_the_way"),
    "rail": ("absent", "present"),
    "crate": ("absent", "present"),
    "floor": ("bare", "rug"),
    "mug_material": ("glass", "steel"),
    "green_ball": ("rolls", "rests"),
    "edge_gap": ("near", "far"),
    "book": ("absent", "present"),
    "mug_color": ("white", "blue"),
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.fixed_dictionaries({k: st.sampled_from(v) for k, v in SETTINGS.items()}), st.data())
def test_any_world_gives_sound_questions_or_none(clip, levels, data):
    gaps = [data.draw(st.integers(1, 30)) for _ in range(3)]
    bump = data.draw(st.integers(260, 290))
    onsets = {"knock": data.draw(st.integers(100, 200)), "bump": bump, "slide": bump + 5}
    onsets["fall"] = onsets["slide"] + 20 + gaps[0]
    onsets["impact"] = onsets["shatter"] = onsets["fall"] + 60 + gaps[1]
    cup = clip("cup-7", onsets=onsets, instance=gaps[2], **levels)
    questions, drops = ask(cup, seed=gaps[2])
    assert bool(questions) != bool(drops)
    if questions:
        check(cup, questions)
    moved = cup.facts.events["slide"] is not None
    assert bool(questions) == moved


def population(clip):
    worlds = [{}, {}, {"floor": "rug"}, {"mug_material": "steel"}, {"green_ball": "rests"}]
    worlds += [{"crate": "present"}, {"rail": "present"}, {"edge_gap": "far"}]
    made = [
        question
        for number in range(40)
        for question in ask(clip(f"cup-{number}", **worlds[number % len(worlds)]))[0]
    ]
    return finalise(made, seed=0)


def test_length_gives_no_answer_away(clip):
    questions = population(clip)
    hits = Counter()
    for question in questions:
        lengths = [len(option.text) for option in question.options]
        right = len(right_of(question).text)
        hits["longest"] += right == max(lengths)
        hits["shortest"] += right == min(lengths)
        assert max(lengths) <= 3 * min(lengths)
    assert max(hits.values()) / len(questions) < 0.2


def test_ten_questions_in_a_row_do_not_read_as_a_form(clip):
    questions = population(clip)
    shapes = Counter(re.sub(r"\d+", "N", question.question) for question in questions)
    assert max(shapes.values()) / len(questions) < 0.2


def test_no_two_options_speak_of_the_same_where_it_can_be_helped(clip):
    questions, _ = ask(clip())
    for question in questions:
        spoken = [gist(parse(o.claim)) for o in question.options]
        assert len(set(spoken)) >= 7


def test_the_questions_read_as_in_the_sample(clip, tmp_path):
    """A change of wording is read aloud before the sample is replaced."""
    text = ""
    for question in finalise(ask(clip())[0], seed=0):
        text += f"{question.question}\n"
        for option in question.options:
            mark = "*" if option.right else " "
            kind = option.distractor_type or "right"
            text += f"  {mark} {option.key} {option.text:66}{kind}\n"
        text += "\n"
    found = tmp_path / SAMPLE.name
    found.write_text(text, "utf-8")
    assert text == SAMPLE.read_text("utf-8"), f"read {found} aloud; if it is right, copy it"
