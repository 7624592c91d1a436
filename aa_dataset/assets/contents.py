# SPDX-License-Identifier: Apache-2.0
"""Integrity of one object's files: the digest in the tables, the checksums in its pictures.

`content_sha256` covers URDF, meshes and textures. It excludes the pictures, which may differ by
graphics library; the checksums inside them are enough to detect damage.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from aa_dataset.assets.pictures import picture_problem
from aa_dataset.format.layout import PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS, STRIP

PREVIEWS = (PREVIEW, PREVIEW_OPEN, PREVIEW_PARTS)
PICTURES = (*PREVIEWS, STRIP)


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
