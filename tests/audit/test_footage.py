"""How pictures are compared, on pictures made by hand."""

import numpy as np

from simworld.audit.footage import BLOCK_LIMIT, seen_in, worst_block


def picture() -> np.ndarray:
    return np.full((48, 64, 3), 100, dtype=np.uint8)


def test_a_small_object_elsewhere_exceeds_the_limit_where_it_is():
    moved = picture()
    moved[17:23, 41:47] = 230
    error, x, y = worst_block(picture(), moved)
    assert error > BLOCK_LIMIT
    assert (x, y) == (40, 16)
    assert np.abs(moved.astype(float) - picture()).mean() < 2.0  # the whole frame hardly differs


def test_noise_of_a_codec_stays_under_the_limit():
    noise = np.random.default_rng(0).normal(0.0, 12.0, picture().shape)
    noisy = np.clip(picture() + noise, 0, 255).astype(np.uint8)
    assert worst_block(picture(), noisy)[0] < BLOCK_LIMIT / 2


def test_blocks_cut_off_by_the_border_are_compared_too():
    drawn = np.zeros((18, 26, 3), dtype=np.uint8)
    stored = drawn.copy()
    stored[16:, 24:] = 255
    error, x, y = worst_block(drawn, stored)
    assert (x, y) == (24, 16)
    assert error == 255 / 16  # one quad of sixteen


def test_boxes_and_counts_are_those_of_the_ids():
    ids = np.zeros((10, 12), dtype=np.uint16)
    ids[2:5, 3:7] = 2
    ids[9, 11] = 3
    boxes, counts = seen_in(ids, 3)
    assert counts.tolist() == [0, 12, 1]
    assert np.isnan(boxes[0]).all()
    assert boxes[1].tolist() == [3, 2, 7, 5]
    assert boxes[2].tolist() == [11, 9, 12, 10]
