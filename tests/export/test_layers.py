"""Layers of clips: arrays of the declared types, which agree with the suite's own files."""

import shutil

import numpy as np
import pytest

from simworld.annotate.tracks import Tracks
from simworld.errors import CheckError, NotRegisteredError
from simworld.export import export
from simworld.scene import library_folder
from simworld.store import Suite
from simworld.video import read_ids

FACTUAL = "falling_cup-0000-factual"


@pytest.fixture(scope="module")
def folder(small_suite, tmp_path_factory):
    out = tmp_path_factory.mktemp("layers") / "out"
    export(small_suite, to=["depth", "normals", "flow", "shadows"], out=out)
    return out


@pytest.fixture(scope="module")
def ids(small_suite):
    return read_ids(Suite(small_suite).clip(FACTUAL) / "ids.mkv")


def test_each_layer_has_a_file_for_each_clip(small_suite, folder):
    names = [f"{clip}.npz" for clip in Suite(small_suite).clip_ids]
    for layer in ("depth", "normals", "flow", "shadows"):
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


def test_flow_leads_to_the_same_thing_in_the_next_frame(folder, ids, small_suite):
    flow_px = np.load(folder / "flow" / f"{FACTUAL}.npz")["flow_px"]
    assert flow_px.shape == (*ids.shape, 2) and flow_px.dtype == np.float32
    tracks = Tracks.load(Suite(small_suite).clip(FACTUAL) / "tracks.npz")
    names = tracks.names.tolist()
    assert (flow_px[:-1][ids[:-1] == names.index("floor") + 1] == 0).all()
    ball, went = names.index("ball"), 0
    for t in range(len(ids) - 1):
        rows, columns = np.nonzero(ids[t] == ball + 1)
        there = np.stack([columns, rows], axis=1) + 0.5 + flow_px[t, rows, columns]
        if len(rows) and np.abs(flow_px[t, rows, columns]).max() > 1.0:
            x, y = np.floor(there).astype(int).clip(0, np.array(ids.shape[:0:-1]) - 1).T
            assert (ids[t + 1, y, x] == ball + 1).mean() > 0.7
            went += 1
    assert went >= 3
    assert (np.isnan(flow_px[-1]).all(axis=2) == (ids[-1] > 0)).all()


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


def test_a_scene_of_ones_own_is_found_in_its_folder(small_suite, folder, tmp_path):
    mine = tmp_path / "mine"
    shutil.copytree(Suite(small_suite).clip(FACTUAL), mine / "clips" / FACTUAL)
    shutil.copy(small_suite / "manifest.json", mine)
    truth = mine / "clips" / FACTUAL / "truth.json"
    for source, target in (
        (truth, truth),
        (library_folder() / "falling_cup.py", tmp_path / "my_cup.py"),
    ):
        text = source.read_text(encoding="utf-8")
        target.write_text(text.replace('"falling_cup"', '"my_cup"'), encoding="utf-8")
    export(mine, to=["depth"], out=tmp_path / "out", scenes_dir=tmp_path)
    name = f"depth/{FACTUAL}.npz"
    assert (tmp_path / "out" / name).read_bytes() == (folder / name).read_bytes()
    with pytest.raises(NotRegisteredError, match="--scenes DIR"):
        export(mine, to=["depth"], out=tmp_path / "again")
