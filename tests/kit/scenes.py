# SPDX-License-Identifier: Apache-2.0
"""Scenes and measures that the render tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
import trimesh
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial


def shift(x: float, y: float, z: float) -> np.ndarray:
    """Return a (4, 4) translation [m]."""
    return trimesh.transformations.translation_matrix([x, y, z])


def colored(mesh: trimesh.Trimesh, rgba: tuple[float, ...]) -> trimesh.Trimesh:
    """Give a mesh a PBR material of one color."""
    mesh.visual = TextureVisuals(material=PBRMaterial(baseColorFactor=rgba))
    return mesh


def sphere(radius: float, rgba: tuple[float, ...] = (0.2, 0.3, 0.4, 1.0)) -> trimesh.Trimesh:
    """Return a fine sphere around the origin."""
    return colored(trimesh.creation.icosphere(subdivisions=5, radius=radius), rgba)


def points_of(*views: Any) -> np.ndarray:
    """Return the vertices of all parts of all views, object frame."""
    return np.concatenate(
        [trimesh.transform_points(mesh.vertices, pose) for view in views for mesh, pose in view]
    )


def silhouette(picture: np.ndarray) -> np.ndarray:
    """Return the (h, w) bool pixels that differ from the upper left corner's background."""
    return (np.abs(picture.astype(int) - picture[0, 0]) > 6).any(axis=2)
