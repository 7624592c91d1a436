# SPDX-License-Identifier: Apache-2.0
"""A strict reader of the tars that a build writes: regular files in the POSIX format only.

Python's `tarfile` treats a damaged header as the end of the tar and accepts negative lengths,
links, sparse files and headers that rename others. Here every header must have a valid checksum,
and the members must fill the byte range exactly.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from aa_dataset.format.validation import BLOCK, MEMBERS, MemberNames, brief, member_name

_MAGIC = b"ustar\x0000"
_PLAIN = (b"0", b"\0")
_HALF, _SUM = BLOCK // 2, 0xFFFF


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an object: its name in the object's folder, its byte range in the tar."""

    name: str
    offset: int
    size: int


def read_members(stream: BinaryIO, offset: int, size: int, *, object_id: str) -> Iterator[Member]:
    """Yield the files of one object; raise `ValueError` if the range is not a complete object.

    Parameters
    ----------
    stream : file
        The tar. Members may be read during iteration.
    offset, size : int [B]
        Start and total length of the object's members.
    object_id : str
        The folder of every member.
    """
    end, names = offset + size, MemberNames()
    for _ in range(MEMBERS):
        if offset == end:
            return
        stream.seek(offset)
        block = stream.read(BLOCK)
        text, length = read_header(block)
        name = member_name(text, object_id)
        names.add(name)
        begin = offset + BLOCK
        offset = begin + length + -length % BLOCK
        if offset > end:
            raise ValueError(f"ends in the middle of {brief(text)}")
        yield Member(name, begin, length)
    if offset < end:
        raise ValueError(f"contains more than {MEMBERS:,} files")


def read_header(block: bytes) -> tuple[str, int]:
    """Return the name of a member and its length [B]."""
    if len(block) < BLOCK:
        raise ValueError("is truncated")
    if not any(block):
        raise ValueError("ends before the object does")
    checksum = block[148:156]
    if _parse_octal(checksum) != _sum(block) - sum(checksum) + 8 * ord(" "):
        raise ValueError("is not a tar at this offset, or has a damaged header")
    text = _header_name(block)
    if block[257:265] != _MAGIC or block[156:157] not in _PLAIN:
        raise ValueError(f"contains {brief(text)}, which is not a regular file")
    length = _parse_octal(block[124:136])
    if length is None:
        raise ValueError(f"gives {brief(text)} a length that is not a number")
    return text, length


def _sum(block: bytes) -> int:
    """Return the sum of the bytes of a block, by C code.

    The lower half of an Adler-32 that starts at 0 is the sum modulo 65521, which 256 bytes do not
    reach.
    """
    return (zlib.adler32(block[:_HALF], 0) & _SUM) + (zlib.adler32(block[_HALF:], 0) & _SUM)


def _parse_octal(field: bytes) -> int | None:
    """Parse a number of a header; None if it is not plain octal."""
    digits = field.rstrip(b"\0 ")
    try:
        return int(digits, 8) if digits.isdigit() else None
    except ValueError:  # an 8 or a 9
        return None


def _header_name(block: bytes) -> str:
    prefix, whole = block[345:500].rstrip(b"\0"), block[:100].rstrip(b"\0")
    if prefix:
        whole = prefix + b"/" + whole
    try:
        text = whole.decode()
    except UnicodeDecodeError:
        raise ValueError(f"contains {brief(whole)}, a name that is not UTF-8") from None
    if "\0" in text:
        raise ValueError(f"contains {brief(text)}, a name with a NUL")
    return text
