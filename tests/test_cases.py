"""Bugs that neighbouring programs had in public, end to end; docs/cases.md names the tests."""

import ast
import re
import resource
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.annotate.tracker import Tracker
from simworld.annotate.tracks import Tracks
from simworld.benchmarks.castbench.convert import Unfit, convert, frame_of_second
from simworld.benchmarks.castbench.schema import FILE_NAME, Question, read_truth
from simworld.benchmarks.castbench.strict import truth_text
from simworld.clock import frame_span, frames_in
from simworld.executors import Workers
from simworld.store import Suite, read_json
from simworld.suite import generate
from simworld.video import probe, read_ids
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Breakable, Mug
from tests.worlds import FLOOR, ball, cube, world

ROOT = Path(__file__).parents[1]
SIZE = (320, 176)
BALL_FIRST = """
from dataclasses import replace

from simworld.scene import load_scene

CUP = load_scene("falling_cup")


def build(context):
    spec = CUP.build(context)
    return replace(spec, bodies=tuple(sorted(spec.bodies, key=lambda body: body.name != "ball")))


SCENE = replace(CUP, name="ball_first", build=build)
"""
RECIPE = """
name = "wide"
[video]
width = 320
height = 176
[truth]
sieve_draws = 1
reference_contexts = 1
[[scenes]]
scene = "ball_first"
groups = 1
twins = ["remove_cause:ball_rests"]
[scenes.levels]
ball = "rolls"
brick = "aside"
rail = "absent"
crate = "absent"
floor = "bare"
mug_material = "glass"
green_ball = "rolls"
edge_gap = "near"
"""


# The page


def rows() -> list[list[str]]:
    """The cells of each row of the table in docs/cases.md."""
    lines = (ROOT / "docs" / "cases.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]
    return [row for row in cells if row[0].isdecimal()]


def test_every_test_that_the_page_names_is_there():
    named = [name for row in rows() for name in re.findall(r"`(\S+::\S+)`", row[-1])]
    assert len(named) > 40
    for path, _, test in (name.partition("::") for name in named):
        tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert test in defined, f"{path}::{test}"


def test_every_report_has_its_row_and_the_first_ten_have_tests():
    assert [int(row[0]) for row in rows()] == list(range(1, 31))
    for row in rows():
        assert "::" in row[-1] or (int(row[0]) > 10 and row[-1].startswith("not yet")), row


# A falling cup whose ball is the first object made, 320 pixels wide and 176 high


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wide")
    (folder / "ball_first.py").write_text(BALL_FIRST, encoding="utf-8")
    (folder / "wide.toml").write_text(RECIPE, encoding="utf-8")
    generate(folder / "wide.toml", folder / "suite", scenes_dir=folder)
    return Suite(folder / "suite")


@pytest.fixture(scope="module")
def clips(suite):
    return {
        clip: (
            Tracks.load(suite.clip(clip) / "tracks.npz"),
            read_ids(suite.clip(clip) / "ids.mkv"),
        )
        for clip in suite.clip_ids
    }


def test_at_320_by_176_nothing_is_turned_on_its_side(suite, clips):
    for clip, (tracks, ids) in clips.items():
        video = probe(suite.clip(clip) / "video.mp4")
        assert (video.width, video.height) == SIZE
        assert ids.shape == (video.frame_count, 176, 320)
        boxes = tracks.visible_xyxy_px[~np.isnan(tracks.visible_xyxy_px).any(axis=2)]
        assert boxes.min() >= 0
        assert boxes[:, [0, 2]].max() == 320  # the floor reaches the right border
        assert boxes[:, [1, 3]].max() == 176
    for question in read_truth(suite.folder / "benchmarks" / "castbench" / FILE_NAME):
        assert question.size_px == SIZE
        for evidence in question.evidences:
            for x1, y1, x2, y2 in evidence.boxes_xyxy_px.values():
                assert 0 <= x1 < x2 <= 319 and 0 <= y1 < y2 <= 175


def test_the_boxes_on_disk_are_those_of_the_masks_on_disk_and_none_is_empty(clips):
    for tracks, ids in clips.values():
        for k in range(len(tracks.names)):
            for frame, mask in enumerate(ids == k + 1):
                box = tracks.visible_xyxy_px[frame, k]
                if not mask.any():
                    assert np.isnan(box).all() and tracks.visible_px[frame, k] == 0
                    continue
                ys, xs = np.nonzero(mask)
                assert box.tolist() == [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]
                assert tracks.visible_px[frame, k] == mask.sum() > 0


def test_the_first_object_made_is_exported_and_is_cause_and_answer(suite, clips):
    for tracks, ids in clips.values():
        assert tracks.names[0] == "ball"
        assert (ids[0] == 1).sum() == tracks.visible_px[0, 0] > 20
    [factual] = [clip for clip in suite.clip_ids if clip.endswith("factual")]
    bump = next(event for event in suite.events(factual) if event["variable"] == "bump")
    assert bump["participants"] == ["ball", "mug"]
    verdicts = {(v["cause"], v["effect"]): v["role"] for v in suite.truth(factual)["verdicts"]}
    assert verdicts["bump", "slide"] == "trigger"
    asked = [question for question in suite.questions() if question["clip"] == factual]
    offered = read_json(suite.folder / "groups" / factual.rpartition("-")[0] / "candidates.json")
    right = {o["claim"] for q in offered for o in q["options"] if o["right"]}
    assert any(claim.endswith("cause(bump, slide))") for claim in right)
    assert any(evidence["object"] == "ball" for q in asked for evidence in q["evidence"])
    told = read_truth(suite.folder / "benchmarks" / "castbench" / FILE_NAME)
    assert any(evidence.instance == "ball" for q in told for evidence in q.evidences)


def test_what_stands_still_and_unhidden_keeps_its_mask_on_disk_over_a_clip(clips):
    [(tracks, ids)] = [files for clip, files in clips.items() if clip.endswith("ball-rests")]
    names = tracks.names.tolist()
    for name in ("ball", "yellow_box"):
        masks = ids == names.index(name) + 1
        assert masks[0].sum() > 20
        assert (masks == masks[0]).all()
        assert len(set(tracks.visible_px[:, names.index(name)].tolist())) == 1


def test_each_track_on_disk_says_whether_it_is_visible_or_amodal(suite):
    with np.load(suite.clip(suite.clip_ids[0]) / "tracks.npz", allow_pickle=False) as arrays:
        of_boxes_and_areas = {n for n in arrays.files if n.endswith(("_xyxy_px", "_px"))}
    assert of_boxes_and_areas == {
        "visible_xyxy_px",
        "amodal_xyxy_px",
        "visible_px",
        "amodal_px",
    }


def test_no_two_clips_share_a_path_and_each_has_every_frame(suite, clips):
    videos = [suite.clip(clip) / "video.mp4" for clip in clips]
    assert len({path.resolve() for path in videos}) == len(videos) == 2
    for clip, (tracks, ids) in clips.items():
        frames = probe(suite.clip(clip) / "video.mp4").frame_count
        assert len(ids) == len(tracks.visible_px) == frames > 24
        assert suite.segments(clip)[0]["start_frame"] == 0
        assert suite.segments(clip)[-1]["stop_frame"] == frames


# Worlds and frames made for the purpose


def digests_in_turns(specs: list, times: int) -> tuple[list[set[str]], float]:
    """Each world's digests when they are simulated in turns, and the megabytes that it took."""
    seen: list[set[str]] = [set() for _ in specs]
    before_kb = 0
    for turn in range(times):
        for digests, spec in zip(seen, specs, strict=True):
            digests.add(simulate(spec).outcome.digest)
        if turn == times // 5:
            before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    after_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seen, (after_kb - before_kb) / 1024


def test_fifty_worlds_in_turns_in_one_process_are_what_each_is_in_a_process_of_its_own():
    mug = Body("mug", Mug(0.05, 0.12), (1.0, 0, 0.06), mass_kg=0.2, breakable=Breakable(2.0))
    one = world(FLOOR, ball(at=(0.1, 0, 0.4)), cube(), steps=60)
    other = world(FLOOR, mug, ball(at=(1.0, 0, 0.5)), steps=60)
    alone = []
    for spec in (one, other):
        with Workers(1) as fresh:
            alone.append(fresh.call(simulate, spec).outcome.digest)
    with Workers(1) as fresh:
        seen, grown_mb = fresh.call(digests_in_turns, [one, other], 25)
    assert seen == [{digest} for digest in alone]
    assert alone[0] != alone[1]
    assert grown_mb < 4


def test_a_sliver_is_told_by_its_pixels_and_its_occlusion():
    spec = world(FLOOR, ball(at=(0.0, 0.0, 0.1)))
    tracker = Tracker(spec, ("floor", "ball"), SIZE)
    poses = np.array([[*body.position_m, *body.quat_xyzw] for body in spec.bodies])
    ids = np.ones((176, 320), dtype=np.uint16)
    tracker.add(ids, poses)
    x1, y1, x2, y2 = tracker.build().amodal_xyxy_px[0, 1].astype(int)
    ids[(y1 + y2) // 2, (x1 + x2) // 2 : (x1 + x2) // 2 + 3] = 2
    tracker.add(ids, poses)
    tracks = tracker.build()
    assert tracks.visible_px[:, 1].tolist() == [0, 3]
    assert np.isnan(tracks.visible_xyxy_px[0, 1]).all()
    assert tracks.occlusion[0, 1] == 1
    assert 0.95 < tracks.occlusion[1, 1] < 1
    left, top, right, bottom = tracks.visible_xyxy_px[1, 1]
    assert (right - left, bottom - top) == (3, 1)


@given(
    st.sampled_from([12, 24, 30]),
    st.integers(24, 400),
    st.one_of(st.just("first"), st.just("last"), st.floats(0, 1)),
)
def test_evidence_on_the_first_the_last_or_any_single_frame_survives_the_whole_way(
    fps, frames, where
):
    """One step becomes a frame, then seconds, then a row of text, and comes back; or is refused."""
    stride = 240 // fps
    place = {"first": 0.0, "last": 1.0}.get(where, where)
    step = round(place * (frames - 1)) * stride
    start, stop = frame_span(step, step + 1, stride)
    assert (start, stop) == (step // stride, step // stride + 1)
    assert stop <= frames == frames_in(frames * stride, stride)
    track = np.tile(np.array([10, 10, 50, 40], np.float32), (frames, 1))
    row = {"object": "ball", "start_frame": start, "stop_frame": stop, "rationale": "It rolls."}
    try:
        evidence = convert(row, {"ball": track}, fps, SIZE)
    except Unfit:
        shown_last = frame_of_second((frames - 1) // fps, fps)
        assert start > shown_last or frames <= fps  # no whole second shows it or follows it
        return
    question = Question(
        qa_id="q",
        video="v.mp4",
        question="Why?",
        question_type="Causal Explanation",
        scene_category="Table",
        options={letter: letter.lower() for letter in "ABCDEF"},
        answer="A",
        evidences=(evidence,),
        size_px=SIZE,
        duration_s=round(frames / fps, 6),
    )
    [read] = written_and_read(question)
    [back] = read.evidences
    assert back == evidence
    assert all(0 <= frame_of_second(second, fps) < frames for second in back.boxes_xyxy_px)
    if Fraction(start, fps).denominator == 1:
        assert start // fps in range(back.start_s, back.end_s + 1)
    assert back.start_s <= Fraction(start, fps) <= back.end_s + 1
    if place == 0.0:
        assert back.start_s == 0


def written_and_read(question: Question) -> list[Question]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE_NAME
        path.write_text(truth_text([question]), encoding="utf-8")
        return read_truth(path)
