"""The "tiny" renderer: pybullet's TinyRenderer as rasteriser, shadows and edges our own.

It draws a grid of (2 W + 1) x (2 H + 1) samples, half a pixel apart, the outermost on the
image's border. Every second one is a pixel's centre: ids and depth are those samples, exactly.
Colour is the 1-2-1 tent over the samples around the centre, which smooths edges.
TinyRenderer's own shadows are blocky, faint and start 5 cm behind their caster, so the light's
view is drawn by it as well and used as a shadow map.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from simworld.render.base import Frame, Poses, renderers
from simworld.render.camera import Size, View, turn, view_of
from simworld.render.layers import Layer
from simworld.render.palette import color_rgb
from simworld.render.shadow import light_from
from simworld.world.meshes import object_names, props
from simworld.world.spec import WorldSpec
from simworld.world.tiny import AMBIENT

SHADE = 0.15
"""Share of the light's own part of the brightness that is left in full shadow."""

SKY_TOP = (178, 196, 214)
SKY_BOTTOM = (232, 233, 230)

STILL_TEXELS, MOVING_TEXELS = 1024, 512
"""Sides of the shadow maps of what stands still (drawn once) and of what moves."""


@renderers.register("tiny")
class TinyRenderer:
    """Draws one world with TinyRenderer; see `simworld.render.base.Renderer`."""

    def __init__(self, spec: WorldSpec, bodies: tuple[str, ...], size_px: Size) -> None:
        """Make the scene of a rollout's bodies at an image size (width, height)."""
        cast = props(spec, bodies)
        self.objects = object_names(cast)
        self._shown = np.array([prop.shown for prop in cast])
        numbers = [self.objects.index(prop.object_name) + 1 for prop in cast]
        self._ids = np.array([*numbers, 0], dtype=np.uint16)
        self._unlit = np.array([color_rgb(prop.color) for prop in cast], dtype=np.float32)
        self._unlit *= np.float32(AMBIENT)
        view = view_of(spec.camera, size_px)
        light = light_from(spec.light_direction, spec.camera.target_m)
        reach_m = 1.2 * math.dist(spec.camera.eye_m, spec.camera.target_m)
        still = {row: prop for row, prop in enumerate(cast) if not prop.moves}
        moving = {row: prop for row, prop in enumerate(cast) if prop.moves}
        with ExitStack() as opened:
            self._still = opened.enter_context(Layer(still, view, light, reach_m, STILL_TEXELS))
            self._moving = opened.enter_context(Layer(moving, view, light, reach_m, MOVING_TEXELS))
            self._opened = opened.pop_all()
        self._eye = turn(light.axes, view.eye_m - light.eye_m).astype(np.float32)[:, None]
        self._rays = _sample_rays(view, light.axes)
        self._sky = _sky(size_px)
        self._shape = (2 * size_px[1] + 1, 2 * size_px[0] + 1)

    def render(self, poses: Poses) -> Frame:
        """Draw the bodies at these poses."""
        poses = np.where(self._shown[:, None], poses, np.nan)
        if self._still.look(poses):
            self._still_points = self._in_light(self._still.raster.depth_m.ravel())
            self._still_lit = self._still.lit(self._still_points)
        self._moving.look(poses)
        back, front = self._still.raster, self._moving.raster
        over = np.flatnonzero(front.depth_m < back.depth_m)
        rgb = _overlaid(back.rgb.reshape(-1, 3), front.rgb.reshape(-1, 3), over)
        part = _overlaid(back.part.ravel(), front.part.ravel(), over)
        depth = _overlaid(back.depth_m.ravel(), front.depth_m.ravel(), over)
        points, lit = self._still_points.copy(), self._still_lit.copy()
        points[:, over] = self._in_light(depth[over], over)
        lit[over] = self._still.lit(points[:, over])
        self._darken(rgb, part, np.minimum(lit, self._moving.lit(points)))
        rgb[part < 0] = self._sky[part < 0]
        return Frame(
            rgb=_tent(rgb.reshape(*self._shape, 3)),
            ids=self._ids[part.reshape(self._shape)[1::2, 1::2]],
            depth_m=depth.reshape(self._shape)[1::2, 1::2].copy(),
        )

    def _in_light(
        self, depth_m: NDArray[np.float32], which: NDArray[np.intp] | slice = slice(None)
    ) -> NDArray[np.float32]:
        """Return samples as the light sees them (see `ShadowMap.covers`), (3, P).

        In the background there is nothing to be lit; the eye stands in for it.
        """
        solid = np.where(np.isfinite(depth_m), depth_m, np.float32(0.0))
        points: NDArray[np.float32] = self._rays[:, which] * solid + self._eye
        points[:2] /= points[2]
        return points

    def _darken(
        self, rgb: NDArray[np.uint8], part: NDArray[np.int32], lit: NDArray[np.float32]
    ) -> None:
        """Take from samples (P, 3) the light that does not reach them."""
        dark = np.flatnonzero((lit < 1.0) & (part >= 0))
        unlit = self._unlit[part[dark]]
        kept = np.float32(SHADE) + np.float32(1.0 - SHADE) * lit[dark, None]
        rgb[dark] = np.maximum(unlit + (rgb[dark] - unlit) * kept, np.float32(0.0)) + np.float32(
            0.5
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._opened.close()


def _overlaid(back: NDArray[Any], front: NDArray[Any], over: NDArray[np.intp]) -> NDArray[Any]:
    """Return the back samples with those of the front where `over` says."""
    both = back.copy()
    both[over] = front[over]
    return both


def _sample_rays(view: View, axes: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return each sample's ray at depth 1 along the light's axes, (3, P) [float32]."""
    width, height = view.size_px
    x = (np.arange(2 * width + 1) - width) * (0.5 / view.focal_px)
    y = (np.arange(2 * height + 1) - height) * (0.5 / view.focal_px)
    local = np.stack(np.broadcast_arrays(x[None, :], y[:, None], 1.0), axis=-1)
    world = turn(view.rotation.T, local.reshape(-1, 3))
    return np.ascontiguousarray(turn(axes, world).T, dtype=np.float32)


def _sky(size_px: Size) -> NDArray[np.uint8]:
    """Return a vertical gradient for all samples, (P, 3)."""
    width, height = size_px
    down = np.linspace(0.0, 1.0, 2 * height + 1)[:, None]
    column = np.array(SKY_TOP) * (1.0 - down) + np.array(SKY_BOTTOM) * down
    return np.repeat((column + 0.5).astype(np.uint8), 2 * width + 1, axis=0)


def _tent(samples: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Weigh the nine samples around each pixel's centre by 1-2-1 across and down."""
    wide = samples.astype(np.uint16)
    tall = wide[0:-1:2] + 2 * wide[1::2] + wide[2::2]
    summed = tall[:, 0:-1:2] + 2 * tall[:, 1::2] + tall[:, 2::2]
    pixels: NDArray[np.uint8] = ((summed + 8) >> 4).astype(np.uint8)
    return pixels
