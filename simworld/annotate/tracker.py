"""Makes tracks, frame by frame, from a renderer's ids and the bodies' poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simworld.annotate.amodal import coverage, extent_px, homogeneous
from simworld.annotate.tracks import Tracks
from simworld.errors import CheckError
from simworld.render.base import Amodal, Poses
from simworld.render.camera import Size, placed, view_of
from simworld.world.meshes import object_names, props
from simworld.world.spec import WorldSpec


@dataclass(frozen=True, slots=True, eq=False)
class _Alone:
    """What an object covers on its own: pixels (H, W), and its extent, which may leave them."""

    poses: Poses
    mask: NDArray[np.bool_]
    extent_px: NDArray[np.float64]


class Tracker:
    """Collects the tracks of one clip; its frames go in one by one, in order."""

    def __init__(self, spec: WorldSpec, bodies: tuple[str, ...], size_px: Size) -> None:
        """Begin a clip.

        Args:
            spec: The world; its camera is used.
            bodies: The bodies of the rollout, which order the rows of poses.
            size_px: Width and height of the pictures.
        """
        cast = props(spec, bodies)
        self.names = object_names(cast)
        self._view = view_of(spec.camera, size_px)
        self._meshes = [prop.mesh for prop in cast]
        self._shown = np.array([prop.shown for prop in cast])
        self._rows = [
            [row for row, prop in enumerate(cast) if prop.object_name == name]
            for name in self.names
        ]
        self._alone: list[_Alone | None] = [None] * len(self.names)
        self._boxes: list[NDArray[np.float32]] = []
        self._counts: list[NDArray[np.int32]] = []
        self._places: list[NDArray[np.float64]] = []

    def add(self, ids: NDArray[np.uint16], poses: Poses, amodal: Amodal | None = None) -> None:
        """Take in the next frame.

        Args:
            ids: The renderer's ids, (H, W): k is `names[k - 1]`.
            poses: The bodies' poses, (N, 7); NaN is absent.
            amodal: What each object covers, if the renderer told; else it is projected here.

        Raises:
            CheckError: The ids have another size, or name an object that there is not.
        """
        from simworld.annotate.boxes import visible_boxes

        width, height = self._view.size_px
        if ids.shape != (height, width) or ids.max() > len(self.names):
            raise CheckError(
                f"expected ids of shape {(height, width)} up to {len(self.names)}, "
                f"found {ids.shape} up to {ids.max()}"
            )
        poses = np.where(self._shown[:, None], poses, np.nan)
        boxes, counts = visible_boxes(ids, len(self.names))
        if amodal is None:
            amodal = self._project(ids, poses)
        self._boxes.append(np.stack([boxes, amodal.boxes_xyxy_px], axis=1))
        self._counts.append(np.stack([counts, amodal.covered_px], axis=1))
        self._places.append(np.array([_pose_of(poses[rows]) for rows in self._rows]))

    def build(self) -> Tracks:
        """Return the tracks of all frames so far.

        Raises:
            CheckError: There was no frame.
        """
        if not self._boxes:
            raise CheckError("expected at least one frame to make tracks of, found none")
        boxes, counts = np.stack(self._boxes), np.stack(self._counts)
        places = np.stack(self._places)
        visible, amodal = counts[:, :, 0], counts[:, :, 1]
        hidden = np.full(amodal.shape, np.nan, dtype=np.float32)
        np.divide(amodal - visible, amodal, out=hidden, where=amodal > 0)
        return Tracks(
            names=np.array(self.names),
            visible_xyxy_px=boxes[:, :, 0],
            amodal_xyxy_px=boxes[:, :, 1],
            visible_px=visible,
            amodal_px=amodal,
            occlusion=hidden,
            position_m=places[:, :, :3],
            quat_xyzw=places[:, :, 3:],
        )

    def _project(self, ids: NDArray[np.uint16], poses: Poses) -> Amodal:
        """Work out what each object covers, from its meshes; what it shows belongs to it."""
        alone = [self._look_alone(k, poses[rows]) for k, rows in enumerate(self._rows)]
        covered = [one.mask | (ids == k + 1) for k, one in enumerate(alone)]
        return Amodal.whole(
            np.array([_box_px(mask) for mask in covered]),
            np.array([mask.sum() for mask in covered], dtype=np.int32),
            np.array([one.extent_px for one in alone]),
            self._view.size_px,
        )

    def _look_alone(self, k: int, poses: Poses) -> _Alone:
        """Project an object's bodies, unless none has moved since the last frame."""
        last = self._alone[k]
        if last is not None and np.array_equal(last.poses, poses, equal_nan=True):
            return last
        width, height = self._view.size_px
        mask = np.zeros((height, width), dtype=np.bool_)
        extents = [np.full(4, np.nan)]
        for row, pose in zip(self._rows[k], poses, strict=True):
            if not np.isnan(pose[0]):
                mesh = self._meshes[row]
                corners = homogeneous(placed(mesh.vertices_m, pose), self._view)
                mask |= coverage(corners, mesh.faces, self._view)
                extents.append(extent_px(corners, mesh.faces, self._view.near_m))
        stacked = np.stack(extents)
        extent = np.append(np.fmin.reduce(stacked[:, :2]), np.fmax.reduce(stacked[:, 2:]))
        self._alone[k] = alone = _Alone(poses, mask, extent)
        return alone


def _box_px(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the half-open box [x1, y1, x2, y2] of a mask's pixels, NaN if it has none."""
    columns, rows = np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))
    if not len(columns):
        return np.full(4, np.nan)
    return np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], dtype=np.float64)


def _pose_of(poses: Poses) -> NDArray[np.float64]:
    """Return an object's pose: its first body's, or of its shards the mean place alone."""
    there = poses[~np.isnan(poses[:, 0])]
    if not np.isnan(poses[0, 0]) or not len(there):
        first: Poses = poses[0]
        return first
    return np.append(there[:, :3].mean(axis=0), np.full(4, np.nan))
