"""A suite's bytes depend on its recipe alone: not on workers, interruptions, or order."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simworld.errors import CheckError, InputError
from simworld.scene import load_scene
from simworld.store import Suite
from simworld.suite import generate

SCENES = Path(__file__).parent / "user_scenes"
RECIPE = """
name = "nudge"
[video]
width = 64
height = 48
[truth]
sieve_draws = 1
reference_contexts = 1
[[scenes]]
scene = "nudge"
groups = 3
twins = ["remove_cause:ball_rests", "nuisance"]
levels = {ball = "rolls"}
"""


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    path = tmp_path_factory.mktemp("recipe") / "nudge.toml"
    path.write_text(RECIPE)
    return path


@pytest.fixture(scope="module")
def suite(recipe, tmp_path_factory):
    out = tmp_path_factory.mktemp("suite") / "nudge"
    generate(recipe, out, workers=2, scenes_dir=SCENES)
    return out


def digest(folder: Path) -> str:
    return json.loads((folder / "manifest.json").read_text())["digest"]


def test_one_worker_gives_the_bytes_of_two(recipe, suite, tmp_path):
    generate(recipe, tmp_path / "one", workers=1, scenes_dir=SCENES)
    assert digest(tmp_path / "one") == digest(suite)
    assert Suite(tmp_path / "one").artefacts() == Suite(suite).artefacts()


def test_a_run_killed_half_way_goes_on_to_the_same_bytes(recipe, suite, tmp_path):
    out = tmp_path / "killed"
    command = [sys.executable, "-m", "simworld", "generate", str(recipe), "--out", str(out)]
    command += ["--scenes", str(SCENES), "--workers", "2"]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not list(out.glob("groups/*/receipt.json")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (out / "manifest.json").exists()
    finished = {path: path.stat().st_mtime_ns for path in out.glob("groups/*/receipt.json")}
    assert 1 <= len(finished) <= 3
    generate(recipe, out, workers=2, scenes_dir=SCENES)
    assert digest(out) == digest(suite)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert not list(out.rglob("*.partial"))


def test_what_a_killed_run_had_begun_to_write_is_swept_away(recipe, tmp_path):
    out = tmp_path / "suite"
    generate(recipe, out, workers=2, scenes_dir=SCENES)
    group, clip = next(out.glob("groups/*")), next(out.glob("clips/*"))
    begun = [out / ".manifest.json.1.partial", group / ".receipt.json.1.partial"]
    begun += [clip / ".video.mp4.partial", out / "clips" / ".nudge-0009-factual.partial" / "x"]
    evaluated = out / "runs" / "mine" / ".answers.jsonl.1.partial"
    for path in (*begun, evaluated):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    generate(recipe, out, workers=2, scenes_dir=SCENES)
    assert list(out.rglob("*.partial")) == [evaluated]


def test_running_again_changes_nothing(recipe, suite):
    before = {path: path.stat().st_mtime_ns for path in suite.glob("clips/*/*")}
    digest_before = digest(suite)
    generate(recipe, suite, workers=1, scenes_dir=SCENES)
    assert digest(suite) == digest_before
    assert {path: path.stat().st_mtime_ns for path in suite.glob("clips/*/*")} == before


def test_seed_0_differs_from_seed_1(recipe, suite, tmp_path):
    generate(recipe, tmp_path / "one", overrides=["seed=1"], scenes_dir=SCENES)
    assert digest(tmp_path / "one") != digest(suite)
    scene = load_scene("nudge", SCENES)
    assert scene.draw(0, "train", 0) == scene.draw(0, "train", 0) != scene.draw(1, "train", 0)


def test_a_folder_of_another_recipe_is_refused(recipe, suite, tmp_path):
    before = Suite(suite).artefacts()
    with pytest.raises(InputError, match="another recipe"):
        generate(recipe, suite, overrides=["seed=5"], scenes_dir=SCENES)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="other files"):
        generate(recipe, tmp_path, scenes_dir=SCENES)
    assert Suite(suite).artefacts() == before
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_changed_script_is_refused(recipe, tmp_path):
    folder = tmp_path / "scenes"
    folder.mkdir()
    (folder / "nudge.py").write_text((SCENES / "nudge.py").read_text())
    generate(recipe, tmp_path / "out", scenes_dir=folder)
    (folder / "nudge.py").write_text((SCENES / "nudge.py").read_text() + "# changed\n")
    with pytest.raises(InputError, match="another scene script"):
        generate(recipe, tmp_path / "out", scenes_dir=folder)


def test_two_runs_at_once_in_one_folder_are_refused(recipe, tmp_path):
    out = tmp_path / "out"
    command = [sys.executable, "-m", "simworld", "generate", str(recipe), "--out", str(out)]
    command += ["--scenes", str(SCENES), "--workers", "1"]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (out / "recipe.json").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(InputError, match="no other run is at work"):
        generate(recipe, out, scenes_dir=SCENES)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("video.fps=7", "divides 240"),
        ("video.width=63", "even width"),
        ("video.renderer=tinny", "did you mean tiny"),
    ],
)
def test_what_cannot_work_is_refused_before_the_folder_is_claimed(
    recipe, tmp_path, override, message
):
    with pytest.raises(InputError, match=message):
        generate(recipe, tmp_path / "out", overrides=[override], scenes_dir=SCENES)
    assert not (tmp_path / "out").exists()


def test_a_wrong_equation_makes_generate_fail_and_leaves_no_manifest(recipe, tmp_path):
    folder = tmp_path / "scenes"
    folder.mkdir()
    script = (SCENES / "nudge.py").read_text()
    wrong = script.replace('event("slide", "bump")', 'event("slide", "roll and not bump")')
    assert wrong != script
    (folder / "nudge.py").write_text(wrong)
    with pytest.raises(CheckError, match=r"the model says slide = 0, the physics slide = 1"):
        generate(recipe, tmp_path / "out", scenes_dir=folder)
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_every_clip_has_files_of_one_length(suite):
    from simworld.annotate.tracks import Tracks
    from simworld.video import probe, read_ids

    store = Suite(suite)
    assert len(store.clip_ids) == 9
    for clip in store.clip_ids:
        frames = probe(store.clip(clip) / "video.mp4").frame_count
        tracks = Tracks.load(store.clip(clip) / "tracks.npz")
        assert frames == 18  # 360 steps of 240 Hz at 12 frames a second
        assert len(tracks.visible_xyxy_px) == frames == len(read_ids(store.clip(clip) / "ids.mkv"))
        assert store.segments(clip)[-1]["stop_frame"] == frames


def test_a_twin_says_what_it_changed(suite):
    twins = {twin["twin_id"]: twin for twin in Suite(suite).twins()}
    removed = twins["nudge-0000-ball-rests"]
    assert removed["changed"] == ["roll", "bump", "slide"]
    assert removed["intervention"] == "do(roll := 0)"
    assert removed["divergence_step"] == 61  # the ball is launched at step 60
    assert removed["divergence_frame"] == 4
    nuisance = twins["nudge-0000-nuisance"]
    assert nuisance["changed"] == []
    assert nuisance["divergence_frame"] == 0


def test_a_suite_is_made_again_from_what_is_written_in_it(suite, tmp_path):
    (tmp_path / "again.toml").write_text(as_toml(Suite(suite).manifest["recipe"]))
    generate(tmp_path / "again.toml", tmp_path / "again", scenes_dir=SCENES)
    assert digest(tmp_path / "again") == digest(suite)


def as_toml(recipe: dict) -> str:
    """A recipe's JSON as TOML, which has no null."""
    lines = []
    for key, value in recipe.items():
        tables = value if isinstance(value, list) else [value] if isinstance(value, dict) else []
        head = f"[[{key}]]" if isinstance(value, list) else f"[{key}]"
        for table in tables:
            lines += [head, *(f"{k} = {toml(v)}" for k, v in table.items() if v is not None)]
        if not tables:
            lines.insert(0, f"{key} = {toml(value)}")
    return "\n".join(lines) + "\n"


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)
