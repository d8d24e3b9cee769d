"""The "raster" renderer: draws what has changed since its last frame, and nothing else."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from simworld.render.base import Amodal, Frame, Poses
from simworld.render.camera import Size, View, view_of
from simworld.render.raster import geometry, shading, sun, textures, tiles, visibility
from simworld.render.raster.cast import Cast, cast_of
from simworld.render.raster.points import CHUNK, new_points
from simworld.world.spec import Camera, WorldSpec

TILE_PX, TILE_TEXELS = 32, 64

SKY_TOP, SKY_BOTTOM = (168, 190, 214), (236, 237, 234)


class RasterRenderer:
    """Draws one world with our own kernels; see `simworld.render.base.Renderer`.

    Between frames it keeps what every sample shows, the sun's map and the picture. A frame
    draws again only what touches an object that moved, came or went, or its shadow, which gives
    the very bits that drawing everything would.
    """

    def __init__(self, spec: WorldSpec, bodies: tuple[str, ...], size_px: Size) -> None:
        """Make the scene of a rollout's bodies at an image size (width, height)."""
        self._cast: Cast = cast_of(spec, bodies)
        self.objects = self._cast.objects
        self._object_faces = self._cast.face_start[self._cast.body_start]
        self._object_faces = np.stack([self._object_faces[:-1], self._object_faces[1:]], axis=1)
        self._stage = geometry.new_stage(self._cast)
        self._size_px = size_px
        layers = 1 + int(self._cast.skins.layer.max(initial=0))
        self._nearest = visibility.new_samples(layers, size_px)
        self._sun = sun.sun_over(spec.camera, spec.light_direction, size_px[1])
        self._maps = sun.new_maps(self._sun, layers)
        self._sun_row = np.array(self._sun.direction, dtype=np.float32)
        width, height = size_px
        self._rgb = np.zeros((height, width, 3), dtype=np.uint8)
        self._ids = np.zeros((height, width), dtype=np.uint16)
        self._depth_m = np.full((height, width), np.inf, dtype=np.float32)
        self._dirty = np.zeros((height, width), dtype=np.bool_)
        self._visits = np.full((height, width), -1, dtype=np.int32)
        self._ticket = 0
        self._covered = np.zeros((len(self.objects), 5), dtype=np.int32)
        self._looked_up = np.zeros((visibility.SAMPLES, height * width), dtype=np.int32)
        self._points = new_points()
        self._which = [np.zeros(CHUNK, dtype=np.int32) for _ in range(3)]
        self._sky = _sky(height)
        self.aim(spec.camera)

    def aim(self, camera: Camera) -> None:
        """Look from another camera from the next frame on; the sun's map stays as it was."""
        self._view: View = view_of(camera, self._size_px)
        self._rows = geometry.camera_rows(self._view)
        self._rays = _rays(self._view)
        self._poses: Poses | None = None

    def render(self, poses: Poses) -> Frame:
        """Draw the bodies at these poses."""
        poses = geometry.rounded(poses[self._cast.rows])
        poses[~self._cast.shown] = np.nan
        moved = self._moved(poses)
        if moved.any():
            fresh = self._poses is None
            before = self._stage.extent_px[moved], self._stage.shade_px[moved]
            self._place(poses, moved)
            after = self._stage.extent_px[moved], self._stage.shade_px[moved]
            regions, shades = (np.concatenate(pair) for pair in zip(before, after, strict=True))
            self._present = ~np.isnan(poses[:, 0])
            self._poses = poses
            self._dirty[:] = fresh
            self._cast_shadows(shades, fresh)
            self._find_visible(regions, moved, fresh)
            self._shade()
        return Frame(self._rgb.copy(), self._ids.copy(), self._depth_m.copy(), self._amodal())

    def _moved(self, poses: Poses) -> NDArray[np.bool_]:
        """Tell which objects have a body that moved, came or went; at first, all."""
        starts = self._cast.body_start
        if self._poses is None:
            return np.ones(len(self.objects), dtype=np.bool_)
        same = (poses == self._poses) | (np.isnan(poses) & np.isnan(self._poses))
        moved: NDArray[np.bool_] = np.add.reduceat(~same.all(axis=1), starts[:-1]) > 0
        return moved

    def _place(self, poses: Poses, moved: NDArray[np.bool_]) -> None:
        """Bring the bodies of the moved objects to their poses."""
        cast, stage = self._cast, self._stage
        self._covered[moved] = *self._size_px, 0, 0, 0
        for k in np.flatnonzero(moved).tolist():
            stage.extent_px[k] = stage.shade_px[k] = geometry.NOWHERE
            for body in range(cast.body_start[k], cast.body_start[k + 1]):
                faces = cast.face_start[body], cast.face_start[body + 1]
                if np.isnan(poses[body, 0]):
                    stage.kind[faces[0] : faces[1]] = geometry.HIDDEN
                else:
                    self._place_body(k, body, poses[body])

    def _place_body(self, k: int, body: int, pose: NDArray[np.float64]) -> None:
        cast, stage = self._cast, self._stage
        first, last = cast.vertex_start[body], cast.vertex_start[body + 1]
        turned = np.concatenate([geometry.rotation(pose[3:]), pose[:3, None]], axis=1)
        geometry.place_vertices(first, last, turned, cast.vertices_m, stage.world_m)
        geometry.map_vertices(first, last, self._rows, stage.world_m, stage.seen)
        geometry.map_vertices(first, last, self._sun.rows, stage.world_m, stage.sunward)
        geometry.bound_vertices(first, last, stage.sunward, stage.shade_px[k])
        geometry.set_up_faces(
            cast.face_start[body],
            cast.face_start[body + 1],
            turned,
            self._size_px,
            self._view.near_m,
            cast.faces,
            cast.normals,
            cast.places,
            stage.seen,
            stage.kind,
            stage.edges,
            stage.box_px,
            stage.origin_px,
            stage.planes,
            stage.normals,
            stage.extent_px[k],
        )

    def _cast_shadows(self, shades: NDArray[np.float64], fresh: bool) -> None:
        """Draw the sun's map anew where it may have changed; mark the pixels that see it."""
        maps, texels = self._maps, self._sun.texels
        rects = (
            tiles.whole(texels, texels)
            if fresh
            else tiles.cover(shades, 1, TILE_TEXELS, texels, texels)
        )
        sun.clear_texels(rects, maps.nearness_m, maps.before_m)
        sun.draw_shadows(
            rects,
            self._object_faces,
            self._stage.shade_px,
            self._present,
            self._cast.faces,
            self._stage.sunward,
            self._cast.skins.layer,
            self._cast.skin_of_face,
            maps.nearness_m,
        )
        maps.changed[:] = False
        sun.compare_texels(rects, maps.nearness_m, maps.before_m, maps.top_m, maps.changed)
        if not fresh:
            touched = np.empty_like(maps.changed)
            sun.spread_changes(maps.changed, touched)
            sun.mark_touched(touched.ravel(), self._looked_up, self._dirty.ravel())

    def _find_visible(
        self, regions: NDArray[np.float64], moved: NDArray[np.bool_], fresh: bool
    ) -> None:
        """Draw the samples anew where an object was or is that moved; mark its pixels."""
        rects = tiles.whole(*self._size_px)
        if not fresh:
            rects = tiles.cover(regions, 1, TILE_PX, *self._size_px)
            self._mark_moved(rects, moved)
        visibility.clear(rects, self._nearest)
        self._ticket = 0 if self._ticket > 2**30 else self._ticket + len(self.objects)
        if self._ticket == 0:
            self._visits[:] = -1
        visibility.draw(
            rects,
            self._view.near_m,
            self._object_faces,
            self._stage.extent_px,
            moved,
            self._stage.kind,
            self._stage.edges,
            self._stage.box_px,
            self._cast.skins.layer,
            self._cast.skin_of_face,
            self._nearest,
            self._visits,
            self._ticket,
            self._covered,
        )
        if not fresh:
            self._mark_moved(rects, moved)
        visibility.read_centres(
            rects, self._nearest, self._cast.object_of_face, self._ids, self._depth_m
        )

    def _mark_moved(self, rects: tiles.Rects, moved: NDArray[np.bool_]) -> None:
        faces = moved[self._cast.object_of_face]
        visibility.mark(rects, self._nearest, faces, self._dirty)

    def _shade(self) -> None:
        """Shade the dirty pixels, a chunk of points at a time."""
        layers, samples, height, width = self._nearest.shape
        nearest = self._nearest.reshape(layers, samples, height * width)
        rgb, dirty, points = self._rgb.reshape(-1, 3), self._dirty.ravel(), self._points
        cast, stage, skins, maps = self._cast, self._stage, self._cast.skins, self._maps
        tri, pixel, sample = self._which
        next_pixel = 0
        while next_pixel < len(dirty):
            count, next_pixel = shading.collect(
                next_pixel, width, dirty, nearest, cast.object_of_face, stage.normals, self._sky,
                self._looked_up, rgb, tri, pixel, sample, points,
            )  # fmt: skip
            shading.surface(count, self._rays, tri, stage.origin_px, stage.planes, points)
            sun.find_texels(count, self._sun.rows, self._view.eye_m, self._sun.texel_m, points)
            sun.look_up(count, pixel, sample, maps.nearness_m, maps.top_m, self._looked_up, points)
            textures.sample_tones(
                points, count, tri, cast.skin_of_face, skins.texture, skins.pyramids
            )
            shading.light(
                count, self._sun_row, tri, cast.skin_of_face, skins.color, skins.tones,
                skins.finish, skins.tinted, points,
            )  # fmt: skip
            shading.blend(count, width, tri, pixel, self._sky, points, rgb)

    def _amodal(self) -> Amodal:
        """Return what each object covers, hidden or not."""
        boxes = self._covered[:, :4].astype(np.float64)
        boxes[self._covered[:, 4] == 0] = np.nan
        return Amodal.whole(boxes, self._covered[:, 4].copy(), self._stage.extent_px, self._size_px)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is held that Python does not free."""


def _rays(view: View) -> NDArray[np.float32]:
    """Return the ray of pixel place (0, 0) at depth 1 and its steps along x and y, as columns."""
    right, down, forward = view.rotation
    width, height = view.size_px
    corner = forward - right * (width / 2 / view.focal_px) - down * (height / 2 / view.focal_px)
    steps = [corner, right / view.focal_px, down / view.focal_px]
    return np.ascontiguousarray(np.stack(steps, axis=1), dtype=np.float32)


def _sky(height: int) -> NDArray[np.float32]:
    """Return each row's sky, linear and as levels to write, (H, 6)."""
    down = ((np.arange(height) + 0.5) / height)[:, None]
    levels = np.array(SKY_TOP) * (1.0 - down) + np.array(SKY_BOTTOM) * down
    linear = (levels / 255.0) * (levels / 255.0)
    return np.concatenate([linear, np.floor(levels + 0.5)], axis=1).astype(np.float32)
