"""The verdicts: passed by metrics that are as they should be, and failed by broken ones."""

import json
from dataclasses import replace

import pytest

from simworld.benchmarks.castbench import metrics as castbench
from simworld.benchmarks.causal2needles import metrics as causal2needles
from simworld.benchmarks.causalstep import metrics as causalstep
from simworld.errors import InputError
from simworld.recovery import recover
from simworld.recovery.verdicts import VERDICTS


def passed(found, benchmark):
    """Return each metric's verdicts, by name."""
    return {
        metric: {name: verdict["passed"] for name, verdict in judged["verdicts"].items()}
        for metric, judged in found["benchmarks"][benchmark]["metrics"].items()
    }


def failing(verdicts):
    return {name for name, holds in verdicts.items() if holds is False}


@pytest.fixture(scope="module")
def found(folders):
    return recover(folders)


@pytest.fixture(scope="module")
def twins(twin_suite):
    return recover(twin_suite)


@pytest.mark.slow
def test_the_chain_recovers_competence_and_isolated_accuracy_rewards_answers_without_eyes(found):
    verdicts = passed(found, "causalstep")
    for metric in ("csr", "amcl", "mcl", "rf", "ws"):
        assert failing(verdicts[metric]) == set()
    assert failing(verdicts["dua"]) == {"order"}  # it measures eyes
    assert failing(verdicts["icra"]) == failing(verdicts["icra_pair"]) == {"evidence"}


@pytest.mark.slow
def test_faithful_answers_recover_competence_and_bare_accuracy_does_not_ask_for_evidence(found):
    verdicts = passed(found, "castbench")
    assert failing(verdicts["faithful_rate"]) == failing(verdicts["faithful_rate_paper"]) == set()
    assert failing(verdicts["accuracy"]) == {"evidence"}
    for metric in ("im_tiou", "im_viou", "temporal_recall", "st_recall"):
        assert failing(verdicts[metric]) == {"order"}


@pytest.mark.slow
def test_both_needles_recover_competence_and_one_does_not(found):
    verdicts = passed(found, "causal2needles")
    for order in ("forward", "reverse", "avg"):
        assert failing(verdicts[f"vg_{order}_both"]) == set()
        assert failing(verdicts[f"vg_{order}_part1"]) == {"order"}
        assert failing(verdicts[f"vg_{order}_part2"]) == {"evidence"}
    assert failing(verdicts["id_2n"]) == {"evidence"}


@pytest.mark.slow
def test_the_document_is_plain_json_with_sizes_and_the_share_not_answered(found):
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    bench = found["benchmarks"]["causalstep"]
    assert (bench["n"], bench["clusters"]) == (200, 100)
    assert bench["models"]["oracle"]["not_answered"] == 0
    assert bench["models"]["oracle"]["metrics"]["icra"]["n"] == 200 * 5 - 200 - 6
    for judged in bench["metrics"].values():
        assert tuple(judged["verdicts"]) == VERDICTS
        assert judged["passes_for"].keys() >= {"chance", "right_answer_wrong_evidence"}


@pytest.mark.slow
def test_models_without_causes_are_named_with_what_they_pass_for(found):
    metrics = found["benchmarks"]["causalstep"]["metrics"]
    assert metrics["icra"]["passes_for"]["right_answer_wrong_evidence"] == 1
    assert metrics["icra"]["passes_for"]["right_evidence_wrong_answer"] == 0
    assert metrics["csr"]["passes_for"]["right_answer_wrong_evidence"] < 0.05
    assert metrics["dua"]["passes_for"]["chance"] is None


def test_credit_goes_over_with_the_intervention(twins):
    verdicts = passed(twins, "causalstep")
    for metric in ("csr", "amcl", "rf", "ws", "dua", "icra", "icra_pair"):
        assert verdicts[metric]["twin"] is True, metric
    figures = twins["benchmarks"]["causalstep"]["metrics"]["icra"]["verdicts"]["twin"]["figures"]
    assert figures == {"flips": 30, "oracle": 1.0, "stale_oracle": 1 - 30 / 180}


def test_measures_over_twins_by_hand(twins):
    paired = twins["benchmarks"]["causalstep"]["paired"]
    values = {m: {k: v["value"] for k, v in found.items()} for m, found in paired.items()}
    best = {"paired_accuracy": 1, "consistency": 1, "flip_rate": 1, "false_flip_rate": 0}
    assert values["oracle"] == best | {"regime_accuracy": None}  # no parameter is changed
    stale = values["stale_oracle"]
    assert (stale["paired_accuracy"], stale["flip_rate"]) == (3 / 5, 0)
    assert (paired["oracle"]["flip_rate"]["n"], paired["oracle"]["consistency"]["n"]) == (60, 150)
    assert 0.02 < values["chance"]["consistency"] < 0.25


def test_models_are_compared_question_by_question_with_eyes_alone(twins):
    compared = twins["benchmarks"]["causalstep"]["compared"]
    # Perfect eyes have every description right, and of 180 causal questions an eighth.
    oracle = compared["oracle"]
    assert oracle["base_alone_right"] == 0
    assert 180 * 7 / 8 - 20 < oracle["alone_right"] < 180 * 7 / 8 + 20
    assert oracle["p"] < 1e-6
    assert "competence:0/1" not in compared
    assert compared["right_answer_wrong_evidence"]["base_alone_right"] == 270


@pytest.mark.slow
def test_a_folder_without_twins_leaves_the_verdict_open(found):
    assert {v["twin"] for v in passed(found, "causalstep").values()} == {None}


def test_too_few_questions_leave_the_order_open(tmp_path, video_row, write_rows):
    write_rows(tmp_path / "causalstep.jsonl", [video_row(3)])
    verdicts = passed(recover(tmp_path), "causalstep")
    assert verdicts["icra"]["order"] in (True, None)
    assert failing(verdicts["csr"]) == set()


def test_a_folder_without_a_benchmark_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected a suite or a benchmark's folder.*found none"):
        recover(tmp_path)


# Metrics broken on purpose, each caught by the verdict that is named for it.


def test_a_faithful_rate_that_forgets_the_evidence_fails_evidence(small_folders, monkeypatch):
    sound = castbench.score_question

    def broken(observation, settings):
        scores = sound(observation, settings)
        return scores | {"faithful_rate": scores["accuracy"]}

    monkeypatch.setattr(castbench, "score_question", broken)
    verdicts = passed(recover(small_folders), "castbench")
    assert {"evidence", "closed_form"} <= failing(verdicts["faithful_rate"])
    assert failing(verdicts["faithful_rate_paper"]) == set()


def test_a_chain_that_forgives_its_first_break_fails_range_and_closed_form(
    small_folders, monkeypatch
):
    sound = causalstep.run_chain

    def broken(*arguments):
        transcript = sound(*arguments)
        return replace(transcript, breaks=max(0, transcript.breaks - 1))

    monkeypatch.setattr(causalstep, "run_chain", broken)
    verdicts = passed(recover(small_folders), "causalstep")
    assert {"range", "closed_form"} <= failing(verdicts["rf"])
    assert failing(verdicts["amcl"]) == set()


def test_an_accuracy_that_takes_the_factual_answer_as_well_fails_twin(twin_suite, monkeypatch):
    sound = causalstep._accuracy

    def broken(steps, kind, seed):
        taken = [
            replace(step, answer=replace(step.answer, choice="C"))
            if "remove_cause" in step.ask.video.video_id and step.answer.choice == "D"
            else step
            for step in steps
        ]
        return sound(taken, kind, seed)

    monkeypatch.setattr(causalstep, "_accuracy", broken)
    verdicts = passed(recover(twin_suite), "causalstep")
    assert verdicts["icra"]["twin"] is False
    assert verdicts["icra"]["order"] is True
    assert verdicts["csr"]["twin"] is True


def test_a_metric_that_counts_questions_asked_fails_order(small_folders, monkeypatch):
    monkeypatch.setattr(causal2needles, "_scored", _counting(causal2needles._scored))
    verdicts = passed(recover(small_folders), "causal2needles")
    assert "order" in failing(verdicts["id_2n"])
    assert "range" in failing(verdicts["id_2n"])


def _counting(sound):
    """Let images be judged by no part at all, so that every answer counts."""

    def scored(ask):
        for name, parts in sound(ask):
            yield name, () if name == "id_2n" else parts

    return scored
