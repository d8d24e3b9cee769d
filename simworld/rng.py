"""Randomness drawn by name: one independent generator for each key, whatever else was drawn."""

import hashlib
import json

import numpy as np


def stream(*key: str | int) -> np.random.Generator:
    """Return the generator that belongs to a key.

    The same key gives the same draws in every process, order and program run; two different keys
    give independent draws. So adding, removing or changing one thing cannot shift another's draw.
    A generator of scene values keys its draws by (root seed, split, scene, instance index, attempt,
    variable name, noise draw).

    Args:
        *key: Strings and integers, at least one. `1` and `"1"` are different keys; 0 is a seed
            like any other.

    Raises:
        TypeError: The key is empty or holds something other than a string or an integer.

    Example:
        >>> float(stream(0, "train", "mug_mass_kg").random()) == float(
        ...     stream(0, "train", "mug_mass_kg").random()
        ... )
        True
    """
    if not key or any(type(part) not in (str, int) for part in key):
        raise TypeError(f"a key is one or more str and int parts, found {key!r}")
    canonical = json.dumps(key, ensure_ascii=True, separators=(",", ":"))
    entropy = int.from_bytes(hashlib.sha256(canonical.encode("ascii")).digest(), "big")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))
