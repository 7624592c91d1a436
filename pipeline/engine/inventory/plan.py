# SPDX-License-Identifier: Apache-2.0
"""Called when Snakemake reads the Snakefile: takes stock and returns sources and shards.

Only the main process takes stock; jobs on a cluster read the Snakefile again and use what the main
process wrote. A Snakemake that was started without `make library` holds the build lock until it
exits, so that it never runs at the same time as a build.
"""

from __future__ import annotations

import atexit
import re
import sys
from contextlib import ExitStack
from typing import Any

from pipeline.base.errors import PipelineError
from pipeline.engine.config import parse_config
from pipeline.engine.inventory.index import load_index
from pipeline.engine.inventory.refresh import build_lock, refresh


def _is_dry_run(words: list[str]) -> bool:
    """Return whether this is a dry run, which Snakemake does not know yet when it reads rules."""
    return any(
        word.startswith("--dry") or re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", word) for word in words
    )


def take_stock(config: object, workflow: Any) -> tuple[dict[str, int], bool]:
    """Return the number of shards of every source, and whether this process writes the files.

    If it does, everything that the plan depends on is now up to date.
    """
    if workflow.remote_exec or workflow.subprocess_exec:
        return load_index(), False
    stack = ExitStack()
    atexit.register(stack.close)
    writes = stack.enter_context(build_lock(wait=False))
    if writes:
        shards = refresh(parse_config(config))
    elif _is_dry_run(sys.argv):
        sys.stderr.write("A build is running: this plan shows the state at its start.\n")
        shards = load_index()
    else:
        raise PipelineError("A build is running in this folder; wait until it ends.")
    if not shards:
        raise PipelineError("No source has objects. Run `make library`, which generates some.")
    return shards, writes
