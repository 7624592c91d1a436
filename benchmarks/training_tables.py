# SPDX-License-Identifier: Apache-2.0
"""Tables of a library of 20,000 objects with 150,000 joints, for `benchmarks/training.py`.

A few hundred objects of the test kit are repeated, each copy turned, scaled and renamed, so that
columns of numbers compress no better than real ones. There are no files behind the rows.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.format.schema import TABLES
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from tests.kit.library_folder import write_seal
from tests.kit.library_objects import ObjectSpec, Part, object_files
from tests.kit.library_rows import category_rows, joint_row, link_rows, object_row

OBJECTS, JOINTS, COPIES = 20_000, 150_000, 50
FEWEST, MOST = 3, 12  # joints of an object: 7.5 on average
KINDS = ("revolute", "prismatic", "continuous", "fixed", "helical")


def write_tables(root: Path) -> Path:
    """Write a library folder without the files of its objects and return it."""
    (root / "assets").mkdir(parents=True)
    rng = np.random.default_rng(0)
    specs = [make_spec(k, rng) for k in range(OBJECTS // COPIES)]
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for spec in specs:
        tree = urdf_tree(parse_urdf(object_files(spec)["object.urdf"]))
        rows["objects"].append(object_row(spec, tree, ("generated-0000", 0, 512)))
        rows["links"] += link_rows(spec, tree)
        rows["joints"] += [joint_row(spec.object_id, joint) for joint in tree.joints]
    rows["categories"] += category_rows(tuple(specs))
    tables = {name: pa.Table.from_pylist(rows[name], schema=TABLES[name]) for name in TABLES}
    ids = sorted(f"{spec.object_id}_{copy:02d}" for spec in specs for copy in range(COPIES))
    for name in ("objects", "links", "joints"):
        tables[name] = copies(tables[name], rng)
    tables["objects"] = placed(tables["objects"].sort_by("object_id"))
    digests = tables["objects"]["content_sha256"].to_pylist()
    for split, start in (("library", 0), ("train", OBJECTS // 10)):
        members = [
            {"split": split, "version": None, "object_id": one, "content_sha256": digest,
             "reason": "made"}
            for one, digest in zip(ids[start:], digests[start:], strict=True)
        ]  # fmt: skip
        more = pa.Table.from_pylist(members, schema=TABLES["splits"])
        tables["splits"] = pa.concat_tables([tables["splits"], more])
    for name, table in tables.items():
        pq.write_table(table.cast(TABLES[name]), root / f"{name}.parquet", compression="zstd")
    with (root / "assets/generated-0000.tar").open("wb") as stream:
        stream.truncate(512 * OBJECTS + 1024)
    write_seal(root, revision="0123456789abcdef")
    return root


def make_spec(number: int, rng: np.random.Generator) -> ObjectSpec:
    """Return an object with a random tree."""
    count, parts = FEWEST + number % (MOST - FEWEST + 1), []
    for k in range(count):
        kind = KINDS[0] if k == 0 else KINDS[int(rng.integers(len(KINDS)))]
        parent = "base" if k == 0 else f"part_{int(rng.integers(k)):02d}"
        place = tuple(rng.normal(size=3).round(4).tolist())
        parts.append(
            Part(f"part_{k:02d}", kind, parent, place, axis=tuple(rng.normal(size=3).tolist()),
                 pitch=0.002 if kind == "helical" else 0.0, upper=float(rng.uniform(0.2, 3)))
        )  # fmt: skip
    return ObjectSpec(f"generated-thing_{number:05d}", f"category_{number % 40:02d}", tuple(parts))


def copies(table: pa.Table, rng: np.random.Generator) -> pa.Table:
    """Return the rows of all copies: new ids, and numbers that differ from copy to copy."""
    made = []
    for copy in range(COPIES):
        angle, scale = float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(0.5, 2))
        c, s = math.cos(angle), math.sin(angle)
        made.append(moved(table, copy, np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]), scale))
    return pa.concat_tables(made).combine_chunks()


def moved(table: pa.Table, copy: int, turn: np.ndarray, scale: float) -> pa.Table:
    """Return the rows of turned and scaled objects under new ids."""
    changes = {
        "axis": lambda v: v @ turn.T,
        **dict.fromkeys(("origin", "body_com", "com"), lambda v: scale * v @ turn.T),
        **dict.fromkeys(("body_inertia", "inertia", "extents"), lambda v: v * scale**2),
        **dict.fromkeys(("endpoint_lower", "endpoint_upper"), lambda v: v * scale),
        "screw": lambda v: screws(v, turn, scale),
    }
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    ids = [f"{one}_{copy:02d}" for one in columns["object_id"].to_pylist()]
    columns["object_id"] = pa.array(ids)
    for name in changes.keys() & columns.keys():
        columns[name] = changed(columns[name], changes[name])
    return pa.table(columns).cast(table.schema)


def screws(values: np.ndarray, turn: np.ndarray, scale: float) -> np.ndarray:
    """Return unit screws (n, 6) of turned and scaled objects."""
    turns = values[:, :3].any(axis=1, keepdims=True)
    moments = values[:, 3:] @ turn.T
    return np.hstack([values[:, :3] @ turn.T, np.where(turns, scale * moments, moments)])


def changed(column: pa.FixedSizeListArray, change: Any) -> pa.Array:
    """Apply a function of (n, k) numbers to a column of vectors; what is null stays so."""
    width = column.type.list_size
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    full = np.zeros((len(column), width))
    full[valid] = column.drop_null().flatten().to_numpy().reshape(-1, width)
    flat = pa.array(change(full).ravel())
    mask = pa.array(~valid)
    return pa.FixedSizeListArray.from_arrays(flat, type=column.type, mask=mask)


def placed(objects: pa.Table) -> pa.Table:
    """Give every object a place of its own in the tar."""
    index = objects.schema.get_field_index("offset")
    field, places = objects.schema.field(index), 512 * np.arange(objects.num_rows)
    return objects.set_column(index, field, pa.array(places, pa.int64()))
