"""Video files: written so that equal frames give equal bytes, and certified by decoding.

The colour conversion is our own, in integers, and the encoder runs in one thread with
processor-specific code off, so the bytes do not depend on the machine. A writer works in a
partial file beside the target; the target appears, whole and certified, when it is closed.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from simworld.errors import CheckError, InputError


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What a video file really holds, by decoding it. `fps` is frames a second."""

    width: int
    height: int
    fps: Fraction
    frame_count: int


class _Writer:
    """Streams frames into a partial file, renamed into place once it is certified."""

    codec: ClassVar[str]
    container: ClassVar[str]
    options: ClassVar[dict[str, str]]

    def __init__(self, path: Path, size_px: tuple[int, int], fps: int, pixels: str) -> None:
        import av

        width, height = size_px
        if fps < 1 or fps != int(fps):
            raise InputError(f"expected a whole number of frames a second for {path}, found {fps}")
        self.path, self.size_px, self.fps = path, size_px, fps
        self.frame_count = 0
        self._partial = path.with_name(f".{path.name}.partial")
        self._file = av.open(
            str(self._partial), "w", format=self.container, options={"fflags": "+bitexact"}
        )
        stream: Any = self._file.add_stream(self.codec, rate=fps, options=self.options)
        stream.width, stream.height, stream.pix_fmt = width, height, pixels
        stream.thread_count = 1
        stream.codec_context.flags |= av.codec.context.Flags.bitexact
        stream.codec_context.time_base = Fraction(1, fps)
        self._stream = stream

    def _encode(self, planes: NDArray[Any], pixels: str) -> None:
        import av

        frame = av.VideoFrame.from_ndarray(planes, format=pixels)
        frame.pts, frame.time_base = self.frame_count, Fraction(1, self.fps)
        packets = self._stream.encode(frame)
        self._look_at(packets, planes)
        self._file.mux(packets)
        self.frame_count += 1

    def _look_at(self, packets: list[Any], planes: NDArray[Any]) -> None:
        """Take note of what a frame became before it goes into the file."""

    def _refuse_other(self, frame: NDArray[Any], shape: tuple[int, ...], dtype: type) -> None:
        if frame.shape != shape or frame.dtype != dtype:
            raise InputError(
                f"expected frames of shape {shape} and type {np.dtype(dtype)} for {self.path}, "
                f"found {frame.shape} {frame.dtype}"
            )

    def _certify(self, partial: Path) -> None:
        certify(partial, *self.size_px, self.fps, self.frame_count)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            self._file.close()
            self._partial.unlink(missing_ok=True)

    def _finish(self) -> None:
        if self.frame_count == 0:
            raise CheckError(f"expected at least one frame for {self.path}, found none")
        self._file.mux(self._stream.encode(None))
        self._file.close()
        self._certify(self._partial)
        with self._partial.open("rb+") as file:
            os.fsync(file.fileno())
        self._partial.replace(self.path)


def check_size(size_px: tuple[int, int], where: str) -> None:
    """Refuse a width and height that the codec cannot take.

    Raises:
        InputError: One of them is odd; the message has the nearest that it can take.
    """
    if any(side < 2 or side % 2 for side in size_px):
        near = tuple(max(2, side + side % 2) for side in size_px)
        raise InputError(
            f"expected an even width and height for {where}, found {size_px[0]}x{size_px[1]}; "
            f"the nearest that the codec can take is {near[0]}x{near[1]}"
        )


class VideoWriter(_Writer):
    """Writes an mp4 (H.264, 4:2:0); use it as a context manager.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> with VideoWriter(folder / "grey.mp4", (32, 16), fps=12) as writer:
        ...     for _ in range(3):
        ...         writer.write(np.full((16, 32, 3), 128, dtype=np.uint8))
        >>> probe(folder / "grey.mp4")
        VideoFacts(width=32, height=16, fps=Fraction(12, 1), frame_count=3)
    """

    codec = "libx264"
    container = "mp4"
    options: ClassVar[dict[str, str]] = {
        "preset": "veryfast",
        "crf": "20",
        "x264-params": "threads=1:cpu-independent=1:colormatrix=smpte170m:colorprim=bt709:"
        "transfer=iec61966-2-1:range=tv:chromaloc=1:subme=1:me=dia:bframes=1:b-adapt=0",
    }
    """Drawn pictures have no noise: a shorter search for motion takes a quarter less time, and the
    file is as good and a few percent larger."""

    def __init__(self, path: Path, size_px: tuple[int, int], fps: int) -> None:
        """Begin a file.

        Args:
            path: Where it will be.
            size_px: Width and height, both even.
            fps: Frames a second, a whole number.

        Raises:
            InputError: The codec cannot take that size, or the rate is not whole.
        """
        check_size(size_px, str(path))
        super().__init__(path, size_px, fps, "yuv420p")

    def write(self, rgb: NDArray[np.uint8]) -> None:
        """Add a frame, (H, W, 3) [uint8] sRGB.

        Raises:
            InputError: It has another size or type.
        """
        from simworld.yuv import rgb_to_yuv420

        width, height = self.size_px
        self._refuse_other(rgb, (height, width, 3), np.uint8)
        self._encode(rgb_to_yuv420(rgb), "yuv420p")


class IdWriter(_Writer):
    """Writes instance ids as lossless FFV1 in Matroska; use it as a context manager.

    Each frame is decoded as soon as it is encoded, and must be the very ids that went in; when
    the file is closed it is read back, and must hold the very bytes that were decoded.
    """

    codec = "ffv1"
    container = "matroska"
    options: ClassVar[dict[str, str]] = {"level": "3", "g": "1", "slicecrc": "1"}

    def __init__(self, path: Path, size_px: tuple[int, int], fps: int, object_count: int) -> None:
        """Begin a file.

        Args:
            path: Where it will be.
            size_px: Width and height.
            fps: Frames a second, a whole number.
            object_count: The largest id; over 255 takes 16 bits a pixel.

        Raises:
            InputError: The rate is not whole.
        """
        self._limit = object_count
        self._pixels, self._type = ("gray", "u1") if object_count < 256 else ("gray16le", "<u2")
        self._written = hashlib.sha256()
        self._decoder: Any = None
        super().__init__(path, size_px, fps, self._pixels)

    def write(self, ids: NDArray[np.uint16]) -> None:
        """Add a frame's ids, (H, W) [uint16].

        Raises:
            CheckError: They do not come back.
            InputError: They have another size or type, or one is over the declared count.
        """
        width, height = self.size_px
        self._refuse_other(ids, (height, width), np.uint16)
        if ids.max() > self._limit:
            raise InputError(f"expected ids up to {self._limit} for {self.path}, found {ids.max()}")
        self._encode(np.ascontiguousarray(ids.astype(self._type)), self._pixels)

    def _look_at(self, packets: list[Any], planes: NDArray[Any]) -> None:
        if self._decoder is None:
            self._decoder = self._new_decoder()
        frames = [frame for packet in packets for frame in self._decoder.decode(packet)]
        if len(frames) != 1 or not np.array_equal(frames[0].to_ndarray(), planes):
            raise CheckError(f"expected the ids as written in {self.path}, read back others")
        for packet in packets:
            self._written.update(packet)

    def _new_decoder(self) -> Any:
        import av

        decoder: Any = av.CodecContext.create(self.codec, "r")
        decoder.width, decoder.height = self.size_px
        decoder.pix_fmt, decoder.thread_count = self._pixels, 1
        decoder.extradata = self._stream.codec_context.extradata
        return decoder

    def _certify(self, partial: Path) -> None:
        read, count = hashlib.sha256(), 0
        with _opened(partial) as (container, stream):
            for packet in container.demux(stream):
                if packet.size:
                    read.update(packet)
                    count += 1
            found = VideoFacts(stream.width, stream.height, stream.average_rate, count)
        declared = VideoFacts(*self.size_px, Fraction(self.fps), self.frame_count)
        if found != declared or read.digest() != self._written.digest():
            raise CheckError(f"expected the ids as written in {self.path}, read back others")


def probe(path: Path) -> VideoFacts:
    """Decode a video and tell what it holds.

    Raises:
        InputError: The file is no video.
    """
    with _opened(path) as (container, stream):
        frame_count = sum(1 for _ in container.decode(stream))
        return VideoFacts(stream.width, stream.height, stream.average_rate, frame_count)


def certify(path: Path, width: int, height: int, fps: int | Fraction, frame_count: int) -> None:
    """Check by decoding that a video has this size, rate and number of frames.

    Raises:
        CheckError: It has not.
        InputError: The file is no video.
    """
    declared, found = VideoFacts(width, height, Fraction(fps), frame_count), probe(path)
    if found != declared:
        raise CheckError(f"expected {declared} in {path}, found {found}; write the video again")


def read_frames(path: Path, start: int = 0, stop: int | None = None) -> NDArray[np.uint8]:
    """Return the frames [start, stop) of a video, (T, H, W, 3) [uint8] sRGB.

    Raises:
        InputError: The file is no video, or does not hold them all.
    """
    import imageio.v3 as iio

    with _opened(path):
        frames = iio.imiter(path, plugin="pyav", format="rgb24")
        return _stacked(itertools.islice(frames, start, stop), path, start, stop)


def read_ids(path: Path, start: int = 0, stop: int | None = None) -> NDArray[np.uint16]:
    """Return the ids of the frames [start, stop) of an `IdWriter`'s file, (T, H, W) [uint16].

    Raises:
        InputError: The file is no video, or does not hold them all.
    """
    with _opened(path) as (container, stream):
        wanted = itertools.islice(container.decode(stream), start, stop)
        found = _stacked((frame.to_ndarray() for frame in wanted), path, start, stop)
    return found.astype(np.uint16)


def _stacked(
    frames: Iterator[NDArray[Any]], path: Path, start: int, stop: int | None
) -> NDArray[Any]:
    """Stack frames that were decoded from the beginning: only so is a frame's number certain."""
    found = list(frames)
    if not found or (stop is not None and len(found) != stop - start):
        raise InputError(
            f"expected frames [{start}, {'end' if stop is None else stop}) in {path}, "
            f"found {len(found)} of them"
        )
    return np.stack(found)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Any]]:
    """Open a video; yield its container and its first video stream."""
    import av

    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError(f"expected a video in {path}, found none")
            yield container, container.streams.video[0]
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(f"expected a video in {path}, found {error}") from error
