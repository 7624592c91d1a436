# SPDX-License-Identifier: Apache-2.0
"""Parts connected by joints: what a family returns."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from aa_dataset.portable import settled
from pipeline.generate.errors import AuthoringError
from pipeline.generate.materials import rgba
from pipeline.generate.shape import Shape, Vec3, direction

Kind = Literal["fixed", "revolute", "prismatic", "continuous", "helical"]
Triple = tuple[float, float, float]

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_COUNTER = re.compile(r"(_\d+)+$")

# Effort [N or N m] and velocity [m/s or rad/s] are those of a light mechanism moved by hand.
_DRIVE: dict[Kind, tuple[float, float]] = {
    "revolute": (20.0, 2.0),
    "continuous": (20.0, 6.0),
    "prismatic": (50.0, 0.5),
    "helical": (10.0, 6.0),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A rigid piece: its link name, semantic label and solids in the object frame at rest."""

    name: str
    label: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Joint:
    """A connection between two parts.

    Attributes
    ----------
    origin : (3,) float [m]
        Point on the axis, object frame at rest; the child's link frame sits there.
    axis : (3,) float
        Unit vector, object frame at rest.
    lower, upper : float [rad or m]
        Range around the rest state 0; zero for fixed and continuous joints.
    pitch : float [m/rad]
        Travel of a helical joint, zero for the others.
    """

    name: str
    kind: Kind
    parent: str
    child: str
    origin: Triple
    axis: Triple = (1.0, 0.0, 0.0)
    lower: float = 0.0
    upper: float = 0.0
    pitch: float = 0.0

    @property
    def drive(self) -> tuple[float, float]:
        """Effort [N or N m] and velocity [m/s or rad/s] limits."""
        return _DRIVE[self.kind]


@dataclass
class Assembly:
    """An articulated object under construction, authored in the object frame at rest.

    Parameters
    ----------
    name : str
        What a person would call it, e.g. ``"Walnut nightstand with two drawers"``.
    category : str
        Lowercase singular noun with underscores, e.g. ``"nightstand"``.
    description : str
        One sentence.
    """

    name: str
    category: str
    description: str
    parts: dict[str, Part] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)

    def part(self, name: str, *shapes: Shape, label: str | None = None) -> str:
        """Add a rigid piece made of solids and return its name, by which joints refer to it.

        The semantic label is the name without its trailing counter unless given.
        """
        if not _NAME.fullmatch(name):
            raise AuthoringError(
                f"Part {name!r} of {self.name!r}: use lowercase letters, digits, _."
            )
        if name in self.parts:
            raise AuthoringError(f"{self.name!r} has two parts called {name!r}.")
        if not shapes:
            raise AuthoringError(f"Part {name!r} of {self.name!r} has no shape.")
        for shape in shapes:
            rgba(shape.material)
        self.parts[name] = Part(name, label or _COUNTER.sub("", name), shapes)
        return name

    def weld(self, parent: str, child: str, *, origin: Vec3 = (0, 0, 0)) -> None:
        """Hold the child rigidly to the parent."""
        self._add_joint("fixed", parent, child, origin=origin)

    def hinge(
        self, parent: str, child: str, *, origin: Vec3, axis: str | Vec3, lower: float, upper: float
    ) -> None:
        """Let the child turn about an axis through the origin between two angles in degrees."""
        low, high = math.radians(lower), math.radians(upper)
        self._add_joint("revolute", parent, child, origin=origin, axis=axis, limits=(low, high))

    def spin(self, parent: str, child: str, *, origin: Vec3, axis: str | Vec3) -> None:
        """Let the child turn without end about an axis through the origin."""
        self._add_joint("continuous", parent, child, origin=origin, axis=axis)

    def slide(
        self,
        parent: str,
        child: str,
        *,
        axis: str | Vec3,
        lower: float,
        upper: float,
        origin: Vec3 | None = None,
    ) -> None:
        """Let the child slide along an axis between two travels in meters.

        A slider has no point of its own, so the origin defaults to the middle of the child.
        """
        origin = self._part_center(child) if origin is None else origin
        self._add_joint("prismatic", parent, child, origin=origin, axis=axis, limits=(lower, upper))

    def screw(
        self,
        parent: str,
        child: str,
        *,
        origin: Vec3,
        axis: str | Vec3,
        turns: tuple[float, float],
        travel_per_turn: float,
    ) -> None:
        """Let the child screw along an axis; a positive turn with positive travel moves along it.

        Parameters
        ----------
        parent, child : str
            Part names.
        origin, axis : (3,) float [m], axis letter or (3,) float
            The screw's line in the object frame at rest.
        turns : (2,) float [turns]
            Lowest and highest number of turns.
        travel_per_turn : float [m/turn]
            Advance along the axis in one turn; negative for a left-hand thread.
        """
        limits = (2 * math.pi * turns[0], 2 * math.pi * turns[1])
        pitch = travel_per_turn / (2 * math.pi)
        self._add_joint(
            "helical", parent, child, origin=origin, axis=axis, limits=limits, pitch=pitch
        )

    def root(self) -> str:
        """Check that the parts form one tree and return the name of its root."""
        children = {joint.child for joint in self.joints.values()}
        roots = [name for name in self.parts if name not in children]
        if len(roots) != 1:
            raise AuthoringError(
                f"{self.name!r} needs exactly one part without a parent joint, "
                f"but has {len(roots)}: {', '.join(roots) or 'none'}."
            )
        self.order()
        return roots[0]

    def order(self) -> list[str]:
        """Return all part names, parents before children, in order of authoring."""
        parent_of = {joint.child: joint.parent for joint in self.joints.values()}
        placed: dict[str, None] = {}
        waiting = list(self.parts)
        while waiting:
            ready = [name for name in waiting if parent_of.get(name, name) in {*placed, name}]
            if not ready:
                raise AuthoringError(f"{self.name!r} has a loop through {', '.join(waiting)}.")
            placed.update(dict.fromkeys(ready))
            waiting = [name for name in waiting if name not in placed]
        return list(placed)

    def _part_center(self, name: str) -> Vec3:
        if name not in self.parts:
            raise AuthoringError(f"{self.name!r} has no part {name!r} to join.")
        points = np.vstack([shape.vertices for shape in self.parts[name].shapes])
        x, y, z = settled((points.min(axis=0) + points.max(axis=0)) / 2, 4)
        return float(x), float(y), float(z)

    def _add_joint(
        self,
        kind: Kind,
        parent: str,
        child: str,
        *,
        origin: Vec3,
        axis: str | Vec3 = "x",
        limits: tuple[float, float] = (0.0, 0.0),
        pitch: float = 0.0,
    ) -> None:
        where = f"The {kind} joint from {parent!r} to {child!r} of {self.name!r}"
        for end in (parent, child):
            if end not in self.parts:
                raise AuthoringError(f"{where} names {end!r}, which is not a part.")
        if any(joint.child == child for joint in self.joints.values()) or parent == child:
            raise AuthoringError(
                f"{where}: {child!r} is already attached to another part or to itself."
            )
        bounded = kind in ("revolute", "prismatic", "helical")
        if bounded and not (limits[0] <= 0.0 <= limits[1] and limits[0] < limits[1]):
            raise AuthoringError(f"{where} has the range {limits}; it must contain 0 and be open.")
        if kind == "helical" and pitch == 0.0:
            raise AuthoringError(f"{where} has no travel per turn; use a hinge or a spin.")
        try:
            unit = _float_triple(direction(axis))
        except AuthoringError as error:
            raise AuthoringError(f"{where}: {error}") from error
        name = f"{parent}_to_{child}"
        self.joints[name] = Joint(
            name, kind, parent, child, _float_triple(origin), unit, *limits, pitch
        )


def _float_triple(values: Vec3) -> Triple:
    x, y, z = (float(value) for value in values)
    return x, y, z
