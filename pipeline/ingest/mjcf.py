# SPDX-License-Identifier: Apache-2.0
"""Tells which XML files of a collection are MJCF models, and which are parts of one.

A model has the root `<mujoco>` and is included by no other file of the collection: furniture_sim
keeps its parts as `<mujocoinclude>`, others as `<mujoco>` that a scene includes. What a model means
is read in `pipeline/normalize/mjcf.py`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from pipeline.errors import Rejection
from pipeline.rawfiles import RawFiles

# Enough of a file to see its root and its includes; a longer one is an object that ingest judges.
LOOK_BYTES = 32_000_000
_ASIDE = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_ROOT = re.compile(rb"<\s*([A-Za-z_][\w.:-]*)")
_INCLUDE = re.compile(rb"""<include\s[^>]*?\bfile\s*=\s*["']([^"'<>]*)["']""")


def find_models(files: RawFiles, names: Iterable[str]) -> list[str]:
    """Return the names of files that are MJCF models of their own, in the given order."""
    models, included = [], set()
    for name in names:
        try:
            text = _ASIDE.sub(b"", files.read(name, most=LOOK_BYTES))
        except Rejection:  # a link, a pipe or a giant: listed, so that ingest can say so
            models.append(name)
            continue
        root = _ROOT.search(text)
        if root is not None and root[1] == b"mujoco":
            models.append(name)
        included.update(_included(name, text))
    return [name for name in models if name not in included]


def _included(name: str, text: bytes) -> set[str]:
    """Return the files that a file includes; names that lead elsewhere match nothing."""
    folder = posixpath.dirname(name)
    written = {found.decode("utf-8", "replace") for found in _INCLUDE.findall(text)}
    return {posixpath.normpath(posixpath.join(folder, one)) for one in written}
