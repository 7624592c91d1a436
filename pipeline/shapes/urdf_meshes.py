# SPDX-License-Identifier: Apache-2.0
"""The elements of a URDF that name a mesh."""

from __future__ import annotations

import numpy as np

from aa_dataset.kinematics.urdf import Geometry, Material, Shape


def collision_shape(link: str, number: int) -> Shape:
    """Return a collision element for a mesh in its link frame."""
    # Link names have no hyphen, so this is never the visual mesh of a link `x_collision`.
    name = f"{link}-collision_{number}"
    return mesh_shape(name, f"meshes/{name}.obj", None)


def mesh_shape(name: str, filename: str, material: Material | None) -> Shape:
    """Return an element for a mesh in its link frame."""
    return Shape(name, np.eye(4), Geometry("mesh", filename=filename), material)
