# SPDX-License-Identifier: Apache-2.0
"""Views of an object from around it: color, mask and depth by one ray per pixel.

`backend` draws previews, with a ground and a highlight, for people. This module makes data for
methods: nothing is drawn but the object, the light does not depend on the camera, and depth is
computed in double precision from the plane of the triangle that a ray meets. Embree only says which
triangle that is; the rest is additions, products and roots in a fixed order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aa_dataset.portable import applied, dot, length
from aa_dataset.render.camera import MARGIN
from aa_dataset.render.hits import Hit, Triangles, first_hits

Array = NDArray[np.float64]

FOCAL = 2.0  # focal length in widths of the picture: an angle of view of 28.07 degrees
SINE = 1 / math.sqrt(1 + (2 * FOCAL) ** 2)  # of half the angle of view
LOW, HIGH = -0.30, 0.90  # heights of the cameras on the unit sphere, from a little below
GOLDEN_TURN = 2.399963229728653  # rad; each camera turns by the golden angle
FIRST_DIRECTION = (0.774741, 0.484112, 0.406737)  # azimuth 32, elevation 24 degrees: as previews
CREASE = 0.94  # neighbors whose normals differ by more than 20 degrees are an edge
JUMP = 0.01  # of the distance; a larger step in depth is an edge
CORNERS = ((-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25))  # samples of an edge pixel


@dataclass(frozen=True, eq=False)
class View:
    """A pinhole camera with a square picture; the center of the first pixel is at (0.5, 0.5).

    Attributes
    ----------
    pose : (4, 4) float [m]
        Camera to object; the camera looks along its -z, +y is up (OpenGL).
    size : int
        Width and height in pixels.
    """

    pose: Array
    size: int

    @cached_property
    def intrinsics(self) -> Array:
        """Camera matrix (3, 3) in pixels, OpenCV: x right, y down, z forward."""
        focal, middle = FOCAL * self.size, self.size / 2
        return np.array([[focal, 0, middle], [0, focal, middle], [0, 0, 1.0]])

    @cached_property
    def opencv(self) -> Array:
        """Pose (4, 4) of the same camera whose y is down and z forward, camera to object [m]."""
        return self.pose * (1.0, -1.0, -1.0, 1.0)

    @property
    def eye(self) -> Array:
        """Place (3,) of the camera, object frame [m]."""
        return self.pose[:3, 3]

    def rays(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return directions (n, 3), of depth 1, through points (n,) of the picture [pixel]."""
        focal, middle = FOCAL * self.size, self.size / 2
        right = (np.asarray(x, dtype=np.float64) - middle) / focal
        up = (middle - np.asarray(y, dtype=np.float64)) / focal
        local = np.stack([right, up, np.full_like(right, -1.0)], 1)
        return applied(self.pose[:3, :3], local)

    def project(self, points: Array) -> tuple[Array, Array]:
        """Return places (n, 2) [pixel] and depths (n,) [m] of points (n, 3), object frame."""
        local = applied(self.opencv[:3, :3].T, points - self.eye)
        focal, middle = FOCAL * self.size, self.size / 2
        return local[:, :2] / local[:, 2:] * focal + middle, local[:, 2]


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """What one camera sees.

    Attributes
    ----------
    color : (n, n, 4) uint8
        Display color and coverage, not multiplied; white where nothing is.
    depth : (n, n) float [m]
        Distance along the view direction at the centers of pixels; 0 where the ray meets nothing.
    """

    color: NDArray[np.uint8]
    depth: Array

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Pixels (n, n) whose center sees the object."""
        return self.depth > 0


def views_around(center: Array, radius: float, count: int, size: int) -> tuple[View, ...]:
    """Return cameras that see a whole sphere, spread evenly around and above it.

    Parameters
    ----------
    center : (3,) float [m]
        Object frame.
    radius : float [m]
    count, size : int
        Cameras and pixels. The first camera looks as in the previews of the library.
    """
    distance = MARGIN * radius / SINE
    return tuple(_look_along(center, distance, way, size) for way in _directions(count))


def _directions(count: int) -> list[tuple[float, float, float]]:
    """Return directions to the cameras, rounded: no processor's cosine may decide a digit."""
    ways = [FIRST_DIRECTION]
    for k in range(1, count):
        z = LOW + (HIGH - LOW) * (k - 0.5) / (count - 1)
        flat, turn = math.sqrt(1 - z * z), 0.5 + GOLDEN_TURN * k
        ways.append((flat * math.cos(turn), flat * math.sin(turn), z))
    return [(round(x, 6), round(y, 6), round(z, 6)) for x, y, z in ways]


def _look_along(center: Array, distance: float, way: tuple[float, float, float], size: int) -> View:
    backward = np.array(way) / length(way)
    right = np.array([-backward[1], backward[0], 0.0]) / length(backward[:2])
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(backward, right), backward], axis=1)
    pose[:3, 3] = center + distance * backward
    return View(pose, size)


def shoot(triangles: Triangles, view: View) -> Shot:
    """Take one picture of posed triangles."""
    rows, columns = _window(triangles, view)
    y, x = np.mgrid[rows, columns] + 0.5
    hit = first_hits(triangles, view.eye, view.rays(x.ravel(), y.ravel()))
    shape = y.shape
    color = triangles.shaded(hit)
    edge = np.flatnonzero(_edges(triangles, hit, shape))
    color[edge] = _blend(triangles, view, x.ravel()[edge], y.ravel()[edge])
    whole = np.full((view.size, view.size, 4), 255, np.uint8)
    whole[..., 3] = 0
    whole[rows, columns] = _bytes(color).reshape(*shape, 4)
    depth = np.zeros((view.size, view.size))
    depth[rows, columns] = np.where(hit.seen, hit.depth, 0).reshape(shape)
    return Shot(whole, depth)


def _window(triangles: Triangles, view: View) -> tuple[slice, slice]:
    """Return the rows and columns of the pixels that can see the object."""
    places, _ = view.project(triangles.corners.reshape(-1, 3))
    low = np.clip(np.floor(places.min(axis=0)) - 1, 0, view.size - 1).astype(int)
    high = np.clip(np.ceil(places.max(axis=0)) + 1, low + 1, view.size).astype(int)
    return slice(low[1], high[1]), slice(low[0], high[0])


def _edges(triangles: Triangles, hit: Hit, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the pixels (n,) that look different from a neighbor: they get more samples."""
    part = np.where(hit.seen, triangles.part[hit.face], -1).reshape(shape)
    normal = triangles.normal[hit.face].reshape(*shape, 3)
    depth = np.where(hit.seen, hit.depth, 0).reshape(shape)
    edge = np.zeros(shape, dtype=bool)
    for one, two in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        differs = part[one] != part[two]
        differs |= np.abs(depth[one] - depth[two]) > JUMP * depth[one]
        differs |= dot(normal[one], normal[two]) < CREASE
        differs &= (part[one] >= 0) | (part[two] >= 0)
        edge[one] |= differs
        edge[two] |= differs
    return edge.ravel()


def _blend(triangles: Triangles, view: View, x: Array, y: Array) -> Array:
    """Return the mean color and coverage (n, 4) of pixels, each seen by four rays."""
    total = np.zeros((len(x), 4))
    for right, down in CORNERS:
        hit = first_hits(triangles, view.eye, view.rays(x + right, y + down))
        color = triangles.shaded(hit)
        color[:, :3] *= color[:, 3:]
        total += color
    total[:, :3] /= np.where(total[:, 3:] > 0, total[:, 3:], 1)
    total[:, 3] /= len(CORNERS)
    return total


def _bytes(color: Array) -> NDArray[np.uint8]:
    """Return colors (n, 4) in [0, 1] as bytes, white where nothing is."""
    shown = np.where(color[:, 3:] > 0, color, (1.0, 1.0, 1.0, 0.0))
    return np.asarray(np.rint(255 * np.clip(shown, 0, 1)), np.uint8)
