# SPDX-License-Identifier: Apache-2.0
"""Counts the scans of a JPEG file before it is decoded.

A scan of ten bytes makes a decoder process every pixel again, so a few kilobytes can keep it busy
for hours. Exporters write one scan, or about ten for a progressive picture.
"""

from __future__ import annotations

import re

MOST_SCANS = 100
MAGIC = b"\xff\xd8\xff"
_SCAN = b"\xff\xda"
# Markers that start or end a segment. 00 is an escape within a scan, D0 to D7 continue it, and
# libjpeg treats codes below C0 as damage: it searches for the next marker, and so do we.
_MARK = re.compile(rb"\xff([\xc0-\xcf\xd9-\xfe])")
_END = b"\xd9"


def has_many_scans(data: bytes) -> bool:
    """Return whether bytes are a JPEG file of more than `MOST_SCANS` scans."""
    if not data.startswith(MAGIC) or data.count(_SCAN) <= MOST_SCANS:
        return False  # also for most files with an embedded preview
    return _scans(data) > MOST_SCANS


def _scans(data: bytes) -> int:
    """Return the number of scans up to the end of the picture; stop if there are too many."""
    count, place = 0, 0
    while count <= MOST_SCANS and (mark := _MARK.search(data, place)) and mark[1] != _END:
        count += mark[0] == _SCAN
        # The content of a segment, such as a preview in EXIF, is skipped by its length.
        place = mark.end() + max(int.from_bytes(data[mark.end() : mark.end() + 2], "big"), 2)
    return count
