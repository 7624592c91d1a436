# SPDX-License-Identifier: Apache-2.0
"""The rules of the URDF convention about meshes: box, volume, materials, textures. numpy alone."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.urdf import UrdfLink, UrdfModel
from aa_dataset.kinematics.urdf_tree import rest_frames
from aa_dataset.portable import length, second_moments, symmetric_eigen
from aa_dataset.untrusted.mtl import read_mtl
from aa_dataset.untrusted.obj import ObjError, ObjText, read_obj

Array = NDArray[np.float64]

# Allowed offset of the bounding box, relative to its diagonal: less than one step of its grid.
CENTERED = 1e-8
# A collision mesh is flat if its smallest extent is below this fraction of its largest.
FLAT = 1e-6


def geometry_problems(model: UrdfModel, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield one sentence per broken rule."""
    frames = rest_frames(model)
    boxes = []
    for link in model.links:
        for shape in link.visuals:
            points, problems = _checked_vertices(link, shape.geometry.filename, files)
            yield from problems
            if len(points):
                placed = points + frames[link.name][:3, 3]
                boxes += [placed.min(axis=0), placed.max(axis=0)]
        yield from _collision_problems(link, files)
    if not boxes:
        yield "No link has visual geometry; an object needs something to see."
        return
    lower, upper = np.min(boxes, axis=0), np.max(boxes, axis=0)
    away = float(np.abs(lower + upper).max()) / 2
    if away > CENTERED * float(length(upper - lower)):
        yield (
            f"The box of the object at rest is {away:.6g} m off the origin; move every mesh of the "
            "root and every joint on it by that much."
        )


def _collision_problems(link: UrdfLink, files: Mapping[str, bytes]) -> Iterator[str]:
    for shape in link.collisions:
        name = shape.geometry.filename
        points, problems = _checked_vertices(link, name, files)
        yield from problems
        if not problems and _is_flat(points):
            yield f"Link {link.name}: {name} is flat; simulators refuse it, make it a thin box."


def _is_flat(points: Array) -> bool:
    spread = points - points.mean(axis=0)
    values = symmetric_eigen(second_moments(spread) / len(points))[0]
    return len(points) < 4 or bool(np.sqrt(max(values[0], 0.0)) < FLAT * np.sqrt(values[2]))


def _checked_vertices(
    link: UrdfLink, name: str, files: Mapping[str, bytes]
) -> tuple[Array, list[str]]:
    """Return the vertices (n, 3) [m] of a mesh in its link frame, and its problems."""
    where = f"Link {link.name}: {name}"
    if name not in files:
        return np.zeros((0, 3)), [f"{where} does not exist; add the mesh or remove its element."]
    try:
        mesh = _finite(read_obj(files[name]))
    except ObjError as error:
        return np.zeros((0, 3)), [
            f"{where} is not usable: {str(error).rstrip('.')}; repair the mesh."
        ]
    if not any(len(group.corners) for group in mesh.groups):
        return mesh.points, [f"{where} holds no face; remove its element."]
    problems = _material_file_problems(name, mesh.libraries, files)
    return mesh.points, [f"{where}: {problem}" for problem in problems]


def _finite(mesh: ObjText) -> ObjText:
    if not np.isfinite(mesh.points).all():
        raise ObjError("a coordinate is not a finite number.")
    return mesh


def _material_file_problems(
    mesh: str, sides: list[str], files: Mapping[str, bytes]
) -> Iterator[str]:
    folder = posixpath.dirname(mesh)
    for side in sides:
        path = posixpath.join(folder, side)
        if path not in files:
            yield f"its material file {side[:200]!r} does not exist; add it beside the mesh."
            continue
        for material in read_mtl(files[path]).values():
            if material.picture is None:
                continue
            name = material.picture.name
            if posixpath.join(folder, name) not in files:
                yield f"its texture {name[:200]!r} does not exist; add it."
