"""A body's lean from upright is seen whatever its heading, and a hold keeps it upright."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simworld.world.detectors import Present, Tilted
from simworld.world.handles import HoldTilted
from simworld.world.simulate import simulate
from simworld.world.spec import Body, Box, Launch, Quat
from tests.worlds import FLOOR, cube, world


def leaning(degrees: float, heading_deg: float) -> Quat:
    """Lean by an angle, then turn about the vertical: the product of two quaternions."""
    a, b = math.radians(degrees) / 2, math.radians(heading_deg) / 2
    return (
        -math.sin(b) * math.sin(a),
        math.cos(b) * math.sin(a),
        math.sin(b) * math.cos(a),
        math.cos(b) * math.cos(a),
    )


@pytest.mark.parametrize("heading_deg", [0, 90, 200])
@pytest.mark.parametrize("degrees", [0, 19, 21, 90, 180])
def test_a_lean_is_measured_from_upright_and_no_turn_counts(workers, degrees, heading_deg):
    body = cube(at=(0, 0, 5), quat_xyzw=leaning(degrees, heading_deg))
    spec = world(body, detectors={"lean": Tilted("cube", 20)}, deadlines={"lean": 9}, steps=9)
    assert workers.call(simulate, spec).outcome.values["lean"] == int(degrees > 20)


DOMINO = Body("domino", Box((0.015, 0.04, 0.08)), (0, 0, 0.08), mass_kg=0.05, restitution=0.0)
TOPPLES = Launch("domino", 10, (0.32, 0.0, 0.0), (0.0, 4.0, 0.0))


@pytest.mark.parametrize("armed", [{}, {"fall": 0}], ids=["free", "held"])
def test_hold_tilted_keeps_a_toppling_domino_upright(workers, armed):
    spec = world(
        FLOOR,
        DOMINO,
        actions=(TOPPLES,),
        detectors={"fall": Tilted("domino", 20)},
        deadlines={"fall": 200},
        handles=(HoldTilted("fall", "domino", 5.0),),
        armed=armed,
    )
    rollout = workers.call(simulate, spec)
    held = bool(armed)
    assert rollout.outcome.values["fall"] == int(not held)
    assert rollout.outcome.fired == {"fall:=0": int(held)}
    turned = rollout.states[-1, rollout.index("domino"), 3:7]
    lean_deg = 2 * math.degrees(math.asin(np.hypot(*turned[:2])))
    assert lean_deg == pytest.approx(6.0 if held else 90.0, abs=1.5)


def test_what_stands_in_the_scene_is_present(workers):
    bodies = (FLOOR, DOMINO, replace(DOMINO, name="other", present=False))
    there = {"here": Present("domino"), "gone": Present("other")}
    spec = world(*bodies, detectors=there, steps=2)
    assert workers.call(simulate, spec).outcome.values == {"here": 1, "gone": 0}
