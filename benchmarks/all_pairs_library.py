# SPDX-License-Identifier: Apache-2.0
"""Trees of the generated collection, and a library with only tables made from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.format.validation import BLOCK
from aa_dataset.kinematics import KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.base.seal import seal_folder
from pipeline.base.tables import write_table
from pipeline.generate.draw import Draw
from pipeline.generate.layout import object_name
from pipeline.generate.registry import family
from pipeline.generate.urdf import urdf_text

Row = dict[str, Any]
# Offset of files that are never read.
NOWHERE: Row = {
    "shard": "generated-0000",
    "offset": 0,
    "size": BLOCK,
    "content_sha256": "0" * 64,
    "redistribution": "assets",
}


def collection_tree(member: tuple[str, int]) -> KinematicTree:
    """Return the kinematic tree of one object of the generated collection."""
    name, index = member
    text = urdf_text(family(name)(Draw(1, name, index)), object_name(name, index))
    return urdf_tree(parse_urdf(text.encode()))


def write_library(root: Path, trees: list[KinematicTree]) -> list[str]:
    """Write a library with the trees' joints and without files; return its object ids."""
    layout = LibraryLayout(root)
    layout.assets.mkdir(parents=True, exist_ok=True)
    rows: dict[str, list[Row]] = {name: [] for name in TABLES}
    named = sorted((f"generated-{tree.name}", tree) for tree in trees)
    for object_id, tree in named:
        rows["objects"].append(
            filled("objects", object_id=object_id, source="generated", **NOWHERE)
        )
        rows["joints"] += joint_rows(object_id, tree)
        rows["splits"].append(filled("splits", object_id=object_id, split="library"))
    layout.asset(str(NOWHERE["shard"])).write_bytes(bytes(BLOCK))
    for name, schema in TABLES.items():
        write_table(layout.table(name), rows[name], schema)
    seal_folder(layout, name="articulatearena-20k", expected=len(trees), benchmark=None, marks={})
    return [object_id for object_id, _ in named]


def joint_rows(object_id: str, tree: KinematicTree) -> Iterator[Row]:
    """Yield the rows of the joints table that the loader reads back as the tree."""
    for joint in tree.joints:
        body = joint.body
        yield filled(
            "joints",
            object_id=object_id,
            joint=joint.name,
            type=joint.type.value,
            parent=joint.parent,
            child=joint.child,
            axis=joint.axis.tolist(),
            origin=joint.origin.tolist(),
            lower=joint.lower,
            upper=joint.upper,
            pitch=joint.pitch,
            body_mass=None if body is None else body.mass,
            body_com=None if body is None else body.center.tolist(),
            body_inertia=None if body is None else body.inertia.ravel().tolist(),
        )


def filled(table: str, **known: object) -> Row:
    """Return a row with empty values in all other columns."""
    return {field.name: known.get(field.name, empty(field)) for field in TABLES[table]}


def empty(field: pa.Field) -> object:
    """Return an empty value of the type of a column."""
    if field.nullable:
        return None
    if pa.types.is_fixed_size_list(field.type):
        return [0.0] * field.type.list_size
    if pa.types.is_map(field.type):
        return {}
    if pa.types.is_string(field.type):
        return ""
    return False if pa.types.is_boolean(field.type) else 0
