# SPDX-License-Identifier: Apache-2.0
"""The revision of a library: a digest of every fact in its tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

import pyarrow as pa

from aa_dataset.format.layout import TABLES
from aa_dataset.format.schema import SCHEMA_VERSION

# The location of an object's bytes is not part of its content: a release packs the same object
# elsewhere, and pictures may differ by graphics library. What drew them is no fact of the object.
PLACE_COLUMNS = ("shard", "offset", "size")
PICTURE_COLUMN = "preview_backend"
PICTURE_FINDING = "preview_failed"
_LEFT_OUT = {*PLACE_COLUMNS, PICTURE_COLUMN}
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def tables_revision(tables: Mapping[str, pa.Table]) -> str:
    """Return 16 hex digits that change with any fact in any table, and with nothing else.

    No picture counts, so the revision does not depend on the graphics library.
    """
    total = hashlib.sha256(SCHEMA_VERSION.encode())
    for name in TABLES:
        total.update(name.encode())
        for row in tables[name].to_pylist():
            if name == "findings" and row["code"] == PICTURE_FINDING:
                continue
            facts = {key: value for key, value in row.items() if key not in _LEFT_OUT}
            total.update(_ENCODER.encode(facts).encode("utf-8", "replace"))
    return total.hexdigest()[:16]
