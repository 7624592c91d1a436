# SPDX-License-Identifier: Apache-2.0
"""Texture coordinates of a solid, from its form alone."""

import math

import numpy as np

from aa_dataset.portable import arctan2, dot, length, settled
from pipeline.generate.shape import Array, Shape

UV_DIGITS = 4


def unwrap(solid: Shape, tile: float) -> Array:
    """Return the (m, 3, 2) texture coordinates of each face's corners.

    Parameters
    ----------
    solid : Shape
        In its link frame.
    tile : float [m]
        Surface that one picture covers; 0 wraps it around the z axis instead.
    """
    flat = _wrap_around_axis(solid) if tile == 0 else _along_grain(solid) / tile
    return settled(flat, UV_DIGITS)


def _along_grain(solid: Shape) -> Array:
    """Project each face along the axis it looks to; u runs along the solid's longest extent."""
    corners = solid.vertices[solid.faces]
    # Rounding before comparing lets equal lengths count as equal on every machine.
    extents = settled(np.ptp(solid.vertices, axis=0), 5)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.maximum(length(normals)[:, None], 1e-18)
    facing = settled(np.abs(normals / lengths), 3).argmax(axis=1)
    order = np.argsort(-extents, kind="stable")
    in_plane = np.array([[axis for axis in order if axis != face] for face in range(3)])
    picked = in_plane[facing]
    low = solid.vertices.min(axis=0)
    shift = np.array((low.sum() * 0.37, dot(low, (0.61, 0.83, 0.29))))
    return np.asarray(
        np.stack(
            [np.take_along_axis(corners, picked[:, None, k : k + 1], 2)[..., 0] for k in (0, 1)], -1
        )
        + shift
    )


def _wrap_around_axis(solid: Shape) -> Array:
    """Wrap twice around the vertical axis through the middle of the solid, bottom to top."""
    low, high = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
    corners = (solid.vertices - (low + high) / 2)[solid.faces]
    u = settled(arctan2(corners[..., 1], corners[..., 0]) / (2 * math.pi), UV_DIGITS) % 1.0
    u = u + (u[:, :1] - u > 0.5) - (u - u[:, :1] > 0.5)
    return np.stack((2 * u, corners[..., 2] / max(high[2] - low[2], 1e-9) + 0.5), axis=-1)
