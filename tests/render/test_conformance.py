"""Checks of renderers: both of ours pass, and one that is wrong in one way is told so."""

import dataclasses
import re

import numpy as np
import pytest

from simworld.errors import NotRegisteredError
from simworld.render.base import Amodal, renderers
from simworld.render.conformance import faults
from simworld.testing import check_renderer


def test_ours_conform(workers):
    check_renderer("raster")
    assert workers.call(faults_of_tiny) == ()


def faults_of_tiny() -> tuple[str, ...]:
    return faults(renderers["tiny"])


def test_an_unknown_one_is_refused():
    with pytest.raises(NotRegisteredError, match="did you mean raster"):
        check_renderer("rastre")


class Wrong:
    """The rasteriser with one thing about it wrong."""

    def __init__(self, fault, *arguments):
        self.fault, self.inner, self.count = fault, renderers["raster"](*arguments), 0
        self.objects = self.inner.objects[:: -1 if fault == "order" else 1]

    def render(self, poses):
        frame = self.inner.render(poses)
        self.count += 1
        return dataclasses.replace(frame, **self.changed(frame))

    def changed(self, frame):
        match self.fault:
            case "type":
                return {"ids": frame.ids.astype(np.int32)}
            case "shift":
                return {"ids": np.roll(frame.ids, 1, axis=1)}
            case "depth":
                return {"depth_m": frame.depth_m * np.float32(1.001)}
            case "memory":
                return {"rgb": frame.rgb ^ np.uint8(self.count > 1)}
            case "amodal":
                more = frame.amodal.covered_px + 1
                return {"amodal": Amodal(frame.amodal.boxes_xyxy_px, more)}
            case "grey":
                return {"rgb": np.full_like(frame.rgb, 128)}
        return {}

    def bodies(self):
        return np.roll(self.inner.bodies(), int(self.fault == "bodies"), axis=1)

    def normals(self):
        return self.inner.normals() * np.float32(2.0 if self.fault == "normals" else 1.0)

    def shadows(self):
        return self.inner.shadows() & (self.fault != "shadows")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def told(fault: str) -> str:
    return "; ".join(faults(lambda *arguments: Wrong(fault, *arguments)))


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("none", ""),
        ("order", "in order of their first body"),
        ("type", r"`ids`: expected \(96, 160\) uint16, found \(96, 160\) int32"),
        ("shift", "floor alone differs from its projection"),
        ("depth", "off by up to 0.10%"),
        ("memory", "other bits after other frames"),
        ("amodal", "floor covers another number of pixels"),
        ("grey", "another colour looks the same"),
        ("bodies", "expected rows of the poses"),
        ("normals", "expected unit vectors"),
        ("shadows", "expected some of the ball's"),
    ],
)
def test_a_wrong_one_is_told_what_is_wrong(workers, fault, words):
    found = workers.call(told, fault)
    assert (found == "") == (words == "")
    assert re.search(words, found), found
