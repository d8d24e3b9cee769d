"""Colours that words can tell apart."""

import itertools

import numpy as np
import pytest

from simworld.errors import InputError
from simworld.render.palette import PALETTE, color_rgb


def cielab(rgb):
    """CIE 1976 L*a*b* of an sRGB colour under D65 (IEC 61966-2-1)."""
    level = np.array(rgb) / 255
    linear = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    share = to_xyz @ linear / np.array([0.95047, 1.0, 1.08883])
    f = np.where(share > 216 / 24389, np.cbrt(share), (24389 / 27 * share + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_lab_of_white_is_100_0_0():
    assert np.allclose(cielab((255, 255, 255)), [100, 0, 0], atol=0.02)


@pytest.mark.parametrize("pair", list(itertools.combinations(PALETTE, 2)))
def test_any_two_colours_are_clearly_distinct(pair):
    one, other = (cielab(PALETTE[name]) for name in pair)
    assert np.linalg.norm(one - other) > 20


def test_the_basic_colour_terms_are_there():
    eleven = {"white", "black", "grey", "red", "orange", "yellow", "green", "blue"}
    assert eleven | {"purple", "brown", "pink"} <= set(PALETTE)


def test_an_unknown_colour_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="did you mean grey"):
        color_rgb("gray")
