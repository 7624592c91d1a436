# SPDX-License-Identifier: Apache-2.0
"""Replaces the collision shapes of links by convex parts, within a budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aa_dataset.kinematics.urdf import UrdfModel
from pipeline.base.reasons import Code, Finding, Severity
from pipeline.handover.collisions import COLLISIONS, CollisionShapes
from pipeline.shapes.grid import grid_decimals
from pipeline.shapes.obj_text import obj_bytes
from pipeline.shapes.pieces import Piece
from pipeline.shapes.urdf_meshes import collision_shape
from pipeline.stages.annotate.collision.cells import effort
from pipeline.stages.annotate.collision.convex import (
    CollisionMesh,
    components,
    convex,
    may_be_hollow,
    thickened,
    volume,
)
from pipeline.stages.annotate.collision.decomposition import (
    COARSE,
    FINE,
    MOST_EFFORT,
    MOST_PARTS,
    Decomposition,
)
from pipeline.stages.annotate.sheets import NARROW

# A hollow of this many times a component's volume matters more than the component.
_FAR_LARGER = 100
# Of the object's diagonal: a hollow of less than a cube with this edge stays filled.
SMALLEST_HOLLOW = 0.01


@dataclass(frozen=True, slots=True)
class LinkParts:
    """The convex parts of a link by falling size of their boxes, and what the budget cost.

    `left_out` counts components beyond the budget; `filled` [m^3] bounds the largest hollow that
    stays filled and should not.
    """

    hulls: list[CollisionMesh]
    left_out: int
    filled: float


def with_collisions(
    model: UrdfModel,
    files: Mapping[str, bytes],
    hulls: Mapping[str, Sequence[CollisionMesh]],
    *,
    diagonal: float,
) -> tuple[UrdfModel, dict[str, bytes]]:
    """Write convex parts as the collision meshes of every link.

    Parameters
    ----------
    model : UrdfModel
        As `normalize` wrote it.
    files : mapping of str to bytes
        The object's files, by name; its collision shapes are left out of the result.
    hulls : mapping of str to sequence of CollisionMesh
        Convex parts of every link, in its frame [m].
    diagonal : float [m]
        Of the object at rest; it sets the grid.
    """
    made = {name: data for name, data in files.items() if name != COLLISIONS}
    decimals, links = grid_decimals(diagonal), []
    for link in model.links:
        collisions = [collision_shape(link.name, n) for n in range(len(hulls[link.name]))]
        for shape, hull in zip(collisions, hulls[link.name], strict=True):
            piece = Piece(hull.vertices, hull.faces)
            made[shape.geometry.filename] = obj_bytes(piece, None, decimals)
        links.append(replace(link, collisions=tuple(collisions)))
    return replace(model, links=tuple(links)), made


def convex_parts(
    model: UrdfModel, files: Mapping[str, bytes], *, diagonal: float, most: int
) -> dict[str, LinkParts]:
    """Return the convex parts of every link, in its frame.

    Parameters
    ----------
    model : UrdfModel
        As `normalize` wrote it: collisions are meshes in the link frame.
    files : mapping of str to bytes
        The object's files, by name, with its collision shapes.
    diagonal : float [m]
        Of the object at rest; it sets the grid and the smallest hollow.
    most : int
        Parts of one link.
    """
    pieces = CollisionShapes.from_bytes(files[COLLISIONS]).pieces
    decimals, edge = grid_decimals(diagonal), SMALLEST_HOLLOW * diagonal
    known: dict[tuple[bytes, ...], LinkParts] = {}  # the slats of a blind are all the same
    found = {}
    for link in model.links:
        shapes = [pieces[shape.geometry.filename] for shape in link.collisions]
        key = tuple(array.tobytes() for one in shapes for array in (one.vertices, one.faces))
        if key not in known:
            smallest = edge * edge * edge
            known[key] = link_parts(
                shapes,
                most=most,
                decimals=decimals,
                smallest=smallest,
                narrow=NARROW * diagonal,
            )
        found[link.name] = known[key]
    return found


def part_findings(found: Mapping[str, LinkParts], most: int) -> Iterator[Finding]:
    """Yield what the budget of `most` parts a link cost."""
    for link, parts in found.items():
        yield from _link_findings(link, parts, most)


def _link_findings(link: str, found: LinkParts, most: int) -> Iterator[Finding]:
    if found.left_out:
        detail = f"link {link} has {found.left_out} small parts beyond the budget of {most}."
        yield Finding(Code.COLLISION_LEFT_OUT, detail, Severity.INFO)
    if found.filled:
        detail = (
            f"link {link}: its {len(found.hulls)} convex parts still fill a hollow of up to "
            f"{found.filled:.2g} m^3: {most} parts a link, {MOST_PARTS} a component, {FINE} cells "
            f"along it or {MOST_EFFORT:g} crossings of its triangles with them are not enough."
        )
        yield Finding(Code.COLLISION_FILLED, detail, Severity.INFO)


def link_parts(
    shapes: Sequence[Piece],
    *,
    most: int,
    decimals: int = 9,
    smallest: float = 0.0,
    narrow: float = 0.0,
) -> LinkParts:
    """Return the convex parts of a link's shapes.

    Parameters
    ----------
    shapes : sequence of Piece
        On the object's grid, so that equal corners are equal numbers.
    most : int
        Budget of parts; components beyond it are the smallest and left out.
    decimals : int
        Of the object's grid [m].
    smallest : float [m^3]
        A hollow of less than this stays filled.
    narrow : float [m]
        Width of a room in an open sheet that is solid.
    """
    found = [thickened(part, decimals) for part in components(shapes)]
    found = sorted(found, key=lambda part: falling_size(part, decimals))
    kept = {n: part for n, part in enumerate(found[:most])}
    hulls = {n: convex(part, decimals) for n, part in kept.items()}
    hollow = [n for n in kept if may_be_hollow(kept[n], hulls[n], decimals)]
    decomposed = {
        n: Decomposition(kept[n], smallest, _others(found, n), narrow)
        for n in hollow
        if _is_light(kept[n])
    }
    _cut(hulls, decomposed, most)
    is_cut = {n: n in decomposed and decomposed[n].parts > 1 for n in hulls}
    parts = [decomposed[n].hulls(decimals) if is_cut[n] else [hulls[n]] for n in hulls]
    heavy = [n for n in hollow if n not in decomposed and n in hulls]
    filled = [one.filled for one in decomposed.values()] + [volume(hulls[n]) for n in heavy]
    everything = [one for some in parts for one in some]
    everything.sort(key=lambda part: falling_size(part, decimals))
    return LinkParts(everything, len(found) - len(hulls), max(filled, default=0.0))


def _others(components: Sequence[CollisionMesh], number: int) -> np.ndarray:
    """Return the triangles (k, 3, 3) of all components but one."""
    others = [one.vertices[one.faces] for n, one in enumerate(components) if n != number]
    return np.concatenate([np.zeros((0, 3, 3)), *others])


def falling_size(part: CollisionMesh, decimals: int) -> float:
    """Return a key that sorts parts by their boxes, the largest first.

    In whole steps of the grid, so that the order of equal parts does not depend on the last bits.
    """
    return -float(np.prod(np.rint(np.ptp(part.vertices, axis=0) * 10.0**decimals) + 1))


def _is_light(part: CollisionMesh) -> bool:
    return effort(part.vertices[part.faces], COARSE) <= MOST_EFFORT


def _cut(
    hulls: dict[int, CollisionMesh], decomposed: Mapping[int, Decomposition], most: int
) -> None:
    """Cut hollow components, always the one with most air, within the budget.

    If the budget is used up, the smallest component is left out if the hollow is far larger.
    """
    while able := [one for one in decomposed.values() if one.can_split()]:
        fullest = max(able, key=lambda one: one.filled)
        whole = [n for n in hulls if n not in decomposed]
        if len(whole) + sum(one.parts for one in decomposed.values()) < most:
            fullest.split()
        elif whole and _FAR_LARGER * volume(hulls[whole[-1]]) < fullest.filled:
            del hulls[whole[-1]]
        else:
            return
