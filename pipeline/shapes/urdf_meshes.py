# SPDX-License-Identifier: Apache-2.0
"""The elements of a URDF that name a mesh, and the OBJ files that they name."""

from __future__ import annotations

import numpy as np

from aa_dataset.kinematics.urdf import Geometry, Material, Shape
from pipeline.shapes.obj_text import obj_bytes
from pipeline.shapes.pieces import Piece


def collision_shape(
    link: str, number: int, piece: Piece, decimals: int, files: dict[str, bytes]
) -> Shape:
    """Return a collision element for a piece in its link frame, and add its mesh to `files`."""
    # Link names have no hyphen, so this is never the visual mesh of a link `x_collision`.
    name = f"{link}-collision_{number}"
    files[f"meshes/{name}.obj"] = obj_bytes(piece, None, decimals)
    return mesh_shape(name, f"meshes/{name}.obj", None)


def mesh_shape(name: str, filename: str, material: Material | None) -> Shape:
    """Return an element for a mesh in its link frame."""
    return Shape(name, np.eye(4), Geometry("mesh", filename=filename), material)
