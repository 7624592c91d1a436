# SPDX-License-Identifier: Apache-2.0
"""Pinocchio: rigid-body algorithms in double precision; couplings by reduced coordinates.

Pinocchio simulates neither limits nor contacts: `step` integrates the exact equation of motion of
the coupled object and stops a joint at its limit without bounce.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.adapters.common import (
    Array,
    ObjectFiles,
    ObjectLike,
    Simulated,
    SimulatorError,
    couplings,
    open_object,
    require,
)
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.urdf import Dynamics

TIMESTEP = 0.002  # s
SWEEPS = 20  # of the solver of friction


def load(
    item: ObjectLike,
    *,
    on_floor: bool = False,
    self_contacts: bool = False,
    dynamics: bool = True,
    scene: bool = False,
) -> PinocchioObject:
    """Load an object; `on_floor` puts its lowest point at z = 0.

    Without `dynamics` nothing resists its joints.
    """
    pin = require("pinocchio", "the pinocchio loader", "pinocchio")
    if self_contacts or scene:
        name = "self_contacts" if self_contacts else "scene"
        raise SimulatorError(f"pinocchio does not simulate contacts; omit `{name}`.")
    files = open_object(item, dynamics=dynamics)
    model = pin.buildModelFromUrdf(str(files.urdf))
    return PinocchioObject(files, pin, model, files.lift(on_floor))


class PinocchioObject(Simulated):
    """`model` and `data` are pinocchio's; every URDF joint has its own coordinates there."""

    simulator = "pinocchio"
    merges_welded = True

    def __init__(self, files: ObjectFiles, pin: Any, model: Any, lift: float):
        super().__init__(files)
        self._pin, self.model = pin, model
        if lift:
            _raise_by(model, lift)
        self._lift = lift
        self.data = model.createData()
        self._q, self._v = pin.neutral(model), np.zeros(model.nv)
        self._joint = {name: model.joints[model.getJointId(name)] for name in self._names}
        self._frame = {link.name: model.getFrameId(link.name) for link in files.model.links}

    def _write_state(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        for name, joint in self._joint.items():
            value = values[name]
            if joint.nq == 2:  # a continuous joint is a point on the circle
                self._q[joint.idx_q : joint.idx_q + 2] = math.cos(value), math.sin(value)
            else:
                self._q[joint.idx_q] = value
            self._v[joint.idx_v] = rates[name]

    def coordinates(self) -> dict[str, float]:
        """Return the coordinates; that of a continuous joint is within half a turn of 0."""
        return {name: self._joint_coordinate(joint) for name, joint in self._joint.items()}

    def _joint_coordinate(self, joint: Any) -> float:
        if joint.nq == 2:
            return math.atan2(self._q[joint.idx_q + 1], self._q[joint.idx_q])
        return float(self._q[joint.idx_q])

    def frames(self) -> dict[str, Array]:
        """Return the frame of every link."""
        self._pin.framesForwardKinematics(self.model, self.data, self._q)
        placed = {name: self.data.oMf[k].homogeneous for name, k in self._frame.items()}
        for frame in placed.values():
            frame[2, 3] -= self._lift
        return placed

    def bodies(self) -> dict[str, RigidBody]:
        """Return the body of every joint's child, merged with its welded links."""
        inertias = {self.files.root: self.model.inertias[0]}
        for joint in self.files.movable:
            inertias[joint.child] = self.model.inertias[self.model.getJointId(joint.name)]
        lift = np.array([0.0, 0.0, self._lift])
        return {
            link: RigidBody(one.mass, one.lever - lift * (link == self.files.root), one.inertia)
            for link, one in inertias.items()
        }

    def step(self, seconds: float) -> None:
        """Integrate by semi-implicit Euler; a joint stops at its limit."""
        pin, model, data, free = self._pin, self.model, self.data, self._reduced_model
        rates = self._v[free.rows]
        for _ in range(round(seconds / TIMESTEP)):
            mass = np.triu(pin.crba(model, data, self._q))
            mass = free.matrix.T @ (mass + np.triu(mass, 1).T) @ free.matrix
            bias = pin.nonLinearEffects(model, data, self._q, free.matrix @ rates)
            rates = free.resisted_rates(mass, rates, free.matrix.T @ bias)
            self._q = pin.integrate(model, self._q, TIMESTEP * (free.matrix @ rates))
            rates = self._rates_after_stops(rates)
        self._v = free.matrix @ rates

    @cached_property
    def _reduced_model(self) -> _Reduced:
        coupled = {one.follower: one for one in couplings(self.files.model)}
        leaders = [name for name in self._names if name not in coupled]
        matrix = np.zeros((self.model.nv, len(leaders)))
        for name, joint in self._joint.items():
            one = coupled.get(name)
            column = leaders.index(name if one is None else one.leader)
            matrix[joint.idx_v, column] = 1.0 if one is None else one.multiplier
        limits = {joint.name: (joint.lower, joint.upper) for joint in self.files.movable}
        bounded = [k for k, name in enumerate(leaders) if limits[name][0] is not None]
        return _Reduced(
            matrix,
            rows=np.array([self._joint[name].idx_v for name in leaders], dtype=int),
            bounded=np.array(bounded, dtype=int),
            places=np.array([self._joint[leaders[k]].idx_q for k in bounded], dtype=int),
            limits=np.array([limits[leaders[k]] for k in bounded], dtype=float).reshape(-1, 2),
            dynamics=tuple(self.files.dynamics[name] for name in leaders),
        )

    def _rates_after_stops(self, rates: Array) -> Array:
        """Return the independent rates after stops at limits; move `_q` back to the limits."""
        free = self._reduced_model
        now = self._q[free.places]
        inside = np.clip(now, free.limits[:, 0], free.limits[:, 1])
        beyond = inside != now
        if beyond.any():
            self._q[free.places[beyond]] = inside[beyond]
            rates[free.bounded[beyond]] = 0.0
        for one in couplings(self.files.model) if beyond.any() else ():
            leader, follower = self._joint[one.leader], self._joint[one.follower]
            if leader.nq == follower.nq == 1:
                place = one.multiplier * self._q[leader.idx_q] + one.offset
                self._q[follower.idx_q] = place
        return rates


@dataclass(frozen=True, slots=True)
class _Reduced:
    """Independent joints: `matrix` maps their rates to all rates, `rows` selects theirs.

    `bounded` are the independent joints with limits, `places` their indices in pinocchio's q.
    """

    matrix: Array
    rows: NDArray[np.int_]
    bounded: NDArray[np.int_]
    places: NDArray[np.int_]
    limits: Array
    dynamics: tuple[Dynamics, ...]

    def resisted_rates(self, mass: Array, rates: Array, bias: Array) -> Array:
        """Return the independent rates after one step, with damping implicit and dry friction.

        Friction takes at most its own impulse from a joint and stops it at most: Gauss-Seidel.
        """
        mass = mass + np.diag([one.armature for one in self.dynamics])
        drag = TIMESTEP * np.array([one.damping for one in self.dynamics])
        system, most = mass + np.diag(drag), [TIMESTEP * one.friction for one in self.dynamics]
        after = np.linalg.solve(system, mass @ rates - TIMESTEP * bias)
        if not any(most):
            return np.asarray(after)
        response, impulse = np.linalg.inv(system), np.zeros(len(most))
        for _ in range(SWEEPS):
            for k, bound in enumerate(most):
                wanted = impulse[k] - after[k] / response[k, k]
                change = min(max(wanted, -bound), bound) - impulse[k]
                impulse[k] += change
                after = after + response[:, k] * change
        return np.asarray(after)


def _raise_by(model: Any, lift: float) -> None:
    """Raise everything that is attached to the world."""
    up = np.array([0.0, 0.0, lift])
    for k in range(1, model.njoints):
        if model.parents[k] == 0:
            placement = model.jointPlacements[k]
            placement.translation = placement.translation + up
    for frame in model.frames:
        if frame.parentJoint == 0 and frame.name != "universe":
            placement = frame.placement
            placement.translation = placement.translation + up
            frame.placement = placement
    inertia = model.inertias[0]
    inertia.lever = inertia.lever + up
