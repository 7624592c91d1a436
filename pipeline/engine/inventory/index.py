# SPDX-License-Identifier: Apache-2.0
"""The sources of a build and their shards, as the last refresh of the inventory wrote them."""

from __future__ import annotations

import json

from pipeline.base import layout


def load_index() -> dict[str, int]:
    """Return the number of shards of every source that has objects."""
    return dict(json.loads(layout.INDEX.read_bytes())) if layout.INDEX.is_file() else {}
