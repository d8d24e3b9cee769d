import numpy as np
import pytest

from simworld.errors import CheckError
from simworld.splicing import can_be_cut, cut_short, frames_digest, splice
from simworld.video import VideoWriter, probe, read_frames


def write(path, count, size=(64, 48), fps=12, seed=0):
    picture = np.random.default_rng(seed).integers(0, 255, (*size[::-1], 3), dtype=np.uint8)
    with VideoWriter(path, size, fps=fps) as writer:
        for turn in range(count):
            writer.write(np.roll(picture, 3 * turn, axis=1))
    return path


def test_a_spliced_video_holds_the_very_frames_of_its_parts(tmp_path):
    counts = (30, 7, 1, 45, 2)
    parts = [write(tmp_path / f"{k}.mp4", n, seed=k) for k, n in enumerate(counts)]
    splice(parts, tmp_path / "whole.mp4")
    assert probe(tmp_path / "whole.mp4").frame_count == sum(counts)
    whole = read_frames(tmp_path / "whole.mp4")
    assert np.array_equal(whole, np.concatenate([read_frames(path) for path in parts]))
    assert frames_digest([tmp_path / "whole.mp4"]) == frames_digest(parts)


def test_splicing_twice_gives_the_same_bytes(tmp_path):
    parts = [write(tmp_path / f"{k}.mp4", 20, seed=k) for k in range(3)]
    for name in ("one", "two"):
        splice(parts, tmp_path / f"{name}.mp4")
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()


@pytest.mark.parametrize("other", [{"size": (32, 48)}, {"fps": 24}])
def test_parts_of_another_size_or_rate_are_refused_and_leave_nothing(tmp_path, other):
    parts = [write(tmp_path / "a.mp4", 5), write(tmp_path / "b.mp4", 5, **other)]
    with pytest.raises(CheckError, match="one size and rate"):
        splice(parts, tmp_path / "whole.mp4")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mp4", "b.mp4"]


def test_a_video_cut_short_holds_its_very_first_frames(tmp_path):
    whole = write(tmp_path / "whole.mp4", 30)
    for count in (1, 13, 17, 30):
        cut_short(whole, count, tmp_path / "start.mp4")
        assert np.array_equal(read_frames(tmp_path / "start.mp4"), read_frames(whole)[:count])


def test_a_video_is_cut_only_where_no_later_frame_is_needed(tmp_path):
    whole = write(tmp_path / "whole.mp4", 30)
    assert [n for n in range(1, 31) if can_be_cut(whole, n)] == [*range(1, 31, 2), 30]
    with pytest.raises(CheckError, match="first 12 frames"):
        cut_short(whole, 12, tmp_path / "start.mp4")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["whole.mp4"]
