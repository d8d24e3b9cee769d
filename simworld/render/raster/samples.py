"""The samples of an image: where they lie, and what one holds.

A pixel has five: its centre, which ids and depth are taken at, and four about it on a turned
grid, which its colour is the mean of. A sample holds one number, the nearness 1 / depth in its
upper half and the face's number, counted down, in its lower: the greatest number wins, so what
is seen does not depend on the order of drawing, and of two faces equally near the lower one is
seen. 0 is the background. A pixel's samples lie together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Whole, compiled

SAMPLE_X = np.array([0.5, 0.375, 0.875, 0.125, 0.625])
SAMPLE_Y = np.array([0.5, 0.125, 0.375, 0.625, 0.875])
SAMPLES = 5

NEAREST_PX, FARTHEST_PX = 0.125, 0.875
"""From its pixel's left or upper border, how far the nearest and the farthest sample lies."""

LANES = 4
"""Samples are asked for in groups of so many, the last of which may go beyond a row's end."""

LOW = np.uint64(0xFFFFFFFF)
UP = np.uint64(32)


@compiled
def face_at(sample: np.uint64) -> Whole:
    """Return the face that a sample shows, -1 for the background."""
    return -1 if sample == 0 else np.int64(LOW - (sample & LOW))


def new_samples(layers: int, size_px: tuple[int, int]) -> NDArray[np.uint64]:
    """Return empty samples, (layers, H * W * SAMPLES and some more), a pixel's together."""
    width, height = size_px
    return np.zeros((layers, height * width * SAMPLES + LANES), dtype=np.uint64)


def faces_at_centres(nearest: NDArray[np.uint64], size_px: tuple[int, int]) -> NDArray[np.int64]:
    """Return the face that each pixel's centre shows, be it glass or not, (H, W); -1 is none."""
    width, height = size_px
    centres = nearest[:, : width * height * SAMPLES : SAMPLES]
    first = np.argmax(centres >> UP, axis=0)
    shown = np.take_along_axis(centres, first[None], axis=0)[0]
    faces = np.where(shown == 0, -1, (LOW - (shown & LOW)).astype(np.int64))
    return faces.reshape(height, width)


def sample_places(width: int) -> NDArray[np.float64]:
    """Return where the samples of the uppermost row of pixels lie, [x, y], (2, W * SAMPLES...)."""
    places = np.zeros((2, width * SAMPLES + LANES))
    places[0, : width * SAMPLES] = (np.arange(width)[:, None] + SAMPLE_X).ravel()
    places[1, : width * SAMPLES] = np.tile(SAMPLE_Y, width)
    return places
