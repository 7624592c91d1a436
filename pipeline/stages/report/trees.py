# SPDX-License-Identifier: Apache-2.0
"""The kinematic tree of an object, from the tables of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.compute as pc

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics import Joint, JointType, KinematicTree
from aa_dataset.kinematics.joints import Mimic
from pipeline.stages.report.tables import LibraryTables

ROOT = "base"  # the URDF convention's name, needed for an object without joints
_COLUMNS = ("joint", "type", "axis", "origin", "lower", "upper", "pitch", "parent", "child",
            "mimic")  # fmt: skip


def object_tree(tables: LibraryTables, object_id: str) -> KinematicTree | None:
    """Return the tree of one object; see `tree_of_rows`."""
    rows = tables.joints.filter(pc.equal(tables.joints["object_id"], object_id))
    return tree_of_rows(object_id, rows.select(_COLUMNS).to_pylist())


def tree_of_rows(
    name: str, joints: Sequence[Mapping[str, Any]], links: Sequence[str] = (ROOT,)
) -> KinematicTree | None:
    """Return a tree of rows of `joints`, object frame at rest, without rigid bodies.

    Parameters
    ----------
    name : str
        Name of the tree.
    joints : sequence of mapping
        The columns of the table by name.
    links : sequence of str
        The links of an object without joints.

    Returns
    -------
    KinematicTree or None
        Rows that form no tree are a gap of the page.
    """
    ends = [end for row in joints for end in (row["parent"], row["child"])]
    try:
        names = tuple(dict.fromkeys(ends or links))
        return KinematicTree(name, names, tuple(map(_joint, joints)))
    except (ArenaError, ValueError, IndexError):
        return None


def _joint(row: Mapping[str, Any]) -> Joint:
    mimic = row["mimic"]
    return Joint(
        row["joint"],
        JointType(row["type"]),
        row["axis"],
        row["origin"],
        lower=row["lower"],
        upper=row["upper"],
        pitch=row["pitch"],
        parent=row["parent"],
        child=row["child"],
        mimic=mimic and Mimic(mimic["joint"], mimic["multiplier"], mimic["offset"]),
    )
