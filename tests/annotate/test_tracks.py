"""Track files: what goes in comes out, with equal bytes, and nothing malformed passes."""

import dataclasses
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.annotate.tracks import Tracks
from simworld.errors import CheckError, InputError


def some_tracks(frames: int = 3, objects: int = 2, seed: int = 0) -> Tracks:
    draws = np.random.default_rng(seed)
    boxes = draws.uniform(0, 100, (2, frames, objects, 4)).astype(np.float32)
    boxes[0, 0, 0] = np.nan
    counts = draws.integers(0, 1000, (2, frames, objects)).astype(np.int32)
    return Tracks(
        names=np.array([f"thing_{k}" for k in range(objects)], dtype=np.str_),
        visible_xyxy_px=boxes[0],
        amodal_xyxy_px=boxes[1],
        visible_px=counts[0],
        amodal_px=counts[1],
        occlusion=draws.uniform(0, 1, (frames, objects)).astype(np.float32),
        position_m=draws.normal(size=(frames, objects, 3)),
        quat_xyzw=draws.normal(size=(frames, objects, 4)),
    )


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 99))
def test_arrays_come_back_bit_for_bit(tmp_path_factory, frames, objects, seed):
    path = tmp_path_factory.mktemp("tracks") / "tracks.npz"
    tracks = some_tracks(frames, objects, seed)
    tracks.save(path)
    read = Tracks.load(path)
    for field in dataclasses.fields(Tracks):
        one, other = getattr(tracks, field.name), getattr(read, field.name)
        assert one.dtype == other.dtype and one.tobytes() == other.tobytes()


def test_equal_tracks_give_equal_bytes_on_any_day(tmp_path, monkeypatch):
    one, other = tmp_path / "one.npz", tmp_path / "other.npz"
    some_tracks().save(one)
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    some_tracks().save(other)
    assert one.read_bytes() == other.read_bytes()
    with zipfile.ZipFile(one) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert sorted(tmp_path.iterdir()) == [one, other]


def test_anyone_can_read_them_without_pickle(tmp_path):
    some_tracks().save(tmp_path / "tracks.npz")
    with np.load(tmp_path / "tracks.npz", allow_pickle=False) as stored:
        assert stored["names"].tolist() == ["thing_0", "thing_1"]
        assert stored["visible_px"].shape == (3, 2)


def test_a_file_that_lacks_an_array_is_refused(tmp_path):
    np.savez(tmp_path / "tracks.npz", names=np.array(["mug"]))
    with pytest.raises(InputError, match=r"found no amodal_px, .*visible_xyxy_px"):
        Tracks.load(tmp_path / "tracks.npz")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("visible_px", np.zeros((3, 2), dtype=np.int64)),
        ("occlusion", np.zeros((3, 2, 1), dtype=np.float32)),
        ("position_m", np.zeros((2, 2, 3))),
        ("names", np.array(["mug"])),
        ("amodal_xyxy_px", np.zeros((3, 2, 4), dtype=np.uint8)),
    ],
)
def test_an_array_of_another_shape_or_type_is_an_error(name, wrong):
    with pytest.raises(CheckError):
        dataclasses.replace(some_tracks(), **{name: wrong})
