# SPDX-License-Identifier: Apache-2.0
"""The frame of glTF files in a URDF.

The format says that y is up. Many readers of URDF (yourdfpy, PyBullet, RViz until 2025) take the
numbers of a file as they are, and most collections are made for them. Drake turns y to the link's
z, and collections that are made for Drake rely on it. Nothing in the files tells which is meant, so
`gltf_up` of `source.yaml` does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aa_dataset.kinematics.urdf import Shape, UrdfModel
from aa_dataset.portable import product

SUFFIXES = (".glb", ".gltf")
# Turns y to z, and z to -y.
Y_TO_Z = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])


def with_turned_gltf(model: UrdfModel, up: str) -> UrdfModel:
    """Return the model with its glTF meshes turned, if their `y` is the link's z."""
    if up == "z":
        return model
    links = (
        replace(link, visuals=_turned(link.visuals), collisions=_turned(link.collisions))
        for link in model.links
    )
    return replace(model, links=tuple(links))


def _turned(shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    return tuple(_turned_shape(shape) for shape in shapes)


def _turned_shape(shape: Shape) -> Shape:
    """Turn one shape; its scale is along the link's axes, and a mesh is scaled before its pose."""
    if not shape.geometry.filename.lower().endswith(SUFFIXES):
        return shape
    x, y, z = shape.geometry.scale
    geometry = replace(shape.geometry, scale=(x, z, y))
    return replace(shape, pose=product(shape.pose, Y_TO_Z), geometry=geometry)
