# SPDX-License-Identifier: Apache-2.0
"""The table of the gallery by columns, with a list of the values where they repeat."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from aa_dataset.kinematics import JointType
from pipeline.stages.report.gallery.details import details_file
from pipeline.stages.report.gallery.order import Order
from pipeline.stages.report.gallery.scripts import plain
from pipeline.stages.report.tables import LibraryTables

V = TypeVar("V", bound=Hashable)
_TEXTS = ("supercategory", "category", "source", "license", "description")
_TYPES = tuple(f"joints_{kind.value}" for kind in JointType)
_NUMBERS = (*_TYPES, "joints_movable", "depth", "links")


def gallery_columns(tables: LibraryTables, order: Order, bits: Sequence[int]) -> dict[str, Any]:
    """Return what the page knows of every object before it is opened.

    Parameters
    ----------
    order : Order
        Rows of the gallery.
    bits : sequence of int
        The pictures of every row: `pictures.BITS`.
    """
    rows = pa.array(order.rows, pa.int64())
    objects = tables.objects.take(rows)
    ids = objects["object_id"].to_pylist()
    columns: dict[str, Any] = {
        "count": len(ids),
        "ids": list(map(plain, ids)),
        "names": list(map(plain, objects["name"].to_pylist())),
        "diagonal": _diagonals(objects["extents"]),
        "metric": list(map(int, objects["is_metric"].to_pylist())),
        "pictures": list(bits),
        "details": list(map(details_file, order.rows)),
    }
    for name in _NUMBERS:
        columns[name] = objects[name].to_pylist()
    for name in _TEXTS:
        columns[name] = _listed(map(plain, objects[name].to_pylist()))
    columns["split"] = _listed(_values_of(ids, tables.splits, "split"))
    columns["code"] = _listed(_values_of(ids, tables.findings, "code"))
    return columns


def _listed(values: Iterable[V]) -> dict[str, Any]:
    """Return the different values, sorted, and the place of each row's value in that list."""
    values = list(values)
    different = sorted(set(values))  # type: ignore[type-var]
    places = {value: place for place, value in enumerate(different)}
    return {"values": different, "rows": [places[value] for value in values]}


def _values_of(ids: Sequence[str], table: pa.Table, name: str) -> list[tuple[str, ...]]:
    """Return the different values of a column for every object."""
    found: dict[str, set[str]] = {}
    for object_id, value in zip(
        table["object_id"].to_pylist(), table[name].to_pylist(), strict=True
    ):
        found.setdefault(object_id, set()).add(plain(value))
    return [tuple(sorted(found.get(object_id, ()))) for object_id in ids]


def _diagonals(extents: pa.ChunkedArray) -> list[float]:
    """Return the diagonals [m] of boxes, three digits each."""
    flat = extents.combine_chunks().flatten().to_numpy(zero_copy_only=False).reshape(-1, 3)
    lengths = np.sqrt((flat * flat).sum(1))
    return [float(f"{length:.3g}") if np.isfinite(length) else 0.0 for length in lengths]
