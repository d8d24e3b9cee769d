import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.causalstep.metrics import Settings, observe, result, score
from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, Video
from simworld.errors import InputError
from simworld.models.base import Answer

READINGS = list(product(["prose", "algorithm1"], repeat=2))


def answer(question_id, mode="chain", choice="C", **extra):
    row = {"question_id": question_id, "mode": mode, "choice": choice, "status": "ok"}
    return row | extra


def questions(row, kind=None):
    return [q["question_id"] for q in row["questions"] if kind in (None, q["kind"])]


@pytest.fixture
def files(tmp_path, write_rows):
    def write(videos, predictions):
        return (
            write_rows(tmp_path / "truth" / "causalstep.jsonl", videos),
            write_rows(tmp_path / "predictions.jsonl", predictions),
        )

    return write


def values(document):
    return {name: metric["value"] for name, metric in document["metrics"].items()}


@pytest.mark.parametrize(
    ("reading", "weighted"), list(zip(READINGS, [4.0, 6.0, 3.0, 4.0], strict=True))
)
def test_the_pinned_answers_from_a_file(files, video_row, reading, weighted):
    row = video_row()
    chain = [answer(q, choice="D" if q == "v1-c3" else "C") for q in questions(row)]
    document = score(*files([row], chain), *reading)
    assert (
        document["settings"] | {"restart": reading[0], "scoring": reading[1]}
        == (document["settings"])
    )
    assert values(document) == {
        "csr": 0.0, "amcl": 2.0, "mcl": 2.0, "rf": 1.0, "ws": weighted, "dua": None, "icra": None,
    }  # fmt: skip


def two_videos(video_row):
    """Return a flawless video of 2 segments and one of 5 that errs on c3, and all answers."""
    videos = [video_row(2, "v1", scene="cup"), video_row(5, "v2", scene="balls")]
    rows = [answer(q) for video in videos for q in questions(video) if q != "v2-c3"]
    rows.append(answer("v2-c3", choice=None, status="unparsed", raw="hm"))
    alone = {"v1-d1": "C", "v1-d2": "C", "v1-c2": "D", "v2-d1": "C", "v2-d2": "B", "v2-c2": "C"}
    for video in videos:
        rows += [answer(q, "isolated", alone.get(q, "A")) for q in questions(video)]
        rows += [answer(q, "isolated_pair") for q in questions(video, "causal")]
    return videos, rows


def test_a_document_worked_out_by_hand(files, video_row):
    # v1: d1 c2; longest 2, score 1 + 1. v2: d1 c2 | c3 wrong | d3 c4 c5; longest 3, score 2 + 4.
    document = score(*files(*two_videos(video_row)))
    assert values(document) == {
        "csr": 0.5, "amcl": 2.5, "mcl": 3.0, "rf": 0.5, "ws": 4.0,
        "dua": 3 / 7, "icra": 1 / 5, "icra_pair": 1.0,
    }  # fmt: skip
    assert document["n"] == 2
    assert {name: metric["n"] for name, metric in document["metrics"].items()} == {
        "csr": 2, "amcl": 2, "mcl": 2, "rf": 2, "ws": 2, "dua": 7, "icra": 5, "icra_pair": 5,
    }  # fmt: skip
    assert document["status_counts"] == {
        "ok": 2 + 5 + 12 + 5, "unparsed": 1, "refused": 0, "truncated": 0, "error": 0,
    }  # fmt: skip
    short, long = (document["strata"]["segments"][label] for label in ("2-4", "5-8"))
    assert (short["n"], values(short)["csr"], values(short)["ws"]) == (1, 1.0, 2.0)
    assert (long["n"], values(long)["csr"], values(long)["ws"]) == (1, 0.0, 6.0)
    assert list(document["strata"]["scene"]) == ["balls", "cup"]
    assert values(document["strata"]["scene"]["cup"])["dua"] == 1.0


def test_mcl_has_no_interval_and_shares_of_one_the_exact_one(files, video_row):
    metrics = score(*files(*two_videos(video_row)))["metrics"]
    assert metrics["mcl"]["ci_low"] is None and metrics["mcl"]["ci_high"] is None
    assert metrics["icra_pair"]["ci_low"] == pytest.approx(0.025**0.5)
    assert metrics["amcl"]["ci_low"] == 2.0 and metrics["amcl"]["ci_high"] == 3.0


def test_videos_of_one_group_count_as_one(files, video_row):
    videos, rows = two_videos(video_row)
    apart = score(*files(videos, rows))["metrics"]
    together = score(*files([video | {"group": "g"} for video in videos], rows))["metrics"]
    assert together["icra_pair"]["ci_low"] == pytest.approx(0.025)
    assert together["amcl"]["ci_low"] is None
    assert together["amcl"]["value"] == apart["amcl"]["value"]


def test_the_kinds_of_distractor_chosen_are_shares_of_the_wrong_choices(files, video_row):
    kinds = score(*files(*two_videos(video_row)))["strata"]["distractor_kind"]
    # Alone: A (temporal) six times, B (causal) once, D (object, as C is right) once.
    assert list(kinds["isolated"]) == list(DISTRACTOR_KINDS)
    shares = {kind: share["value"] for kind, share in kinds["isolated"].items()}
    assert {kind: share for kind, share in shares.items() if share} == {
        "temporal_confusion": 6 / 8, "causal_misattribution": 1 / 8, "object_misrecognition": 1 / 8,
    }  # fmt: skip
    assert kinds["chain"]["temporal_confusion"] == {
        "value": None, "ci_low": None, "ci_high": None, "n": 0,
    }  # fmt: skip


def test_a_row_with_previous_stands_for_that_path_alone(files, video_row):
    row = video_row(3)
    rows = [answer(q) for q in questions(row)]
    rows.append(answer("v1-c3", choice="D", previous="v1-d2"))
    assert values(score(*files([row], rows)))["csr"] == 1.0
    rows.append(answer("v1-c3", choice="D", previous="v1-c2"))
    assert values(score(*files([row], rows)))["csr"] == 0.0


def test_questions_that_the_reading_needs_are_named(files, video_row):
    row = video_row()
    chain = [answer(q, choice="D" if q == "v1-c3" else "C") for q in questions(row) if q != "v1-d3"]
    with pytest.raises(InputError, match=r"restart=prose asks, found none to v1-d3 \(chain\);"):
        score(*files([row], chain), restart="prose")
    assert values(score(*files([row], chain), restart="algorithm1"))["rf"] == 1.0


def test_an_isolated_mode_is_whole_or_absent(files, video_row):
    row = video_row()
    chain = [answer(q) for q in questions(row)]
    part = [answer(q, "isolated") for q in questions(row, "descriptive")]
    with pytest.raises(InputError, match=r"found none to v1-c2 \(isolated\), v1-c3 \(isolated\)"):
        score(*files([row], chain + part))
    with pytest.raises(InputError, match=r"v1-c2 \(isolated_pair\), v1-c4 \(isolated_pair\);"):
        score(*files([row], [*chain, answer("v1-c3", "isolated_pair")]))


def test_an_empty_predictions_file_names_first_and_counts_all(files, video_row):
    videos = [video_row(2, f"v{i}") for i in range(12)]
    with pytest.raises(InputError, match=r"v0-d1 \(chain\), .*v7-d1 \(chain\) and 4 more; add"):
        score(*files(videos, []))


def test_a_reading_that_does_not_exist_is_refused(files, video_row):
    with pytest.raises(InputError, match="expected restart to be one of prose, algorithm1"):
        score(*files([video_row()], []), restart="figure1")


def test_the_truth_may_be_given_by_its_folder(files, video_row):
    truth, predictions = files(*two_videos(video_row))
    assert score(truth.parent, predictions) == score(truth, predictions)


def test_the_document_is_strict_json_and_the_same_each_time(files, video_row):
    paths = files(*two_videos(video_row))
    text = json.dumps(score(*paths), allow_nan=False)
    assert text == json.dumps(score(*paths), allow_nan=False)
    assert text != json.dumps(score(*paths, seed=1), allow_nan=False)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
    st.sampled_from(READINGS),
)
def test_bounds_that_every_run_keeps(video_row, lengths, random, reading):
    videos = [Video.model_validate(video_row(n, f"v{i}")) for i, n in enumerate(lengths)]
    chosen = Settings(*reading)
    observed = [observe(v, lambda _: Answer(random.choice("CCCD")), chosen) for v in videos]
    got = values(result(observed, chosen))
    assert got["mcl"] >= got["amcl"] >= 0
    assert 0 <= got["csr"] <= 1 and (got["csr"] == 1) == (got["rf"] == 0)
    assert got["mcl"] <= max(lengths)
    assert got["ws"] >= got["amcl"]
    answers = [step for o in observed for step in o.steps]
    assert sum(result(observed, chosen)["status_counts"].values()) == len(answers)
