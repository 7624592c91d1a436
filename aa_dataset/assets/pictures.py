# SPDX-License-Identifier: Apache-2.0
"""Whether the pictures of an object are complete: PNG has checksums, an animation gets one.

A WebP file is a RIFF file, which has none. Ours end with a chunk that holds the CRC-32 of all
chunks before; readers of WebP skip chunks that they do not know.
"""

from __future__ import annotations

import struct
import zlib

_PNG = b"\x89PNG\r\n\x1a\n"
_CHUNK = struct.Struct(">I4s")
_RIFF = struct.Struct("<4sI4s")
_CHECKSUM = struct.Struct("<4sII")
_NAME = b"aCRC"


def picture_problem(data: bytes) -> str:
    """Return why the bytes are no complete picture of a library, empty if they are one."""
    if data.startswith(b"RIFF"):
        return _animation_problem(data)
    if not data.startswith(_PNG):
        return "is neither a PNG nor a WebP"
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


def with_checksum(webp: bytes) -> bytes:
    """Return a WebP file with its checksum as the last chunk."""
    chunks = webp[_RIFF.size :]
    size = len(webp) - 8 + _CHECKSUM.size
    return _RIFF.pack(b"RIFF", size, b"WEBP") + chunks + _checksum(chunks)


def _checksum(chunks: bytes) -> bytes:
    return _CHECKSUM.pack(_NAME, 4, zlib.crc32(chunks))


def _animation_problem(data: bytes) -> str:
    if len(data) < _RIFF.size + _CHECKSUM.size:
        return "is truncated"
    _, size, kind = _RIFF.unpack_from(data)
    if kind != b"WEBP":
        return "is neither a PNG nor a WebP"
    if size != len(data) - 8:
        return "is truncated" if size > len(data) - 8 else "has bytes after its end"
    end = len(data) - _CHECKSUM.size
    same = data[end:] == _checksum(data[_RIFF.size : end])
    return "" if same else "has a wrong checksum"
