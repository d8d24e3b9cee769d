import dataclasses
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from simworld.annotate.tracks import Tracks
from simworld.claims import parse
from simworld.qa.accounts import accounts
from simworld.qa.castbench import keep_shown, make_castbench
from simworld.qa.claims import decide, world_of
from simworld.qa.finalise import finalise
from simworld.qa.items import Evidence
from simworld.qa.wording import phrasings
from simworld.recipe import VideoSettings
from simworld.scene import load_scene

SAMPLE = Path(__file__).with_name("sample_castbench.txt")
WORLDS = [{}, {"floor": "rug"}, {"mug_material": "steel"}, {"crate": "present"},
          {"rail": "present"}, {"edge_gap": "far"}, {"green_ball": "rests"}, {"ball": "rests"},
          {"brick": "in_the_way"}]  # fmt: skip


VIDEO = VideoSettings()


def ask(cup, names=None):
    staged = [s for s in cup.scene.staged if names is None or s.name in names]
    told = cup.scene, cup.truth, cup.events, cup.segments
    return make_castbench(*told, group="g0", staged=staged, video=VIDEO)


def right_of(question):
    [right] = [option for option in question.options if option.right]
    return right


def rights(cup, names=()):
    """Return the claim and texts of all that is right of a clip, or of what is supposed of it."""
    [*_, question] = (q for q in ask(cup, names=names)[0] if q.stop_frame is None)
    return {option.claim: option.wordings for option in question.options if option.right}


@pytest.mark.parametrize("levels", WORLDS)
def test_every_account_is_settled_and_shown_by_rollouts(clip, levels):
    cup = clip("cup-0", **levels)
    candidates, _ = ask(cup)
    assert {c.kind for c in candidates} == {
        "causal_explanation", "counterfactual_reasoning", "predictive_anticipation"
    }  # fmt: skip
    for candidate in candidates:
        assert len({option.claim for option in candidate.options}) == len(candidate.options) > 6
        for option in candidate.options:
            claim = parse(option.claim)
            assert decide(claim, cup.facts) is option.right
            assert (option.distractor_type is None) is option.right
            assert bool(option.evidence) is option.right
            texts = phrasings(claim, cup.scene, world_of(claim, cup.facts))
            assert set(option.wordings) <= set(texts)
            assert all(re.fullmatch(r"[A-Z][A-Za-z', -]+\.", text) for text in option.wordings)
            assert option.proof
            for reference in option.proof:
                name, _, rollout = reference.partition(":")
                assert name == "cup-0" and rollout in cup.truth.rehearsals


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        ({}, "The mug broke into pieces because it hit the hard floor."),
        ({}, "The mug broke into pieces because the red ball bumped the mug."),
        ({}, "The mug fell off the table because it lost its support at the edge."),
        ({"floor": "rug"}, "The mug stayed whole because a thick rug lay on the floor."),
        ({"mug_material": "steel"}, "The mug stayed whole because it was made of steel."),
        ({"edge_gap": "far"},
         "The mug stayed on the table because it stood far from the table's edge."),
        ({"rail": "present"}, "The mug slid along the table, but it stayed on the table."),
        ({"crate": "present"}, "The mug fell off the table, but it never reached the floor."),
        ({"ball": "rests"}, "The mug never moved because the red ball never touched the mug."),
    ],
)  # fmt: skip
def test_what_came_of_what(clip, levels, text):
    found = [text in texts for texts in rights(clip(**levels)).values()]
    assert sum(found) == 1
    for others in WORLDS:
        if others != levels:
            told = rights(clip(**others)).values()
            assert any(text in texts for texts in told) <= (not levels or others != {})


def test_a_standing_condition_that_is_not_so_explains_nothing(clip):
    question = ask(clip(), names=())[0][0]
    kinds = {option.claim: option.distractor_type for option in question.options}
    assert kinds["and(not(occurs(shatter)), cause(not(hard_floor), not(shatter)))"] == (
        "negation_polarity"
    )
    assert kinds["and(occurs(fall), not(occurs(shatter)))"] == "incomplete_reasoning"
    assert kinds["and(occurs(shatter), cause(not(bump), shatter))"] == "negation_polarity"


def test_what_is_one_of_several_causes_by_the_model_alone_is_no_wrong_answer(clip):
    """No rollout makes a mug fall that a rail stops, to show that it stays whole of steel, too."""
    cup = clip(rail="present", mug_material="steel")
    claims = {
        "and(not(occurs(shatter)), cause(not(brittle_mug), not(shatter)))",
        "and(not(occurs(shatter)), cause(brittle_mug, not(shatter)))",
    }
    wrong = {o.claim for o in ask(cup, names=())[0][0].options if not o.right}
    assert claims & wrong == {"and(not(occurs(shatter)), cause(brittle_mug, not(shatter)))"}
    unproven = tuple(
        dataclasses.replace(
            one,
            verdict=dataclasses.replace(
                one.verdict, role="unrelated", actual=False, part_of_cause=False
            ),
        )
        for one in cup.truth.verdicts
    )
    other = dataclasses.replace(cup, truth=dataclasses.replace(cup.truth, verdicts=unproven))
    offered = {o.claim for c in ask(other, names=())[0] for o in c.options}
    assert claims & offered == {"and(not(occurs(shatter)), cause(brittle_mug, not(shatter)))"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ball_rests", "The mug stayed whole."),
        ("brick", "The red ball bumped the mug, but the mug stayed whole."),
        ("rail", "The mug slid along the table, but it stayed whole."),
        ("crate", "The mug fell off the table, but it stayed whole."),
        ("rug", "The mug landed on the rug, but it stayed whole."),
        ("steel_mug", "The mug hit the hard floor, but it stayed whole."),
        ("far_mug", "The mug slid along the table, but it stayed whole."),
        ("green_ball_rests", "The mug broke into pieces."),
    ],
)
def test_what_would_have_become_of_the_mug(clip, name, text):
    cup = clip()
    staged = next(s for s in cup.scene.staged if s.name == name)
    [claim] = [claim for claim, texts in rights(cup, [name]).items() if text in texts]
    assert claim.startswith(f"would({staged.variable} = {staged.value}, ")
    [question] = [q for q in ask(cup, names=[name])[0] if q.kind == "counterfactual_reasoning"]
    assert all(staged.supposed in asked for asked in question.wordings)
    [option] = [option for option in question.options if option.claim == claim]
    handle = f"do({staged.variable} = {staged.value})"
    assert option.proof == tuple(f"cup-0:{r}" for r in ("do()", handle, f"staged {name}"))


def test_what_a_clip_shows_already_is_not_supposed(clip):
    candidates, _ = ask(clip(floor="rug"), names=["rug"])
    assert "counterfactual_reasoning" not in {candidate.kind for candidate in candidates}


def test_where_staging_and_handle_differ_nothing_is_asked(clip):
    cup = clip()
    rehearsals = dict(cup.truth.rehearsals)
    odd = rehearsals["staged rug"]
    outcome = dataclasses.replace(odd.outcome, values={**odd.outcome.values, "knock": 0})
    rehearsals["staged rug"] = dataclasses.replace(odd, outcome=outcome)
    truth = dataclasses.replace(cup.truth, rehearsals=rehearsals)
    _, drops = ask(dataclasses.replace(cup, truth=truth), names=["rug"])
    assert [drop.reason for drop in drops] == ["handle and staging do not show alike what rug does"]


def test_evidence_shows_what_the_answer_speaks_of_in_causal_order(clip):
    for levels in WORLDS:
        cup = clip(**levels)
        order = [*cup.facts.conditions, *cup.scene.scm.events]
        for candidate in ask(cup)[0]:
            for option in candidate.options:
                chain = [order.index(e.event) for e in option.evidence]
                assert chain == sorted(set(chain)) and len(chain) <= 4
                assert all(evidence.object in cup.truth.colors for evidence in option.evidence)
    cup = clip(floor="rug")
    claim = "and(not(occurs(shatter)), cause(not(hard_floor), not(shatter)))"
    [answer] = [option for option in ask(cup, names=())[0][0].options if option.claim == claim]
    assert [(e.event, e.object, e.rationale) for e in answer.evidence] == [
        ("hard_floor", "floor", "A thick rug lay on the floor."),
        ("shatter", "mug", "The mug stayed whole."),
    ]
    assert answer.evidence[1].start_frame == cup.segments[-1].start_frame


@pytest.fixture(scope="module")
def population(clip):
    made = [
        question
        for number in range(2 * len(WORLDS))
        for question in ask(clip(f"cup-{number}", **WORLDS[number % len(WORLDS)]))[0]
    ]
    return finalise(made, seed=0)


def test_each_option_of_a_question_is_right_in_equally_many_worlds(population):
    """Nothing in the texts, alone or together, tells which option is right."""
    right = Counter()
    sets = {}
    assert len(population) >= 40
    for question in population:
        asked = re.sub(r"video \d+", "video N", question.question)
        texts = frozenset(option.text for option in question.options)
        assert 4 <= len(texts) == len(question.options) <= 6
        right[asked, texts, right_of(question).text] += 1
        sets[asked, texts] = sets.get((asked, texts), 0) + 1
    for (asked, texts), count in sets.items():
        assert {right[asked, texts, text] for text in texts} == {count // len(texts)}


def test_letters_are_right_equally_often(population):
    for count in (4, 5, 6):
        some = [q for q in population if len(q.options) == count]
        letters = Counter(right_of(q).key for q in some)
        shares = [letters[letter] for letter in "ABCDEF"[:count]]
        assert sum(shares) == len(some) and max(shares) - min(shares) <= 1


def test_question_texts_are_unique_questions_about_a_numbered_video(population):
    questions = population
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


def test_answers_whose_evidence_cannot_be_shown_are_left_out_and_counted(clip):
    [made, _] = ask(clip(), names=[])[0]
    evidence = (Evidence("fall", "mug", 30, 31, "The mug falls."),)
    options = [o for o in made.options if not o.right]
    [answer, *_] = [o for o in made.options if o.right]
    answer = dataclasses.replace(answer, evidence=evidence)
    question = dataclasses.replace(made, options=(answer, *options))
    others = dataclasses.replace(question, benchmark="causalstep")
    size_px, cut = (320, 240), {13, 15}.__contains__
    kept, drops = keep_shown((question,), tracks({"mug": (24, 37)}), 12, size_px, cut)
    assert (kept, drops) == ((question,), ())
    kept, drops = keep_shown((question, others), tracks({"mug": (25, 37)}), 12, size_px, cut)
    assert kept == (others,)
    less = "one answer less, since the object of an evidence has no box at one of its seconds"
    assert [(drop.reason, drop.count) for drop in drops] == [(less, 0), ("no answer is left", 1)]
    assert {drop.filter for drop in drops} == {"evidence_not_visible"}


def test_a_video_that_cannot_be_cut_there_is_not_asked_about(clip):
    [*_, made] = ask(clip(), names=[])[0]
    seen = tracks(dict.fromkeys(clip().truth.colors, (0, 60)))
    kept, drops = keep_shown((made,), seen, 12, (320, 240), lambda count: count == made.stop_frame)
    assert ([one.stop_frame for one in kept], drops) == ([made.stop_frame], ())
    kept, drops = keep_shown((made,), seen, 12, (320, 240), lambda _: False)
    assert (kept, [drop.count for drop in drops]) == ((), [1])


def test_the_questions_read_as_in_the_sample(population, tmp_path):
    """A change of wording is read aloud before the sample is replaced."""
    text = ""
    for question in population[::4][:12]:
        text += f"{question.question}\n"
        for option in question.options:
            mark = "*" if option.right else " "
            kind = option.distractor_type or "right"
            text += f"  {mark} {option.key} {option.text:88}{kind}\n"
        text += "".join(
            f"    evidence: {e.object} in {e.event}: {e.rationale}\n" for e in question.evidence
        )
        text += "\n"
    found = tmp_path / SAMPLE.name
    found.write_text(text, "utf-8")
    assert text == SAMPLE.read_text("utf-8"), f"read {found} aloud; if it is right, copy it"


def test_in_a_long_chain_accounts_are_on_neighbours_alone():
    long, short = load_scene("domino_run-51"), load_scene("domino_run")
    assert len(accounts(long)) < 10 * len(long.scm.events)
    assert any("cause(fall_1, fall_3)" in str(claim) for claim in accounts(short))
    assert not any("cause(fall_1, fall_3)" in str(claim) for claim in accounts(long))
