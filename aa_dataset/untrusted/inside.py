# SPDX-License-Identifier: Apache-2.0
"""Check that a file name from an untrusted file stays inside its folder.

Callers raise their own errors.
"""

from __future__ import annotations

import os
import posixpath
from pathlib import Path


def is_inside(name: str) -> bool:
    """Return whether a name is relative and has no `..` that leads out; links are not resolved."""
    plain = posixpath.normpath(name)
    return "\0" not in name and not plain.startswith("/") and plain.split("/")[0] != ".."


def is_below(path: Path, folder: Path) -> bool:
    """Return whether a path is below a folder after all links are resolved."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
