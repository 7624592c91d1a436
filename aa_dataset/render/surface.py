# SPDX-License-Identifier: Apache-2.0
"""Meshes with trimesh visuals as plain arrays, the same for every rendering backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from aa_dataset.errors import CrowdedError, RenderError
from aa_dataset.render.camera import Camera
from aa_dataset.triangles import Edges, cells, connected

if TYPE_CHECKING:
    import trimesh

Array = NDArray[np.float64]

CREASE_COSINE = np.cos(np.deg2rad(40.0))  # sharper edges are drawn sharp
TEXTURE_PIXELS = 512  # a preview shows no more; it bounds upload time and aliasing
MOST_LAYERS = 1_000  # pictures that all triangles together cover; real objects cover up to 30
DEFAULT_COLOR = (0.70, 0.71, 0.73, 1.0)  # parts without any visual
WELD_STEPS = 2**20  # vertices closer than this part of the object are one for smoothing


@dataclass(frozen=True, slots=True, eq=False)
class Surface:
    """The triangles of all parts.

    Attributes
    ----------
    corners : (f, 3, 3) float [m]
        Corner positions: part frame as read, object frame once placed.
    normals : (f, 3, 3) float
        Unit corner normals, smooth across blunt edges, on the side of the face's winding.
    colors : (f, 3, 4) float
        Display (sRGB) color and opacity of each corner in [0, 1].
    uv : (f, 3, 2) float
        Texture coordinates, origin at the lower left of the image.
    texture : (f,) int
        Index into `textures`, -1 for none.
    part : (f,) int
        Index of the part that the face belongs to.
    textures : tuple of (h, w, 4) uint8
        Images that multiply the corner colors.
    """

    corners: Array
    normals: Array
    colors: Array
    uv: Array
    texture: NDArray[np.int64]
    part: NDArray[np.int64]
    textures: tuple[NDArray[np.uint8], ...]

    def select(self, faces: NDArray[Any]) -> Surface:
        """Return the surface of some faces, given as a mask or as indices in drawing order."""
        rows = ("corners", "normals", "colors", "uv", "texture", "part")
        return replace(self, **{name: getattr(self, name)[faces] for name in rows})

    def is_transparent(self) -> NDArray[np.bool_]:
        """Return for each face, (f,) bool, whether something behind it may show."""
        clear = np.array([bool((image[..., 3] < 255).any()) for image in self.textures] + [False])
        return (self.colors[..., 3] < 1.0).any(axis=1) | clear[self.texture]


@dataclass(slots=True)
class _Textures:
    """Images seen so far; a picture shared by several meshes is stored once."""

    images: list[NDArray[np.uint8]] = field(default_factory=list)
    index: dict[tuple[int, bool], int] = field(default_factory=dict)

    def add(self, image: Image.Image, *, opaque: bool) -> int:
        key = (id(image), opaque)
        if key not in self.index:
            self.index[key] = len(self.images)
            self.images.append(_read_image(image, opaque=opaque))
        return self.index[key]


def read_surface(meshes: Sequence[trimesh.Trimesh]) -> Surface:
    """Read the triangles and visuals of meshes, each in its own frame.

    Parameters
    ----------
    meshes : sequence of trimesh.Trimesh [m]
        With a PBR or simple material, a texture, vertex or face colors, or none of these.

    Returns
    -------
    Surface

    Raises
    ------
    RenderError
        If there is no triangle at all, or a vertex is not finite.
    """
    textures = _Textures()
    rows = [_read_mesh(mesh, part, textures) for part, mesh in enumerate(meshes)]
    if sum(len(row[0]) for row in rows) == 0:
        raise RenderError(
            "There is nothing to draw: no part has a triangle. "
            "Pass at least one non-empty mesh, or reject the object."
        )
    columns = zip(*rows, strict=True)
    corners, colors, uv, texture, part = (np.concatenate(column) for column in columns)
    normals = corner_normals(corners, part)
    return Surface(corners, normals, colors, uv, texture, part, tuple(textures.images))


def place(surface: Surface, poses: Array) -> Surface:
    """Move every part to its pose.

    Parameters
    ----------
    surface : Surface
        In part frames.
    poses : (p, 4, 4) float [m]
        Part frame to object frame; a scale or a mirror image is allowed.

    Returns
    -------
    Surface
        In the object frame.
    """
    linear, shift = poses[:, :3, :3], poses[:, :3, 3]
    if not np.isfinite(poses).all() or (np.abs(np.linalg.det(linear)) < 1e-18).any():
        raise RenderError(
            "A part's pose is not an invertible finite transform; check the joint values."
        )
    # The adjugate keeps normals on the side of the winding, also for a mirror image.
    cofactor = np.linalg.inv(linear).transpose(0, 2, 1) * np.linalg.det(linear)[:, None, None]
    rows = surface.part
    corners = surface.corners @ linear[rows].transpose(0, 2, 1) + shift[rows][:, None]
    normals = surface.normals @ cofactor[rows].transpose(0, 2, 1)
    return replace(surface, corners=corners, normals=_unit(normals))


def same_places(corners: Array) -> NDArray[np.int64]:
    """Return (f,) numbers, equal for triangles (f, 3, 3) that have the same three corners."""
    vertex = np.sort(_merge_vertices(corners, np.zeros(len(corners), dtype=np.int64)), axis=1)
    count = int(vertex.max()) + 1
    _, edge = np.unique(vertex[:, 0] * count + vertex[:, 1], return_inverse=True)
    return np.asarray(np.unique(edge * count + vertex[:, 2], return_inverse=True)[1])


def require_drawable(corners: Array, camera: Camera) -> None:
    """Raise for an object whose triangles cover the picture too often, before any is drawn.

    A ray through the boxes of a million triangles is tested against each of them. The corners
    (f, 3, 3) [m] are in the object frame.
    """
    rotation, eye = camera.pose[:3, :3], camera.pose[:3, 3]
    seen = (corners - eye) @ rotation
    width = 2 * np.tan(camera.yfov_rad / 2) * np.maximum(-seen[..., 2:], 1e-9)
    extents = np.ptp(seen[..., :2] / width, axis=1)
    layers = float(np.minimum(extents, 1.0).prod(axis=1).sum())
    if layers > MOST_LAYERS:
        raise CrowdedError(
            f"its triangles cover a preview {layers:.0f} times, more than {MOST_LAYERS}; leave "
            "out those that lie in one place.",
        )


def corner_normals(corners: Array, part: NDArray[np.int64]) -> Array:
    """Return corner normals that are smooth across blunt edges and sharp elsewhere.

    Faces joined by edges blunter than the crease angle form a group; a corner's normal is the
    area-weighted mean over the faces of its group that touch its vertex.

    Parameters
    ----------
    corners : (f, 3, 3) float [m]
    part : (f,) int
        Faces of different parts are never smoothed together.

    Returns
    -------
    (f, 3, 3) float
        Unit normals; the zero vector for faces without area.
    """
    vertex = _merge_vertices(corners, part)
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = np.cross(first, second)
    group = _smooth_groups(vertex, _unit(area))
    key = (group[:, None] * (int(vertex.max()) + 1) + vertex).ravel()
    _, corner = np.unique(key, return_inverse=True)
    weights = np.repeat(area, 3, axis=0)
    sums = [np.bincount(corner, weights[:, axis]) for axis in range(3)]
    return _unit(np.stack(sums, axis=1, dtype=np.float64))[corner].reshape(corners.shape)


def _merge_vertices(corners: Array, part: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (f, 3) vertex numbers, equal where corners of one part coincide."""
    points = corners.reshape(-1, 3)
    width = max(float(np.ptp(points, axis=0).max()), 1e-300)
    place_key = cells(points, low=points.min(axis=0), width=width, steps=WELD_STEPS)
    # Hashing the part's number separates parts; a chance collision costs one soft edge.
    mixed = place_key.astype(np.uint64) ^ (
        np.repeat(part, 3).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    )
    return np.unique(mixed, return_inverse=True)[1].reshape(-1, 3)


def _smooth_groups(vertex: NDArray[np.int64], face_normals: Array) -> NDArray[np.int64]:
    """Return (f,) group numbers of faces connected across blunt edges."""
    edges = Edges.of(vertex, by_face=True)
    same = edges.number[1:] == edges.number[:-1]
    first, second = edges.faces[:-1][same], edges.faces[1:][same]
    blunt = (face_normals[first] * face_normals[second]).sum(axis=1) > CREASE_COSINE
    return connected(len(vertex), np.column_stack([first[blunt], second[blunt]]))


def _read_mesh(mesh: trimesh.Trimesh, part: int, textures: _Textures) -> tuple[NDArray[Any], ...]:
    """Return corners, colors, uv, texture and part rows of one mesh."""
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    if not np.isfinite(vertices).all():
        raise RenderError(
            f"Part {part} has vertices that are not finite numbers; "
            "repair or reject its mesh before it is rendered."
        )
    colors, uv, texture = _read_visual(mesh, textures)
    count = len(faces)
    return (
        vertices[faces].reshape(count, 3, 3),
        np.broadcast_to(colors, (count, 3, 4)),
        np.zeros((count, 3, 2)) if uv is None else uv[faces].reshape(count, 3, 2),
        np.full(count, texture, dtype=np.int64),
        np.full(count, part, dtype=np.int64),
    )


def _read_visual(mesh: trimesh.Trimesh, textures: _Textures) -> tuple[Array, Array | None, int]:
    """Return colors that broadcast to (f, 3, 4), uv per vertex and the texture's index."""
    visual: Any = mesh.visual
    material = getattr(visual, "material", None)
    if material is not None:
        return _read_material(visual, material, textures)
    if visual.kind == "face":
        return np.asarray(visual.face_colors)[:, None, :] / 255.0, None, -1
    if visual.kind == "vertex":
        return np.asarray(visual.vertex_colors)[np.asarray(mesh.faces)] / 255.0, None, -1
    return np.array(DEFAULT_COLOR), None, -1


def _read_material(
    visual: Any, material: Any, textures: _Textures
) -> tuple[Array, Array | None, int]:
    """Read one trimesh material; colors are display values, as modelers pick them."""
    image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    factor = getattr(material, "baseColorFactor", None)
    if factor is None:
        # A texture without a factor is shown as it is; trimesh's main_color would be gray.
        factor = np.full(4, 255) if image is not None else material.main_color
    color = np.asarray(factor, dtype=np.float64) / 255.0
    # glTF's default is OPAQUE, but trimesh drops the mode: only an explicit OPAQUE counts.
    opaque = getattr(material, "alphaMode", None) == "OPAQUE"
    if opaque:
        color[3] = 1.0
    if image is None or visual.uv is None or len(visual.uv) == 0:
        return color, None, -1
    uv = np.nan_to_num(np.asarray(visual.uv, dtype=np.float64)[:, :2])
    return color, uv, textures.add(image, opaque=opaque)


def _read_image(image: Image.Image, *, opaque: bool) -> NDArray[np.uint8]:
    """Return an (h, w, 4) image, shrunk by whole factors to what a preview can show."""
    factor = max(1, -(-max(image.size) // TEXTURE_PIXELS))
    pixels = np.array(image.convert("RGBA").reduce(factor))
    if opaque:
        pixels[..., 3] = 255
    return pixels


def _unit(vectors: Array) -> Array:
    """Return vectors scaled to length one along the last axis; zero stays zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(length > 0, length, 1.0))
