# SPDX-License-Identifier: Apache-2.0
"""What Snakemake asks when it reads the Snakefile: take stock, then tell sources and shards.

Taking stock happens in the main process only; jobs on a cluster read the Snakefile again and use
what the main process wrote. A process that was started without `make library` holds the build lock
as long as it lives, so that it and a build never run at once.
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
    """Tell whether only a plan was asked for: Snakemake does not know yet when it reads rules."""
    return any(
        word.startswith("--dry") or re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", word) for word in words
    )


def take_stock(config: object, workflow: Any) -> tuple[dict[str, int], bool]:
    """Return the number of shards of every source, and whether this process is the one to write.

    Where it is, everything that the plan depends on is up to date now.
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
