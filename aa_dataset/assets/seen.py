# SPDX-License-Identifier: Apache-2.0
"""What is known of the objects that were checked: where the file of each is that was read last.

The memory is shared with processes that are forked later, such as the workers of a `DataLoader`:
no worker and no epoch checks again what another did. An entry holds only while the tar is the same
file with the same size and times, and has a digest of its own, so that an entry that two processes
write at once counts for nothing.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aa_dataset.assets.packed import Asset, Found

_MARK_BYTES = 16
_ENTRY = struct.Struct(f"QQ{_MARK_BYTES}s")  # offset in the tar, size [B], mark


class Seen:
    """Two entries for every row of the objects table: that it was checked, and a file's place."""

    def __init__(self, objects: int):
        self._memory = mmap.mmap(-1, 2 * _ENTRY.size * max(objects, 1))

    def add(self, row: int, asset: Asset, name: str, found: Found) -> None:
        """Remember that the files of an object were all checked, and where one of them is."""
        if found.status is not None:
            self._write(2 * row, asset, "", found.status, (0, 0))
            self._write(2 * row + 1, asset, name, found.status, (found.offset, len(found.data)))

    def is_checked(self, row: int, asset: Asset) -> bool:
        """Return whether all files of an object were checked and the tar did not change."""
        *place, mark = _ENTRY.unpack_from(self._memory, _ENTRY.size * 2 * row)
        try:
            return any(mark) and mark == _mark(asset, "", asset.path.stat(), *place)
        except OSError:
            return False

    def read(self, row: int, asset: Asset, name: str) -> bytes | None:
        """Return the contents of a file; None if it is not known where it is, or not any more."""
        offset, size, mark = _ENTRY.unpack_from(self._memory, _ENTRY.size * (2 * row + 1))
        if not any(mark):
            return None
        try:
            with asset.path.open("rb", buffering=0) as stream:
                if mark != _mark(asset, name, os.fstat(stream.fileno()), offset, size):
                    return None
                stream.seek(offset)
                data = stream.read(size)
        except OSError:
            return None  # a full check says what is wrong
        return data if len(data) == size else None

    def _write(
        self, entry: int, asset: Asset, name: str, status: os.stat_result, place: tuple[int, int]
    ) -> None:
        mark = _mark(asset, name, status, *place)
        _ENTRY.pack_into(self._memory, _ENTRY.size * entry, *place, mark)


def _mark(asset: Asset, name: str, status: os.stat_result, offset: int, size: int) -> bytes:
    """Return the digest of all that an entry depends on."""
    times = status.st_mtime_ns, status.st_ctime_ns
    file = asset.path, status.st_dev, status.st_ino, status.st_size, *times
    text = f"{file} {asset.offset} {asset.size} {asset.content_sha256} {name} {offset} {size}"
    return hashlib.blake2b(text.encode(), digest_size=_MARK_BYTES).digest()
