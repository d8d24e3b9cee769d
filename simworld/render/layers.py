"""One group of bodies as TinyRenderer draws it: the camera's picture and the light's."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from simworld.render.base import Poses
from simworld.render.camera import View, turn
from simworld.render.palette import color_rgb
from simworld.render.shadow import LIGHT_DISTANCE_M, Light, ShadowMap
from simworld.world.meshes import Prop
from simworld.world.tiny import Lens, Raster, TinyScene

MARGIN_M = 0.5


class Layer:
    """Bodies drawn together, and drawn again only after one of them has moved.

    Args:
        cast: The bodies, by their row in the poses.
        view: The camera; its picture has 2 W + 1 by 2 H + 1 samples, half a pixel apart.
        light: Where light comes from.
        reach_m: Half the side of the widest shadow map; one that would be wider is centred
            on what the light is aimed at.
        texels: Samples along each side of the shadow map.
    """

    def __init__(
        self, cast: dict[int, Prop], view: View, light: Light, reach_m: float, texels: int
    ) -> None:
        """Make the bodies' meshes."""
        self._rows = list(cast)
        self._view, self._light = view, light
        self._reach_m, self._texels = reach_m, texels
        meshes = [prop.mesh for prop in cast.values()]
        self._radius_m = np.array([np.linalg.norm(m.vertices_m, axis=1).max() for m in meshes])
        self._scene = TinyScene(meshes, [color_rgb(prop.color) for prop in cast.values()])
        self._poses: Poses | None = None
        self._shadows: ShadowMap | None = None
        self.raster: Raster

    def look(self, poses: Poses) -> bool:
        """Bring the pictures up to date; tell whether they changed."""
        here = poses[self._rows]
        if self._poses is not None and np.array_equal(here, self._poses, equal_nan=True):
            return False
        self._poses = here
        self._scene.place(here)
        self._draw()
        self._shadows = None
        there = ~np.isnan(here[:, 0])
        if there.any():
            self._shadows = self._draw_from_light(here[there, :3], self._radius_m[there])
        return True

    def lit(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the share of light, 0 to 1, that these bodies let through to points (3, P)."""
        share = np.ones(points.shape[1], dtype=np.float32)
        if self._shadows is not None:
            covered = np.flatnonzero(self._shadows.covers(points))
            share[covered] = self._shadows.lit(points[:, covered])
        return share

    def _draw(self) -> None:
        view = self._view
        width, height = view.size_px
        step = 0.5 / view.focal_px
        lens = Lens(
            left=-width * step,
            right=(width + 1) * step,
            up=(height + 1) * step,
            down=-height * step,
            near_m=view.near_m,
            far_m=view.far_m,
        )
        samples = (2 * width + 1, 2 * height + 1)
        drawn = self._scene.draw(view.eye_m, view.rotation, lens, samples, self._light.direction)
        rows = np.array([*self._rows, -1], dtype=np.int32)
        self.raster = Raster(drawn.rgb, rows[drawn.part], drawn.depth_m)

    def _draw_from_light(
        self, places_m: NDArray[np.float64], radius_m: NDArray[np.float64]
    ) -> ShadowMap:
        light = self._light
        local = turn(light.axes, places_m - light.eye_m)
        near_m = float((local[:, 2] - radius_m).min()) - MARGIN_M
        far_m = float((local[:, 2] + radius_m).max()) + MARGIN_M
        aim, spread = local[:, :2] / local[:, 2:], (radius_m / near_m)[:, None]
        low, high = (aim - spread).min(axis=0), (aim + spread).max(axis=0)
        centre, half = (low + high) / 2, float((high - low).max()) / 2
        if half > self._reach_m / LIGHT_DISTANCE_M:
            centre, half = np.zeros(2), self._reach_m / LIGHT_DISTANCE_M
        half *= 1.0 + 8.0 / self._texels
        x, y = centre.tolist()
        lens = Lens(x - half, x + half, half - y, -half - y, near_m, far_m)
        samples = (self._texels, self._texels)
        drawn = self._scene.draw(light.eye_m, light.axes, lens, samples, light.direction)
        return ShadowMap(centre, half, drawn.depth_m)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._scene.__exit__(kind, error, trace)
