# SPDX-License-Identifier: Apache-2.0
"""The triangles of an object of the library, from its URDF and meshes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aa_dataset.format.layout import URDF
from aa_dataset.kinematics.urdf import Shape, parse_urdf
from aa_dataset.kinematics.urdf_tree import rest_frames
from aa_dataset.objects import ArticulatedObject
from aa_dataset.portable import applied, product
from aa_dataset.untrusted.obj import read_obj

Array = NDArray[np.float64]


def object_triangles(item: ArticulatedObject) -> dict[str, Array]:
    """Return the visual triangles (n, 3, 3) [m] of every link with a shape, object frame at rest.

    Every visual of a library is a mesh.
    """
    model = parse_urdf(item.read(URDF))
    frames = rest_frames(model)
    return {
        link.name: np.concatenate(
            [_triangles(item, shape, frames[link.name]) for shape in link.visuals]
        )
        for link in model.links
        if link.visuals
    }


def _triangles(item: ArticulatedObject, shape: Shape, frame: Array) -> Array:
    mesh = read_obj(item.read(shape.geometry.filename))
    pose = product(frame, shape.pose)
    points = applied(pose[:3, :3], mesh.points * np.array(shape.geometry.scale)) + pose[:3, 3]
    return np.asarray(points[mesh.whole.corners])
