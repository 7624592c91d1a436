# SPDX-License-Identifier: Apache-2.0
"""Visuals that every simulator can load: MuJoCo wants four vertices and some area per mesh.

A mesh of the library has all triangles of one look of one link. A look without area shows nothing
and is left out, with a finding. A single triangle is cut in two at the middle of an edge, which
changes nothing that can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from aa_dataset.portable import length
from pipeline.base.reasons import Code, Finding
from pipeline.shapes.pieces import Look, Piece
from pipeline.stages.normalize.frame import FARTHEST, all_points
from pipeline.stages.normalize.meshes import LinkGeometry

# Area below which a look shows nothing, relative to the square of the object's diagonal.
INVISIBLE = 1e-12
FEWEST_VERTICES = 4
# Triangles of a piece that are measured first: one with area is enough.
FIRST = 64


def visible_geometry(
    geometry: Mapping[str, LinkGeometry],
) -> tuple[dict[str, LinkGeometry], list[Finding]]:
    """Return the geometry of every link with visuals that can be loaded, and the findings."""
    points = all_points(link.visuals for link in geometry.values())
    if not len(points) or not (np.abs(points) <= FARTHEST).all():
        return dict(geometry), []  # the stage rejects it
    diagonal = float(length(np.ptp(points, axis=0)))
    least, findings = INVISIBLE * diagonal**2, []
    out = {}
    for name, link in geometry.items():
        hidden = {look for look, parts in _by_look(link).items() if not _has_area(parts, least)}
        if hidden:
            detail = f"link {name!r}: triangles without area were left out of its visuals."
            findings.append(Finding(Code.VISUAL_LEFT_OUT, detail))
        out[name] = _loadable(link, hidden)
    return out, findings


def _by_look(link: LinkGeometry) -> dict[Look, list[Piece]]:
    groups: dict[Look, list[Piece]] = {}
    for piece in link.visuals:
        groups.setdefault(piece.look, []).append(piece)
    return groups


def _has_area(pieces: list[Piece], least: float) -> bool:
    """Return whether the triangles of some pieces have more than the least area together."""
    if any(_area(piece, piece.faces[:FIRST]) > least for piece in pieces):
        return True
    return sum(_area(piece, piece.faces) for piece in pieces) > least


def _area(piece: Piece, faces: np.ndarray) -> float:
    a, b, c = np.moveaxis(piece.vertices[faces], 1, 0)
    return float(length(np.cross(b - a, c - a)).sum()) / 2


def _loadable(link: LinkGeometry, hidden: set[Look]) -> LinkGeometry:
    kept = [number for number, piece in enumerate(link.visuals) if piece.look not in hidden]
    counts: dict[Look, int] = {}
    for number in kept:
        piece = link.visuals[number]
        counts[piece.look] = counts.get(piece.look, 0) + len(piece.vertices)
    few = {look for look, count in counts.items() if count < FEWEST_VERTICES}
    if not hidden and not few:
        return link
    pieces = [link.visuals[number] for number in kept]
    visuals = [_cut(piece) if piece.look in few else piece for piece in pieces]
    places = {old: new for new, old in enumerate(kept)}
    primitives = {places[k]: one for k, one in link.primitives.items() if k in places}
    return replace(link, visuals=visuals, primitives=primitives)


def _cut(piece: Piece) -> Piece:
    """Cut every triangle of a piece of three vertices at the middle of the first two."""
    vertices = np.concatenate([piece.vertices, piece.vertices[:2].mean(axis=0)[None]])
    uv = piece.uv
    if uv is not None:
        uv = np.concatenate([uv, uv[:2].mean(axis=0)[None]])
    halves = []
    for face in piece.faces.tolist():
        for end in (0, 1):  # the half with this end of the cut edge
            halves.append([3 if corner == 1 - end else corner for corner in face])
    return replace(piece, vertices=vertices, faces=np.array(halves), uv=uv)
