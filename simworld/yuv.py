"""RGB to the YUV 4:2:0 of video files, in integers: the same bytes on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simworld.jit import Array, compiled


def rgb_to_yuv420(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Turn RGB (H, W, 3) into planar 4:2:0, (H * 3 / 2, W) [uint8].

    ITU-R BT.601, 8 bits, levels 16 to 235, its coefficients times 2^16; the matrix that readers
    take who ignore the file's colour tags. Chroma is the mean over 2 x 2 pixels.
    """
    height, width = rgb.shape[:2]
    planes = np.empty((height * 3 // 2, width), dtype=np.uint8)
    chroma = planes[height:].reshape(2, height // 2, width // 2)
    _convert(rgb, planes[:height], chroma[0], chroma[1])
    return planes


@compiled
def _convert(rgb: Array, luma: Array, cb: Array, cr: Array) -> None:
    """Fill the three planes, two rows of pixels at a time."""
    half = (128 << 18) + (1 << 17)
    for j in range(len(cb)):
        for y in range(2 * j, 2 * j + 2):
            for x in range(rgb.shape[1]):
                level = 16829 * rgb[y, x, 0] + 33039 * rgb[y, x, 1] + 6416 * rgb[y, x, 2]
                luma[y, x] = (level + (16 << 16) + (1 << 15)) >> 16
        for i in range(cb.shape[1]):
            red, green, blue = 0, 0, 0
            for y in range(2 * j, 2 * j + 2):
                for x in range(2 * i, 2 * i + 2):
                    red += rgb[y, x, 0]
                    green += rgb[y, x, 1]
                    blue += rgb[y, x, 2]
            cb[j, i] = (-9714 * red - 19071 * green + 28785 * blue + half) >> 18
            cr[j, i] = (28785 * red - 24104 * green - 4681 * blue + half) >> 18
