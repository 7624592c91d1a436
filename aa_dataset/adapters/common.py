# SPDX-License-Identifier: Apache-2.0
"""What the adapters share: the files of one object, its couplings, and the face of a loaded one."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError, MissingExtraError
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.urdf import UrdfJoint, UrdfModel, parse_urdf
from aa_dataset.layout import ObjectLayout
from aa_dataset.objects import ArticulatedObject
from aa_dataset.portable import quaternion_rotation

Array = NDArray[np.float64]
ObjectLike = ArticulatedObject | Path | str


class SimulatorError(ArenaError):
    """A simulator cannot take the object, or was asked for something that it has not."""


@dataclass(frozen=True, slots=True)
class Coupling:
    """``q(follower) = multiplier * q(leader) + offset``, the leader itself independent."""

    follower: str
    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class ObjectFiles:
    """The URDF of one object beside its meshes; `floor_z` [m] is None if no table has it."""

    urdf: Path
    floor_z: float | None = None

    @cached_property
    def model(self) -> UrdfModel:
        """The document."""
        return parse_urdf(self.urdf.read_bytes())

    @cached_property
    def movable(self) -> tuple[UrdfJoint, ...]:
        """The joints of the document that move; a helical joint is two of them."""
        return tuple(joint for joint in self.model.joints if joint.type != "fixed")

    @cached_property
    def root(self) -> str:
        """Name of the link without a parent."""
        children = {joint.child for joint in self.model.joints}
        return next(link.name for link in self.model.links if link.name not in children)

    def lift(self, on_floor: bool) -> float:
        """Return the height [m] of the origin, such that the object stands on z = 0 if asked."""
        if not on_floor:
            return 0.0
        if self.floor_z is None:
            raise SimulatorError(
                f"how far {self.urdf} reaches below its origin is written in no table. "
                "Load an object of a library, or leave `on_floor` out."
            )
        return -self.floor_z

    def expanded(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the coordinate of every movable joint: given, coupled, else 0 [rad or m]."""
        full = {joint.name: float(values.get(joint.name, 0.0)) for joint in self.movable}
        for one in couplings(self.model):
            if one.follower not in values:
                full[one.follower] = one.multiplier * full[one.leader] + one.offset
        return full

    def expanded_rates(self, rates: Mapping[str, float]) -> dict[str, float]:
        """Return the rate of every movable joint [rad/s or m/s]."""
        full = {joint.name: float(rates.get(joint.name, 0.0)) for joint in self.movable}
        for one in couplings(self.model):
            full[one.follower] = one.multiplier * full[one.leader]
        return full


def couplings(model: UrdfModel) -> list[Coupling]:
    """Return every mimic joint with the independent joint at the end of its chain."""
    joints = {joint.name: joint for joint in model.joints}
    found = []
    for joint in model.joints:
        if joint.mimic is None:
            continue
        leader, factor, shift, seen = joint, 1.0, 0.0, {joint.name}
        while leader.mimic is not None:
            shift += factor * leader.mimic.offset
            factor *= leader.mimic.multiplier
            if leader.mimic.joint not in joints or leader.mimic.joint in seen:
                raise SimulatorError(f"the mimic of joint {joint.name!r} leads nowhere.")
            seen.add(leader.mimic.joint)
            leader = joints[leader.mimic.joint]
        found.append(Coupling(joint.name, leader.name, factor, shift))
    return found


def open_object(item: ObjectLike) -> ObjectFiles:
    """Return the files of an object of a library, of a folder or of a URDF."""
    if isinstance(item, ArticulatedObject):
        return ObjectFiles(item.urdf_path, item.floor_z)
    path = Path(item)
    path = ObjectLayout(path).urdf if path.is_dir() else path
    if not path.is_file():
        raise SimulatorError(f"{path} is not a file. Pass an object, its folder or its URDF.")
    return ObjectFiles(path)


def require(module: str, feature: str, extra: str) -> Any:
    """Import an optional package, or say how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(feature, extra, error) from error


class Simulated(ABC):
    """One object in one simulator, its base fixed.

    Joints and links carry their URDF names. Frames are (4, 4) in the object frame, coordinates are
    rad or m, rates per second.
    """

    simulator: ClassVar[str]
    merges_welded: ClassVar[bool] = False  # whether `bodies` holds welded links as one

    def __init__(self, files: ObjectFiles):
        self.files = files

    def set_coordinates(self, values: Mapping[str, float]) -> None:
        """Set coordinates; joints not named are 0, coupled ones follow, and all rates are 0."""
        self._put(self.files.expanded(values), dict.fromkeys(self._names, 0.0))

    def set_motion(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        """Place the object and let it move; coupled joints follow in both."""
        self._put(self.files.expanded(values), self.files.expanded_rates(rates))

    @property
    def _names(self) -> list[str]:
        return [joint.name for joint in self.files.movable]

    @abstractmethod
    def _put(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        """Write the full state."""

    @abstractmethod
    def coordinates(self) -> dict[str, float]:
        """Return the coordinate of every movable joint."""

    @abstractmethod
    def frames(self) -> dict[str, Array]:
        """Return every link's frame; a simulator that fuses welded links may leave some out."""

    @abstractmethod
    def bodies(self) -> dict[str, RigidBody]:
        """Return the bodies as read back from the simulator, each in its link's frame."""

    @abstractmethod
    def step(self, seconds: float) -> None:
        """Simulate under gravity, couplings held."""

    def contacts(self) -> list[tuple[str, str]]:
        """Return the pairs of links in contact, sorted; needs `self_contacts=True`."""
        raise SimulatorError(f"{self.simulator} was loaded without contacts.")


def frame_matrix(rotation: Any, shift: Any) -> Array:
    """Return (4, 4) from a rotation matrix (3, 3) and a translation (3,)."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = np.asarray(rotation, dtype=float).reshape(3, 3), shift
    return out


def principal_body(mass: float, center: Any, wxyz: Any, moments: Any) -> RigidBody:
    """Return a body from its principal moments and the axes that a quaternion gives."""
    axes = quaternion_rotation(wxyz)
    inertia = axes @ np.diag(np.asarray(moments, dtype=float)) @ axes.T
    return RigidBody(float(mass), np.asarray(center, dtype=float), (inertia + inertia.T) / 2)


def contact_pairs(pairs: Any) -> list[tuple[str, str]]:
    """Return unordered pairs of two different names, each once, sorted."""
    return sorted({(min(a, b), max(a, b)) for a, b in pairs if a != b})
