# SPDX-License-Identifier: Apache-2.0
"""The two tables of a result: one Arrow schema each, unit and meaning in the metadata of a column.

Reals are float64. Null means undefined or inapplicable, never 0, and no number is nan or infinite.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from aa_dataset.score.result.scores import COMPONENTS, SCORES, TREES, VARIANTS, Score

_TEXT, _FLOAT, _INT, _BOOL = pa.string(), pa.float64(), pa.int64(), pa.bool_()
_EDITS = pa.list_(
    pa.field(
        "element",
        pa.struct(
            [
                pa.field("operation", _TEXT, nullable=False),
                pa.field("truth", _TEXT),
                pa.field("predicted", _TEXT),
                pa.field("cost", _FLOAT, nullable=False),
            ]
        ),
        nullable=False,
    )
)
_NOTES = pa.list_(pa.field("element", _TEXT, nullable=False))
_MEASURES = {
    "e_alpha": "E under the split norm",
    "e_alpha_phi": "E^phi under the split norm",
    "e_b": "E under the kinetic norm of the truth joint's body",
    "e_b_phi": "E^phi under the kinetic norm of the truth joint's body",
    "d_path": "root mean square distance along both ranges, split norm",
    "e_alpha_phi_tree": "tree distance under E_alpha^phi",
    "e_b_phi_tree": "tree distance under E_B^phi, measured by the ground truth's bodies",
}
_ERRORS = {
    "type_error": "0 if both joints have one type, else 1",
    "axis_error": "angle between the axes, up to sign",
    "origin_error": "distance of the axes, for a slide of the origins",
    "range_error": "length of the difference of the motion vectors, rad for turns, m for slides",
    "direction_error": "one minus the cosine between the motion vectors",
}


def _field(
    name: str, kind: pa.DataType, meaning: str, *, unit: str = "", null: bool = False
) -> pa.Field:
    notes = {"meaning": meaning} | ({"unit": unit} if unit else {})
    return pa.field(name, kind, nullable=null, metadata=notes)


def _joint_fields() -> Iterator[pa.Field]:
    """Yield what a row of `per_joint` is about."""
    yield _field("protocol", _TEXT, "`all-joints` or `one-joint`")
    yield _field("object_id", _TEXT, "object")
    yield _field("role", _TEXT, "`truth`, or `spurious` for a predicted joint without a partner")
    yield _field("joint", _TEXT, "joint of the ground truth; null if spurious", null=True)
    yield _field("type", _TEXT, "its type; null if spurious", null=True)
    yield _field("predicted", _TEXT, "the partner, or the spurious joint; null if none", null=True)
    yield _field("predicted_type", _TEXT, "its type; null if none", null=True)
    yield _field(
        "predicted_limits",
        _TEXT,
        "`given`, `absent`, `imputed` or `table`; null if none",
        null=True,
    )
    yield _field("category", _TEXT, "category of the object")
    yield _field("supercategory", _TEXT, "supercategory of the object")
    yield _field("source", _TEXT, "raw source of the object")
    yield _field("is_metric", _BOOL, "whether lengths of the object are true meters")
    yield _field("is_mimic", _BOOL, "whether the truth joint follows another one")
    yield _field("is_main", _BOOL, "whether the truth joint is the one of `one-joint`")
    yield _field(
        "why", _TEXT, "`matched`, `nonfinite`, `unmatched`, `absent`, `unreadable` or `spurious`"
    )


def _score_fields(score: Score) -> Iterator[pa.Field]:
    """Yield the columns of one distance in `per_joint`."""
    key, unit, measure = score.key, score.unit, _MEASURES[score.key]
    yield _field(key, _FLOAT, f"{measure}, to the partner", unit=unit, null=True)
    yield _field(
        f"{key}_weld",
        _FLOAT,
        f"the same to the fixed joint: {score.symbol}(J, J0); null if undefined for the truth",
        unit=unit,
        null=True,
    )
    yield _field(
        f"{key}_cost",
        _FLOAT,
        "what the headline charges: the distance, else the weld; "
        f"for a spurious joint {score.symbol}(J0, J)",
        unit=unit,
        null=True,
    )
    yield _field(
        f"{key}_extra",
        _FLOAT,
        "charge of a bounded partner of an unbounded truth joint, else 0",
        unit=unit,
    )
    yield _field(f"{key}_undefined", _TEXT, "why the distance or cost is null", null=True)


def _component_fields(variant: str) -> Iterator[pa.Field]:
    """Yield the columns of one variant of the component errors."""
    for component in COMPONENTS:
        yield _field(
            f"{variant}_{component.key}",
            _FLOAT,
            f"{_ERRORS[component.key]}, {VARIANTS[variant]} variant",
            unit=component.unit,
            null=True,
        )
    yield _field(
        f"{variant}_success",
        _BOOL,
        "whether every gated error is within its tolerance; null if spurious",
        null=True,
    )


def _object_fields() -> Iterator[pa.Field]:
    """Yield what a row of `per_object` is about."""
    yield _field("object_id", _TEXT, "object")
    yield _field("category", _TEXT, "category")
    yield _field("supercategory", _TEXT, "supercategory")
    yield _field("source", _TEXT, "raw source")
    yield _field("is_metric", _BOOL, "whether lengths are true meters")
    yield _field("status", _TEXT, "`scored`, `motionless`, `missing` or `unreadable`")
    yield _field("detail", _TEXT, "why the prediction is unreadable, else empty")
    yield _field("joints", _INT, "moving joints of the ground truth")
    yield _field("predicted", _INT, "moving joints of the prediction")
    yield _field("matched", _INT, "pairs in `all-joints`")
    yield _field("spurious", _INT, "predicted joints without a partner in `all-joints`")
    yield _field("main_joint", _TEXT, "truth joint of `one-joint`; null if none moves", null=True)
    yield _field("main_partner", _TEXT, "its partner in `one-joint`", null=True)


def _intake_fields() -> Iterator[pa.Field]:
    """Yield how a prediction was read and brought into the object frame; null if unreadable."""
    yield _field("reader", _TEXT, "reader of the prediction", null=True)
    yield _field("reader_reason", _TEXT, "why it was this reader", null=True)
    yield _field("notes", _NOTES, "what the reader has to say about the values", null=True)
    yield _field(
        "registration",
        _TEXT,
        "source of the registration: `identity`, `saved`, `inputs`, `file`, `bbox` or `icp`",
        null=True,
    )
    place = "of the map into the object frame"
    yield _field("registration_scale", _FLOAT, f"scale {place}", null=True)
    yield _field(
        "registration_angle", _FLOAT, f"angle of the rotation {place}", unit="rad", null=True
    )
    yield _field(
        "registration_shift", _FLOAT, f"length of the translation {place}", unit="m", null=True
    )
    yield _field("registration_rest", _INT, "joints that were not at 0 at rest", null=True)
    residual = "distance of the shapes after an estimate, root mean square"
    yield _field(
        "registration_residual", _FLOAT, f"{residual}; null if not estimated", unit="m", null=True
    )
    yield _field(
        "registration_runner_up",
        _FLOAT,
        "the same of the best estimate with clearly other axes",
        unit="m",
        null=True,
    )
    yield _field("registration_ambiguous", _BOOL, "whether the runner-up is as good", null=True)
    yield _field("uses_truth", _BOOL, "whether the registration used the ground truth", null=True)
    where = "where it is stated to be, which `--registration identity` does not apply"
    yield _field("stated", _TEXT, "source of a stated registration that is not applied", null=True)
    yield _field("stated_e_alpha_phi", _FLOAT, f"costs in E_alpha^phi, summed, {where}", null=True)
    yield _field(
        "stated_e_alpha_phi_tree", _FLOAT, f"cost of the E_alpha^phi tree {where}", null=True
    )


def _tree_fields(tree: Score) -> Iterator[pa.Field]:
    """Yield the columns of one tree distance."""
    key, reason = tree.key, f"null with a reason in `{tree.key}_undefined`"
    yield _field(key, _FLOAT, f"{_MEASURES[key]}; {reason}, or without a prediction", null=True)
    yield _field(f"{key}_lower", _FLOAT, "certified lower bound", null=True)
    yield _field(f"{key}_upper", _FLOAT, "certified upper bound, equal to the value", null=True)
    yield _field(f"{key}_exact", _BOOL, "whether the value is proven to be the distance", null=True)
    yield _field(f"{key}_weld", _FLOAT, f"of the welded object; {reason}", null=True)
    yield _field(f"{key}_cost", _FLOAT, "the value, else the weld", null=True)
    yield _field(f"{key}_per_truth_joint", _FLOAT, "cost / truth joints; no metric", null=True)
    yield _field(
        f"{key}_per_max_joints", _FLOAT, "cost / the larger count of joints; no metric", null=True
    )
    yield _field(f"{key}_undefined", _TEXT, "why it is undefined for this object", null=True)


PER_JOINT = pa.schema(
    [
        *_joint_fields(),
        *(field for score in SCORES for field in _score_fields(score)),
        *(field for variant in VARIANTS for field in _component_fields(variant)),
        _field(
            "rest_offset",
            _FLOAT,
            "distance between the centers of what both joints move, at rest; enters no score",
            unit="m",
            null=True,
        ),
    ]
)
PER_OBJECT = pa.schema(
    [
        *_object_fields(),
        *(field for tree in TREES for field in _tree_fields(tree)),
        _field(
            "constant_penalty",
            _FLOAT,
            "D_1, where every unmatched joint costs 1, under E_alpha^phi; for comparison",
            null=True,
        ),
        _field("tree_work", _INT, "steps of the search for the E_alpha^phi tree", null=True),
        _field("tree_timed_out", _BOOL, "whether a time limit stopped a tree distance", null=True),
        _field("edits", _EDITS, "edit script of the E_alpha^phi tree with prices", null=True),
        *_intake_fields(),
    ]
)
TABLES = {"per_joint": PER_JOINT, "per_object": PER_OBJECT}
# What the rows of a table are sorted by; together unique.
ORDER = {
    "per_joint": ("protocol", "object_id", "role", "joint", "predicted"),
    "per_object": ("object_id",),
}
