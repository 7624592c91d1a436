# SPDX-License-Identifier: Apache-2.0
"""Triangles of the meshes of a prediction; what cannot be read is named with its file."""

from __future__ import annotations

import posixpath

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.urdf import UrdfModel
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.score.readers.shapes import MOST_MESH_BYTES
from aa_dataset.score.readers.triangles import link_triangles
from aa_dataset.untrusted.obj import ObjError, read_obj

Array = NDArray[np.float64]


def obj_triangles(files: PredictionFiles, name: str) -> Array:
    """Return the triangles (n, 3, 3) of a file, in its own frame and unit."""
    try:
        text = read_obj(files.read(name, MOST_MESH_BYTES))
    except ObjError as error:
        raise PredictionError(f"{files.where(name)}: {error}") from error
    corners = np.asarray(text.points[text.whole.corners], dtype=float)
    if not np.isfinite(corners).all():
        raise PredictionError(f"{files.where(name)} has corners that are not finite. Remove them.")
    return corners


def urdf_triangles(files: PredictionFiles, name: str, model: UrdfModel) -> dict[str, Array]:
    """Return the triangles of the links of a URDF, in the frame of its root at rest."""

    def read_mesh(mesh: str) -> bytes:
        return files.read_beside(name, posixpath.normpath(mesh), MOST_MESH_BYTES + 1)

    try:
        return link_triangles(model, read_mesh)
    except PredictionError as error:
        raise PredictionError(f"{files.where(name)}: {error}") from error
