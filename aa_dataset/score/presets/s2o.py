# SPDX-License-Identifier: Apache-2.0
"""What S2O reports (3dlg-hcvc/s2o, ``motion_eval.py`` and ``opmotion/evaluation/evaluator.py``)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aa_dataset.score.presets.common import (
    Average,
    Column,
    JointPair,
    Preset,
    Values,
    axis_angle,
    cross,
    is_rotation,
    minus,
    norm,
    vector,
)

AXIS_THRESHOLD = 5.0  # deg
ORIGIN_THRESHOLD = 0.1  # of the part's diagonal
SHARES = ("M", "MA", "MAO")


def measure(pairs: Sequence[JointPair]) -> list[Values]:
    """Return the values of every pair; parts without a partner are left out."""
    return [_measure_pair(pair) for pair in pairs]


def _measure_pair(pair: JointPair) -> Values:
    predicted, truth = pair.predicted, pair.truth
    hinge = is_rotation(truth)
    if predicted is None:
        silent: Values = dict.fromkeys((*SHARES, "axis_diff"))
        return silent | ({"origin_diff": None} if hinge else {})
    right = predicted.is_movable and is_rotation(predicted) == hinge
    a, b = vector(predicted.axis), vector(truth.axis)
    axis = axis_angle(a, b) * 180 / math.pi
    offset = norm(cross(minus(vector(predicted.origin), vector(truth.origin)), b)) / norm(b)
    origin = offset / pair.part_diagonal if pair.part_diagonal > 0 else math.nan
    near = right and axis < AXIS_THRESHOLD
    shares = (right, near, near and (not hinge or origin < ORIGIN_THRESHOLD))
    values: Values = dict(zip(SHARES, map(float, shares), strict=True))
    return values | {"axis_diff": axis} | ({"origin_diff": origin} if hinge else {})


def _share_columns() -> tuple[Column, ...]:
    what = {
        "M": "right type",
        "MA": "right type, axis within 5 deg",
        "MAO": "right type, axis within 5 deg, origin within 0.1 of the part's diagonal",
    }
    kinds = (
        ("micro_{}", "precision", Average.PREDICTIONS),
        ("micro_{}_recall", "recall among matched parts", Average.MEAN),
        ("macro_{}", "mean over objects among matched parts", Average.OBJECTS),
    )
    return tuple(
        Column(key.format(name), "1", f"{kind}: {what[name]}", value=name, average=average)
        for key, kind, average in kinds
        for name in SHARES
    )


S2O = Preset(
    "s2o",
    "S2O",
    "3dlg-hcvc/s2o, motion_eval.py, opmotion/evaluation/evaluator.py",
    "all-joints",
    (
        *_share_columns(),
        Column("micro_axis_diff", "deg", "angle between axes up to sign", value="axis_diff"),
        Column(
            "micro_origin_diff",
            "1",
            "distance of the predicted origin from the true axis, per diagonal of the true part",
            value="origin_diff",
        ),
    ),
    (
        "Its recall divides by the matched parts, so missing parts cost nothing.",
        "The predicted origin is compared with the true axis line, so it is never ill-conditioned; "
        "slides have no origin error.",
        "The distance is divided by the diagonal of the part: a large part forgives more.",
        "That code scores drawers, doors and lids, matched by boxes; here every joint counts, with "
        "the pairing of the run. Limits are not compared.",
    ),
    measure,
)
