"""Contact sheets: a clip's key frames in one picture, boxes drawn, sentences beneath."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simworld.annotate.tracks import Tracks
from simworld.errors import InputError
from simworld.store import read_json
from simworld.video import read_frames

if TYPE_CHECKING:
    from PIL import Image

COLUMNS = 3
CAPTION_PX = 46
INK = (24, 24, 28)
PAPER = (250, 249, 246)
LINES = ((217, 72, 15), (37, 99, 235), (21, 128, 61), (147, 51, 234), (202, 138, 4), (219, 39, 119))


def key_frames(segments: Sequence[Mapping[str, Any]]) -> list[tuple[int, Mapping[str, Any]]]:
    """Choose frames that tell a clip: each segment's first, middle and last."""
    chosen: dict[int, Mapping[str, Any]] = {}
    for segment in segments:
        first, last = segment["start_frame"], segment["stop_frame"] - 1
        for frame in (first, (first + last) // 2, last):
            chosen.setdefault(frame, segment)
    return sorted(chosen.items(), key=lambda pair: pair[0])


def write_sheet(clip: Path, out: Path) -> Path:
    """Write a clip's contact sheet as a PNG and return its path.

    Args:
        clip: The clip's folder, `clips/<clip_id>` in a suite.
        out: The picture.

    Raises:
        InputError: There is no clip, or the picture is no PNG.
    """
    from PIL import Image

    if out.suffix.lower() != ".png":
        raise InputError(f"expected a file named *.png for the sheet, found {out}")
    chosen = key_frames(read_json(clip / "segments.json"))
    frames = read_frames(clip / "video.mp4")
    tracks = Tracks.load(clip / "tracks.npz")
    cells = [_cell(frames[k], k, segment, tracks) for k, segment in chosen]
    width, height = cells[0].size
    rows = -(-len(cells) // COLUMNS)
    sheet = Image.new("RGB", (width * COLUMNS, height * rows), PAPER)
    for place, cell in enumerate(cells):
        sheet.paste(cell, (width * (place % COLUMNS), height * (place // COLUMNS)))
    out.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(out, optimize=True)
    return out


def _cell(
    frame: np.ndarray[Any, Any], number: int, segment: Mapping[str, Any], tracks: Tracks
) -> Image.Image:
    """Draw one frame with its boxes, its number and its segment's sentence."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.fromarray(frame)
    cell = Image.new("RGB", (picture.width + 8, picture.height + CAPTION_PX), PAPER)
    draw = ImageDraw.Draw(picture)
    small = ImageFont.load_default(size=10)
    for k, name in enumerate(tracks.names):
        box = tracks.visible_xyxy_px[number, k]
        if name == "floor" or np.isnan(box).any():
            continue
        x1, y1, x2, y2 = (float(side) for side in box)
        color = LINES[k % len(LINES)]
        draw.rectangle((x1, y1, x2 - 1, y2 - 1), outline=color)
        label = str(name).replace("_", " ")
        draw.text((x1 + 2, max(0.0, y1 - 12)), label, fill=color, font=small)
    cell.paste(picture, (4, 4))
    text = f"frame {number}, part {segment['index']}: {segment['description']}"
    wrapped = "\n".join(textwrap.wrap(text, width=picture.width // 6))
    ImageDraw.Draw(cell).text((6, picture.height + 8), wrapped, fill=INK, font=small)
    return cell
