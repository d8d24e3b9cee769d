"""Masks packed as COCO's own API packs them, and the very pixels that the suite holds."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from simworld.export import export
from simworld.export.coco import run_lengths
from simworld.store import Suite
from simworld.video import read_ids

FACTUAL = "falling_cup-0000-factual"


def unpacked(rle: dict) -> np.ndarray:
    """Read a mask as COCO's API does (rleFrString, rleDecode)."""
    counts, at, text = [], 0, rle["counts"]
    while at < len(text):
        count, shift, more = 0, 0, True
        while more:
            bits = ord(text[at]) - 48
            count |= (bits & 31) << shift
            more, at, shift = bool(bits & 32), at + 1, shift + 5
            if not more and bits & 16:
                count |= -1 << shift
        counts.append(count + counts[-2] if len(counts) > 2 else count)
    height, width = rle["size"]
    runs = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
    return runs.reshape(width, height).T


def test_a_disc_and_a_corner_are_packed_as_by_pycocotools():
    """What pycocotools 2.0 gives for the same mask."""
    y, x = np.mgrid[:48, :64]
    mask = ((x - 30) ** 2 + (y - 20) ** 2 < 150) | (x + y > 100)
    packed = "bk05X16K4M2N2N2O0O2O000O2O00000001N10001N101N2N2N3L5J`a0Lf^O1O1O1O1O1O1O1O1O1"
    assert run_lengths(mask.astype(np.uint16)) == {1: {"size": [48, 64], "counts": packed}}


def test_a_mask_may_begin_and_end_with_the_picture():
    mask = np.array([[1, 0, 0], [1, 1, 1], [1, 1, 1], [0, 0, 1]], dtype=np.uint16)
    assert run_lengths(mask)[1]["counts"] == "032O01"


@given(
    arrays(np.uint16, st.tuples(st.integers(1, 9), st.integers(1, 9)), elements=st.integers(0, 3))
)
def test_every_mask_comes_back(ids):
    found = run_lengths(ids)
    assert set(found) == set(ids[ids > 0].tolist())
    for k, rle in found.items():
        assert np.array_equal(unpacked(rle), ids == k)


@pytest.fixture(scope="module")
def clip(small_suite, tmp_path_factory):
    (folder,) = export(small_suite, to=["coco_rle"], out=tmp_path_factory.mktemp("coco") / "out")
    assert {path.stem for path in folder.iterdir()} == set(Suite(small_suite).clip_ids)
    return json.loads((folder / f"{FACTUAL}.json").read_text(encoding="utf-8"))


def test_a_clips_masks_boxes_and_areas_are_those_of_its_ids(clip, small_suite):
    ids = read_ids(Suite(small_suite).clip(FACTUAL) / "ids.mkv")
    assert clip["videos"][0]["length"] == len(ids)
    assert [row["id"] for row in clip["categories"]] == [row["id"] for row in clip["annotations"]]
    for row in clip["annotations"]:
        for picture, rle, box, area in zip(
            ids, row["segmentations"], row["bboxes"], row["areas"], strict=True
        ):
            mask = picture == row["category_id"]
            if rle is None:
                assert box is None and area is None and not mask.any()
                continue
            rows, columns = np.nonzero(mask)
            width, height = np.ptp(columns) + 1, np.ptp(rows) + 1
            assert np.array_equal(unpacked(rle), mask)
            assert box == [columns.min(), rows.min(), width, height] and area == len(rows)
