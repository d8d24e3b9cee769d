"""The "raster" renderer: draws what has changed since its last frame, and nothing else."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from simworld.render.base import Amodal, Frame, Poses
from simworld.render.camera import Size, View, view_of
from simworld.render.raster import (
    blending,
    covering,
    geometry,
    samples,
    shading,
    sun,
    textures,
    tiles,
    visibility,
)
from simworld.render.raster.cast import Cast, cast_of
from simworld.render.raster.points import CHUNK, new_points
from simworld.world.spec import Camera, WorldSpec

TILE_PX, TILE_TEXELS = 8, 16

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
        self._triangles = self._cast.triangles
        self._stage = geometry.new_stage(self._triangles)
        self._object_of_body = np.repeat(
            np.arange(len(self.objects)), np.diff(self._cast.body_start)
        )
        self._size_px = size_px
        layers = 1 + int(self._triangles.layer.max(initial=0))
        self._nearest = samples.new_samples(layers, size_px)
        self._places = samples.sample_places(size_px[0])
        self._sun = sun.sun_over(spec.camera, spec.light_direction, size_px[1])
        self._maps = sun.new_maps(self._sun, layers)
        width, height = size_px
        self._rgb = np.zeros((height, width, 3), dtype=np.uint8)
        self._ids = np.zeros((height, width), dtype=np.uint16)
        self._depth_m = np.full((height, width), np.inf, dtype=np.float32)
        self._dirty = np.zeros((height, width), dtype=np.bool_)
        self._list = np.zeros(height * width, dtype=np.int32)
        self._visits = np.zeros((height, width), dtype=np.int32)
        self._ticket = 1
        self._covered = np.zeros((len(self.objects), 5), dtype=np.int32)
        self._looked_up = np.zeros((samples.SAMPLES + 1, height * width), dtype=np.int16)
        self._points = new_points()
        self._which = [np.zeros(CHUNK, dtype=np.int32) for _ in range(3)]
        self._wanted = np.zeros(CHUNK + 1, dtype=np.int32)
        self._sky = _sky(height)
        self._poses: Poses = np.full((len(self._cast.rows), 7), np.nan)
        self.aim(spec.camera)

    def aim(self, camera: Camera) -> None:
        """Look from another camera from the next frame on; the sun's map stays as it was."""
        self._view: View = view_of(camera, self._size_px)
        self._to_camera = geometry.camera_rows(self._view)
        self._rays = _rays(self._view)
        self._anew = True

    def render(self, poses: Poses) -> Frame:
        """Draw the bodies at these poses."""
        poses = geometry.rounded(poses[self._cast.rows])
        poses[~self._cast.shown] = np.nan
        same = (poses == self._poses) | (np.isnan(poses) & np.isnan(self._poses))
        moved = np.flatnonzero(~same.all(axis=1))
        self._poses = poses
        if self._anew or len(moved):
            stage, before = self._stage, (self._stage.extent_px[moved], self._stage.shade_px[moved])
            self._place(moved)
            self._dirty[:] = self._anew
            if len(moved):
                self._cast_shadows(np.concatenate([before[1], stage.shade_px[moved]]))
            if self._anew:
                self._find_all_visible()
            else:
                self._find_visible(moved, before[0])
            self._shade()
            self._anew = False
        return Frame(self._rgb.copy(), self._ids.copy(), self._depth_m.copy(), self._amodal())

    def bodies(self) -> NDArray[np.int32]:
        """Return the row in the poses of what each pixel of the last frame shows, (H, W)."""
        faces = samples.faces_at_centres(self._nearest, self._size_px)
        rows = self._cast.rows[self._triangles.body_of_face[faces]]
        return np.where(faces < 0, -1, rows).astype(np.int32)

    def normals(self) -> NDArray[np.float32]:
        """Return which way what the last frame shows looks, (H, W, 3), in the world."""
        normals = np.empty((*self._ids.shape, 3), dtype=np.float32)
        stage = self._stage
        visibility.read_normals(self._nearest, stage.origin_px, stage.planes, normals)
        return normals

    def shadows(self) -> NDArray[np.bool_]:
        """Return which pixels of the last frame each object's shadow changes, (N, H, W).

        Each object in turn is taken out of the sun's map, and put back.
        """
        masks = np.zeros((len(self.objects), *self._ids.shape), dtype=np.bool_)
        with_all, shade_px = self._rgb.copy(), self._stage.shade_px
        for k in range(len(self.objects)):
            bodies = self._object_of_body == k
            shades = shade_px[bodies]
            for cast in (np.broadcast_to(geometry.NOWHERE, shades.shape), shades):
                shade_px[bodies] = cast
                self._dirty[:] = False
                self._cast_shadows(shades)
                self._shade()
                masks[k] |= (self._rgb != with_all).any(axis=2)
        return masks

    def _place(self, moved: NDArray[np.intp]) -> None:
        """Bring the moved bodies to their poses, all of them if the camera has moved."""
        geometry.place_bodies(
            np.arange(len(self._poses)) if self._anew else moved,
            self._poses,
            self._to_camera,
            self._sun.rows,
            self._size_px,
            self._view.near_m,
            self._triangles,
            self._stage,
        )

    def _cast_shadows(self, shades: NDArray[np.float64]) -> None:
        """Draw the sun's map anew where it may have changed; mark the pixels that see it."""
        maps, texels = self._maps, self._sun.texels
        region = tiles.cover(shades, 1, TILE_TEXELS, texels, texels)
        rects = region.rects
        sun.clear_texels(rects, maps.nearness_m, maps.before_m)
        sun.draw_shadows(region, self._triangles, self._stage, maps.nearness_m)
        maps.changed[:] = False
        sun.compare_texels(rects, maps.nearness_m, maps.before_m, maps.changed)
        sun.spread_texels(rects, maps.nearness_m, maps.highest_m)
        if not self._anew:
            sun.spread_changes(maps.changed, maps.touched)
            sun.mark_touched(maps.touched.ravel(), self._looked_up, self._dirty.ravel())

    def _find_visible(self, moved: NDArray[np.intp], regions: NDArray[np.float64]) -> None:
        """Draw the samples anew where a body was or is that moved; mark its pixels."""
        now, starts = self._stage.extent_px[moved], self._triangles.face_start
        region = tiles.cover(np.concatenate([regions, now]), 1, TILE_PX, *self._size_px)
        dirty = self._dirty.ravel()
        visibility.mark(moved, regions, self._size_px, starts, self._nearest, dirty)
        self._draw_samples(region, np.unique(self._object_of_body[moved]))
        visibility.mark(moved, now, self._size_px, starts, self._nearest, dirty)

    def _find_all_visible(self) -> None:
        self._draw_samples(tiles.whole(TILE_PX, *self._size_px), np.arange(len(self.objects)))

    def _draw_samples(self, region: tiles.Region, which: NDArray[np.intp]) -> None:
        """Draw the samples anew within a region, and see what objects cover."""
        near_m, triangles, stage = self._view.near_m, self._triangles, self._stage
        visibility.clear(region.rects, self._size_px[0], self._nearest)
        visibility.draw(
            region, near_m, self._size_px, triangles, stage, self._places, self._nearest
        )
        visibility.read_centres(
            region.rects, self._nearest, triangles.object_of_face, self._ids, self._depth_m
        )
        covering.cover(
            which, self._cast.body_start, near_m, triangles, stage, self._visits, self._ticket,
            self._covered,
        )  # fmt: skip
        self._ticket += len(which)

    def _shade(self) -> None:
        """Shade the dirty pixels, a chunk of points at a time."""
        width, nearest = self._size_px[0], self._nearest
        rgb, dirty, points = self._rgb.reshape(-1, 3), self._dirty.ravel(), self._points
        triangles, stage, skins, maps = self._triangles, self._stage, self._cast.skins, self._maps
        tri, pixel, sample = self._which
        done, total = 0, shading.list_dirty(dirty, self._list)
        while done < total:
            count, done = shading.collect(
                done, total, width, self._list, nearest, triangles.object_of_face, stage.normals,
                self._sky, self._looked_up, rgb, tri, pixel, sample, points,
            )  # fmt: skip
            shading.surface(count, self._rays, tri, stage.origin_px, stage.planes, points)
            sun.find_texels(count, self._sun.rows, self._view.eye_m, self._sun.texel_m, points)
            sun.look_up(
                count, pixel, sample, maps.nearness_m, maps.highest_m, self._looked_up,
                self._wanted, points,
            )  # fmt: skip
            textures.sample_tones(
                points, count, tri, triangles.body_of_face, skins.texture, skins.pyramids
            )
            shading.light(
                count, self._sun.direction, tri, triangles.body_of_face, skins.color, skins.tones,
                skins.finish, skins.tinted, points,
            )  # fmt: skip
            blending.blend(count, width, tri, pixel, self._sky, points, rgb)

    def _amodal(self) -> Amodal:
        """Return what each object covers, hidden or not."""
        inside, covered = self._covered[:, :4].astype(np.float64), self._covered[:, 4].copy()
        inside[covered == 0] = np.nan
        starts, extent = self._cast.body_start[:-1], self._stage.extent_px
        low = np.minimum.reduceat(extent[:, :2], starts)
        high = np.maximum.reduceat(extent[:, 2:], starts)
        return Amodal.whole(inside, covered, np.concatenate([low, high], axis=1), self._size_px)

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
