# SPDX-License-Identifier: Apache-2.0
"""Numbers per joint: how far joints turn and slide, and the pitches of screws."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from aa_dataset.kinematics import JointType
from pipeline.stages.report.numbers.counting import Array, Histogram, histogram
from pipeline.stages.report.numbers.shapes import diagonals
from pipeline.stages.report.tables import LibraryTables

_STEPS = (0.9, 1.32, 1.94, 2.85, 4.18, 6.13)  # of a decade, in equal ratios
# Edges lie between round numbers, so that a rounded 90 degrees or 5 mm is not torn to two bars.
DEGREES = tuple(15 * k - 7.5 for k in range(26))
METERS = tuple(step * 10.0**power for power in (-3, -2, -1, 0) for step in _STEPS)
DIAGONALS = tuple(k / 20 for k in range(21))
MILLIMETERS = tuple(step * 10.0**power for power in (-1, 0, 1, 2) for step in _STEPS)
TURN = 2 * math.pi


@dataclass(frozen=True, slots=True)
class Ranges:
    """Upper minus lower limit of the joints that have both.

    Attributes
    ----------
    turns : dict of JointType to Histogram
        Revolute and helical joints by degrees.
    meters : Histogram
        Prismatic joints of objects in meters.
    diagonals : Histogram
        All prismatic joints, by the diagonal of their object's box.
    continuous, unlimited, not_metric : int
        Continuous joints; other movable joints that lack a limit; bounded prismatic joints of
        objects in another unit, which are not among the meters.
    """

    turns: dict[JointType, Histogram]
    meters: Histogram
    diagonals: Histogram
    continuous: int
    unlimited: int
    not_metric: int


def joint_ranges(tables: LibraryTables) -> Ranges:
    """Return how far the joints of a library move."""
    kinds = _texts(tables, "type")
    spans = _floats(tables, "upper") - _floats(tables, "lower")
    bounded = np.isfinite(spans)
    slides = (kinds == JointType.PRISMATIC.value) & bounded
    rows = _object_rows(tables)[slides]
    metric = np.array(tables.objects["is_metric"].to_pylist(), bool)[rows]
    shares = spans[slides] / diagonals(tables)[rows]
    movable = (kinds != JointType.FIXED.value) & (kinds != JointType.CONTINUOUS.value)
    return Ranges(
        turns={
            kind: histogram(np.degrees(spans[bounded & (kinds == kind.value)]), DEGREES)
            for kind in (JointType.REVOLUTE, JointType.HELICAL)
        },
        meters=histogram(spans[slides][metric], METERS),
        diagonals=histogram(shares, DIAGONALS),
        continuous=int((kinds == JointType.CONTINUOUS.value).sum()),
        unlimited=int((movable & ~bounded).sum()),
        not_metric=int((~metric).sum()),
    )


def pitches(tables: LibraryTables) -> dict[str, Histogram]:
    """Return the pitches of helical joints by where they come from, [mm per turn], signs dropped.

    Only objects in meters: the pitch of another has no unit.
    """
    metric = np.array(tables.objects["is_metric"].to_pylist(), bool)[_object_rows(tables)]
    chosen = (_texts(tables, "type") == JointType.HELICAL.value) & metric
    values = np.abs(_floats(tables, "pitch")[chosen]) * (TURN * 1000)
    origins = _texts(tables, "pitch_source")[chosen]
    return {
        name: histogram(values[origins == name], MILLIMETERS)
        for name in sorted({*origins.tolist()})
    }


def _object_rows(tables: LibraryTables) -> NDArray[np.int64]:
    """Return the row of every joint's object in `objects`, (joints,)."""
    found = pc.index_in(tables.joints["object_id"], tables.objects["object_id"].combine_chunks())
    return np.array(found.to_pylist(), np.int64)


def _texts(tables: LibraryTables, name: str) -> NDArray[np.object_]:
    return np.array(tables.joints[name].to_pylist(), object)


def _floats(tables: LibraryTables, name: str) -> Array:
    return np.array(tables.joints[name].to_pylist(), np.float64)
