# SPDX-License-Identifier: Apache-2.0
"""What `annotate` writes, beside the object's final files: its rows of the library's tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from aa_dataset.kinematics import Mimic
from pipeline.base.records import Mat3, Record, Sizes, Vec3, Vec6
from pipeline.handover.normalized import SourceInertial

SHAPE_NUMBERS, MOTION_NUMBERS = 16, 12


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Numbers that identify an object independent of its frame, unit and names.

    Attributes
    ----------
    faces : int
        Triangles.
    radius : float [m]
        Root mean square distance of the surface from its centroid.
    is_metric : bool
        Whether lengths are true meters, so that objects of different size are different.
    shape : (16,) float
        Invariants of the geometry at rest.
    joints : tuple of (12,) float
        Invariants of every movable joint's motion, sorted.
    """

    faces: int
    radius: float
    is_metric: bool
    shape: Annotated[tuple[float, ...], Sizes(SHAPE_NUMBERS)]
    joints: tuple[Annotated[tuple[float, ...], Sizes(MOTION_NUMBERS)], ...]

    def __post_init__(self) -> None:
        if len(self.shape) != SHAPE_NUMBERS:
            raise ValueError(f"a shape has {SHAPE_NUMBERS} numbers, not {len(self.shape)}")
        for joint in self.joints:
            if len(joint) != MOTION_NUMBERS:
                raise ValueError(f"a motion has {MOTION_NUMBERS} numbers, not {len(joint)}")


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One row of the table `links`; `aa_dataset/format/schema.py` defines the columns."""

    link: str
    source_name: str
    semantic: str
    mass: float
    com: Vec3
    inertia: Mat3
    inertia_method: str
    inertia_error: float
    source_inertial: SourceInertial | None
    faces: int
    watertight: bool
    bounds_lower: Vec3 | None
    bounds_upper: Vec3 | None
    collision_source: str


@dataclass(frozen=True, slots=True)
class JointRow:
    """One row of the table `joints`; `aa_dataset/format/schema.py` defines the columns."""

    joint: str
    source_name: str
    parent: str
    child: str
    type: str
    axis: Vec3
    origin: Vec3
    pitch: float
    pitch_source: str
    lower: float
    upper: float
    effort: float
    velocity: float
    damping: float
    friction: float
    armature: float
    screw: Vec6
    endpoint_lower: Vec6 | None
    endpoint_upper: Vec6 | None
    body_mass: float | None
    body_com: Vec3 | None
    body_inertia: Mat3 | None
    motion_alpha: float
    motion_kinetic: float | None
    mimic: Mimic | None


@dataclass(frozen=True, slots=True)
class ExclusionRow:
    """One row of the table `exclusions`; `aa_dataset/format/schema.py` defines the columns."""

    first: str
    second: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnnotatedFacts(Record):
    """What later stages read of every object without its rows.

    Attributes
    ----------
    content_sha256 : str
        Digest of URDF, meshes and textures.
    fingerprint : Fingerprint or None
        None if the object has no area.
    depth : int
        Largest number of movable joints between the root and a link.
    """

    content_sha256: str
    fingerprint: Fingerprint | None
    depth: int


@dataclass(frozen=True, slots=True)
class AnnotatedRecord(AnnotatedFacts):
    """The facts with the object's rows of `links`, `joints` (in the tree's order), `exclusions`."""

    links: tuple[LinkRow, ...]
    joints: tuple[JointRow, ...]
    exclusions: tuple[ExclusionRow, ...]
