# SPDX-License-Identifier: Apache-2.0
"""What vouches for the files of one object: the digest in the tables, the sums in its pictures.

`content_sha256` covers URDF, meshes and textures. The two previews may differ by graphics library
and are no part of it; a PNG has a checksum in each of its chunks, which is enough to see damage.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping

from aa_dataset.layout import PREVIEW, PREVIEW_OPEN

PICTURES = (PREVIEW, PREVIEW_OPEN)
_PNG = b"\x89PNG\r\n\x1a\n"
_CHUNK = struct.Struct(">I4s")


class Contents:
    """The files of one object, taken one by one in any order; tells whether they are the right."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._problem = ""

    def add(self, name: str, data: bytes) -> None:
        """Take one file."""
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
        """Return how the files differ from what the tables say, empty if they do not."""
        if self.sha256() != expected:
            return "holds other files than those that `content_sha256` vouches for"
        return self._problem and f"is damaged: {self._problem}"


def content_digest(files: Mapping[str, bytes]) -> str:
    """Return the digest of URDF, meshes and textures in hex; pictures do not count."""
    contents = Contents()
    for name, data in files.items():
        contents.add(name, data)
    return contents.sha256()


def picture_problem(data: bytes) -> str:
    """Return why some bytes are not a whole PNG, empty if they are."""
    if not data.startswith(_PNG):
        return "is not a PNG"
    place, kind = len(_PNG), b""
    while kind != b"IEND":
        if place + 12 > len(data):
            return "is cut off"
        length, kind = _CHUNK.unpack_from(data, place)
        end = place + 8 + length
        if data[end : end + 4] != struct.pack(">I", zlib.crc32(data[place + 4 : end])):
            return "has a chunk with a wrong checksum"
        place = end + 4
    return "" if place == len(data) else "goes on after its end"
