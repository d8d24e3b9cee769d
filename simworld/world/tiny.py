"""pybullet's TinyRenderer: meshes drawn without a window, with ids and depth, no physics.

TinyRenderer takes its samples at the left edge and the lower edge of each pixel, not at the
centre: sample (column i, row j) lies at (i, j + 1), x to the right and y down. Callers choose
their lens so that the samples fall where they want them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from simworld.errors import SimworldError
from simworld.world.engine import load_pybullet
from simworld.world.meshes import Mesh
from simworld.world.spec import Vec3

AMBIENT = 0.5
DIFFUSE = 0.58
"""A face's brightness is AMBIENT + DIFFUSE x the cosine of its angle to the light."""

FAR_AWAY_M = 1e6


@dataclass(frozen=True, slots=True)
class Lens:
    """A window on to the world: its edges at distance 1 from the eye, and a range of depths.

    TinyRenderer clips as if every lens were a perspective one; it draws nothing through others.
    """

    left: float
    right: float
    up: float
    down: float
    near_m: float
    far_m: float

    def matrix(self) -> NDArray[np.float64]:
        """Return OpenGL's projection matrix (4, 4)."""
        near, far = self.near_m, self.far_m
        wide, high, deep = self.right - self.left, self.up - self.down, far - near
        return np.array(
            [
                [2 / wide, 0, (self.right + self.left) / wide, 0],
                [0, 2 / high, (self.up + self.down) / high, 0],
                [0, 0, -(far + near) / deep, -2 * far * near / deep],
                [0, 0, -1, 0],
            ]
        )

    def depth_m(self, buffer: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return metres along the axis for values of the depth buffer."""
        near, far = np.float32(self.near_m), np.float32(self.far_m)
        return near * far / (far - (far - near) * buffer)


@dataclass(frozen=True, slots=True, eq=False)
class Raster:
    """What TinyRenderer drew.

    `rgb` is (h, w, 3) [uint8], `part` (h, w) [int32] the index of the mesh or -1, `depth_m`
    (h, w) [float32] along the axis, infinite where there is nothing.
    """

    rgb: NDArray[np.uint8]
    part: NDArray[np.int32]
    depth_m: NDArray[np.float32]


Rows = tuple[tuple[float, ...], ...]


@functools.cache
def _sequences(mesh: Mesh) -> tuple[Rows, tuple[int, ...], Rows]:
    """Return corners, indices and normals as pybullet takes them.

    pybullet never lets go of sequences that it was handed (10 MB for a scene), so each mesh
    is turned into them once only.
    """
    corners = mesh.vertices_m[mesh.faces].reshape(-1, 3).tolist()
    normals = mesh.corner_normals().reshape(-1, 3).tolist()
    return tuple(map(tuple, corners)), tuple(range(mesh.faces.size)), tuple(map(tuple, normals))


class TinyScene:
    """Coloured meshes in a pybullet client of their own; use it as a context manager."""

    def __init__(self, meshes: Sequence[Mesh], colors_rgb: Sequence[tuple[int, int, int]]) -> None:
        """Make the meshes, all of them far away."""
        self._bullet = load_pybullet()
        self._client = self._bullet.connect(self._bullet.DIRECT)
        self._bodies = [self._make(*pair) for pair in zip(meshes, colors_rgb, strict=True)]
        if self._bodies != list(range(len(meshes))):
            raise SimworldError(f"expected bodies numbered from 0, pybullet made {self._bodies}")

    def _make(self, mesh: Mesh, color: tuple[int, int, int]) -> int:
        vertices, indices, normals = _sequences(mesh)
        shape = self._bullet.createVisualShape(
            self._bullet.GEOM_MESH,
            vertices=vertices,
            indices=indices,
            normals=normals,
            rgbaColor=[*(level / 255 for level in color), 1.0],
            physicsClientId=self._client,
        )
        body: int = self._bullet.createMultiBody(
            0.0, -1, shape, [0.0, 0.0, -FAR_AWAY_M], physicsClientId=self._client
        )
        return body

    def place(self, poses: NDArray[np.float64]) -> None:
        """Put the meshes at their poses (N, 7); a NaN row goes far away."""
        for body, pose in zip(self._bodies, poses.tolist(), strict=True):
            here = pose if pose[0] == pose[0] else [0.0, 0.0, -FAR_AWAY_M, 0.0, 0.0, 0.0, 1.0]
            self._bullet.resetBasePositionAndOrientation(
                body, here[:3], here[3:], physicsClientId=self._client
            )

    def draw(
        self,
        eye_m: NDArray[np.float64],
        rotation: NDArray[np.float64],
        lens: Lens,
        size: tuple[int, int],
        light_direction: Vec3,
    ) -> Raster:
        """Draw the scene, shaded but without shadows.

        Args:
            eye_m: Where the eye is.
            rotation: Rows are the right, down and forward axes, (3, 3).
            lens: What the window covers.
            size: Samples across and down.
            light_direction: From the scene towards the light.
        """
        axes = rotation * np.array([[1.0], [-1.0], [-1.0]])
        view = np.eye(4)
        view[:3, :3] = axes
        view[:3, 3] = -(axes * eye_m).sum(axis=1)
        width, height, rgba, buffer, body = self._bullet.getCameraImage(
            *size,
            viewMatrix=view.T.ravel().tolist(),
            projectionMatrix=lens.matrix().T.ravel().tolist(),
            lightDirection=light_direction,
            lightColor=[1.0, 1.0, 1.0],
            lightAmbientCoeff=AMBIENT,
            lightDiffuseCoeff=DIFFUSE,
            lightSpecularCoeff=0.0,
            shadow=0,
            renderer=self._bullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        body, buffer = body.reshape(height, width), buffer.reshape(height, width)
        drawn = (body >= 0) & (buffer < 1.0)
        part = np.where(drawn, body, -1).astype(np.int32)
        depth = np.where(drawn, lens.depth_m(buffer.astype(np.float32)), np.float32(np.inf))
        rgb = np.ascontiguousarray(rgba.reshape(height, width, 4)[:, :, :3])
        return Raster(rgb, part, depth)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bullet.disconnect(self._client)
