# SPDX-License-Identifier: Apache-2.0
"""What Real2Code reports (MandiZhao/real2code, ``eval_utils/joint_eval.py``)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aa_dataset.score.presets.common import (
    Column,
    JointPair,
    Preset,
    Values,
    arccos,
    dot,
    is_rotation,
    line_distance,
    norm,
    vector,
)

PARALLEL = 1e-8  # numpy.allclose(normal, 0)


def measure(pairs: Sequence[JointPair]) -> list[Values]:
    """Return the values of every pair; an object without any predicted joint has wrong types."""
    outputs = {pair.object_id for pair in pairs if pair.predicted is not None}
    return [_measure_pair(pair, pair.object_id in outputs) for pair in pairs]


def _measure_pair(pair: JointPair, has_output: bool) -> Values:
    predicted, truth = pair.predicted, pair.truth
    hinge = is_rotation(truth)
    silent: Values = dict.fromkeys(("rot", "pos") if hinge else ("rot",))
    if predicted is None:
        return {"type": None if has_output else 0.0, **silent}
    if not predicted.is_movable or is_rotation(predicted) != hinge:
        return {"type": 0.0, **silent}
    a, b = vector(predicted.axis), vector(truth.axis)
    cosine = dot(a, b) / (norm(a) * norm(b))
    values: Values = {
        "type": 1.0,
        "rot": min(arccos(cosine), arccos(-cosine)) * 180 / math.pi,
    }
    if hinge:
        points = vector(predicted.origin), vector(truth.origin)
        values["pos"] = line_distance(points, (a, b), parallel=PARALLEL)
    return values


REAL2CODE = Preset(
    "real2code",
    "Real2Code",
    "MandiZhao/real2code, eval_utils/joint_eval.py",
    "all-joints",
    (
        Column("type", "1", "share of pairs with the right type, hinge or slide"),
        Column("rot", "deg", "angle between axes up to sign, right type only"),
        Column("pos", "m", "distance of axes, hinges of the right type only"),
    ),
    (
        "A pair of the wrong type has no axis and no position error, so a wrong type improves both "
        "means.",
        "If some joints are missing, the truth joints left over are dropped. Only if no joint is "
        "predicted do all types of the object count as wrong.",
        "The position error of parallel hinges is one arbitrary component of their distance, and "
        "undefined for the predicted axis (-1, 0, 0).",
        "The arc cosine is not clipped; one undefined value makes a mean undefined.",
        "That code pairs by mesh names, or by the best of all permutations; here the pairing of "
        "the run counts. It has no limits.",
    ),
    measure,
)
