import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.benchmarks.castbench.schema import (
    Evidence,
    four_numbers,
    read_predictions,
    read_truth,
)
from simworld.benchmarks.rows import MAX_LINE_BYTES
from simworld.errors import InputError

ANSWER = {"prompt": "Question: Why?\n\nOptions:\nA: So.", "predict": "A"}
BOMB = "[" * 100_000


@pytest.fixture
def truth(tmp_path, write_rows):
    return lambda *rows: read_truth(write_rows(tmp_path / "castbench_hf.jsonl", rows))


@pytest.fixture
def error_in(tmp_path):
    def read(reader, *rows):
        path = tmp_path / "rows.jsonl"
        text = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(line + "\n" for line in text), encoding="utf-8")
        with pytest.raises(InputError) as caught:
            reader(path)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 500
        return str(caught.value)

    return read


def test_a_row_of_the_authors_is_read_field_by_field(truth, truth_row, evidence_row):
    wall = evidence_row(
        evidence_instance_id="wall_9", SAV_instance_id=None, bboxes_in_range=None,
        evidence_start_time="01:00", evidence_end_time="01:00",
    )  # fmt: skip
    (question,) = truth(truth_row(evidence=[evidence_row(), wall]))
    assert (question.qa_id, question.video, question.answer) == ("qa_000000", "one.mp4", "C")
    assert question.options["F"] == "Because of f."
    assert question.evidences == (
        Evidence("ball_a1b", 1, 2, {1: (10, 20, 30, 40), 2: (12, 20, 32, 40)}, "The ball rolls."),
        Evidence("wall_9", 60, 60, {}, "The ball rolls."),
    )
    assert (question.size_px, question.duration_s, question.group) == (None, None, None)


def test_every_spelling_of_the_authors_reads_alike(truth, truth_row, evidence_row):
    boxes = {"00:01": [10, 20, 30, 40], "0:02": "[12,20, 32 ,40]"}
    other = evidence_row(
        evidence_instance_id=None, instance_id="ball_a1b", evidence_end_time="2",
        evidence_start_time="0:00:01", bboxes_in_range=None, bboxes_in_time_range=boxes,
    )  # fmt: skip
    (plain,) = truth(truth_row())
    (spelled,) = truth(truth_row() | {"evidence": [other]})
    assert plain == spelled


def test_a_box_without_area_is_none_as_where_the_authors_write_minus_one(
    truth, truth_row, evidence_row
):
    boxes = {"1": "[-1, -1, -1, -1]", "2": "[5, 5, 5, 9]"}
    (question,) = truth(truth_row(evidence=[evidence_row(bboxes_in_range=boxes)]))
    assert question.evidences[0].boxes_xyxy_px == {}


@pytest.mark.parametrize("count", range(1, 7))
def test_one_to_six_options_are_read(truth, truth_row, count):
    options = dict.fromkeys("ABCDEF"[:count], "x")
    assert len(truth(truth_row(options=options, answer="A"))[0].options) == count


def test_rows_are_named_by_their_line_unless_they_name_themselves(tmp_path, truth_row):
    path = tmp_path / "t.jsonl"
    rows = [truth_row(), truth_row("two", qa_id="mine"), truth_row("three")]
    path.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert [question.qa_id for question in read_truth(path)] == ["qa_000000", "mine", "qa_000004"]


def test_equal_question_texts_are_read(truth, truth_row):
    assert len(truth(truth_row(), truth_row("two", question="Why in one?"))) == 2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": None}, "expected the key 'question', found none; add it"),
        ({"options": {}}, "options: expected"),
        ({"options": {"A": "x", "G": "y"}}, "options"),
        ({"answer": "G"}, "answer: expected 'A', 'B'"),
        ({"options": {"A": "x"}}, "expected an answer among the options A, found 'C'"),
        ({"video": "../a.mp4"}, "expected a path inside the benchmark's folder, found '../a.mp4'"),
        ({"width": 0}, "width: expected"),
        ({"evidence": "[{"}, "line 2, evidence: expected strict JSON"),
        ({"evidence": BOMB}, "line 2, evidence: expected a few levels of brackets"),
        ({"evidence": "[\ud800]"}, "line 2, evidence: expected UTF-8"),
        ({"evidence": "{}"}, "expected a list in evidence, found dict"),
        ({"evidence": "[5]"}, "line 2, evidence 1: expected a JSON object, found 5"),
        ({"evidence": 5}, "evidence"),
        ({"qa_id": "qa_000000"}, "expected every qa_id once, found 'qa_000000' in lines 1 and 2"),
    ],
)
def test_a_wrong_field_is_named(error_in, truth_row, changes, said):
    error = error_in(read_truth, truth_row(), truth_row("two", **changes))
    assert said in error and "rows.jsonl" in error


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"evidence_start_time": "00:01.5"}, "whole seconds like 00:07, found '00:01.5'"),
        ({"evidence_start_time": ""}, "whole seconds like 00:07, found ''"),
        ({"evidence_start_time": 1}, "evidence_start_time: expected"),
        ({"evidence_end_time": "00:00"}, "a start before the end, found 00:01 to 00:00"),
        ({"evidence_end_time": None}, "expected the key 'evidence_end_time'"),
        ({"bboxes_in_range": {"1": "[1, 2, 3]"}}, 'box at 1: expected "[x1, y1, x2, y2]", found'),
        ({"bboxes_in_range": {"1": [1, 2, 3, "inf"]}}, "box at 1: expected"),
        ({"bboxes_in_range": {"1": "x" * 1000}}, "box at 1: expected"),
        ({"bboxes_in_range": {"1.5": "[1, 2, 3, 4]"}}, "whole seconds like 00:07, found '1.5'"),
    ],
)
def test_a_wrong_evidence_is_named(error_in, truth_row, evidence_row, changes, said):
    rows = [evidence_row(), evidence_row(**changes)]
    error = error_in(read_truth, truth_row(evidence=rows))
    assert "rows.jsonl, line 1, evidence 2" in error and said in error


def test_an_empty_truth_file_is_refused(error_in):
    assert "expected at least one question, found none" in error_in(read_truth)


def test_predictions_keep_line_numbers_and_need_no_more_than_the_format(tmp_path):
    path = tmp_path / "p.jsonl"
    rows = [ANSWER | {"label": "B"}, {"qa_id": "q", "predict": None}]
    path.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")
    (first, one), (second, two) = read_predictions(path)
    assert (first, one.predict, second, two.predict, two.qa_id) == (1, "A", 3, None, "q")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"prompt": "x"}, "expected the key 'predict'"),
        ({"predict": "x"}, "expected the prompt, or the qa_id of the question, found neither"),
        ({**ANSWER, "predict": {"answer_choice": "A"}}, "predict: expected a valid string"),
        ({**ANSWER, "qa_id": "q"}, "one answer to every qa_id once, found 'q' in lines 1 and 2"),
        ({**ANSWER, "predict": "x" * 10_000_000}, f"expected at most {MAX_LINE_BYTES:,} bytes"),
        (json.dumps(ANSWER)[:-9], "expected strict JSON"),
        (BOMB, "expected a few levels of brackets, found hundreds"),
        ('{"prompt": "x", "predict": NaN}', "NaN, which is no JSON number"),
        ('{"prompt": "x", "predict": 1e999}', "1e999, which is beyond a double"),
    ],
    ids=range(9),
)
def test_a_bad_prediction_row_is_one_clear_error(error_in, row, said):
    error = error_in(read_predictions, ANSWER | {"qa_id": "q"}, row)
    assert said in error and "rows.jsonl" in error


@given(st.lists(st.integers(-(2**40), 2**40) | st.floats(-1e9, 1e9), min_size=4, max_size=4))
def test_a_box_reads_alike_as_list_and_as_string(numbers):
    assert four_numbers(numbers) == four_numbers(str(numbers)) == tuple(map(float, numbers))
