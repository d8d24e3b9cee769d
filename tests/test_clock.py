"""Steps, frames and seconds, there and back."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.clock import (
    frame_at,
    frame_of_step,
    frame_span,
    frames_in,
    seconds_of_frame,
    step_of_frame,
    steps_per_frame,
)
from simworld.errors import InputError

steps = st.integers(0, 100_000)
strides = st.sampled_from([1, 2, 8, 10, 20, 240])
rates = st.sampled_from([1, 12, 24, 30, Fraction(25, 2), Fraction(30000, 1001)])


@pytest.mark.parametrize(("fps", "expected"), [(12, 20), (24, 10), (30, 8), (240, 1), (1, 240)])
def test_rates_that_divide_240(fps, expected):
    assert steps_per_frame(fps) == expected


@pytest.mark.parametrize(("fps", "nearest"), [(25, 24), (0, 1), (29, 30), (480, 240)])
def test_other_rates_are_refused_with_one_that_works(fps, nearest):
    with pytest.raises(InputError, match=f"nearest is {nearest}"):
        steps_per_frame(fps)
    steps_per_frame(nearest)


@given(steps, strides)
def test_the_first_frame_that_shows_a_step_is_not_before_it(step, stride):
    frame = frame_of_step(step, stride)
    assert step_of_frame(frame, stride) >= step > step_of_frame(frame - 1, stride)


@given(st.integers(0, 5_000), strides)
def test_a_frame_survives_steps_and_back(frame, stride):
    assert frame_of_step(step_of_frame(frame, stride), stride) == frame


@given(steps, st.integers(1, 5_000), st.integers(1, 5_000), strides)
def test_touching_spans_touch_and_no_span_is_empty(start, first, second, stride):
    middle = start + first
    one, other = frame_span(start, middle, stride), frame_span(middle, middle + second, stride)
    assert one[0] < one[1] and other[0] < other[1]
    if first >= stride:
        assert one[1] == other[0]


@given(st.integers(1, 50_000), strides)
def test_the_last_frame_is_before_the_end_and_the_next_would_not_be(duration, stride):
    count = frames_in(duration, stride)
    assert step_of_frame(count - 1, stride) < duration <= step_of_frame(count, stride)


@given(st.integers(0, 500_000), rates)
def test_a_frame_survives_seconds_and_back(frame, fps):
    time_s = seconds_of_frame(frame, fps)
    assert frame_at(time_s, fps) == frame
    assert frame_at(round(time_s, 6), fps) == frame


@given(st.integers(1, 500_000), rates)
def test_just_before_a_frame_the_last_one_is_still_shown(frame, fps):
    assert frame_at(seconds_of_frame(frame, fps) - 1e-4, fps) == frame - 1
