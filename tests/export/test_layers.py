"""Layers of clips: arrays of the declared types, which agree with the suite's own files."""

import shutil

import numpy as np
import pytest

from simworld.annotate.tracks import Tracks
from simworld.errors import CheckError
from simworld.export import export
from simworld.store import Suite
from simworld.video import read_ids

FACTUAL = "falling_cup-0000-factual"


@pytest.fixture(scope="module")
def folder(small_suite, tmp_path_factory):
    out = tmp_path_factory.mktemp("layers") / "out"
    export(small_suite, to=["depth", "normals", "shadows"], out=out)
    return out


@pytest.fixture(scope="module")
def ids(small_suite):
    return read_ids(Suite(small_suite).clip(FACTUAL) / "ids.mkv")


def test_each_layer_has_a_file_for_each_clip(small_suite, folder):
    names = [f"{clip}.npz" for clip in Suite(small_suite).clip_ids]
    for layer in ("depth", "normals", "shadows"):
        assert sorted(path.name for path in (folder / layer).iterdir()) == names


def test_depth_is_finite_where_something_is_seen(folder, ids):
    depth_m = np.load(folder / "depth" / f"{FACTUAL}.npz")["depth_m"]
    assert depth_m.shape == ids.shape and depth_m.dtype == np.float32
    assert np.array_equal(np.isinf(depth_m), ids == 0)


def test_the_floor_looks_up(folder, ids, small_suite):
    normals = np.load(folder / "normals" / f"{FACTUAL}.npz")["normals"]
    assert normals.shape == (*ids.shape, 3) and normals.dtype == np.float32
    names = Tracks.load(Suite(small_suite).clip(FACTUAL) / "tracks.npz").names.tolist()
    assert np.allclose(normals[ids == names.index("floor") + 1], [0, 0, 1], atol=1e-6)


def test_a_moving_things_shadow_moves(folder, ids):
    stored = np.load(folder / "shadows" / f"{FACTUAL}.npz")
    shadows, objects = stored["shadows"], list(stored["objects"])
    assert shadows.shape == (len(ids), len(objects), *ids.shape[1:]) and shadows.dtype == bool
    ball = shadows[:, next(k for k, name in enumerate(objects) if "ball" in name)]
    assert ball[0].any() and (ball[0] != ball[-1]).any()


def test_a_clip_whose_ids_are_not_those_drawn_again_is_refused(small_suite, tmp_path):
    shutil.copytree(small_suite, tmp_path / "forged")
    clips = tmp_path / "forged" / "clips"
    shutil.copy(clips / "falling_cup-0000-rug" / "ids.mkv", clips / FACTUAL / "ids.mkv")
    with pytest.raises(CheckError, match=r"expected the ids of .* in frame 0"):
        export(tmp_path / "forged", to=["depth"], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
