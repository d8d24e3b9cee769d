"""Segments: a clip cut into consecutive spans, each with one key event."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simworld.errors import CheckError


@dataclass(frozen=True, slots=True)
class Segment:
    """One span of a clip: frames [start_frame, stop_frame), its event and a sentence.

    `index` counts from 1.
    """

    index: int
    start_frame: int
    stop_frame: int
    event: str
    description: str


class Span(NamedTuple):
    """An event and the frames [start_frame, stop_frame) that it stands for."""

    event: str
    start_frame: int
    stop_frame: int


def merge_short(spans: Sequence[Span], min_frames: int) -> tuple[Span, ...]:
    """Put consecutive spans together until each is long enough; it keeps its first event.

    Example:
        >>> merge_short([Span("a", 0, 9), Span("b", 9, 12), Span("c", 12, 40)], min_frames=10)
        (Span(event='a', start_frame=0, stop_frame=12), Span(event='c', start_frame=12, \
stop_frame=40))
    """
    merged: list[Span] = []
    for span in spans:
        if merged and merged[-1].stop_frame - merged[-1].start_frame < min_frames:
            merged[-1] = merged[-1]._replace(stop_frame=span.stop_frame)
        else:
            merged.append(span)
    last = merged[-1]
    if len(merged) > 1 and last.stop_frame - last.start_frame < min_frames:
        merged[-2:] = [merged[-2]._replace(stop_frame=last.stop_frame)]
    return tuple(merged)


def cut(
    onset_frames: Sequence[tuple[str, int]], frame_count: int, min_frames: int
) -> tuple[Span, ...]:
    """Cut a clip at the onsets of its key events, so that each span holds one onset.

    The first span begins with the clip, every other with its event's onset.

    Args:
        onset_frames: Key events, each with the first frame that shows it.
        frame_count: Length of the clip.
        min_frames: The shortest span that a viewer can make out.

    Raises:
        CheckError: There is no event, an onset lies outside the clip, or a span is too short.

    Example:
        >>> cut([("bump", 10), ("fall", 25)], frame_count=60, min_frames=5)
        (Span(event='bump', start_frame=0, stop_frame=25), Span(event='fall', start_frame=25, \
stop_frame=60))
    """
    ordered = sorted(onset_frames, key=lambda pair: pair[1])
    outside = [pair for pair in ordered if not 0 <= pair[1] < frame_count]
    if not ordered or outside:
        raise CheckError(
            f"expected at least one key event, all within frames [0, {frame_count}), found "
            f"{outside or 'none'}; make the clip longer or choose other events"
        )
    edges = [0, *(frame for _, frame in ordered[1:]), frame_count]
    spans = tuple(
        Span(event, start, stop)
        for (event, _), (start, stop) in zip(ordered, itertools.pairwise(edges), strict=True)
    )
    for span in spans:
        if span.stop_frame - span.start_frame < max(min_frames, 1):
            raise CheckError(
                f"expected segments of at least {min_frames} frames, found {span}; "
                "space the events out or leave one away"
            )
    return spans
