"""The "raster" renderer: triangles to pixels in compiled kernels, with the same bits everywhere.

A frame goes through these parts, in this order:

- `cast`: all bodies' triangles in flat arrays, with `materials` and `textures`;
- `geometry`: triangles at their poses, as camera and sun see them;
- `sun`: the sun's map, and how much of the sun reaches a point;
- `visibility`: which face each of the `samples` shows, by `rows`; ids and depth;
- `covering`: what objects cover, hidden or not;
- `shading`: points to shade, chunk by chunk (`points`), their light and colour;
- `blending`: the points of each pixel laid over each other, and displayed;
- `renderer`: all of it in order, for what changed since the last frame (`tiles`).

Glass is drawn in a second layer, of which the nearest surface is blended over what stands
behind it. Ids and depth are those of the nearest surface, be it glass or not: what is seen
through glass counts as hidden. What an object covers (amodal) does not depend on glass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simworld.render.base import renderers
from simworld.render.camera import Size
from simworld.world.spec import WorldSpec

if TYPE_CHECKING:
    from simworld.render.raster.renderer import RasterRenderer


@renderers.register("raster")
def make_raster(spec: WorldSpec, bodies: tuple[str, ...], size_px: Size) -> RasterRenderer:
    """Make the renderer; numba is imported only now."""
    from simworld.render.raster.renderer import RasterRenderer

    return RasterRenderer(spec, bodies, size_px)
