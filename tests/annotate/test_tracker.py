"""Tracks of rendered clips: boxes, occlusion, absence, and poses of broken things."""

import numpy as np
import pytest

from simworld.annotate.tracker import Tracker
from simworld.errors import CheckError
from simworld.render.base import make_renderer
from simworld.video import IdWriter, read_ids
from simworld.world.spec import Body, Box, Breakable, Camera, Mug, Sphere, WorldSpec

SIZE = (320, 176)
CAMERA = Camera((0.0, -2.0, 0.5), (0.0, 0.0, 0.2), fov_deg=40.0)
BODIES = (
    Body("floor", Box((3, 3, 0.1)), (0, 0, -0.1)),
    Body("wall", Box((0.3, 0.02, 0.25)), (0.0, 0.0, 0.25), color="brown"),
    Body("ball", Sphere(0.1), (-0.9, 0.4, 0.1), mass_kg=0.2, color="red"),
    Body(
        "mug", Mug(0.08, 0.2), (0.45, -0.2, 0.1), mass_kg=0.2, color="blue", breakable=Breakable(2)
    ),
    Body("ghost", Sphere(0.1), (0, 0, 1), mass_kg=0.2, present=False),
)
SPEC = WorldSpec(BODIES, (), CAMERA, duration_steps=1, detectors={})
NAMES = (*(body.name for body in BODIES), "mug#0", "mug#1", "mug#2")
FLOOR, WALL, BALL, MUG, GHOST = range(5)
BEHIND, OUT, BROKEN = 6, 11, 12


def poses() -> np.ndarray:
    """The ball rolls behind the wall and out of the image; then the mug is three shards."""
    rows = np.full((14, len(NAMES), 7), np.nan)
    for column, body in enumerate(BODIES):
        rows[:, column] = [*body.position_m, *body.quat_xyzw]
    rows[:, 2, 0] = np.linspace(-0.9, 2.2, 14)
    rows[BEHIND, 2, 0] = 0.0
    rows[BROKEN:, 3] = np.nan
    for k, x in enumerate((0.3, 0.45, 0.75)):
        rows[BROKEN:, 5 + k] = [x, -0.2, 0.1, 0, 0, 0, 1]
    return rows


def film(name: str) -> tuple[np.ndarray, Tracker]:
    tracker, ids = Tracker(SPEC, NAMES, SIZE), []
    with make_renderer(name, SPEC, NAMES, SIZE) as renderer:
        assert renderer.objects == tracker.names
        for row in poses():
            frame = renderer.render(row)
            tracker.add(frame.ids, row, frame.amodal)
            ids.append(frame.ids)
    return np.stack(ids), tracker.build()


@pytest.fixture(scope="module", params=["tiny", "raster"])
def clip(workers, request):
    return workers.call(film, request.param)


@pytest.fixture
def tracks(clip):
    return clip[1]


def test_every_frame_and_object_has_its_row_the_first_one_too(clip):
    ids, tracks = clip
    assert tracks.names.tolist() == ["floor", "wall", "ball", "mug", "ghost"]
    assert tracks.visible_px.shape == (len(ids), 5) == (14, 5)
    assert (tracks.visible_px[:, FLOOR] > 10_000).all()
    for k in range(5):
        assert np.array_equal(tracks.visible_px[:, k], (ids == k + 1).sum(axis=(1, 2)))


def test_visible_boxes_are_tight_whole_and_within_the_image(clip):
    ids, tracks = clip
    boxes = tracks.visible_xyxy_px
    there = tracks.visible_px > 0
    assert np.array_equal(np.isnan(boxes).any(axis=2), ~there)
    width, height = (boxes[there][:, 2:] - boxes[there][:, :2]).T
    assert width.min() >= 1 and height.min() >= 1
    assert boxes[there].min() >= 0
    assert (boxes[there][:, 2] <= 320).all() and (boxes[there][:, 3] <= 176).all()
    for frame, k in zip(*np.nonzero(there), strict=True):
        x1, y1, x2, y2 = boxes[frame, k].astype(int)
        mask = ids[frame] == k + 1
        assert mask[y1:y2, x1:x2].sum() == mask.sum()
        assert mask[y1].any() and mask[y2 - 1].any()
        assert mask[:, x1].any() and mask[:, x2 - 1].any()


def test_a_wholly_hidden_object_has_no_visible_box_but_an_amodal_one(tracks):
    assert tracks.visible_px[BEHIND, BALL] == 0
    assert np.isnan(tracks.visible_xyxy_px[BEHIND, BALL]).all()
    assert tracks.occlusion[BEHIND, BALL] == 1
    x1, y1, x2, y2 = tracks.amodal_xyxy_px[BEHIND, BALL]
    assert 14 < x2 - x1 < 22 and 14 < y2 - y1 < 22
    assert (x1 + x2) / 2 == pytest.approx(160, abs=1)


def test_occlusion_grows_from_0_to_1_and_back(tracks):
    seen = tracks.occlusion[:OUT, BALL]
    assert seen[0] == 0 and seen[BEHIND] == 1 and seen[10] == 0
    assert ((seen >= 0) & (seen <= 1)).all()
    assert ((seen > 0.05) & (seen < 0.95)).any()


def test_an_unhidden_object_is_the_same_visible_and_amodal(tracks):
    for frame in (0, 1, 10):
        assert tracks.visible_px[frame, BALL] == tracks.amodal_px[frame, BALL] > 100
        assert np.array_equal(
            tracks.visible_xyxy_px[frame, BALL], tracks.amodal_xyxy_px[frame, BALL]
        )
    assert len(set(tracks.visible_px[:BROKEN, MUG].tolist())) == 1
    assert tracks.occlusion[:BROKEN, MUG].max() < 0.01


def test_a_hidden_part_does_not_shrink_the_amodal_box(tracks):
    width = tracks.amodal_xyxy_px[:OUT, BALL, 2] - tracks.amodal_xyxy_px[:OUT, BALL, 0]
    assert np.ptp(width) <= 3


def test_outside_the_image_there_is_an_amodal_box_only(tracks):
    assert tracks.amodal_xyxy_px[-1, BALL, 0] > 320
    assert tracks.visible_px[-1, BALL] == tracks.amodal_px[-1, BALL] == 0
    assert np.isnan(tracks.occlusion[-1, BALL])
    assert tracks.position_m[-1, BALL].tolist() == [2.2, 0.4, 0.1]


def test_what_is_not_in_the_scene_is_absent_everywhere(tracks):
    for array in (
        tracks.visible_xyxy_px,
        tracks.amodal_xyxy_px,
        tracks.occlusion,
        tracks.position_m,
        tracks.quat_xyzw,
    ):
        assert np.isnan(array[:, GHOST]).all()
    assert not tracks.amodal_px[:, GHOST].any()


def test_a_broken_object_is_where_its_shards_are_and_turned_no_way(tracks):
    assert np.allclose(tracks.position_m[BROKEN, MUG], [0.5, -0.2, 0.1])
    assert np.isnan(tracks.quat_xyzw[BROKEN:, MUG]).all()
    assert tracks.quat_xyzw[0, MUG].tolist() == [0, 0, 0, 1]
    before, after = tracks.amodal_xyxy_px[[0, BROKEN], MUG]
    assert after[2] - after[0] > 1.5 * (before[2] - before[0])


def test_boxes_hold_on_the_files_as_decoded(clip, tmp_path):
    ids, tracks = clip
    with IdWriter(tmp_path / "ids.mkv", SIZE, 12, len(tracks.names)) as writer:
        for frame in ids:
            writer.write(frame)
    decoded = read_ids(tmp_path / "ids.mkv")
    assert decoded.shape == (len(tracks.visible_px), 176, 320)
    for frame, mask in enumerate(decoded == BALL + 1):
        rows, columns = np.nonzero(mask)
        if len(rows):
            box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
            assert tracks.visible_xyxy_px[frame, BALL].tolist() == box


def test_what_a_renderer_says_is_covered_is_what_meshes_project_to(workers):
    ids, tracks = workers.call(film, "raster")
    projected = Tracker(SPEC, NAMES, SIZE)
    for frame, row in zip(ids, poses(), strict=True):
        projected.add(frame, row)
    apart = projected.build()
    assert np.allclose(tracks.amodal_xyxy_px, apart.amodal_xyxy_px, atol=1, equal_nan=True)
    assert np.abs(tracks.amodal_px - apart.amodal_px).max() <= 4


def test_half_of_an_object_behind_another_is_half_occluded():
    """Made-up ids: the left half of the ball's own mask belongs to the wall."""
    tracker, row = Tracker(SPEC, NAMES, SIZE), poses()[0]
    tracker.add(np.zeros((176, 320), dtype=np.uint16), row)
    x1, y1, x2, y2 = tracker.build().amodal_xyxy_px[0, BALL].astype(int)
    ids = np.zeros((176, 320), dtype=np.uint16)
    ids[y1:y2, (x1 + x2) // 2 : x2] = BALL + 1
    yy, xx = np.mgrid[:176, :320] + 0.5
    disc = np.hypot(xx - (x1 + x2) / 2, yy - (y1 + y2) / 2) <= (x2 - x1) / 2 - 1
    ids[~disc] = 0
    tracker.add(ids, row)
    assert tracker.build().occlusion[1, BALL] == pytest.approx(0.55, abs=0.1)


def test_ids_of_another_size_or_unknown_object_are_an_error():
    tracker = Tracker(SPEC, NAMES, SIZE)
    with pytest.raises(CheckError, match=r"expected ids of shape \(176, 320\)"):
        tracker.add(np.zeros((320, 176), dtype=np.uint16), poses()[0])
    with pytest.raises(CheckError, match=r"up to 5, found .* up to 6"):
        tracker.add(np.full((176, 320), 6, dtype=np.uint16), poses()[0])
    with pytest.raises(CheckError, match="at least one frame"):
        tracker.build()
