# SPDX-License-Identifier: Apache-2.0
"""What the header of a JPEG file says: how many scans it has, and whether every viewer reads it.

A scan of ten bytes makes a decoder process every pixel again, so a few kilobytes can keep it busy
for hours. Exporters write one scan, or about ten for a progressive picture, which Bullet's reader
refuses.
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
# A sequential picture with Huffman codes, and the other marks of a frame: progressive, lossless...
_SEQUENTIAL = b"\xc0\xc1"
_FRAMES = b"\xc0\xc1\xc2\xc3\xc5\xc6\xc7\xc9\xca\xcb\xcd\xce\xcf"
_ADOBE = 0xEE


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


def is_plain(data: bytes) -> bool:
    """Return whether every simulator reads a JPEG file: sequential, 8 bits, gray or YCbCr.

    Bullet's reader knows components by the numbers 1, 2, 3 or 0, 1, 2, and takes three of them for
    YCbCr whatever Adobe's segment says.
    """
    place, is_ycc = len(MAGIC) - 1, True
    while len(data) >= place + 4 and data[place] == 0xFF:
        mark, size = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        body = data[place + 4 : place + 2 + size]
        if mark in _FRAMES:
            return mark in _SEQUENTIAL and is_ycc and _has_usual_components(body)
        if mark == _ADOBE and body[:5] == b"Adobe" and body[11:12] == b"\0":
            is_ycc = False
        place += 2 + max(size, 2)
    return False


def _has_usual_components(frame: bytes) -> bool:
    """Return whether a frame's segment has 8 bits and one or three components, as numbered."""
    count = frame[5] if len(frame) > 5 else 0
    numbers = frame[6 : 6 + 3 * count : 3]
    usual = (bytes(range(1, count + 1)), bytes(range(count)))
    return frame[0] == 8 and count in (1, 3) and numbers in usual
