"""What is to be seen in a video: things of one colour, where they are, and how they change.

Every pixel gets the colour term that it is nearest to, whatever the light on it. The patches of
one colour in the first frame are the things; later patches of that colour belong to the nearest of
them, so that a thing in pieces is still one thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from simworld.video import read_frames

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Patch = tuple[tuple[slice, slice], Mask]

COLORS: dict[str, tuple[int, int, int]] = {
    "white": (236, 235, 232),
    "black": (33, 31, 34),
    "grey": (130, 128, 130),
    "red": (187, 46, 46),
    "orange": (196, 114, 45),
    "yellow": (191, 158, 50),
    "green": (46, 123, 56),
    "blue": (40, 80, 155),
    "purple": (98, 50, 122),
    "brown": (110, 70, 45),
    "pink": (195, 118, 148),
    "beige": (222, 200, 160),
    "brick": (126, 58, 48),
    "steel": (61, 70, 84),
}
"""Colour terms, by an example of each as it is lit, in sRGB."""

WIDTH_PX = 320
AROUND_PX = 5
SHADES = {"brick": ("red", "orange"), "brown": ("orange", "yellow"), "grey": ("white",)}
"""What colours turn into away from the light."""
LIDS = {"steel": ("white", "grey")}
"""What colours turn into where they face the light."""
SAMPLES = 160
"""So many frames of a video are looked at, evenly spaced."""
GROUND_SHARE = 0.2
"""A colour that covers more than this is the ground's."""
LEAST_PX = 40
ALIKE = 0.5
LARGEST_SHARE = 0.05
LEAST_SIDE_PX = 5
LEAST_FILL = 0.2
"""Patches beyond these are specks, edges of shadows, or what everything stands on."""
SPECK_PX = 4
REACH_PX = 60
_BITS = 5
_LIGHT = 0.04


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """One thing through the frames looked at; where it is out of sight it is where it was last.

    Two are the same only if they are one object, by which what is worked out of them is kept.

    Attributes:
        color: Its colour term.
        frames: Numbers of the frames, (T,) [int64].
        box_xyxy_px: (T, 4) [float64], half-open, of a picture WIDTH_PX wide.
        center_xy_px: (T, 2) [float64], likewise.
        area_px: (T,) [float64]; 0 out of sight.
        pieces: Number of patches, (T,) [int64].
        change: Share of its pixels that are others than in the frame before, (T,) [float64].
    """

    color: str
    frames: NDArray[np.int64]
    box_xyxy_px: Array
    center_xy_px: Array
    area_px: Array
    pieces: NDArray[np.int64]
    change: Array

    @property
    def is_round(self) -> bool:
        """Whether it looks like a disc when it is first seen."""
        width, height = self.box_xyxy_px[0, 2:] - self.box_xyxy_px[0, :2]
        alike = 0.75 <= width / max(1.0, height) <= 1.33
        return bool(alike and 0.65 <= self.area_px[0] / max(1.0, width * height) <= 0.87)


@lru_cache(maxsize=64)
def watch(
    video: Path, shown: tuple[tuple[int, int], ...] = (), backwards: bool = False
) -> tuple[Thing, ...]:
    """Find the things in what is shown of a video and follow them.

    Args:
        video: The file.
        shown: Frames `[start, stop)` that may be looked at, in that order; none means all.
        backwards: Whether each of these is played from its last frame to its first.

    Raises:
        InputError: The file is no video.
    """
    import numpy as np

    named = _names(video)
    spans = [range(start, stop) for start, stop in shown or ((0, len(named)),)]
    numbers = [n for span in spans for n in (reversed(span) if backwards else span)]
    frames = np.array(numbers[:: max(1, -(-len(numbers) // SAMPLES))], dtype=np.int64)
    seen = _smoothed(named[frames])
    things: list[Thing] = []
    for number, color in enumerate(COLORS) if len(frames) else ():
        masks = seen == number
        if masks[0].mean() <= GROUND_SHARE:
            things += _follow(color, masks, frames)
    return tuple(thing for thing in things if not any(_is_rim(thing, o) for o in things))


def _is_rim(thing: Thing, other: Thing) -> bool:
    """Tell whether a thing is but the shaded part, or the lit top, of another."""
    import numpy as np

    a, b = thing.box_xyxy_px[0], other.box_xyxy_px[0]
    both = (np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])).clip(0).prod()
    either = (a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both
    if thing.color in LIDS.get(other.color, ()) and _lies_on(a, b):
        return True
    return bool(other.area_px[0] > thing.area_px[0] and both > ALIKE * either)


def _lies_on(a: Array, b: Array) -> bool:
    """Tell whether a box, x before y, closes another at the top."""
    within = a[0] >= b[0] - SPECK_PX and a[2] <= b[2] + SPECK_PX
    return bool(within and abs(a[3] - b[1]) <= a[3] - a[1])


@lru_cache(maxsize=4)
def _names(video: Path) -> NDArray[np.uint8]:
    """Return the number of each pixel's colour term, (T, H, WIDTH_PX) [uint8]."""
    return _name_table()[_packed(_resized(read_frames(video)))]


def _smoothed(named: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Give each pixel the term that most pixels around it have: rims and edges are no things."""
    import numpy as np
    from scipy import ndimage

    most = np.zeros(named.shape, dtype=np.float32)
    smoothed = np.zeros_like(named)
    for number in np.unique(named):
        near = (named == number).astype(np.float32)
        share = ndimage.uniform_filter(near, size=(1, AROUND_PX, AROUND_PX))
        smoothed[share > most] = number
        np.maximum(most, share, out=most)
    for shade, colors in SHADES.items():
        _join(smoothed, shade, colors)
    return smoothed


def _join(named: NDArray[np.uint8], shade: str, colors: tuple[str, ...]) -> None:
    """Take thin bits of a shade for the colour that they lie at: they are its dark side."""
    import numpy as np
    from scipy import ndimage

    terms = list(COLORS)
    around = np.ones((1, AROUND_PX, AROUND_PX), dtype=bool)
    dark = named == terms.index(shade)
    thin = dark & ~ndimage.binary_opening(dark, around)
    for color in colors:
        beside = ndimage.binary_dilation(named == terms.index(color), around)
        named[thin & beside] = terms.index(color)


def _resized(frames: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return frames WIDTH_PX wide, by the nearest pixel: all sizes below are for that width."""
    import numpy as np

    _, height, width, _ = frames.shape
    columns = np.arange(WIDTH_PX) * width // WIDTH_PX
    rows = np.arange(height * WIDTH_PX // width) * width // WIDTH_PX
    resized: NDArray[np.uint8] = frames[:, rows][:, :, columns]
    return resized


def _packed(frames: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """Return each pixel's colour at 5 bits a channel as one number, (T, H, W) [uint16]."""
    import numpy as np

    coarse = (frames >> (8 - _BITS)).astype(np.uint16)
    packed = (coarse[..., 0] << 2 * _BITS) | (coarse[..., 1] << _BITS) | coarse[..., 2]
    return packed.astype(np.uint16)


@cache
def _name_table() -> NDArray[np.uint8]:
    """Return for each coarse colour the number of the nearest term, (32768,) [uint8].

    Light scales all channels alike: colours are compared by the channels' shares of the brightest
    one, and a little by its brightness.
    """
    import numpy as np

    levels = (np.arange(1 << _BITS) + 0.5) * (256 >> _BITS)
    r, g, b = np.meshgrid(levels, levels, levels, indexing="ij")
    colors = np.stack([r, g, b], axis=-1).reshape(-1, 1, 3)
    terms = np.array(list(COLORS.values()), dtype=np.float64)[None]
    shade = np.log(colors.max(-1)) - np.log(terms.max(-1))
    tint = colors / colors.max(-1, keepdims=True) - terms / terms.max(-1, keepdims=True)
    nearest: NDArray[np.uint8] = ((tint**2).sum(-1) + _LIGHT * shade**2).argmin(1).astype(np.uint8)
    return nearest


def _follow(color: str, masks: Mask, frames: NDArray[np.int64]) -> list[Thing]:
    """Follow the patches of one colour, given where that colour is, (T, H, W) [bool]."""
    import numpy as np

    first = [patch for patch in _patches(masks[0], LEAST_PX) if _is_thing(patch, masks[0].size)]
    if not first:
        return []
    centers = [_center(patch) for patch in first]
    owned = np.zeros((len(first), *masks.shape), dtype=bool)
    pieces = np.zeros((len(first), len(masks)), dtype=np.int64)
    for t, mask in enumerate(masks):
        for place, patch in _patches(mask, SPECK_PX):
            k = _nearest(_center((place, patch)), centers)
            if k is not None:
                owned[k, t][place] |= patch
                pieces[k, t] += 1
        for seen in np.flatnonzero(pieces[:, t]).tolist():
            centers[seen] = _center(((slice(0, None), slice(0, None)), owned[seen, t]))
    return [_thing(color, frames, owned[k], pieces[k]) for k in range(len(first))]


def _patches(mask: Mask, least_px: int) -> list[Patch]:
    """Return the connected patches of a mask, each as where its box is and what of it is meant."""
    from scipy import ndimage

    labels, _ = ndimage.label(mask)
    patches: list[Patch] = [
        ((rows, columns), labels[rows, columns] == number)
        for number, (rows, columns) in enumerate(ndimage.find_objects(labels), 1)
    ]
    return [patch for patch in patches if patch[1].sum() >= least_px]


def _is_thing(patch: Patch, image_px: int) -> bool:
    """Tell a thing from the ground and from the thin edges of shadows."""
    _, meant = patch
    solid = meant.mean() >= LEAST_FILL and min(meant.shape) >= LEAST_SIDE_PX
    return solid and bool(meant.sum() <= LARGEST_SHARE * image_px)


def _center(patch: Patch) -> tuple[float, float]:
    """Return a patch's centre, as row and column."""
    import numpy as np

    place, meant = patch
    rows, columns = np.nonzero(meant)
    return rows.mean() + place[0].start, columns.mean() + place[1].start


def _nearest(center: tuple[float, float], centers: list[tuple[float, float]]) -> int | None:
    """Return the number of the nearest centre, None if it is out of reach."""
    far = [(center[0] - y) ** 2 + (center[1] - x) ** 2 for y, x in centers]
    return None if min(far) > REACH_PX**2 else far.index(min(far))


def _thing(color: str, frames: NDArray[np.int64], masks: Mask, pieces: NDArray[np.int64]) -> Thing:
    import numpy as np

    boxes, centers = np.zeros((len(masks), 4)), np.zeros((len(masks), 2))
    for t, mask in enumerate(masks):
        rows, columns = np.nonzero(mask)
        if len(rows):
            boxes[t] = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
            centers[t] = columns.mean(), rows.mean()
        elif t:
            boxes[t], centers[t] = boxes[t - 1], centers[t - 1]
    area = masks.sum(axis=(1, 2)).astype(np.float64)
    other = (masks[1:] != masks[:-1]).sum(axis=(1, 2)) / np.maximum(1, area[1:] + area[:-1])
    return Thing(color, frames, boxes, centers, area, pieces, np.concatenate([[0.0], other]))
