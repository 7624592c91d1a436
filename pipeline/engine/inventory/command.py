# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline inventory`: update the files that rules depend on."""

from __future__ import annotations

import argparse
import sys

from pipeline.base.errors import PipelineError
from pipeline.engine.config import load_config
from pipeline.engine.inventory.refresh import build_lock, refresh


def main(arguments: list[str]) -> int:
    """Refresh, unless a build is running."""
    about = "Digest the raw sources and bring the inputs of the rules up to date."
    argparse.ArgumentParser("python -m pipeline inventory", description=about).parse_args(arguments)
    config = load_config()
    with build_lock(wait=False) as obtained:
        if not obtained:
            raise PipelineError("A build is running in this folder; wait until it ends.")
        for source, shards in refresh(config).items():
            sys.stderr.write(f"{source}: {shards} shards\n")
    return 0
