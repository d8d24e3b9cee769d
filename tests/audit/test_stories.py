"""A suite with one story: what it says, that its audit is clean, and that forgeries are found."""

import json
import shutil

import pytest

from simworld.benchmarks.causal2needles.schema import read_folder
from simworld.report import write_page
from simworld.store import Suite, read_json
from simworld.suite import generate
from simworld.video import probe
from tests.audit.forge import QUESTIONS, edited, mend

RECIPE = """
name = "stories"
seed = 0
[video]
width = 160
height = 120
[truth]
sieve_draws = 0
reference_contexts = 1
[[stories]]
videos = 1
links = 1
fillers = 3
slow_motion = 4
"""
FACTUAL, KEPT = "story-0000-factual", "story-0000-kept-1"
TRUTH = f"stories/{FACTUAL}/truth.json"


def named(report) -> str:
    return "\n".join(map(str, report.failures))


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A hatch takes a brick away, other things happen, and a ball finds the ramp clear."""
    folder = tmp_path_factory.mktemp("stories")
    (folder / "stories.toml").write_text(RECIPE, encoding="utf-8")
    generate(folder / "stories.toml", folder / "suite", workers=2)
    return folder / "suite"


@pytest.fixture
def forged(told, tmp_path):
    folder = tmp_path / "suite"
    shutil.copytree(told, folder)
    return folder


def test_what_follows_across_episodes_is_what_a_viewer_says(told):
    suite = Suite(told)
    truth = suite.truth(FACTUAL)
    scenes = [one["scene"] for one in truth["episodes"]]
    between = ["conveyor", "broken_transitivity", "hidden_friction"]
    assert scenes == ["drop_hatch-latch_gate-cube", *between, "latch_gate"]
    causes = {(v["cause"], v["effect"]) for v in truth["verdicts"] if v["actual"]}
    for link in ("e1_press", "e1_open", "e1_drop", "e1_loaded"):
        assert (link, "e5_topple") in causes
    assert not any(cause == "e1_knock" for cause, _ in causes)
    assert not any(effect in ("e5_open", "e5_roll") for _, effect in causes)
    assert truth["values"]["e5_topple"] == 1
    assert suite.truth(KEPT)["values"]["e5_topple"] == 0
    for name in ("e2_press", "e2_blue_fall", "e5_open"):
        assert truth["values"][name] == suite.truth(KEPT)["values"][name]


def test_what_else_was_seen_where_a_thing_got_lost_is_asked_among_things_of_a_sort(told):
    """A ball of a colour or the cube ran into a can in each of the episodes before the ramp."""
    images = [row for row in Suite(told).questions() if row["kind"] == "image"]
    assert {row["clip"] for row in images} == {FACTUAL}
    for row in images:
        texts = [option["text"] for option in row["options"]]
        assert all(text.endswith("into the can.") for text in texts)
        assert len({" ".join(text.split()[:2]) for text in texts}) == len(texts)


def test_its_videos_are_its_clips_one_after_the_other(told):
    suite = Suite(told)
    for video in (FACTUAL, KEPT):
        episodes = suite.truth(video)["episodes"]
        counts = [probe(suite.clip(e["clip"]) / "video.mp4").frame_count for e in episodes]
        assert [e["stop_frame"] - e["start_frame"] for e in episodes] == counts
        assert probe(suite.clip(video) / "video.mp4").frame_count == sum(counts)
        spans = suite.spans(video)
        assert [s["start_frame"] for s in spans[1:]] == [s["stop_frame"] for s in spans[:-1]]
    shared = {e["clip"] for e in suite.truth(FACTUAL)["episodes"]}
    shared &= {e["clip"] for e in suite.truth(KEPT)["episodes"]}
    between = ("conveyor", "broken_transitivity", "hidden_friction")
    assert shared == {f"{name}-0000-factual" for name in between}


def test_a_cause_is_asked_for_that_lies_an_episode_before_its_effect(told):
    asked = [row for row in Suite(told).questions() if row["clip"] == FACTUAL]
    causal = [row for row in asked if row["kind"] == "causal_1needle"]
    assert causal
    ends = {tuple(e["event"].partition("_")[0] for e in row["evidence"]) for row in causal}
    assert ("e1", "e5") in ends
    movies = read_folder(told / "benchmarks" / "causal2needles")
    assert {9, 10, 11} & {q.distance for movie in movies for _, q in movie.each()}


def test_the_page_shows_its_videos_and_narration(told, tmp_path):
    folder = tmp_path / "suite"
    shutil.copytree(told, folder)
    html = write_page(folder).read_text("utf-8")
    assert f"stories/{FACTUAL}/video.mp4" in html
    assert "Here the brick does not drop" in html
    assert "Unless the brick drops into the bin, it will be in the way in a later scene." in html


def test_the_audit_of_a_story_is_clean(told, inspect):
    report = inspect(told)
    assert not report.failures, named(report)
    assert report.counts["stories"] == 2
    assert report.counts["verdicts across episodes"] > 20


def more_of_a_cause(folder):
    with edited(folder / TRUTH) as truth:
        row = next(v for v in truth["verdicts"] if v["cause"] == "e1_knock" and not v["actual"])
        row.update(actual=True, but_for=True, role="trigger", directness="indirect")


def less_proof(folder):
    with edited(folder / TRUTH) as truth:
        next(v for v in truth["verdicts"] if v["actual"])["proof"].pop()


def another_link(folder):
    with edited(folder / TRUTH) as truth:
        truth["links"][0]["lost"] = "e2_blue_fall"


def another_sentence(folder):
    with edited(folder / "stories" / FACTUAL / "spans.json") as spans:
        spans[0]["description"] = "Nothing is to be seen."


def other_pictures(folder):
    kept = (folder / "stories" / KEPT / "video.mp4").read_bytes()
    (folder / "stories" / FACTUAL / "video.mp4").unlink()
    (folder / "stories" / FACTUAL / "video.mp4").write_bytes(kept)


def another_answer(folder):
    """The first scene that is no answer is said to be it, everywhere."""
    with edited(folder / QUESTIONS) as rows:
        row = next(r for r in rows if r["clip"] == FACTUAL and r["kind"] == "causal_1needle")
        right = next(o for o in row["options"] if o["right"])
        wrong = next(o for o in row["options"] if not o["right"])
        right["right"], wrong["right"] = False, True
        right["distractor_type"], wrong["distractor_type"] = "temporal_confusion", None
        row["answer"] = wrong["key"]


def less_left_out(folder):
    with edited(folder / "manifest.json") as manifest:
        rows = manifest["no_questions"]
        rows.remove(next(row for row in rows if row["clip"] == FACTUAL))


def no_story(folder):
    shutil.rmtree(folder / "stories" / KEPT)


@pytest.mark.parametrize(
    ("forge", "expected"),
    [
        (more_of_a_cause, "cause(e1_knock"),
        (less_proof, "which shows it"),
        (another_link, "truth: links"),
        (another_sentence, "span 1: description"),
        (other_pictures, "its clips' frames"),
        (another_answer, "right scene: expected"),
        (less_left_out, "stories: no_questions"),
        (no_story, "the recipe's stories"),
    ],
)
def test_a_forged_story_is_found(forged, inspect, forge, expected):
    forge(forged)
    mend(forged)
    assert expected in named(inspect(forged))


def test_generating_again_changes_nothing(told, tmp_path):
    folder = tmp_path / "suite"
    shutil.copytree(told, folder)
    (tmp_path / "stories.toml").write_text(RECIPE, encoding="utf-8")
    digest = generate(tmp_path / "stories.toml", folder, workers=1)["digest"]
    assert digest == read_json(told / "manifest.json")["digest"]
    assert json.loads((folder / TRUTH).read_text()) == json.loads((told / TRUTH).read_text())
