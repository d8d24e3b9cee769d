import json
import shutil
from dataclasses import replace

import pytest

from simworld.benchmarks.causal2needles.metrics import METRICS, score
from simworld.benchmarks.causal2needles.protocol import RUNS, asks, frame_indices
from simworld.benchmarks.causal2needles.schema import read_folder
from simworld.benchmarks.causal2needles.write import WriteCounts, movie_of, write
from simworld.benchmarks.causal2needles.written import check_written
from simworld.errors import InputError
from simworld.evaluate import evaluate
from simworld.store import Suite
from tests.dominoes import FPS, make_run, write_suite


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite of three runs of 24 dominoes and one too short to ask about; not to be changed."""
    folder = tmp_path_factory.mktemp("suite")
    clips = [make_run(clip=f"run-{k}", instance=k) for k in range(3)]
    write_suite(folder, [*clips, make_run(3, clip="short")])
    write(folder)
    return folder


@pytest.fixture(scope="module")
def target(suite):
    return suite / "benchmarks" / "causal2needles"


def test_a_movie_is_written_for_each_clip_with_questions(suite, target):
    assert write(suite) == WriteCounts(videos=3, questions=3 * (8 + 4 + 4))
    movies = read_folder(target)
    assert [movie.name for movie in movies] == ["yms/0001", "yms/0002", "yms/0003"]
    check_written(movies)
    for movie in movies:
        assert (target / "videos" / f"{movie.name}.mp4").is_file()
        assert len(movie.clips) == len(movie.texts) == 14
        assert {k: len(qs) for k, qs in movie.questions.items()} == {
            "1needle": 4, "1needle_noncausal": 8, "2needle": 4,
        }  # fmt: skip


def test_what_is_read_back_is_what_the_suite_holds(suite, target):
    rows = [row for row in Suite(suite).questions() if row["video"] == 2]
    movie = movie_of(Suite(suite), rows[0]["clip"], rows)
    (found,) = (m for m in read_folder(target) if m.movie_id == "0002")
    assert replace(found, windows={}) == movie
    spans = Suite(suite).spans(rows[0]["clip"])
    assert [clip.begin_s * FPS for clip in found.clips] == [s["start_frame"] for s in spans]
    entry = found.questions["2needle"][0]
    texts = {row["kind"]: row for row in rows if row["segment"] == 1}
    assert entry.parts.part1 == texts["first_part"]["question"]
    assert entry.parts.part2 == texts["second_part"]["question"]
    assert (
        entry.text
        == f"{entry.parts.part1[:-1]}, and {entry.parts.part2[0].lower()}" + (entry.parts.part2[1:])
    )
    answers = int(texts["first_part"]["answer"]), int(texts["second_part"]["answer"])
    assert answers == (entry.effect + 1, entry.cause + 1)
    [right] = [option["text"] for option in texts["image"]["options"] if option["right"]]
    assert f" {entry.parts.image_answer}. {right}" in entry.parts.image_question


def test_the_authors_readers_find_everything(suite, target):
    """Walk the files as their code does, by position."""
    texts = json.loads((target / "annotations.json").read_text())["yms"]
    for path in (target / "questions" / "yms" / "2needle").iterdir():
        rows = texts[path.stem]["annotations"]
        for question, entry in json.loads(path.read_text()).items():
            (cause, effect), sentences, (image, letter), (part1, part2) = entry
            assert question.startswith(part1[:-1]) and part2.endswith("?")
            assert len(sentences) == 2 and letter in "ABCD" and f" {letter}. " in image
            for index in (cause, effect):
                assert rows[index]["end_time"] - rows[index]["begin_time"] >= 2
            assert 3 <= effect - cause <= 21


def test_windows_hold_both_needles_and_frames_to_show(target):
    for ask in asks(read_folder(target)):
        window, question = ask.window, ask.question
        assert window.first <= question.cause < question.effect <= window.last
        assert 0 <= window.left <= 5
        for clip in ask.movie.clips[window.first : window.last + 1]:
            frames = frame_indices(clip, FPS)
            assert frames[-1] - frames[0] >= FPS - 1  # readers trim half a second at either end


def test_writing_again_changes_nothing_and_the_seed_draws_the_windows(suite, target):
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    write(suite)
    assert {path: path.read_bytes() for path in target.rglob("*") if path.is_file()} == before
    windows = [ask.window.left for ask in asks(read_folder(target))]
    assert len(set(windows)) > 2


def test_a_suite_without_questions_gets_no_file(tmp_path):
    write_suite(tmp_path, [make_run(3)])
    assert write(tmp_path) == WriteCounts(0, 0)
    assert not (tmp_path / "benchmarks").exists()


def plant(tmp_path, change):
    """Change a suite's rows and spans, and write."""
    write_suite(tmp_path, [make_run(clip="run-0")])
    path = tmp_path / "questions.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    spans_path = tmp_path / "clips" / "run-0" / "spans.json"
    spans = json.loads(spans_path.read_text())
    change(rows, spans)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    spans_path.write_text(json.dumps(spans))
    write(tmp_path)


def swap_cause_and_effect(rows, spans):
    rows[0]["evidence"].reverse()


def leave_out_one_of_two(rows, spans):
    rows.remove(next(row for row in rows if row["kind"] == "noncausal_1needle"))


def put_needles_close(rows, spans):
    rows[0]["evidence"][0]["start_frame"] = rows[0]["evidence"][1]["start_frame"] - 25


def cut_too_short(rows, spans):
    spans[3]["stop_frame"] = spans[3]["start_frame"] + 19


def say_nothing(rows, spans):
    spans[2]["description"] = ""


def ask_for_five(rows, spans):
    next(row for row in rows if row["kind"] == "image")["answer"] = "E"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (swap_cause_and_effect, "expected an effect 3 to 21 clips after its cause"),
        (leave_out_one_of_two, "expected two questions in a row with the pair"),
        (put_needles_close, "expected an effect 3 to 21 clips after its cause"),
        (cut_too_short, "expected 2 s or more"),
        (say_nothing, "expected a sentence"),
        (ask_for_five, "expected an answer A to D, found 'E'"),
    ],
)
def test_planted_traps_are_refused(tmp_path, change, said):
    with pytest.raises(InputError) as caught:
        plant(tmp_path, change)
    assert said in str(caught.value)


def metrics(result):
    return {name: metric["value"] for name, metric in result["metrics"].items()}


@pytest.fixture(scope="module")
def results(suite, tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    names = ["oracle", "chance", "temporal_neighbour", "constant:3/9+3/B"]
    found = evaluate(suite, models=names, out=out, benchmark="causal2needles")
    return found, out


def test_the_oracle_is_best_in_every_metric(results):
    found, _ = results
    assert metrics(found["oracle"]) == dict.fromkeys(METRICS, 1.0)
    assert found["oracle"]["n"] == 3


def test_the_latest_event_before_an_effect_is_never_its_far_cause(results):
    found, _ = results
    neighbour = metrics(found["temporal_neighbour"])
    assert neighbour["noncausal_1n"] == 1.0
    assert neighbour["vg_forward_part1"] == neighbour["vg_reverse_part1"] == 1.0
    assert neighbour["causal_1n"] == neighbour["vg_avg_part2"] == neighbour["vg_avg_both"] == 0.0


def test_chance_and_a_constant_answer_stay_near_their_floors(results):
    found, _ = results
    floors = found["chance"]["floors"]
    chance, constant = metrics(found["chance"]), metrics(found["constant:3/9+3/B"])
    for name in METRICS:
        assert abs(chance[name] - floors[name]["chance"]) < 0.3
        if "avg" not in name:
            assert constant[name] <= floors[name]["constant"]


def test_answers_score_and_replay_to_the_same_numbers(suite, target, results, tmp_path):
    found, out = results
    keys = ("video", "task", "order", "question", "output", "status")
    rows = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    assert len(rows) == 4 * 3 * (8 + 4 + 3 * 4)
    chance = [{key: row[key] for key in keys} for row in rows if row["model"] == "chance"]
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in chance))
    assert score(target, path)["metrics"] == found["chance"]["metrics"]
    name = f"replay:{path}"
    again = evaluate(target, models=[name], out=tmp_path / "r", benchmark="causal2needles")
    assert again[name]["metrics"] == found["chance"]["metrics"]


def test_models_see_the_scenes_in_the_order_shown(results, target):
    _, out = results
    rows = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    windows = {
        (ask.movie.name, ask.task, ask.order, ask.question.text): list(ask.shown)
        for ask in asks(read_folder(target))
    }
    for row in rows:
        key = (row["video"], row["task"], row["order"], row["question"])
        assert row["shown_clips"] == windows[key]
    assert {(row["task"], row["order"]) for row in rows} == set(RUNS)


def test_narration_is_a_setting_and_other_benchmarks_settings_are_refused(target, tmp_path):
    run = {"models": ["oracle"], "out": tmp_path / "r", "benchmark": "causal2needles"}
    evaluate(target, narration="copy", **run)
    assert json.loads((tmp_path / "r" / "run.json").read_text())["narration"] == "copy"
    with pytest.raises(InputError, match="expected narration to be one of in_place, copy"):
        evaluate(target, narration="whole", **run)
    with pytest.raises(InputError, match="expected settings out of narration, found 'chain'"):
        evaluate(target, chain="self", **run)


def test_without_windows_they_are_drawn_with_the_seed(target, tmp_path):
    folder = shutil.copytree(target, tmp_path / "real")
    (folder / "windows.json").unlink()
    shown = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        run = {"models": ["oracle"], "out": tmp_path / name, "benchmark": "causal2needles"}
        result = evaluate(folder, seed=seed, **run)
        assert metrics(result["oracle"]) == dict.fromkeys(METRICS, 1.0)
        lines = (tmp_path / name / "answers.jsonl").read_text().splitlines()
        shown.append([json.loads(line)["shown_clips"] for line in lines])
    assert shown[0] == shown[1] != shown[2]
