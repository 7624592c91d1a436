# SPDX-License-Identifier: Apache-2.0
"""Triangles of the meshes of a prediction; what cannot be read is named with its file."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArenaError
from aa_dataset.kinematics.urdf import UrdfModel
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.shapes import MOST_BYTES, MOST_MESH_BYTES
from aa_dataset.score.readers.triangles import link_triangles
from aa_dataset.untrusted.obj import read_obj
from aa_dataset.untrusted.ply import read_ply_triangles

Array = NDArray[np.float64]


def part_triangles(files: PredictionFiles, meshes: Mapping[str, str]) -> dict[str, Array]:
    """Return the triangles (n, 3, 3) of links; a file that is not there is no shape.

    Parameters
    ----------
    files : PredictionFiles
        The prediction.
    meshes : mapping of link to str
        Paths of OBJ or PLY files, each in the frame and state of the joints.
    """
    found: dict[str, Array] = {}
    known, left = set(files.names), MOST_BYTES
    for link, name in meshes.items():
        if name in known:
            data = files.read(name, min(MOST_MESH_BYTES, left))
            left -= len(data)
            found[link] = _mesh_triangles(data, files.shown_path(name))
    return found


def _mesh_triangles(data: bytes, where: str) -> Array:
    try:
        if where.endswith(".ply"):
            corners = read_ply_triangles(data)
        else:
            text = read_obj(data)
            corners = np.asarray(text.points[text.whole.corners], dtype=float)
    except ArenaError as error:
        raise PredictionError(f"{where}: {error}") from error
    if not np.isfinite(corners).all():
        raise PredictionError(f"{where} has coordinates that are not finite. Remove them.")
    return corners


def urdf_triangles(files: PredictionFiles, name: str, model: UrdfModel) -> dict[str, Array]:
    """Return the triangles of the links of a URDF, in the frame of its root at rest."""

    def read_mesh(mesh: str) -> bytes:
        return files.read_beside(name, posixpath.normpath(mesh), MOST_MESH_BYTES + 1)

    try:
        return link_triangles(model, read_mesh)
    except PredictionError as error:
        raise PredictionError(f"{files.shown_path(name)}: {error}") from error
