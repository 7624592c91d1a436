# SPDX-License-Identifier: Apache-2.0
"""Asset tars: uncompressed, without times, each object one contiguous range of bytes.

The stage that writes a range stores its digest in its table, and every reader compares it. Damage
of a tar is therefore detected by its first reader.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from aa_dataset.assets.contents import Contents
from aa_dataset.assets.tars import read_header, read_members
from aa_dataset.files import FileSeal
from aa_dataset.format.validation import BLOCK
from pipeline.base.errors import DamagedFileError
from pipeline.base.tables import read_rows

# Two zero blocks end a tar; a fragment is an object's members without them.
END_OF_ARCHIVE = bytes(1024)
# Columns that a stage that makes files adds to its records.
COLUMNS = (
    pa.field("asset_offset", pa.int64(), nullable=False),
    pa.field("asset_size", pa.int64(), nullable=False),
    pa.field("asset_sha256", pa.string(), nullable=False),
)


@dataclass(frozen=True, slots=True)
class AssetRange:
    """The bytes of one object in a tar; `sha256` is their digest, None if unknown."""

    path: Path
    offset: int
    size: int
    sha256: str | None = None


def asset_ranges(records: Path, tar: Path) -> dict[str, AssetRange]:
    """Return the ranges of the objects of a tar, from the records of the stage that wrote it."""
    names = [column.name for column in COLUMNS]
    rows = read_rows(records, columns=["object_id", *names])
    return {row["object_id"]: AssetRange(tar, *(row[name] for name in names)) for row in rows}


def pack(object_id: str, files: Mapping[str, bytes]) -> bytes:
    """Return the tar fragment of one object: members `<object_id>/<name>`, sorted by name."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files):
            member = tarfile.TarInfo(f"{object_id}/{name}")
            member.size, member.mode, member.mtime = len(files[name]), 0o644, 0
            tar.addfile(member, io.BytesIO(files[name]))
        end = tar.offset
    return buffer.getvalue()[:end]


def unpack(fragment: bytes) -> dict[str, bytes]:
    """Return the files of a fragment by their name inside the object's folder.

    Raises
    ------
    ValueError
        If the fragment is not one complete object with plain names.
    """
    object_id = read_header(fragment[:BLOCK])[0].split("/", 1)[0]
    found = read_members(io.BytesIO(fragment), 0, len(fragment), object_id=object_id)
    return {one.name: fragment[one.offset : one.offset + one.size] for one in found}


def read_range(where: AssetRange) -> dict[str, bytes]:
    """Read one object's files; a tar that does not contain them is removed."""
    try:
        return unpack(read_fragment(where))
    except ValueError as error:
        raise _damage_error(where, f"it {error}") from None


def read_fragment(where: AssetRange) -> bytes:
    """Read one object's range unparsed; a tar that differs from what was written is removed."""
    with where.path.open("rb") as stream:
        stream.seek(where.offset)
        data = stream.read(where.size)
    if len(data) < where.size:
        raise _damage_error(where, f"it ends before byte {where.offset + where.size}")
    if where.sha256 not in (None, hashlib.sha256(data).hexdigest()):
        raise _damage_error(where, f"the object at byte {where.offset} is not what was written")
    return data


def require_content(where: AssetRange, fragment: bytes, content_sha256: str) -> None:
    """Raise, and remove the tar, if a fragment's files do not match their digest in the tables."""
    contents = Contents()
    try:
        for name, data in unpack(fragment).items():
            contents.add(name, data)
        problem = contents.problem(content_sha256)
    except ValueError as error:
        problem = str(error)
    if problem:
        raise _damage_error(where, f"at byte {where.offset} it {problem}")


def _damage_error(where: AssetRange, problem: str) -> DamagedFileError:
    where.path.unlink(missing_ok=True)
    return DamagedFileError(where.path, problem)


class AssetWriter:
    """Appends fragments to an open file and returns their positions."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._position, self._digest = stream, 0, hashlib.sha256()

    def append(self, fragment: bytes) -> tuple[int, int, str]:
        """Append one object; return its offset, its size and its digest."""
        offset = self._position
        self._stream.write(fragment)
        self._digest.update(fragment)
        self._position += len(fragment)
        return offset, len(fragment), hashlib.sha256(fragment).hexdigest()

    def close(self) -> None:
        """End the archive."""
        self._stream.write(END_OF_ARCHIVE)
        self._digest.update(END_OF_ARCHIVE)
        self._position += len(END_OF_ARCHIVE)

    @property
    def mark(self) -> FileSeal:
        """Digest and size of the file, for the seal."""
        return FileSeal(self._digest.hexdigest(), self._position)
