# SPDX-License-Identifier: Apache-2.0
"""Lights, ground and background: the look that all rendering backends share.

Light multiplies display (sRGB) colors. Under a pure power-law display that is the same as
lighting linear colors, needs no conversion per pixel, and keeps every material's hue.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from aa_dataset.render.camera import Camera, bounding_sphere, view_direction

Array = NDArray[np.floating]

BACKGROUND = (0.955, 0.960, 0.968)
AMBIENT, KEY, FILL, SPECULAR = 0.40, 0.50, 0.20, 0.09
FULL = 0.86  # light at which a surface shows exactly its own color; more is cut off
SHININESS_DOUBLINGS = 5  # the highlight's exponent is 2**5
SHADOW_STRENGTH = 0.5
SHADOW_CELLS = 96
SHADOW_SAMPLES = 24_000
SMALL, SMALL_SAMPLES = 256, 6_000  # pixels of a picture that shows no more than so many
COARSE = 4  # the shadow is soft: it is computed on every fourth pixel and enlarged


def _direction(azimuth_deg: float, elevation_deg: float) -> NDArray[np.float64]:
    azimuth, elevation = np.deg2rad([azimuth_deg, elevation_deg])
    flat = np.cos(elevation)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])


# Key from the viewer's upper left, fill from the right: front, side and top of a box differ.
KEY_DIRECTION = _direction(-18.0, 50.0)
FILL_DIRECTION = _direction(80.0, 14.0)
HALFWAY = (KEY_DIRECTION + view_direction()) / np.linalg.norm(KEY_DIRECTION + view_direction())


def light(normals: Array) -> tuple[Array, Array]:
    """Return what multiplies a surface's color and what is added to it.

    Parameters
    ----------
    normals : (..., 3) float
        Unit normals on the viewer's side, object frame.

    Returns
    -------
    diffuse : (...) float
        In (0, 1].
    specular : (...) float
        White highlight in [0, SPECULAR].
    """
    directions = np.stack([KEY_DIRECTION, FILL_DIRECTION, HALFWAY], axis=1).astype(normals.dtype)
    cosines = np.maximum(normals @ directions, 0)
    diffuse = (AMBIENT + KEY * cosines[..., 0] + FILL * cosines[..., 1]) / FULL
    highlight = cosines[..., 2]
    for _ in range(SHININESS_DOUBLINGS):
        highlight = highlight * highlight
    return np.minimum(diffuse, 1), SPECULAR * highlight


def enlarged(darkness: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """Return the darkness (size, size) of the ground in every pixel of a picture.

    The camera and the object are both above the ground, so the ground never hides the object
    and can be composed as a background.

    Parameters
    ----------
    darkness : (k, k) float
        What `shadow` returns.
    size : int
        Width and height of the picture in pixels.
    """
    fine = Image.fromarray(darkness).resize((size, size), Image.Resampling.BILINEAR)
    return np.array(fine, dtype=np.float32)


def shadow(corners: Array, camera: Camera, size: int) -> NDArray[np.float32]:
    """Return the darkness (k, k) in [0, 1] of the ground as the camera sees it.

    Parameters
    ----------
    corners : (f, 3, 3) float [m]
        Triangles in the object frame.
    camera : Camera
    size : int
        Width and height of the picture in pixels, of which this is every fourth pixel.
    """
    center, radius = bounding_sphere(corners)
    half = 1.6 * radius  # the blurred shadow has faded out before the map's border
    low = center[:2] - half
    samples = SHADOW_SAMPLES if size > SMALL else SMALL_SAMPLES
    shade = _shadow_map(corners, low, 2 * half, samples)
    coarse = -(-size // COARSE)
    x, y, hit = _ground_points(camera, float(corners[..., 2].min()), coarse)
    u, v = (x - low[0]) / (2 * half), (y - low[1]) / (2 * half)
    inside = hit & (u > 0) & (u < 1) & (v > 0) & (v < 1)
    darkness = np.zeros((coarse, coarse), dtype=np.float32)
    darkness[inside] = sample_bilinear(shade[..., None], u[inside], v[inside])[:, 0]
    return darkness


def no_shadow(size: int) -> NDArray[np.float32]:
    """Return the darkness (k, k) of a ground without a shadow."""
    coarse = -(-size // COARSE)
    return np.zeros((coarse, coarse), dtype=np.float32)


def sample_bilinear(image: Array, u: Array, v: Array) -> NDArray[np.float32]:
    """Sample an image with repetition, row 0 at v = 0.

    Parameters
    ----------
    image : (h, w, c) float
    u, v : (n,) float
        Horizontal and vertical coordinates; the image spans [0, 1).

    Returns
    -------
    (n, c) float
    """
    height, width = image.shape[:2]
    x, y = u * width - 0.5, v * height - 0.5
    left, low = np.floor(x), np.floor(y)
    fx, fy = (x - left)[:, None].astype(np.float32), (y - low)[:, None].astype(np.float32)
    i0, j0 = left.astype(np.int64) % width, low.astype(np.int64) % height
    i1, j1 = (i0 + 1) % width, (j0 + 1) % height
    bottom = image[j0, i0] * (1 - fx) + image[j0, i1] * fx
    top = image[j1, i0] * (1 - fx) + image[j1, i1] * fx
    return np.asarray(bottom * (1 - fy) + top * fy, dtype=np.float32)


def pixel_rays(camera: Camera, size: int) -> NDArray[np.float64]:
    """Return (size, size, 3) ray directions of the pixel centers in the camera frame, z = -1."""
    half = np.tan(camera.yfov_rad / 2)
    steps = ((np.arange(size) + 0.5) / size * 2 - 1) * half
    rays = np.full((size, size, 3), -1.0)
    rays[..., 0], rays[..., 1] = steps[None, :], -steps[:, None]
    return rays


def _ground_points(
    camera: Camera, floor: float, size: int
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return x, y, each (size, size) [m], where pixels see the plane z = floor, and a mask."""
    rays = pixel_rays(camera, size) @ camera.pose[:3, :3].T
    eye = camera.pose[:3, 3]
    hit = rays[..., 2] < 0
    distance = (floor - eye[2]) / np.where(hit, rays[..., 2], -1.0)
    return eye[0] + distance * rays[..., 0], eye[1] + distance * rays[..., 1], hit


def _shadow_map(corners: Array, low: Array, width: float, samples: int) -> NDArray[np.float32]:
    """Return (cells, cells) darkness in [0, 1] on a square of the ground; rows run along y.

    Points are spread evenly over the triangles' footprints; what hovers higher counts less.
    """
    heights = corners[..., 2].mean(axis=1) - corners[..., 2].min()
    weight = np.exp(-heights / (0.12 * width))
    edge = corners[:, 1:, :2] - corners[:, :1, :2]
    area = np.abs(edge[:, 0, 0] * edge[:, 1, 1] - edge[:, 0, 1] * edge[:, 1, 0])
    # A little area for everything keeps thin legs and upright sheets in the shadow.
    share = np.cumsum(weight**2 * (area + 1e-6 * width**2))
    ticks = (np.arange(samples) + 0.5) / samples * share[-1]
    face = np.minimum(np.searchsorted(share, ticks), len(share) - 1)
    points = _spread(corners[face][..., :2])
    cell = np.floor((points - low) / width * SHADOW_CELLS).astype(np.int64)
    cell = np.clip(cell, 0, SHADOW_CELLS - 1)
    grid = np.zeros((SHADOW_CELLS, SHADOW_CELLS))
    np.maximum.at(grid, (cell[:, 1], cell[:, 0]), weight[face])
    image = Image.fromarray(np.rint(255 * grid).astype(np.uint8))
    soft = [np.asarray(image.filter(ImageFilter.GaussianBlur(r))) / 255.0 for r in (1.5, 6.0)]
    return (0.5 * soft[0] + 0.5 * soft[1]).astype(np.float32)


def _spread(triangles: Array) -> Array:
    """Return one (n, 2) point in each of (n, 3, 2) triangles, by a low-discrepancy sequence."""
    u, v = _shares(len(triangles))
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return a + u * (b - a) + v * (c - a)


@cache
def _shares(count: int) -> tuple[Array, Array]:
    """Return how far points (n, 1) of triangles are along both edges from their first corner."""
    index = np.arange(count)
    u, v = (index * 0.7548776662466927) % 1.0, (index * 0.5698402909980532) % 1.0
    flip = u + v > 1
    return np.where(flip, 1 - u, u)[:, None], np.where(flip, 1 - v, v)[:, None]
