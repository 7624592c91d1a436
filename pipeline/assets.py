# SPDX-License-Identifier: Apache-2.0
"""Asset tars: uncompressed, clockless, each object one contiguous range of bytes."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pipeline.errors import DamagedFileError

# Two zero blocks end a tar; a fragment is an object's members without them.
END_OF_ARCHIVE = bytes(1024)


@dataclass(frozen=True, slots=True)
class AssetRange:
    """Where one object lies in a tar."""

    path: Path
    offset: int
    size: int


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
    """Return the files of a fragment by their name inside the object's folder."""
    files = {}
    with tarfile.open(fileobj=io.BytesIO(fragment + END_OF_ARCHIVE), mode="r:") as tar:
        for member in tar:
            stream = tar.extractfile(member)
            if stream is not None:
                files[member.name.split("/", 1)[1]] = stream.read()
    return files


def read_range(where: AssetRange) -> dict[str, bytes]:
    """Read one object's files."""
    return unpack(read_fragment(where))


def read_fragment(where: AssetRange) -> bytes:
    """Read one object's range as it stands; a tar that ends before it is removed."""
    with where.path.open("rb") as stream:
        stream.seek(where.offset)
        data = stream.read(where.size)
    if len(data) < where.size:
        where.path.unlink(missing_ok=True)
        raise DamagedFileError(where.path, f"it ends before byte {where.offset + where.size}")
    return data


class AssetWriter:
    """Appends fragments to an open file and tells where each one went."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._position = stream, 0

    def append(self, fragment: bytes) -> tuple[int, int]:
        """Append one object; return its offset and size."""
        offset = self._position
        self._stream.write(fragment)
        self._position += len(fragment)
        return offset, len(fragment)

    def close(self) -> None:
        """End the archive."""
        self._stream.write(END_OF_ARCHIVE)
