import json

import pytest

from simworld.benchmarks.causal2needles.protocol import draw_windows
from simworld.benchmarks.causal2needles.schema import (
    Clip,
    Question,
    TwoParts,
    Window,
    read_folder,
    read_predictions,
    windows_document,
)
from simworld.benchmarks.causal2needles.written import check_written
from simworld.errors import InputError

ONE = "questions/yms/1needle/0001.json"
NONCAUSAL = "questions/yms/1needle_noncausal/0001.json"
TWO = "questions/yms/2needle/0001.json"
TEXT = "What service, and how?"
ROW = {
    "video": "yms/0001",
    "task": "1needle",
    "order": "forward",
    "question": "Why did it fall?",
    "output": "3",
}


def change(files, path, value):
    """Set what lies at a path of keys in the files; a callable changes it instead."""
    *parents, last = path
    for key in parents:
        files = files[key]
    files[last] = value(files[last]) if callable(value) else value


@pytest.fixture
def folder_error(write_folder, sample):
    def read(path, value, check=lambda movies: None):
        change(sample, path, value)
        with pytest.raises(InputError) as caught:
            check(read_folder(write_folder(sample)))
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
        return str(caught.value)

    return read


@pytest.fixture
def prediction_error(tmp_path, write_folder, sample, write_rows):
    def read(*rows):
        movies = read_folder(write_folder(sample))
        with pytest.raises(InputError) as caught:
            read_predictions(write_rows(tmp_path / "p.jsonl", rows), movies)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return read


def test_a_folder_of_ours_reads_back_field_by_field(write_folder, sample):
    (movie,) = read_folder(write_folder(sample))
    assert (movie.name, movie.duration_s, len(movie.clips)) == ("yms/0001", 80.0, 20)
    assert movie.clips[1] == Clip(begin_s=4.0, end_s=8.0)
    assert movie.texts[19] == "Sentence 19."
    assert movie.questions["1needle"] == (Question("Why did it fall?", 6, 10),)
    (two,) = movie.questions["2needle"]
    assert two.parts == TwoParts(
        cause_text=" Cause rephrased. ",
        effect_text="Effect rephrased.",
        image_question=sample[TWO][TEXT][2][0],
        image_answer="B",
        part1="What service was held?",
        part2="How did it occur?",
    )
    assert movie.windows["1needle_noncausal", "Who falls?"] == Window(left=5, first=1, last=10)
    check_written([movie])
    assert windows_document([movie]) == sample["windows.json"]


def test_what_the_authors_code_takes_is_taken(write_folder, document, two_needles):
    clip = {"begin_time": 0, "end_time": 0, "matched": "no ", "extra": [1]}
    entry = document(8) | {"title": "x"}
    entry["annotations"].append(clip)
    files = {
        "annotations.json": {
            "en": {"__yID2Chs7s": entry},
            "yms": {"0001": document(8), "0002": {"texts": 1}},
            "hi": "whatever",
        },
        "questions/symon/1needle/__yID2Chs7s.json": {"Q?": [[0, 1], "not read", 3]},
        "questions/yms/2needle/0001.json": {},
        "questions/yms/s2/0009.json": {"not": "read"},
    }
    symon, yms = read_folder(write_folder(files))
    assert symon.name == "symon/__yID2Chs7s" and not symon.windows
    assert symon.questions["1needle"] == (Question("Q?", 0, 1),)
    assert yms.questions == {"2needle": ()} and list(yms.each()) == []


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected question files questions/SOURCE/KIND/MOVIE"):
        read_folder(tmp_path)


def test_annotations_that_are_not_there_are_named(write_folder, sample):
    del sample["annotations.json"]
    with pytest.raises(InputError, match=r"expected a readable file at .*annotations\.json"):
        read_folder(write_folder(sample))


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (["annotations.json"], "{", "annotations.json: expected strict JSON"),
        (["annotations.json"], [], "annotations.json: expected a JSON object, found []"),
        (["annotations.json"], {"en": {}}, "'0001' under 'yms', since it has questions, found no"),
        (["annotations.json", "yms"], {"1": {}}, "found no such movie; add it"),
        (["annotations.json", "yms", "0001", "texts", 3], 3, "yms/0001: texts.3: expected"),
        (
            ["annotations.json", "yms", "0001", "annotations", 2, "begin_time"],
            "8",
            "annotations.2.begin_time: expected a valid number, found '8'",
        ),
        (["annotations.json", "yms", "0001", "annotations", 2], {}, "annotations.2.begin_time"),
        ([ONE], "[" * 100_000, "0001.json: expected a few levels of brackets"),
        ([ONE], '{"Q": [[1, 2]], "Q": [[1, 3]]}', "the key 'Q' twice in one object"),
        ([ONE], [[6, 10]], "0001.json: expected a JSON object, found [[6, 10]]"),
        ([ONE, "Why did it fall?"], [], "'Why did it fall?': expected the key 'pair', found none"),
        ([ONE, "Why did it fall?"], {"pair": [6, 10]}, "expected a list, found {'pair'"),
        ([ONE, "Why did it fall?", 0], [6], "'Why did it fall?': expected the key 'pair.1'"),
        ([ONE, "Why did it fall?", 0], [6, 10, 11], "pair: expected"),
        ([ONE, "Why did it fall?", 0], [6.0, 10], "pair.0: expected a valid integer, found 6.0"),
        ([ONE, "Why did it fall?", 0], [-1, 10], "pair.0: expected greater than or equal to 0"),
        ([ONE, "Why did it fall?", 0], [10, 6], "expected cause < effect, both among the movie's"),
        ([ONE, "Why did it fall?", 0], [6, 20], "20 clips numbered from 0, found 6 and 20"),
        ([TWO, TEXT], [[6, 10]], "'What service, and how?': expected the key 'sentences'"),
        ([TWO, TEXT, 3, 1], None, "parts.1: expected a valid string, found None"),
        (["windows.json", "yms/0001"], {}, "'Why did it fall?': expected its window, found none"),
        (["windows.json", "yms/0002"], {}, "of the folder, found 'yms/0002'; the nearest is"),
        (["windows.json", "yms/0001", "3needle"], {}, "expected a kind of the folder"),
        (["windows.json", "yms/0001", "1needle", "Why?"], {}, "the nearest is 'Why did it fall?'"),
        (["windows.json", "yms/0001", "2needle", TEXT, "left"], 6, "expected left at most 5, and"),
        (["windows.json", "yms/0001", "2needle", TEXT, "left"], True, "left: expected"),
        (["windows.json", "yms/0001", "2needle", TEXT, "first"], 2, "first 3 and last 12 (cause 6"),
        (["windows.json", "yms/0001", "2needle", TEXT, "last"], 19, "found 3, 3 and 19; draw the"),
        (["windows.json", "yms/0001", "2needle", TEXT, "right"], 1, "found 'right'; remove"),
    ],
)
def test_a_bad_file_is_one_clear_error(folder_error, path, value, said):
    assert said in folder_error(path, value)


CLIP = ["annotations.json", "yms", "0001", "annotations", 2]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ([*CLIP, "end_time"], 9.9, "clip 2: expected 2 s or more, from 0 s on, found 8 s to 9.9 s"),
        ([*CLIP, "begin_time"], -1.0, "clip 2: expected 2 s or more, from 0 s on"),
        (["annotations.json", "yms", "0001", "texts", 2], " ", "clip 2: expected a sentence"),
        (["annotations.json", "yms", "0001", "texts"], lambda t: [*t, "One more."], "21 for 20"),
        ([NONCAUSAL], {"Who pushes?": [[6, 10]]}, "with the pair [6, 10], on the cause then"),
        (
            [NONCAUSAL],
            {"Who pushes?": [[6, 10]], "Between?": [[5, 9]], "Who falls?": [[6, 10]]},
            "on the cause then the effect, found 1",
        ),
        ([NONCAUSAL], lambda q: q | {"And then?": [[6, 10]]}, "found 3; mend what writes it"),
        ([TWO, TEXT, 2, 1], "E", "expected an answer A to D, found 'E'"),
        ([TWO, TEXT, 2, 0], "What colour?", "expected options A to D inside the image question"),
    ],
)
def test_what_only_our_own_files_promise(write_folder, sample, path, value, said):
    change(sample, path, value)
    del sample["windows.json"]
    movies = read_folder(write_folder(sample))  # a reader takes it
    with pytest.raises(InputError) as caught:
        check_written(draw_windows(movies, seed=0))
    assert said in str(caught.value)


@pytest.mark.parametrize(("pair", "passes"), [((6, 8), 0), ((6, 9), 1), ((0, 21), 1), ((0, 22), 0)])
def test_our_effects_lie_3_to_21_clips_after_their_causes(write_folder, document, pair, passes):
    files = {
        "annotations.json": {"yms": {"0001": document(30)}},
        ONE: {"Q?": [list(pair)]},
    }
    movies = draw_windows(read_folder(write_folder(files)), seed=0)
    if passes:
        check_written(movies)
    else:
        with pytest.raises(InputError, match="expected an effect 3 to 21 clips after its cause"):
            check_written(movies)


def test_our_files_have_windows_and_the_source_whose_keys_agree(write_folder, sample, document):
    del sample["windows.json"]
    with pytest.raises(InputError, match="expected a window, found none"):
        check_written(read_folder(write_folder(sample)))
    files = {
        "annotations.json": {"en": {"x": document(30)}},
        "questions/symon/1needle/x.json": {},
    }
    with pytest.raises(InputError, match="expected the source yms, found 'symon'"):
        check_written(read_folder(write_folder(files, "real")))


def test_a_clip_of_two_seconds_as_floats_have_it_passes(write_folder, sample):
    assert 3.3 - 1.3 < 2
    change(sample, CLIP, {"begin_time": 1.3, "end_time": 3.3})
    check_written(read_folder(write_folder(sample)))


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({"video": "0001"}, "expected a movie of the folder, found '0001'; the nearest is"),
        ({"task": "2needle"}, "task: expected '1needle', '1needle_noncausal', '2needle_vg' or"),
        ({"order": "rev"}, "order: expected 'forward' or 'reverse', found 'rev'"),
        ({"order": "reverse"}, "only 2needle_vg is asked in reverse, found reverse in task 1need"),
        ({"task": "2needle_id"}, "expected a 2needle question of yms/0001 of the folder, found"),
        ({"question": "Why did it fal?"}, "the nearest is 'Why did it fall?'"),
        ({"output": 3}, "output: expected a valid string, found 3"),
        ({"output": None, "status": "ok"}, "expected an output with status 'ok', found null"),
        ({"status": "great"}, "status: expected"),
        ({"answer": "3"}, "found 'answer'; remove or rename it"),
    ],
)
def test_a_bad_prediction_is_one_clear_error(prediction_error, extra, said):
    error = prediction_error(ROW | extra)
    assert "p.jsonl, line 1: " in error and said in error


def test_a_missing_key_and_a_second_answer_are_refused(prediction_error):
    assert "expected the key 'output', found none" in prediction_error(
        {key: ROW[key] for key in ROW if key != "output"}
    )
    assert "line 2: expected one answer to 'Why did it fall?' of yms/0001" in prediction_error(
        ROW, ROW | {"output": "4"}
    )


def test_predictions_are_read_without_the_truth_as_well(tmp_path, write_rows):
    rows = read_predictions(write_rows(tmp_path / "p.jsonl", [ROW]))
    assert json.loads(rows[0].model_dump_json(exclude_none=True)) == ROW
