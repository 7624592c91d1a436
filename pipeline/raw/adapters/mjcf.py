# SPDX-License-Identifier: Apache-2.0
"""Finds which XML files of a collection are MJCF models, and which are parts of one.

A model has the root `<mujoco>` and is included by no other file of the collection: furniture_sim
keeps its parts as `<mujocoinclude>`, others as `<mujoco>` that a scene includes. The models are
parsed in `pipeline/stages/normalize/mjcf.py`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from pipeline.base.errors import Rejection
from pipeline.raw.files import RawFiles

# Bytes read to find the root and the includes; a longer file is listed and judged by ingest.
LOOK_BYTES = 32_000_000
_ASIDE = re.compile(rb"<!--|<\?")
_ENDS = {b"<!--": b"-->", b"<?": b"?>"}
_ROOT = re.compile(rb"<\s*([A-Za-z_][\w.:-]*)")
_INCLUDE = re.compile(rb"<include\s")
_FILE = re.compile(rb"""\bfile\s*=\s*["']([^"'<>]*)["']""")


def find_models(files: RawFiles, names: Iterable[str]) -> list[str]:
    """Return the names of files that are complete MJCF models, in the given order."""
    models, included = [], set()
    for name in names:
        try:
            text = without_comments(files.read(name, most=LOOK_BYTES))
        except Rejection:  # a link, a pipe or a huge file: listed, so that ingest can reject it
            models.append(name)
            continue
        root = _ROOT.search(text)
        if root is not None and root[1] == b"mujoco":
            models.append(name)
        included.update(included_files(name, text))
    return [name for name in models if name not in included]


def without_comments(text: bytes) -> bytes:
    """Return XML without comments and instructions; an unterminated one is kept.

    This takes linear time: if one comment is not terminated, no later one is, so the end is not
    searched again.
    """
    kept, done, at, endless = [], 0, 0, set()
    while (found := _ASIDE.search(text, at)) is not None:
        start, at = found.span()
        end = -1 if found[0] in endless else text.find(_ENDS[found[0]], at)
        if end < 0:
            endless.add(found[0])
            continue
        kept.append(text[done:start])
        done = at = end + len(_ENDS[found[0]])
    return b"".join([*kept, text[done:]])


def included_files(name: str, text: bytes) -> set[str]:
    """Return the files that a text includes, beside the file `name`; others match nothing."""
    folder = posixpath.dirname(name)
    written = {found.decode("utf-8", "replace") for found in _include_names(text)}
    return {posixpath.normpath(posixpath.join(folder, one)) for one in written}


def _include_names(text: bytes) -> Iterator[bytes]:
    for tag in text.split(b">"):
        found = _INCLUDE.search(tag)
        while found is not None:
            named = _FILE.search(tag, found.end())
            if named is None:
                break
            yield named[1]
            found = _INCLUDE.search(tag, named.end())
