# SPDX-License-Identifier: Apache-2.0
"""Finds walls that are drawn twice, once per side; viewers must show each from one side only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pipeline.shapes.pieces import Look, Piece, joined

# Odd numbers that spread the bits of three coordinates over one word.
_SPREAD = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64)


def one_sided_looks(links: Iterable[Sequence[Piece]]) -> set[Look]:
    """Return the looks whose every face has a reversed copy in the same link.

    Drawn from both sides, both would be at the same place and flicker.
    """
    looks: dict[Look, bool] = {}
    for pieces in links:
        doubled = has_reverse(joined(pieces, Look())) if pieces else np.zeros(0, dtype=bool)
        start = 0
        for piece in pieces:
            end = start + len(piece.faces)
            looks[piece.look] = looks.get(piece.look, True) and bool(doubled[start:end].all())
            start = end
    return {look for look, is_doubled in looks.items() if is_doubled}


def has_reverse(piece: Piece) -> np.ndarray:
    """Return for each face (m,) whether another one has its corners in the opposite order."""
    # The bits of a point are hashed to one word; a chance collision hides the back of one face.
    bits = np.ascontiguousarray(piece.vertices + 0.0).view(np.uint64)
    # Short numbers such as 0.5 have their bits at the upper end, where a product loses them.
    words = ((bits ^ (bits >> np.uint64(32))) * _SPREAD).sum(axis=1)
    words = (words ^ (words >> np.uint64(29))) * _SPREAD[0]
    corners = words[piece.faces]
    keys = corners.sum(axis=1)
    # Around a face the words rise twice and fall once, or the other way round if it is reversed.
    rises = (corners < np.roll(corners, -1, axis=1)).sum(axis=1) == 2
    found = np.zeros(len(keys), dtype=bool)
    found[rises] = np.isin(keys[rises], keys[~rises])
    found[~rises] = np.isin(keys[~rises], keys[rises])
    return found
