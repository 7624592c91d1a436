# SPDX-License-Identifier: Apache-2.0
"""From the mesh that a method was given to its normalized frame; no truth is needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.kinematics.similarity import Similarity
from aa_dataset.portable import applied, length
from aa_dataset.score.readers.prediction import Center, Normalization, Size

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class InputShape:
    """Size and place of the mesh that a method was given, object frame [m].

    Attributes
    ----------
    center : (3,) float [m]
        Center of the bounding box.
    extents : (3,) float [m]
        Extents of the bounding box.
    centroid : (3,) float [m]
        Mean of the vertices.
    farthest : float [m]
        Largest distance of a vertex from the centroid.
    """

    center: Array
    extents: Array
    centroid: Array
    farthest: float

    @classmethod
    def of(cls, vertices: Array) -> InputShape:
        """Return size and place of vertices (n, 3)."""
        lower, upper = vertices.min(axis=0), vertices.max(axis=0)
        centroid = vertices.mean(axis=0)
        farthest = float(length(vertices - centroid).max())
        return cls((lower + upper) / 2, upper - lower, centroid, farthest)


def normalizing(normalization: Normalization, shape: InputShape) -> Similarity:
    """Return the map from the object frame [m] to the frame of a method."""
    center = shape.center if normalization.center is Center.BOX else shape.centroid
    scale = normalization.length / _size(normalization.size, shape)
    turned = applied(normalization.rotation, center)
    return Similarity(scale, normalization.rotation, -scale * turned)


def _size(size: Size, shape: InputShape) -> float:
    if size is Size.LARGEST:
        return float(shape.extents.max())
    return float(length(shape.extents)) if size is Size.DIAGONAL else shape.farthest
