"""Videos put one after the other, or cut short, without encoding them anew: no pixel changes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from simworld.errors import CheckError


def splice(parts: Sequence[Path], target: Path) -> None:
    """Put videos of one size, rate and codec one after the other, each frame as it is.

    The target appears, whole, once decoding it gives the very frames of the parts.

    Args:
        parts: Files that `VideoWriter` wrote with the same settings.
        target: Where the whole will be.

    Raises:
        CheckError: The parts differ in size or rate, or other frames come out.
    """
    with _at_once(target) as partial:
        _join(parts, partial)
        if frames_digest([partial]) != frames_digest(parts):
            raise CheckError(f"expected the frames of its parts in {target}, found others")


def cut_short(source: Path, frame_count: int, target: Path) -> None:
    """Write the first frames of a video, each as it is.

    The target appears, whole, once decoding it gives the very frames of the source.

    Args:
        source: A file that `VideoWriter` wrote.
        frame_count: How many frames to keep; see `can_be_cut`.
        target: Where the beginning will be.

    Raises:
        CheckError: Other frames come out.
    """
    with _at_once(target) as partial:
        _join([source], partial, frame_count)
        if frames_digest([partial]) != frames_digest([source], frame_count):
            raise CheckError(f"expected the first {frame_count} frames of {source} in {target}")


def can_be_cut(source: Path, frame_count: int) -> bool:
    """Tell whether the first frames of a video can be decoded without those that follow."""
    import av

    with av.open(str(source)) as container:
        places = [place for place, _ in _packets(container.streams.video[0])]
    return set(places[:frame_count]) == set(range(frame_count))


@contextmanager
def _at_once(target: Path) -> Iterator[Path]:
    """Yield a file to write that takes the target's name at the end, or is gone on an error."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.partial")
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _join(parts: Sequence[Path], target: Path, frame_count: int | None = None) -> None:
    """Write the parts' packets with times that run on.

    A decoder needs some frames before those that are shown first: how many is the same all along.
    Of each part as many packets are written as `frame_count` says, or all.
    """
    import av

    with ExitStack() as stack:
        streams = [stack.enter_context(av.open(str(path))).streams.video[0] for path in parts]
        kinds = {(s.width, s.height, s.average_rate, s.codec.name) for s in streams}
        if len(kinds) > 1:
            raise CheckError(f"expected videos of one size and rate in {target}, found {kinds}")
        whole = stack.enter_context(
            av.open(str(target), "w", format="mp4", options={"fflags": "+bitexact"})
        )
        stream = whole.add_stream_from_template(streams[0])
        shown = [_packets(source)[:frame_count] for source in streams]
        ahead = max(k - place for packets in shown for k, (place, _) in enumerate(packets))
        offset = 0
        for packets in shown:
            for k, (place, packet) in enumerate(packets):
                tick = 1 / (packet.time_base * streams[0].average_rate)
                packet.pts = round((offset + place) * tick)
                packet.dts = round((offset + k - ahead) * tick)
                packet.duration = round(tick)
                packet.stream = stream
                whole.mux(packet)
            offset += len(packets)


def _packets(source: Any) -> list[tuple[int, Any]]:
    """Return a stream's packets as they are decoded, each with its frame's number."""
    packets = [packet for packet in source.container.demux(source) if packet.size]
    return [(round(p.pts * p.time_base * source.average_rate), p) for p in packets]


def frames_digest(paths: Sequence[Path], frame_count: int | None = None) -> tuple[int, str]:
    """Return how many frames some videos hold together, and the sha256 of all their planes.

    Args:
        paths: The videos.
        frame_count: Of each of them only so many frames count, if it is not None.
    """
    hasher, count = hashlib.sha256(), 0
    for planes in (planes for path in paths for planes in islice(_planes(path), frame_count)):
        hasher.update(planes)
        count += 1
    return count, hasher.hexdigest()


def _planes(path: Path) -> Iterator[bytes]:
    import av

    with av.open(str(path)) as container:
        for frame in container.decode(container.streams.video[0]):
            yield frame.to_ndarray().tobytes()
