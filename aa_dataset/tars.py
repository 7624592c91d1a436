# SPDX-License-Identifier: Apache-2.0
"""A strict reader of the tars that a build writes: plain files in the POSIX format, nothing else.

Python's own reader takes a damaged header for the end of the tar and believes lengths below zero,
links, sparse files and headers that rename others. Here a range of bytes is read to its last block
or not at all: each header has its checksum, and the members fill the range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from aa_dataset.trust import BLOCK, MEMBERS, MemberNames, brief, member_name

_MAGIC = b"ustar\x0000"
_PLAIN = (b"0", b"\0")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an object: its name inside the object's folder, its place [B] in the tar."""

    name: str
    offset: int
    size: int


def read_members(stream: BinaryIO, offset: int, size: int, *, object_id: str) -> Iterator[Member]:
    """Yield the files of one object; raise `ValueError` if the range is not all of an object.

    Parameters
    ----------
    stream : file
        The tar. Members may be read while the walk goes on.
    offset, size : int [B]
        Where the object's members begin, and how long they are together.
    object_id : str
        The folder that every member lies in.
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
        raise ValueError(f"holds more than {MEMBERS:,} files")


def read_header(block: bytes) -> tuple[str, int]:
    """Return the name of a member and its length [B]."""
    if len(block) < BLOCK:
        raise ValueError("is cut off")
    if not any(block):
        raise ValueError("ends before the object does")
    if _octal(block[148:156]) != sum(block) - sum(block[148:156]) + 8 * ord(" "):
        raise ValueError("is not a tar there, or a header of it is damaged")
    text = _name(block)
    if block[257:265] != _MAGIC or block[156:157] not in _PLAIN:
        raise ValueError(f"holds {brief(text)}, which is not a plain file")
    length = _octal(block[124:136])
    if length is None:
        raise ValueError(f"gives {brief(text)} a length that is no number")
    return text, length


def _octal(field: bytes) -> int | None:
    """Return a number of a header, None where its digits are not plain octal ones."""
    digits = field.rstrip(b"\0 ")
    return int(digits, 8) if digits.isdigit() and not {*digits} & {*b"89"} else None


def _name(block: bytes) -> str:
    prefix, name = (field.rstrip(b"\0") for field in (block[345:500], block[:100]))
    whole = prefix + b"/" + name if prefix else name
    try:
        text = whole.decode()
    except UnicodeDecodeError:
        raise ValueError(f"holds {brief(whole)}, a name that is not UTF-8") from None
    if "\0" in text:
        raise ValueError(f"holds {brief(text)}, a name with a NUL")
    return text
