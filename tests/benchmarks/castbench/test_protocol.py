import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.castbench.protocol import (
    MAX_SECOND,
    asked_question,
    prompt,
    read_reply,
    read_second,
    write_reply,
)
from simworld.benchmarks.castbench.schema import Evidence, Question

BALL = Evidence("red_ball", 1, 2, {1: (10, 20, 30, 40), 2: (12, 20, 32, 40)}, "It hits the mug.")
QUESTION = Question(
    "q1",
    "v.mp4",
    "Why did the mug fall in video 7?",
    "Causal Explanation",
    "Table",
    {"A": "The red ball struck it.", "B": "The table shook.", "C": "The blue ball struck it."},
    "A",
    (BALL, Evidence("mug_1", 61, 61, {}, "A red ball is near. The ball struck. It wobbles.")),
)

LETTER = '{"answer_choice": "B"}'


def block_of(item):
    return json.dumps({"instances": [{"evidences": [item]}]})


@pytest.mark.parametrize("chain", ["none", "self", "given"])
def test_prompts_ask_in_the_authors_layout(chain):
    text = prompt(QUESTION, chain)
    options = "A: The red ball struck it.\nB: The table shook.\nC: The blue ball struck it.\n"
    assert f"\n\nQuestion: {QUESTION.question}\n\nOptions:\n{options}" in text
    assert '"answer_choice": "<letter>"' in text
    assert ('"bboxes_in_time_range"' in text) == (chain == "self")
    assert "red_ball" not in text and "hits the mug" not in text.replace("It hits the mug.", "")


def test_given_evidence_tells_when_and_where_but_not_the_answer():
    told = prompt(QUESTION, "given").partition("Look at this evidence:\n")[2]
    assert told.startswith(
        "- object 1, 00:01 to 00:02: It hits the mug.\n"
        "  00:01 [10, 20, 30, 40]\n  00:02 [12, 20, 32, 40]\n"
        "- object 2, 01:01 to 01:01: The ball struck. It wobbles.\n"
    )


words = st.lists(st.sampled_from(["red", "blue", "ball", "mug", "hit"]), max_size=5).map(" ".join)


@given(st.lists(words, min_size=2, max_size=6), words)
def test_no_given_sentence_points_at_the_right_option_alone(options, sentence):
    question = Question(
        "q", "v.mp4", "Why?", "", "", dict(zip("ABCDEF", options, strict=False)), "A",
        (Evidence("x", 0, 1, {}, sentence + "."),),
    )  # fmt: skip
    told = prompt(question, "given").partition("00:00 to 00:01")[2].partition("\n")[0]
    said, right, *wrong = (set(re.findall(r"\w+", text)) for text in (told, *options))
    assert len(said & right) <= max(len(said & other) for other in wrong)


@given(st.text(), st.sampled_from(["none", "self", "given"]))
def test_the_question_is_cut_out_of_its_prompt(text, chain):
    line = " ".join(text.split()) or "Why?"
    question = Question("q", "v.mp4", line, "", "", QUESTION.options, "A", ())
    assert asked_question(prompt(question, chain)) == line


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Watch.\n\nQuestion: Why?\n\nOptions:\nA: So.", "Why?"),
        ("Question:Why\nso?  \nOptions:", "Why\nso?"),
        ("Question: Why? Question: How?\nOptions: x\nOptions:", "Why? Question: How?"),
        ("Question: Why? Options:\nA: So.", None),
        ("Why?\nOptions:", None),
        ("Question: \nOptions:", None),
        ("Question:" + " " * 1_000_000, None),
        ("", None),
    ],
    ids=range(8),
)
def test_a_prompt_of_another_layout_has_no_question(text, question):
    assert asked_question(text) == question


@pytest.mark.parametrize(
    ("raw", "choice"),
    [
        (LETTER, "B"),
        ('{"answer_choice": " b "}', "B"),
        ('{"answer_choice": "E."}', None),
        ('{"answer_choice": "(E)"}', None),
        ('{"answer_choice": "AB"}', None),
        ('{"answer_choice": "É"}', None),
        ('{"answer_choice": ["B"]}', None),
        ('{"answer_choice": null}', None),
        ('{"answer_choice": "Z"}', "Z"),
        (f"```json\n{LETTER}\n```", "B"),
        ('{"instances": [], "answer_choice": "B",}', "B"),
        ("{'answer_choice': 'B'}", "B"),
        (r"{'answer_choice': 'B', 'x': '\d'}", "B"),
        ('{"answer_choice": "B", "x": null,}', None),
        ('{"answer_choice": "B" // sure\n}', None),
        ('{"answer_choice": "B", "x": NaN}', "B"),
        ('{"answer_choice": "B", "answer_choice": "C"}', "C"),
        ('{"x": 1} {"answer_choice": "B"} {"answer_choice": "C"}', "B"),
        ('{"instances": []} {"answer_choice": "B"}', None),
        ('{"00:01": "[1, 2, 3, 4]"}', None),
        ('{ // mine\n {"answer_choice": "B"} }', None),
        ('{"outer": {"answer_choice": "B"}}', None),
        ('{"x": "}", "answer_choice": "B"}', None),
        ('{"x": "{}", "answer_choice": "B"}', "B"),
        ('} {"answer_choice": "B"}', "B"),
        ('{ {"answer_choice": "B"}', None),
        ('{"answer_choice": "A"}</think>{"answer_choice": "B"}', "B"),
        ('</think>{"answer_choice": "B"}</think>{"answer_choice": "C"}', "B"),
        ('{"answer_choice": "A"}</think>', None),
        ('<think>{"answer_choice": "A"} {"answer_choice": "B"}', "A"),
        ("The answer is B.", None),
        ("B", None),
        ("", None),
    ],
)
def test_the_choice_is_read_as_the_authors_do(raw, choice):
    assert read_reply(raw).choice == choice


@pytest.mark.parametrize(
    "raw",
    [
        '{"a":' * 100_000,
        '{"a":' + "[" * 100_000 + "]" * 100_000 + "}",
        "{" * 200_000 + "}" * 200_000,
        "{'a': " + "-" * 200_000 + "1}",
        "{'a': 1" + "+1" * 100_000 + "}",
        "{'a': " + "lambda:" * 20_000 + "1}",
        "{'a': 0x" + "f" * 10_000 + "}",
        '{"answer_choice": ' + "9" * 5_000 + "}",
        "{'a': '\0\ud800', }",
        "{" + "x" * 1_000_000,
    ],
    ids=range(10),
)
def test_a_bomb_is_an_answer_without_a_choice(raw):
    assert read_reply(raw).choice is None


noise = st.text(st.characters(exclude_characters="{}<"), max_size=20)
atoms = st.integers(-100, 100) | st.floats(-5, 5) | noise
values = st.recursive(atoms, lambda x: st.lists(x, max_size=3) | st.dictionaries(noise, x))
times = st.integers(0, 40)
boxes = st.lists(st.integers(0, 999), min_size=4, max_size=4).filter(
    lambda b: b[0] < b[2] and b[1] < b[3]
)
evidences = st.builds(
    Evidence, st.sampled_from("abc"), times, times, st.dictionaries(times, boxes.map(tuple))
)
replies = st.builds(write_reply, st.sampled_from("ABCDEF"), st.lists(evidences, max_size=4))


@given(st.text() | st.lists(st.sampled_from([*"{}[]\":,'AB", LETTER, "</think>"])))
def test_any_text_gives_one_capital_letter_or_none(text):
    choice = read_reply("".join(text)).choice
    assert choice is None or re.fullmatch("[A-Z]", choice)


@given(replies, noise, noise)
def test_words_around_the_block_do_not_matter(reply, before, after):
    assert read_reply(before + reply + after) == read_reply(reply)


@given(replies | noise, replies | noise)
def test_what_comes_before_the_first_end_of_thought_does_not_matter(before, after):
    assert read_reply(f"<think>{before}</think>{after}") == read_reply(after)


@given(st.lists(st.dictionaries(st.sampled_from("xyz"), values), max_size=3), replies, replies)
def test_the_first_block_with_a_known_key_counts(others, first, second):
    blocks = [json.dumps(other) for other in others]
    assert read_reply(" ".join([*blocks, first, second])) == read_reply(first)


@given(replies, noise)
def test_blocks_inside_one_that_cannot_be_read_are_not_tried(reply, text):
    assert read_reply(f"{{ //{text}\n{reply}}}").choice is None


@settings(deadline=None)
@given(replies)
def test_python_and_trailing_commas_are_read_like_json(reply):
    assert read_reply(reply[:-1] + ",}") == read_reply(reply)
    assert read_reply(repr(json.loads(reply))) == read_reply(reply)


@given(st.sampled_from("ABCDEF"), st.lists(evidences, max_size=5))
def test_a_written_reply_reads_back(choice, found):
    names = list(dict.fromkeys(evidence.instance for evidence in found))
    reply = read_reply(write_reply(choice, found))
    assert reply.choice == choice
    assert [
        [(e.start_s, e.end_s, e.boxes_xyxy_px) for e in group] for group in reply.instances
    ] == [
        [(e.start_s, e.end_s, e.boxes_xyxy_px) for e in found if e.instance == name]
        for name in names
    ]


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59), st.integers(0, 9))
def test_every_way_to_write_a_time(h, m, s, tenth):
    assert read_second(f"{m:02d}:{s:02d}") == read_second(f" {m}:{s} ") == 60 * m + s
    assert read_second(f"{h}:{m:02d}:{s:02d}") == 3600 * h + 60 * m + s
    assert read_second(s) == read_second(str(s)) == read_second(f"{s}s") == s
    assert read_second(s + tenth / 10) == read_second(f"{s}.{tenth}") == s
    assert read_second(f"{m:02d}:{s:02d}.{tenth}") == 3600 * m + 60 * s + tenth


@pytest.mark.parametrize(
    ("value", "second"),
    [
        ("00:05.7", 307),
        ("00:05 - 00:08", 300),
        ("1:02:03:04", 3723),
        ("00:75", 75),
        (-5, 5),
        ("1e1", 10),
        (None, 0),
        ("", 0),
        ("soon", 0),
        (True, 0),
        (float("nan"), 0),
        (float("inf"), 0),
        ([7], 7),
        (1e300, MAX_SECOND),
        ("9" * 5000, MAX_SECOND),
        (int("9" * 4000) ** 2, 0),
    ],
    ids=range(16),
)
def test_odd_times_are_read_as_the_authors_do(value, second):
    assert read_second(value) == second


@pytest.mark.parametrize(
    ("box", "read"),
    [
        ([1, 2, 3, 4], (1, 2, 3, 4)),
        ([1.5, 2, "3", 4], (1.5, 2, 3, 4)),
        ("[1, 2,3,4]", (1, 2, 3, 4)),
        ([3, 2, 1, 4], None),
        ([1, 2, 3, 2], None),
        ([-1, -1, -1, -1], None),
        ([1, 2, 3], None),
        ("1, 2, 3, 4", None),
        ([1, 2, 3, None], None),
        ([1, 2, 3, float("nan")], None),
        ([1, 2, 3, float("inf")], None),
        ([1, 2, 3, 10**400], None),
        ({"x1": 1}, None),
        (None, None),
    ],
)
@pytest.mark.parametrize("bbox_format", ["xyxy_px", "xyxy_n1000"])
def test_a_box_is_four_numbers_with_area(box, read, bbox_format):
    raw = block_of({"bboxes_in_time_range": {"00:03": box}})
    ((evidence,),) = read_reply(raw, bbox_format, (1000, 1000)).instances
    if read is not None and bbox_format != "xyxy_px":
        read = tuple(map(round, read))
    assert evidence.boxes_xyxy_px == ({} if read is None else {3: read})


@pytest.mark.parametrize(
    ("bbox_format", "box", "read"),
    [
        ("xyxy_px", [10.6, 20, 30, 40], (10.6, 20, 30, 40)),
        ("yxyx_px", [20, 10.6, 40, 30], (10, 20, 30, 40)),
        ("yxyx_px", [20, 10.6, 40, 10.9], None),
        ("xyxy_n1000", [500, 500, 750, 1000], (320, 240, 480, 480)),
        ("yxyx_n1000", [500, 500, 1000, 750], (320, 240, 480, 480)),
        ("xyxy_n1000", [1, 0, 2, 1000], None),
        ("xyxy_n1000", "[0, 0, 1000, 1000]", (0, 0, 640, 480)),
        ("xyxy_n1000", [0, 0, 1e308, 10], (0, 0, 640e9, 5)),
    ],
)
def test_the_four_conventions_of_boxes(bbox_format, box, read):
    # At 640 px, 1 and 2 thousandths both round to pixel 1; half a pixel rounds to even.
    raw = block_of({"bboxes_in_time_range": {"00:03": box}})
    ((evidence,),) = read_reply(raw, bbox_format, (640, 480)).instances
    assert evidence.boxes_xyxy_px == ({} if read is None else {3: read})


@given(boxes, st.integers(200, 4000), st.integers(200, 4000))
def test_conventions_agree_on_one_box(box, width, height):
    x1, y1, x2, y2 = box

    def read(bbox_format, numbers):
        raw = block_of({"bboxes_in_time_range": {"3": numbers}})
        return read_reply(raw, bbox_format, (width, height))

    assert read("xyxy_px", box) == read("yxyx_px", [y1, x1, y2, x2])
    scaled = read("xyxy_n1000", box)
    assert scaled == read("yxyx_n1000", [y1, x1, y2, x2])
    for found in scaled.instances[0][0].boxes_xyxy_px.values():
        assert found == pytest.approx(
            (x1 * width / 1000, y1 * height / 1000, x2 * width / 1000, y2 * height / 1000), abs=0.5
        )


def test_only_the_keys_and_shapes_of_predictions_are_read():
    raw = json.dumps(
        {
            "instances": [
                5,
                {"instance_id": "x"},
                {"evidences": [None, {"bboxes_in_range": {"1": [1, 2, 3, 4]}}]},
                {"evidences": {"evidence_start_time": "00:01"}},
                {"evidences": [{"evidence_end_time": "00:02", "bboxes_in_time_range": [1]}]},
            ]
        }
    )
    assert read_reply(raw).instances == (
        (), (Evidence("", 0, 0, {}),), (), (Evidence("", 0, 2, {}),),
    )  # fmt: skip
    assert read_reply('{"instances": {"evidences": []}}').instances == ()


def test_of_two_boxes_at_one_second_of_an_evidence_the_later_counts():
    boxes = {"00:03": [0, 0, 9, 9], "3": [0, 0, 2, 2], "00:04": [0, 0, 9, 9], "4": None}
    ((evidence,),) = read_reply(block_of({"bboxes_in_time_range": boxes})).instances
    assert evidence.boxes_xyxy_px == {3: (0, 0, 2, 2)}
