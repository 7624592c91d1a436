# SPDX-License-Identifier: Apache-2.0
"""PyBullet: single precision, `<mimic>` ignored by its importer; couplings as gear constraints."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from aa_dataset.adapters.common import (
    Array,
    ObjectFiles,
    ObjectLike,
    Simulated,
    SimulatorError,
    couplings,
    deepest,
    frame_matrix,
    open_object,
    principal_body,
    require,
)
from aa_dataset.adapters.surroundings import FLOOR_COLORS, Surroundings
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.portable import quaternion_rotation

TIMESTEP = 1 / 480  # s
ITERATIONS = 200  # of the sequential solver; with the default of 50, stacked limits sag
GRAVITY = -9.81  # m/s^2
LIMIT_FORCE = 1e9  # N m or N
HOLDING_FORCE = 1e6  # N m or N
GEAR_FORCE = 1e5  # N m or N, far above what a household object needs
# Bullet's limits for one body: 128 state variables, 7 of them for the base, and 127 link frames.
MOST_MOVING, MOST_JOINTS = 121, 127


def load(
    item: ObjectLike,
    *,
    on_floor: bool = False,
    self_contacts: bool = False,
    dynamics: bool = True,
    scene: bool = False,
    visuals: bool = False,
) -> PybulletObject:
    """Load an object, with `on_floor` resting on z = 0, with `self_contacts` between its parts.

    Without `dynamics` nothing resists its joints; Bullet has damping and friction, no armature.
    A `scene` has both of the above and a floor. With `visuals`, Bullet shows it in a window.
    """
    pybullet = require("pybullet", "the pybullet loader", "pybullet")
    files = open_object(item, dynamics=dynamics)
    _require_few_joints(files)
    _require_display(visuals)
    client = pybullet.connect(pybullet.GUI if visuals else pybullet.DIRECT)
    # By separating axes: the other test of hulls adds a margin of 1 mm that no call removes.
    flags = pybullet.URDF_USE_INERTIA_FROM_FILE | pybullet.URDF_INITIALIZE_SAT_FEATURES
    if self_contacts or scene:
        flags |= pybullet.URDF_USE_SELF_COLLISION
    body = pybullet.loadURDF(
        str(files.urdf), useFixedBase=True, flags=flags, physicsClientId=client
    )
    loaded = PybulletObject(files, pybullet, client, body)
    loaded.raise_by(files.lift(on_floor or scene))
    if scene:
        floor = pybullet.createCollisionShape(pybullet.GEOM_PLANE, physicsClientId=client)
        ground = pybullet.createMultiBody(0, floor, physicsClientId=client)
        color = [*FLOOR_COLORS[0], 1.0]
        pybullet.changeVisualShape(ground, -1, rgbaColor=color, physicsClientId=client)
    if visuals:
        _look(pybullet, client, files, files.lift(on_floor or scene))
    return loaded


def _look(pybullet: Any, client: int, files: ObjectFiles, height: float) -> None:
    """Let the window show the object, whose frame is at a height [m], from its front."""
    around = Surroundings.of(files)
    pybullet.configureDebugVisualizer(pybullet.COV_ENABLE_GUI, 0, physicsClientId=client)
    pybullet.resetDebugVisualizerCamera(
        cameraDistance=float(np.linalg.norm(around.eye - around.middle)),
        cameraYaw=around.angles["azimuth"] - 90.0,  # which Bullet counts from y
        cameraPitch=around.angles["elevation"],
        cameraTargetPosition=np.add(around.middle, [0.0, 0.0, height]).tolist(),
        physicsClientId=client,
    )


def _require_display(visuals: bool) -> None:
    """Raise where Bullet would end the program, because it cannot open a window."""
    if visuals and sys.platform == "linux" and not os.environ.get("DISPLAY"):
        raise SimulatorError("PyBullet needs a display for `visuals`; set DISPLAY, or omit them.")


def _require_few_joints(files: ObjectFiles) -> None:
    """Raise if Bullet would silently drop joints."""
    counts = {"moving joints": len(files.movable), "joints": len(files.model.joints)}
    for (unit, count), most in zip(counts.items(), (MOST_MOVING, MOST_JOINTS), strict=True):
        if count > most:
            raise SimulatorError(
                f"{files.urdf} has {count} {unit}, but Bullet supports {most} per body; load it "
                "with mujoco, drake, pinocchio or sapien."
            )


class PybulletObject(Simulated):
    """`client` and `body` are pybullet's ids; `close`, or garbage collection, disconnects."""

    simulator = "pybullet"

    def __init__(self, files: ObjectFiles, pybullet: Any, client: int, body: int):
        super().__init__(files)
        self._pybullet, self.client, self.body = pybullet, client, body
        infos = [
            self._call_bullet("getJointInfo", k) for k in range(self._call_bullet("getNumJoints"))
        ]
        self._index = {info[1].decode(): info[0] for info in infos}
        self._link = {info[12].decode(): info[0] for info in infos} | {files.root: -1}
        pybullet.setGravity(0, 0, GRAVITY, physicsClientId=client)
        pybullet.setPhysicsEngineParameter(
            fixedTimeStep=TIMESTEP,
            numSolverIterations=ITERATIONS,
            enableSAT=1,
            useSplitImpulse=0,  # with it, a limit exceeded by more than 0.04 never pushes back
            physicsClientId=client,
        )
        for first, second in files.excluded:
            pair = self._link[first], self._link[second]
            self._pybullet.setCollisionFilterPair(body, body, *pair, 0, physicsClientId=client)
        self._release_motors()
        self._harden_limits()
        self._add_mimic_gears()

    def _call_bullet(self, name: str, *arguments: Any, **options: Any) -> Any:
        function = getattr(self._pybullet, name)
        return function(self.body, *arguments, physicsClientId=self.client, **options)

    def raise_by(self, height: float) -> None:
        """Put the object frame at this height [m]."""
        place, turn = self._call_bullet("getDynamicsInfo", -1)[3:5]
        # The base is placed by its center of mass, so the pose is converted.
        self._call_bullet("resetBasePositionAndOrientation", np.add(place, [0, 0, height]), turn)

    def _release_motors(self) -> None:
        """Replace the motors by which Bullet brakes every joint by the friction of the joint."""
        for name, resists in self.files.dynamics.items():
            k = self._index[name]
            self._set_motor(name, force=resists.friction)
            # Also replace the damping of 0.04.
            none = {"linearDamping": 0.0, "angularDamping": 0.0}
            self._call_bullet("changeDynamics", k, jointDamping=resists.damping, **none)

    def _set_motor(self, name: str, *, force: float, rate: float = 0.0) -> None:
        """Let a motor bring a joint to a rate [rad/s or m/s] with at most this force [N m or N]."""
        control = self._pybullet.VELOCITY_CONTROL
        options = {"targetVelocity": rate, "force": force}
        self._call_bullet("setJointMotorControl2", self._index[name], control, **options)

    def _harden_limits(self) -> None:
        """Raise the limit force: Bullet's default yields to parts of several tons.

        The force takes effect only after a call that changes the limits.
        """
        for joint in self.files.movable:
            if joint.lower is not None and joint.upper is not None:
                limits = {"jointLowerLimit": joint.lower, "jointUpperLimit": joint.upper}
                self._call_bullet("changeDynamics", self._index[joint.name], **limits)
                force = {"jointLimitForce": LIMIT_FORCE}
                self._call_bullet("changeDynamics", self._index[joint.name], **force)

    def _add_mimic_gears(self) -> None:
        for one in couplings(self.files.model):
            follower, leader = self._index[one.follower], self._index[one.leader]
            gear = self._pybullet.createConstraint(
                self.body, follower, self.body, leader, self._pybullet.JOINT_GEAR,
                [1, 0, 0], [0, 0, 0], [0, 0, 0], physicsClientId=self.client,
            )  # fmt: skip
            self._pybullet.changeConstraint(
                gear, gearRatio=-one.multiplier, relativePositionTarget=one.offset, erp=0.2,
                maxForce=GEAR_FORCE, physicsClientId=self.client,
            )  # fmt: skip

    def _write_state(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        for name in self._names:
            self._call_bullet("resetJointState", self._index[name], values[name], rates[name])

    def coordinates(self) -> dict[str, float]:
        """Return the coordinates."""
        return {
            n: float(self._call_bullet("getJointState", self._index[n])[0]) for n in self._names
        }

    def frames(self) -> dict[str, Array]:
        """Return the frame of every link."""
        place, turn = self._call_bullet("getBasePositionAndOrientation")
        inner, inner_turn = self._call_bullet("getDynamicsInfo", -1)[3:5]
        base = _pose_matrix(place, turn) @ np.linalg.inv(_pose_matrix(inner, inner_turn))
        out = {self.files.root: np.eye(4)}
        links = [(name, k) for name, k in self._link.items() if k >= 0]
        states = self._call_bullet(
            "getLinkStates", [k for _, k in links], computeForwardKinematics=True
        )
        outward = np.linalg.inv(base)
        for (name, _), state in zip(links, states, strict=True):
            out[name] = outward @ _pose_matrix(state[4], state[5])
        return out

    def bodies(self) -> dict[str, RigidBody]:
        """Return the body of every link except the base, which Bullet fixes by mass 0."""
        return {name: self._loaded_body(k) for name, k in self._link.items() if k >= 0}

    def _loaded_body(self, k: int) -> RigidBody:
        mass, _, moments, place, turn = self._call_bullet("getDynamicsInfo", k)[:5]
        return principal_body(mass, place, (turn[3], *turn[:3]), moments)

    def step(self, seconds: float) -> None:
        """Simulate."""
        for _ in range(round(seconds / TIMESTEP)):
            self._pybullet.stepSimulation(physicsClientId=self.client)

    def push(self, joint: str, *, force: float, speed: float) -> None:
        """Push a joint by a motor that has the force below the speed; others are held by motors."""
        for name in self._held(joint):
            self._set_motor(name, force=HOLDING_FORCE)
        self._set_motor(joint, force=abs(force), rate=math.copysign(speed, force))

    def release(self) -> None:
        """End a push."""
        for name, resists in self.files.dynamics.items():
            self._set_motor(name, force=resists.friction)

    def penetrations(self) -> dict[tuple[str, str], float]:
        """Return the depth of every pair of links in contact."""
        return {pair: depth for pair, depth in self.touches().items() if depth > 0}

    def touches(self) -> dict[tuple[str, str], float]:
        """Return the same with pairs that are about to touch; their depth is not positive."""
        self._pybullet.performCollisionDetection(physicsClientId=self.client)
        names = {(self.body, k): name for name, k in self._link.items()}
        found = self._pybullet.getContactPoints(physicsClientId=self.client) or ()
        return deepest(
            (names.get(p[1::2][:2], "world"), names.get(p[2::2][:2], "world"), -p[8]) for p in found
        )

    def close(self) -> None:
        """Disconnect; the object cannot be used afterwards."""
        if self.client >= 0:
            self._pybullet.disconnect(physicsClientId=self.client)
            self.client = -1

    def __del__(self) -> None:
        if getattr(self, "client", -1) >= 0:
            self.close()


def _pose_matrix(place: Any, xyzw: Any) -> Array:
    return frame_matrix(quaternion_rotation((xyzw[3], *xyzw[:3])), place)
