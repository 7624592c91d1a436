# SPDX-License-Identifier: Apache-2.0
"""The convex parts of links, within their budget, in place of the shapes as drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aa_dataset.kinematics.urdf import UrdfLink, UrdfModel
from pipeline.annotate.collision.convex import Hull, components, convex, may_be_hollow, volume
from pipeline.annotate.collision.opening import MOST_PARTS, MOST_TRIANGLES, Opening
from pipeline.normalize.emit import collision_shape
from pipeline.normalize.frame import grid_decimals
from pipeline.normalize.obj import read_obj
from pipeline.normalize.pieces import Piece
from pipeline.reasons import Code, Finding, Severity

# Of the object's diagonal: a hollow of less than a cube with this edge stays filled.
SMALLEST_HOLLOW = 0.01


@dataclass(frozen=True, slots=True)
class LinkParts:
    """The convex parts of a link by falling size of their boxes, and what the budget cost.

    `left_out` counts components beyond the budget; `filled` [m^3] bounds the largest hollow that
    stays filled and should not.
    """

    hulls: list[Hull]
    left_out: int
    filled: float


def with_convex_parts(
    model: UrdfModel, files: Mapping[str, bytes], *, diagonal: float, most: int
) -> tuple[UrdfModel, dict[str, bytes], list[Finding]]:
    """Give every link convex parts for the collision shapes that it was drawn with.

    Parameters
    ----------
    model : UrdfModel
        As `normalize` wrote it: collisions are meshes in the link frame.
    files : mapping of str to bytes
        The object's files, by name.
    diagonal : float [m]
        Of the object at rest; it sets the grid and the smallest hollow.
    most : int
        Parts of one link.
    """
    drawn = {shape.geometry.filename for link in model.links for shape in link.collisions}
    made = {name: data for name, data in files.items() if name not in drawn}
    decimals, findings, links = grid_decimals(diagonal), [], []
    for link in model.links:
        shapes = [drawn_shape(files[shape.geometry.filename]) for shape in link.collisions]
        smallest = (SMALLEST_HOLLOW * diagonal) ** 3
        found = link_parts(shapes, most=most, decimals=decimals, smallest=smallest)
        parts = [Piece(hull.vertices, hull.faces) for hull in found.hulls]
        findings += _findings(link, found, most)
        collisions = [
            collision_shape(link.name, number, part, decimals, made)
            for number, part in enumerate(parts)
        ]
        links.append(replace(link, collisions=tuple(collisions)))
    return replace(model, links=tuple(links)), made, findings


def drawn_shape(data: bytes) -> Piece:
    """Read a collision shape that `normalize` wrote."""
    text = read_obj(data)
    return Piece(text.points, np.concatenate([group.corners for group in text.groups]))


def _findings(link: UrdfLink, found: LinkParts, most: int) -> Iterator[Finding]:
    if found.left_out:
        detail = f"link {link.name} has {found.left_out} small parts beyond the budget of {most}."
        yield Finding(Code.COLLISION_LEFT_OUT, detail, Severity.INFO)
    if found.filled:
        detail = (
            f"link {link.name}: its {len(found.hulls)} convex parts still fill a hollow of up to "
            f"{found.filled:.2g} m^3; at most {most} parts a link, {MOST_PARTS} a component and "
            f"{MOST_TRIANGLES} triangles a component are cut."
        )
        yield Finding(Code.COLLISION_FILLED, detail, Severity.INFO)


def link_parts(
    shapes: Sequence[Piece], *, most: int, decimals: int = 9, smallest: float = 0.0
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
    """

    def falling_size(part: Hull) -> float:
        # In whole steps: equal parts keep their order, whatever the last bits say.
        return -float(np.prod(np.rint(np.ptp(part.vertices, axis=0) * 10.0**decimals) + 1))

    found = sorted(components(shapes), key=falling_size)
    kept = found[:most]
    hulls = [convex(part, decimals) for part in kept]
    hollow = [n for n, hull in enumerate(hulls) if may_be_hollow(kept[n], hull, decimals)]
    small = [n for n in hollow if len(kept[n].faces) <= MOST_TRIANGLES]
    openings = {n: Opening(kept[n], smallest) for n in small}
    _cut(list(openings.values()), room=most - len(kept))
    parts = []
    for number, hull in enumerate(hulls):
        opening = openings.get(number)
        is_cut = opening is not None and not opening.is_whole
        parts += opening.hulls(decimals) if is_cut else [hull]
    filled = [opening.filled for opening in openings.values()]
    filled += [volume(hulls[n]) for n in hollow if n not in openings]
    left_out = len(found) - len(kept)
    return LinkParts(sorted(parts, key=falling_size), left_out, max(filled, default=0.0))


def _cut(openings: Sequence[Opening], *, room: int) -> None:
    """Cut hollow components, always the one that is filled most, as long as there is room."""
    while room > 0:
        able = [opening for opening in openings if opening.can_split()]
        if not able:
            return
        room -= max(able, key=lambda opening: opening.filled).split()
