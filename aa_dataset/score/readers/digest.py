# SPDX-License-Identifier: Apache-2.0
"""Digest of the files of one prediction, so that a run can be recognized."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from aa_dataset.errors import ArenaError
from aa_dataset.score.budgets import XML
from aa_dataset.score.readers.files import list_names, read_regular
from aa_dataset.score.readers.shapes import MOST_MESH_BYTES

# Pictures and textures change no result; every other file may be read by some reader.
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".mp4")
_DEEPEST, _MOST_ENTRIES = 8, 20_000
_MOST_BYTES = max(XML.max_bytes, MOST_MESH_BYTES) + 1


def prediction_digest(root: Path, entries: Sequence[str]) -> str:
    """Return the digest of the files at some entries of a folder of predictions, in hex."""
    digest = hashlib.sha256()
    for names, content in islice(_walk(root, [[entry] for entry in entries]), _MOST_ENTRIES):
        digest.update(f"{'/'.join(names)}\0{content}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _walk(root: Path, pending: list[list[str]]) -> Iterator[tuple[list[str], str]]:
    """Yield files with the digest of what would be read of them; a broken one with its error."""
    while pending:
        names = pending.pop()
        try:
            inside = list_names(root, names)
            if inside is not None and len(names) < _DEEPEST:
                pending += [[*names, name] for name in reversed(inside)]
            elif inside is None and not names[-1].lower().endswith(PICTURES):
                data = read_regular(root, names, _MOST_BYTES)
                yield names, hashlib.sha256(data).hexdigest()
        except (ArenaError, OSError) as error:
            yield names, f"{type(error).__name__}: {error}"
