# SPDX-License-Identifier: Apache-2.0
"""The complete lists of reasons for a reject and of codes for a finding."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why an object is not in the library."""

    FOLDER_INVALID = "folder_invalid"  # a link, or a name that no table can hold
    METADATA_MISSING = "metadata_missing"  # the file that describes the object is absent
    METADATA_INVALID = "metadata_invalid"  # present, but not as the source documents it
    ARCHIVE_INVALID = "archive_invalid"  # truncated, or with members that lead out of it
    FILTERED_BY_CONFIG = "filtered_by_config"  # config.yaml leaves it out under `filters`
    URDF_MISSING = "urdf_missing"  # no URDF where the source keeps it
    URDF_SEVERAL = "urdf_several"  # more than one where the source documents one
    URDF_INVALID = "urdf_invalid"  # well-formed XML, not a usable URDF
    MJCF_INVALID = "mjcf_invalid"  # not a usable MJCF, or with parts that only MuJoCo can build
    XML_INVALID = "xml_invalid"  # not XML
    XML_ENTITY = "xml_entity"  # entities or a document type: refused unread
    XML_TOO_DEEP = "xml_too_deep"  # nesting beyond the budget
    XML_TOO_LARGE = "xml_too_large"  # size or element count beyond the budget
    NUMBER_INVALID = "number_invalid"  # NaN, infinity or not a number where one is required
    JOINT_TYPE_UNKNOWN = "joint_type_unknown"  # not a joint type of URDF
    JOINT_FLOATING = "joint_floating"  # a loose part: no axis, no limits, nothing to decompose
    JOINT_COMPOUND = "joint_compound"  # several DOF that one-DOF joints cannot express
    JOINT_INVALID = "joint_invalid"  # too far away, or limits that are not a range
    AXIS_ZERO = "axis_zero"  # movable joint without a direction
    LIMITS_REVERSED = "limits_reversed"  # lower > upper and no repair listed
    LINK_NONE = "link_none"  # no link at all
    LINK_DUPLICATE = "link_duplicate"  # two links of one name
    JOINT_DUPLICATE = "joint_duplicate"  # two joints of one name
    LINK_UNKNOWN = "link_unknown"  # a joint names a link that does not exist
    LINK_TWO_PARENTS = "link_two_parents"  # not a tree
    ROOT_SEVERAL = "root_several"  # more than one root
    JOINT_CYCLE = "joint_cycle"  # links in a loop
    MIMIC_INVALID = "mimic_invalid"  # a mimic names no joint, or mimics form a cycle
    MESH_MISSING = "mesh_missing"  # referenced by a link, absent on disk
    MESH_OUTSIDE = "mesh_outside"  # a path that leaves the object's own folder
    MESH_INVALID = "mesh_invalid"  # unreadable, or coordinates that are not numbers
    GEOMETRY_NONE = "geometry_none"  # no visual geometry
    TOO_MANY_LINKS = "too_many_links"  # beyond the budget
    TOO_MANY_FACES = "too_many_faces"  # beyond the budget
    TOO_MANY_BYTES = "too_many_bytes"  # beyond the budget
    TOO_MANY_PIXELS = "too_many_pixels"  # textures beyond the budget, refused before decoding
    MOVABLE_NONE = "movable_none"  # nothing moves
    CONVENTION_BROKEN = "convention_broken"  # our own output fails our own check
    EXCLUDED_BY_REVIEW = "excluded_by_review"  # excluded by a person in pipeline/raw/curation
    FINDING_REJECTED = "finding_rejected"  # config.yaml lists the finding's code
    DUPLICATE = "duplicate"  # the same content under another id
    MEMORY_EXCEEDED = "memory_exceeded"  # the worker hit its memory limit
    TIME_EXCEEDED = "time_exceeded"  # last resort; the summary of the build reports it
    WORKER_CRASHED = "worker_crashed"  # native code crashed on this object
    INTERNAL_ERROR = "internal_error"  # a bug of ours; the log has the traceback


class Code(StrEnum):
    """What a check may find about an object that is kept."""

    SOURCE_DISAGREES = "source_disagrees"  # two files of the source contradict each other
    FRAME_UNCERTAIN = "frame_uncertain"  # the source does not state the object's orientation
    DOCUMENT_MENDED = "document_mended"  # a mistake in the model whose meaning is certain
    MESH_SUBSTITUTED = "mesh_substituted"  # an absent mesh was read from a twin file beside it
    LIMIT_MISSING = "limit_missing"  # a hinge without limits became continuous
    LIMIT_INVENTED = "limit_invented"  # an endless slider got the object's diagonal as travel
    LIMIT_ZERO = "limit_zero"  # lower and upper are equal: the joint became fixed
    REST_OUTSIDE_LIMITS = "rest_outside_limits"  # the rest state is not within the range
    LIMIT_IGNORED = "limit_ignored"  # a continuous joint states a range, which URDF ignores
    SCREW_FOLDED = "screw_folded"  # a declared screw became one helical joint
    SCREW_UNFOLDED = "screw_unfolded"  # a declared screw that the URDF does not show
    PITCH_UNKNOWN = "pitch_unknown"  # a declared screw without a pitch stays two joints
    JOINT_DECOMPOSED = "joint_decomposed"  # a ball, universal or planar joint became several
    REPAIRED = "repaired"  # a person's correction in pipeline/raw/curation was applied
    REPAIR_STALE = "repair_stale"  # a correction does not match the file any more; not applied
    EFFORT_DEFAULT = "effort_default"  # effort or velocity were absent
    MESH_EMPTY = "mesh_empty"  # a mesh file without a triangle
    VISUAL_LEFT_OUT = "visual_left_out"  # triangles without area, which no simulator can draw
    MESH_OPEN = "mesh_open"  # a link's visual geometry is not closed
    TEXTURE_MISSING = "texture_missing"  # a material names a picture that is absent or broken
    TEXTURE_UNPLACED = "texture_unplaced"  # a picture without texture coordinates
    COLORS_AVERAGED = "colors_averaged"  # vertex colors became one color
    COLLISION_REPLACED = "collision_replaced"  # the source's shapes are unusable; ours replace them
    COLLISION_LEFT_OUT = "collision_left_out"  # components beyond the budget, the smallest
    CONTACT_EXCLUDED = "contact_excluded"  # links that penetrate each other ignore their contacts
    COLLISION_FILLED = "collision_filled"  # a hollow that the convex parts still fill at the budget
    BASE_EMPTY = "base_empty"  # the root link has no geometry
    LABEL_UNKNOWN = "label_unknown"  # the taxonomy has no such category
    SIZE_UNUSUAL = "size_unusual"  # far from the usual size of the category
    UNIT_SUSPECTED = "unit_suspected"  # usual for the category if the numbers were mm or cm
    UP_SUSPECTED = "up_suspected"  # joints point where they would if another axis were up
    MOVABLE_NONE = "movable_none"  # nothing moves, or what moves has no geometry
    JOINT_MOVES_NOTHING = "joint_moves_nothing"  # no geometry below a movable joint
    JOINT_FAR = "joint_far"  # a hinge far from everything that it turns
    PART_FLOATING = "part_floating"  # geometry that touches no other
    LINKS_MANY = "links_many"  # unusually many links
    TREE_DEEP = "tree_deep"  # unusually many movable joints in a row
    MIMIC_INCONSISTENT = "mimic_inconsistent"  # a mimic joint is driven out of its own range
    AXIS_SKEWED = "axis_skewed"  # an axis almost, but not quite, along one of the frame
    RANGE_TINY = "range_tiny"  # a range that moves nothing by a visible amount
    TURN_LONG = "turn_long"  # a hinge that turns by more than a full turn
    TRAVEL_LONG = "travel_long"  # a slide longer than the object
    MESH_NOT_FINITE = "mesh_not_finite"  # coordinates that are not numbers
    MESH_DEGENERATE = "mesh_degenerate"  # many triangles without area
    MESH_DOUBLED = "mesh_doubled"  # many duplicate triangles
    MESH_NONMANIFOLD = "mesh_nonmanifold"  # many edges with three or more faces
    MESH_INVERTED = "mesh_inverted"  # closed parts that are inside out
    SWEEP_PENETRATION = "sweep_penetration"  # a moved part penetrates another
    SWEEP_PARTIAL = "sweep_partial"  # a budget of verify was used up before everything was compared
    MASS_APPROXIMATE = "mass_approximate"  # inertia from a fallback, or with an error above 1 %
    MASS_UNUSUAL = "mass_unusual"  # a link below 0.1 g, or far from usual masses
    INERTIA_RAISED = "inertia_raised"  # too small beside its neighbors for a simulator
    BODY_LINE = "body_line"  # a moving body so thin that the kinetic norm is undefined
    MJCF_PART_IGNORED = "mjcf_part_ignored"  # a feature of MuJoCo that URDF cannot express
    COUPLING_IGNORED = "coupling_ignored"  # an equality of joints that is not linear
    FREE_ROOT = "free_root"  # a free joint that only placed the object became fixed
    TEXTURE_AVERAGED = "texture_averaged"  # a picture without coordinates became its mean color
    SHAPE_SHARED = "shape_shared"  # another object has the same geometry and moves differently
    DUPLICATE_KEPT = "duplicate_kept"  # other objects have the same content and were left out
    PREVIEW_FAILED = "preview_failed"  # no pictures: they cannot be drawn
    CAUTION = "review_note"  # a person's remark in pipeline/raw/curation


# Found after verify, so `verify.reject` cannot list them.
LATE_CODES = (
    Code.COLLISION_LEFT_OUT,
    Code.COLLISION_FILLED,
    Code.CONTACT_EXCLUDED,
    Code.MASS_APPROXIMATE,
    Code.MASS_UNUSUAL,
    Code.INERTIA_RAISED,
    Code.BODY_LINE,
    Code.DUPLICATE_KEPT,
    Code.SHAPE_SHARED,
    Code.PREVIEW_FAILED,
)


class Severity(StrEnum):
    """How much a finding matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check about one object."""

    code: Code
    detail: str
    severity: Severity = Severity.WARNING
