"""From our frames and boxes to CaST-Bench's whole seconds and inclusive pixels.

Second t shows frame floor(t * fps). A span of frames [a, b) becomes every second that shows one of
them. At least two are needed, so a shorter one is padded: none becomes the seconds before and
after; one takes the second after it, or else the one before, where its object has a box. Each
second must have a box, or the evidence is unfit. A box is clipped to the image and rounded outward;
x2 and y2 name the last pixel, so one that is a pixel wide has no area there and is none.
"""

import math
from collections.abc import Container, Iterable, Mapping
from fractions import Fraction
from typing import Any

from simworld.benchmarks.castbench.schema import Box, Evidence, has_area
from simworld.errors import CheckError

Rate = int | Fraction
"""Frames a second."""


class Unfit(CheckError):
    """An evidence cannot be shown in the format; the message is the reason that is counted."""


def frame_of_second(second: int, fps: Rate) -> int:
    """Return the frame that is shown at a whole second.

    Example:
        >>> frame_of_second(2, Fraction(25, 2)), frame_of_second(1, Fraction(30000, 1001))
        (25, 29)
    """
    return math.floor(second * Fraction(fps))


def seconds_of_frames(start_frame: int, stop_frame: int, fps: Rate) -> range:
    """Return the whole seconds that show one of the frames [start_frame, stop_frame).

    Example:
        >>> list(seconds_of_frames(12, 37, 12)), list(seconds_of_frames(13, 24, 12))
        ([1, 2, 3], [])
    """
    first, after = (math.ceil(frame / Fraction(fps)) for frame in (start_frame, stop_frame))
    return range(first, after)


def shown_seconds(start_frame: int, stop_frame: int, fps: Rate, boxed: Container[int]) -> range:
    """Return the seconds, two or more, that stand for the frames [start_frame, stop_frame).

    Args:
        start_frame: First frame.
        stop_frame: The frame after the last.
        fps: Frames a second.
        boxed: The seconds at which the object has a box.

    Raises:
        Unfit: There are no two such seconds, or at one of them the object has no box.

    Example:
        >>> shown_seconds(13, 14, 12, {1, 2}), shown_seconds(24, 25, 12, {1, 2})
        (range(1, 3), range(1, 3))
    """
    seconds = seconds_of_frames(start_frame, stop_frame, fps)
    first, after = seconds.start, seconds.stop
    if len(seconds) == 0:
        first, after = after - 1, after + 1
    elif len(seconds) == 1 and after in boxed:
        after += 1
    elif len(seconds) == 1:
        first -= 1
    if any(second not in boxed for second in range(first, after)):
        raise Unfit("the object of an evidence has no box at one of its seconds")
    return range(first, after)


def pixel_box(box_xyxy_px: Iterable[float], size_px: tuple[int, int]) -> Box | None:
    """Return a half-open box as whole inclusive pixels inside the image; None if none are left.

    Example:
        >>> pixel_box((-3.0, 10.0, 20.0, 400.0), (320, 240))
        (0.0, 10.0, 19.0, 239.0)
    """
    x1, y1, x2, y2 = map(float, box_xyxy_px)
    if any(map(math.isnan, (x1, y1, x2, y2))):
        return None
    width, height = size_px
    box = (
        float(max(0, math.floor(x1))),
        float(max(0, math.floor(y1))),
        float(min(width, math.ceil(x2)) - 1),
        float(min(height, math.ceil(y2)) - 1),
    )
    return box if has_area(box) else None


def convert(
    evidence: Mapping[str, Any],
    boxes_xyxy_px: Mapping[str, Iterable[Iterable[float]]],
    fps: Rate,
    size_px: tuple[int, int],
) -> Evidence:
    """Write an evidence of questions.jsonl as one of the benchmark.

    Args:
        evidence: The row: `object`, `start_frame`, `stop_frame`, `rationale`.
        boxes_xyxy_px: For each object its visible box in every frame, (T, 4), half-open, NaN
            where it is not seen.
        fps: Frames a second.
        size_px: Width and height of the video.

    Raises:
        Unfit: It cannot be shown in whole seconds with a box at each.
    """
    name = evidence["object"]
    if name not in boxes_xyxy_px:
        raise Unfit("the object of an evidence is not in the tracks")
    track = list(boxes_xyxy_px[name])
    boxes: dict[int, Box] = {}
    for second in seconds_of_frames(0, len(track), fps):
        box = pixel_box(track[frame_of_second(second, fps)], size_px)
        if box is not None:
            boxes[second] = box
    seconds = shown_seconds(evidence["start_frame"], evidence["stop_frame"], fps, boxes)
    return Evidence(
        instance=name,
        start_s=seconds[0],
        end_s=seconds[-1],
        boxes_xyxy_px={second: boxes[second] for second in seconds},
        rationale=evidence["rationale"],
    )
