"""CaST-Bench evaluated on files: on hand-made ones, and on a suite that was generated."""

import json
from collections import Counter
from dataclasses import dataclass, field

import pytest

from simworld.benchmarks.castbench.metrics import score
from simworld.benchmarks.castbench.schema import QUESTION_TYPES, read_truth
from simworld.benchmarks.castbench.strict import truth_text
from simworld.errors import InputError
from simworld.evaluate import evaluate
from simworld.models.base import Answer
from simworld.models.payload import ClaimStore
from simworld.store import Suite
from simworld.video import probe


@pytest.fixture
def folder(tmp_path, write_rows, truth_row):
    """A folder of real questions, without videos."""
    rows = [truth_row(name, answer="ABCDEF"[k % 6]) for k, name in enumerate("abcdefghijkl")]
    write_rows(tmp_path / "real" / "castbench_hf.jsonl", rows)
    return tmp_path / "real"


def values(result):
    return {name: metric["value"] for name, metric in result["metrics"].items()}


def run(folder, models, out="run", **settings):
    return evaluate(folder, models=models, out=folder / out, benchmark="castbench", **settings)


BEST = {"accuracy": 1, "faithful_rate": 1, "faithful_rate_paper": 1, "spurious_rate": 0,
        "im_tiou": 1, "im_viou": 1, "temporal_recall": 1, "st_recall": 1,
        "accuracy_none": 1, "accuracy_given": 1}  # fmt: skip


def test_the_oracle_is_best_and_a_guess_is_right_but_never_faithful(folder):
    results = run(folder, ["oracle", "constant:C", "chance"])
    assert values(results["oracle"]) == BEST
    constant = values(results["constant:C"])
    assert constant["accuracy"] == constant["spurious_rate"] == constant["accuracy_none"] == 2 / 12
    assert constant["faithful_rate"] == constant["st_recall"] == 0
    assert values(results["chance"])["accuracy"] < 0.6
    assert results["oracle"]["status_counts"]["ok"] == 36
    assert results["oracle"]["settings"]["chain"] == "all"


def test_chance_is_near_one_in_six(tmp_path, write_rows, truth_row):
    rows = [truth_row(f"v{k}", answer="ABCDEF"[k % 6]) for k in range(600)]
    write_rows(tmp_path / "castbench_hf.jsonl", rows)
    found = run(tmp_path, ["chance"], chain="none")["chance"]
    assert 0.12 < values(found)["accuracy_none"] < 0.22


@pytest.mark.parametrize(
    ("chain", "metrics"),
    [
        ("none", {"accuracy_none"}),
        ("given", {"accuracy_given"}),
        ("self", BEST.keys() - {"accuracy_none", "accuracy_given"}),
    ],
)
def test_one_chain_alone_says_nothing_of_the_others(folder, chain, metrics):
    found = run(folder, ["oracle"], chain=chain)["oracle"]
    assert set(found["metrics"]) == set(metrics)
    assert bool(found["strata"]) == (chain == "self")
    assert json.loads((folder / "run" / "run.json").read_text())["chain"] == chain


@dataclass
class Talker:
    said: str
    sees: str = "media"
    name: str = "talker"
    items: list = field(default_factory=list)

    def answer(self, item):
        self.items.append(item)
        return Answer(None, self.said)


def test_words_are_read_by_the_protocol_in_the_boxes_of_the_setting(
    folder, monkeypatch, reply_text
):
    boxes = {1: [20, 10, 40, 30], 2: [20, 12, 40, 32]}
    talker = Talker(reply_text("A", [(1, 2, boxes)]))
    monkeypatch.setattr("simworld.evaluate.make_model", lambda _: talker)
    turned = run(folder, ["talker"], chain="self", bbox_format="yxyx_px")["talker"]
    assert values(turned)["im_viou"] == 1
    assert values(turned)["faithful_rate"] == 2 / 12
    straight = run(folder, ["talker"], "straight", chain="self")["talker"]
    assert values(straight)["im_viou"] < 0.5
    item = talker.items[0]
    assert item.video == folder / "videos" / "a.mp4"
    assert (item.mode, item.truth, item.claims) == ("self", None, None)
    talker.said = "I cannot say"
    mute = run(folder, ["talker"], "mute", chain="self")["talker"]
    assert mute["status_counts"]["unparsed"] == 12


def test_settings_that_do_not_exist_are_refused(folder):
    with pytest.raises(InputError, match="chain to be one of none, self, given, all"):
        run(folder, ["oracle"], chain="both")
    with pytest.raises(InputError, match="castbench: expected settings out of chain, preset"):
        run(folder, ["oracle"], restart="prose")
    with pytest.raises(InputError, match="preset to be one of official, cli_default"):
        run(folder, ["oracle"], preset="mine")


def test_answers_can_be_scored_and_replayed_by_id_or_by_text(folder):
    run(folder, ["oracle"], chain="self")
    answers = folder / "run" / "answers.jsonl"
    assert score(folder, answers)["metrics"]["faithful_rate"]["value"] == 1
    rows = [json.loads(line) for line in answers.read_text().splitlines()]
    theirs = folder / "theirs.jsonl"
    lines = [json.dumps({"prompt": r["prompt"], "predict": r["predict"]}) for r in rows]
    theirs.write_text("\n".join(reversed(lines)))
    found = score(folder, theirs)
    assert found["metrics"]["accuracy"]["value"] == found["metrics"]["faithful_rate"]["value"] == 1
    assert found["joins"]["question"] == 12
    for path in (answers, theirs):
        name = f"replay:{path}"
        assert values(run(folder, [name], chain="self")[name])["faithful_rate"] == 1


# A generated suite.


def test_a_generated_suite_is_faithful_to_itself(small_suite, tmp_path):
    out = tmp_path / "run"
    evaluate(small_suite, models=["oracle"], out=out, benchmark="castbench", chain="self")
    target = small_suite / "benchmarks" / "castbench"
    rows = [json.loads(line) for line in (out / "answers.jsonl").read_text().splitlines()]
    theirs = tmp_path / "oracle_predictions.jsonl"
    theirs.write_text(
        "".join(
            json.dumps({"prompt": row["prompt"], "predict": row["predict"]}) + "\n" for row in rows
        )
    )
    for preset in ("official", "cli_default"):
        found = score(target, theirs, preset=preset)
        metrics = {name: metric["value"] for name, metric in found["metrics"].items()}
        assert metrics == {key: value for key, value in BEST.items() if key in metrics}
        assert found["joins"]["question"] == found["n"] == len(rows)


def test_a_generated_file_is_ours_strictly_and_has_its_videos(small_suite):
    target = small_suite / "benchmarks" / "castbench"
    questions = read_truth(target / "castbench_hf.jsonl")
    assert truth_text(questions) == (target / "castbench_hf.jsonl").read_text("utf-8")
    assert {q.question_type for q in questions} == set(QUESTION_TYPES[:3])
    videos = {q.video for q in questions}
    assert {path.name for path in (target / "videos").iterdir()} == videos
    letters = Counter(q.answer for q in questions)
    assert max(letters.values()) - min(letters[x] for x in "ABCDEF") <= 1
    for question in questions:
        instances = {evidence.instance for evidence in question.evidences}
        assert 1 <= len(instances) <= len(question.evidences) <= 4


def test_models_that_see_claims_find_them_in_a_generated_suite(small_suite, tmp_path):
    names = ["temporal_neighbour", "longest_option"]
    results = evaluate(small_suite, models=names, out=tmp_path / "run", benchmark="castbench")
    assert results["temporal_neighbour"]["sees"] == "claims"
    assert values(results["temporal_neighbour"])["faithful_rate"] == 0


def test_a_video_that_is_cut_short_shows_no_more_and_its_claims_tell_no_more(small_suite):
    suite, store = Suite(small_suite), ClaimStore(small_suite)
    rows = [row for row in suite.questions() if "stop_frame" in row]
    stops = {row["question_id"]: row["stop_frame"] for row in rows}
    target = small_suite / "benchmarks" / "castbench"
    cut = [q for q in read_truth(target / "castbench_hf.jsonl") if q.proof in stops]
    assert {q.question_type for q in cut} == {"Predictive Anticipation"} and len(cut) == len(stops)
    for question in cut:
        stop = stops[question.proof]
        assert probe(target / "videos" / question.video).frame_count == stop
        assert question.duration_s == pytest.approx(stop / 12, abs=1e-6)
        events = store.claims(question.proof, question.qa_id).events
        assert max(event.start_frame for event in events) < stop
