"""Points to be shaded, a chunk at a time, as rows of one flat array of numbers.

Each row is CHUNK numbers long and has one name below: point i's value is `points[NAME + i]`.
One array for all of them lets the compiler see that rows do not overlap, and so use the
processor's vectors. Names are unsigned, for then no index can be negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CHUNK = 4096
"""How many points are shaded together; their rows stay in the processor's second cache."""

_NAMES = 24
X, Y, WEIGHT, PX, PY, PZ, NX, NY, NZ, U, V, FOOT = (np.uint64(CHUNK * k) for k in range(12))
SX, SY, SKEY, FACING, LIT, TONE, RED, GREEN, BLUE, CLEAR_R, CLEAR_G, CLEAR_B = (
    np.uint64(CHUNK * k) for k in range(12, 24)
)
"""Where in the image (px) and with what weight; place from the eye (m); normal; texture place and
squared footprint (texels); place in the sun's map (texels) and nearness to the sun (m); cosine to
the sun; share of sun that arrives; texture's tone; colour and, of glass, what goes through."""


def new_points() -> NDArray[np.float32]:
    """Return room for a chunk of points."""
    return np.zeros(_NAMES * CHUNK, dtype=np.float32)
