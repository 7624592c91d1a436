# SPDX-License-Identifier: Apache-2.0
"""Kinematic trees: links as nodes, joints as edges, everything in the object frame at rest."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import JointError, TreeError
from aa_dataset.kinematics.joints import Joint, JointType
from aa_dataset.kinematics.screws import exp_twist
from aa_dataset.portable import applied, product

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class KinematicTree:
    """One root, every other link the child of exactly one joint.

    Attributes
    ----------
    name : str
        The object's name.
    links : tuple of str
        Link names, the root first, parents before children.
    joints : tuple of Joint
        One per link except the root, in the order of `links`.
    """

    name: str
    links: tuple[str, ...]
    joints: tuple[Joint, ...]
    _by_name: dict[str, Joint] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        links, joints = ordered_tree(self.links, self.joints)
        object.__setattr__(self, "links", links)
        object.__setattr__(self, "joints", joints)
        object.__setattr__(self, "_by_name", {joint.name: joint for joint in joints})

    @property
    def root(self) -> str:
        """Name of the root link."""
        return self.links[0]

    @property
    def movable(self) -> tuple[Joint, ...]:
        """Return the joints that are not fixed."""
        return tuple(joint for joint in self.joints if joint.is_movable)

    @property
    def depth(self) -> int:
        """Largest number of movable joints between the root and a link."""
        levels = {self.root: 0}
        for joint in self.joints:
            levels[joint.child] = levels[joint.parent] + joint.is_movable
        return max(levels.values())

    def __str__(self) -> str:
        """Return the tree indented, one line per link with its parent joint."""
        below: dict[str, list[Joint]] = {link: [] for link in self.links}
        for joint in self.joints:
            below[joint.parent].append(joint)
        count = f"{len(self.joints)} joints, {len(self.movable)} of them movable"
        lines = [f"{self.name}: {len(self.links)} links, {count}", f"  {self.root}"]
        stack = [(joint, 2) for joint in reversed(below[self.root])]
        while stack:  # depth first without recursion, children in order
            joint, level = stack.pop()
            lines.append(f"{'  ' * level}{joint.child}  ({_describe_joint(joint)})")
            stack += [(one, level + 1) for one in reversed(below[joint.child])]
        return "\n".join(lines)

    def joint(self, name: str) -> Joint:
        """Return the joint of that name."""
        if name not in self._by_name:
            raise JointError(name, "name", f"the tree {self.name!r} has no such joint.")
        return self._by_name[name]

    def welded(self, link: str) -> tuple[str, ...]:
        """Return `link` and every descendant connected to it by fixed joints only."""
        cluster = {link}
        for joint in self.joints:
            if joint.parent in cluster and not joint.is_movable:
                cluster.add(joint.child)
        return tuple(name for name in self.links if name in cluster)

    def below(self, link: str) -> tuple[str, ...]:
        """Return `link` and all its descendants, in the tree's order."""
        members = {link}
        for joint in self.joints:  # parents come before children
            if joint.parent in members:
                members.add(joint.child)
        return tuple(name for name in self.links if name in members)

    def above(self, link: str) -> tuple[Joint, ...]:
        """Return the joints between a link and the root, nearest first."""
        by_child = {joint.child: joint for joint in self.joints}
        chain = []
        while link in by_child:
            chain.append(by_child[link])
            link = by_child[link].parent
        return tuple(chain)

    def placements(
        self, coordinates: Mapping[str, ArrayLike], *, unit: float = 1.0
    ) -> dict[str, Array]:
        """Return the displacement of every link from rest, in the object frame.

        Parameters
        ----------
        coordinates : mapping of joint name to float, or (n,) float for n states [rad or m]
            Missing joints stay at 0, except mimic joints, which follow their leading joint.
        unit : float [m]
            Unit of length of the displacements.

        Returns
        -------
        dict of str to (4, 4) float, or (n, 4, 4)
            Links that move together share one array; copy it before you modify it.
        """
        values = self.coordinates(coordinates)
        shape = np.broadcast_shapes(*(value.shape for value in values.values()))
        placed: dict[str, Array] = {self.root: np.tile(np.eye(4), (*shape, 1, 1))}
        for joint in self.joints:
            value, moved = values[joint.name], placed[joint.parent]
            if value.any():
                steps = exp_twist(value[..., None] * joint.screw)
                steps[..., :3, 3] /= unit
                moved = product(moved, steps)
            placed[joint.child] = moved
        return placed

    def reanchored(self, coordinates: Mapping[str, float]) -> KinematicTree:
        """Return the same object stored in another state (paper Remark Re-anchoring).

        Axes, origins and bodies move with the joints above them, limits are shifted so that the
        new state is zero, and mimic offsets are adjusted.
        """
        values = {name: float(value) for name, value in self.coordinates(coordinates).items()}
        placed = self.placements(coordinates)
        joints = [
            self._joint_in_rest_pose(joint, placed[joint.parent], placed[joint.child], values)
            for joint in self.joints
        ]
        return KinematicTree(self.name, self.links, tuple(joints))

    def _joint_in_rest_pose(
        self, joint: Joint, parent: Array, child: Array, values: Mapping[str, float]
    ) -> Joint:
        shift, mimic = values[joint.name], joint.mimic
        if mimic is not None:
            self.joint(mimic.joint)  # raises `JointError` if there is none
            offset = mimic.offset + mimic.multiplier * values[mimic.joint] - shift
            mimic = replace(mimic, offset=offset)
        return replace(
            joint,
            axis=applied(parent[:3, :3], joint.axis),
            origin=applied(parent[:3, :3], joint.origin) + parent[:3, 3],
            lower=joint.lower - shift,
            upper=joint.upper - shift,
            body=None if joint.body is None else joint.body.moved(child),
            mimic=mimic,
        )

    def coordinates(self, coordinates: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """Return the coordinates () or (n,) of every joint: given, coupled, else 0 [rad or m]."""
        given = {name: np.asarray(value, dtype=float) for name, value in coordinates.items()}
        for name, value in given.items():
            self.joint(name)
            if not np.isfinite(value).all():
                raise JointError(name, "coordinate", f"{value} is not finite.")
        values = {name: given.get(name, np.zeros(())) for name in self._by_name}
        for joint in self.joints:
            if joint.mimic is not None and joint.name not in coordinates:
                values[joint.name] = self._mimic_coordinate(joint, values, coordinates)
        return values

    def leader(self, name: str) -> tuple[str, float, float]:
        """Return the independent joint that one follows, with multiplier and offset.

        Raises
        ------
        JointError
            If the chain of mimics is a cycle.
        """
        return self._leader(name, ())

    def _mimic_coordinate(
        self, joint: Joint, values: Mapping[str, Array], given: Mapping[str, ArrayLike]
    ) -> Array:
        leader, factor, shift = self._leader(joint.name, given)
        return np.asarray(factor * values[leader] + shift)

    def _leader(self, name: str, given: Container[str]) -> tuple[str, float, float]:
        """Follow a chain of mimics up to a joint that is given or independent."""
        joint, factor, shift, visited = self.joint(name), 1.0, 0.0, set()
        while joint.mimic is not None and joint.name not in given:
            if joint.name in visited:
                raise JointError(joint.name, "mimic", "the chain of mimics returns to itself.")
            visited.add(joint.name)
            shift += factor * joint.mimic.offset
            factor *= joint.mimic.multiplier
            joint = self.joint(joint.mimic.joint)
        return joint.name, factor, shift


def _describe_joint(joint: Joint) -> str:
    """Describe a joint briefly, e.g. ``hinge: revolute, 0 to 1.57 rad``."""
    if not joint.is_movable or joint.type is JointType.CONTINUOUS:
        return f"{joint.name}: {joint.type}"
    unit = "m" if joint.type is JointType.PRISMATIC else "rad"
    pitch = f", {joint.pitch:.4g} m/rad" if joint.pitch else ""
    return f"{joint.name}: {joint.type}, {joint.lower:.4g} to {joint.upper:.4g} {unit}{pitch}"


class Edge(Protocol):
    """A joint, or what says as much of it as the shape of a tree needs."""

    @property
    def name(self) -> str:
        """Name of the joint."""

    @property
    def parent(self) -> str:
        """Link nearer to the root."""

    @property
    def child(self) -> str:
        """Link that the joint moves."""


AnyEdge = TypeVar("AnyEdge", bound=Edge)


def ordered_tree(
    links: tuple[str, ...], joints: tuple[AnyEdge, ...]
) -> tuple[tuple[str, ...], tuple[AnyEdge, ...]]:
    """Check that links and joints form one tree and return both, parents before children.

    Raises
    ------
    TreeError
        With code ``link_duplicate``, ``joint_duplicate``, ``link_unknown``, ``link_two_parents``,
        ``root_several`` or ``joint_cycle``.
    """
    _require_unique("link", links)
    _require_unique("joint", [joint.name for joint in joints])
    incoming: dict[str, AnyEdge] = {}
    outgoing: dict[str, list[AnyEdge]] = {link: [] for link in links}
    for joint in joints:
        _attach_joint(joint, incoming, outgoing)
    roots = [link for link in links if link not in incoming]
    if len(roots) > 1:
        raise TreeError(
            "root_several", f"the links {_first_names(roots)} all have no parent joint."
        )
    reached, path = list(roots), []
    for link in reached:  # the list grows during the loop: breadth first, without recursion
        for joint in outgoing[link]:
            reached.append(joint.child)
            path.append(joint)
    if len(reached) < len(links):
        raise TreeError("joint_cycle", _cycle_problem(set(links) - set(reached), incoming))
    return tuple(reached), tuple(path)


def _cycle_problem(lost: set[str], incoming: Mapping[str, AnyEdge]) -> str:
    """Name the joints of one cycle among the unreachable links."""
    link = min(lost)
    place: dict[str, int] = {}
    while link not in place:  # every unreachable link has a parent joint, so this ends in a cycle
        place[link] = len(place)
        link = incoming[link].parent
    names = [incoming[one].name for one in list(place)[place[link] :]]
    first = min(names)
    return (
        f"joint {first!r}, field `parent`: the link hangs below the joint's own child, in a "
        f"cycle of the joints {_first_names(sorted(names))}."
    )


def _attach_joint(
    joint: AnyEdge, incoming: dict[str, AnyEdge], outgoing: dict[str, list[AnyEdge]]
) -> None:
    for end in (joint.parent, joint.child):
        if end not in outgoing:
            raise TreeError(
                "link_unknown",
                f"joint {joint.name!r} names the link {end!r}, which does not exist.",
            )
    if joint.child in incoming:
        other = incoming[joint.child].name
        raise TreeError(
            "link_two_parents",
            f"link {joint.child!r} is the child of both {other!r} and {joint.name!r}.",
        )
    incoming[joint.child] = joint
    outgoing[joint.parent].append(joint)


def _require_unique(kind: str, names: list[str] | tuple[str, ...]) -> None:
    if not names and kind == "link":
        raise TreeError("link_none", "the object has no link.")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TreeError(f"{kind}_duplicate", f"the {kind} name {name!r} is used twice.")
        seen.add(name)


def _first_names(names: list[str], most: int = 4) -> str:
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
