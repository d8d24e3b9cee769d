"""What every renderer is held to: a little world, drawn in several ways."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from simworld.annotate.amodal import coverage, homogeneous
from simworld.errors import CheckError
from simworld.render.base import DetailedRenderer, Frame, Poses, RendererMaker
from simworld.render.camera import Size, placed, view_of
from simworld.world.meshes import props
from simworld.world.spec import Body, Box, Camera, Cylinder, Sphere, WorldSpec

SIZE: Size = (160, 96)
CAMERA = Camera((0.0, -1.6, 0.9), (0.0, 0.0, 0.1))
SPEC = WorldSpec(
    (
        Body("floor", Box((0.8, 0.8, 0.1)), (0.0, 0.0, -0.1), color="grey"),
        Body("post", Cylinder(0.05, 0.3), (-0.3, 0.0, 0.15), color="blue", thing="lamp"),
        Body("ball", Sphere(0.1), (0.1, -0.1, 0.1), mass_kg=1.0, color="red"),
        Body("shade", Sphere(0.12), (-0.3, 0.0, 0.35), color="blue", thing="lamp"),
        Body("pane", Box((0.15, 0.01, 0.15)), (0.3, 0.2, 0.15), color="white", material="glass"),
        Body("ghost", Box((0.3, 0.3, 0.3)), (0.0, 0.0, 0.3), color="green", present=False),
    ),
    (),
    CAMERA,
    duration_steps=1,
    detectors={},
)
BODIES = tuple(body.name for body in SPEC.bodies)
OBJECTS = ("floor", "lamp", "ball", "pane", "ghost")

EDGE_PX = 0.1
"""Share of an object's pixels that may be another's by another rounding, all along its edge."""

DEPTH = 1e-4
"""Share by which depth may be off."""


def at_rest() -> Poses:
    """Return the poses (N, 7) of the world's bodies where they start."""
    return np.array([[*body.position_m, *body.quat_xyzw] for body in SPEC.bodies], dtype=float)


def faults(make: RendererMaker) -> tuple[str, ...]:
    """Say what of a renderer is not as it must be; runs in a worker."""
    found: list[str] = []
    for check in CHECKS:
        try:
            found += check(make)
        except CheckError as fault:
            found.append(str(fault))
    return tuple(found)


def drawn(make: RendererMaker, *path: Poses, spec: WorldSpec = SPEC) -> list[Frame]:
    """Draw the world at some poses, one after the other, with one renderer."""
    with make(spec, BODIES, SIZE) as renderer:
        return [renderer.render(poses) for poses in path]


def digest(frames: list[Frame]) -> str:
    """Return a digest of all that frames hold."""
    made = hashlib.sha256()
    for frame in frames:
        told = [] if frame.amodal is None else [frame.amodal.boxes_xyxy_px, frame.amodal.covered_px]
        for array in (frame.rgb, frame.ids, frame.depth_m, *told):
            made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()


def wander() -> list[Poses]:
    """Return a path on which the ball rolls, vanishes, and comes back where it began."""
    rolled, gone = at_rest(), at_rest()
    rolled[2, :2] += [0.15, -0.2]
    gone[2] = np.nan
    return [at_rest(), rolled, gone, at_rest()]


def _names(make: RendererMaker) -> Iterator[str]:
    with make(SPEC, BODIES, SIZE) as renderer:
        if renderer.objects != OBJECTS:
            yield f"`objects`: expected {OBJECTS}, in order of their first body, found " + str(
                renderer.objects
            )


def _arrays(make: RendererMaker) -> Iterator[str]:
    frame = drawn(make, at_rest())[0]
    plane = (SIZE[1], SIZE[0])
    for name, array, shape, dtype in (
        ("rgb", frame.rgb, (*plane, 3), np.uint8),
        ("ids", frame.ids, plane, np.uint16),
        ("depth_m", frame.depth_m, plane, np.float32),
    ):
        if array.shape != shape or array.dtype != dtype:
            raise CheckError(
                f"`{name}`: expected {shape} {np.dtype(dtype)}, found {array.shape} {array.dtype}"
            )
    if set(np.unique(frame.ids)) != {0, 1, 2, 3, 4}:
        yield "`ids`: expected 0 to 4 to be seen and 5, the absent one, not, found " + str(
            np.unique(frame.ids).tolist()
        )
    if not np.array_equal(np.isinf(frame.depth_m), frame.ids == 0):
        yield "`depth_m`: expected it to be infinite in the background, and only there"


def _bits(make: RendererMaker) -> Iterator[str]:
    path = wander()
    together = drawn(make, *path)
    kept = [digest([frame]) for frame in together]
    if kept[0] != kept[3]:
        yield "the same poses give other bits after other frames"
    if kept != [digest(drawn(make, poses)) for poses in path]:
        yield "a frame depends on those before it: a new renderer draws it with other bits"
    if len(set(kept)) < 3:
        yield "a ball that rolls or is gone (NaN) changes no picture"


def _lone(name: str) -> Poses:
    """Return poses in which only one object is there."""
    alone = at_rest()
    alone[[body.object_name != name for body in SPEC.bodies]] = np.nan
    return alone


def _footprint(name: str) -> NDArray[np.bool_]:
    """Return the pixels whose centres an object covers, by projecting its meshes."""
    view = view_of(CAMERA, SIZE)
    covered = np.zeros((SIZE[1], SIZE[0]), dtype=np.bool_)
    for prop, pose in zip(props(SPEC, BODIES), at_rest(), strict=True):
        if prop.object_name == name:
            corners = homogeneous(placed(prop.mesh.vertices_m, pose), view)
            covered |= coverage(corners, prop.mesh.faces, view)
    return covered


def _places(make: RendererMaker) -> Iterator[str]:
    """Ids at pixels' centres, seen one by one and all together."""
    together = drawn(make, at_rest())[0]
    for number, name in enumerate(OBJECTS[:4], start=1):
        alone = drawn(make, _lone(name))[0].ids == number
        expected = _footprint(name)
        off = int((alone != expected).sum())
        if off > EDGE_PX * np.sqrt(expected.sum()) + 2:
            yield f"`ids`: {name} alone differs from its projection in {off} pixels"
        if ((together.ids == number) & ~alone).any():
            yield f"`ids`: {name} is seen among others where it is not seen alone"
        if (
            together.amodal is not None
            and int(together.amodal.covered_px[number - 1]) != alone.sum()
        ):
            yield f"`amodal`: {name} covers another number of pixels than it shows alone"


def _depths(make: RendererMaker) -> Iterator[str]:
    """The floor is a plane: the ray through a pixel's centre meets it at a known depth."""
    frame, view = drawn(make, _lone("floor"))[0], view_of(CAMERA, SIZE)
    rows, columns = np.nonzero(frame.ids == 1)
    top = np.abs(rows - np.median(rows)) < 0.25 * np.ptp(rows)
    rows, columns = rows[top], columns[top]
    rays = np.stack([columns + 0.5 - SIZE[0] / 2, rows + 0.5 - SIZE[1] / 2], axis=1)
    rays = np.column_stack([rays / view.focal_px, np.ones(len(rays))]) @ view.rotation
    expected = -view.eye_m[2] / rays[:, 2]
    error = np.abs(frame.depth_m[rows, columns] / expected - 1.0).max(initial=0.0)
    if not error <= DEPTH:
        yield f"`depth_m`: off by up to {error:.2%} at the floor's pixels' centres"


def _details(make: RendererMaker) -> Iterator[str]:
    with make(SPEC, BODIES, SIZE) as renderer:
        if not isinstance(renderer, DetailedRenderer):
            return
        frame = renderer.render(at_rest())
        bodies, normals, shadows = renderer.bodies(), renderer.normals(), renderer.shadows()
        objects = [0] + [1 + OBJECTS.index(body.object_name) for body in SPEC.bodies]
        if bodies.shape != frame.ids.shape or bodies.dtype != np.int32:
            yield f"`bodies`: found {bodies.shape} {bodies.dtype}"
        elif not np.array_equal(np.array(objects)[bodies + 1], frame.ids):
            yield "`bodies`: expected rows of the poses whose objects are those of `ids`"
        if normals.shape != frame.rgb.shape or normals.dtype != np.float32:
            yield f"`normals`: found {normals.shape} {normals.dtype}"
        elif not np.allclose(np.linalg.norm(normals, axis=2), frame.ids > 0, atol=1e-4):
            yield "`normals`: expected unit vectors, and 0 in the background"
        if shadows.shape != (len(OBJECTS), *frame.ids.shape) or shadows.dtype != np.bool_:
            yield f"`shadows`: found {shadows.shape} {shadows.dtype}"
        elif not shadows[2].any() or shadows[4].any():
            yield "`shadows`: expected some of the ball's and none of what is absent"
        if digest([renderer.render(at_rest())]) != digest([frame]):
            yield "asking for details changes the next frame"


def _colours(make: RendererMaker) -> Iterator[str]:
    """A body's colour shows, and what is not there has none."""
    painted = [replace(b, color="green") if b.name == "ball" else b for b in SPEC.bodies]
    before = drawn(make, at_rest())[0]
    after = drawn(make, at_rest(), spec=replace(SPEC, bodies=tuple(painted)))[0]
    if not (before.rgb != after.rgb)[before.ids == 3].any():
        yield "`rgb`: a ball of another colour looks the same"
    if not np.array_equal(before.ids, after.ids):
        yield "`ids`: they change with a colour"


CHECKS: tuple[Callable[[RendererMaker], Iterator[str]], ...] = (
    _names, _arrays, _bits, _places, _depths, _details, _colours,
)  # fmt: skip
