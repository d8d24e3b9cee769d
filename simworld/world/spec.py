"""What a world is made of, as plain data: bodies, scripted actions, camera, clock.

Everything here is a frozen dataclass that can be pickled, compared and written as JSON.
A spec has no behaviour: the engine turns it into a simulation.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from simworld.errors import InputError
from simworld.world.detectors import Detector
from simworld.world.handles import ForceStart, Handle, HoldHandle, KeepStill
from simworld.world.movers import Mover

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]

STEPS_PER_S = 240
"""The one internal clock: physics steps a second."""


@dataclass(frozen=True, slots=True)
class Box:
    """A box, by its half extents along x, y, z in metres."""

    half_extents_m: Vec3


@dataclass(frozen=True, slots=True)
class Sphere:
    """A ball."""

    radius_m: float


@dataclass(frozen=True, slots=True)
class Cylinder:
    """An upright cylinder centred on its middle."""

    radius_m: float
    height_m: float


@dataclass(frozen=True, slots=True)
class Mug:
    """A mug: it looks hollow and has a handle, and collides as an upright cylinder."""

    radius_m: float
    height_m: float
    wall_m: float = 0.006


@dataclass(frozen=True, slots=True)
class Vase:
    """A hollow vase with a belly, a neck and a lip; it collides as an upright cylinder."""

    radius_m: float
    height_m: float
    wall_m: float = 0.006


@dataclass(frozen=True, slots=True)
class Bottle:
    """A hollow bottle with shoulders and a narrow neck; it collides as an upright cylinder."""

    radius_m: float
    height_m: float
    wall_m: float = 0.004


Hollow = Cylinder | Mug | Vase | Bottle
"""What can break."""

Shape = Box | Sphere | Hollow


@dataclass(frozen=True, slots=True)
class Breakable:
    """How a hollow body breaks: by the peak, not the total, of what hits it.

    It breaks at the first step in which one other body gives it an impulse of more than
    `peak_m_s` times its mass; with None no hit breaks it. The shards are cut beforehand:
    `rings` along the height, `sectors` around it, all of one mass, shrunk so that they do not
    overlap.
    """

    peak_m_s: float | None
    sectors: int = 6
    rings: int = 2
    shrink: float = 0.85


@dataclass(frozen=True, slots=True)
class Soft:
    """A yielding surface, as a contact spring and damper."""

    stiffness_n_m: float
    damping_n_s_m: float


@dataclass(frozen=True, slots=True)
class Hinge:
    """What binds a body to the world so that it can do nothing but turn about an axis.

    The axis goes through `at_m` along `axis`, both in the world when the body is where it starts.
    `friction_n_m` is a torque that works against every turn and holds it up when it is slow.
    """

    at_m: Vec3
    axis: Vec3
    friction_n_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Body:
    """One rigid body.

    `name` is unique; bodies with one `thing` are parts of one object that people name.
    A `mass_kg` of 0 is static. A body that is not `present` keeps its place in the order
    of creation, parked out of sight and touching nothing. A `nuisance` body is made last.
    `material` is what it looks to be made of; None lets the renderer tell from the rest.
    """

    name: str
    shape: Shape
    position_m: Vec3
    quat_xyzw: Quat = (0.0, 0.0, 0.0, 1.0)
    mass_kg: float = 0.0
    friction: float = 0.5
    rolling_friction: float = 0.0
    restitution: float = 0.1
    soft: Soft | None = None
    breakable: Breakable | None = None
    hinge: Hinge | None = None
    color: str = "grey"
    thing: str = ""
    present: bool = True
    nuisance: bool = False
    material: str | None = None

    @property
    def object_name(self) -> str:
        """Name the object that this body is, or is a part of."""
        return self.thing or self.name


@dataclass(frozen=True, slots=True)
class Launch:
    """A scripted action: at `step` the body gets this velocity.

    A body on a hinge takes from the spin what is about its axis, and no velocity.
    """

    body: str
    step: int
    velocity_m_s: Vec3
    spin_rad_s: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole camera; `fov_deg` is the vertical field of view."""

    eye_m: Vec3
    target_m: Vec3
    up: Vec3 = (0.0, 0.0, 1.0)
    fov_deg: float = 40.0
    near_m: float = 0.05
    far_m: float = 20.0


@dataclass(frozen=True)
class WorldSpec:
    """One world to simulate.

    `handles` are always all there, armed or not: `armed` maps a variable to the value that
    its handle brings about in this run. `deadlines` maps each event variable to the step
    by which it has occurred or never will.

    Raises:
        InputError: Two bodies share a name, something names a body that is not there or cannot
            do what is asked of it, or an event has no deadline.
    """

    bodies: tuple[Body, ...]
    actions: tuple[Launch | Mover, ...]
    camera: Camera
    duration_steps: int
    detectors: Mapping[str, Detector]
    handles: tuple[Handle, ...] = ()
    deadlines: Mapping[str, int] = field(default_factory=dict)
    armed: Mapping[str, int] = field(default_factory=dict)
    light_direction: Vec3 = (-0.35, -0.55, 1.0)

    def __post_init__(self) -> None:
        """Check that names fit together."""
        names: set[str] = set()
        for body in self.bodies:
            if body.name in names or "#" in body.name:
                raise InputError(
                    f"expected every body to have a name of its own, without '#', found "
                    f"{body.name!r}; rename it"
                )
            names.add(body.name)
        users: list[tuple[str, object]] = [("an action", action) for action in self.actions]
        users += [(f"the handle of {handle.variable}", handle) for handle in self.handles]
        users += [(f"the detector of {name}", item) for name, item in self.detectors.items()]
        for user, item in users:
            for name in bodies_named_by(item):
                if name not in names:
                    raise InputError(
                        f"{user} names the body {name!r}; the world's bodies are "
                        f"{', '.join(sorted(names))}"
                    )
        for name, detector in self.detectors.items():
            if hasattr(detector, "fires") != (name in self.deadlines):
                raise InputError(
                    f"every event needs a deadline, a condition none: see {name} in `deadlines`"
                )
        self._check_kinds()

    def _check_kinds(self) -> None:
        """Check that movers are static, and that handles and hinges suit their bodies."""
        driven = [mover.body for mover in self.movers]
        for body in self.bodies:
            if body.hinge is not None and (body.mass_kg == 0 or body.breakable is not None):
                raise InputError(f"{body.name}: a body on a hinge needs mass and cannot break")
            if driven.count(body.name) > bool(body.mass_kg == 0):
                raise InputError(f"{body.name}: a mover's body needs mass 0 and has one mover")
        for handle in self.handles:
            starts = isinstance(handle, KeepStill | ForceStart)
            if starts and handle.body not in driven:
                raise InputError(
                    f"the handle of {handle.variable} starts or stops {handle.body}, which has no "
                    "mover among the actions"
                )
            if isinstance(handle, HoldHandle) and handle.body in driven:
                raise InputError(
                    f"the handle of {handle.variable} cannot hold {handle.body}, which a mover "
                    "drives: keep it from starting by KeepStill"
                )

    @property
    def movers(self) -> tuple[Mover, ...]:
        """The actions that move static bodies."""
        return tuple(action for action in self.actions if isinstance(action, Mover))

    def moves(self, name: str) -> bool:
        """Tell whether a body can be anywhere but where it starts."""
        return self.body(name).mass_kg > 0 or any(mover.body == name for mover in self.movers)

    def body(self, name: str) -> Body:
        """Return the body of that name."""
        return self._by_name[name]

    @functools.cached_property
    def _by_name(self) -> dict[str, Body]:
        return {body.name: body for body in self.bodies}

    def to_json(self) -> dict[str, Any]:
        """Return the spec as plain JSON data, types of shapes, handles and detectors named."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def unarmed(self) -> WorldSpec:
        """Return the same world with nothing armed: how all that differ in that alone begin."""
        return replace(self, armed={})

    def digest(self) -> str:
        """Return a sha256 of the spec's canonical JSON."""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def without(spec: WorldSpec, things: Collection[str]) -> WorldSpec:
    """Return the same world in which some objects are not present, nor anything done to them."""
    gone = {body.name for body in spec.bodies if body.object_name in things}
    return replace(
        spec,
        bodies=tuple(replace(b, present=b.present and b.name not in gone) for b in spec.bodies),
        actions=tuple(a for a in spec.actions if isinstance(a, Mover) or a.body not in gone),
    )


def bodies_named_by(item: object) -> Iterator[str]:
    """Yield the bodies that an action, a handle or a detector names."""
    for role in ("body", "other", "surface"):
        if hasattr(item, role):
            yield getattr(item, role)
    yield from getattr(item, "others", ())
    if isinstance(item, Mover) and not isinstance(item.start, int):
        yield from bodies_named_by(item.start)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"type": type(value).__name__, **fields}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in sorted(value.items())}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
