# SPDX-License-Identifier: Apache-2.0
"""Tables as the report reads them, of rows that name only what a test is about."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from aa_dataset.format.schema import TABLES
from pipeline.stages.report.tables import LEFT_OUT, LibraryTables, StageCost

Rows = Sequence[Mapping[str, Any]]

SOURCES = ("articraft", "artiverse", "generated", "partnet_mobility")
GROUPS = {
    "Tools": ("pliers", "scissors", "stapler"),
    "Lighting": ("task_lamp", "bulb_lamp"),
    "Storage Furniture": ("nightstand", "cabinet", "desk_drawer", "wardrobe"),
    "uncategorized": ("uncategorized",),
}
KINDS = ("fixed", "revolute", "continuous", "prismatic", "helical")


def report_tables(
    *, root: Path = Path("nowhere"), costs: tuple[StageCost, ...] = (), **rows: Rows
) -> LibraryTables:
    """Return tables of some rows; what a row does not name is empty, zero or null."""
    made = {name: table(name, rows.get(name, ())) for name in TABLES}
    return LibraryTables(root, "made", "0" * 16, **made, costs=costs)


def table(name: str, rows: Rows) -> pa.Table:
    """Return a table of the report of some rows."""
    schema = TABLES[name]
    left_out = LEFT_OUT.get(name, ())
    fields = [field for field in schema if field.name not in left_out]
    filled = [{field.name: row.get(field.name, nothing(field)) for field in fields} for row in rows]
    assert all({*row} <= {*schema.names} for row in rows), "a row names a column that is none"
    return pa.Table.from_pylist(filled, schema=pa.schema(fields))


def nothing(field: pa.Field) -> Any:
    """Return the emptiest value that a column may hold."""
    if field.nullable:
        return None
    kind = field.type
    if pa.types.is_fixed_size_list(kind):
        return [0.0] * kind.list_size
    if pa.types.is_map(kind):
        return []
    for is_kind, value in ((pa.types.is_string, ""), (pa.types.is_boolean, False)):
        if is_kind(kind):
            return value
    return 0


def random_tables(seed: int, objects: int = 60) -> LibraryTables:
    """Return tables of random objects, joints, links, findings and rejects."""
    draw = random.Random(seed)
    chosen = [_object(draw, k) for k in range(objects)]
    joints = [row for one in chosen for row in _joints(draw, one)]
    for one in chosen:
        own = [row for row in joints if row["object_id"] == one["object_id"]]
        one["joints_movable"] = sum(row["type"] != "fixed" for row in own)
        one["depth"] = draw.randrange(one["joints_movable"] + 1)
    links = [
        {
            "object_id": one["object_id"],
            "link": f"link_{k}",
            "inertia_method": draw.choice(("volume", "shell", "hull", "winding")),
            "inertia_error": draw.choice((0.0, 1e-6, 0.01, 0.5, 1.0)),
        }
        for one in chosen
        for k in range(draw.randrange(4))
    ]
    members = draw.sample(chosen, objects // 4)
    return report_tables(
        objects=chosen,
        joints=joints,
        links=links,
        findings=[
            {"object_id": draw.choice(chosen)["object_id"], "code": draw.choice("abc")}
            for _ in range(objects)
        ],
        rejects=[
            {"source": draw.choice(SOURCES), "stage": draw.choice(("ingest", "verify")),
             "code": draw.choice(("mesh_missing", "axis_zero"))}
            for _ in range(objects // 3)
        ],
        categories=[
            {"category": name, "supercategory": group, "usual_size": draw.choice((None, 0.5, 2.0))}
            for group, names in GROUPS.items()
            for name in names
        ],
        splits=[{"split": "eval200", "object_id": one["object_id"]} for one in members],
        costs=(StageCost("verify", 3, 12.5, 10.0, 2**28), StageCost("ingest", 1, 0.5, 0.0, 0)),
    )  # fmt: skip


def _object(draw: random.Random, number: int) -> dict[str, Any]:
    group = draw.choice([*GROUPS])
    return {
        "object_id": f"made-{number:05d}",
        "source": draw.choice(SOURCES),
        "category": draw.choice(GROUPS[group]),
        "supercategory": group,
        "extents": [draw.uniform(0.1, 2) for _ in range(3)],
        "is_metric": draw.random() < 0.7,
    }


def _joints(draw: random.Random, owner: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [_joint(draw, owner["object_id"], k) for k in range(draw.randrange(7))]


def _joint(draw: random.Random, object_id: str, number: int) -> dict[str, Any]:
    kind = draw.choice(KINDS)
    lower, span = draw.uniform(-3, 0), draw.choice((0.0, 0.02, 0.3, 1.5707, 3.1416, 7.0))
    ends = {"continuous": (-float("inf"), float("inf")), "fixed": (0.0, 0.0)}
    bounded = (lower, float("inf") if draw.random() < 0.1 else lower + span)
    helical = kind == "helical"
    return {
        "object_id": object_id,
        "joint": f"joint_{number}",
        "parent": f"link_{draw.randrange(number)}" if number else "base",
        "child": f"link_{number}",
        "type": kind,
        "axis": [0.0, 0.0, 0.0 if kind == "fixed" else 1.0],
        **dict(zip(("lower", "upper"), ends.get(kind, bounded), strict=True)),
        "pitch": draw.choice((-1, 1)) * draw.uniform(0.0001, 0.01) if helical else 0.0,
        "pitch_source": draw.choice(("source", "ranges", "default")) if helical else "",
    }
