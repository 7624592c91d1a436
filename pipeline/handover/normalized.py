# SPDX-License-Identifier: Apache-2.0
"""What `normalize` writes, beside the object's files: its frame and the names in its source."""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.base.records import Mat3, Record, Vec3
from pipeline.shapes.primitives import Primitive


@dataclass(frozen=True, slots=True)
class SourceInertial:
    """The source's own inertial of a link, in the source's link frame and units.

    Attributes
    ----------
    mass : float
        Mass.
    center : (3,) float
        Center of mass.
    inertia : (9,) float
        Inertia about it, row by row.
    """

    mass: float
    center: Vec3
    inertia: Mat3


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPrimitive:
    """A visual that the source has as a primitive, and the triangles that stand for it.

    Attributes
    ----------
    solid : Primitive
        Object frame at rest.
    mesh : int
        Number of the link's mesh, in OBJ and GLB alike, that has its triangles.
    face : int
        The first of them; they follow each other.
    """

    solid: Primitive
    mesh: int
    face: int


@dataclass(frozen=True, slots=True)
class NormalRecord(Record):
    """One normalized object; names of links and joints are those of its URDF.

    Attributes
    ----------
    extents : (3,) float [m]
        Size of the box of all visual geometry at rest.
    floor_z : float [m]
        Lowest point at rest.
    front : str or None
        Direction that the source calls front: `x`, or none.
    scale_factor, rotation, center
        A point is ``scale_factor * rotation @ source - center``; rotation (9,) row by row,
        center (3,) [m].
    is_metric : bool
        Whether lengths are true meters.
    link_names, joint_names : dict
        The source's name by ours.
    pitch_sources : dict
        Where the pitch of a helical joint came from, by joint.
    invented_limits : tuple of str
        Joints whose range the source does not state.
    source_inertials : dict
        The source's own inertial by link.
    collision_sources : dict
        `source`, `hulls` or `none` by link.
    primitives : dict
        Visuals that the source has as primitives, by link.
    """

    extents: Vec3
    floor_z: float
    front: str | None
    scale_factor: float
    rotation: Mat3
    center: Vec3
    is_metric: bool
    link_names: dict[str, str]
    joint_names: dict[str, str]
    pitch_sources: dict[str, str]
    invented_limits: tuple[str, ...]
    source_inertials: dict[str, SourceInertial]
    collision_sources: dict[str, str]
    primitives: dict[str, tuple[DrawnPrimitive, ...]]
