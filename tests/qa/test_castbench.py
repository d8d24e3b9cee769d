import dataclasses
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from simworld.annotate.tracks import Tracks
from simworld.claims import parse
from simworld.qa.castbench import keep_shown, make_castbench
from simworld.qa.claims import decide, world_of
from simworld.qa.finalise import finalise
from simworld.qa.items import Evidence
from simworld.qa.options import MAX_CHARACTERS
from simworld.qa.wording import phrasings

SAMPLE = Path(__file__).with_name("sample_castbench.txt")
WORLDS = [{}, {"floor": "rug"}, {"mug_material": "steel"}, {"crate": "present"},
          {"rail": "present"}, {"edge_gap": "far"}, {"green_ball": "rests"}]  # fmt: skip


def ask(cup, seed=0, names=None):
    staged = [s for s in cup.scene.staged if names is None or s.name in names]
    told = cup.scene, cup.truth, cup.events, cup.segments
    return make_castbench(*told, group="g0", seed=seed, staged=staged)


def right_of(question):
    [right] = [option for option in question.options if option.right]
    return right


def supposing(cup, name, seed=0):
    """Return the one question on what a staged intervention would change."""
    [question] = [q for q in ask(cup, seed, [name])[0] if q.kind == "counterfactual_reasoning"]
    return question


@pytest.mark.parametrize("levels", WORLDS)
@pytest.mark.parametrize("seed", range(3))
def test_exactly_one_of_six_options_is_right_and_each_is_shown_by_rollouts(clip, levels, seed):
    cup = clip("cup-0", **levels)
    questions, _ = ask(cup, seed)
    assert questions
    for question in questions:
        assert len(question.options) == 6
        assert len({option.text for option in question.options}) == 6
        assert len({option.claim for option in question.options}) == 6
        for option in question.options:
            claim = parse(option.claim)
            assert decide(claim, cup.facts) is option.right
            assert (option.distractor_type is None) is option.right
            assert option.text in phrasings(claim, cup.scene, world_of(claim, cup.facts))
            assert re.fullmatch(r"[A-Z][A-Za-z', -]+\.", option.text)
            assert len(option.text) <= MAX_CHARACTERS
            assert option.proof
            for reference in option.proof:
                name, _, rollout = reference.partition(":")
                assert name == "cup-0" and rollout in cup.truth.rehearsals


@pytest.mark.parametrize(
    ("name", "claim", "text"),
    [
        ("ball_rests", "not(occurs(shatter))", "The mug stayed whole."),
        ("brick", "and(occurs(bump), not(occurs(shatter)))",
         "The red ball bumped the mug, but the mug stayed whole."),
        ("rail", "and(occurs(slide), not(occurs(shatter)))",
         "The mug slid along the table, but it stayed whole."),
        ("crate", "and(occurs(fall), not(occurs(shatter)))",
         "The mug fell off the table, but it stayed whole."),
        ("rug", "and(occurs(impact), not(occurs(shatter)))",
         "The mug landed on the rug, but it stayed whole."),
        ("steel_mug", "and(occurs(impact), not(occurs(shatter)))",
         "The mug hit the hard floor, but it stayed whole."),
        ("far_mug", "and(occurs(slide), not(occurs(shatter)))",
         "The mug slid along the table, but it stayed whole."),
        ("green_ball_rests", "occurs(shatter)", "The mug broke into pieces."),
    ],
)  # fmt: skip
def test_what_would_have_become_of_the_mug(clip, name, claim, text):
    cup = clip()
    staged = next(s for s in cup.scene.staged if s.name == name)
    question = supposing(cup, name)
    right = right_of(question)
    assert right.claim == f"would({staged.variable} = {staged.value}, {claim})"
    term = parse(right.claim)
    assert text in phrasings(term, cup.scene, world_of(term, cup.facts))
    assert staged.supposed in question.question
    handle = f"do({staged.variable} := {staged.value})"
    assert right.proof == tuple(f"cup-0:{r}" for r in ("do()", handle, f"staged:{name}"))


def test_what_a_clip_shows_already_is_not_supposed(clip):
    questions, _ = ask(clip(floor="rug"), names=["rug"])
    assert {question.kind for question in questions} == {"causal_explanation"}


def test_where_staging_and_handle_differ_nothing_is_asked(clip):
    cup = clip()
    rehearsals = dict(cup.truth.rehearsals)
    odd = rehearsals["staged:rug"]
    outcome = dataclasses.replace(odd.outcome, values={**odd.outcome.values, "knock": 0})
    rehearsals["staged:rug"] = dataclasses.replace(odd, outcome=outcome)
    truth = dataclasses.replace(cup.truth, rehearsals=rehearsals)
    _, drops = ask(dataclasses.replace(cup, truth=truth), names=["rug"])
    assert [drop.reason for drop in drops] == ["handle and staging do not show alike what rug does"]


def test_of_causes_exactly_one_is_among_the_options(clip):
    cup = clip()
    found = set()
    for number in range(12):
        named = dataclasses.replace(cup, truth=dataclasses.replace(cup.truth, clip=f"cup-{number}"))
        [question] = [q for q in ask(named)[0] if "cause(" in right_of(q).claim]
        assert re.search("helped to make|had a part in making", question.question)
        for option in question.options:
            claim = parse(option.claim)
            if claim.head == "cause":
                assert decide(claim, cup.facts) is option.right
        found.add(right_of(question).claim)
    assert "cause(impact, shatter)" not in found  # that is what directly did it
    assert {"cause(bump, shatter)", "cause(near_edge, shatter)"} & found
    assert len(found) >= 3


def test_evidence_is_a_chain_of_one_to_four_in_causal_order(clip):
    for levels in WORLDS:
        cup = clip(**levels)
        order = [*cup.facts.conditions, *cup.scene.scm.events]
        for question in ask(cup)[0]:
            chain = [order.index(e.event) for e in question.evidence]
            assert chain == sorted(set(chain)) and 1 <= len(chain) <= 4
            for evidence in question.evidence:
                assert evidence.object in cup.truth.colors
                assert 0 <= evidence.start_frame < evidence.stop_frame
                assert cup.facts.values[evidence.event] or evidence.event in cup.facts.conditions
    why = next(q for q in ask(clip())[0] if right_of(q).claim == "trigger(bump, slide)")
    assert [(e.event, e.object, e.rationale) for e in why.evidence] == [
        ("bump", "ball", "The red ball bumps the mug."),
        ("slide", "mug", "The mug slides along the table."),
    ]


def population(clip):
    made = [
        question
        for number in range(30)
        for question in ask(clip(f"cup-{number}", **WORLDS[number % len(WORLDS)]))[0]
    ]
    return finalise(made, seed=0)


def test_neither_length_nor_letter_gives_the_answer_away(clip):
    questions = population(clip)
    assert len(questions) > 150
    longest = [
        len(right_of(q).text) == max(len(option.text) for option in q.options) for q in questions
    ]
    assert sum(longest) / len(questions) < 0.3
    letters = Counter(right_of(q).key for q in questions)
    assert set(letters) == set("ABCDEF")
    assert max(letters.values()) - min(letters.values()) <= 1


def test_question_texts_are_unique_questions_about_a_numbered_video(clip):
    questions = population(clip)
    assert len({q.question for q in questions}) == len(questions)
    assert len({q.question_id for q in questions}) == len(questions)
    for question in questions:
        assert re.search(rf"\bvideo {question.video}\b", question.question)
        assert question.question[0].isupper() and question.question.endswith("?")


def tracks(seen: dict[str, tuple[int, int]], frames: int = 60) -> Tracks:
    """Make tracks of objects that are seen in frames [start, stop)."""
    boxes = np.full((frames, len(seen), 4), np.nan, np.float32)
    for k, (start, stop) in enumerate(seen.values()):
        boxes[start:stop, k] = (10, 20, 30, 40)
    count = np.zeros((frames, len(seen)), np.int32)
    return Tracks(
        np.array(list(seen)), boxes, boxes, count, count, count.astype(np.float32),
        np.zeros((frames, len(seen), 3)), np.zeros((frames, len(seen), 4)),
    )  # fmt: skip


def test_questions_whose_evidence_cannot_be_shown_are_left_out_and_counted(clip):
    made, _ = ask(clip(), names=[])
    evidence = (Evidence("fall", "mug", 30, 31, "The mug falls."),)
    question = dataclasses.replace(made[0], evidence=evidence)
    others = dataclasses.replace(question, benchmark="causalstep")
    size_px = (320, 240)
    kept, drops = keep_shown((question,), tracks({"mug": (24, 37)}), 12, size_px)
    assert (kept, drops) == ((question,), ())
    kept, drops = keep_shown((question, others), tracks({"mug": (25, 37)}), 12, size_px)
    assert kept == (others,)
    assert [drop.reason for drop in drops] == [
        "the object of an evidence has no box at one of its seconds"
    ]


def test_the_questions_read_as_in_the_sample(clip, tmp_path):
    """A change of wording is read aloud before the sample is replaced."""
    text = ""
    for question in finalise(ask(clip())[0], seed=0):
        text += f"{question.question}\n"
        for option in question.options:
            mark = "*" if option.right else " "
            kind = option.distractor_type or "right"
            text += f"  {mark} {option.key} {option.text:66}{kind}\n"
        text += "".join(
            f"    evidence: {e.object} in {e.event}: {e.rationale}\n" for e in question.evidence
        )
        text += "\n"
    found = tmp_path / SAMPLE.name
    found.write_text(text, "utf-8")
    assert text == SAMPLE.read_text("utf-8"), f"read {found} aloud; if it is right, copy it"
