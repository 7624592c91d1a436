# SPDX-License-Identifier: Apache-2.0
"""Meshes of which a document, not a file, decides the numbers or the look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aa_dataset.untrusted.mtl import MapLine, MtlMaterial
from aa_dataset.untrusted.obj import Group, ObjText


@dataclass(frozen=True, slots=True, eq=False)
class GivenMesh:
    """One mesh of one look.

    Attributes
    ----------
    source : ObjText or str
        The mesh itself, or the OBJ file of the object that has it; materials of that file do not
        count.
    picture : str
        Picture that lies on it, relative to the model's folder; empty for none.
    """

    source: ObjText | str
    picture: str = ""

    @property
    def material(self) -> MtlMaterial:
        """The look of the mesh: its picture, or nothing, so that the shape's color applies."""
        if not self.picture:
            return MtlMaterial()
        return MtlMaterial(diffuse=(1.0, 1.0, 1.0), picture=MapLine(self.picture))


def mesh_of(vertices: np.ndarray, faces: np.ndarray, places: np.ndarray | None = None) -> GivenMesh:
    """Return the mesh of vertices (n, 3), faces (m, 3) and texture coordinates (n, 2)."""
    corners = np.asarray(faces, dtype=np.int64)
    uv = np.zeros((0, 2)) if places is None else np.asarray(places, dtype=float)
    groups = [Group(None, corners, None if places is None else corners)] if len(corners) else []
    return GivenMesh(ObjText(np.asarray(vertices, dtype=float), None, uv, groups))
