"""What a renderer is, what it hands out, and where renderers are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from simworld.errors import SimworldError
from simworld.executors import in_worker
from simworld.registry import Registry
from simworld.render.camera import Size
from simworld.world.spec import WorldSpec

Poses = NDArray[np.float64]
"""One row per body of a rollout, in its order: (N, 7) [x y z qx qy qz qw]; NaN is absent."""


@dataclass(frozen=True, slots=True, eq=False)
class Amodal:
    """What each object covers, whether something hides it or not, for N objects.

    `boxes_xyxy_px` is (N, 4) [float32], half-open; it may leave the image, and is NaN where the
    object is not in the scene, is behind the camera, or covers no pixel's centre. `covered_px`
    (N,) [int32] counts the image's pixels whose centres it covers.
    """

    boxes_xyxy_px: NDArray[np.float32]
    covered_px: NDArray[np.int32]

    @classmethod
    def whole(
        cls,
        inside_xyxy_px: NDArray[np.float64],
        covered_px: NDArray[np.int32],
        extent_px: NDArray[np.float64],
        size_px: Size,
    ) -> Self:
        """Put the boxes of covered pixels and of projected vertices together.

        Beyond the image no pixel is drawn; there a box holds the pixels whose centres lie
        within the projected vertices' extent.

        Args:
            inside_xyxy_px: Boxes of the covered pixels, (N, 4), NaN if there are none.
            covered_px: How many they are, (N,).
            extent_px: Bounds of the projected vertices, (N, 4), NaN or inf if there are none.
            size_px: Width and height of the image.
        """
        low, high = np.ceil(extent_px[:, :2] - 0.5), np.floor(extent_px[:, 2:] - 0.5) + 1
        within = (low >= 0).all(axis=1) & (high <= size_px).all(axis=1)
        some = np.isfinite(extent_px).all(axis=1) & (high > low).all(axis=1)
        beyond = np.full(extent_px.shape, np.nan)
        beyond[some] = np.concatenate([low, high], axis=1)[some]
        boxes = np.where(np.reshape(within, (-1, 1)), inside_xyxy_px, beyond)
        return cls(boxes.astype(np.float32), covered_px)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture and its truth.

    `rgb` is (H, W, 3) [uint8], anti-aliased where the back end can. `ids` is (H, W) [uint16]:
    0 is the background, k is the renderer's `objects[k - 1]`. `depth_m` is (H, W) [float32],
    the distance along the camera's axis in metres, infinite in the background. Ids and depth
    hold at the pixels' centres. `amodal` is what the objects cover, from back ends that know.
    """

    rgb: NDArray[np.uint8]
    ids: NDArray[np.uint16]
    depth_m: NDArray[np.float32]
    amodal: Amodal | None = None


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


@runtime_checkable
class DetailedRenderer(Renderer, Protocol):
    """A renderer that can tell more about the frame that it drew last."""

    def bodies(self) -> NDArray[np.int32]:
        """Return which body each pixel's centre shows.

        (H, W) [int32]: its row in the poses; -1 in the background.
        """
        ...

    def normals(self) -> NDArray[np.float32]:
        """Return which way what each pixel's centre shows looks.

        (H, W, 3) [float32]: unit vectors in the world, those that shading takes, so smooth on
        curved bodies; 0 in the background.
        """
        ...

    def shadows(self) -> NDArray[np.bool_]:
        """Return which pixels would have another colour if an object cast no shadow.

        (N, H, W) [bool], object by object; its shadow on itself counts as well.
        """
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
        SimworldError: This process is no worker.
    """
    if not in_worker():
        raise SimworldError(
            "pixels are drawn in worker processes only, whose arithmetic is the same on "
            "every machine: call it through simworld.executors.Workers"
        )
    return renderers[name](spec, bodies, size_px)
