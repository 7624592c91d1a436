# SPDX-License-Identifier: Apache-2.0
"""Shades ray hits with numpy; a given function finds the triangles that rays hit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aa_dataset.render import look
from aa_dataset.render.camera import Camera
from aa_dataset.render.surface import Surface

Array = NDArray[np.float32]
Hits = Callable[[Array, Array], NDArray[np.int64]]
Builder = Callable[[Array], Hits]

CHUNK = 1 << 15  # rays at a time: working arrays stay in the processor's cache
STEP = 2e-5  # how far behind a transparent face the ray continues, in camera distances


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """Triangles that rays from the camera may hit.

    Attributes
    ----------
    hits : function of (n, 3) origins and (n, 3) directions
        Returns the (n,) index of the first triangle hit, -1 for none.
    edge_planes : (f, 3, 3) float
        Cross products of corner pairs; times a ray they give barycentric weights.
    depths : (f, 3) float
        Distances of the corners along the view direction.
    normals, colors, uv : (f, 3, k) float
    texture : (f,) int
    textures : list of (h, w, 4) float
        Row 0 at v = 0.
    """

    hits: Hits
    edge_planes: Array
    depths: Array
    normals: Array
    colors: Array
    uv: Array
    texture: NDArray[np.int64]
    textures: list[Array]


def cast_rays(
    surface: Surface, camera: Camera, *, pixels: int, layers: int, build: Builder
) -> Array:
    """Draw a surface with one ray per pixel.

    Parameters
    ----------
    surface : Surface
        Object frame.
    camera : Camera
        Object frame.
    pixels : int
        Width and height.
    layers : int
        Number of transparent faces after which a ray ends.
    build : function of (f, 3, 3) corners
        Returns the function that finds the triangles which rays hit.

    Returns
    -------
    (pixels, pixels, 4) float
        Display color over the plain background, and coverage.
    """
    # Camera frame, in units of the camera's distance: single precision is enough there.
    rotation, eye = camera.pose[:3, :3], camera.pose[:3, 3]
    corners = (surface.corners - eye) @ rotation * (2 / (camera.near + camera.far))
    clear = surface.is_transparent()
    solid, glass = (
        _scene(surface.select(mask), corners[mask], build) if mask.any() else None
        for mask in (~clear, clear)
    )
    picture = np.zeros((pixels, pixels, 4), dtype=np.float32)
    picture[..., :3] = look.BACKGROUND
    window = _window(corners, camera, pixels)
    rays = look.pixel_rays(camera, pixels)[window].astype(np.float32)
    flat = np.ascontiguousarray(rays.reshape(-1, 3))
    colors = [
        _trace(flat[start : start + CHUNK], solid, glass, layers=layers)
        for start in range(0, len(flat), CHUNK)
    ]
    picture[window] = np.concatenate(colors).reshape(*rays.shape[:2], 4)
    return picture


def _scene(surface: Surface, corners: NDArray[np.float64], build: Builder) -> _Scene:
    """Prepare the triangles of one kind, with corners in the scaled camera frame."""
    planes = np.cross(np.roll(corners, -1, axis=1), np.roll(corners, -2, axis=1))
    return _Scene(
        build(corners.astype(np.float32)),
        planes.astype(np.float32),
        -corners[..., 2].astype(np.float32),
        surface.normals.astype(np.float32),
        surface.colors.astype(np.float32),
        surface.uv.astype(np.float32),
        surface.texture,
        [image[::-1].astype(np.float32) / np.float32(255) for image in surface.textures],
    )


def _window(corners: NDArray[np.float64], camera: Camera, pixels: int) -> tuple[slice, slice]:
    """Return the rows and columns of the pixels that can see the object."""
    half = np.tan(camera.yfov_rad / 2)
    points = corners.reshape(-1, 3)
    plane = points[:, :2] / np.maximum(-points[:, 2:], 1e-6) * (1, -1)
    position = (plane / half + 1) / 2 * pixels
    low = np.clip(np.floor(position.min(axis=0)), 0, pixels - 1).astype(int)
    high = np.clip(np.ceil(position.max(axis=0)), 1, pixels).astype(int)
    return slice(low[1], max(high[1], low[1] + 1)), slice(low[0], max(high[0], low[0] + 1))


def _trace(
    rays: Array,
    solid: _Scene | None,
    glass: _Scene | None,
    *,
    layers: int,
) -> Array:
    """Return (n, 4) color over the background and coverage of rays from the camera."""
    color = np.empty((len(rays), 4), dtype=np.float32)
    color[:] = (*look.BACKGROUND, 0.0)
    depth = np.full(len(rays), np.inf, dtype=np.float32)
    if solid is not None:
        face = solid.hits(np.zeros_like(rays), rays)
        hit = np.flatnonzero(face >= 0)
        color[hit], depth[hit] = _shade(solid, face[hit], rays[hit])
        color[hit, 3] = 1.0
    if glass is not None:
        _pass_layers(glass, rays, color, depth, layers=layers)
    return color


def _pass_layers(
    glass: _Scene,
    rays: Array,
    color: Array,
    depth: Array,
    *,
    layers: int,
) -> None:
    """Blend the transparent faces in front of `depth`, nearest first, into `color`, in place."""
    through = np.ones(len(rays), dtype=np.float32)
    gathered = np.zeros((len(rays), 3), dtype=np.float32)
    live, start = np.arange(len(rays)), np.zeros(len(rays), dtype=np.float32)
    for _ in range(layers):
        face = glass.hits(rays[live] * start[:, None], rays[live])
        live, face = live[face >= 0], face[face >= 0]
        layer, distance = _shade(glass, face, rays[live])
        ahead = distance < depth[live]
        live, layer, start = live[ahead], layer[ahead], distance[ahead] + STEP
        if len(live) == 0:
            break
        gathered[live] += (through[live] * layer[:, 3])[:, None] * layer[:, :3]
        through[live] *= 1 - layer[:, 3]
    color[:, :3] = gathered + through[:, None] * color[:, :3]
    color[:, 3] = 1 - through * (1 - color[:, 3])


def _shade(scene: _Scene, face: NDArray[np.int64], rays: Array) -> tuple[Array, Array]:
    """Return (n, 4) lit color with opacity and (n,) depth of rays at the faces they hit."""
    weights = np.einsum("nij,nj->ni", scene.edge_planes[face], rays)
    facing = weights.sum(axis=1)
    safe = np.where(np.abs(facing) > 1e-30, facing, 1e-30)
    weights = np.clip(weights / safe[:, None], 0, 1)
    normals = np.einsum("ni,nij->nj", weights, scene.normals[face])
    # The same sum gives the side: a ray against the face's winding hits its front.
    length = np.linalg.norm(normals, axis=1) * np.where(facing < 0, 1, -1)
    normals /= np.where(length == 0, 1, length)[:, None]
    color = np.einsum("ni,nij->nj", weights, scene.colors[face])
    _apply_textures(scene, face, weights, color)
    diffuse, specular = look.light(normals)
    color[:, :3] = color[:, :3] * diffuse[:, None] + specular[:, None]
    return np.minimum(color, 1), np.einsum("ni,ni->n", weights, scene.depths[face])


def _apply_textures(scene: _Scene, face: NDArray[np.int64], weights: Array, color: Array) -> None:
    """Multiply the colors of textured hits by their texels, in place."""
    texture = scene.texture[face]
    for index in np.unique(texture[texture >= 0]):
        rows = np.flatnonzero(texture == index)
        uv = np.einsum("ni,nij->nj", weights[rows], scene.uv[face[rows]])
        color[rows] *= look.sample_bilinear(scene.textures[index], uv[:, 0], uv[:, 1])
