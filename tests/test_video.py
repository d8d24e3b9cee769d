"""Videos: what is decoded is what was declared, and equal frames give equal bytes."""

import shutil
from fractions import Fraction
from pathlib import Path

import imageio.v3 as iio
import numpy as np
import pytest

from simworld.errors import CheckError, InputError
from simworld.video import (
    IdWriter,
    VideoFacts,
    VideoWriter,
    certify,
    probe,
    read_frames,
    read_ids,
)
from simworld.yuv import rgb_to_yuv420

SIZE = (320, 176)
FRAMES = 15


def picture(number: int) -> np.ndarray:
    """A gradient whose left half tells the frame's number."""
    y, x = np.mgrid[: SIZE[1], : SIZE[0]]
    rgb = np.stack([x * 255 // SIZE[0], y * 255 // SIZE[1], 0 * x + 90], axis=-1)
    rgb[:, : SIZE[0] // 2] = 16 * number
    return rgb.astype(np.uint8)


def write(path: Path, frames: int = FRAMES) -> bytes:
    with VideoWriter(path, SIZE, 12) as writer:
        for number in range(frames):
            writer.write(picture(number))
    return path.read_bytes()


def write_ids(path: Path, count: int, frames: int = 4) -> np.ndarray:
    ids = np.random.default_rng(count).integers(0, count + 1, (frames, 176, 321)).astype(np.uint16)
    with IdWriter(path, (321, 176), 12, count) as writer:
        for frame in ids:
            writer.write(frame)
    return ids


def write_both(folder: Path) -> tuple[bytes, bytes]:
    write_ids(folder / "ids.mkv", 300)
    return write(folder / "video.mp4"), (folder / "ids.mkv").read_bytes()


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    path = tmp_path_factory.mktemp("video") / "video.mp4"
    write(path)
    return path


def test_decoded_size_rate_and_length_are_as_declared(video):
    assert probe(video) == VideoFacts(320, 176, Fraction(12), FRAMES)
    independent = iio.imread(video, plugin="pyav")
    assert independent.shape == (FRAMES, 176, 320, 3)
    assert iio.immeta(video, plugin="pyav")["fps"] == 12


def test_every_frame_is_in_its_place(video):
    levels = read_frames(video)[:, :, :140].mean(axis=(1, 2, 3))
    assert np.allclose(levels, 16 * np.arange(FRAMES), atol=3)


def test_a_span_is_read_half_open(video):
    whole = read_frames(video)
    assert np.array_equal(read_frames(video, 0, 1), whole[:1])
    assert np.array_equal(read_frames(video, 4, 9), whole[4:9])
    assert np.array_equal(read_frames(video, FRAMES - 1, FRAMES), whole[-1:])
    with pytest.raises(InputError, match="found 1 of them"):
        read_frames(video, FRAMES - 1, FRAMES + 1)


def test_equal_frames_give_equal_bytes_in_any_process(tmp_path, workers):
    folders = [tmp_path / name for name in ("here", "again", "worker")]
    for folder in folders:
        folder.mkdir()
    here, again = write_both(folders[0]), write_both(folders[1])
    assert here == again == workers.call(write_both, folders[2])


@pytest.mark.parametrize(
    ("size", "nearest"), [((321, 240), "322x240"), ((320, 225), "320x226"), ((0, 240), "2x240")]
)
def test_a_size_the_codec_cannot_take_is_refused_with_the_nearest(tmp_path, size, nearest):
    with pytest.raises(InputError, match=nearest):
        VideoWriter(tmp_path / "odd.mp4", size, 12)
    width, height = map(int, nearest.split("x"))
    with VideoWriter(tmp_path / "even.mp4", (width, height), 12) as writer:
        writer.write(np.zeros((height, width, 3), dtype=np.uint8))
    assert list(tmp_path.iterdir()) == [tmp_path / "even.mp4"]


@pytest.mark.parametrize("size", [(320, 226), (34, 18), (640, 360)])
def test_sizes_that_are_no_multiple_of_16_are_kept(tmp_path, size):
    path = tmp_path / "v.mp4"
    with VideoWriter(path, size, 24) as writer:
        writer.write(np.zeros((size[1], size[0], 3), dtype=np.uint8))
    assert read_frames(path).shape == (1, size[1], size[0], 3)


@pytest.mark.parametrize("fps", [0, -1, 12.5])
def test_a_rate_that_is_not_whole_is_refused(tmp_path, fps):
    with pytest.raises(InputError, match="whole number of frames"):
        VideoWriter(tmp_path / "v.mp4", SIZE, fps)


@pytest.mark.parametrize("shape", [(320, 176, 3), (176, 320), (176, 318, 3)])
def test_a_frame_of_another_shape_is_refused(tmp_path, shape):
    with (
        pytest.raises(InputError, match=r"expected frames of shape \(176, 320, 3\)"),
        VideoWriter(tmp_path / "v.mp4", SIZE, 12) as writer,
    ):
        writer.write(np.zeros(shape, dtype=np.uint8))
    assert not list(tmp_path.iterdir())


def test_a_failure_half_way_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "v.mp4"
    before = write(path, frames=2)
    with pytest.raises(ZeroDivisionError), VideoWriter(path, SIZE, 12) as writer:
        writer.write(picture(0))
        raise ZeroDivisionError
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_video_without_frames_is_an_error(tmp_path):
    with (
        pytest.raises(CheckError, match="at least one frame"),
        VideoWriter(tmp_path / "v.mp4", SIZE, 12),
    ):
        pass


@pytest.mark.parametrize(
    "facts", [(318, 176, 12, 15), (320, 178, 12, 15), (320, 176, 24, 15), (320, 176, 12, 16)]
)
def test_certify_tells_what_was_found(video, facts):
    certify(video, 320, 176, 12, FRAMES)
    with pytest.raises(CheckError, match=r"found VideoFacts.*320.*176.*12.*15"):
        certify(video, *facts)


def test_a_truncated_or_missing_file_is_no_video(tmp_path, video):
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(video.read_bytes()[:2000])
    for path in (broken, tmp_path / "none.mp4"):
        with pytest.raises(InputError, match="expected a video"):
            probe(path)


@pytest.mark.parametrize("rgb", [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255,) * 3, (40, 90, 200)])
def test_colours_come_back(tmp_path, rgb):
    with VideoWriter(tmp_path / "v.mp4", (64, 32), 12) as writer:
        writer.write(np.full((32, 64, 3), rgb, dtype=np.uint8))
    for frames in (read_frames(tmp_path / "v.mp4"), iio.imread(tmp_path / "v.mp4", plugin="pyav")):
        assert np.abs(frames.astype(int) - np.array(rgb)).max() <= 3


@pytest.mark.parametrize(
    ("rgb", "ycbcr"),
    [
        ((0, 0, 0), (16, 128, 128)),
        ((255, 255, 255), (235, 128, 128)),
        ((255, 0, 0), (81, 90, 240)),
        ((0, 255, 0), (145, 54, 34)),
        ((0, 0, 255), (41, 240, 110)),
    ],
)
def test_conversion_gives_the_values_of_bt601(rgb, ycbcr):
    planes = rgb_to_yuv420(np.full((2, 4, 3), rgb, dtype=np.uint8))
    assert planes.shape == (3, 4)
    assert (planes[:2] == ycbcr[0]).all()
    assert planes[2].tolist() == [ycbcr[1]] * 2 + [ycbcr[2]] * 2


@pytest.mark.parametrize("count", [1, 3, 255, 256, 65535])
def test_ids_come_back_exactly_odd_sizes_too(tmp_path, count):
    ids = write_ids(tmp_path / "ids.mkv", count)
    read = read_ids(tmp_path / "ids.mkv")
    assert read.dtype == np.uint16
    assert np.array_equal(read, ids)
    assert np.array_equal(read_ids(tmp_path / "ids.mkv", 1, 3), ids[1:3])
    assert probe(tmp_path / "ids.mkv") == VideoFacts(321, 176, Fraction(12), 4)


def test_an_id_over_the_declared_count_is_refused(tmp_path):
    with (
        pytest.raises(InputError, match="up to 3"),
        IdWriter(tmp_path / "ids.mkv", (8, 8), 12, 3) as writer,
    ):
        writer.write(np.full((8, 8), 4, dtype=np.uint16))


def test_ids_that_do_not_come_back_are_an_error(tmp_path):
    """Whether it is the codec that changes them or the file that holds others."""
    other = tmp_path / "other.mkv"
    write_ids(other, 3)

    class Lossy(IdWriter):
        def _look_at(self, packets, planes):
            super()._look_at(packets, planes ^ (planes == 2))

    class Swapped(IdWriter):
        def _certify(self, partial):
            shutil.copy(other, partial)
            super()._certify(partial)

    ids = np.random.default_rng(0).integers(0, 3, (4, 176, 321)).astype(np.uint16)
    for kind in (Lossy, Swapped):
        with (
            pytest.raises(CheckError, match="read back others"),
            kind(tmp_path / "ids.mkv", (321, 176), 12, 2) as writer,
        ):
            for frame in ids:
                writer.write(frame)
        assert not (tmp_path / "ids.mkv").exists()
