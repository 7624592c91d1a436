# SPDX-License-Identifier: Apache-2.0
"""Points on the visual geometry of an object, the same on every machine.

Every point has the same share of the area: the triangles in the order of the file are cut into n
stretches of equal area, and each has one point at a random place. A link therefore has as many
points as its area asks for, up to one. The order steps through the stretches by the golden ratio,
so that the first points alone are spread by area, too. All numbers come from additions, products,
quotients and roots in a fixed order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import ArgumentError, RenderError
from aa_dataset.portable import applied
from aa_dataset.random_streams import Draws
from aa_dataset.render.glb import Model

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class PointSample:
    """Points on the surface of an object, object frame.

    Attributes
    ----------
    points : (n, 3) float [m]
    normals : (n, 3) float
        Unit normals of the triangles, on the side of their winding.
    link : (n,) int
        The link that a point is on, an index into `links`.
    links : tuple of str
        All links of the object, in the order of its tree.
    """

    points: Array
    normals: Array
    link: NDArray[np.int64]
    links: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.points)

    def moved(self, placements: Mapping[str, Array]) -> PointSample:
        """Return the same points of the material after their links moved.

        Parameters
        ----------
        placements : mapping of link name to (4, 4) float [m]
            Displacements, as `ArticulatedObject.pose` returns them for one state.
        """
        poses = np.array([placements[link] for link in self.links])[self.link]
        points = applied(poses[:, :3, :3], self.points) + poses[:, :3, 3]
        return replace(self, points=points, normals=applied(poses[:, :3, :3], self.normals))


def sample_surface(
    model: Model, links: Sequence[str], count: int, seed: int, *words: str
) -> PointSample:
    """Return points on all visual geometry at rest, by area.

    Parameters
    ----------
    model : Model
        Inner surfaces count as well, and a wall that is there twice counts twice.
    links : sequence of str
        All links of the object.
    count, seed : int
        Number of points; the points depend on both.
    words : str
        What they depend on besides, such as the id of the object.

    Raises
    ------
    ArgumentError
        If `count` is no number of points.
    RenderError
        If no triangle has an area.
    """
    if not isinstance(count, Integral) or count < 0:
        raise ArgumentError(f"the number of points is {count!r}; it must be a number from 0 on.")
    corners, owner = _triangles(model, links)
    start = corners[:, 0]
    first, second = corners[:, 1] - start, corners[:, 2] - start
    crossed = _crossed(first, second)
    area = np.sqrt(crossed[0] * crossed[0] + crossed[1] * crossed[1] + crossed[2] * crossed[2])
    reach = np.cumsum(area)
    if not len(area) or not reach[-1] > 0:
        raise RenderError("There is nothing to sample: no link has a triangle with an area.")
    draws = Draws(seed, "points", *words)
    place = (np.arange(count) + draws.uniforms(count)) / max(count, 1) * reach[-1]
    # Of the triangles that end at the same place, the first has the area.
    face = np.searchsorted(reach, place, side="right")
    face = np.minimum(face, np.flatnonzero(area)[-1])[_order(count, draws)]
    u, v = draws.uniforms(2 * count).reshape(2, count)
    beyond = np.asarray(u + v > 1, float)
    u, v = np.abs(beyond - u), np.abs(beyond - v)  # 1 - u beyond the triangle, else u
    start, first, second, crossed = (
        rows.take(face, axis=1) for rows in (start, first, second, crossed)
    )
    points = start + (u * first + v * second)
    normals = crossed / area.take(face)
    rows = (np.ascontiguousarray(points.T), np.ascontiguousarray(normals.T))
    return PointSample(*rows, owner.take(face), tuple(links))


def _order(count: int, draws: Draws) -> NDArray[np.int64]:
    """Return 0, ..., count - 1 in steps of about a golden section, from a random one on."""
    step = max(1, (count * 618_034) // 1_000_000)
    while math.gcd(step, count) > 1:
        step += 1
    return np.asarray((draws.below(max(count, 1)) + step * np.arange(count)) % max(count, 1))


def _crossed(first: Array, second: Array) -> Array:
    """Return the cross products (3, n) of vectors (3, n)."""
    (a, b, c), (d, e, f) = first, second
    return np.stack([b * f - c * e, c * d - a * f, a * e - b * d])


def _triangles(model: Model, links: Sequence[str]) -> tuple[Array, NDArray[np.int64]]:
    """Return all triangles (3 coordinates, 3 corners, f) at rest [m], and the link of each (f,)."""
    number = {link: k for k, link in enumerate(links)}
    absent = sorted({piece.link for piece in model.pieces} - number.keys())
    if absent:
        raise RenderError(
            f"object.glb has the link {absent[0]!r}, which no table has. Run `aa verify`."
        )
    counts = [len(one.faces) for one in model.pieces]
    owner = np.repeat(np.array([number[one.link] for one in model.pieces], np.int64), counts)
    # Coordinates first: numpy then loops over triangles, not over three numbers.
    points, faces = np.ascontiguousarray(model.points.T), np.ascontiguousarray(model.faces.T)
    return np.take(points, faces, axis=1), owner
