"""Masks as COCO's run-length codes: `CLIP.json` in the layout of YouTube-VIS, for pycocotools.

One annotation an object, with a mask, a box [x, y, width, height] and an area for each frame, of
what is seen of it; null where nothing is. References: Lin et al., Microsoft COCO (ECCV 2014), whose
API packs runs so; Yang et al., Video instance segmentation (ICCV 2019).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simworld.annotate.tracks import Tracks
from simworld.export import EXPORTERS
from simworld.store import Suite, write_text
from simworld.video import read_ids


@EXPORTERS.register("coco_rle")
def coco_rle(suite: Suite, target: Path) -> None:
    """Write each clip's masks."""
    target.mkdir()
    for number, clip in enumerate(suite.clip_ids, start=1):
        described = _described(number, clip, suite.clip(clip))
        write_text(target / f"{clip}.json", json.dumps(described, allow_nan=False) + "\n")


def _described(number: int, clip: str, folder: Path) -> dict[str, Any]:
    tracks, ids = Tracks.load(folder / "tracks.npz"), read_ids(folder / "ids.mkv")
    masks, names = [run_lengths(picture) for picture in ids], tracks.names.tolist()
    length, height, width = ids.shape
    video = {"id": number, "name": clip, "width": width, "height": height, "length": length}
    return {
        "videos": [video],
        "categories": [{"id": k, "name": name} for k, name in enumerate(names, start=1)],
        "annotations": [
            {
                "id": k,
                "video_id": number,
                "category_id": k,
                "iscrowd": 0,
                "segmentations": [mask.get(k) for mask in masks],
                "bboxes": [_xywh(box) for box in tracks.visible_xyxy_px[:, k - 1]],
                "areas": [int(area) or None for area in tracks.visible_px[:, k - 1]],
            }
            for k in range(1, 1 + len(names))
        ],
    }


def _xywh(box: NDArray[np.float32]) -> list[int] | None:
    if np.isnan(box).any():
        return None
    x1, y1, x2, y2 = (int(side) for side in box)
    return [x1, y1, x2 - x1, y2 - y1]


def run_lengths(ids: NDArray[np.uint16]) -> dict[int, dict[str, Any]]:
    """Return the mask of each id in a picture (H, W), without the background's, as COCO packs it.

    Example:
        >>> run_lengths(np.array([[0, 1], [1, 1]], dtype=np.uint16))
        {1: {'size': [2, 2], 'counts': '13'}}
    """
    flat = np.append(ids.T.ravel(), 0)
    starts = np.append(0, 1 + np.flatnonzero(flat[1:] != flat[:-1]))
    stops, shown = np.append(starts[1:], len(flat) - 1), flat[starts]
    found = {}
    for k in np.unique(shown[shown > 0]).tolist():
        ends = np.stack([starts[shown == k], stops[shown == k]], axis=1).ravel()
        runs = np.diff(np.concatenate([[0], ends, [len(flat) - 1]])).tolist()
        counts = runs if runs[-1] else runs[:-1]
        found[k] = {"size": list(ids.shape), "counts": _packed(counts)}
    return found


def _packed(counts: list[int]) -> str:
    """Pack runs, from the fourth on as what is added to the one but last: 5 bits a character."""
    text = []
    for n, count in enumerate(counts):
        rest = count - counts[n - 2] if n > 2 else count
        while True:
            bits, rest = rest & 31, rest >> 5
            last = rest == (-1 if bits & 16 else 0)
            text.append(chr(48 + (bits if last else bits | 32)))
            if last:
                break
    return "".join(text)
