import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.benchmarks.castbench.convert import (
    Unfit,
    convert,
    frame_of_second,
    pixel_box,
    seconds_of_frames,
    shown_seconds,
)

NTSC = Fraction(30000, 1001)
rates = st.sampled_from([12, 24, 30, Fraction(25, 2), NTSC])
ALWAYS = range(-10, 10_000)


@st.composite
def spans(draw):
    start = draw(st.integers(0, 2000))
    return start, start + draw(st.integers(1, 400))


@given(spans(), rates)
def test_a_second_stands_for_a_span_if_and_only_if_it_shows_one_of_its_frames(span, fps):
    start, stop = span
    shown = set(seconds_of_frames(start, stop, fps))
    for second in range(math.ceil(stop / fps) + 3):
        assert (start <= math.floor(second * fps) < stop) == (second in shown)


@given(st.integers(0, 500), st.integers(2, 60), rates)
def test_whole_seconds_come_back_from_their_frames(first, count, fps):
    last = first + count - 1
    frames = frame_of_second(first, fps), frame_of_second(last, fps) + 1
    assert shown_seconds(*frames, fps, ALWAYS) == range(first, last + 1)


@given(spans(), rates)
def test_a_span_is_at_least_two_seconds_and_padded_by_less_than_one(span, fps):
    start, stop = span
    seconds = shown_seconds(start, stop, fps, ALWAYS)
    assert len(seconds) >= 2
    assert set(seconds_of_frames(start, stop, fps)) <= set(seconds)
    if len(seconds) > 2:
        assert list(seconds) == list(seconds_of_frames(start, stop, fps))
    assert start / fps - seconds[0] <= 1
    assert seconds[-1] - stop / fps <= 1


@pytest.mark.parametrize(
    ("frames", "boxed", "seconds"),
    [
        ((0, 1), {0, 1, 2, 3, 4}, [0, 1]),  # the first frame
        ((59, 60), {0, 1, 2, 3, 4}, None),  # the last frame, shown at no second, none follows
        ((48, 49), {0, 1, 2, 3, 4}, [3, 4]),  # the last second, nothing follows
        ((30, 31), {0, 1, 2, 3, 4}, [2, 3]),  # between two seconds
        ((24, 25), {0, 1, 2, 3, 4}, [2, 3]),  # one second, the next is taken
        ((24, 25), {0, 1, 2, 4}, [1, 2]),  # gone afterwards, the one before is taken
        ((24, 25), {0, 2, 4}, None),
        ((24, 25), {1, 3}, None),
        ((12, 49), {1, 2, 3, 4}, [1, 2, 3, 4]),
        ((12, 49), {1, 2, 4}, None),  # hidden in between
        ((0, 1), {0}, None),
    ],
)
def test_padding_stops_where_the_object_is_not_seen(frames, boxed, seconds):
    if seconds is None:
        with pytest.raises(Unfit):
            shown_seconds(*frames, 12, boxed)
    else:
        assert list(shown_seconds(*frames, 12, boxed)) == seconds


@pytest.mark.parametrize(
    ("box", "found"),
    [
        ((10, 20, 30, 40), (10, 20, 29, 39)),
        ((9.2, 19.9, 29.1, 39.0), (9, 19, 29, 38)),
        ((0, 0, 320, 240), (0, 0, 319, 239)),
        ((-5.5, -1, 400, 241), (0, 0, 319, 239)),
        ((318, 238, 320, 240), (318, 238, 319, 239)),
        ((10, 20, 11, 40), None),  # one column
        ((330, 20, 340, 40), None),
        ((math.nan, 20, 30, 40), None),
    ],
)
def test_boxes_are_clipped_rounded_outward_and_inclusive(box, found):
    assert pixel_box(box, (320, 240)) == found


@given(st.lists(st.floats(-500, 900, width=32), min_size=4, max_size=4))
def test_no_box_is_empty_or_leaves_the_image(corners):
    x1, x2 = sorted(corners[:2])
    y1, y2 = sorted(corners[2:])
    box = pixel_box((x1, y1, x2, y2), (320, 240))
    if box is not None:
        assert 0 <= box[0] < box[2] <= 319
        assert 0 <= box[1] < box[3] <= 239
        assert box[0] <= max(x1, 0)
        assert box[2] + 1 >= min(x2, 320)


def test_an_evidence_has_the_boxes_of_the_frames_that_its_seconds_show():
    track = np.array([[k, 0, k + 10, 20] for k in range(30)], np.float32)
    row = {"object": "ball", "start_frame": 11, "stop_frame": 13, "rationale": "It rolls."}
    found = convert(row, {"ball": track}, 12, (320, 240))
    assert (found.instance, found.start_s, found.end_s) == ("ball", 1, 2)
    assert found.boxes_xyxy_px == {1: (12, 0, 21, 19), 2: (24, 0, 33, 19)}
    assert found.rationale == "It rolls."


def test_an_object_without_a_track_is_no_evidence():
    row = {"object": "wind", "start_frame": 0, "stop_frame": 24, "rationale": "It blows."}
    with pytest.raises(Unfit, match="not in the tracks"):
        convert(row, {}, 12, (320, 240))
