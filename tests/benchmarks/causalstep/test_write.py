import json
from pathlib import Path

import pytest

from simworld.benchmarks.causalstep.schema import DISTRACTOR_KINDS, LETTERS, read_truth
from simworld.benchmarks.causalstep.write import WriteCounts, write
from simworld.errors import InputError
from simworld.models.payload import ClaimStore


def options(right: str) -> list[dict]:
    kinds = iter(DISTRACTOR_KINDS)
    return [
        {
            "key": letter,
            "text": f"Text {letter}.",
            "claim": f"occurs({letter.lower()})",
            "right": letter == right,
            "distractor_type": None if letter == right else next(kinds),
            "proof": ["r"],
        }
        for letter in LETTERS
    ]


def question(clip: str, video: int, segment: int, kind: str, benchmark: str = "causalstep") -> dict:
    return {
        "question_id": f"{benchmark}-{video:04d}-{kind[0]}{segment}",
        "group": "g0",
        "clip": clip,
        "video": video,
        "benchmark": benchmark,
        "kind": kind,
        "segment": segment,
        "question": f"What about part {segment} of video {video}, {kind}, {benchmark}?",
        "options": options("C"),
        "answer": "C",
        "evidence": [],
    }


def add_clip(suite: Path, clip: str) -> None:
    folder = suite / "clips" / clip
    folder.mkdir(parents=True)
    (folder / "video.mp4").write_bytes(clip.encode())
    segments = [
        {"index": 1, "start_frame": 0, "stop_frame": 13, "event": "opening", "description": "One."},
        {"index": 2, "start_frame": 13, "stop_frame": 30, "event": "bump", "description": "Two."},
    ]
    (folder / "segments.json").write_text(json.dumps(segments))
    (folder / "events.json").write_text("[]")
    video = {"width": 320, "height": 240, "fps": 12, "renderer": "tiny"}
    truth = {"scene": "cup", "video": video, "values": {"hard_floor": 1}}
    (folder / "truth.json").write_text(json.dumps(truth))


def write_questions(suite: Path, rows: list[dict]) -> None:
    (suite / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


ASKED = ((1, "descriptive"), (2, "descriptive"), (2, "causal"))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    for clip in ("cup-factual", "cup-rail", "cup-ball-rests"):
        add_clip(tmp_path, clip)
    rows = [question("cup-factual", 2, *asked) for asked in ASKED]
    rows += [question("cup-rail", 1, *asked) for asked in ASKED]
    rows.append(question("cup-factual", 2, 1, "descriptive", benchmark="other"))
    write_questions(tmp_path, rows)
    return tmp_path


def test_the_file_holds_what_the_suite_holds(suite):
    assert write(suite) == WriteCounts(videos=2, questions=6)
    target = suite / "benchmarks" / "causalstep"
    first, second = read_truth(target / "causalstep.jsonl")
    assert (first.video_id, second.video_id) == ("0001", "0002")
    assert (second.group, second.scene) == ("g0", "cup")
    assert (second.fps, second.width, second.height) == (12, 320, 240)
    assert [s.description for s in second.segments] == ["One.", "Two."]
    assert second.segments[1].start_s == pytest.approx(13 / 12, abs=1e-6)
    why = second.question(2, "causal")
    assert why.answer == "C"
    assert why.options["C"] == "Text C."
    assert why.distractor_types["A"] == "temporal_confusion"
    assert why.proof == why.question_id == "causalstep-0002-c2"
    assert (target / second.video).read_bytes() == b"cup-factual"


def test_videos_do_not_say_which_clip_they_are(suite):
    write(suite)
    names = [path.name for path in (suite / "benchmarks" / "causalstep" / "videos").iterdir()]
    assert sorted(names) == ["0001.mp4", "0002.mp4"]


def test_models_that_see_claims_find_them(suite):
    write(suite)
    [_, video] = read_truth(suite / "benchmarks" / "causalstep" / "causalstep.jsonl")
    why = video.question(2, "causal")
    claims = ClaimStore(suite).claims(why.proof, why.question_id)
    assert set(claims.options) == set(LETTERS)
    assert claims.standing == {"hard_floor": True}


def contents(suite: Path) -> dict[str, bytes]:
    paths = (suite / "benchmarks").rglob("*")
    return {str(path.relative_to(suite)): path.read_bytes() for path in paths if path.is_file()}


def test_writing_again_changes_nothing(suite):
    write(suite)
    before = contents(suite)
    write(suite)
    assert contents(suite) == before


def test_a_video_that_was_made_anew_replaces_the_old_one(suite):
    write(suite)
    video = suite / "clips" / "cup-factual" / "video.mp4"
    video.unlink()
    video.write_bytes(b"anew")
    write(suite)
    assert contents(suite)["benchmarks/causalstep/videos/0002.mp4"] == b"anew"


def test_where_no_link_can_be_made_the_video_is_copied(suite, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError("another device")

    monkeypatch.setattr("os.link", refuse)
    write(suite)
    assert contents(suite)["benchmarks/causalstep/videos/0002.mp4"] == b"cup-factual"


def test_a_suite_without_questions_gets_no_file(suite):
    write_questions(suite, [])
    assert write(suite) == WriteCounts(0, 0)
    assert not (suite / "benchmarks").exists()


def test_a_missing_video_is_named(suite):
    (suite / "clips" / "cup-rail" / "video.mp4").unlink()
    with pytest.raises(InputError, match="cup-rail"):
        write(suite)


def test_an_incomplete_set_of_questions_is_refused(suite):
    rows = [question("cup-rail", 1, *asked) for asked in ASKED[:2]]
    write_questions(suite, rows)
    with pytest.raises(InputError, match=r"clip cup-rail.*causal question"):
        write(suite)


def test_two_questions_that_read_alike_are_refused(suite):
    rows = [question("cup-factual", 2, *asked) for asked in ASKED]
    rows += [{**row, "clip": "cup-rail", "video": 1, "question_id": f"x{i}"}
             for i, row in enumerate(rows)]  # fmt: skip
    write_questions(suite, rows)
    with pytest.raises(InputError, match="question text"):
        write(suite)
