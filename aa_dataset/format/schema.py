# SPDX-License-Identifier: Apache-2.0
"""The tables of a library: one Arrow schema each, the unit and meaning of a column in its metadata.

Vectors are fixed-size lists; twists are rotation first; everything geometric is in the object
frame at rest (see docs/urdf.md).
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = "6"

_TEXT, _FLOAT, _INT, _BOOL = pa.string(), pa.float64(), pa.int32(), pa.bool_()
_VEC3, _VEC6, _MAT3 = pa.list_(_FLOAT, 3), pa.list_(_FLOAT, 6), pa.list_(_FLOAT, 9)
_MIMIC = pa.struct(
    [
        pa.field("joint", _TEXT, nullable=False),
        pa.field("multiplier", _FLOAT, nullable=False),
        pa.field("offset", _FLOAT, nullable=False),
    ]
)
# The vectors are there wherever the struct is; Parquet's reader fails on a struct that is null and
# has a fixed-size list that may not be.
_INERTIAL = pa.struct(
    [
        pa.field("mass", _FLOAT, nullable=False),
        pa.field("center", _VEC3),
        pa.field("inertia", _MAT3),
    ]
)
_TEXTS = pa.map_(_TEXT, pa.field("value", _TEXT))
_COUNTS = pa.map_(_TEXT, pa.field("value", _INT, nullable=False))


def _documented_field(
    name: str, kind: pa.DataType, meaning: str, *, unit: str = "", null: bool = False
) -> pa.Field:
    notes = {"meaning": meaning} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=null, metadata=notes)


OBJECTS = (
    _documented_field("object_id", _TEXT, "`<source>-<id in the source>`, stable for ever"),
    _documented_field("source", _TEXT, "raw source"),
    _documented_field("source_id", _TEXT, "id in the source"),
    _documented_field("name", _TEXT, "human-readable name"),
    _documented_field("description", _TEXT, "one sentence, empty where the source has none"),
    _documented_field("category", _TEXT, "category of the taxonomy"),
    _documented_field("supercategory", _TEXT, "one of the 15 supercategories"),
    _documented_field("label_provenance", _TEXT, "steps from the source's label to the category"),
    _documented_field("license", _TEXT, "SPDX identifier, or `unknown`"),
    _documented_field("attribution", _TEXT, "whom to credit"),
    _documented_field(
        "redistribution",
        _TEXT,
        "what a release may contain of the object: assets, annotations (numbers, ids and digests; "
        "no file and no text of the source) or none",
    ),
    _documented_field("links", _INT, "links, carriers of helical joints not counted"),
    _documented_field("joints_fixed", _INT, "fixed joints"),
    _documented_field("joints_revolute", _INT, "revolute joints"),
    _documented_field("joints_continuous", _INT, "continuous joints"),
    _documented_field("joints_prismatic", _INT, "prismatic joints"),
    _documented_field("joints_helical", _INT, "helical joints"),
    _documented_field("joints_movable", _INT, "all joints but the fixed"),
    _documented_field("depth", _INT, "most movable joints between the root and a link"),
    _documented_field("extents", _VEC3, "size of the box of all visual geometry at rest", unit="m"),
    _documented_field("floor_z", _FLOAT, "lowest point at rest, below the origin", unit="m"),
    _documented_field("front", _TEXT, "direction that the source calls front", null=True),
    _documented_field("scale_factor", _FLOAT, "library length per source length"),
    _documented_field(
        "rotation", _MAT3, "by rows; a point is scale_factor * rotation @ source - center"
    ),
    _documented_field("center", _VEC3, "of the turned and scaled source, now the origin", unit="m"),
    _documented_field("is_metric", _BOOL, "whether lengths are true meters"),
    _documented_field("content_sha256", _TEXT, "digest of URDF, meshes and textures"),
    _documented_field(
        "preview_backend",
        _TEXT,
        "what drew the pictures: egl or embree; null where there are none; no part of the revision",
        null=True,
    ),
    _documented_field(
        "shard", _TEXT, "asset tar with the object's files; null where they are not here", null=True
    ),
    _documented_field(
        "offset", pa.int64(), "first byte of the object in the tar", unit="B", null=True
    ),
    _documented_field("size", pa.int64(), "length of the object in the tar", unit="B", null=True),
    _documented_field(
        "rebuild",
        _TEXT,
        "command that makes the object's files on your own machine; null where they are here",
        null=True,
    ),
    _documented_field(
        "provenance",
        _TEXTS,
        "where the object's facts came from and what else its source tells; what is no text in the "
        "source is JSON",
    ),
)

LINKS = (
    _documented_field("object_id", _TEXT, "object"),
    _documented_field("link", _TEXT, "link name in the URDF"),
    _documented_field("source_name", _TEXT, "link name in the source"),
    _documented_field("semantic", _TEXT, "what the part is, empty where unknown"),
    _documented_field("mass", _FLOAT, "mass at the configured density", unit="kg"),
    _documented_field("com", _VEC3, "center of mass, object frame", unit="m"),
    _documented_field(
        "inertia", _MAT3, "inertia about the center of mass, object frame, by rows", unit="kg m^2"
    ),
    _documented_field(
        "inertia_method",
        _TEXT,
        "primitive (closed forms of the source's primitives alone), volume, winding, volume+shell, "
        "shell, hull or negligible",
    ),
    _documented_field(
        "inertia_error",
        _FLOAT,
        "estimate of the largest relative error of mass, com (against half the box's diagonal) "
        "and inertia; 1 says that only the order is right",
    ),
    _documented_field(
        "source_inertial",
        _INERTIAL,
        "the source's own inertial: mass, center of mass and inertia about it by rows, in the "
        "source's link frame and units",
        null=True,
    ),
    _documented_field("faces", _INT, "triangles of the visual geometry"),
    _documented_field(
        "watertight", _BOOL, "whether the visual geometry, taken together, is closed"
    ),
    _documented_field(
        "bounds_lower",
        _VEC3,
        "lower corner of the visual box at rest, object frame",
        unit="m",
        null=True,
    ),
    _documented_field(
        "bounds_upper",
        _VEC3,
        "upper corner of the visual box at rest, object frame",
        unit="m",
        null=True,
    ),
    _documented_field(
        "collision_source", _TEXT, "source (its own shapes), hulls (of its visuals) or none"
    ),
)

JOINTS = (
    _documented_field("object_id", _TEXT, "object"),
    _documented_field("joint", _TEXT, "joint name in the URDF"),
    _documented_field("source_name", _TEXT, "joint name in the source"),
    _documented_field("parent", _TEXT, "parent link"),
    _documented_field("child", _TEXT, "child link"),
    _documented_field("type", _TEXT, "fixed, revolute, continuous, prismatic or helical"),
    _documented_field("axis", _VEC3, "unit direction, object frame; zero for a fixed joint"),
    _documented_field("origin", _VEC3, "point of the axis, object frame", unit="m"),
    _documented_field("pitch", _FLOAT, "advance of a helical joint", unit="m/rad"),
    _documented_field(
        "pitch_source",
        _TEXT,
        "source, ranges or default; none where a declared screw has no pitch; else empty",
    ),
    _documented_field("lower", _FLOAT, "lower limit, may be -inf", unit="rad or m"),
    _documented_field("upper", _FLOAT, "upper limit, may be inf", unit="rad or m"),
    _documented_field("effort", _FLOAT, "effort limit", unit="N m or N"),
    _documented_field("velocity", _FLOAT, "velocity limit", unit="rad/s or m/s"),
    _documented_field(
        "damping",
        _FLOAT,
        "torque or force per rate; zero where the joint is fixed or follows another",
        unit="N m s/rad or N s/m",
    ),
    _documented_field("friction", _FLOAT, "dry friction; zero where damping is", unit="N m or N"),
    _documented_field(
        "armature",
        _FLOAT,
        "inertia of the joint itself; zero where damping is",
        unit="kg m^2 or kg",
    ),
    _documented_field(
        "screw", _VEC6, "unit screw (omega, v), object frame; zero for a fixed joint"
    ),
    _documented_field(
        "endpoint_lower",
        _VEC6,
        "twist (omega, v) to the lower limit: lower times screw; null where that is infinite",
        unit="rad, m",
        null=True,
    ),
    _documented_field(
        "endpoint_upper",
        _VEC6,
        "twist (omega, v) to the upper limit: upper times screw; null where that is infinite",
        unit="rad, m",
        null=True,
    ),
    _documented_field(
        "body_mass", _FLOAT, "child with welded descendants: mass", unit="kg", null=True
    ),
    _documented_field(
        "body_com",
        _VEC3,
        "child with welded descendants: center, object frame",
        unit="m",
        null=True,
    ),
    _documented_field(
        "body_inertia",
        _MAT3,
        "inertia of that body about its center, by rows",
        unit="kg m^2",
        null=True,
    ),
    _documented_field(
        "motion_alpha", _FLOAT, "E_alpha^phi to the fixed joint, alpha 1/m, kappa pi"
    ),
    _documented_field(
        "motion_kinetic",
        _FLOAT,
        "E_B^phi to the fixed joint, kappa pi m; null when fixed or when the body is a line",
        null=True,
    ),
    _documented_field(
        "mimic",
        _MIMIC,
        "the coupling q = multiplier * q(joint) + offset; null when independent",
        null=True,
    ),
)

EXCLUSIONS = (
    _documented_field("object_id", _TEXT, "object"),
    _documented_field("first", _TEXT, "link"),
    _documented_field("second", _TEXT, "another link, later in the alphabet"),
    _documented_field(
        "reason",
        _TEXT,
        "overlap_at_rest or overlap_in_motion: the links penetrate each other in their visible "
        "geometry, so simulators ignore contacts between them",
    ),
)

FINDINGS = (
    _documented_field("object_id", _TEXT, "object"),
    _documented_field("stage", _TEXT, "stage that spoke"),
    _documented_field("code", _TEXT, "what was found, from a closed list"),
    _documented_field("severity", _TEXT, "info, warning or error"),
    _documented_field("detail", _TEXT, "a sentence"),
)

REJECTS = (
    _documented_field("object_id", _TEXT, "object"),
    _documented_field("source", _TEXT, "raw source"),
    _documented_field("stage", _TEXT, "stage that left the object out"),
    _documented_field("code", _TEXT, "reason, from a closed list"),
    _documented_field("detail", _TEXT, "a sentence"),
)

CATEGORIES = (
    _documented_field("category", _TEXT, "category"),
    _documented_field("supercategory", _TEXT, "one of the 15 supercategories"),
    _documented_field("origin", _TEXT, "published, source or proposed"),
    _documented_field(
        "usual_size", _FLOAT, "usual diagonal of the box at rest", unit="m", null=True
    ),
    _documented_field("objects", _INT, "objects of the library"),
    _documented_field("by_source", _COUNTS, "objects per source"),
)

SPLITS = (
    _documented_field("split", _TEXT, "name of the split"),
    _documented_field(
        "version",
        _TEXT,
        "version of the benchmark that the split is, `eval200-v1`; null where it is none",
        null=True,
    ),
    _documented_field("object_id", _TEXT, "object"),
    _documented_field("content_sha256", _TEXT, "content that the membership was decided on"),
    _documented_field("reason", _TEXT, "why the object is in the split"),
)


def _documented_schema(fields: tuple[pa.Field, ...]) -> pa.Schema:
    return pa.schema(fields, metadata={"schema_version": SCHEMA_VERSION})


TABLES: dict[str, pa.Schema] = {
    "objects": _documented_schema(OBJECTS),
    "links": _documented_schema(LINKS),
    "joints": _documented_schema(JOINTS),
    "exclusions": _documented_schema(EXCLUSIONS),
    "findings": _documented_schema(FINDINGS),
    "rejects": _documented_schema(REJECTS),
    "categories": _documented_schema(CATEGORIES),
    "splits": _documented_schema(SPLITS),
}
