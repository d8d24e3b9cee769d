"""The plausibility audit: what no rollout may do, checked at every step."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from simworld.errors import PlausibilityError
from simworld.world.engine import GRAVITY_M_S2, STEP_S, Engine
from simworld.world.rollout import Rollout
from simworld.world.spec import Box, Shape, Sphere, WorldSpec

OVERLAP_M = 0.005
"""Bodies may overlap deeper than this only for `OVERLAP_STEPS` steps (a hard landing)."""
SOFT_OVERLAP_M = 0.035
"""The same where one of the two is soft: a pad gives way."""
OVERLAP_STEPS = 12
ROOM_M = 15.0
"""Half the side of the cube in which every body stays."""
FLOOR_M = -0.2
ENERGY_WINDOW_STEPS = 48
"""A spring may give back what it took within this many steps."""
ENERGY_SHARE = 0.02
ENERGY_FLOOR_J = 0.005


class Watch:
    """Looks at a run and raises PlausibilityError at the first impossibility."""

    def __init__(self, spec: WorldSpec) -> None:
        """Note the thinnest obstacle, which nothing may cross within one step, and the pads."""
        thicknesses = (_thickness_m(body.shape) for body in spec.bodies if body.present)
        self.fastest_m_s = min(thicknesses, default=math.inf) / STEP_S
        self.soft = {body.name for body in spec.bodies if body.soft is not None}
        self.overlapping: dict[tuple[str, str], int] = {}

    def check_overlap(self, step: int, engine: Engine) -> None:
        """Refuse bodies that stay inside each other; called after every step."""
        deep = {}
        for (a, b), depth in engine.deepest_m.items():
            if depth >= -OVERLAP_M:
                continue
            limit = SOFT_OVERLAP_M if a in self.soft or b in self.soft else OVERLAP_M
            if depth >= -limit:
                continue
            deep[a, b] = self.overlapping.get((a, b), 0) + 1
            if deep[a, b] > OVERLAP_STEPS:
                raise PlausibilityError(
                    f"step {step}: {a} and {b} have overlapped for {deep[a, b]} steps, now by "
                    f"{-1e3 * depth:.1f} mm (at most {1e3 * limit:.0f} mm for {OVERLAP_STEPS})"
                )
        self.overlapping = deep

    def check_late(self, late: Mapping[str, int]) -> None:
        """Refuse a rollout in which an event came after the step by which it was settled."""
        for name, step in late.items():
            raise PlausibilityError(f"step {step}: {name} happened after its deadline")

    def check_states(self, rollout: Rollout, engine: Engine, disturbed: set[int]) -> None:
        """Refuse lost bodies, speeds that could tunnel, and energy that nothing put in.

        `disturbed` are the steps in which a script or a handle acted.
        """
        columns = [k for k, name in enumerate(rollout.bodies) if engine.mass_kg[name] > 0]
        names = [rollout.bodies[k] for k in columns]
        states = rollout.states[:, columns]
        self._check_places(names, states)
        self._check_speeds(names, states)
        mass = np.array([engine.mass_kg[name] for name in names])
        inertia = np.array([engine.inertia[name] for name in names]).reshape(-1, 3)
        check_energy(energy_j(states, mass, inertia), disturbed)

    def _check_places(self, names: list[str], states: NDArray[np.float64]) -> None:
        place = states[:, :, :3]
        lost = (np.abs(place) > ROOM_M).any(axis=2) | (place[:, :, 2] < FLOOR_M)
        if lost.any():
            step, k = np.argwhere(lost)[0]
            where = tuple(round(float(x), 2) for x in place[step, k])
            raise PlausibilityError(f"step {step}: {names[k]} left the room at {where} m")

    def _check_speeds(self, names: list[str], states: NDArray[np.float64]) -> None:
        speed = np.sqrt((states[:, :, 7:10] ** 2).sum(axis=2))
        fast = speed > self.fastest_m_s
        if fast.any():
            step, k = np.argwhere(fast)[0]
            raise PlausibilityError(
                f"step {step}: {names[k]} moves at {speed[step, k]:.1f} m/s, fast enough to cross "
                f"the thinnest obstacle within a step (at most {self.fastest_m_s:.1f} m/s)"
            )


def _thickness_m(shape: Shape) -> float:
    if isinstance(shape, Box):
        return 2.0 * min(shape.half_extents_m)
    if isinstance(shape, Sphere):
        return 2.0 * shape.radius_m
    return min(2.0 * shape.radius_m, shape.height_m)


def energy_j(
    states: NDArray[np.float64], mass_kg: NDArray[np.float64], inertia: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Kinetic plus potential energy of all bodies after each step, (S,) in joules.

    Args:
        states: (S, N, 13), NaN where a body does not exist.
        mass_kg: (N,).
        inertia: (N, 3) principal moments in the body's frame, kg m^2.
    """
    quat, spin = states[:, :, 3:7], states[:, :, 10:13]
    axis = -quat[:, :, :3]
    turned = 2.0 * np.cross(axis, spin)
    local = spin + quat[:, :, 3:] * turned + np.cross(axis, turned)
    kinetic = 0.5 * mass_kg * (states[:, :, 7:10] ** 2).sum(axis=2)
    rotation = 0.5 * (inertia * local**2).sum(axis=2)
    potential = mass_kg * GRAVITY_M_S2 * states[:, :, 2]
    total: NDArray[np.float64] = np.nansum(kinetic + rotation + potential, axis=1)
    return total


def check_energy(energy: NDArray[np.float64], disturbed: set[int]) -> None:
    """Refuse energy (S,) in joules that rises above what it was within the last 0.2 s."""
    start = 0
    for step in range(1, len(energy)):
        if step in disturbed:
            start = step
            continue
        ceiling = float(energy[max(start, step - ENERGY_WINDOW_STEPS) : step].max())
        if energy[step] > ceiling + ENERGY_SHARE * abs(ceiling) + ENERGY_FLOOR_J:
            raise PlausibilityError(
                f"step {step}: energy rose from {ceiling:.4f} J to {energy[step]:.4f} J "
                "and nothing put it in"
            )
