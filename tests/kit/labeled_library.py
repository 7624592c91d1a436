# SPDX-License-Identifier: Apache-2.0
"""A tiny library of labels: two objects with a category, two without, and a picture of each."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import tarfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from aa_dataset.format.schema import SCHEMA_VERSION, TABLES

OBJECTS = [
    ("articraft-a", "task_lamp", "Lighting",
     "record id: articulated_task_lamp > without articulated: task_lamp"),
    ("articraft-b", "task_lamp", "Lighting", "record id: task_lamp"),
    ("local-mill", "uncategorized", "uncategorized", "metadata: hand_mill > unknown: hand_mill"),
    ("local-quern", "uncategorized", "uncategorized", "metadata: quern > unknown: quern"),
]  # fmt: skip
CATEGORIES = [
    ("grill", "Kitchen & Cooking", "source", 1.4),
    ("task_lamp", "Lighting", "published", 0.8),
    ("uncategorized", "uncategorized", "none", None),
]


def png(note: bytes) -> bytes:
    """Return the chunks of a PNG, with a note in place of pixels."""
    chunks = (b"IHDR" + struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0), b"tEXt" + note, b"IEND")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in chunks
    )


PICTURE = png(b"a picture")


def write_labeled_library(root: Path) -> Path:
    """Write the library that the loader opens and the commands about labels ask."""
    objects: list[dict[str, Any]] = [
        {"object_id": key, "source": key.split("-")[0], "source_id": key.split("-")[1],
         "name": f"the {key}", "description": "Grinds grain.", "category": category,
         "supercategory": group, "label_provenance": trace}
        for key, category, group, trace in OBJECTS
    ]  # fmt: skip
    names = ("category", "supercategory", "origin", "usual_size")
    categories = [dict(zip(names, row, strict=True)) for row in CATEGORIES]
    detail = "the taxonomy has no category for the label 'quern'."
    finding = {"object_id": "local-quern", "stage": "categorize", "code": "label_unknown",
               "severity": "warning", "detail": detail}  # fmt: skip
    _write_assets(root, objects)
    rows = {"objects": objects, "categories": categories, "findings": [finding]}
    for name, schema in TABLES.items():
        blank = {field.name: _blank(field.type) for field in schema if not field.nullable}
        empty = dict.fromkeys(schema.names) | blank
        table = pa.Table.from_pylist([empty | row for row in rows.get(name, [])], schema=schema)
        pq.write_table(table, root / f"{name}.parquet")
    _seal(root, objects)
    return root


def _write_assets(root: Path, objects: list[dict[str, Any]]) -> None:
    (root / "assets").mkdir(parents=True)
    stream = b""
    for row in objects:
        fragment = _tar(row["object_id"], {"preview.png": PICTURE})
        row |= {"shard": "s-0000", "offset": len(stream), "size": len(fragment), "rebuild": None}
        row["redistribution"] = "none"
        row["content_sha256"] = hashlib.sha256().hexdigest()  # of no file but the picture
        stream += fragment
    (root / "assets" / "s-0000.tar").write_bytes(stream + bytes(1024))


def _blank(kind: pa.DataType) -> Any:
    if pa.types.is_fixed_size_list(kind):
        return [0.0] * kind.list_size
    if pa.types.is_map(kind):
        return []
    return "" if pa.types.is_string(kind) else kind.to_pandas_dtype()(0)


def _tar(object_id: str, files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(f"{object_id}/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        end = tar.offset
    return buffer.getvalue()[:end]


def _seal(root: Path, objects: list[dict[str, Any]]) -> None:
    files = {
        path.relative_to(root).as_posix(): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in sorted([*root.glob("*.parquet"), *root.glob("assets/*.tar")])
    }
    seal = {
        "name": "articulatearena-20k",
        "schema_version": SCHEMA_VERSION,
        "revision": "0123456789abcdef",
        "expected_objects": 19977,
        "objects": len(objects),
        "sources": dict(Counter(row["source"] for row in objects)),
        "splits": {},
        "benchmark": None,
        "files": files,
    }
    (root / "library.json").write_text(json.dumps(seal))
