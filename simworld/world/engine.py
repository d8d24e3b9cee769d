"""The engine: turns a spec into a pybullet simulation and reads it at every step.

Every solver parameter is set, none left to its default, and `PHYSICS` goes into manifests.
`solverResidualThreshold` 0 and `deterministicOverlappingPairs` 1 keep a far bystander from
changing anybody's bits. A fresh client serves each simulation.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from simworld.errors import SimworldError
from simworld.executors import in_worker
from simworld.world import hinges
from simworld.world.fracture import cut
from simworld.world.rollout import Contacts
from simworld.world.spec import (
    STEPS_PER_S,
    Body,
    Box,
    Hinge,
    Hollow,
    Sphere,
    Vec3,
    WorldSpec,
)

STEP_S = 1.0 / STEPS_PER_S
GRAVITY_M_S2 = 9.81

PHYSICS: dict[str, float | int] = {
    "fixedTimeStep": STEP_S,
    "numSubSteps": 0,
    "numSolverIterations": 50,
    "solverResidualThreshold": 0.0,
    "deterministicOverlappingPairs": 1,
    "minimumSolverIslandSize": 128,
    "useSplitImpulse": 1,
    "splitImpulsePenetrationThreshold": -0.04,
    "contactBreakingThreshold": 0.002,
    "contactSlop": 0.0,
    "erp": 0.2,
    "contactERP": 0.2,
    "frictionERP": 0.2,
    "enableConeFriction": 1,
    "restitutionVelocityThreshold": 0.05,
    "allowedCcdPenetration": 0.04,
    "collisionFilterMode": 1,
    "enableFileCaching": 0,
}
"""Arguments of setPhysicsEngineParameter.

A step mends the share `erp` of an overlap, and a hard hit keeps that as speed: bodies bounce with
up to `erp` more than their restitutions' product, which should therefore stay below 0.8.
"""

PARKED_M: Vec3 = (0.0, 0.0, -50.0)
HOLD_FORCE_N = 1e4
HELD_BY_HINGE = -1
"""In place of the number of a constraint."""


def load_pybullet() -> ModuleType:
    """Import pybullet without the line that its C code prints at import."""
    if "pybullet" not in sys.modules:
        sys.stderr.flush()
        saved = os.dup(2)
        try:
            with open(os.devnull, "w") as sink:  # noqa: PTH123
                os.dup2(sink.fileno(), 2)
            import pybullet
        finally:
            os.dup2(saved, 2)
            os.close(saved)
    import pybullet

    module: ModuleType = pybullet
    return module


@functools.lru_cache(maxsize=256)
def shards_inertia(body: Body) -> Vec3:
    """Return the sum of a body's shards' moments of inertia about its centre, kg m^2.

    Each shard's own is pybullet's, measured in a client apart, so that no other world notices.
    """
    bullet = load_pybullet()
    shards = cut(body)
    mass = body.mass_kg / len(shards)
    total = np.zeros(3)
    client = bullet.connect(bullet.DIRECT)
    try:
        for shard in shards:
            shape = bullet.createCollisionShape(
                bullet.GEOM_MESH, vertices=shard.points_m, physicsClientId=client
            )
            probe = bullet.createMultiBody(mass, shape, physicsClientId=client)
            own = np.array(bullet.getDynamicsInfo(probe, -1, physicsClientId=client)[2])
            x, y, z = shard.offset_m
            total += own + mass * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    finally:
        bullet.disconnect(client)
    return float(total[0]), float(total[1]), float(total[2])


def creation_order(spec: WorldSpec) -> tuple[Body, ...]:
    """Order bodies as they are made: as declared, nuisances last."""
    return tuple(sorted(spec.bodies, key=lambda body: body.nuisance))


@contextmanager
def open_engine(spec: WorldSpec) -> Iterator[Engine]:
    """Build a world in a fresh client, and close it afterwards."""
    if not in_worker():
        raise SimworldError(
            "physics runs in worker processes only, whose arithmetic is the same on every "
            "machine: call it through simworld.executors.Workers"
        )
    bullet = load_pybullet()
    client = bullet.connect(bullet.DIRECT)
    try:
        yield Engine(bullet, client, spec)
    finally:
        bullet.disconnect(client)


class Engine:
    """One running world: bodies by name, one step at a time."""

    def __init__(self, bullet: Any, client: int, spec: WorldSpec) -> None:
        """Set the solver's parameters and make every body."""
        self.bullet, self.client, self.spec = bullet, client, spec
        self.names: dict[int, str] = {}
        self.ids: dict[str, int] = {}
        self.hinges: dict[int, Hinge] = {}
        self.inertia: dict[str, Vec3] = {}
        self.mass_kg: dict[str, float] = {}
        self.moving: list[str] = []
        self.held: dict[str, int] = {}
        self.belts: set[str] = set()
        self.deepest_m: dict[tuple[str, str], float] = {}
        bullet.setPhysicsEngineParameter(**PHYSICS, physicsClientId=client)
        bullet.setGravity(0.0, 0.0, -GRAVITY_M_S2, physicsClientId=client)
        for body in creation_order(spec):
            self._make(body)

    def _collision_shape(self, body: Body, at_m: Vec3 = (0.0, 0.0, 0.0)) -> int:
        bullet, shape = self.bullet, body.shape
        kind: dict[str, Any]
        if isinstance(shape, Box):
            kind = {"shapeType": bullet.GEOM_BOX, "halfExtents": shape.half_extents_m}
        elif isinstance(shape, Sphere):
            kind = {"shapeType": bullet.GEOM_SPHERE, "radius": shape.radius_m}
        elif isinstance(shape, Hollow):
            kind = {
                "shapeType": bullet.GEOM_CYLINDER,
                "radius": shape.radius_m,
                "height": shape.height_m,
            }
        made: int = bullet.createCollisionShape(
            **kind, collisionFramePosition=at_m, physicsClientId=self.client
        )
        return made

    def _make(self, body: Body) -> None:
        if not body.present:
            shape = self._collision_shape(body)
            self._add(body.name, shape, 0.0, PARKED_M, body.quat_xyzw, body)
            self.bullet.setCollisionFilterGroupMask(
                self.ids[body.name], -1, 0, 0, physicsClientId=self.client
            )
        elif body.hinge is not None:
            shape = self._collision_shape(body, hinges.centre(self.bullet, body, body.hinge))
            made = hinges.add(self.bullet, self.client, body, body.hinge, shape)
            self.hinges[made] = body.hinge
            self._register(body.name, made, body.mass_kg, body)
        else:
            shape = self._collision_shape(body)
            self._add(body.name, shape, body.mass_kg, body.position_m, body.quat_xyzw, body)
            if self.spec.moves(body.name) and body.mass_kg == 0:
                self.moving.append(body.name)
        if body.breakable is not None and body.present:
            self._give_shards_inertia(body)

    def _add(
        self, name: str, shape: int, mass: float, place: Any, quat: Any, material: Body
    ) -> None:
        made = self.bullet.createMultiBody(
            mass, shape, -1, place, quat, physicsClientId=self.client
        )
        self._register(name, made, mass, material)

    def _register(self, name: str, made: int, mass: float, material: Body) -> None:
        """Give a body its material, and remember what it is."""
        link = hinges.LINK if made in self.hinges else -1
        soft = {}
        if material.soft is not None:
            soft = {
                "contactStiffness": material.soft.stiffness_n_m,
                "contactDamping": material.soft.damping_n_s_m,
            }
        self.bullet.changeDynamics(  # sleep is the base's; a call for a link drops all beside it
            made,
            -1,
            linearDamping=0.0,
            angularDamping=0.0,
            activationState=self.bullet.ACTIVATION_STATE_DISABLE_SLEEPING,
            physicsClientId=self.client,
        )
        self.bullet.changeDynamics(
            made,
            link,
            lateralFriction=material.friction,
            rollingFriction=material.rolling_friction,
            spinningFriction=0.0,
            restitution=material.restitution,
            physicsClientId=self.client,
            **soft,
        )
        self.ids[name], self.names[made] = made, name
        self.mass_kg[name] = mass
        self.moving += [name] if mass > 0 else []
        known = self.bullet.getDynamicsInfo(made, link, physicsClientId=self.client)
        self.inertia[name] = known[2]

    def _shard_shape(self, points: tuple[Vec3, ...]) -> int:
        made: int = self.bullet.createCollisionShape(
            self.bullet.GEOM_MESH,
            vertices=points,
            physicsClientId=self.client,
        )
        return made

    def _give_shards_inertia(self, body: Body) -> None:
        """Set the intact body's inertia to the sum of its shards', so that fracture keeps spin."""
        total = shards_inertia(body)
        self.bullet.changeDynamics(
            self.ids[body.name], -1, localInertiaDiagonal=total, physicsClientId=self.client
        )
        self.inertia[body.name] = total

    def step(self) -> Contacts:
        """Advance by one step and return its contacts."""
        self.bullet.stepSimulation(physicsClientId=self.client)
        self._return_belts()
        impulses: dict[tuple[str, str], float] = {}
        self.deepest_m = {}
        for point in self.bullet.getContactPoints(physicsClientId=self.client):
            if point[9] <= 0.0:
                continue
            a, b = self.names[point[1]], self.names[point[2]]
            pair = (a, b) if a < b else (b, a)
            impulses[pair] = impulses.get(pair, 0.0) + point[9] * STEP_S
            self.deepest_m[pair] = min(self.deepest_m.get(pair, 0.0), point[8])
        return tuple((a, b, impulses[a, b]) for a, b in sorted(impulses))

    def state(self, name: str) -> tuple[float, ...]:
        """Return position, quaternion, velocity and spin of a body, 13 numbers."""
        body = self.ids[name]
        if body in self.hinges:
            link = self.bullet.getLinkState(body, hinges.LINK, 1, 1, physicsClientId=self.client)
            return (*link[0], *link[1], *link[6], *link[7])
        place, quat = self.bullet.getBasePositionAndOrientation(body, physicsClientId=self.client)
        velocity, spin = self.bullet.getBaseVelocity(body, physicsClientId=self.client)
        return (*place, *quat, *velocity, *spin)

    def set_velocity(self, name: str, velocity_m_s: Vec3, spin_rad_s: Vec3) -> None:
        """Give a body this velocity and spin; one on a hinge takes the spin about its axis."""
        body = self.ids[name]
        if body in self.hinges:
            hinges.set_spin(self.bullet, self.client, body, self.hinges[body], spin_rad_s)
        else:
            self.bullet.resetBaseVelocity(
                body, velocity_m_s, spin_rad_s, physicsClientId=self.client
            )

    def run_belt(self, name: str, velocity_m_s: Vec3) -> None:
        """Let the surface of a static body go at this velocity in the next step."""
        self.set_velocity(name, velocity_m_s, (0.0, 0.0, 0.0))
        self.belts.add(name)

    def _return_belts(self) -> None:
        """Put belts back to where they are, without the velocity that their surface had."""
        for name in sorted(self.belts):
            body = self.spec.body(name)
            self.bullet.resetBasePositionAndOrientation(
                self.ids[name], body.position_m, body.quat_xyzw, physicsClientId=self.client
            )
            self.set_velocity(name, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        self.belts.clear()

    def gap_m(self, a: str, b: str, within_m: float) -> float:
        """Return the distance between two bodies, infinity if it is over `within_m`."""
        points = self.bullet.getClosestPoints(
            self.ids[a], self.ids[b], within_m, physicsClientId=self.client
        )
        return min((point[8] for point in points), default=float("inf"))

    def hold(self, name: str) -> None:
        """Stop a body and fix it to the world where it is."""
        body = self.ids[name]
        if body in self.hinges:
            hinges.hold(self.bullet, self.client, body, self.hinges[body], HOLD_FORCE_N)
            self.held[name] = HELD_BY_HINGE
            return
        place, quat = self.bullet.getBasePositionAndOrientation(body, physicsClientId=self.client)
        self.set_velocity(name, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        joint = self.bullet.createConstraint(
            body,
            -1,
            -1,
            -1,
            self.bullet.JOINT_FIXED,
            [0, 0, 0],
            [0, 0, 0],
            place,
            [0, 0, 0, 1],
            quat,
            physicsClientId=self.client,
        )
        self.bullet.changeConstraint(joint, maxForce=HOLD_FORCE_N, physicsClientId=self.client)
        self.held[name] = joint

    def release(self, name: str) -> None:
        """End the hold on a body, if there is one."""
        joint = self.held.pop(name, None)
        if joint == HELD_BY_HINGE:
            body = self.ids[name]
            hinges.free(self.bullet, self.client, body, self.hinges[body])
        elif joint is not None:
            self.bullet.removeConstraint(joint, physicsClientId=self.client)

    def shatter(self, name: str) -> tuple[str, ...]:
        """Replace a body by its shards, each moving as its place on the body did."""
        body = self.spec.body(name)
        state = self.state(name)
        place, quat = np.array(state[:3]), state[3:7]
        velocity, spin = np.array(state[7:10]), np.array(state[10:13])
        turn = np.array(self.bullet.getMatrixFromQuaternion(quat)).reshape(3, 3)
        self.release(name)
        self.bullet.removeBody(self.ids.pop(name), physicsClientId=self.client)
        self.moving.remove(name)
        shards = cut(body)
        mass = body.mass_kg / len(shards)
        for number, shard in enumerate(shards):
            piece = f"{name}#{number}"
            arm = (turn * np.array(shard.offset_m)).sum(axis=1)
            shape = self._shard_shape(shard.points_m)
            self._add(piece, shape, mass, (place + arm).tolist(), quat, body)
            at = velocity + np.cross(spin, arm)
            self.set_velocity(piece, tuple(at.tolist()), tuple(spin.tolist()))
        return tuple(f"{name}#{number}" for number in range(len(shards)))
