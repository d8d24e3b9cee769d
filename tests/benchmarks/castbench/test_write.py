import json
from pathlib import Path

import numpy as np
import pytest

from simworld.benchmarks.castbench.schema import FILE_NAME, read_truth
from simworld.benchmarks.castbench.write import WriteCounts, write
from simworld.errors import CheckError, InputError

FPS, FRAMES = 12, 42
KINDS = {1: "causal_explanation", 2: "counterfactual_reasoning"}


def evidence(thing: str, start: int, stop: int) -> dict:
    row = {"event": "e", "object": thing, "start_frame": start, "stop_frame": stop}
    return row | {"rationale": f"The {thing} moves."}


def question(clip: str, video: int, number: int, *evidences: dict) -> dict:
    return {
        "question_id": f"castbench-{video:04d}-c{number}",
        "group": "g0",
        "clip": clip,
        "video": video,
        "benchmark": "castbench",
        "kind": KINDS[number],
        "segment": number,
        "question": f"What made it happen in video {video}, {number}?",
        "options": [
            {"key": key, "text": f"Text {key}.", "claim": "occurs(x)", "right": key == "F"}
            for key in "ABCDEF"
        ],
        "answer": "F",
        "evidence": list(evidences),
    }


def add_clip(suite: Path, clip: str) -> None:
    """Add a clip with a ball that moves a pixel a frame, and a mug that is gone from frame 30."""
    folder = suite / "clips" / clip
    folder.mkdir(parents=True)
    (folder / "video.mp4").write_bytes(clip.encode())
    boxes = np.full((FRAMES, 2, 4), np.nan, np.float32)
    for k in range(FRAMES):
        boxes[k, 0] = (k, 10, k + 20, 30)
    boxes[:30, 1] = (150, 100, 160, 120)
    np.savez(folder / "tracks.npz", names=np.array(["ball", "mug"]), visible_xyxy_px=boxes)
    video = {"width": 160, "height": 120, "fps": FPS}
    (folder / "truth.json").write_text(json.dumps({"scene": "falling_cup", "video": video}))


def write_questions(suite: Path, rows: list[dict]) -> None:
    (suite / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for clip in ("cup-factual", "cup-rug"):
        add_clip(tmp_path, clip)
    rows = [
        question("cup-factual", 2, 2, evidence("mug", 14, 15)),
        question("cup-factual", 2, 1, evidence("ball", 0, 1), evidence("mug", 23, 26)),
        question("cup-rug", 1, 1, evidence("ball", 41, 42)),
        question("cup-rug", 1, 2, evidence("ball", 0, 42)) | {"benchmark": "other"},
    ]
    write_questions(tmp_path, rows)
    return tmp_path


def test_the_file_holds_what_the_suite_holds(suite):
    assert not (suite / "benchmarks").exists()
    with pytest.raises(CheckError):  # nothing shows the last frame of the ball
        write(suite)
    rows = [json.loads(line) for line in (suite / "questions.jsonl").read_text().splitlines()]
    rows[2]["evidence"] = [evidence("ball", 36, 37)]
    write_questions(suite, rows)
    assert write(suite) == WriteCounts(videos=2, questions=3)
    target = suite / "benchmarks" / "castbench"
    last, first, second = read_truth(target / FILE_NAME)
    assert [q.qa_id for q in (last, first, second)] == [
        "castbench-0001-c1",
        "castbench-0002-c1",
        "castbench-0002-c2",
    ]
    assert (first.video, first.size_px, first.duration_s) == ("sim_0002.mp4", (160, 120), 3.5)
    assert (first.question_type, second.question_type) == (
        "Causal Explanation",
        "Counterfactual Reasoning",
    )
    assert (first.scene_category, first.scene) == ("Simulated physics: falling cup", "falling_cup")
    assert (first.answer, first.options["F"], first.proof) == ("F", "Text F.", first.qa_id)
    ball, mug = first.evidences
    assert (ball.instance, ball.start_s, ball.end_s) == ("ball", 0, 1)  # its first frame
    assert ball.boxes_xyxy_px == {0: (0, 10, 19, 29), 1: (12, 10, 31, 29)}
    assert ball.rationale == "The ball moves."
    assert (mug.start_s, mug.end_s) == (1, 2)  # the second after has no box
    assert mug.boxes_xyxy_px[2] == (150, 100, 159, 119)
    [rolling] = last.evidences
    assert (rolling.start_s, rolling.end_s) == (2, 3)  # the last second of the clip
    assert (target / "videos" / "sim_0002.mp4").read_bytes() == b"cup-factual"
    assert sorted(p.name for p in (target / "videos").iterdir()) == ["sim_0001.mp4", "sim_0002.mp4"]


def keep(suite: Path, *indices: int) -> list[dict]:
    lines = (suite / "questions.jsonl").read_text().splitlines()
    rows = [json.loads(lines[index]) for index in indices]
    write_questions(suite, rows)
    return rows


def test_writing_again_changes_nothing(suite):
    keep(suite, 0, 1)
    write(suite)
    path = suite / "benchmarks" / "castbench" / FILE_NAME
    before = path.read_bytes()
    assert write(suite) == WriteCounts(1, 2)
    assert path.read_bytes() == before


def test_a_suite_without_questions_gets_no_file(suite):
    keep(suite, 3)
    assert write(suite) == WriteCounts(0, 0)
    assert not (suite / "benchmarks").exists()


def test_a_text_that_stands_twice_is_refused(suite):
    one, two = keep(suite, 0, 1)
    write_questions(suite, [one | {"question": two["question"]}, two])
    with pytest.raises(CheckError, match="every question text once"):
        write(suite)


@pytest.mark.parametrize("name", ["video.mp4", "tracks.npz", "truth.json"])
def test_a_missing_file_is_named(suite, name):
    keep(suite, 0)
    (suite / "clips" / "cup-factual" / name).unlink()
    with pytest.raises(InputError, match=f"cup-factual.{name}"):
        write(suite)
