# SPDX-License-Identifier: Apache-2.0
"""One object for ray casting: read once, drawn in many states, shaded with numpy.

A pixel is seen by one ray through its center; where the picture changes to a neighbor, by four.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from aa_dataset.render import look
from aa_dataset.render.camera import Camera
from aa_dataset.render.prepared import Prepared

Array = NDArray[np.float32]
Indices = NDArray[np.int64]
Hits = Callable[[Array, Array], Indices]
Builder = Callable[[Array], Hits]
_Key = tuple[bytes, int, int]

CHUNK = 1 << 15  # rays at a time: working arrays stay in the processor's cache
STEP = 2e-5  # how far behind a transparent face the ray continues, in camera distances
MAX_LAYERS = 6  # transparent faces that one ray passes
CORNERS = ((-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25))  # of a pixel's four rays
CREASE = 0.97  # cosine between normals of neighbor pixels from which on an edge is sampled finely
JUMP = 0.004  # step of depth between neighbor pixels, in camera distances


@dataclass(frozen=True, slots=True, eq=False)
class _Faces:
    """The faces of one kind in one state.

    Attributes
    ----------
    hits : function of (n, 3) origins and (n, 3) directions
        Returns the (n,) index of the first triangle hit, -1 for none.
    rows : (k,) int
        Faces of the object by that index.
    """

    hits: Hits
    rows: Indices

    def first(self, origins: Array, rays: Array) -> Indices:
        """Return the faces (n,) of the object that rays hit first, -1 for none."""
        found = self.hits(origins, rays)
        return np.where(found >= 0, self.rows[found], -1)


@dataclass(frozen=True, slots=True, eq=False)
class _Meeting:
    """Where rays meet faces.

    Attributes
    ----------
    face : (n,) int
    weights : (n, 3) float
        Of the face's corners.
    normal : (n, 3) float
        On the viewer's side, object frame.
    depth, diffuse, specular : (n,) float
        Along the view direction; light.
    """

    face: Indices
    weights: Array
    normal: Array
    depth: Array
    diffuse: NDArray[np.floating]
    specular: NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """An object in one state, in the camera's frame, lengths in its distance.

    Attributes
    ----------
    key : tuple
        Poses, camera and pixels.
    solid, glass : _Faces or None
    edge_planes : (f, 3, 3) float
        Cross products of corner pairs; times a ray they give barycentric weights.
    depths : (f, 3) float
        Distances of the corners along the view direction.
    normals, colors : (f, 3, k) float
        Normals in the object frame.
    texture : (f,) int
    known : mapping of str to (indices of rays, _Meeting)
        What rays of a name have met of the opaque faces.
    """

    key: _Key
    solid: _Faces | None
    glass: _Faces | None
    edge_planes: Array
    depths: Array
    normals: Array
    colors: Array
    texture: Indices
    known: dict[str, tuple[Indices, _Meeting]] = field(default_factory=dict)


class RayScene:
    """An object whose states are drawn by ray casting."""

    def __init__(self, prepared: Prepared, build: Builder):
        surface = prepared.surface
        self._prepared, self._build = prepared, build
        self._normals, self._colors, self._uv = (
            column.astype(np.float32) for column in (surface.normals, surface.colors, surface.uv)
        )
        self._images = [
            image[::-1].astype(np.float32) / np.float32(255) for image in surface.textures
        ]
        self._is_even = bool((self._colors == self._colors[:, :1]).all())  # every face
        self._has_glass = bool(prepared.clear.any())
        self._state: _State | None = None

    def draw(
        self,
        poses: NDArray[np.float64],
        camera: Camera,
        *,
        pixels: int,
        paints: NDArray[np.float64] | None = None,
    ) -> Array:
        """Return display color over the plain background, and coverage, (pixels, pixels, 4).

        Parameters
        ----------
        poses : (p, 4, 4) float [m]
            Of every part, from rest.
        camera : Camera
        pixels : int
            Width and height.
        paints : (p, 4) float, optional
            Colors and opacity 1 in place of what the parts look like.
        """
        # In units of the camera's distance: single precision is enough there.
        rotation, eye = camera.pose[:3, :3], camera.pose[:3, 3]
        scale = 2 / (camera.near + camera.far)
        corners = (self._prepared.placed(poses) - eye) @ rotation * scale
        key = (poses.tobytes(), id(camera), pixels)
        if self._state is None or self._state.key != key or self._has_glass:
            self._state = self._new_state(key, corners, poses, is_painted=paints is not None)
        state = self._painted(self._state, paints)
        picture = np.zeros((pixels, pixels, 4), dtype=np.float32)
        picture[..., :3] = look.BACKGROUND
        rows, columns = _window(corners, camera, pixels)
        rays = _rays(camera.yfov_rad, pixels)[rows, columns]
        picture[rows, columns] = self._trace_window(state, rays, pixel=_pixel(camera, pixels))
        return picture

    def _new_state(
        self, key: _Key, corners: NDArray[np.float64], poses: NDArray[np.float64], *,
        is_painted: bool,
    ) -> _State:  # fmt: skip
        surface = self._prepared.surface
        second, third = np.roll(corners, -1, axis=1), np.roll(corners, -2, axis=1)
        planes = np.cross(second, third)
        behind = (planes[:, 0] * corners[:, 0]).sum(axis=1) >= 0
        seen = ~(behind & self._prepared.is_culled(poses))
        clear = self._prepared.clear & (not is_painted)
        solid, glass = (
            self._faces(corners, np.flatnonzero(seen & kind)) for kind in (~clear, clear)
        )
        normals = self._normals
        if (poses != np.eye(4)).any():
            turn = poses[surface.part, :3, :3].astype(np.float32)
            normals = normals @ turn.transpose(0, 2, 1)
        depths = -corners[..., 2].astype(np.float32)
        edges = planes.astype(np.float32)
        return _State(key, solid, glass, edges, depths, normals, self._colors, surface.texture)

    def _painted(self, state: _State, paints: NDArray[np.float64] | None) -> _State:
        """Return the state with one color per part; what its rays have met stays known."""
        if paints is None:
            return state
        part = self._prepared.surface.part
        colors = np.repeat(paints[part, None].astype(np.float32), 3, axis=1)
        return replace(state, colors=colors, texture=np.full(len(part), -1))

    def _faces(self, corners: NDArray[np.float64], rows: Indices) -> _Faces | None:
        return _Faces(self._build(corners[rows].astype(np.float32)), rows) if len(rows) else None

    def _trace_window(self, state: _State, rays: Array, *, pixel: float) -> Array:
        """Return (h, w, 4) colors of the pixels whose centers rays (h, w, 3) pass."""
        flat = np.ascontiguousarray(rays.reshape(-1, 3))
        color, face, normal, depth = self._trace(state, flat, "centers")
        part = np.where(face < 0, -1, self._prepared.surface.part[face])
        edge = np.flatnonzero(_edges(part, normal, depth, rays.shape[:2]))
        total = np.zeros((len(edge), 4), dtype=np.float32)
        for number, (right, up) in enumerate(CORNERS):
            moved = flat[edge] + np.array([right * pixel, up * pixel, 0], dtype=np.float32)
            total += self._trace(state, moved, f"corner {number}")[0]
        color[edge] = total / len(CORNERS)
        return color.reshape(*rays.shape[:2], 4)

    def _trace(self, state: _State, rays: Array, name: str) -> tuple[Array, Indices, Array, Array]:
        """Return (n, 4) color over the background and coverage of rays from the camera.

        Also the first face (n,), its normal (n, 3) and depth (n,). Rays of the same name meet the
        same opaque faces as before.
        """
        starts = range(0, max(len(rays), 1), CHUNK)
        chunks = [(f"{name} {start}", rays[start : start + CHUNK]) for start in starts]
        traces = [self._trace_chunk(state, chunk, key) for key, chunk in chunks]
        color, face, normal, depth = zip(*traces, strict=True)
        return (
            np.concatenate(color), np.concatenate(face), np.concatenate(normal),
            np.concatenate(depth),
        )  # fmt: skip

    def _trace_chunk(
        self, state: _State, rays: Array, name: str
    ) -> tuple[Array, Indices, Array, Array]:
        color = np.empty((len(rays), 4), dtype=np.float32)
        color[:] = (*look.BACKGROUND, 0.0)
        depth = np.full(len(rays), np.inf, dtype=np.float32)
        normal = np.zeros((len(rays), 3), dtype=np.float32)
        face = np.full(len(rays), -1)
        if state.solid is not None:
            if name not in state.known:
                found = state.solid.first(np.zeros_like(rays), rays)
                hit = np.flatnonzero(found >= 0)
                state.known[name] = hit, _meet(state, found[hit], rays[hit])
            hit, meeting = state.known[name]
            face[hit], normal[hit], depth[hit] = meeting.face, meeting.normal, meeting.depth
            color[hit] = self._lit(state, meeting)
            color[hit, 3] = 1.0
        if state.glass is not None:
            behind = depth.copy()
            self._pass_layers(state, rays, color, behind, face, normal, depth)
        return color, face, normal, depth

    def _pass_layers(
        self, state: _State, rays: Array, color: Array, end: Array,
        face: Indices, normal: Array, depth: Array,
    ) -> None:  # fmt: skip
        """Blend the transparent faces before depths `end`, nearest first, into `color`, in place.

        `face`, `normal` and `depth` get those of the nearest.
        """
        assert state.glass is not None
        through = np.ones(len(rays), dtype=np.float32)
        gathered = np.zeros((len(rays), 3), dtype=np.float32)
        live, start = np.arange(len(rays)), np.zeros(len(rays), dtype=np.float32)
        for number in range(MAX_LAYERS):
            found = state.glass.first(rays[live] * start[:, None], rays[live])
            live, found = live[found >= 0], found[found >= 0]
            meeting = _meet(state, found, rays[live])
            ahead = meeting.depth < end[live]
            live, layer, found = live[ahead], self._lit(state, meeting)[ahead], found[ahead]
            distance = meeting.depth[ahead]
            start = distance + np.float32(STEP)
            if len(live) == 0:
                break
            if number == 0:
                face[live], normal[live], depth[live] = found, meeting.normal[ahead], distance
            gathered[live] += (through[live] * layer[:, 3])[:, None] * layer[:, :3]
            through[live] *= 1 - layer[:, 3]
        color[:, :3] = gathered + through[:, None] * color[:, :3]
        color[:, 3] = 1 - through * (1 - color[:, 3])

    def _lit(self, state: _State, meeting: _Meeting) -> Array:
        """Return (n, 4) lit color with opacity."""
        if self._is_even:
            color = state.colors[meeting.face, 0]
        else:
            color = np.einsum("ni,nij->nj", meeting.weights, state.colors[meeting.face])
        self._apply_textures(state, meeting.face, meeting.weights, color)
        color[:, :3] *= meeting.diffuse[:, None]
        color[:, :3] += meeting.specular[:, None]
        return np.asarray(np.minimum(color, 1, out=color))

    def _apply_textures(self, state: _State, face: Indices, weights: Array, color: Array) -> None:
        """Multiply the colors of textured hits by their texels, in place."""
        texture = state.texture[face]
        for index in np.unique(texture[texture >= 0]):
            rows = np.flatnonzero(texture == index)
            uv = np.einsum("ni,nij->nj", weights[rows], self._uv[face[rows]])
            color[rows] *= look.sample_bilinear(self._images[index], uv[:, 0], uv[:, 1])


def _meet(state: _State, face: Indices, rays: Array) -> _Meeting:
    weights = np.einsum("nij,nj->ni", state.edge_planes[face], rays)
    facing = weights[:, 0] + weights[:, 1] + weights[:, 2]
    weights /= np.where(np.abs(facing) > 1e-30, facing, 1e-30)[:, None]
    np.clip(weights, 0, 1, out=weights)
    normal = np.einsum("ni,nij->nj", weights, state.normals[face])
    # The same sum gives the side: a ray against the face's winding hits its front.
    length = np.sqrt(np.einsum("ni,ni->n", normal, normal)) * np.where(facing < 0, 1, -1)
    normal /= np.where(length == 0, 1, length)[:, None]
    depth = np.einsum("ni,ni->n", weights, state.depths[face])
    return _Meeting(face, weights, normal, depth, *look.light(normal))


def _edges(part: Indices, normal: Array, depth: Array, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the pixels (n,) that look different from a neighbor: they get more rays."""
    part, normal, depth = part.reshape(shape), normal.reshape(*shape, 3), depth.reshape(shape)
    depth = np.where(part < 0, np.float32(0), depth)
    edge = np.zeros(shape, dtype=bool)
    for one, two in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        differs = (part[one] != part[two]) | (np.abs(depth[one] - depth[two]) > JUMP)
        bent = np.einsum("...i,...i->...", normal[one], normal[two]) < CREASE
        differs |= bent & (part[one] >= 0)
        edge[one] |= differs
        edge[two] |= differs
    return edge.ravel()


def _pixel(camera: Camera, pixels: int) -> float:
    """Return the width of a pixel on the plane of rays."""
    return 2 * float(np.tan(camera.yfov_rad / 2)) / pixels


@lru_cache(maxsize=4)
def _rays(yfov_rad: float, pixels: int) -> Array:
    """Return directions (n, n, 3) through the centers of pixels, camera frame, z = -1."""
    camera = Camera(np.eye(4), yfov_rad, near=1.0, far=2.0)
    rays = look.pixel_rays(camera, pixels).astype(np.float32)
    rays.setflags(write=False)
    return rays


def _window(corners: NDArray[np.float64], camera: Camera, pixels: int) -> tuple[slice, slice]:
    """Return the rows and columns of the pixels that can see the object."""
    half = np.tan(camera.yfov_rad / 2)
    points = corners.reshape(-1, 3)
    plane = points[:, :2] / np.maximum(-points[:, 2:], 1e-6) * (1, -1)
    position = (plane / half + 1) / 2 * pixels
    low = np.clip(np.floor(position.min(axis=0)) - 1, 0, pixels - 1).astype(int)
    high = np.clip(np.ceil(position.max(axis=0)) + 1, low + 1, pixels).astype(int)
    return slice(low[1], high[1]), slice(low[0], high[0])
