# SPDX-License-Identifier: Apache-2.0
"""What is fuzzed of the Hub's room: the mark of a download, the checksums of a release."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from aa_dataset.format.layout import TABLES, LibraryLayout
from aa_dataset.hub.snapshot import read_mark
from aa_dataset.hub.upload import read_release
from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS, SHARD

MARKS = [b'{"repo_id": "a/b", "commit": "%s", "library_sha256": "%s"}' % (b"c" * 40, b"d" * 64)]
_TABLES = [f"{name}.parquet" for name in TABLES]
_NAMES = [*_TABLES, f"assets/{SHARD}.tar", "library.json", "README.md", "LICENSE"]
CHECKSUMS = ["".join(f"{'0' * 64}  {name}\n" for name in _NAMES).encode()]


def read_origin(data: bytes, folder: Path) -> object:
    """Read the mark that a download has."""
    (folder / ".aa-origin.json").write_bytes(data)
    return read_mark(LibraryLayout(folder))


def read_checksums(data: bytes, folder: Path) -> object:
    """Read the list of files that would be published."""
    (folder / "assets").mkdir()
    for name in _NAMES:
        (folder / name).touch()
    (folder / "library.json").write_bytes(_seal())
    (folder / "SHA256SUMS").write_bytes(data)
    return read_release(folder)


@cache
def _seal() -> bytes:
    with TemporaryDirectory() as folder:
        release = build_library(Path(folder) / "release", LIBRARY_OBJECTS[:1])
        return (release / "library.json").read_bytes()
