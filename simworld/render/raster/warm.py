"""A little scene that takes every kernel, to have them compiled before they are needed."""

from __future__ import annotations

import numpy as np

from simworld.render.raster import make_raster
from simworld.world.spec import Body, Box, Camera, Sphere, WorldSpec


def compile_kernels() -> None:
    """Draw a ball of glass that moves; runs in a worker."""
    floor = Body("floor", Box((1.0, 1.0, 0.1)), (0.0, 0.0, -0.1), material="tiles")
    ball = Body("ball", Sphere(0.2), (0.0, 0.0, 0.2), mass_kg=1.0, material="glass")
    camera = Camera(eye_m=(0.0, -2.0, 1.0), target_m=(0.0, 0.0, 0.0))
    spec = WorldSpec((floor, ball), (), camera, duration_steps=1, detectors={})
    poses = np.array([[0, 0, -0.1, 0, 0, 0, 1], [0, 0, 0.2, 0, 0, 0, 1]], dtype=np.float64)
    with make_raster(spec, ("floor", "ball"), (64, 48)) as renderer:
        renderer.render(poses)
        poses[1, 0] = 0.1
        renderer.render(poses)
        renderer.normals()
