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
    _convert(rgb.reshape(height, 3 * width), planes[:height], chroma[0], chroma[1])
    return planes


@compiled
def _convert(rgb: Array, luma: Array, cb: Array, cr: Array) -> None:
    """Fill the three planes from rows of R, G, B, R, ..., (H, 3 W); 32 bits hold all sums.

    Indices are unsigned, for then the compiler need not ask whether they count from the end.
    """
    half = (128 << 18) + (1 << 17)
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    for y in range(luma.shape[0]):
        for x in range(np.uint64(luma.shape[1])):
            k = three * x
            red, green, blue = np.int32(rgb[y, k]), rgb[y, k + one], rgb[y, k + two]
            luma[y, x] = (16829 * red + 33039 * green + 6416 * blue + (33 << 15)) >> 16
    for j in range(cb.shape[0]):
        above, below = rgb[2 * j], rgb[2 * j + 1]
        for i in range(np.uint64(cb.shape[1])):
            k = two * three * i
            n = k + three
            red = np.int32(above[k]) + above[n] + below[k] + below[n]
            k, n = k + one, n + one
            green = np.int32(above[k]) + above[n] + below[k] + below[n]
            k, n = k + one, n + one
            blue = np.int32(above[k]) + above[n] + below[k] + below[n]
            cb[j, i] = (-9714 * red - 19071 * green + 28785 * blue + half) >> 18
            cr[j, i] = (28785 * red - 24104 * green - 4681 * blue + half) >> 18
