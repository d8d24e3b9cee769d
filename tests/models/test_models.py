import dataclasses
from collections import Counter
from pathlib import Path

import pytest

from simworld.claims import parse
from simworld.errors import InputError, NotRegisteredError
from simworld.models import MODELS, make_model
from simworld.models.base import Answer, Claims, Event, Item, Span, Truth
from simworld.models.temporal_neighbour import TemporalNeighbour

EVENTS = tuple(
    Event(f"e{i}", variable, kind, participants, frame, 20 * frame)
    for i, (variable, kind, participants, frame) in enumerate(
        [
            ("bump", "hit", ("ball", "mug"), 12),
            ("slide", "slide", ("mug",), 14),
            ("fall", "fall", ("mug",), 25),
            (None, "hit", ("cube", "wall"), 31),
            ("impact", "hit", ("mug", "floor"), 35),
            ("shatter", "break", ("mug",), 36),
        ]
    )
)


def item(claims=None, *, seed=0, index=4, **extra):
    options = {letter: f"option {letter}" for letter in "ABCDEFGH"}
    return Item(
        benchmark="causalstep",
        question_id="q",
        mode="chain",
        prompt="?",
        question="?",
        options=options,
        video=Path("v.mp4"),
        shown=tuple(Span(i, 10 * i - 10, 10 * i) for i in (index - 1, index)),
        previous_id=None,
        seed=(seed, "q"),
        claims=claims,
        **extra,
    )


def claims(*texts):
    return Claims(EVENTS, dict(zip("ABCDEFGH", map(parse, texts), strict=False)))


def choice(*texts, **extra):
    return TemporalNeighbour().answer(item(claims(*texts), **extra)).choice


def test_the_shipped_models_are_found_by_name():
    assert {"chance", "constant", "longest_option", "oracle", "replay"} <= set(MODELS)
    assert {name: make_model(name).sees for name in ("chance", "oracle", "temporal_neighbour")} == {
        "chance": "media",
        "oracle": "truth",
        "temporal_neighbour": "claims",
    }


def test_a_wrong_model_name_or_argument_is_one_clear_error():
    with pytest.raises(NotRegisteredError, match="'orcale'; did you mean oracle"):
        make_model("orcale")
    with pytest.raises(InputError, match="'oracle' written as oracle, found 'oracle:x'"):
        make_model("oracle:x")
    with pytest.raises(InputError, match="'replay' written as replay:FILE, found 'replay'"):
        make_model("replay")


def test_the_oracle_reads_the_truth():
    assert make_model("oracle").answer(item(truth=Truth("E"))) == Answer("E")
    assert make_model("oracle").answer(item(truth=Truth("E", "{}"))) == Answer("E", "{}")


def test_chance_is_even_and_keyed_by_the_items_seed():
    chance = make_model("chance")
    drawn = Counter(chance.answer(item(seed=seed)).choice for seed in range(1600))
    assert set(drawn) == set("ABCDEFGH")
    assert all(140 <= count <= 260 for count in drawn.values())
    assert chance.answer(item(seed=3)) == make_model("chance").answer(item(seed=3))


def test_a_constant_gives_its_letter_and_no_other():
    constant = make_model("constant:C")
    assert (constant.name, constant.answer(item())) == ("constant:C", Answer("C"))
    with pytest.raises(InputError, match="a key out of A, B, C, D, E, F, G, H, found 'c'"):
        make_model("constant:c").answer(item())
    assert make_model("constant:2/c/D/A").answer(item()) == Answer("D")
    with pytest.raises(InputError, match="'constant' written as constant:KEY"):
        make_model("constant")


def test_the_longest_option_is_taken_and_among_equals_drawn():
    model = make_model("longest_option")
    texts = dict(item().options)
    one = dataclasses.replace(item(), options=texts | {"D": "a longer option"})
    assert model.answer(one) == Answer("D")
    two = [
        dataclasses.replace(
            item(seed=seed), options=texts | {"D": "a longer one", "F": "one longer a"}
        )
        for seed in range(40)
    ]
    assert {model.answer(one).choice for one in two} == {"D", "F"}


def test_the_latest_event_before_the_onset_is_taken_for_the_cause():
    assert choice("trigger(bump, slide)", "trigger(fall, slide)", "trigger(shatter, slide)") == "A"
    assert choice("trigger(bump, shatter)", "cause(impact, shatter)", "not(occurs(bump))") == "B"


def test_an_unrelated_event_that_came_between_deceives_it():
    # The cube hit the wall after the mug began to fall and before it hit the floor.
    assert choice("trigger(fall, impact)", "trigger(hit(cube, wall), impact)") == "B"


def test_enabling_conditions_and_denials_are_not_taken_for_causes():
    texts = "enables(impact, shatter)", "not(trigger(impact, shatter))", "trigger(impact, shatter)"
    assert choice(*texts, "trigger(bump, shatter)") == "C"


@pytest.mark.parametrize(
    "texts",
    [
        ("trigger(fall, impact)", "trigger(bump, impact)"),  # neither names the cube
        ("trigger(slide, bump)", "trigger(fall, bump)"),  # nothing came before
        ("trigger(slide, melt)", "trigger(fall, melt)"),  # the effect never happened
    ],
)
def test_it_guesses_among_the_options_where_none_names_the_latest_event(texts):
    model = TemporalNeighbour()
    drawn = {model.answer(item(claims(*texts), seed=seed)) for seed in range(100)}
    assert drawn == {Answer("A"), Answer("B")}


def test_asked_for_a_scene_it_names_that_of_the_latest_event_or_of_the_event_itself():
    def scene(*texts):
        shown = tuple(Span(i, 10 * i - 10, 10 * i) for i in (2, 3, 4))
        claimed = Claims(EVENTS, {str(i): parse(t) for i, t in zip((2, 3, 4), texts, strict=True)})
        asked = dataclasses.replace(item(claimed), shown=shown, options=dict.fromkeys("234", "?"))
        return TemporalNeighbour().answer(asked).choice

    far = [
        f"and(color(ball) = red, and(cause(bump, impact), starts(bump, {i})))" for i in (2, 3, 4)
    ]
    assert scene(*far) == "4"  # the cube hits the wall right before the impact
    assert scene(*[f"and(trigger(slide, fall), starts(slide, {i}))" for i in (2, 3, 4)]) == "2"
    assert scene(*[f"starts(fall, {i})" for i in (2, 3, 4)]) == "3"


def test_a_description_that_the_events_confirm_is_chosen():
    texts = [
        "happens(fall, 4)",  # in segment 3
        "happens(break(mug), 4)",
        "happens(hit(cube, floor), 4)",  # never
        "happens(shatter, 3)",  # not the segment shown
        "color(mug) = red",
    ]
    assert choice(*texts) == "B"
    assert {choice(*texts, index=3, seed=seed) for seed in range(50)} == {"B", "C", "E"}


def test_it_guesses_among_descriptions_that_the_events_do_not_contradict():
    texts = ["happens(fall, 4)", "color(mug) = red", "happens(bump, 4)", "not(occurs(bump))"]
    assert {choice(*texts, seed=seed) for seed in range(50)} == {"B"}


def test_an_option_whose_effect_came_at_another_time_is_not_taken_for_its_cause():
    texts = (
        "and(happens(impact, 4), cause(fall, impact))",  # the cube came in between
        "and(happens(shatter, 4), cause(impact, shatter))",
        "and(happens(slide, 4), cause(bump, slide))",  # right, but long before
        "and(happens(shatter, 4), cause(not(impact), shatter))",
    )
    assert {choice(*texts, seed=seed) for seed in range(50)} == {"B"}


def test_replay_gives_the_files_answers_by_path(tmp_path, write_rows):
    row = {"question_id": "q", "mode": "chain", "choice": "B", "status": "ok", "raw": "B."}
    refused = row | {"mode": "isolated", "choice": None, "status": "refused"}
    path = write_rows(tmp_path / "p.jsonl", [row, refused])
    replay = make_model(f"replay:{path}")
    assert replay.answer(item()) == Answer("B", "B.")
    with pytest.raises(InputError, match=r"p.jsonl: expected an answer to 'x' in mode chain"):
        replay.answer(
            Item(**{f: getattr(item(), f) for f in Item.__slots__} | {"question_id": "x"})
        )


def test_replay_reads_the_authors_file_for_castbench(tmp_path, write_rows):
    said = '{"answer_choice": "B", "instances": []}'
    rows = [
        {"prompt": "Question: Why?\nOptions: A: so", "predict": "by text"},
        {"prompt": "?", "predict": said, "qa_id": "q"},
    ]
    replay = make_model(f"replay:{write_rows(tmp_path / 'p.jsonl', rows)}")
    asked = dataclasses.replace(item(), benchmark="castbench", mode="self")
    assert replay.answer(asked) == Answer(None, said)
    by_text = dataclasses.replace(asked, question_id="x", question="Why?")
    assert replay.answer(by_text) == Answer(None, "by text")
    with pytest.raises(InputError, match="expected an answer to 'x' in mode self"):
        replay.answer(dataclasses.replace(by_text, question="How?"))
