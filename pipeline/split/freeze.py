# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline freeze`: make the sampled split of the library here the frozen `eval200`.

Done once for the default library, and again only when its objects have changed on purpose: a new
list is a new benchmark, and scores on the old one are not comparable.
"""

from __future__ import annotations

import argparse
import sys

from aa_dataset.layout import LibraryLayout
from pipeline import layout
from pipeline.errors import PipelineError
from pipeline.split.frozen import FROZEN, check_frozen, format_frozen, frozen_members
from pipeline.tables import read_rows, write_bytes


def main(arguments: list[str]) -> int:
    """Write the frozen list from the library that is there."""
    parser = argparse.ArgumentParser(prog="python -m pipeline freeze")
    parser.add_argument("--again", action="store_true", help="replace a list that exists")
    given = parser.parse_args(arguments)
    library = LibraryLayout(layout.LIBRARY)
    if not library.seal.is_file():
        raise PipelineError("There is no library here. Run `make library` first.")
    contents = {r["object_id"]: r["content_sha256"] for r in read_rows(library.table("objects"))}
    if frozen_members() and not given.again:
        problem = check_frozen(frozen_members(), contents) or "this library holds it"
        raise PipelineError(f"eval200 is frozen already ({problem}); --again replaces it.")
    rows = read_rows(library.table("splits"))
    members = {
        r["object_id"]: r["content_sha256"] for r in rows if r["split"].startswith("eval200")
    }
    write_bytes(FROZEN, format_frozen(members).encode())
    sys.stderr.write(f"{FROZEN.name}: {len(members)} objects\n")
    return 0
