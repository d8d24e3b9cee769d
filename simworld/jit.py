"""How kernels are compiled: the same bits on every machine, and never from a stale cache.

No fast arithmetic, no contraction of a product and a sum into one rounding; kernels use only
+ - * / sqrt floor ceil and integers, which IEEE 754 fixes to the last bit. So the width of the
processor's vectors changes the time and nothing else.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""An array as kernels take it; each function's documentation says its shape and type."""

Whole = int | np.integer[Any]
Real = float | np.floating[Any]
"""Numbers as kernels take them, of any width."""

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(function: Kernel) -> Kernel:
    """Compile a function at its first call, and keep what was compiled for later processes.

    numba keeps compiled code by the file that a function stands in, and does not see that a
    constant or a function that it uses from another file has changed. So the name that it is
    kept under holds a digest of all the folder's files.
    """
    function.__qualname__ += f"-{_sources(Path(function.__code__.co_filename).parent)}"
    made: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    kernel: Kernel = made
    return kernel


def inlined(function: Kernel) -> Kernel:
    """Compile a small function into each kernel that calls it: its arrays need not be passed."""
    made: Any = numba.njit(error_model="numpy", inline="always")(function)
    kernel: Kernel = made
    return kernel


@functools.cache
def _sources(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
