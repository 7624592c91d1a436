# SPDX-License-Identifier: Apache-2.0
"""Reads MuJoCo's own mesh formats: numbers in the document, and the binary MSH file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.shapes.hulls import hull_of, outward_faces
from pipeline.stages.normalize.given_meshes import GivenMesh, mesh_of


def mesh_from_text(name: str, facts: Mapping[str, str]) -> GivenMesh:
    """Return a mesh whose vertices are in the document; without faces it is their hull."""
    try:
        vertices = np.array(facts.get("vertex", "").split(), dtype=float).reshape(-1, 3)
        faces = np.array(facts.get("face", "").split(), dtype=np.int64).reshape(-1, 3)
    except (ValueError, OverflowError):
        raise _invalid(name, "vertices or faces are not triples of numbers") from None
    if not len(vertices):
        raise _invalid(name, "it has neither a file nor vertices")
    if not len(faces):
        faces = _hull_faces(name, vertices)
    _check(name, vertices, faces)
    return mesh_of(vertices, faces)


def _hull_faces(name: str, vertices: np.ndarray) -> np.ndarray:
    """Return the triangles of the convex hull, oriented outward."""
    hull = hull_of(vertices)
    if hull is None:
        raise _invalid(name, "its vertices have no convex hull with a volume")
    return outward_faces(hull)


def mesh_from_msh(name: str, data: bytes) -> GivenMesh:
    """Return the content of MuJoCo's binary format: four counts, then single floats and faces."""
    head = np.frombuffer(data[:16], dtype="<i4")
    if len(head) < 4 or (head < 0).any():
        raise _invalid(name, "the MSH file has no usable head")
    vertices, normals, places, faces = (int(count) for count in head)
    if len(data) != 16 + 12 * vertices + 12 * normals + 8 * places + 12 * faces:
        raise _invalid(name, "the MSH file's size is not what its head says")
    at = 16 + 12 * vertices + 12 * normals
    points = np.frombuffer(data, "<f4", 3 * vertices, 16).reshape(-1, 3).astype(float)
    corners = np.frombuffer(data, "<i4", 3 * faces, at + 8 * places).reshape(-1, 3)
    _check(name, points, corners)
    if places != vertices:
        return mesh_of(points, corners)
    spots = np.frombuffer(data, "<f4", 2 * places, at).reshape(-1, 2).astype(float)
    # MuJoCo counts a picture's rows from the top, OBJ from the bottom.
    return mesh_of(points, corners, spots * [1.0, -1.0] + [0.0, 1.0])


def _check(name: str, vertices: np.ndarray, faces: np.ndarray) -> None:
    if not np.isfinite(vertices).all():
        raise _invalid(name, "coordinates are not finite numbers")
    if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise _invalid(name, "a face names a vertex that does not exist")


def _invalid(name: str, what: str) -> Rejection:
    return Rejection(Reason.MESH_INVALID, f"mesh {name!r}: {what}.")
