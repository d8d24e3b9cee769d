"""Bodies on hinges: how pybullet makes, turns and stops them.

Such a body is the only link of a fixed base that has no shape and is at the hinge. One joint angle
is all that there is to solve for: the axis stays where it is, to the last bit, and the energy too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simworld.world.spec import Body, Hinge, Vec3

LINK = 0
"""What pybullet calls the body; the base is -1."""


def centre(bullet: Any, body: Body, hinge: Hinge) -> Vec3:
    """Return where the body's centre is from its hinge, in the body's own frame."""
    x, y, z = _own(bullet, body, np.subtract(body.position_m, hinge.at_m))
    return x, y, z


def add(bullet: Any, client: int, body: Body, hinge: Hinge, shape: int) -> int:
    """Make a body that turns about a hinge and return pybullet's number for it.

    Args:
        bullet: The module pybullet.
        client: Its client.
        body: The body.
        hinge: Its hinge.
        shape: Its collision shape, shifted by `centre`.
    """
    made: int = bullet.createMultiBody(
        basePosition=hinge.at_m,
        baseOrientation=body.quat_xyzw,
        linkMasses=[body.mass_kg],
        linkCollisionShapeIndices=[shape],
        linkVisualShapeIndices=[-1],
        linkPositions=[(0.0, 0.0, 0.0)],
        linkOrientations=[(0.0, 0.0, 0.0, 1.0)],
        linkInertialFramePositions=[centre(bullet, body, hinge)],
        linkInertialFrameOrientations=[(0.0, 0.0, 0.0, 1.0)],
        linkParentIndices=[0],
        linkJointTypes=[bullet.JOINT_REVOLUTE],
        linkJointAxis=[_own(bullet, body, np.array(hinge.axis) / math.hypot(*hinge.axis))],
        physicsClientId=client,
    )
    bullet.changeDynamics(made, LINK, jointDamping=0.0, physicsClientId=client)
    free(bullet, client, made, hinge)
    return made


def _own(bullet: Any, body: Body, vector: Any) -> list[float]:
    """Turn a vector of the world into the body's own frame."""
    turn = np.array(bullet.getMatrixFromQuaternion(body.quat_xyzw)).reshape(3, 3)
    own: list[float] = (turn * np.asarray(vector)[:, None]).sum(axis=0).tolist()
    return own


def free(bullet: Any, client: int, made: int, hinge: Hinge) -> None:
    """Let nothing but its friction work against a hinge: a weak motor that wants it to stand."""
    bullet.setJointMotorControl2(
        made,
        LINK,
        bullet.VELOCITY_CONTROL,
        targetVelocity=0.0,
        force=hinge.friction_n_m,
        physicsClientId=client,
    )


def set_spin(bullet: Any, client: int, made: int, hinge: Hinge, spin_rad_s: Vec3) -> None:
    """Have a hinged body turn by what of a spin is about its axis."""
    along = sum(s * a for s, a in zip(spin_rad_s, hinge.axis, strict=True))
    angle = bullet.getJointState(made, LINK, physicsClientId=client)[0]
    rate = along / math.hypot(*hinge.axis)
    bullet.resetJointState(made, LINK, angle, rate, physicsClientId=client)


def hold(bullet: Any, client: int, made: int, hinge: Hinge, force_n_m: float) -> None:
    """Stop a hinged body where it is, and have a motor keep it there."""
    set_spin(bullet, client, made, hinge, (0.0, 0.0, 0.0))
    bullet.setJointMotorControl2(
        made,
        LINK,
        bullet.POSITION_CONTROL,
        targetPosition=bullet.getJointState(made, LINK, physicsClientId=client)[0],
        force=force_n_m,
        physicsClientId=client,
    )
