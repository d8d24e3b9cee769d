"""Segments tile the clip, each with one key event."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simworld.annotate.segments import Span, cut, merge_short
from simworld.errors import CheckError


def test_cuts_lie_at_onsets_but_the_first():
    spans = cut([("fall", 30), ("bump", 12), ("impact", 41)], frame_count=60, min_frames=6)
    assert spans == (("bump", 0, 30), ("fall", 30, 41), ("impact", 41, 60))


def test_one_event_makes_one_segment():
    assert cut([("bump", 0)], frame_count=1, min_frames=1) == (("bump", 0, 1),)


@given(
    st.integers(1, 300).flatmap(
        lambda count: st.tuples(
            st.just(count), st.sets(st.integers(0, count - 1), min_size=1, max_size=8)
        )
    ),
    st.integers(1, 10),
)
def test_spans_tile_and_hold_one_onset_each_or_are_refused(case, min_frames):
    frame_count, onsets = case
    events = [(f"e{k}", frame) for k, frame in enumerate(sorted(onsets))]
    try:
        spans = cut(events, frame_count, min_frames)
    except CheckError:
        edges = [0, *sorted(onsets)[1:], frame_count]
        assert min(b - a for a, b in itertools.pairwise(edges)) < min_frames
        return
    shown = [frame for span in spans for frame in range(span.start_frame, span.stop_frame)]
    assert shown == list(range(frame_count))
    for span, (event, frame) in zip(spans, events, strict=True):
        assert span.event == event
        assert [o for o in onsets if span.start_frame <= o < span.stop_frame] == [frame]
        assert span.stop_frame - span.start_frame >= min_frames


@pytest.mark.parametrize(
    "onsets", [[("a", 10), ("b", 12)], [("a", 5), ("b", 5)], [("a", 5), ("b", 58)]]
)
def test_a_segment_too_short_to_see_is_refused(onsets):
    with pytest.raises(CheckError, match="at least 6 frames"):
        cut([("z", 0), *onsets], frame_count=60, min_frames=6)


@pytest.mark.parametrize("onsets", [[], [("a", 60)], [("a", -1)]])
def test_no_event_or_one_outside_the_clip_is_refused(onsets):
    with pytest.raises(CheckError, match=r"within frames \[0, 60\)"):
        cut(onsets, frame_count=60, min_frames=1)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.integers(1, 50))
def test_merged_spans_tile_alike_and_are_long_enough_if_the_clip_is(lengths, min_frames):
    edges = [0, *itertools.accumulate(lengths)]
    spans = [Span(f"e{k}", a, b) for k, (a, b) in enumerate(itertools.pairwise(edges))]
    merged = merge_short(spans, min_frames)
    shown = [frame for span in merged for frame in range(span.start_frame, span.stop_frame)]
    assert shown == list(range(edges[-1]))
    starts = {span.start_frame: span.event for span in spans}
    assert all(span.event == starts[span.start_frame] for span in merged)
    if edges[-1] >= min_frames:
        assert all(span.stop_frame - span.start_frame >= min_frames for span in merged)
    else:
        assert len(merged) == 1


def test_no_more_is_merged_than_needs_be():
    spans = [Span("a", 0, 10), Span("b", 10, 20), Span("c", 20, 25), Span("d", 25, 40)]
    assert merge_short(spans, 10) == (("a", 0, 10), ("b", 10, 20), ("c", 20, 40))
