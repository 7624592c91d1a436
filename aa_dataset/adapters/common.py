# SPDX-License-Identifier: Apache-2.0
"""Shared code of the adapters: files and couplings of an object, interface of a loaded one."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError, optional
from aa_dataset.format.layout import ObjectLayout
from aa_dataset.kinematics.bodies import RigidBody
from aa_dataset.kinematics.srdf import read_srdf
from aa_dataset.kinematics.urdf import Dynamics, UrdfJoint, UrdfModel, parse_urdf
from aa_dataset.kinematics.urdf_tree import rest_frames, urdf_tree
from aa_dataset.objects import ArticulatedObject
from aa_dataset.portable import quaternion_rotation
from aa_dataset.untrusted.obj import read_obj

Array = NDArray[np.float64]
ObjectLike = ArticulatedObject | Path | str


class SimulatorError(ArenaError):
    """A simulator cannot load the object, or does not support a requested feature."""


@dataclass(frozen=True, slots=True)
class Coupling:
    """``q(follower) = multiplier * q(leader) + offset``, where the leader is independent."""

    follower: str
    leader: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class ObjectFiles:
    """The URDF of one object next to its meshes.

    `floor_z` [m] is the lowest point at rest, None if it is in no table.
    """

    urdf: Path
    floor_z: float | None = None
    has_dynamics: bool = True  # False leaves out damping, friction and armature

    @cached_property
    def model(self) -> UrdfModel:
        """The document."""
        return parse_urdf(self.urdf.read_bytes())

    @cached_property
    def movable(self) -> tuple[UrdfJoint, ...]:
        """The movable joints of the document; a helical joint is two of them."""
        return tuple(joint for joint in self.model.joints if joint.type != "fixed")

    @cached_property
    def dynamics(self) -> dict[str, Dynamics]:
        """Damping, friction and armature of every movable joint, zeros if left out."""
        kept = {j.name: j.dynamics for j in self.movable if self.has_dynamics}
        return {joint.name: kept.get(joint.name) or Dynamics() for joint in self.movable}

    @cached_property
    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Pairs of links whose contacts are ignored, from the SRDF beside the URDF."""
        path = self.urdf.with_suffix(".srdf")
        if not path.is_file():
            return ()
        return read_srdf(path.read_bytes(), (link.name for link in self.model.links))

    @cached_property
    def followers(self) -> dict[str, str]:
        """Leader of every joint that follows one."""
        return {one.follower: one.leader for one in couplings(self.model)}

    @cached_property
    def root(self) -> str:
        """Name of the link without a parent."""
        children = {joint.child for joint in self.model.joints}
        return next(link.name for link in self.model.links if link.name not in children)

    def lift(self, on_floor: bool) -> float:
        """Return the height [m] of the origin; with `on_floor`, the lowest point is at z = 0."""
        if not on_floor:
            return 0.0
        return -self.lowest

    @property
    def lowest(self) -> float:
        """Height [m] of the lowest point at rest: of the table, else of the visual meshes."""
        return float(self.bounds[0, 2]) if self.floor_z is None else self.floor_z

    @cached_property
    def bounds(self) -> Array:
        """Corners (2, 3) [m] of the box of all visual geometry at rest, object frame."""
        every = np.concatenate(list(self._points.values()))
        return np.stack([every.min(axis=0), every.max(axis=0)])

    def bounds_at(self, values: Mapping[str, float]) -> Array:
        """Return the corners (2, 3) [m] of the same box in a state of the joints [rad or m]."""
        moved = urdf_tree(self.model, fold=False).placements(self.expanded(values))
        placed = [
            points @ moved[link][:3, :3].T + moved[link][:3, 3]
            for link, points in self._points.items()
        ]
        every = np.concatenate(placed)
        return np.stack([every.min(axis=0), every.max(axis=0)])

    @cached_property
    def _points(self) -> dict[str, Array]:
        """Points (n, 3) [m] of the visual meshes of every link at rest, object frame."""
        frames, place = rest_frames(self.model), ObjectLayout(self.urdf.parent)
        found: dict[str, list[Array]] = {}
        for link in self.model.links:
            for shape in link.visuals:
                if shape.geometry.kind == "mesh":
                    points = read_obj(place.file(shape.geometry.filename).read_bytes()).points
                    points = points * np.array(shape.geometry.scale)
                    placed = frames[link.name] @ shape.pose
                    points = points @ placed[:3, :3].T + placed[:3, 3]
                    found.setdefault(link.name, []).append(points)
        if not any(map(len, itertools.chain.from_iterable(found.values()))):
            raise SimulatorError(f"{self.urdf} has no visual mesh, so that its size is not known.")
        return {link: np.concatenate(some) for link, some in found.items()}

    def expanded(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the coordinate of every movable joint: given, coupled, else 0 [rad or m]."""
        self._require_movable(values)
        full = {joint.name: float(values.get(joint.name, 0.0)) for joint in self.movable}
        for one in couplings(self.model):
            if one.follower not in values:
                full[one.follower] = one.multiplier * full[one.leader] + one.offset
        return full

    def expanded_rates(self, rates: Mapping[str, float]) -> dict[str, float]:
        """Return the rate of every movable joint [rad/s or m/s]."""
        self._require_movable(rates)
        full = {joint.name: float(rates.get(joint.name, 0.0)) for joint in self.movable}
        for one in couplings(self.model):
            full[one.follower] = one.multiplier * full[one.leader]
        return full

    def _require_movable(self, values: Mapping[str, float]) -> None:
        """Refuse names of no movable joint, which would otherwise be ignored."""
        names = [joint.name for joint in self.movable]
        for name in values:
            if name not in names:
                near = get_close_matches(str(name), names, n=3) or names[:6]
                raise SimulatorError(
                    f"{name!r} is no movable joint of the object. Its joints are named like "
                    f"{', '.join(near) or 'none'}."
                )


def couplings(model: UrdfModel) -> list[Coupling]:
    """Return every mimic joint with the independent joint at the end of its chain."""
    joints = {joint.name: joint for joint in model.joints}
    result = []
    for joint in model.joints:
        if joint.mimic is None:
            continue
        leader, factor, shift, visited = joint, 1.0, 0.0, {joint.name}
        while leader.mimic is not None:
            shift += factor * leader.mimic.offset
            factor *= leader.mimic.multiplier
            if leader.mimic.joint not in joints or leader.mimic.joint in visited:
                raise SimulatorError(
                    f"the mimic of joint {joint.name!r} has no independent leader."
                )
            visited.add(leader.mimic.joint)
            leader = joints[leader.mimic.joint]
        result.append(Coupling(joint.name, leader.name, factor, shift))
    return result


def open_object(item: ObjectLike, *, dynamics: bool = True) -> ObjectFiles:
    """Return the files of a library object, a folder or a URDF."""
    if isinstance(item, ArticulatedObject):
        return ObjectFiles(item.urdf_path, item.floor_z, dynamics)
    path = Path(item)
    path = ObjectLayout(path).urdf if path.is_dir() else path
    if not path.is_file():
        raise SimulatorError(f"{path} is not a file. Pass an object, its folder or its URDF.")
    return ObjectFiles(path, has_dynamics=dynamics)


def require(module: str, feature: str, extra: str) -> Any:
    """Import an optional package, or raise with the command that installs it."""
    return optional(module, feature, extra)


class Simulated(ABC):
    """One object in one simulator, with a fixed base.

    Joints and links have their URDF names. Frames are (4, 4) in the object frame, coordinates are
    in rad or m, rates in rad/s or m/s.
    """

    simulator: ClassVar[str]
    merges_welded: ClassVar[bool] = False  # whether `bodies` merges welded links

    def __init__(self, files: ObjectFiles):
        self.files = files

    def set_coordinates(self, values: Mapping[str, float]) -> None:
        """Set coordinates; other joints are 0, coupled ones follow, and all rates are 0."""
        self._write_state(self.files.expanded(values), dict.fromkeys(self._names, 0.0))

    def set_motion(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        """Set coordinates and rates; coupled joints follow in both."""
        self._write_state(self.files.expanded(values), self.files.expanded_rates(rates))

    @property
    def _names(self) -> list[str]:
        return [joint.name for joint in self.files.movable]

    @abstractmethod
    def _write_state(self, values: Mapping[str, float], rates: Mapping[str, float]) -> None:
        """Write the full state."""

    @abstractmethod
    def coordinates(self) -> dict[str, float]:
        """Return the coordinate of every movable joint."""

    @abstractmethod
    def frames(self) -> dict[str, Array]:
        """Return every link's frame; a simulator that fuses welded links may omit some."""

    @abstractmethod
    def bodies(self) -> dict[str, RigidBody]:
        """Return the bodies as read back from the simulator, each in its link's frame."""

    @abstractmethod
    def step(self, seconds: float) -> None:
        """Simulate under gravity with couplings enforced."""

    def push(self, joint: str, *, force: float, speed: float) -> None:
        """Push a joint with a force [N m or N] and drag while all others are held.

        The push is ``force * (1 - rate / speed)`` in the direction of the force, so that `speed`
        [rad/s or m/s] is never passed; the followers of the joint follow. It lasts until `release`
        or the next push.
        """
        raise SimulatorError(f"{self.simulator} does not push joints.")

    def release(self) -> None:
        """End a push and let go of all joints."""
        raise SimulatorError(f"{self.simulator} does not push joints.")

    def _held(self, joint: str) -> list[str]:
        """Return the independent joints other than a pushed one."""
        return [n for n in self._names if n != joint and n not in self.files.followers]

    def penetrations(self) -> dict[tuple[str, str], float]:
        """Return the depth [m] of every pair of links in contact; needs `self_contacts=True`."""
        raise SimulatorError(f"{self.simulator} was loaded without contacts.")

    def touches(self) -> dict[tuple[str, str], float]:
        """Return `penetrations`, with pairs that meet only by the simulator's own margin."""
        return self.penetrations()

    def contacts(self) -> list[tuple[str, str]]:
        """Return the pairs of links in contact, sorted; needs `self_contacts=True`."""
        return sorted(self.penetrations())


def frame_matrix(rotation: Any, shift: Any) -> Array:
    """Return (4, 4) from a rotation matrix (3, 3) and a translation (3,)."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = np.asarray(rotation, dtype=float).reshape(3, 3), shift
    return out


def principal_body(mass: float, center: Any, wxyz: Any, moments: Any) -> RigidBody:
    """Return a body from its principal moments and the quaternion of their axes."""
    axes = quaternion_rotation(wxyz)
    inertia = axes @ np.diag(np.asarray(moments, dtype=float)) @ axes.T
    return RigidBody(float(mass), np.asarray(center, dtype=float), (inertia + inertia.T) / 2)


def deepest(contacts: Iterable[tuple[str, str, float]]) -> dict[tuple[str, str], float]:
    """Return the largest depth by unordered pair of different names, sorted by pair."""
    found: dict[tuple[str, str], float] = {}
    for one, other, depth in contacts:
        pair = (min(one, other), max(one, other))
        if one != other:
            found[pair] = max(depth, found.get(pair, depth))
    return dict(sorted(found.items()))
