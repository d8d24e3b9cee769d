"""Predictions that are overlong, cut short or made to break a reader: an error, or a count."""

import json
import time

import pytest

from simworld.benchmarks.castbench import metrics as castbench
from simworld.benchmarks.castbench.protocol import MAX_BLOCKS, read_reply
from simworld.benchmarks.causal2needles import metrics as causal2needles
from simworld.benchmarks.causalstep import metrics as causalstep
from simworld.benchmarks.causalstep.protocol import read_choice
from simworld.benchmarks.decisions import metrics as decisions
from simworld.benchmarks.rows import MAX_LINE_BYTES
from simworld.errors import InputError
from simworld.rng import stream

LONG = 1_000_000


@pytest.fixture
def folders(tmp_path, video_row, write_rows):
    """A folder of each benchmark with one video, and a row that answers a question of it."""
    write_rows(tmp_path / "causalstep" / "causalstep.jsonl", [video_row(2)])
    question = {"video": "v.mp4", "question": "Why?", "options": {"A": "a", "B": "b"}}
    write_rows(tmp_path / "castbench" / "castbench_hf.jsonl", [question | {"answer": "B"}])
    change = {"question_id": "d1", "options": {"A": "a", "B": "b"}, "answer": "B"}
    change |= {"video": "v.mp4", "question": "What?"}
    write_rows(tmp_path / "decisions" / "decisions.jsonl", [change])
    needles = tmp_path / "causal2needles"
    files = {
        "annotations.json": {
            "yms": {
                "1": {
                    "annotations": [
                        {"begin_time": 4.0 * i, "end_time": 4.0 * i + 4} for i in range(9)
                    ],
                    "texts": ["So."] * 9,
                }
            }
        },
        "questions/yms/1needle/1.json": {"Why?": [[1, 4]]},
        "windows.json": {"yms/1": {"1needle": {"Why?": {"left": 0, "first": 1, "last": 8}}}},
    }
    for name, document in files.items():
        (needles / name).parent.mkdir(parents=True, exist_ok=True)
        (needles / name).write_text(json.dumps(document))
    return {
        "causalstep": (
            causalstep.score,
            {"question_id": "v1-d1", "mode": "chain", "choice": "C", "status": "ok"},
            "raw",
            "question_id",
        ),
        "castbench": (
            castbench.score,
            {"prompt": "", "predict": "?", "qa_id": "qa_000000"},
            "predict",
            "qa_id",
        ),
        "causal2needles": (
            causal2needles.score,
            {"video": "yms/1", "task": "1needle", "order": "forward", "question": "Why?"}
            | {"output": "1"},
            "output",
            "question",
        ),
        "decisions": (
            decisions.score,
            {"question_id": "d1", "choice": "B", "status": "ok"},
            "raw",
            "question_id",
        ),
    }


@pytest.fixture(params=["causalstep", "castbench", "causal2needles", "decisions"])
def case(request, folders, tmp_path):
    """Score bytes as predictions, and return a valid row, its words' key and its id's key."""
    score, row, words, name = folders[request.param]

    def run(data):
        path = tmp_path / "p.jsonl"
        path.write_bytes(data)
        return score(tmp_path / request.param, path)

    return run, row, words, name


def line(row):
    return json.dumps(row).encode() + b"\n"


def refused(run, data, said):
    """Check that a file is refused in one short line within seconds."""
    started_s = time.perf_counter()
    with pytest.raises(InputError) as caught:
        run(data)
    assert said in str(caught.value)
    assert "p.jsonl, line 1" in str(caught.value) or "p.jsonl, line 2" in str(caught.value)
    assert len(str(caught.value)) < 1000
    assert time.perf_counter() - started_s < 30


def test_a_line_of_ten_megabytes_is_refused_before_it_is_parsed(case):
    run, row, words, _ = case
    refused(run, line(row | {words: "x" * 10_000_000}), f"at most {MAX_LINE_BYTES:,} bytes")


def test_truncated_json_is_refused_with_its_line(case):
    run, row, _, _ = case
    refused(run, line(row)[:-4], "expected strict JSON")


def test_a_nesting_bomb_is_refused(case):
    run, row, words, _ = case
    bomb = b"[" * 500_000 + b"]" * 500_000
    data = line(row | {words: None}).replace(b"null", bomb, 1)
    refused(run, data, "expected a few levels of brackets")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_refused(case, number):
    run, row, words, _ = case
    data = line(row | {words: None}).replace(b"null", number.encode(), 1)
    refused(run, data, "expected strict JSON")


def test_an_id_twice_is_refused(case):
    run, row, _, _ = case
    with pytest.raises(InputError, match=r"p.jsonl.*(expected one answer|once)"):
        run(line(row) + line(row))


def test_a_key_twice_among_very_many_is_refused(case):
    run = case[0]
    many = ",".join(f'"k{i}":0' for i in range(200_000)) + ',"k199999":0'
    refused(run, b"{" + many.encode() + b"}\n", "twice in one object")


def test_an_unknown_id_of_a_megabyte_is_refused_in_one_short_line(case):
    run, row, _, name = case
    refused(run, line(row | {name: "v" * LONG}), "the nearest is")


def test_bytes_that_are_no_text_are_refused(case):
    run, _, _, _ = case
    refused(run, b'{"a": "\xff\xfe"}\n', "expected UTF-8")
    refused(run, bytes(stream("noise").integers(128, 256, 4000, dtype="uint8")), "expected UTF-8")


def test_a_file_of_a_hundred_megabytes_is_scored_or_refused(case, tmp_path):
    run, row, _, name = case
    refused(run, (b" " * 999_999 + b"\n") + line(row | {name: "other"}), "the nearest is")
    started_s = time.perf_counter()
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.write(line(row))
        for _ in range(100):
            file.write(b" " * 999_999 + b"\n")
    data = path.read_bytes()
    assert len(data) > 100_000_000
    try:
        run(data)
    except InputError as error:
        assert "expected an answer to every question" in str(error)
    assert time.perf_counter() - started_s < 60


def test_a_hundred_megabytes_of_words_that_belong_to_no_question_are_counted(folders, tmp_path):
    path = tmp_path / "p.jsonl"
    with path.open("wb") as file:
        for _ in range(101):
            file.write(line({"prompt": "Hello", "predict": "word " * 200_000}))
    found = castbench.score(tmp_path / "castbench", path)
    assert found["joins"] == {"qa_id": 0, "question": 0, "position": 1, "superseded": 0} | {
        "unused": 100
    }
    assert found["status_counts"]["unparsed"] == 1


HARD = {
    "open braces": "{" * LONG,
    "empty blocks": "{}" * (LONG // 2),
    "blocks that are no JSON": "{a}" * (LONG // 3),
    "nested blocks": '{"a":' * (LONG // 6) + "1" + "}" * (LONG // 6),
    "lists in a block": "{" + "[" * LONG + "}",
    "spaces after an announcement": "the answer is" + " " * LONG + "x",
    "spaces after option": "option" + " " * LONG + "xx",
    "stars": "answer" + "*" * LONG + "x",
    "brackets": "(" * LONG,
    "dots": "." * LONG + "x",
    "digits": "1" * LONG,
    "a time of digits": '{"instances":[{"evidences":[{"evidence_start_time":"%s"}]}]}'
    % ("9" * LONG),
    "very many instances": '{"instances":[' + "{}," * (LONG // 3) + "{}]}",
    "thoughts": "</think>" * (LONG // 8),
}


@pytest.mark.parametrize("name", HARD)
def test_words_made_to_last_are_counted_as_unparsed(case, name):
    run, row, words, _ = case
    answer = row | {words: HARD[name]}
    if "choice" in answer:
        answer |= {"choice": None, "status": "unparsed"}
    started_s = time.perf_counter()
    assert read_choice(HARD[name]) is None
    assert read_reply(HARD[name]).choice is None
    try:
        counts = run(line(answer))["status_counts"]
        assert counts["unparsed"] + counts["ok"] == 1
        assert counts["ok"] == 0 or name in ("digits", "a time of digits", "nested blocks")
    except InputError as error:
        assert "expected an answer to every question" in str(error)
    assert time.perf_counter() - started_s < 20


def test_an_answer_is_looked_for_in_a_thousand_blocks_and_no_more():
    answer = '{"answer_choice": "B"}'
    assert read_reply("{}" * (MAX_BLOCKS - 1) + answer).choice == "B"
    assert read_reply("{}" * MAX_BLOCKS + answer).choice is None
