"""Contact sheets show a clip's key frames, each with its boxes and its sentence."""

import numpy as np
import pytest
from PIL import Image

from simworld.annotate.tracks import Tracks
from simworld.errors import InputError
from simworld.report.sheet import key_frames, write_sheet
from simworld.store import Suite


def test_each_segment_gives_its_first_middle_and_last_frame():
    segments = [
        {"index": 1, "start_frame": 0, "stop_frame": 9},
        {"index": 2, "start_frame": 9, "stop_frame": 11},
    ]
    chosen = key_frames(segments)
    assert [(frame, segment["index"]) for frame, segment in chosen] == [
        (0, 1),
        (4, 1),
        (8, 1),
        (9, 2),
        (10, 2),
    ]


@pytest.mark.slow
def test_a_sheet_has_a_cell_a_frame_with_the_mugs_box_where_the_tracks_say(small_suite, tmp_path):
    clip = Suite(small_suite).clip("falling_cup-0000-factual")
    sheet = np.array(Image.open(write_sheet(clip, tmp_path / "sheets" / "cup.png")))
    assert sheet.shape == (4 * (120 + 46), 3 * (160 + 8), 3)  # 12 frames of 160x120 in 4 rows
    tracks = Tracks.load(clip / "tracks.npz")
    mug = list(tracks.names).index("mug")
    x1, y1, x2, _ = (round(float(side)) for side in tracks.visible_xyxy_px[0, mug])
    edge = sheet[4 + y1, 4 + x1 : 4 + x2]
    assert (edge == edge[0]).all()  # one colour from corner to corner


def test_no_clip_and_no_png_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"\.png"):
        write_sheet(tmp_path, tmp_path / "sheet.jpg")
    with pytest.raises(InputError, match=r"segments\.json"):
        write_sheet(tmp_path, tmp_path / "sheet.png")
