"""A little room to draw: its bodies, ways to move and to draw them, and digests of frames."""

import hashlib

import numpy as np

from simworld.render.base import Frame, make_renderer
from simworld.scene import library_folder, load_scene
from simworld.truth import FACTUAL
from simworld.world.simulate import simulate
from simworld.world.spec import (
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Mug,
    Sphere,
    Vase,
    WorldSpec,
)

SCENES = sorted(path.stem for path in library_folder().glob("[a-z]*.py"))
SIZE = (320, 176)
CAMERA = Camera((0.0, -1.6, 0.9), (0.0, 0.0, 0.1))
FLOOR = Body("floor", Box((3, 3, 0.1)), (0, 0, -0.1), color="grey")
TABLE = Body("table", Box((0.4, 0.3, 0.02)), (0.2, 0.2, 0.2), color="brown")
MUG = Body(
    "mug", Mug(0.06, 0.15), (-0.2, 0, 0.3), mass_kg=0.2, color="blue", breakable=Breakable(2.0)
)
VASE = Body("vase", Vase(0.07, 0.2), (0.3, 0.2, 0.32), mass_kg=0.2, color="white")
BALL = Body("ball", Sphere(0.06), (-0.3, 0, 0.06), mass_kg=0.2, color="red")
CAN = Body("can", Cylinder(0.05, 0.12), (0.0, -0.3, 0.06), mass_kg=0.2, color="steel")
ROOM = (FLOOR, TABLE, MUG, VASE, BALL, CAN)
SHARDS = tuple(f"mug#{k}" for k in range(12))


def world(*bodies: Body, camera: Camera = CAMERA) -> WorldSpec:
    return WorldSpec(bodies, (), camera, duration_steps=1, detectors={})


def names_of(spec: WorldSpec) -> tuple[str, ...]:
    return tuple(body.name for body in spec.bodies)


def resting(spec: WorldSpec) -> np.ndarray:
    return np.array([[*body.position_m, *body.quat_xyzw] for body in spec.bodies], dtype=float)


def wander(seed: int, frames: int) -> np.ndarray:
    """Poses of the room's bodies and the mug's shards: each moves now and then, and turns."""
    draws = np.random.default_rng(seed)
    spec = world(*ROOM)
    rows = np.full((len(ROOM) + len(SHARDS), 7), np.nan)
    rows[: len(ROOM)] = resting(spec)
    path = []
    for frame in range(frames):
        for row in range(2, len(rows)):
            if frame == frames // 2 and row >= len(ROOM):
                rows[row] = [*draws.uniform([-0.4, -0.4, 0.0], [0.4, 0.2, 0.4]), 0, 0, 0, 1]
            if draws.random() < 0.3:
                rows[row, :3] += draws.normal(scale=0.05, size=3)
                quat = rows[row, 3:] + draws.normal(scale=0.2, size=4)
                rows[row, 3:] = quat / np.linalg.norm(quat)
        if frame == frames // 2:
            rows[2] = np.nan
        path.append(rows.copy())
    return np.stack(path)


def draw(
    spec: WorldSpec, bodies: tuple[str, ...], poses: np.ndarray, size=SIZE, *, anew: bool = False
) -> list[Frame]:
    """Draw frames with one renderer, or each with a new one."""
    if anew:
        return [draw(spec, bodies, row[None], size)[0] for row in poses]
    with make_renderer("raster", spec, bodies, size) as renderer:
        return [renderer.render(row) for row in poses]


def draw_anew(spec, bodies, poses):
    return draw(spec, bodies, poses, anew=True)


def still(spec: WorldSpec, size=SIZE) -> Frame:
    return draw(spec, names_of(spec), resting(spec)[None], size)[0]


def digest(frames: list[Frame]) -> str:
    made = hashlib.sha256()
    for frame in frames:
        for array in (frame.rgb, frame.ids, frame.depth_m, *_amodal(frame)):
            made.update(array.tobytes())
    return made.hexdigest()


def _amodal(frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    return frame.amodal.boxes_xyxy_px, frame.amodal.covered_px


def wandering_digest(anew: bool = False) -> str:
    return digest(draw(world(*ROOM), (*names_of(world(*ROOM)), *SHARDS), wander(1, 8), anew=anew))


def box_of(mask: np.ndarray) -> np.ndarray:
    rows, columns = np.nonzero(mask)
    if not len(rows):
        return np.full(4, np.nan)
    return np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])


def acted(scene_name: str) -> tuple[WorldSpec, tuple[str, ...], np.ndarray]:
    """A scene's showcase: its world, the bodies, and their poses step by step."""
    scene = load_scene(scene_name)
    spec = scene.world(scene.draw(0, "train", 0, fixed=scene.showcase), FACTUAL)
    rollout = simulate(spec, "end")
    return spec, rollout.bodies, rollout.states[:, :, :7]
