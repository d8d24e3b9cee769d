"""Decisions: from a suite's questions to the file, to a model, to the share of what works."""

import json

import pytest

from simworld import cli
from simworld.benchmarks.decisions.metrics import score
from simworld.benchmarks.decisions.protocol import prompt, settle
from simworld.benchmarks.decisions.schema import Decision, read_predictions, read_truth
from simworld.benchmarks.decisions.write import WriteCounts, write
from simworld.errors import InputError
from simworld.evaluate import evaluate
from simworld.models.base import Answer

RIGHT = "CABBAC"
"""The change that works in each of six videos, two to a group."""


def row(number: int, **extra: object) -> dict:
    options = {letter: f"If {letter} had been otherwise" for letter in "ABC"}
    name = f"decisions-{number:04d}-r1"
    return {
        "question_id": name,
        "video": f"videos/{number:04d}.mp4",
        "question": f"In video {number}, the mug broke. What would have prevented it?",
        "options": options,
        "answer": RIGHT[number],
        "group": f"g{number // 2}",
        "scene": "cup" if number < 4 else "race",
    } | extra


def answer(number: int, choice: str | None, status: str = "ok") -> dict:
    return {"question_id": f"decisions-{number:04d}-r1", "choice": choice, "status": status}


@pytest.fixture
def truth(tmp_path, write_rows):
    return write_rows(tmp_path / "decisions.jsonl", [row(number) for number in range(6)])


def test_success_is_the_share_of_changes_that_work(truth, write_rows):
    said = [answer(k, RIGHT[k]) for k in range(4)] + [answer(4, "B"), answer(5, None, "refused")]
    found = score(truth.parent, write_rows(truth.parent / "p.jsonl", said))
    estimate = found["metrics"]["repair_success"]
    assert estimate["value"] == 4 / 6
    assert (found["n"], found["clusters"], estimate["n"]) == (6, 3, 6)
    # Two groups of three are right throughout and one is not: resamples of groups go from 0 to 1.
    assert (estimate["ci_low"], estimate["ci_high"]) == (0, 1)
    assert found["status_counts"]["refused"] == 1
    assert found["floors"]["repair_success"] == {"chance": pytest.approx(1 / 3), "constant": 1 / 3}
    strata = found["strata"]["scene"].items()
    scenes = {name: part["metrics"]["repair_success"]["value"] for name, part in strata}
    assert scenes == {"cup": 1, "race": 0}


def test_an_answer_left_out_is_named(truth, write_rows):
    with pytest.raises(InputError, match=r"found none to decisions-0003-r1; add a row"):
        score(
            truth, write_rows(truth.parent / "p.jsonl", [answer(k, "A") for k in (0, 1, 2, 4, 5)])
        )


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"options": {"A": "x"}}, "two to six options from A on, found A"),
        ({"options": {"A": "x", "C": "y"}}, "two to six options from A on, found A, C"),
        ({"options": {"A": "x", "B": "x"}}, "the same text twice"),
        ({"answer": "D"}, "an answer among the options A, B, C, found 'D'"),
        ({"video": "../v.mp4"}, "a path inside the benchmark's folder"),
    ],
)
def test_a_question_that_cannot_be_put_is_refused(tmp_path, write_rows, broken, said):
    with pytest.raises(InputError, match=said):
        read_truth(write_rows(tmp_path / "decisions.jsonl", [row(0) | broken]))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (answer(0, "D"), r"a choice out of A, B, C.*found 'D'"),
        (answer(0, None), "a letter as choice with status ok"),
        (answer(9, "A"), r"a question_id of the truth file.*nearest is 'decisions-000"),
    ],
)
def test_answers_that_answer_nothing_are_refused(truth, write_rows, line, said):
    path = write_rows(truth.parent / "p.jsonl", [line])
    with pytest.raises(InputError, match=said):
        read_predictions(path, read_truth(truth))


def test_words_are_read_and_a_letter_that_no_option_has_is_none():
    decision = Decision(**row(0))
    assert settle(decision, Answer(None, "The answer is (C).")).works
    assert settle(decision, Answer(None, "F")).answer.status == "unparsed"
    assert settle(decision, Answer(None, "Either would do")).answer.status == "unparsed"
    assert not settle(decision, Answer("C", status="truncated")).works
    lines = prompt(decision).splitlines()
    assert lines[1].endswith(decision.question)
    assert lines[2:5] == [f"{k}. If {k} had been otherwise" for k in "ABC"]


def test_models_are_asked_and_their_answers_score_alike(truth, tmp_path, capfd):
    models = ["oracle", "constant:B", "right_evidence_wrong_answer"]
    results = evaluate(truth.parent, models=models, out=tmp_path / "run", benchmark="decisions")
    values = [results[m]["metrics"]["repair_success"]["value"] for m in models]
    assert values == [1, 1 / 3, 0]
    lines = (tmp_path / "run" / "answers.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row.pop("model") == "constant:B"]
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    arguments = ["score", "decisions", "--truth", str(truth), "--predictions", str(path), "--json"]
    assert cli.run(arguments) == 0
    assert json.loads(capfd.readouterr().out)["metrics"]["repair_success"]["value"] == 1 / 3
    replayed = evaluate(
        truth.parent, models=[f"replay:{path}"], out=tmp_path / "again", benchmark="decisions"
    )
    assert replayed[f"replay:{path}"]["metrics"] == results["constant:B"]["metrics"]


def stored(clip: str, video: int, benchmark: str = "decisions") -> dict:
    return {
        "question_id": f"{benchmark}-{video:04d}-r1",
        "group": "g0",
        "clip": clip,
        "video": video,
        "benchmark": benchmark,
        "kind": "repair",
        "segment": 1,
        "question": f"In video {video}, the mug broke. What would have prevented it?",
        "options": [
            {"key": key, "text": f"If {key}", "claim": "would(a = 0, not(occurs(b)))"}
            for key in "AB"
        ],
        "answer": "B",
        "evidence": [],
    }


def test_a_suites_decisions_are_written_by_video_number(tmp_path, write_rows):
    for clip in ("cup-factual", "cup-rug"):
        folder = tmp_path / "clips" / clip
        folder.mkdir(parents=True)
        (folder / "video.mp4").write_bytes(clip.encode())
        (folder / "truth.json").write_text('{"scene": "falling_cup"}')
    rows = [stored("cup-factual", 2), stored("cup-rug", 1), stored("cup-rug", 1, "other")]
    write_rows(tmp_path / "questions.jsonl", rows)
    assert write(tmp_path) == WriteCounts(videos=2, questions=2)
    target = tmp_path / "benchmarks" / "decisions"
    first, second = read_truth(target / "decisions.jsonl")
    assert (first.question_id, first.proof) == ("decisions-0001-r1", "decisions-0001-r1")
    assert (second.video, second.scene, second.group) == ("videos/0002.mp4", "falling_cup", "g0")
    assert (target / second.video).read_bytes() == b"cup-factual"
    before = (target / "decisions.jsonl").read_bytes()
    write(tmp_path)
    assert (target / "decisions.jsonl").read_bytes() == before
    assert "cup" not in before.decode().replace("falling_cup", "")


def test_a_suite_without_decisions_gets_no_folder(tmp_path, write_rows):
    write_rows(tmp_path / "questions.jsonl", [stored("cup", 1, "other")])
    assert write(tmp_path) == WriteCounts(0, 0)
    assert not (tmp_path / "benchmarks").exists()
