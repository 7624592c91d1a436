# SPDX-License-Identifier: Apache-2.0
"""The joints of a model that MuJoCo compiled, as those of a URDF document.

* The world is the root link; every top body is attached to it, without a joint by a fixed one.
* A free joint is a `floating` joint, a ball joint a `spherical` one.
* Several joints of a body become a chain through empty carrier links, in MuJoCo's order.
* `q = 0` is the state of the document: limits are counted from `ref`.
* A `<joint>` equality with a linear polynomial is a mimic; another one is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.joints import Mimic
from aa_dataset.kinematics.urdf import UrdfJoint
from aa_dataset.portable import product, quaternion_rotation

Array = NDArray[np.float64]

FREE, BALL, SLIDE, HINGE = range(4)


class Lost(StrEnum):
    """What a model states and a URDF cannot express."""

    LIMIT = "limit"  # a reversed range, which MuJoCo takes for none
    PART = "part"  # the limit of a ball joint
    COUPLING = "coupling"  # an equality that is no line, or a second one


class Loss(NamedTuple):
    """One loss, with a sentence."""

    what: Lost
    detail: str


def pose(position: Array, quaternion: Array) -> Array:
    """Return the placement (4, 4) of a position and a quaternion (w, x, y, z) of any length."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = quaternion_rotation(quaternion), position
    return out


def shift(offset: Array) -> Array:
    """Return the placement (4, 4) that only moves."""
    out = np.eye(4)
    out[:3, 3] = offset
    return out


@contextmanager
def quiet(mujoco: Any) -> Iterator[None]:
    """Keep MuJoCo from writing its warnings to a file in the working directory."""
    previous: Callable[[str], None] | None = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(previous)


class MjcfJoints:
    """The joints of a compiled model.

    Attributes
    ----------
    links : list of str
        The link of every body, the world first.
    losses : list of Loss
        What is lost; complete once all joints are made.
    """

    def __init__(self, compiled: Any) -> None:
        self._m = compiled
        self.losses: list[Loss] = []
        self.links = _unique_names(compiled.body, compiled.nbody, "body")
        self._joints = _unique_names(compiled.jnt, compiled.njnt, "joint")
        self._taken = set(self.links)

    def anchor(self, body: int) -> Array:
        """Return the anchor of a body's last joint, in the body's own frame [m]."""
        joints = self._own_joints(body)
        is_anchored = len(joints) and self._m.jnt_type[joints[-1]] != FREE
        return np.array(self._m.jnt_pos[joints[-1]]) if is_anchored else np.zeros(3)

    def _own_joints(self, body: int) -> range:
        first = self._m.body_jntadr[body]
        return range(first, first + self._m.body_jntnum[body])

    def chain(self, body: int) -> Iterator[UrdfJoint]:
        """Yield the joints from a body's parent to the body, through carriers if several."""
        parent = int(self._m.body_parentid[body])
        joints = self._own_joints(body)
        own = pose(self._m.body_pos[body], self._m.body_quat[body])
        start = product(shift(-self.anchor(parent)), own)
        if not len(joints):
            name = _free_name(f"{self.links[body]}_weld", self._joints)
            yield UrdfJoint(name, "fixed", self.links[parent], self.links[body], start)
            return
        above = self.links[parent]
        before = np.zeros(3)
        for number in joints:
            anchor = self._m.jnt_pos[number] if self._m.jnt_type[number] != FREE else np.zeros(3)
            below = self.links[body]
            if number != joints[-1]:
                below = _free_name(f"{self.links[body]}_carrier", self._taken)
            yield self._joint(number, above, below, product(start, shift(anchor - before)))
            above, before, start = below, anchor, np.eye(4)

    def _joint(self, number: int, parent: str, child: str, place: Array) -> UrdfJoint:
        m, name = self._m, self._joints[number]
        kind = m.jnt_type[number]
        if kind == FREE:
            return UrdfJoint(name, "floating", parent, child, place)
        limited = bool(m.jnt_limited[number])
        if kind == BALL:
            return self._ball_joint(number, UrdfJoint(name, "spherical", parent, child, place))
        lower, upper = m.jnt_range[number] - m.qpos0[m.jnt_qposadr[number]]
        if not limited and lower > upper:
            detail = f"joint {name}: the range is reversed, which MuJoCo takes for none."
            self.losses.append(Loss(Lost.LIMIT, detail))
        hinge = "revolute" if limited else "continuous"
        return UrdfJoint(
            name,
            "prismatic" if kind == SLIDE else hinge,
            parent,
            child,
            place,
            axis=np.array(m.jnt_axis[number]),
            lower=float(lower) if limited else None,
            upper=float(upper) if limited else None,
            effort=self._effort(number),
            has_limit=limited,
        )

    def _effort(self, number: int) -> float | None:
        if not self._m.jnt_actfrclimited[number]:
            return None
        return float(np.abs(self._m.jnt_actfrcrange[number]).max())

    def _ball_joint(self, number: int, joint: UrdfJoint) -> UrdfJoint:
        if self._m.jnt_limited[number]:
            most = self._m.jnt_range[number, 1]
            detail = (
                f"joint {joint.name}: the limit of the ball joint, {most:.6g} rad, is not kept."
            )
            self.losses.append(Loss(Lost.PART, detail))
        return joint

    def coupled(self, joints: list[UrdfJoint]) -> list[UrdfJoint]:
        """Give joints their mimic if an active equality is linear."""
        couplings: dict[str, Mimic] = {}
        for number in range(self._m.neq):
            self._couple(number, couplings)
        return [replace(joint, mimic=couplings.get(joint.name)) for joint in joints]

    def _couple(self, number: int, couplings: dict[str, Mimic]) -> None:
        m = self._m
        if not m.eq_active0[number]:
            return
        follower, leader = int(m.eq_obj1id[number]), int(m.eq_obj2id[number])
        offset, slope, *higher = m.eq_data[number, :5].tolist()
        name = self._joints[follower]
        if leader >= 0 and slope and not any(higher) and name not in couplings:
            couplings[name] = Mimic(self._joints[leader], slope, offset)
            return
        detail = f"joint {name}: an equality constraint that is no line, or a second one, is lost."
        self.losses.append(Loss(Lost.COUPLING, detail))


def _unique_names(view: Any, count: int, word: str) -> list[str]:
    """Return a unique name for every element; those without one are numbered."""
    given = [view(number).name for number in range(count)]
    taken = set(given)
    return [name or _free_name(f"{word}_{number}", taken) for number, name in enumerate(given)]


def _free_name(base: str, taken: set[str] | list[str]) -> str:
    """Return an unused name, and add it if the collection is a set."""
    name, count = base, 1
    while name in taken:
        count += 1
        name = f"{base}_{count}"
    if isinstance(taken, set):
        taken.add(name)
    return name
