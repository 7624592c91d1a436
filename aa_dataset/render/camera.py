# SPDX-License-Identifier: Apache-2.0
"""The camera of all previews."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.errors import RenderError

AZIMUTH_RAD = np.deg2rad(32.0)  # from the front (+x) towards the viewer's right (+y)
ELEVATION_RAD = np.deg2rad(24.0)
YFOV_RAD = float(np.deg2rad(28.0))
MARGIN = 1.03  # the bounding sphere is framed as if it were this much larger


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A pinhole camera with a square picture.

    Attributes
    ----------
    pose : (4, 4) float [m]
        Camera to world; the camera looks along its -z, +y is up (OpenGL convention).
    yfov_rad : float
        Full angle of view, vertical and horizontal.
    near, far : float [m]
        Clipping distances along the view direction.
    """

    pose: NDArray[np.float64]
    yfov_rad: float
    near: float
    far: float


def view_direction() -> NDArray[np.float64]:
    """Return the (3,) unit vector from the object towards the camera, object frame."""
    return np.array(
        [
            np.cos(ELEVATION_RAD) * np.cos(AZIMUTH_RAD),
            np.cos(ELEVATION_RAD) * np.sin(AZIMUTH_RAD),
            np.sin(ELEVATION_RAD),
        ]
    )


def bounding_sphere(points: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """Return a sphere around the center of the points' bounding box.

    Parameters
    ----------
    points : (n, 3) float [m]
        At least one finite point.

    Returns
    -------
    center : (3,) float [m]
    radius : float [m]
        Distance of the farthest point; never zero, so that a single point can be framed.
    """
    array = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    if len(array) == 0:
        raise RenderError("There are no points to frame; pass the vertices of the object.")
    if not np.isfinite(array).all():
        raise RenderError(
            "Some points to frame are not finite numbers; repair or reject the mesh first."
        )
    center = (array.min(axis=0) + array.max(axis=0)) / 2
    radius = float(np.linalg.norm(array - center, axis=1).max())
    return center, radius or 1.0


def look_at(points: ArrayLike) -> Camera:
    """Place the library's camera so that all points are in the picture.

    Parameters
    ----------
    points : (n, 3) float [m]
        Vertices in the object frame (x front, z up). Pass the union of all states that are to
        be compared, so that the object keeps its size from picture to picture.

    Returns
    -------
    Camera
    """
    center, radius = bounding_sphere(points)
    distance = MARGIN * radius / np.sin(YFOV_RAD / 2)
    pose = np.eye(4)
    pose[:3, :3] = _rotation(view_direction())
    pose[:3, 3] = center + distance * view_direction()
    return Camera(pose, YFOV_RAD, near=distance - 1.5 * radius, far=distance + 1.5 * radius)


def _rotation(backward: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the (3, 3) camera axes for a camera whose +z is `backward`, with world z up."""
    right = np.cross([0.0, 0.0, 1.0], backward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(backward, right), backward], axis=1)
