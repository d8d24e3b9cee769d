import numpy as np
import pytest

from simworld.errors import CheckError
from simworld.splicing import frames_digest, splice
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
