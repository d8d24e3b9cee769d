import json
from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from simworld.benchmarks.causalstep.metrics import score
from simworld.benchmarks.causalstep.schema import LETTERS
from simworld.errors import InputError
from simworld.evaluate import evaluate
from simworld.models.base import Answer
from simworld.video import VideoFacts

EVENTS = [("stand", 0), ("bump", 11), ("fall", 21), ("shatter", 31)]


def claim(question, letter):
    """Make the right option true to the events, and every other one false to them."""
    event = EVENTS[question["segment"] - 1][0]
    if question["kind"] == "descriptive":
        return f"happens({event}, {question['segment'] + (ord(letter) - ord('C')) % 8})"
    before = EVENTS[question["segment"] - 2][0]
    return f"trigger({before}, {event})" if letter == "C" else f"trigger(other{letter}, {event})"


@pytest.fixture
def suite(tmp_path, write_rows, video_row):
    """A suite of five clips of four segments, without videos; each event triggers the next."""
    videos = [video_row(4, f"v{i}", scene="falling_cup", group=f"g{i}") for i in range(5)]
    stored = []
    for video in videos:
        for question in video["questions"]:
            question["proof"] = f"stored-{question['question_id']}"
            stored.append(
                {
                    "question_id": question["proof"],
                    "group": video["group"],
                    "clip": video["video_id"],
                    "options": [
                        {"key": letter, "text": "?", "claim": claim(question, letter), "right": 0}
                        for letter in LETTERS
                    ],
                    "answer": question["answer"],
                }
            )
        events = [
            {"event": name, "variable": name, "kind": name, "participants": ["mug"]}
            | {"start_frame": frame, "stop_frame": frame + 1, "start_step": 20 * frame}
            for name, frame in EVENTS
        ]
        clip = tmp_path / "suite" / "clips" / video["video_id"]
        clip.mkdir(parents=True)
        (clip / "events.json").write_text(json.dumps(events))
    write_rows(tmp_path / "suite" / "benchmarks" / "causalstep" / "causalstep.jsonl", videos)
    write_rows(tmp_path / "suite" / "questions.jsonl", stored)
    return tmp_path / "suite"


def values(result):
    return {name: metric["value"] for name, metric in result["metrics"].items()}


BEST = {"csr": 1, "amcl": 4, "mcl": 4, "rf": 0, "ws": 7, "dua": 1, "icra": 1, "icra_pair": 1}


def test_oracle_is_best_temporal_neighbour_is_right_on_a_plain_chain_and_chance_is_low(suite):
    names = ["oracle", "chance", "temporal_neighbour"]
    results = evaluate(suite, models=names, out=suite / "run")
    assert [(result["model"], result["sees"]) for result in results.values()] == [
        ("oracle", "truth"),
        ("chance", "media"),
        ("temporal_neighbour", "claims"),
    ]
    assert values(results["oracle"]) == BEST
    assert values(results["temporal_neighbour"]) == BEST
    assert values(results["chance"])["csr"] == 0
    assert values(results["chance"])["icra"] < 0.5


def test_an_event_in_between_deceives_temporal_neighbour_alone(suite):
    for path in suite.glob("clips/*/events.json"):
        events = json.loads(path.read_text())
        events.append(events[0] | {"event": "otherA", "variable": None, "start_step": 20 * 31 - 1})
        path.write_text(json.dumps(events))
    results = evaluate(suite, models=["oracle", "temporal_neighbour"], out=suite / "run")
    assert values(results["oracle"]) == BEST
    assert values(results["temporal_neighbour"])["icra"] == pytest.approx(2 / 3)
    kinds = results["temporal_neighbour"]["strata"]["distractor_kind"]["isolated"]
    assert kinds["temporal_confusion"]["value"] == 1.0  # option A


def test_the_run_folder_holds_answers_results_and_settings(suite):
    out = suite / "runs" / "one"
    results = evaluate(suite, models=["chance"], out=out, restart="algorithm1", seed=5)
    assert sorted(path.name for path in out.iterdir()) == [
        "answers.jsonl",
        "results.json",
        "run.json",
    ]
    assert json.loads((out / "results.json").read_text()) == results
    run = json.loads((out / "run.json").read_text())
    assert (run["benchmark"], run["models"], run["restart"], run["scoring"], run["seed"]) == (
        "causalstep",
        ["chance"],
        "algorithm1",
        "prose",
        5,
    )
    rows = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    assert sum(results["chance"]["status_counts"].values()) == len(rows)
    alone = [row for row in rows if row["mode"] == "isolated"]
    assert len(alone) == 5 * 7
    assert alone[1]["shown_frames"] == [[10, 20]]


def test_a_runs_answers_score_and_replay_to_the_same_numbers(suite, write_rows):
    results = evaluate(suite, models=["chance"], out=suite / "run", seed=2)
    rows = [json.loads(line) for line in (suite / "run" / "answers.jsonl").read_text().splitlines()]
    keys = ("question_id", "mode", "choice", "status", "previous", "raw")
    predictions = write_rows(
        suite / "predictions.jsonl", [{k: row[k] for k in keys if k in row} for row in rows]
    )
    scored = score(suite / "benchmarks" / "causalstep", predictions, seed=2)
    assert results["chance"] == {"model": "chance", "sees": "media"} | scored
    name = f"replay:{predictions}"
    replayed = evaluate(suite, models=[name], out=suite / "again", seed=2)[name]
    assert replayed["metrics"] == scored["metrics"]


def test_the_same_run_writes_the_same_bytes_and_another_seed_others(suite):
    texts = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        evaluate(suite, models=["chance", "temporal_neighbour"], out=suite / name, seed=seed)
        texts.append((suite / name / "answers.jsonl").read_bytes())
    assert texts[0] == texts[1] != texts[2]


def test_a_models_draws_do_not_depend_on_who_else_answers(suite):
    alone = evaluate(suite, models=["chance"], out=suite / "a")
    among = evaluate(suite, models=["oracle", "chance"], out=suite / "b")
    assert alone["chance"] == among["chance"]


@dataclass
class Spy:
    sees: str
    name: str = "spy"
    items: list = field(default_factory=list)

    def answer(self, item):
        self.items.append(item)
        return Answer(None, "I cannot say")


def test_a_model_is_handed_what_it_sees_and_no_more(suite, monkeypatch):
    spies = {sees: Spy(sees) for sees in ("media", "claims", "truth")}
    monkeypatch.setattr("simworld.evaluate.make_model", spies.get)
    results = evaluate(suite, models=list(spies), out=suite / "run")
    given = {
        sees: {(item.claims is not None, item.truth is not None) for item in spy.items}
        for sees, spy in spies.items()
    }
    assert given == {"media": {(False, False)}, "claims": {(True, False)}, "truth": {(False, True)}}
    first = spies["media"].items[0]
    assert first.video == suite / "benchmarks" / "causalstep" / "videos" / "v0.mp4"
    assert "Question: In v0, descriptive 1?" in first.prompt
    assert results["media"]["status_counts"]["unparsed"] == len(spies["media"].items)


def real_folder(tmp_path, write_rows, video_row):
    return write_rows(tmp_path / "real" / "causalstep.jsonl", [video_row(), video_row(3, "v2")])


def test_a_folder_of_real_videos_is_judged_by_the_same_code(tmp_path, write_rows, video_row):
    folder = real_folder(tmp_path, write_rows, video_row).parent
    results = evaluate(folder, models=["oracle", "chance"], out=tmp_path / "run")
    assert values(results["oracle"])["csr"] == 1
    with pytest.raises(InputError, match=r"questions.jsonl, which models that see claims need"):
        evaluate(folder, models=["temporal_neighbour"], out=tmp_path / "run2")
    assert not (tmp_path / "run2").exists()


def test_a_folder_without_the_benchmark_and_an_unknown_benchmark_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected causalstep.jsonl in .*found neither"):
        evaluate(tmp_path, models=["oracle"], out=tmp_path / "run")
    with pytest.raises(
        InputError, match="out of causalstep, castbench, causal2needles, decisions, found 'clevrer'"
    ):
        evaluate(tmp_path, models=["oracle"], out=tmp_path / "run", benchmark="clevrer")


def test_a_setting_of_another_benchmark_is_refused(suite):
    with pytest.raises(InputError, match="causalstep: expected settings out of restart, scoring"):
        evaluate(suite, models=["oracle"], out=suite / "run", chain="self")


@pytest.mark.parametrize("models", [[], ["oracle", "oracle"]])
def test_each_model_is_asked_for_once(suite, models):
    with pytest.raises(InputError, match="expected one or more models, each once"):
        evaluate(suite, models=models, out=suite / "run")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("clips/v0/events.json", "{}", "expected a list of events, found dict"),
        ("clips/v0/events.json", '[{"event": "x"}]', "event 0: expected the key 'variable'"),
        ("questions.jsonl", "", "expected the question 'stored-v0-d1', the proof of 'v0-d1'"),
        (
            "questions.jsonl",
            '{"question_id": "stored-v0-d1", "clip": "0", "options": [{"key": "B", "claim": ""}]}',
            "questions.jsonl, question 'stored-v0-d1', option B: expected a name in a claim",
        ),
        ("questions.jsonl", "{", "questions.jsonl, line 1: expected strict JSON"),
    ],
)
def test_a_broken_suite_file_is_named(suite, name, text, said):
    (suite / name).write_text(text)
    with pytest.raises(InputError) as caught:
        evaluate(suite, models=["temporal_neighbour"], out=suite / "run")
    assert said in str(caught.value)


def test_progress_is_told_video_by_video(suite):
    told = []
    evaluate(suite, models=["oracle"], out=suite / "r", progress=lambda *args: told.append(args))
    assert told == [("oracle", done, 5) for done in range(1, 6)]


class Counting:
    """Gives C, and counts how often it is asked; from a certain question on it fails."""

    sees = "media"
    name = "counting"

    def __init__(self, fails_at=10**9):
        self.asked = 0
        self.fails_at = fails_at

    def answer(self, item):
        self.asked += 1
        if self.asked == self.fails_at:
            raise KeyboardInterrupt
        return Answer("C")


def test_a_run_that_was_stopped_goes_on_where_it_stopped(suite, monkeypatch):
    whole, stopped, resumed = Counting(), Counting(fails_at=40), Counting()
    monkeypatch.setattr("simworld.evaluate.make_model", lambda _: whole)
    expected = evaluate(suite, models=["counting"], out=suite / "whole")
    monkeypatch.setattr("simworld.evaluate.make_model", lambda _: stopped)
    with pytest.raises(KeyboardInterrupt):
        evaluate(suite, models=["counting"], out=suite / "run")
    answers = suite / "run" / "answers.jsonl"
    assert len(answers.read_text().splitlines()) == 39
    with answers.open("a") as file:
        file.write('{"model": "counting", "question_id": "v')  # cut short by a kill
    monkeypatch.setattr("simworld.evaluate.make_model", lambda _: resumed)
    assert evaluate(suite, models=["counting"], out=suite / "run") == expected
    assert resumed.asked == whole.asked - 39
    assert answers.read_bytes() == (suite / "whole" / "answers.jsonl").read_bytes()


def test_a_finished_run_takes_another_model_and_asks_the_first_nothing(suite, monkeypatch):
    evaluate(suite, models=["constant:C"], out=suite / "run")
    before = (suite / "run" / "answers.jsonl").read_bytes()
    results = evaluate(suite, models=["constant:C", "oracle"], out=suite / "run")
    after = (suite / "run" / "answers.jsonl").read_bytes()
    assert after.startswith(before) and len(after) > len(before)
    assert list(results) == ["constant:C", "oracle"]


def test_a_folder_that_holds_another_run_is_refused(suite):
    evaluate(suite, models=["oracle"], out=suite / "run")
    with pytest.raises(InputError, match=r"run.json: expected seed 1.*found 0; give another"):
        evaluate(suite, models=["oracle"], out=suite / "run", seed=1)
    (suite / "run" / "answers.jsonl").write_text('{"question_id": "q"}\n')
    with pytest.raises(InputError, match=r"line 1: expected an answer of an earlier run"):
        evaluate(suite, models=["oracle"], out=suite / "run")


def test_repeats_draw_anew_and_are_summed_up(suite):
    results = evaluate(suite, models=["chance", "oracle"], out=suite / "run", repeats=4)
    chance, oracle = (results[name]["repeats"] for name in ("chance", "oracle"))
    alone = evaluate(suite, models=["chance"], out=suite / "alone")["chance"]
    assert {k: v for k, v in results["chance"].items() if k != "repeats"} == alone
    assert (chance["n"], chance["failure_rate"]) == (4, 0)
    assert chance["metrics"]["icra"]["variance"] > 0
    assert chance["metrics"]["icra"]["ci_low"] < chance["metrics"]["icra"]["mean"]
    exact = {"mean": 1.0, "variance": 0.0, "ci_low": 1.0, "ci_high": 1.0}
    assert oracle["metrics"]["icra"] == exact
    rows = [json.loads(line) for line in (suite / "run" / "answers.jsonl").read_text().splitlines()]
    assert {row.get("repeat") for row in rows} == {None, 1, 2, 3}
    with pytest.raises(InputError, match="one or more repeats"):
        evaluate(suite, models=["chance"], out=suite / "none", repeats=0)


def test_a_failure_counts_in_repeats(suite, monkeypatch):
    spy = Spy("media")
    monkeypatch.setattr("simworld.evaluate.make_model", lambda _: spy)
    found = evaluate(suite, models=["spy"], out=suite / "run", repeats=2)["spy"]["repeats"]
    assert found["failure_rate"] == 1
    assert found["failure_ci_high"] == pytest.approx(1)
    assert 0.9 < found["failure_ci_low"] < 1


@pytest.mark.parametrize("name", ["ladder", "probes"])
def test_a_set_stands_for_its_models(suite, monkeypatch, name):
    videos = VideoFacts(320, 240, Fraction(25, 2), 40)
    monkeypatch.setattr("simworld.models.wrappers._facts", lambda path: videos)
    results = evaluate(suite, models=[name], out=suite / "run")
    assert {"chance", "perception", f"text_learner:{suite}"} <= set(results)
    assert ("oracle" in results) == (name == "ladder")
    assert {result["sees"] for result in results.values()} >= {"media", "claims"}


def test_without_stored_claims_a_set_leaves_out_those_that_see_them(
    tmp_path, write_rows, video_row
):
    folder = real_folder(tmp_path, write_rows, video_row).parent
    results = evaluate(folder, models=["ladder"], out=tmp_path / "run")
    assert {result["sees"] for result in results.values()} == {"media", "truth"}
