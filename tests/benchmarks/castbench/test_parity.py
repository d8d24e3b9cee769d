"""The authors' own figures on their own sample, which is not part of this project."""

from pathlib import Path

import pytest

from simworld.benchmarks.castbench.metrics import Observation, Settings, result, score
from simworld.benchmarks.castbench.protocol import read_reply, write_reply
from simworld.benchmarks.castbench.schema import read_truth

SAMPLE = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "castbench"
TRUTH = SAMPLE / "castbench_hf.jsonl"

pytestmark = pytest.mark.skipif(
    not TRUTH.is_file(), reason=f"the authors' sample is not in {SAMPLE}"
)


def values(document):
    return {name: metric["value"] for name, metric in document["metrics"].items()}


@pytest.mark.parametrize(
    ("model", "figures"),
    [
        ("sonnet-4.6", (0.75, 0.35, 0.29454464601982977, 0.07931422757156253)),
        ("internvl35-14b", (0.5875, 0.025, 0.15717886922051977, 0.010007289357815297)),
    ],
)
def test_the_published_figures_of_two_models(model, figures):
    document = score(TRUTH, SAMPLE / f"{model}_predictions.jsonl")
    got = values(document)
    names = ("accuracy", "faithful_rate", "im_tiou", "im_viou")
    assert tuple(got[name] for name in names) == pytest.approx(figures, abs=1e-9)
    assert document["joins"]["question"] == document["status_counts"]["ok"] == 80
    assert got["faithful_rate"] + got["spurious_rate"] == pytest.approx(got["accuracy"])


def test_the_papers_definition_and_the_programs_defaults_differ():
    predictions = SAMPLE / "sonnet-4.6_predictions.jsonl"
    official = values(score(TRUTH, predictions))
    assert (official["faithful_rate_paper"], official["spurious_rate"]) == (0.1875, 0.4)
    assert values(score(TRUTH, predictions, preset="cli_default"))["faithful_rate"] == 0.075


def test_the_truth_scored_against_itself():
    observations = [
        Observation(question, read_reply(write_reply(question.answer, question.evidences)))
        for question in read_truth(TRUTH)
    ]
    got = values(result(observations, Settings()))
    names = ("accuracy", "faithful_rate", "im_tiou", "im_viou")
    assert [round(got[name], 3) for name in names] == [1.0, 1.0, 0.985, 0.964]


def test_the_sample_reads_as_its_authors_describe_it():
    questions = read_truth(TRUTH)
    counts = [len(question.evidences) for question in questions]
    assert [counts.count(n) for n in (1, 2, 3, 4)] == [26, 36, 17, 1]
    options = [len(question.options) for question in questions]
    assert [options.count(n) for n in (4, 5, 6)] == [1, 3, 76]
