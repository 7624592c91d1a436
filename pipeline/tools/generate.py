# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline generate`: makes the generated raw folder if it is not up to date.

The folder is a raw source like any other. Manual changes in it are kept until the generator's code
or settings change.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from aa_dataset.files import file_sha256, flush_disk
from pipeline.base import layout
from pipeline.base.errors import PipelineError
from pipeline.base.tables import dump_json, write_bytes
from pipeline.engine.config import load_config
from pipeline.engine.inventory.code import package_modules
from pipeline.engine.inventory.refresh import build_lock
from pipeline.engine.settings import Config
from pipeline.generate.collection import generate_collection


def main(arguments: list[str]) -> int:
    """Generate the collection that the config asks for."""
    parser = argparse.ArgumentParser(prog="python -m pipeline generate")
    parser.add_argument("--count", type=int, help="objects, instead of generated.count")
    parser.add_argument("--again", action="store_true", help="restore what was changed by hand")
    given = parser.parse_args(arguments)
    with build_lock(wait=False) as obtained:
        if not obtained:
            raise PipelineError("A build is running in this folder; wait until it ends.")
        generate(load_config(), count=given.count, again=given.again)
    return 0


def generate(config: Config, *, count: int | None = None, again: bool = False) -> int:
    """Make the raw folder if its code or settings changed; return the number of objects."""
    if "generated" not in config.sources:
        raise PipelineError("config.yaml skips the source `generated`; there is nothing to make.")
    options = config.generated
    count = options.count if count is None else count
    root = Path(config.sources["generated"].facts.folder)
    stamp = {"seed": options.seed, "count": count, "code": _generator_digests()}
    path = layout.generator_stamp(root)
    if again or _read_stamp(path) != stamp:
        path.unlink(missing_ok=True)  # a killed run must not look finished
        root.mkdir(parents=True, exist_ok=True)
        generate_collection(root, seed=options.seed, count=count, workers=os.cpu_count() or 1)
        flush_disk(root)  # the files must be on the disk before the stamp
        write_bytes(path, dump_json(stamp))
    return count


def _generator_digests() -> dict[str, str]:
    files = sorted(package_modules("pipeline.generate"))
    return {path.as_posix(): file_sha256(path) for path in [*files, layout.CONSTRAINTS]}


def _read_stamp(path: Path) -> object:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
