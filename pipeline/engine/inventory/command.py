# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline inventory`: update the files that rules depend on."""

from __future__ import annotations

import sys

from pipeline.base.errors import PipelineError
from pipeline.engine.config import load_config
from pipeline.engine.inventory.refresh import build_lock, refresh


def main(_arguments: list[str]) -> int:
    """Refresh, unless a build is running."""
    config = load_config()
    with build_lock(wait=False) as obtained:
        if not obtained:
            raise PipelineError("A build is running in this folder; wait until it ends.")
        for source, shards in refresh(config).items():
            sys.stderr.write(f"{source}: {shards} shards\n")
    return 0
