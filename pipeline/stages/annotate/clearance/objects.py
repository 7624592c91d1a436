# SPDX-License-Identifier: Apache-2.0
"""Clearance of one object: from the convex parts of its links to parts that let its joints move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import trimesh

from aa_dataset.kinematics.urdf import UrdfModel
from aa_dataset.kinematics.urdf_tree import rest_frames, urdf_tree
from aa_dataset.portable import settled
from aa_dataset.triangles import stacked, unique_places
from pipeline.base.reasons import Code, Finding, Severity
from pipeline.handover.annotated import ExclusionRow
from pipeline.shapes.grid import grid_decimals
from pipeline.stages.annotate.clearance.clear import Clearance
from pipeline.stages.annotate.clearance.material import Material
from pipeline.stages.annotate.clearance.motions import drivers
from pipeline.stages.annotate.clearance.parts import Part, part_of
from pipeline.stages.annotate.collision.convex import CollisionMesh, is_flat
from pipeline.stages.annotate.collision.links import falling_size


@dataclass(frozen=True, slots=True)
class Cleared:
    """Convex parts of every link, in its frame, and the pairs of links without contacts."""

    hulls: dict[str, list[CollisionMesh]]
    exclusions: tuple[ExclusionRow, ...]


def cleared_parts(
    model: UrdfModel,
    hulls: Mapping[str, Sequence[CollisionMesh]],
    meshes: Mapping[str, Sequence[trimesh.Trimesh]],
    *,
    diagonal: float,
    most: int,
) -> Cleared:
    """Make room between the parts of links that move against each other.

    Parameters
    ----------
    model : UrdfModel
        The object.
    hulls : mapping of str to sequence of CollisionMesh
        Convex parts of every link, in its frame [m].
    meshes : mapping of str to sequence of trimesh.Trimesh
        What is visible of every link, object frame at rest [m].
    diagonal : float [m]
        Of the object at rest.
    most : int
        Parts of one link.
    """
    tree = urdf_tree(model)
    if not drivers(tree) or not diagonal > 0:
        return Cleared({link: list(some) for link, some in hulls.items()}, ())
    origins = {link: frame[:3, 3] for link, frame in rest_frames(model).items()}
    parts: dict[str, list[Part | None]] = {
        link: [Part((hull.vertices + origins[link]) / diagonal, hull.faces) for hull in hulls[link]]
        for link in tree.links
    }
    materials = {link: _material(meshes[link], diagonal) for link in tree.links}
    clearance = Clearance(tree, diagonal, parts, materials, most)
    clearance.make()
    made = {link: list(some) for link, some in hulls.items()}
    for link in tree.links:
        if clearance.is_changed(link):
            made[link] = _surfaces(clearance.parts[link], hulls[link], origins[link], diagonal)
    rows = [ExclusionRow(*pair, str(why)) for pair, why in sorted(clearance.exclusions.items())]
    return Cleared(made, tuple(rows))


def _material(meshes: Sequence[trimesh.Trimesh], diagonal: float) -> Material:
    vertices, faces = stacked([m.vertices for m in meshes], [m.faces for m in meshes])
    return Material(vertices / diagonal, faces)


def _surfaces(
    parts: Sequence[Part | None],
    before: Sequence[CollisionMesh],
    origin: np.ndarray,
    diagonal: float,
) -> list[CollisionMesh]:
    """Return the parts of one link in its frame, by falling size; whole ones are unchanged."""
    decimals, found = grid_decimals(diagonal), []
    for number, part in enumerate(parts):
        if part is None:
            continue
        if number < len(before):
            found.append(before[number])
        elif (surface := _surface(part, origin, diagonal, decimals)) is not None:
            found.append(surface)
    # A link keeps its parts if the grid flattens all that is left of them.
    return sorted(found or before, key=lambda one: falling_size(one, decimals))


def _surface(
    part: Part, origin: np.ndarray, diagonal: float, decimals: int
) -> CollisionMesh | None:
    """Return a part on the object's grid, in the link frame; None if it is flat there."""
    points = settled(part.vertices * diagonal - origin, decimals)
    places = unique_places(points, np.zeros(len(points)))[0]
    hull = part_of(places)
    if hull is None:
        return None
    surface = CollisionMesh(hull.vertices, hull.faces)
    return None if is_flat(surface, decimals) else surface


def exclusion_findings(rows: Sequence[ExclusionRow]) -> Iterator[Finding]:
    """Yield one finding for every pair of links without contacts."""
    for row in rows:
        when = "at rest" if row.reason == "overlap_at_rest" else "when a joint moves"
        detail = (
            f"links {row.first} and {row.second} penetrate each other {when}, and no cut of "
            "their convex parts makes room; the SRDF file excludes contacts between them."
        )
        yield Finding(Code.CONTACT_EXCLUDED, detail, Severity.INFO)
