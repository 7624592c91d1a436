# SPDX-License-Identifier: Apache-2.0
"""Integrity of one object's files: the digest in the tables, the checksums in its pictures.

`content_sha256` covers URDF, meshes and textures. It excludes the two previews, which may differ by
graphics library; the checksums of their PNG chunks are enough to detect damage.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping

from aa_dataset.format.layout import PREVIEW, PREVIEW_OPEN

PICTURES = (PREVIEW, PREVIEW_OPEN)
_PNG = b"\x89PNG\r\n\x1a\n"
_CHUNK = struct.Struct(">I4s")


class Contents:
    """Checks the files of one object, added one by one in any order."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._problem = ""

    def add(self, name: str, data: bytes) -> None:
        """Add one file."""
        if name not in PICTURES:
            self._digests[name] = hashlib.sha256(data).hexdigest()
        elif problem := picture_problem(data):
            self._problem = f"{name} {problem}"

    def sha256(self) -> str:
        """Return the digest of all files but the pictures, in hex."""
        total = hashlib.sha256()
        for name in sorted(self._digests):
            total.update(f"{name}\0{self._digests[name]}\0".encode())
        return total.hexdigest()

    def problem(self, expected: str) -> str:
        """Return how the files differ from the tables, empty if they do not."""
        if self.sha256() != expected:
            return "has files that do not match `content_sha256`"
        return self._problem and f"is damaged: {self._problem}"


def content_digest(files: Mapping[str, bytes]) -> str:
    """Return the digest of URDF, meshes and textures in hex; pictures are excluded."""
    contents = Contents()
    for name, data in files.items():
        contents.add(name, data)
    return contents.sha256()


def picture_problem(data: bytes) -> str:
    """Return why the bytes are not a complete PNG, empty if they are."""
    if not data.startswith(_PNG):
        return "is not a PNG"
    place, kind = len(_PNG), b""
    while kind != b"IEND":
        if place + 12 > len(data):
            return "is truncated"
        length, kind = _CHUNK.unpack_from(data, place)
        end = place + 8 + length
        if data[end : end + 4] != struct.pack(">I", zlib.crc32(data[place + 4 : end])):
            return "has a chunk with a wrong checksum"
        place = end + 4
    return "" if place == len(data) else "has bytes after its end"
