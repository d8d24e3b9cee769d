import json

import pytest

from simworld.benchmarks.causalstep.schema import Segment, read_predictions, read_truth
from simworld.benchmarks.rows import MAX_LINE_BYTES
from simworld.errors import InputError

ANSWER = {"question_id": "v1-d1", "mode": "chain", "choice": "C", "status": "ok"}
BOMB = "[" * 100_000


@pytest.fixture
def truth_error(tmp_path, write_rows):
    def read(*rows):
        with pytest.raises(InputError) as caught:
            read_truth(write_rows(tmp_path / "causalstep.jsonl", rows))
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return read


@pytest.fixture
def prediction_error(tmp_path, write_rows, video_row):
    def read(*rows):
        truth = read_truth(write_rows(tmp_path / "causalstep.jsonl", [video_row()]))
        path = tmp_path / "predictions.jsonl"
        text = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(line + "\n" for line in text), encoding="utf-8")
        with pytest.raises(InputError) as caught:
            read_predictions(path, truth)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 500
        return str(caught.value)

    return read


def test_a_valid_file_reads_back_field_by_field(tmp_path, write_rows, video_row):
    rows = [video_row(), video_row(2, "v2", group="g", scene="falling_cup")]
    rows[0]["questions"][0]["proof"] = "q7"
    first, second = read_truth(write_rows(tmp_path / "t.jsonl", rows))
    assert first.segments[1] == Segment(
        index=2, start_frame=10, stop_frame=20, start_s=0.8, stop_s=1.6, description="Segment 2."
    )
    assert first.question(1, "descriptive").proof == "q7"
    assert (first.group, second.group, second.scene) == (None, "g", "falling_cup")
    assert json.loads(second.model_dump_json(exclude_none=True)) == rows[1]


def test_blank_lines_and_a_byte_order_mark_are_no_error(tmp_path, video_row):
    path = tmp_path / "t.jsonl"
    path.write_text("\ufeff" + json.dumps(video_row()) + "\n\n", encoding="utf-8")
    assert len(read_truth(path)) == 1


def change(row, path, value):
    *parents, last = path
    for key in parents:
        row = row[key]
    row[last] = value


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["fps"], 0.0, "fps: expected greater than 0, found 0.0"),
        (["fps"], "12.5", "fps: expected a valid number, found '12.5'"),
        (["width"], 320.5, "width: expected a valid integer"),
        (["video"], "/etc/passwd", "a path inside the benchmark's folder, found '/etc/passwd'"),
        (["video"], "../v.mp4", "a path inside the benchmark's folder"),
        (["colour"], 1, "expected only the format's keys, found 'colour'"),
        (["segments", 3, "stop_frame"], 10**400, "stop_frame: expected less than or equal to"),
        (["segments"], [], "segments: expected"),
        (["segments", 1, "index"], 3, "expected segment 2 in place 2, found index 3"),
        (["segments", 1, "start_frame"], 20, "at least one frame in segment 2"),
        (["segments", 1, "start_s"], 10.0, "expected start_s = 0.8 in segment 2 (frame 10"),
        (["segments", 3, "stop_s"], 3.3, "expected stop_s = 3.2 in segment 4 (frame 40"),
        (["questions", 0, "answer"], "I", "questions.0.answer: expected"),
        (["questions", 0, "answer"], "D", "distractor_types for A, B, C, E, F, G, H in 'v1-d1'"),
        (["questions", 0, "kind"], "why", "questions.0.kind: expected"),
        (["questions", 0, "kind"], "causal", "expected 0 causal question(s) for segment 1 of 4"),
        (["questions", 1, "kind"], "causal", "expected 1 causal question(s) for segment 2 of 4"),
        (["questions", 1, "segment"], 9, "expected 1 descriptive question(s) for segment 2 of 4"),
        (["questions", 0, "options", "I"], "x", "questions.0.options"),
        (["questions", 0, "options", "A"], "", "questions.0.options.A: expected"),
        (["questions", 0, "options", "A"], "v1-d1 option B", "eight different options"),
        (["questions", 0, "distractor_types", "C"], "surface_level", "distractor_types for A, B"),
        (["questions", 0, "distractor_types", "A"], "surface_level", "'surface_level' more than"),
        (["questions", 0, "distractor_types", "A"], "wrong", "questions.0.distractor_types.A"),
    ],
)
def test_a_wrong_field_is_named(truth_error, video_row, path, value, said):
    row = video_row()
    change(row, path, value)
    error = truth_error(video_row(2, "v0"), row)
    assert "causalstep.jsonl, line 2: " in error
    assert said in error


@pytest.mark.parametrize("key", ["video_id", "fps", "segments", "questions"])
def test_a_missing_key_is_named(truth_error, video_row, key):
    row = video_row()
    del row[key]
    assert f"line 1: expected the key '{key}', found none; add it" in truth_error(row)


def test_seven_options_are_refused(truth_error, video_row):
    row = video_row()
    del row["questions"][0]["options"]["H"]
    assert "expected options A to H in 'v1-d1', found options A, B, C, D, E, F, G" in truth_error(
        row
    )


def test_a_gap_between_segments_is_refused(truth_error, video_row):
    row = video_row()
    row["segments"][2] |= {"start_frame": 21, "start_s": 1.68}
    assert "expected segment 3 to start at frame 20, where the one before it stops, found" in (
        truth_error(row)
    )


def test_ids_and_question_texts_are_unique_over_the_file(truth_error, video_row):
    other = video_row(4, "v2")
    assert "line 3: expected every video_id 'v1' once, found it in line 1" in truth_error(
        video_row(), other, video_row()
    )
    other["questions"][2]["question_id"] = "v1-c3"
    assert "line 2: expected every question_id 'v1-c3' once" in truth_error(video_row(), other)
    other = video_row(4, "v2")
    other["questions"][2]["question"] = "In v1, causal 3?"
    assert "line 2: expected every question text 'In v1, causal 3?' once" in truth_error(
        video_row(), other
    )


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({**ANSWER, "question_id": "v1-d11"}, "question_id of the truth file, found 'v1-d11'"),
        ({**ANSWER, "question_id": "v1-d11"}, "the nearest is 'v1-d1'"),
        ({**ANSWER, "question_id": "???"}, "the nearest is "),
        ({**ANSWER, "choice": "I"}, "choice: expected 'A', 'B'"),
        ({**ANSWER, "choice": "c"}, "choice: expected 'A', 'B'"),
        ({**ANSWER, "choice": None}, "found choice None with status 'ok'"),
        ({**ANSWER, "status": "unparsed"}, "found choice 'C' with status 'unparsed'"),
        ({**ANSWER, "status": "fine"}, "status: expected 'ok', 'unparsed'"),
        ({**ANSWER, "mode": "alone"}, "mode: expected 'chain'"),
        ({**ANSWER, "mode": "isolated", "previous": "v1-d1"}, "previous in rows of mode chain"),
        ({**ANSWER, "previous": "v1-d9"}, "previous of the truth file, found 'v1-d9'"),
        ({**ANSWER, "previous": "v1-c2"}, "no previous (a descriptive question)"),
        (
            {**ANSWER, "question_id": "v1-c4", "previous": "v1-d2"},
            "expected 'v1-d3' or 'v1-c3' before 'v1-c4', found 'v1-d2'",
        ),
        ({**ANSWER, "previuos": "v1-d1"}, "found 'previuos'"),
        ("[1]", "expected a JSON object, found [1]"),
        ("{", "expected strict JSON"),
        ('{"a": 1} {"a": 2}', "expected strict JSON, found: Extra data"),
        ('{"a": NaN}', "NaN, which is no JSON number"),
        ('{"a": -Infinity}', "-Infinity, which is no JSON number"),
        ('{"a": 1e999}', "1e999, which is beyond a double"),
        ('{"a": ' + "9" * 5000 + "}", "expected strict JSON"),
        ('{"choice": "A", "choice": "B"}', "the key 'choice' twice in one object"),
        (BOMB, "expected a few levels of brackets, found hundreds"),
        ('{"a": ' * 100_000, "expected a few levels of brackets, found hundreds"),
        ('{"raw": "\\ud800"}', "expected the key 'question_id'"),
        ({**ANSWER, "raw": "x" * 10_000_000}, f"expected at most {MAX_LINE_BYTES:,} bytes"),
    ],
    ids=range(26),
)
def test_a_bad_prediction_row_is_one_clear_error(prediction_error, row, said):
    good = ANSWER | {"question_id": "v1-d2"}
    error = prediction_error(good, row)
    assert "predictions.jsonl, line 2: " in error
    assert said in error


def test_a_second_answer_to_one_question_and_path_is_refused(prediction_error):
    assert "line 3: expected every answer to 'v1-d1' in mode chain once, found it in line 1" in (
        prediction_error(ANSWER, ANSWER | {"mode": "isolated"}, ANSWER | {"choice": "D"})
    )


def test_files_that_cannot_be_read_are_named(tmp_path):
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(InputError, match=r"expected a readable file at .*check the path"):
            read_predictions(path)
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes('{"raw": "é"}'.encode("latin-1"))
    with pytest.raises(InputError, match="line 1: expected UTF-8"):
        read_predictions(latin)


def test_an_empty_truth_file_is_refused(truth_error):
    assert "expected at least one video, found none" in truth_error()
