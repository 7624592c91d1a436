# SPDX-License-Identifier: Apache-2.0
"""Shared by the rules: the sources and shards of the build, fixed before planning."""

import sys

from pipeline.engine.inventory.plan import take_stock
from pipeline.base.layout import shard_name
from pipeline.engine.stages import SHARD_STAGES

PYTHON = sys.executable
SHARDS, WRITES = take_stock(config, workflow)


wildcard_constraints:
    source="[a-z][a-z0-9_]*",
    shard="[0-9]{4}",


def all_shards(pattern):
    """Return a path per shard of every source; `pattern` has {source} and {shard}."""
    return [
        pattern.format(source=source, shard=shard_name(number))
        for source, count in SHARDS.items()
        for number in range(count)
    ]


def all_rejects_and_findings():
    """Return the tables of rejects and findings of every stage and shard."""
    return [
        path
        for stage in SHARD_STAGES
        for table in ("rejects", "findings")
        for path in all_shards(f"work/{stage}/{{source}}/{{shard}}.{table}.parquet")
    ]
