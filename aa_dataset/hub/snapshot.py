# SPDX-License-Identifier: Apache-2.0
"""One commit of a published library in the cache: seal and tables, checked by their digests.

The folder has the layout of a library without tars. A file with the repository and the commit marks
it; it also has the digest of the seal, so that a damaged seal is seen and downloaded again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from aa_dataset.errors import ArenaError, LibraryError
from aa_dataset.files import FileSeal, file_sha256, read_at_most
from aa_dataset.format.layout import TABLES, LibraryLayout
from aa_dataset.format.seal import Seal, read_seal
from aa_dataset.format.validation import SEAL_BYTES
from aa_dataset.hub.client import damaged, listed_file
from aa_dataset.hub.errors import DamagedFileError
from aa_dataset.hub.landing import land, sweep
from aa_dataset.hub.place import SEAL_NAME, Access, Origin
from aa_dataset.hub.ranges import RemoteFile, read_range
from aa_dataset.untrusted.parquet_batches import MOST_BYTES
from aa_dataset.untrusted.safe_json import parse_json

_MARK_BYTES = 1 << 12  # the mark of a download has 200
Tell = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of a downloaded library: where it is from, and the digest of its seal."""

    origin: Origin
    seal_sha256: str


def read_mark(layout: LibraryLayout) -> Mark | None:
    """Return the mark of a folder, None if it was not downloaded by this package."""
    try:
        facts = parse_json(read_at_most(layout.origin, _MARK_BYTES))
        return Mark(Origin(facts["repo_id"], facts["commit"]), str(facts["library_sha256"]))
    except (OSError, ValueError, KeyError, TypeError, ArenaError):
        return None


def snapshot(origin: Origin, access: Access, *, tell: Tell = bool) -> LibraryLayout:
    """Return the folder of a commit; seal and tables that are absent or damaged are downloaded."""
    layout = LibraryLayout(access.cache.snapshot(origin.repo_id, origin.commit))
    download_missing(layout, origin, tell=tell)
    return layout


def download_missing(layout: LibraryLayout, origin: Origin, *, tell: Tell = bool) -> None:
    """Download the seal and the tables of a folder that are absent or have another size."""
    sweep(layout.root)
    if not _has_seal(layout):
        _fetch_seal(origin, layout)
    seal = read_seal(layout)
    absent = [name for name in TABLES if not _has_size(layout.table(name), _mark(seal, name))]
    if absent:
        size = sum(_mark(seal, name).size for name in absent)
        tell(f"downloading the tables of {origin}: {size:,} bytes")
    for name in absent:
        fetch_table(origin, layout, seal, name)


def is_complete(layout: LibraryLayout) -> bool:
    """Return whether a folder of the cache has its mark, its seal and all tables."""
    if not _has_seal(layout):
        return False
    try:
        seal = read_seal(layout)
    except LibraryError:
        return False
    return all(_has_size(layout.table(name), _mark(seal, name)) for name in TABLES)


def fetch_table(origin: Origin, layout: LibraryLayout, seal: Seal, name: str) -> None:
    """Download one table and check it against the seal."""
    mark, path = _mark(seal, name), layout.table(name)
    file = RemoteFile(origin, path.name, mark.size)
    if mark.size > MOST_BYTES:
        raise file.error(f"it has more than {MOST_BYTES:,} bytes. Tell the owner.")

    def check(temporary: Path) -> None:
        if file_sha256(temporary) != mark.sha256:
            raise damaged(file, f"{SEAL_NAME} lists")

    _land_twice(file, path, check)


def _land_twice(file: RemoteFile, path: Path, check: Callable[[Path], object]) -> None:
    """Download a whole file; once more if it arrives damaged."""
    for last in (False, True):
        chunks: Iterator[bytes] = read_range(file, 0, file.size)
        try:
            land(path, chunks, size=file.size, check=check)
            return
        except DamagedFileError:
            if last:
                raise


def _fetch_seal(origin: Origin, layout: LibraryLayout) -> None:
    listed = listed_file(origin, SEAL_NAME)
    if not 0 < listed.file.size <= SEAL_BYTES:
        raise listed.file.error(f"it has {listed.file.size:,} bytes. Tell the owner.")
    _land_twice(listed.file, layout.seal, listed.check)
    _write_mark(origin, layout)


def _write_mark(origin: Origin, layout: LibraryLayout) -> None:
    facts = {
        "repo_id": origin.repo_id,
        "commit": origin.commit,
        "library_sha256": file_sha256(layout.seal),
    }
    text = json.dumps(facts).encode()
    land(layout.origin, [text], size=len(text), check=bool)


def _has_seal(layout: LibraryLayout) -> bool:
    mark = read_mark(layout)
    if mark is None:
        return False
    with suppress(OSError):
        return file_sha256(layout.seal) == mark.seal_sha256
    return False


def _has_size(path: Path, mark: FileSeal) -> bool:
    try:
        return path.is_file() and path.stat().st_size == mark.size
    except OSError:
        return False


def _mark(seal: Seal, name: str) -> FileSeal:
    return seal.files[f"{name}.parquet"]
