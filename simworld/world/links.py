"""Links of chain-reaction machines: toppling, swinging, rolling and dropping things on the floor.

Each stands in a lane along x and hands on, towards greater x, what it is given: it is hit from the
left, or set off by a button, and what it hits next has its near side at `next_x`. A link is at rest
until then, and all of its energy comes from its own height, so that chains may be as long as one
likes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from simworld.world.detectors import (
    Broke,
    DroppedBelow,
    EventDetector,
    Moved,
    Tilted,
    Touched,
    Turned,
)
from simworld.world.furniture import ball
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceStart,
    Handle,
    HoldMoved,
    HoldPast,
    HoldTilted,
    HoldTurned,
    KeepStill,
    KeepWhole,
)
from simworld.world.movers import Mover
from simworld.world.spec import STEPS_PER_S, Body, Box, Cylinder, Hinge, Quat, Shape, Vase, Vec3

BUTTON_M = 0.04
"""Half the side of a button, which is a cube."""
HAMMER_M, HINGE_Z_M = 0.26, 0.30
"""Length of a hammer, and how high it hangs."""
SLOPE_RAD, RAMP_M = math.radians(18.0), 0.40
TILT: Quat = (0.0, math.sin(SLOPE_RAD / 2), 0.0, math.cos(SLOPE_RAD / 2))
BALL_M, UP_M = 0.05, 0.28
"""Radius of a ball on a ramp, and how far up it waits."""
LEDGE_M, VASE = 0.30, Vase(radius_m=0.05, height_m=0.14)
"""Height of a trapdoor, and the vase on the last one."""


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a machine: what kind it is, and its number, colour and times.

    `step` is when its event is forced, `deadline` by when it has occurred or never will.
    """

    kind: str
    number: int
    color: str
    step: int
    deadline: int

    @property
    def name(self) -> str:
        """Name the body that it is about."""
        return f"{self.kind}_{self.number}"

    @property
    def variable(self) -> str:
        """Name its event."""
        return f"{KINDS[self.kind].event}_{self.number}"


@dataclass(frozen=True, slots=True)
class Part:
    """What one link is made of; what it hits next has its near side at `next_x`."""

    bodies: tuple[Body, ...]
    detector: EventDetector
    handles: tuple[Handle, ...]
    next_x: float
    movers: tuple[Mover, ...] = ()


def static(name: str, shape: Shape, at: Vec3, thing: str) -> Body:
    """Return a brown part of a stand."""
    return Body(name, shape, at, color="brown", thing=thing)


def upright(
    link: Link, x: float, y: float, start: EventDetector, size: Vec3, mass_kg: float, gap_m: float
) -> Part:
    """Return a thing that stands on its narrow side and topples."""
    thick, wide, high = size
    spin = 4.0
    body = Body(link.name, Box((thick / 2, wide / 2, high / 2)), (x + thick / 2, y, high / 2),
                mass_kg=mass_kg, friction=1.0, restitution=0.0, color=link.color)  # fmt: skip
    over = (spin * high / 2, 0.0, spin * thick / 2)
    handles = (
        HoldTilted(link.variable, link.name, degrees=5.0),
        ForceLaunch(link.variable, link.name, link.step, over, (0.0, spin, 0.0)),
    )
    return Part((body,), Tilted(link.name, 20.0), handles, x + thick + gap_m)


def pin(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return the pin that holds up a hammer, and the two posts."""
    hinge_x, pin_x = x + HAMMER_M + 0.03, x + 0.05
    high = HINGE_Z_M + 0.03
    bodies = (
        static(f"{link.name}_post", Box((0.02, 0.02, high / 2)), (pin_x, y + 0.07, high / 2),
               f"{link.name}_stand"),
        static(f"{link.name}_axle", Box((0.02, 0.02, high / 2)), (hinge_x, y + 0.05, high / 2),
               f"{link.name}_stand"),
        Body(link.name, Box((0.012, 0.07, 0.012)), (pin_x, y + 0.03, HINGE_Z_M - 0.032),
             friction=0.0, color=link.color),
    )  # fmt: skip
    handles = (KeepStill(link.variable, link.name), ForceStart(link.variable, link.name, link.step))
    draw = Mover(link.name, start, 20, velocity_m_s=(0.0, 1.5, 0.0))
    return Part(bodies, Moved(link.name, 0.01), handles, x, (draw,))


def hammer(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return a hammer that hangs from a hinge and lies on a pin; it cannot swing through it."""
    hinge_x = x + HAMMER_M + 0.03
    hinge = Hinge(at_m=(hinge_x, y, HINGE_Z_M), axis=(0.0, 1.0, 0.0))
    bar = Body(link.name, Box((HAMMER_M / 2, 0.02, 0.02)), (hinge_x - HAMMER_M / 2, y, HINGE_Z_M),
               mass_kg=0.4, restitution=0.2, hinge=hinge, color=link.color)  # fmt: skip
    handles = (HoldTurned(link.variable, link.name, degrees=4.0),)
    return Part((bar,), Turned(link.name, 20.0), handles, hinge_x + 0.03)


def car(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return a toy car, a low block that slides well."""
    body = Body(link.name, Box((0.06, 0.035, 0.03)), (x + 0.06, y, 0.03), mass_kg=0.2,
                friction=0.1, restitution=0.2, color=link.color)  # fmt: skip
    handles = (
        HoldMoved(link.variable, link.name, distance_m=0.01),
        ForceLaunch(link.variable, link.name, link.step, (1.0, 0.0, 0.0)),
    )
    return Part((body,), Moved(link.name, 0.03), handles, x + 0.24)


def on_ramp(x: float, y: float, up_m: float, above_m: float) -> Vec3:
    """Return the place so far up a stage's ramp from its foot and so far above its surface."""
    c, sine = math.cos(SLOPE_RAD), math.sin(SLOPE_RAD)
    return (x + RAMP_M - up_m * c + above_m * sine, y, up_m * sine + above_m * c)


def gate(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return a ramp with a gate across it, which sinks."""
    top_x, _, high = on_ramp(x, y, RAMP_M, -0.02)
    waits_x, _, waits_z = on_ramp(x, y, UP_M, BALL_M)
    ramp = f"{link.name}_ramp"
    bodies = (
        Body(ramp, Box((RAMP_M / 2, 0.08, 0.01)), on_ramp(x, y, RAMP_M / 2, -0.01), TILT,
             color="brown"),
        static(f"{link.name}_foot", Box((0.02, 0.08, high / 2)), (top_x + 0.03, y, high / 2), ramp),
        Body(link.name, Box((0.01, 0.08, 0.08)), (waits_x + BALL_M + 0.01, y, waits_z + 0.02),
             friction=0.0, restitution=0.0, color=link.color),
    )  # fmt: skip
    handles = (KeepStill(link.variable, link.name), ForceStart(link.variable, link.name, link.step))
    sink = Mover(link.name, start, 30, velocity_m_s=(0.0, 0.0, -2.0))
    return Part(bodies, Moved(link.name, 0.01), handles, x, (sink,))


def rolling(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return a ball that waits on the ramp at the gate; it cannot be made to roll through it."""
    body = ball(link.name, link.color, on_ramp(x, y, UP_M, BALL_M), BALL_M, 0.3, 0.2)
    handles = (HoldMoved(link.variable, link.name, distance_m=0.02),)
    return Part((body,), Moved(link.name, 0.05), handles, x + RAMP_M + 0.15)


def door(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return a door on a hinge at its right-hand side, and the doorpost."""
    hinge = Hinge(at_m=(x + 0.008, y - 0.11, 0.08), axis=(0.0, 0.0, 1.0))
    bodies = (
        static(f"{link.name}_post", Cylinder(0.012, 0.18), (x + 0.008, y - 0.13, 0.09),
               f"{link.name}_post"),
        Body(link.name, Box((0.008, 0.09, 0.07)), (x + 0.008, y - 0.02, 0.08), mass_kg=0.06,
             restitution=0.1, hinge=hinge, color=link.color),
    )  # fmt: skip
    handles = (
        HoldTurned(link.variable, link.name, degrees=4.0),
        ForceLaunch(link.variable, link.name, link.step, (0.0, 0.0, 0.0), (0.0, 0.0, -6.0)),
    )
    return Part(bodies, Turned(link.name, 15.0), handles, x + 0.11)


def trapdoor(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return a ledge between two walls: two flaps that swing down."""
    middle, high = x + 0.15, LEDGE_M / 2
    bodies: list[Body] = []
    handles: list[Handle] = []
    movers: list[Mover] = []
    for side, name in ((-1.0, link.name), (1.0, f"{link.name}_flap")):
        edge = middle + side * 0.10
        bodies += [
            static(f"{name}_wall", Box((0.01, 0.08, high)), (edge + side * 0.01, y, high),
                   f"{link.name}_walls"),
            Body(name, Box((0.049, 0.08, 0.008)), (middle + side * 0.05, y, LEDGE_M - 0.008),
                 friction=0.3, color=link.color, thing=link.name),
        ]  # fmt: skip
        spin = (0.0, -side * math.radians(80) * STEPS_PER_S / 24, 0.0)
        movers.append(Mover(name, start, 24, spin_rad_s=spin,
                            pivot_m=(edge, y, LEDGE_M - 0.016)))  # fmt: skip
        handles += [KeepStill(link.variable, name), ForceStart(link.variable, name, link.step)]
    return Part(tuple(bodies), Turned(link.name, 3.0), tuple(handles), x, tuple(movers))


def weight(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return a weight on the trapdoor, above the next button; it cannot drop through a shut one."""
    high = LEDGE_M + 0.05
    body = Body(link.name, Cylinder(0.045, 0.10), (x + 0.15, y, high), mass_kg=0.3,
                friction=0.3, restitution=0.0, color=link.color)  # fmt: skip
    handles = (HoldPast(link.variable, link.name, (0.0, 0.0, -1.0), limit_m=0.012 - high),)
    return Part((body,), DroppedBelow(link.name, high - 0.05), handles, x + 0.15 - BUTTON_M)


def vase(link: Link, x: float, y: float, start: EventDetector) -> Part:
    """Return the vase on the last trapdoor."""
    body = Body(link.name, VASE, (x + 0.15, y, LEDGE_M + VASE.height_m / 2), mass_kg=0.3,
                friction=0.3, restitution=0.3, color=link.color)  # fmt: skip
    handles = (KeepWhole(link.variable, link.name), ForceBreak(link.variable, link.name, link.step))
    return Part((body,), Broke(link.name), handles, x)


class Kind(NamedTuple):
    """A kind of link: what its event is called, how long that may take in steps, how it is made.

    It `takes` so long from the event before, and has so much `lag` from where it is forced.
    """

    event: str
    takes: int
    lag: int
    make: Callable[[Link, float, float, EventDetector], Part]


KINDS: Mapping[str, Kind] = {
    "domino": Kind("fall", 40, 30, partial(upright, size=(0.03, 0.08, 0.16), mass_kg=0.12,
                                           gap_m=0.09)),
    "book": Kind("tip", 62, 30, partial(upright, size=(0.03, 0.12, 0.20), mass_kg=0.05,
                                        gap_m=0.10)),
    "pin": Kind("draw", 45, 6, pin),
    "hammer": Kind("swing", 42, 0, hammer),
    "car": Kind("slide", 48, 10, car),
    "gate": Kind("open", 45, 6, gate),
    "ball": Kind("roll", 64, 0, rolling),
    "door": Kind("turn", 100, 20, door),
    "trapdoor": Kind("unlatch", 95, 6, trapdoor),
    "weight": Kind("drop", 30, 0, weight),
    "vase": Kind("shatter", 75, 3, vase),
}  # fmt: skip


def schedule(
    stages: Sequence[Sequence[str]], colors: Sequence[str], from_step: int
) -> list[list[Link]]:
    """Number the links of a machine's stages, and give them times and colours.

    No two of a kind have one colour, as long as there are colours enough.

    Args:
        stages: The kinds of each stage's links; all stages but the first begin with a pin, a gate
            or a trapdoor.
        colors: Given out in turn.
        from_step: By when what is before the first link has occurred.
    """
    found: list[list[Link]] = []
    taken: set[tuple[str, str]] = set()
    number, by = 0, from_step
    for kinds in stages:
        found.append([])
        for kind in kinds:
            number += 1
            step = by + KINDS[kind].takes
            by = step + KINDS[kind].lag
            in_turn = [colors[(number - 1 + k) % len(colors)] for k in range(len(colors))]
            color = next((c for c in in_turn if (kind, c) not in taken), in_turn[0])
            taken.add((kind, color))
            found[-1].append(Link(kind, number, color, step, by))
    return found


def assemble(
    stages: Sequence[Sequence[Link]], places: Sequence[tuple[float, float]], first: str
) -> tuple[dict[Link, Part], tuple[Body, ...]]:
    """Make every link of a machine, and the buttons by which one stage sets off the next.

    Args:
        stages: The links.
        places: x and y of where each stage begins.
        first: The body that hits the first link, or else the first button.
    """
    parts: dict[Link, Part] = {}
    buttons: list[Body] = []
    before = first
    for number, (stage, (x, y)) in enumerate(zip(stages, places, strict=True)):
        start = Touched(f"button_{number - 1}", (before,))
        for link in stage:
            parts[link] = KINDS[link.kind].make(link, x, y, start)
            x, before = parts[link].next_x, link.name
        cube = Box((BUTTON_M, BUTTON_M, BUTTON_M))
        place = (x + BUTTON_M, y, BUTTON_M)
        buttons.append(Body(f"button_{number}", cube, place, color="steel"))
    return parts, tuple(buttons[:-1])
