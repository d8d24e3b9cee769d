import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.castbench.metrics import (
    PRESETS,
    Observation,
    Settings,
    Thresholds,
    result,
    score,
    score_question,
)
from simworld.benchmarks.castbench.protocol import Reply
from simworld.benchmarks.castbench.schema import Evidence, Question
from simworld.errors import InputError
from simworld.video import VideoWriter

BALL = {1: [10, 20, 30, 40], 2: [12, 20, 32, 40]}
METRICS = [
    "accuracy", "faithful_rate", "faithful_rate_paper", "spurious_rate",
    "im_tiou", "im_viou", "temporal_recall", "st_recall",
]  # fmt: skip


def prediction(name, predict, **extra):
    prompt = f"Watch.\n\nQuestion: Why in {name}?\n\nOptions:\nA: Because of a."
    return {"prompt": prompt, "predict": predict} | extra


@pytest.fixture
def score_rows(tmp_path, write_rows):
    def run(truth, predictions, **settings):
        return score(
            write_rows(tmp_path / "truth" / "castbench_hf.jsonl", truth),
            write_rows(tmp_path / "predictions.jsonl", predictions),
            **settings,
        )

    return run


def values(document):
    return {name: metric["value"] for name, metric in document["metrics"].items()}


def observe(reply, *evidences, answer="C", status="ok"):
    question = Question("q", "v.mp4", "Why?", "", "", {"A": "a", "C": "c"}, answer, evidences)
    return Observation(question, reply, status)


def still(start, end, box=(0, 0, 10, 10), name="x"):
    return Evidence(name, start, end, dict.fromkeys(range(start, end + 1), box))


def scores(reply, *evidences, **settings):
    return score_question(observe(reply, *evidences), Settings(**settings))


def test_the_presets_are_the_authors_settings():
    assert dict(PRESETS) == {
        "official": Thresholds(eps_overlap_s=2, tau_t=0.5, tau_st=0.1),
        "cli_default": Thresholds(eps_overlap_s=1, tau_t=0.5, tau_st=0.3),
    }


def test_one_question_worked_out_by_hand():
    # x: 2 of 4 seconds with box IoU 1/3; y: 4 of 4 seconds with box IoU 1; z is not predicted.
    truth = [still(0, 3), still(5, 8, name="y"), still(5, 8, (50, 50, 60, 60), "z")]
    reply = Reply("C", ((still(0, 1, (5, 0, 15, 10)),), (still(5, 8),)))
    got = scores(reply, *truth)
    assert list(got) == METRICS
    assert got == pytest.approx(
        {
            "accuracy": 1, "faithful_rate": 1, "faithful_rate_paper": 1, "spurious_rate": 0,
            "im_tiou": (1 / 2 + 1) / 3, "im_viou": (1 / 6 + 1) / 3,
            "temporal_recall": 2 / 3, "st_recall": 2 / 3,
        }
    )  # fmt: skip
    strict = scores(reply, *truth, preset="cli_default")
    assert strict["st_recall"] == pytest.approx(1 / 3)


def test_the_two_definitions_of_faithful_differ_where_one_instance_of_many_is_found():
    truth = [still(0, 3), *(still(0, 3, (50, 50, 60, 60), name) for name in "abcdefghijk")]
    got = scores(Reply("C", ((still(0, 3),),)), *truth)
    assert got["im_viou"] == pytest.approx(1 / 12)
    assert (got["faithful_rate"], got["faithful_rate_paper"], got["spurious_rate"]) == (1, 0, 0)


def test_time_found_without_space_counts_for_nothing():
    got = scores(Reply("C", ((still(0, 3, (20, 20, 30, 30)),),)), still(0, 3))
    assert (got["im_tiou"], got["temporal_recall"], got["spurious_rate"]) == (0, 0, 1)


def test_an_instance_of_one_second_cannot_match_at_an_overlap_of_two():
    got = [scores(Reply("C", ((still(3, 3),),)), still(3, 3), preset=name) for name in PRESETS]
    assert [one["im_viou"] for one in got] == [0, 1]


def test_an_instance_without_boxes_cannot_match():
    bare = Evidence("x", 0, 3, {})
    assert scores(Reply("C", ((bare,),)), bare)["im_tiou"] == 0
    assert scores(Reply("C", ((still(0, 3),),)), bare)["im_tiou"] == 0


def test_coverage_decides_which_instance_matches():
    reply = Reply("C", ((still(0, 1),), (still(0, 9, (5, 0, 15, 10)),)))
    assert scores(reply, still(0, 9))["im_viou"] == pytest.approx(0.2)
    assert scores(reply, still(0, 9), coverage_aware=True)["im_viou"] == pytest.approx(1 / 3)


def test_a_status_other_than_ok_is_wrong_whatever_was_said():
    seen = observe(Reply("C", ((still(0, 3),),)), still(0, 3), status="truncated")
    assert score_question(seen, Settings())["accuracy"] == 0


boxes = st.tuples(*[st.integers(0, 9)] * 2, *[st.integers(1, 9)] * 2).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)
spans = st.tuples(st.integers(0, 9), st.integers(0, 5)).map(lambda s: (s[0], s[0] + s[1]))
evidences = st.builds(
    lambda span, box, name: still(*span, box, name), spans, boxes, st.sampled_from("xyz")
)
instances = st.lists(st.lists(evidences, max_size=2).map(tuple), max_size=3).map(tuple)


@settings(deadline=None)
@given(
    st.sampled_from(["A", "C", None]), instances, st.lists(evidences, max_size=3),
    st.sampled_from(list(PRESETS)), st.booleans(), evidences,
)  # fmt: skip
def test_what_holds_of_every_answer(choice, predicted, truth, preset, coverage, extra):
    chosen = {"preset": preset, "coverage_aware": coverage}
    got = scores(Reply(choice, predicted), *truth, **chosen)
    assert all(0 <= value <= 1 + 1e-12 for value in got.values())
    assert got["faithful_rate"] + got["spurious_rate"] == got["accuracy"] == (choice == "C")
    assert got["faithful_rate_paper"] <= got["faithful_rate"]
    assert got["im_viou"] <= got["im_tiou"]
    far = still(extra.start_s, extra.end_s, (900, 900, 901, 901))
    assert scores(Reply(choice, (*predicted, (far,))), *truth, **chosen) == got


def two_rows(truth_row, evidence_row):
    mug = evidence_row(
        evidence_instance_id="mug", evidence_start_time="00:03", evidence_end_time="00:04",
        bboxes_in_range={"3": "[0, 0, 10, 10]", "4": "[0, 0, 10, 10]"},
    )  # fmt: skip
    return [truth_row(), truth_row("two", evidence=[evidence_row(), mug], answer="D")]


def test_a_document_worked_out_by_hand(score_rows, truth_row, evidence_row, reply_text):
    rows = two_rows(truth_row, evidence_row)
    said = [
        prediction("two", reply_text("D", [(1, 2, BALL)])),
        prediction("one", reply_text("E.", [(1, 2, BALL)])),
    ]
    document = score_rows(rows, said)
    assert values(document) == {
        "accuracy": 0.5, "faithful_rate": 0.5, "faithful_rate_paper": 0.5, "spurious_rate": 0.0,
        "im_tiou": 0.75, "im_viou": 0.75, "temporal_recall": 0.75, "st_recall": 0.75,
    }  # fmt: skip
    assert document["benchmark"] == "castbench" and document["n"] == 2
    assert document["settings"] == {
        "preset": "official", "bbox_format": "xyxy_px", "coverage_aware": False, "seed": 0,
        "eps_overlap_s": 2, "tau_t": 0.5, "tau_st": 0.1,
        "confidence": 0.95, "bootstrap_draws": 2000,
    }  # fmt: skip
    assert document["status_counts"] == {
        "ok": 1, "unparsed": 1, "refused": 0, "truncated": 0, "error": 0, "missing": 0,
    }  # fmt: skip
    assert document["joins"] == {
        "qa_id": 0, "question": 2, "position": 0, "superseded": 0, "unused": 0,
    }  # fmt: skip
    assert {name: list(part) for name, part in document["strata"].items()} == {
        "question_type": ["Why (Causal Reasons)"], "scene": [], "duration_s": [],
        "evidences": ["1", "2"], "options": ["6"],
    }  # fmt: skip
    assert values(document["strata"]["evidences"]["2"])["im_tiou"] == 0.5


def test_a_time_with_a_decimal_is_read_as_minutes_and_finds_nothing(
    score_rows, truth_row, reply_text
):
    said = reply_text("C", [(1, 2, BALL)]).replace('"00:02"', '"00:02.7"')
    assert values(score_rows([truth_row()], [prediction("one", said)]))["im_tiou"] == pytest.approx(
        2 / 127
    )


def test_of_equal_question_texts_the_last_is_scored_and_the_others_are_missing(
    score_rows, truth_row, reply_text
):
    rows = [truth_row(), truth_row("b", question="Why in one?"), truth_row("three")]
    said = [prediction(name, reply_text("C")) for name in ("one", "one", "three")]
    document = score_rows(rows, said)
    assert values(document)["accuracy"] == pytest.approx(2 / 3)
    assert document["status_counts"]["missing"] == document["joins"]["superseded"] == 1
    named = [row | {"qa_id": f"qa_00000{i}"} for i, row in enumerate(said)]
    assert values(score_rows(rows, named))["accuracy"] == 1.0


def test_the_last_answer_to_a_question_counts(score_rows, truth_row, reply_text):
    said = [prediction("one", reply_text(letter)) for letter in "CA"]
    assert values(score_rows([truth_row()], said))["accuracy"] == 0.0


def test_an_unknown_question_is_joined_by_its_place(score_rows, truth_row, reply_text):
    rows = [truth_row(), truth_row("two")]
    said = [prediction("?", reply_text("C")), {"prompt": "", "predict": reply_text("C")}]
    document = score_rows(rows, [*said, prediction("one", None), prediction("?", "")])
    assert document["joins"] == {
        "qa_id": 0, "question": 1, "position": 2, "superseded": 1, "unused": 1,
    }  # fmt: skip
    assert (document["status_counts"]["unparsed"], document["status_counts"]["ok"]) == (1, 1)
    assert values(document)["accuracy"] == 0.5


def test_a_qa_id_wins_over_the_prompt_and_must_exist(score_rows, truth_row, reply_text):
    rows = [truth_row(), truth_row("two", qa_id="mine")]
    said = prediction("one", reply_text("C"), qa_id="mine")
    document = score_rows(rows, [said])
    assert (document["joins"]["qa_id"], document["status_counts"]["missing"]) == (1, 1)
    with pytest.raises(InputError, match=r"line 1: expected a qa_id .* 'min'; the nearest is 'min"):
        score_rows(rows, [said | {"qa_id": "min"}])


def test_no_answers_at_all_score_zero(score_rows, truth_row):
    document = score_rows([truth_row(), truth_row("two")], [])
    assert set(values(document).values()) == {0.0}
    assert document["status_counts"]["missing"] == 2


def test_questions_about_one_video_or_group_are_drawn_together(score_rows, truth_row, reply_text):
    said = [prediction(name, reply_text("C")) for name in ("one", "two")]
    rows = [truth_row(), truth_row("two")]
    apart = score_rows(rows, said)["metrics"]["accuracy"]
    one_video = score_rows([truth_row(), truth_row("two", video="one.mp4")], said)
    one_group = score_rows([row | {"group": "g"} for row in rows], said)
    assert (apart["value"], apart["n"]) == (1.0, 2)
    assert apart["ci_low"] == pytest.approx(0.025**0.5)
    for together in (one_video, one_group):
        assert together["metrics"]["accuracy"]["ci_low"] == pytest.approx(0.025)


def test_strata_of_our_own_files(score_rows, truth_row):
    rows = [
        truth_row(f"v{i}", duration_s=seconds, scene=scene)
        for i, (seconds, scene) in enumerate([(4.9, "cup"), (60.0, "run"), (5.0, "cup")])
    ]
    strata = score_rows(rows, [])["strata"]
    assert {label: part["n"] for label, part in strata["duration_s"].items()} == {
        "0-5": 1, "5-10": 1, "60+": 1,
    }  # fmt: skip
    assert {label: part["n"] for label, part in strata["scene"].items()} == {"cup": 2, "run": 1}


def test_thousandths_are_scaled_by_the_truth_or_by_the_video(
    score_rows, truth_row, evidence_row, reply_text, tmp_path
):
    rows = [truth_row(evidence=[evidence_row(bboxes_in_range={
        "1": "[10, 20, 40, 80]", "2": "[10, 20, 40, 80]",
    })])]  # fmt: skip
    thousandths = [20 * 1000 // 160, 10 * 1000 // 200, 80 * 1000 // 160, 40 * 1000 // 200]
    said = [prediction("one", reply_text("C", [(1, 2, dict.fromkeys((1, 2), thousandths))]))]
    with pytest.raises(InputError, match=r"found none of 1 in the truth, such as one\.mp4; give"):
        score_rows(rows, said, bbox_format="yxyx_n1000")
    sized = [row | {"width": 200, "height": 160} for row in rows]
    with VideoWriter(tmp_path / "one.mp4", (200, 160), 10) as video:
        video.write(np.zeros((160, 200, 3), np.uint8))
    for document in (
        score_rows(sized, said, bbox_format="yxyx_n1000"),
        score_rows(rows, said, bbox_format="yxyx_n1000", videos=tmp_path),
    ):
        assert values(document)["im_viou"] == pytest.approx(1.0)
    assert values(score_rows(rows, said))["im_viou"] < 0.1


@pytest.mark.parametrize("setting", ["preset", "bbox_format"])
def test_a_setting_that_does_not_exist_is_refused(score_rows, truth_row, setting):
    with pytest.raises(InputError, match=f"expected {setting} to be one of .*, found 'none'"):
        score_rows([truth_row()], [], **{setting: "none"})


def test_the_truth_may_be_given_by_its_folder(tmp_path, write_rows, truth_row):
    truth = write_rows(tmp_path / "truth" / "castbench_hf.jsonl", [truth_row()])
    predictions = write_rows(tmp_path / "p.jsonl", [])
    assert score(truth.parent, predictions) == score(truth, predictions)


def test_the_document_is_strict_json_and_the_same_each_time(
    score_rows, truth_row, evidence_row, reply_text
):
    rows = two_rows(truth_row, evidence_row)
    said = [prediction("one", reply_text("C", [(1, 2, BALL)]))]
    text = json.dumps(score_rows(rows, said), allow_nan=False)
    assert text == json.dumps(score_rows(rows, said), allow_nan=False)


def test_observations_may_come_without_files():
    document = result([observe(Reply("C", ())), observe(None)], Settings(seed=3))
    assert values(document)["accuracy"] == 0.5
    assert "joins" not in document
