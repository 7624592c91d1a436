# SPDX-License-Identifier: Apache-2.0
"""Does a name stay inside its folder? Asked wherever a file of strangers names another.

Callers say in their own words what is wrong.
"""

from __future__ import annotations

import os
import posixpath
from pathlib import Path


def is_inside(name: str) -> bool:
    """Tell whether a name with `/` is relative and climbs out of nothing; links are not seen."""
    plain = posixpath.normpath(name)
    return "\0" not in name and not plain.startswith("/") and plain.split("/")[0] != ".."


def is_below(path: Path, folder: Path) -> bool:
    """Tell whether a path lies in a folder when all links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
