"""The colours that things have: the eleven basic colour terms of English, and three materials.

Berlin and Kay, Basic Color Terms (1969). The values are far apart in CIELAB, so that a name
in a question picks out one thing.
"""

from __future__ import annotations

import difflib

from simworld.errors import InputError

RGB = tuple[int, int, int]

PALETTE: dict[str, RGB] = {
    "white": (240, 240, 236),
    "black": (38, 38, 42),
    "grey": (150, 150, 152),
    "red": (205, 35, 35),
    "orange": (240, 130, 25),
    "yellow": (242, 205, 40),
    "green": (45, 145, 60),
    "blue": (40, 90, 200),
    "purple": (125, 50, 160),
    "brown": (125, 82, 50),
    "pink": (245, 150, 185),
    "beige": (222, 200, 160),
    "brick": (165, 76, 62),
    "steel": (96, 112, 134),
}
"""Name to sRGB."""


def color_rgb(name: str) -> RGB:
    """Return a colour's sRGB value.

    Raises:
        InputError: The palette has no such colour.

    Example:
        >>> color_rgb("blue")
        (40, 90, 200)
    """
    if name not in PALETTE:
        near = difflib.get_close_matches(name, PALETTE, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from: {', '.join(PALETTE)}"
        raise InputError(f"expected a colour of the palette, found {name!r}; {hint}")
    return PALETTE[name]
