"""What a renderer is, what it hands out, and where renderers are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from simworld.registry import Registry
from simworld.render.camera import Size
from simworld.world.spec import WorldSpec

Poses = NDArray[np.float64]
"""One row per body of a rollout, in its order: (N, 7) [x y z qx qy qz qw]; NaN is absent."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture and its truth.

    `rgb` is (H, W, 3) [uint8], anti-aliased where the back end can. `ids` is (H, W) [uint16]:
    0 is the background, k is the renderer's `objects[k - 1]`. `depth_m` is (H, W) [float32],
    the distance along the camera's axis in metres, infinite in the background. Ids and depth
    hold at the pixels' centres.
    """

    rgb: NDArray[np.uint8]
    ids: NDArray[np.uint16]
    depth_m: NDArray[np.float32]


class Renderer(Protocol):
    """Draws one world from its camera; a context manager that frees what it holds.

    `objects` are the names that ids stand for, in order of their first body. All bodies of one
    object, shards included, have one id; an object that is not in the scene has its id too.
    """

    objects: tuple[str, ...]

    def render(self, poses: Poses) -> Frame:
        """Draw the bodies at these poses."""
        ...

    def __enter__(self) -> Self:
        """Return the renderer itself."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free what the renderer holds."""
        ...


RendererMaker = Callable[[WorldSpec, tuple[str, ...], Size], Renderer]

renderers: Registry[RendererMaker] = Registry("renderer", "renderers", "simworld.render")


def make_renderer(name: str, spec: WorldSpec, bodies: tuple[str, ...], size_px: Size) -> Renderer:
    """Make a renderer by its registered name.

    Args:
        name: A back end, such as "tiny".
        spec: The world; its camera and light are used.
        bodies: The bodies of the rollout, which order the rows of poses.
        size_px: Width and height of the pictures.

    Raises:
        NotRegisteredError: There is no such back end.
    """
    return renderers[name](spec, bodies, size_px)
