# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline freeze --version eval200-v2`: freeze a version of the evaluation split.

The members are those of the version if it exists, else those of the newest version, else the split
that was sampled; contents and truth come from the library. A version that exists is replaced only
with `--again`, and only if it is provisional: scores on two lists are not comparable.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from aa_dataset.format.benchmark import SPLIT, VERSION, is_provisional
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.truth import read_truths
from pipeline.base import layout
from pipeline.base.errors import PipelineError
from pipeline.base.seal import usable_seal
from pipeline.base.tables import read_rows, write_bytes
from pipeline.stages.split.frozen import (
    FOLDER,
    FrozenList,
    frozen_versions,
    list_files,
    list_paths,
    read_frozen,
    recognize,
)


def main(arguments: list[str]) -> int:
    """Write the frozen list from the library in this folder."""
    parser = argparse.ArgumentParser(prog="python -m pipeline freeze")
    parser.add_argument("--version", required=True, help=f"name of the version, such as {SPLIT}-v2")
    parser.add_argument("--again", action="store_true", help="replace a provisional version")
    given = parser.parse_args(arguments)
    library = LibraryLayout(layout.LIBRARY)
    if not VERSION.fullmatch(given.version):
        raise PipelineError(f"--version {given.version!r}: write {SPLIT}-v and a number.")
    if not library.seal.is_file():
        raise PipelineError("There is no library here. Run `make library` first.")
    if usable_seal(library) is None:
        raise PipelineError("Another version built the library here. Run `make library` first.")
    for line in freeze(library, given.version, again=given.again):
        sys.stderr.write(f"{line}\n")
    return 0


def freeze(
    library: LibraryLayout, version: str, *, again: bool = False, folder: Path = FOLDER
) -> list[str]:
    """Write both files of a version; return messages about it and about what it replaced."""
    lines = []
    if version in frozen_versions(folder):
        compared = _agreement_message(library, version, folder)
        _require_replaceable(version, compared, again=again)
        lines = [f"before: {compared}"]
    frozen = frozen_from(library, version, _members_to_freeze(library, version, folder))
    for name, data in list_files(frozen).items():
        write_bytes(list_paths(version, folder)[name], data)
    read_frozen.cache_clear()
    return [*lines, f"{version}: {len(frozen.contents)} objects, list {frozen.digest}"]


def _require_replaceable(version: str, compared: str, *, again: bool) -> None:
    """Refuse to replace a version, unless it is provisional and `again` is given."""
    if not is_provisional(version):
        raise PipelineError(
            f"{version} is frozen ({compared}) and is not provisional, so it is never replaced. A "
            f"new benchmark needs a new version: write --version {SPLIT}-v and the next number."
        )
    if not again:
        raise PipelineError(
            f"{version} is frozen already ({compared}); --again replaces it, and a new "
            "benchmark needs a new version."
        )


def frozen_from(library: LibraryLayout, version: str, members: Iterable[str]) -> FrozenList:
    """Return a version of these members with the contents and truth of a library."""
    wanted = set(members)
    rows = [row for row in read_rows(library.table("objects")) if row["object_id"] in wanted]
    absent = wanted - {row["object_id"] for row in rows}
    if absent:
        raise PipelineError(
            f"{len(absent)} of the {len(wanted)} members are not in the library, such as "
            f"{min(absent)}. Build the whole default library first (`make library`)."
        )
    joints = (row for row in read_rows(library.table("joints")) if row["object_id"] in wanted)
    contents = {row["object_id"]: row["content_sha256"] for row in rows}
    return FrozenList(version, contents, read_truths(rows, joints))


def _members_to_freeze(library: LibraryLayout, version: str, folder: Path) -> set[str]:
    known = frozen_versions(folder)
    if known:
        return set(read_frozen(version if version in known else known[-1], folder).contents)
    rows = read_rows(library.table("splits"))
    return {row["object_id"] for row in rows if row["split"].startswith(SPLIT)}


def _agreement_message(library: LibraryLayout, version: str, folder: Path) -> str:
    """Return a message about how the library agrees with the current list."""
    rows = [read_rows(library.table(name)) for name in ("objects", "joints")]
    found = recognize(read_frozen(version, folder), *rows)
    agreed = f"{found.by_bytes} objects agree by bytes and {found.by_numbers} by numbers"
    return f"{agreed}; {found.problem}" if found.problem else agreed
