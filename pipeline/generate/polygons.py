# SPDX-License-Identifier: Apache-2.0
"""Plane outlines for extrusions and sweeps, and paths in space, in meters."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aa_dataset.portable import cos, length, sin
from pipeline.generate.errors import AuthoringError

Array = NDArray[np.float64]
Outline = Sequence[Sequence[float]] | Sequence[Array] | Array


def rectangle(width: float, height: float, *, center: Sequence[float] = (0, 0)) -> Array:
    """Return the (4, 2) corners of a rectangle, counterclockwise."""
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    placed: Array = corners * (width / 2, height / 2) + np.asarray(center, dtype=float)
    return placed


def rounded_rectangle(
    width: float,
    height: float,
    *,
    radius: float,
    steps: int = 4,
    center: Sequence[float] = (0, 0),
) -> Array:
    """Return a rectangle whose corners are arcs of `steps` edges, counterclockwise."""
    if not 0 < radius < min(width, height) / 2:
        raise AuthoringError(
            f"A corner radius of {radius:g} m does not fit a {width:g} x {height:g} m rectangle."
        )
    corners = rectangle(width - 2 * radius, height - 2 * radius, center=center)[[2, 3, 0, 1]]
    quarter = np.linspace(0, math.pi / 2, steps + 1)
    arcs = []
    for corner, turn in zip(corners, np.arange(4) * math.pi / 2, strict=True):
        angles = quarter + turn
        arcs.append(corner + radius * np.column_stack((cos(angles), sin(angles))))
    return np.vstack(arcs)


def circle(radius: float, *, segments: int = 24, center: Sequence[float] = (0, 0)) -> Array:
    """Return a regular polygon with `segments` corners on a circle, counterclockwise."""
    angles = 2 * math.pi * np.arange(segments) / segments
    ring = radius * np.column_stack((cos(angles), sin(angles)))
    placed: Array = ring + np.asarray(center, dtype=float)
    return placed


def sector(outer: float, inner: float, *, degrees: Sequence[float], steps: int = 12) -> Array:
    """Return a piece of a ring between two angles, counterclockwise."""
    angles = np.radians(np.linspace(degrees[0], degrees[1], steps + 1))
    rim = np.column_stack((cos(angles), sin(angles)))
    return np.vstack((outer * rim, inner * rim[::-1]))


def gear(teeth: int, radius: float, *, depth: float) -> Array:
    """Return a spur gear outline with trapezoidal teeth around the pitch radius."""
    pitch = 2 * math.pi / teeth
    offsets = np.array((-0.27, -0.13, 0.13, 0.27)) * pitch
    radii = np.tile(radius + depth / 2 * np.array((-1, 1, 1, -1)), teeth)
    angles = (np.arange(teeth)[:, None] * pitch + offsets).ravel()
    return np.column_stack((cos(angles), sin(angles))) * radii[:, None]


def rounded_path(points: Outline, *, radius: float, steps: int = 5) -> Array:
    """Replace each inner corner of a path by an arc-like curve, so that a sweep bends smoothly.

    Parameters
    ----------
    points : (n, 3) float [m]
        Corners of the path.
    radius : float [m]
        How far before and after a corner the bend begins; cut to 45 % of the shorter leg.
    steps : int
        Edges per bend.
    """
    corners = np.asarray(points, dtype=float)
    result = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        to, fro = before - corner, after - corner
        reach = min(radius, 0.45 * length(to), 0.45 * length(fro))
        start = corner + to / length(to) * reach
        end = corner + fro / length(fro) * reach
        for t in np.linspace(0, 1, steps + 1):
            result.append((1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end)
    return np.array([*result, corners[-1]])
