import dataclasses
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simworld.audit.questions import expect_uncontested
from simworld.audit.report import Findings
from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS
from simworld.claims import parse
from simworld.models import option_memoriser
from simworld.qa.case import Case
from simworld.qa.claims import decide
from simworld.qa.contested import Contested
from simworld.qa.finalise import finalise
from simworld.qa.parts import Part
from simworld.qa.questions import MAX_CHARACTERS, make_questions
from simworld.qa.wording import phrasings
from tests.shortcuts import examples_of

SAMPLE = Path(__file__).with_name("sample_questions.txt")


def ask(cup):
    return make_questions(cup.scene, cup.truth, cup.events, cup.segments, group="falling_cup-0000")


def dealt(cup, seed=0):
    return finalise(ask(cup)[0], seed=seed)


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
        assert question.evidence
        for evidence in question.evidence:
            assert evidence.start_frame < evidence.stop_frame
            assert evidence.start_frame < cup.segments[question.segment - 1].stop_frame
            assert evidence.object in cup.truth.colors
    asked = [(question.segment, question.kind) for question in questions]
    wanted = [(s.index, k) for s in cup.segments for k in ("descriptive", "causal")][:1]
    wanted += [(s.index, k) for s in cup.segments[1:] for k in ("descriptive", "causal")]
    assert asked == wanted


RIGHT = {
    (1, "descriptive"): (
        "and(holds(hard_floor), happens(knock, 1))",
        "and(happens(knock, 1), not(happens(bump, 1)))",
    ),
    (2, "descriptive"): (
        "and(happens(bump, 2), happens(slide, 2))",
        "and(holds(near_edge), happens(bump, 2))",
        "and(happens(slide, 2), not(happens(fall, 2)))",
    ),
    (2, "causal"): (
        "and(happens(slide, 2), cause(bump, slide))",
        "and(happens(slide, 2), not(cause(knock, slide)))",
    ),
    (3, "descriptive"): (
        "and(holds(hard_floor), happens(fall, 3))",
        "and(happens(fall, 3), not(happens(shatter, 3)))",
    ),
    (3, "causal"): (
        "and(happens(fall, 3), cause(slide, fall))",
        "and(happens(fall, 3), cause(near_edge, fall))",
    ),
    (4, "descriptive"): ("and(happens(impact, 4), happens(shatter, 4))",),
    (4, "causal"): (
        "and(happens(shatter, 4), cause(impact, shatter))",
        "and(happens(shatter, 4), cause(brittle_mug, shatter))",
    ),
}


def test_the_falling_cup_offers_what_is_so_of_each_part(clip):
    candidates, drops = ask(clip())
    assert drops == ()
    assert [(c.segment, c.kind) for c in candidates] == list(RIGHT)
    for candidate in candidates:
        right = {option.claim for option in candidate.options if option.right}
        assert right >= set(RIGHT[candidate.segment, candidate.kind])


@pytest.mark.parametrize("seed", range(5))
def test_each_question_has_one_right_option_and_a_wrong_one_of_each_kind(clip, seed):
    cup = clip()
    check(cup, dealt(cup, seed))


# Part 3 of the usual clip shows the fall and nothing else: the green ball knocked in part 1, the
# red ball bumped the mug and it slid in part 2, it hit the floor and broke in part 4.
ERRORS = {
    "and(happens(knock, 3), happens(fall, 3))": {
        "temporal_confusion",
        "causal_misattribution",  # the knock led to nothing here
        "incomplete_reasoning",
    },
    "and(happens(slide, 3), cause(bump, slide))": {"temporal_confusion", "incomplete_reasoning"},
    "and(happens(bump, 3), not(happens(fall, 3)))": {
        "temporal_confusion",  # but no misattribution: it led to the fall
        "object_misrecognition",  # the ball, where the mug meets nothing
        "negation_polarity",
    },
    "and(happens(fall, 3), not(cause(slide, fall)))": {"negation_polarity"},
    "and(happens(fall, 3), cause(knock, fall))": {"causal_misattribution"},
    "and(happens(impact, 3), before(fall, impact))": {
        "temporal_confusion",
        "causal_misattribution",
        "object_misrecognition",
        "incomplete_reasoning",
    },
    "and(not(occurs(fall)), cause(not(near_edge), not(fall)))": {
        "object_misrecognition",  # it takes the mug for one that stands elsewhere
        "irrelevant_plausible",
        "surface_level",
        "negation_polarity",
    },
    "and(happens(fall, 3), cause(color(mug) = blue, fall))": {
        "causal_misattribution",
        "surface_level",
    },
    "and(happens(hit(green_ball, mug), 3), happens(fall, 3))": {
        "object_misrecognition",
        "irrelevant_plausible",
        "incomplete_reasoning",
    },
    "and(happens(fall, 3), not(occurs(shatter)))": {
        "irrelevant_plausible",
        "negation_polarity",
        "incomplete_reasoning",
    },
}


@pytest.mark.parametrize(("claim", "kinds"), ERRORS.items(), ids=str)
def test_a_false_statement_errs_in_the_ways_that_one_would_say(clip, claim, kinds):
    cup = clip()
    part = Part(Case(cup.scene, cup.facts, cup.segments), 3)
    assert not decide(parse(claim), cup.facts)
    assert set(part.kinds(parse(claim))) == kinds


@pytest.mark.parametrize(
    ("claim", "number"),
    [
        ("and(happens(fall, 3), not(happens(bump, 3)))", 3),  # it did, before
        ("and(happens(bump, 2), not(occurs(fall)))", 2),  # it will
        ("and(happens(shatter, 4), before(impact, shatter))", 4),  # in the same moment
        ("and(holds(near_edge), happens(fall, 3))", 3),  # it slid away from where it stood
    ],
)
def test_what_can_be_taken_in_two_ways_is_not_said(clip, claim, number):
    cup = clip()
    assert not Part(Case(cup.scene, cup.facts, cup.segments), number).is_sayable(parse(claim))
    offered = [o.claim for c in ask(cup)[0] if c.segment == number for o in c.options]
    assert claim not in offered


def test_of_several_reasons_for_an_absence_none_is_a_wrong_answer(clip):
    """No rollout makes a mug fall that a rail stops, to show that it stays whole of steel, too."""
    cup = clip(rail="present", mug_material="steel")

    def unproven(one):
        unrelated = {"role": "unrelated", "actual": False, "part_of_cause": False}
        if (one.verdict.cause, one.verdict.effect) != ("brittle_mug", "shatter"):
            return one
        return dataclasses.replace(one, verdict=dataclasses.replace(one.verdict, **unrelated))

    verdicts = tuple(map(unproven, cup.truth.verdicts))
    other = dataclasses.replace(cup, truth=dataclasses.replace(cup.truth, verdicts=verdicts))
    contested = "and(not(occurs(shatter)), cause(not(brittle_mug), not(shatter)))"
    assert not decide(parse(contested), other.facts)
    candidates, _ = ask(other)
    assert candidates
    assert contested not in {o.claim for c in candidates for o in c.options}


@pytest.mark.parametrize(("material", "failures"), [("steel", 1), ("glass", 0)])
def test_the_audit_refuses_such_a_reason_as_a_wrong_answer(clip, material, failures):
    cup = clip(rail="present", mug_material=material)
    wrong = {"claim": "and(not(occurs(shatter)), cause(not(brittle_mug), not(shatter)))"}
    right = {"claim": "occurs(knock)", "key": "B", "right": True}
    row = {"question_id": "one", "options": [{**wrong, "key": "A", "right": False}, right]}
    findings = Findings()
    contested = Contested(cup.scene, cup.truth.context, cup.facts)
    expect_uncontested(row, contested, findings)
    row["options"][0]["right"] = True
    expect_uncontested(row, contested, findings)
    assert len(findings.failures) == failures


def test_the_cause_of_a_right_explanation_is_seen_there_or_in_the_part_before(clip):
    cup = clip()
    part = Part(Case(cup.scene, cup.facts, cup.segments), 4)
    assert part.answers(parse("and(happens(shatter, 4), cause(fall, shatter))"))
    long_ago = parse("and(happens(shatter, 4), cause(bump, shatter))")
    assert not part.answers(long_ago)
    assert part.answers(long_ago, late=False)


@pytest.mark.parametrize(
    ("levels", "claim"),
    [
        ({"floor": "rug"}, "and(happens(fall, 3), not(occurs(shatter)))"),
        ({"rail": "present"}, "and(happens(slide, 2), not(occurs(fall)))"),
        ({"edge_gap": "far"}, "and(not(occurs(fall)), cause(not(near_edge), not(fall)))"),
    ],
)
def test_in_worlds_where_it_did_not_come_to_that_it_is_said_so(clip, levels, claim):
    cup = clip(**levels)
    candidates, drops = ask(cup)
    assert drops == ()
    check(cup, dealt(cup))
    assert claim in [o.claim for c in candidates for o in c.options if o.right]


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ({"ball": "rests"}, "fewer than two segments"),
        ({"green_ball": "rests", "brick": "in_the_way"}, "no right option with a wrong one"),
    ],
)
def test_a_clip_without_a_chain_is_left_out_and_counted(clip, levels, reason):
    questions, drops = ask(clip(**levels))
    assert questions == ()
    assert any(drop.reason.startswith(reason) for drop in drops)


def test_without_a_world_of_other_looks_nothing_is_said_of_colours(clip):
    cup = clip()
    kept = {name: r for name, r in cup.truth.rehearsals.items() if name != "other looks"}
    plain = dataclasses.replace(cup, truth=dataclasses.replace(cup.truth, rehearsals=kept))
    assert any("color" in o.claim for c in ask(cup)[0] for o in c.options)
    assert not any("color" in o.claim for c in ask(plain)[0] for o in c.options)


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
    questions, drops = ask(cup)
    assert bool(questions) != bool(drops)
    if questions:
        check(cup, dealt(cup, seed=gaps[2]))


def population(clip, seed=0):
    worlds = [{}, {"floor": "rug"}, {"mug_material": "steel"}, {"green_ball": "rests"}]
    worlds += [{"crate": "present"}, {"rail": "present"}, {"edge_gap": "far"}]
    made = []
    for number in range(42):
        found, _ = ask(clip(f"cup-{number}", **worlds[(number + seed) % len(worlds)]))
        made += [dataclasses.replace(q, group=f"falling_cup-{number:04d}") for q in found]
    return finalise(made, seed=seed)


def test_length_gives_no_answer_away(clip):
    questions = population(clip)
    hits = Counter()
    for question in questions:
        lengths = [len(option.text) for option in question.options]
        right = len(right_of(question).text)
        hits["longest"] += right == max(lengths)
        hits["shortest"] += right == min(lengths)
    assert max(hits.values()) / len(questions) < 0.2


def test_who_knows_all_sentences_by_heart_has_one_chance_in_eight(clip):
    learnt, asked = (list(examples_of(population(clip, seed), "causalstep")) for seed in (0, 1))
    knows = option_memoriser.learn(learnt)
    hits = 0.0
    for one in asked:
        scores = knows(one.kind, one.question, one.options)
        best = [key for key in scores if scores[key] == max(scores.values())]
        hits += (one.answer in best) / len(best)
    assert hits / len(asked) < 0.2


def test_ten_questions_in_a_row_do_not_read_as_a_form(clip):
    questions = population(clip)
    shapes = Counter(re.sub(r"\d+", "N", question.question) for question in questions)
    assert max(shapes.values()) / len(questions) < 0.2


def test_the_questions_read_as_in_the_sample(clip, tmp_path):
    """A change of wording is read aloud before the sample is replaced."""
    text = ""
    for question in dealt(clip()):
        text += f"{question.question}\n"
        for option in question.options:
            mark = "*" if option.right else " "
            kind = option.distractor_type or "right"
            text += f"  {mark} {option.key} {option.text:84}{kind}\n"
        text += "\n"
    found = tmp_path / SAMPLE.name
    found.write_text(text, "utf-8")
    assert text == SAMPLE.read_text("utf-8"), f"read {found} aloud; if it is right, copy it"
