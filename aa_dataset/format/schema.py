# SPDX-License-Identifier: Apache-2.0
"""The tables of a library: one Arrow schema each, the unit and meaning of a column in its metadata.

Vectors are fixed-size lists; twists are rotation first; everything geometric is in the object
frame at rest (see docs/urdf.md).
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = "3"

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


def _field(
    name: str, kind: pa.DataType, meaning: str, *, unit: str = "", null: bool = False
) -> pa.Field:
    notes = {"meaning": meaning} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=null, metadata=notes)


OBJECTS = (
    _field("object_id", _TEXT, "`<source>-<id in the source>`, stable for ever"),
    _field("source", _TEXT, "raw source"),
    _field("source_id", _TEXT, "id in the source"),
    _field("name", _TEXT, "human-readable name"),
    _field("description", _TEXT, "one sentence, empty where the source has none"),
    _field("category", _TEXT, "category of the taxonomy"),
    _field("supercategory", _TEXT, "one of the 15 supercategories"),
    _field("label_provenance", _TEXT, "steps from the source's label to the category"),
    _field("license", _TEXT, "SPDX identifier, or `unknown`"),
    _field("attribution", _TEXT, "whom to credit"),
    _field("redistribution", _BOOL, "whether the license lets a release contain the object"),
    _field("links", _INT, "links, carriers of helical joints not counted"),
    _field("joints_fixed", _INT, "fixed joints"),
    _field("joints_revolute", _INT, "revolute joints"),
    _field("joints_continuous", _INT, "continuous joints"),
    _field("joints_prismatic", _INT, "prismatic joints"),
    _field("joints_helical", _INT, "helical joints"),
    _field("joints_movable", _INT, "all joints but the fixed"),
    _field("depth", _INT, "most movable joints between the root and a link"),
    _field("extents", _VEC3, "size of the box of all visual geometry at rest", unit="m"),
    _field("floor_z", _FLOAT, "lowest point at rest, below the origin", unit="m"),
    _field("front", _TEXT, "direction that the source calls front", null=True),
    _field("scale_factor", _FLOAT, "library length per source length"),
    _field("rotation", _MAT3, "by rows; a point is scale_factor * rotation @ source - center"),
    _field("center", _VEC3, "of the turned and scaled source, now the origin", unit="m"),
    _field("is_metric", _BOOL, "whether lengths are true meters"),
    _field("content_sha256", _TEXT, "digest of URDF, meshes and textures"),
    _field("shard", _TEXT, "asset tar that holds the object"),
    _field("offset", pa.int64(), "first byte of the object in the tar", unit="B"),
    _field("size", pa.int64(), "length of the object in the tar", unit="B"),
    _field(
        "provenance",
        _TEXTS,
        "where the object's facts came from and what else its source tells; what is no text in the "
        "source is JSON",
    ),
)

LINKS = (
    _field("object_id", _TEXT, "object"),
    _field("link", _TEXT, "link name in the URDF"),
    _field("source_name", _TEXT, "link name in the source"),
    _field("semantic", _TEXT, "what the part is, empty where unknown"),
    _field("mass", _FLOAT, "mass at the configured density", unit="kg"),
    _field("com", _VEC3, "center of mass, object frame", unit="m"),
    _field(
        "inertia", _MAT3, "inertia about the center of mass, object frame, by rows", unit="kg m^2"
    ),
    _field(
        "inertia_method",
        _TEXT,
        "primitive (closed forms of the source's primitives alone), volume, winding, volume+shell, "
        "shell, hull or negligible",
    ),
    _field(
        "inertia_error",
        _FLOAT,
        "estimate of the largest relative error of mass, com (against half the box's diagonal) "
        "and inertia; 1 says that only the order is right",
    ),
    _field(
        "source_inertial",
        _INERTIAL,
        "the source's own inertial: mass, center of mass and inertia about it by rows, in the "
        "source's link frame and units",
        null=True,
    ),
    _field("faces", _INT, "triangles of the visual geometry"),
    _field("watertight", _BOOL, "whether the visual geometry, taken together, is closed"),
    _field(
        "bounds_lower",
        _VEC3,
        "lower corner of the visual box at rest, object frame",
        unit="m",
        null=True,
    ),
    _field(
        "bounds_upper",
        _VEC3,
        "upper corner of the visual box at rest, object frame",
        unit="m",
        null=True,
    ),
    _field("collision_source", _TEXT, "source (its own shapes), hulls (of its visuals) or none"),
)

JOINTS = (
    _field("object_id", _TEXT, "object"),
    _field("joint", _TEXT, "joint name in the URDF"),
    _field("source_name", _TEXT, "joint name in the source"),
    _field("parent", _TEXT, "parent link"),
    _field("child", _TEXT, "child link"),
    _field("type", _TEXT, "fixed, revolute, continuous, prismatic or helical"),
    _field("axis", _VEC3, "unit direction, object frame; zero for a fixed joint"),
    _field("origin", _VEC3, "point of the axis, object frame", unit="m"),
    _field("pitch", _FLOAT, "advance of a helical joint", unit="m/rad"),
    _field(
        "pitch_source",
        _TEXT,
        "source, ranges or default; none where a declared screw has no pitch; else empty",
    ),
    _field("lower", _FLOAT, "lower limit, may be -inf", unit="rad or m"),
    _field("upper", _FLOAT, "upper limit, may be inf", unit="rad or m"),
    _field("effort", _FLOAT, "effort limit", unit="N m or N"),
    _field("velocity", _FLOAT, "velocity limit", unit="rad/s or m/s"),
    _field("screw", _VEC6, "unit screw (omega, v), object frame; zero for a fixed joint"),
    _field(
        "endpoint_lower",
        _VEC6,
        "twist (omega, v) to the lower limit: lower times screw; null where that is infinite",
        unit="rad, m",
        null=True,
    ),
    _field(
        "endpoint_upper",
        _VEC6,
        "twist (omega, v) to the upper limit: upper times screw; null where that is infinite",
        unit="rad, m",
        null=True,
    ),
    _field("body_mass", _FLOAT, "child with welded descendants: mass", unit="kg", null=True),
    _field(
        "body_com",
        _VEC3,
        "child with welded descendants: center, object frame",
        unit="m",
        null=True,
    ),
    _field(
        "body_inertia",
        _MAT3,
        "inertia of that body about its center, by rows",
        unit="kg m^2",
        null=True,
    ),
    _field("motion_alpha", _FLOAT, "E_alpha^phi to the fixed joint, alpha 1/m, kappa pi"),
    _field(
        "motion_kinetic",
        _FLOAT,
        "E_B^phi to the fixed joint, kappa pi m; null when fixed or when the body is a line",
        null=True,
    ),
    _field(
        "mimic",
        _MIMIC,
        "the coupling q = multiplier * q(joint) + offset; null when independent",
        null=True,
    ),
)

FINDINGS = (
    _field("object_id", _TEXT, "object"),
    _field("stage", _TEXT, "stage that spoke"),
    _field("code", _TEXT, "what was found, from a closed list"),
    _field("severity", _TEXT, "info, warning or error"),
    _field("detail", _TEXT, "a sentence"),
)

REJECTS = (
    _field("object_id", _TEXT, "object"),
    _field("source", _TEXT, "raw source"),
    _field("stage", _TEXT, "stage that left the object out"),
    _field("code", _TEXT, "reason, from a closed list"),
    _field("detail", _TEXT, "a sentence"),
)

CATEGORIES = (
    _field("category", _TEXT, "category"),
    _field("supercategory", _TEXT, "one of the 15 supercategories"),
    _field("origin", _TEXT, "published, source or proposed"),
    _field("usual_size", _FLOAT, "usual diagonal of the box at rest", unit="m", null=True),
    _field("objects", _INT, "objects of the library"),
    _field("by_source", _COUNTS, "objects per source"),
)

SPLITS = (
    _field("split", _TEXT, "name of the split"),
    _field(
        "version",
        _TEXT,
        "version of the benchmark that the split is, `eval200-v0`; null where it is none",
        null=True,
    ),
    _field("object_id", _TEXT, "object"),
    _field("content_sha256", _TEXT, "content that the membership was decided on"),
    _field("reason", _TEXT, "why the object is in the split"),
)


def _schema(fields: tuple[pa.Field, ...]) -> pa.Schema:
    return pa.schema(fields, metadata={"schema_version": SCHEMA_VERSION})


TABLES: dict[str, pa.Schema] = {
    "objects": _schema(OBJECTS),
    "links": _schema(LINKS),
    "joints": _schema(JOINTS),
    "findings": _schema(FINDINGS),
    "rejects": _schema(REJECTS),
    "categories": _schema(CATEGORIES),
    "splits": _schema(SPLITS),
}
