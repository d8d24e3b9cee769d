"""Tracks: where each object is in each frame, in pixels and in the world."""

from __future__ import annotations

import dataclasses
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simworld.errors import CheckError, InputError


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """All objects of a clip in all its frames, T frames of N objects.

    Attributes:
        names: The objects, (N,) [str].
        visible_xyxy_px: Box of the pixels that show the object, (T, N, 4) [float32], half-open
            (x2 is the last column + 1); NaN where none does.
        amodal_xyxy_px: Box of the pixels that the object would cover if nothing hid it,
            (T, N, 4) [float32], half-open. It may leave the image; NaN where the object is not
            in the scene, is behind the camera, or is too small to cover a pixel's centre.
        visible_px: Number of pixels that show the object, (T, N) [int32].
        amodal_px: Number of the image's pixels that it would cover, (T, N) [int32].
        occlusion: Share of those that show something else, (T, N) [float32], 0 to 1; NaN where
            `amodal_px` is 0, as of an object outside the image.
        position_m: Where the object is, (T, N, 3) [float64]: its first body's centre, of a
            broken object the mean of its shards' centres; NaN where it is not in the scene.
        quat_xyzw: How its first body is turned, (T, N, 4) [float64]; NaN as well once the
            object is broken, for then it has no one orientation.
    """

    names: NDArray[np.str_]
    visible_xyxy_px: NDArray[np.float32]
    amodal_xyxy_px: NDArray[np.float32]
    visible_px: NDArray[np.int32]
    amodal_px: NDArray[np.int32]
    occlusion: NDArray[np.float32]
    position_m: NDArray[np.float64]
    quat_xyzw: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Check shapes and types.

        Raises:
            CheckError: An array is not as declared.
        """
        frames, objects = self.visible_px.shape
        for name, (dtype, tail) in _LAYOUT.items():
            array = getattr(self, name)
            if array.shape != (frames, objects, *tail) or array.dtype != dtype:
                raise CheckError(
                    f"expected tracks' {name} as {(frames, objects, *tail)} {dtype}, "
                    f"found {array.shape} {array.dtype}"
                )
        if self.names.shape != (objects,) or self.names.dtype.kind != "U":
            raise CheckError(f"expected {objects} names of objects, found {self.names!r}")

    def save(self, path: Path) -> None:
        """Write an npz file; equal tracks give equal bytes."""
        partial = path.with_name(f".{path.name}.partial")
        with partial.open("wb") as file:
            with zipfile.ZipFile(file, "w") as archive:
                for field in dataclasses.fields(self):
                    _write_array(archive, field.name, getattr(self, field.name))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)

    @classmethod
    def load(cls, path: Path) -> Tracks:
        """Read what `save` wrote.

        Raises:
            InputError: The file lacks an array.
            CheckError: An array is not as declared.
        """
        with np.load(path, allow_pickle=False) as stored:
            wanted = [field.name for field in dataclasses.fields(cls)]
            missing = sorted(set(wanted) - set(stored.files))
            if missing:
                raise InputError(f"expected tracks in {path}, found no {', '.join(missing)}")
            return cls(**{name: stored[name] for name in wanted})


_LAYOUT: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "visible_xyxy_px": (np.float32, (4,)),
    "amodal_xyxy_px": (np.float32, (4,)),
    "visible_px": (np.int32, ()),
    "amodal_px": (np.int32, ()),
    "occlusion": (np.float32, ()),
    "position_m": (np.float64, (3,)),
    "quat_xyzw": (np.float64, (4,)),
}


def _write_array(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Add an array as numpy does, but with a fixed date and system in the entry's head."""
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, buffer.getvalue())
