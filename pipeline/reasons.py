# SPDX-License-Identifier: Apache-2.0
"""The closed lists: why an object is left out, and what a check may find."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why an object is not in the library."""

    FOLDER_INVALID = "folder_invalid"  # a link, or a name that no table can hold
    METADATA_MISSING = "metadata_missing"  # the file that describes the object is absent
    METADATA_INVALID = "metadata_invalid"  # it is there, but not what the source promises
    ARCHIVE_INVALID = "archive_invalid"  # cut off, or with members that lead out of it
    URDF_MISSING = "urdf_missing"  # no URDF where the source keeps it
    URDF_INVALID = "urdf_invalid"  # well-formed XML, not a usable URDF
    XML_INVALID = "xml_invalid"  # not XML
    XML_ENTITY = "xml_entity"  # entities or a document type: refused unread
    XML_TOO_DEEP = "xml_too_deep"  # nesting beyond the budget
    XML_TOO_LARGE = "xml_too_large"  # size or element count beyond the budget
    NUMBER_INVALID = "number_invalid"  # NaN, infinity or no number where one must stand
    JOINT_TYPE_UNKNOWN = "joint_type_unknown"  # unknown, or more than one degree of freedom
    JOINT_INVALID = "joint_invalid"  # zero axis, reversed limits
    LINK_NONE = "link_none"  # no link at all
    LINK_DUPLICATE = "link_duplicate"  # two links of one name
    JOINT_DUPLICATE = "joint_duplicate"  # two joints of one name
    LINK_UNKNOWN = "link_unknown"  # a joint names a link that does not exist
    LINK_TWO_PARENTS = "link_two_parents"  # not a tree
    ROOT_SEVERAL = "root_several"  # more than one root
    JOINT_CYCLE = "joint_cycle"  # links in a loop
    MIMIC_INVALID = "mimic_invalid"  # a mimic names no joint, or mimics run in a circle
    MESH_MISSING = "mesh_missing"  # referenced by a link, absent on disk
    MESH_OUTSIDE = "mesh_outside"  # a path that leaves the object's own folder
    MESH_INVALID = "mesh_invalid"  # unreadable, or coordinates that are not numbers
    GEOMETRY_NONE = "geometry_none"  # nothing to see
    TOO_MANY_LINKS = "too_many_links"  # beyond the budget
    TOO_MANY_FACES = "too_many_faces"  # beyond the budget
    TOO_MANY_BYTES = "too_many_bytes"  # beyond the budget
    MOVABLE_NONE = "movable_none"  # nothing moves
    CONVENTION_BROKEN = "convention_broken"  # our own output fails our own check
    EXCLUDED_BY_REVIEW = "excluded_by_review"  # a person said so in pipeline/curation
    FINDING_REJECTED = "finding_rejected"  # config.yaml lists the finding's code
    DUPLICATE = "duplicate"  # the same content under another id
    MEMORY_EXCEEDED = "memory_exceeded"  # the worker hit its memory limit
    TIME_EXCEEDED = "time_exceeded"  # last resort; the build says that it struck
    WORKER_CRASHED = "worker_crashed"  # native code died on this object
    INTERNAL_ERROR = "internal_error"  # a bug of ours; the log has the traceback


class Code(StrEnum):
    """What a check may say about an object that stays."""

    LIMIT_MISSING = "limit_missing"  # a hinge without limits became continuous
    LIMIT_INVENTED = "limit_invented"  # an endless slider got the object's diagonal as travel
    LIMIT_ZERO = "limit_zero"  # a movable joint that cannot move
    REST_OUTSIDE_LIMITS = "rest_outside_limits"  # the stored state is not within the range
    EFFORT_DEFAULT = "effort_default"  # effort or velocity were absent
    MESH_EMPTY = "mesh_empty"  # a mesh file without a triangle
    MESH_OPEN = "mesh_open"  # a link's visual geometry is not closed
    TEXTURE_MISSING = "texture_missing"  # a material names a picture that is absent
    BASE_EMPTY = "base_empty"  # the root link has no geometry
    LABEL_UNKNOWN = "label_unknown"  # the taxonomy has no such category
    SIZE_UNUSUAL = "size_unusual"  # far from the usual size of the category
    UNIT_SUSPECTED = "unit_suspected"  # right for the category if the numbers were mm or cm
    UP_SUSPECTED = "up_suspected"  # joints point where they would if another axis were up
    MOVABLE_NONE = "movable_none"  # nothing moves, or what moves has no geometry
    JOINT_MOVES_NOTHING = "joint_moves_nothing"  # no geometry below a movable joint
    JOINT_FAR = "joint_far"  # a hinge far from everything that it turns
    PART_FLOATING = "part_floating"  # geometry that nothing holds
    LINKS_MANY = "links_many"  # unusually many links
    TREE_DEEP = "tree_deep"  # unusually many movable joints in a row
    MIMIC_INCONSISTENT = "mimic_inconsistent"  # a follower is led out of its own range
    AXIS_SKEWED = "axis_skewed"  # an axis almost, but not quite, along one of the frame
    RANGE_TINY = "range_tiny"  # a range that moves nothing by a visible amount
    TURN_LONG = "turn_long"  # a hinge that turns by more than once round
    TRAVEL_LONG = "travel_long"  # a slide longer than the object
    MESH_NOT_FINITE = "mesh_not_finite"  # coordinates that are not numbers
    MESH_DEGENERATE = "mesh_degenerate"  # many triangles without area
    MESH_DOUBLED = "mesh_doubled"  # many triangles that stand twice
    MESH_NONMANIFOLD = "mesh_nonmanifold"  # many edges with three or more faces
    MESH_INVERTED = "mesh_inverted"  # closed parts that are inside out
    SWEEP_PENETRATION = "sweep_penetration"  # a driven part runs into another
    SWEEP_PARTIAL = "sweep_partial"  # a budget of verify ended before everything was compared
    MASS_APPROXIMATE = "mass_approximate"  # inertia from a fallback, not from a closed mesh
    DUPLICATE_KEPT = "duplicate_kept"  # other objects have the same content and were left out
    CAUTION = "review_note"  # a person's remark in pipeline/curation


# Stages after verify find these: no list of verify can reject by them.
LATE_CODES = (Code.MASS_APPROXIMATE, Code.DUPLICATE_KEPT)


class Severity(StrEnum):
    """How much a finding matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check that spoke about one object."""

    code: Code
    detail: str
    severity: Severity = Severity.WARNING
