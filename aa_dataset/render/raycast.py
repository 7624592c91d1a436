# SPDX-License-Identifier: Apache-2.0
"""One object for ray casting: read once, drawn in many states, shaded with numpy.

A pixel is seen by one ray through its center; where the picture changes to a neighbor, by four.
No ray is cast where a new state shows what the last one did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.render import look, windows
from aa_dataset.render.camera import Camera
from aa_dataset.render.prepared import Prepared
from aa_dataset.render.ray_state import Faces, Hits, Key, Meeting, State, meet, met_by, tell

Array = NDArray[np.float32]
Indices = NDArray[np.int64]
Builder = Callable[[Array], Hits]
Mask = NDArray[np.bool_]

CHUNK = 1 << 15  # rays at a time: working arrays stay in the processor's cache
STEP = 2e-5  # how far behind a transparent face the ray continues, in camera distances
MAX_LAYERS = 6  # transparent faces that one ray passes
CORNERS = ((-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25))  # of a pixel's four rays
SMOOTH = 1e-5  # difference of the normals of a face up to which it is flat
CREASE = 0.97  # cosine between normals of neighbor pixels from which on an edge is sampled finely
JUMP = 0.004  # step of depth between neighbor pixels, in camera distances


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """A picture (n, n, 4) without paints, and what it shows."""

    state: State
    poses: NDArray[np.float64]
    camera: Camera
    picture: Array


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
        bent = np.abs(surface.normals - surface.normals[:, :1]).max(axis=(1, 2))
        self._is_flat = bent < SMOOTH
        self._is_even = bool((self._colors == self._colors[:, :1]).all())  # every face
        self._has_glass = bool(prepared.clear.any())
        self._state: State | None = None
        self._last: _Drawn | None = None

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
        state = self._state_of(poses, camera, pixels, is_painted=paints is not None)
        if paints is not None:
            return self._whole(self._painted(state, paints), camera, pixels)
        last = self._last
        if last is None or last.camera is not camera or len(last.picture) != pixels:
            picture = self._whole(state, camera, pixels)
        else:
            picture = self._changed(last, state, poses, camera)
        picture.setflags(write=False)
        self._last = _Drawn(state, poses.copy(), camera, picture)
        return picture

    def _whole(self, state: State, camera: Camera, pixels: int) -> Array:
        picture = np.zeros((pixels, pixels, 4), dtype=np.float32)
        picture[..., :3] = look.BACKGROUND
        self._cast(state, picture, camera, _window(state.spots, pixels), None)
        return picture

    def _changed(
        self, last: _Drawn, state: State, poses: NDArray[np.float64], camera: Camera
    ) -> Array:
        """Return the last picture with rays cast again where faces moved, came or went."""
        pixels, picture = len(last.picture), last.picture.copy()
        moved = (poses != last.poses).any(axis=(1, 2))[self._prepared.surface.part]
        moved |= state.seen != last.state.seen
        spots = [one.spots[moved & one.seen] for one in (last.state, state)]
        region = windows.touched(np.concatenate(spots), pixels)
        if region.any():
            self._cast(state, picture, camera, _bounds(region), region)
        return picture

    def _cast(
        self, state: State, picture: Array, camera: Camera,
        window: tuple[slice, slice], region: Mask | None,
    ) -> None:  # fmt: skip
        """Cast rays through a window of the picture, or its pixels in a region, in place."""
        pixels = len(picture)
        rays, shown = _rays(camera.yfov_rad, pixels)[window], picture[window]
        shape, name = shown.shape[:2], "whole" if region is None else "changed"
        traced = None if region is None else region[window]
        rows = slice(None) if traced is None else np.flatnonzero(traced)
        flat = np.ascontiguousarray(rays.reshape(-1, 3)[rows])
        color, face, normal, depth = self._trace(state, flat, name)
        part = np.where(face < 0, -1, self._prepared.surface.part[face])
        maps = part, normal, np.where(face < 0, np.float32(0), depth)
        edge = _edges(*(_spread(one, rows, shape) for one in maps))
        if traced is not None:
            kept = windows.inner(traced)
            edge &= kept
        number = np.flatnonzero(edge.ravel()[rows])
        width = 2 * float(np.tan(camera.yfov_rad / 2)) / pixels
        color[number] = self._sampled(state, flat[number], name, width)
        if traced is None:
            shown[...] = color.reshape(shown.shape)
        else:
            shown[kept] = color[kept.ravel()[rows]]

    def _state_of(
        self, poses: NDArray[np.float64], camera: Camera, pixels: int, *, is_painted: bool
    ) -> State:
        key = (poses.tobytes(), id(camera), pixels, is_painted and self._has_glass)
        if self._state is None or self._state.key != key:
            self._state = self._new_state(key, poses, camera)
        return self._state

    def _new_state(self, key: Key, poses: NDArray[np.float64], camera: Camera) -> State:
        # In units of the camera's distance: single precision is enough there.
        rotation, eye = camera.pose[:3, :3], camera.pose[:3, 3]
        standing = (self._prepared.placed(poses) - eye) * (2 / (camera.near + camera.far))
        corners = standing @ rotation
        surface, pixels = self._prepared.surface, key[2]
        half = float(np.tan(camera.yfov_rad / 2))
        second, third = np.roll(corners, -1, axis=1), np.roll(corners, -2, axis=1)
        planes = np.cross(second, third)
        volume = (planes[:, 0] * corners[:, 0]).sum(axis=1)
        seen = ~((volume >= 0) & self._prepared.is_culled(poses))
        clear = self._prepared.clear & (not key[3])
        solid, glass = (
            self._faces(standing, np.flatnonzero(seen & kind), rotation) for kind in (~clear, clear)
        )
        normals = self._normals
        if (poses != np.eye(4)).any():
            turn = poses[surface.part, :3, :3].astype(np.float32)
            normals = normals @ turn.transpose(0, 2, 1)
        ahead = planes.sum(axis=1) / np.where(np.abs(volume) > 1e-30, volume, 1e-30)[:, None]
        spots = windows.project(corners, half, pixels)
        pane = None if glass is None else windows.touched(spots[glass.rows], pixels)
        facing = normals[:, 0] * np.where(volume < 0, 1, -1)[:, None].astype(np.float32)
        state = State(
            key, solid, glass, seen, spots,
            ahead.astype(np.float32), planes.astype(np.float32),
            -corners[..., 2].astype(np.float32), normals, self._colors, surface.texture,
            np.zeros(len(volume), bool), facing, np.zeros((0, 4), np.float32), half, pane,
        )  # fmt: skip
        return self._tinted(state)

    def _tinted(self, state: State) -> State:
        diffuse, specular = look.light(state.facing)
        tint = state.colors[:, 0] * 1  # a copy
        tint[:, :3] = tint[:, :3] * diffuse[:, None] + specular[:, None]
        plain = self._is_flat & (state.texture < 0) & self._is_even
        return replace(state, plain=plain, tint=np.minimum(tint, 1))

    def _painted(self, state: State, paints: NDArray[np.float64] | None) -> State:
        """Return the state with one color per part; what its rays have met stays known."""
        if paints is None:
            return state
        part = self._prepared.surface.part
        colors = np.repeat(paints[part, None].astype(np.float32), 3, axis=1)
        return self._tinted(replace(state, colors=colors, texture=np.full(len(part), -1)))

    def _faces(
        self, corners: NDArray[np.float64], rows: Indices, turn: NDArray[np.float64]
    ) -> Faces | None:
        if not len(rows):
            return None
        return Faces(self._build(corners[rows].astype(np.float32)), rows, turn.astype(np.float32))

    def _sampled(self, state: State, rays: Array, name: str, pixel: float) -> Array:
        """Return the mean color (n, 4) of four rays around each; `pixel` is a pixel's width."""
        shifts = np.zeros((len(CORNERS), 3), dtype=np.float32)
        shifts[:, :2] = CORNERS
        # The rays of a pixel follow each other: the processor has what they meet at hand.
        moved = (rays[:, None] + shifts * np.float32(pixel)).reshape(-1, 3)
        color = self._trace(state, moved, f"{name}, corners", is_bare=True)[0]
        return np.asarray(color.reshape(-1, len(CORNERS), 4).mean(axis=1))

    def _trace(
        self, state: State, rays: Array, name: str, *, is_bare: bool = False
    ) -> tuple[Array, Indices, Array, Array]:
        """Return (n, 4) color over the background and coverage of rays from the camera.

        Also the first face (n,), its normal (n, 3) and depth (n,). Rays of the same name meet the
        same opaque faces as before. `is_bare` may leave all but the color out.
        """
        color = np.empty((len(rays), 4), dtype=np.float32)
        color[:] = (*look.BACKGROUND, 0.0)
        depth = np.full(len(rays), np.inf, dtype=np.float32)
        normal = np.zeros((len(rays), 3), dtype=np.float32)
        face = np.full(len(rays), -1)
        for start in range(0, len(rays), CHUNK):
            some = slice(start, start + CHUNK)
            chunk = rays[some], color[some], face[some], normal[some], depth[some]
            self._trace_chunk(state, *chunk, f"{name} {start}", is_bare=is_bare)
        return color, face, normal, depth

    def _trace_chunk(
        self, state: State, rays: Array, color: Array, face: Indices, normal: Array,
        depth: Array, name: str, *, is_bare: bool,
    ) -> None:  # fmt: skip
        if state.solid is not None:
            if name not in state.known:
                first = state.solid.first(np.zeros_like(rays), rays)
                state.known[name] = met_by(state, first, rays)
            met = state.known[name]
            color[met.plain] = state.tint[met.face]
            color[met.other] = self._lit(state, met.meeting)
            color[met.plain, 3] = color[met.other, 3] = 1.0
            if not is_bare or state.glass is not None:
                tell(state, met, rays, (face, normal, depth))
        if state.glass is not None:
            # What lies on an opaque face is hidden by it; else single precision would decide.
            end = depth * np.float32(1 - STEP)
            self._pass_layers(state, rays, color, end, face, normal, depth)

    def _pass_layers(
        self, state: State, rays: Array, color: Array, end: Array,
        face: Indices, normal: Array, depth: Array,
    ) -> None:  # fmt: skip
        """Blend the transparent faces before depths `end`, nearest first, into `color`, in place.

        `face`, `normal` and `depth` get those of the nearest.
        """
        assert state.glass is not None
        through = np.ones(len(rays), dtype=np.float32)
        gathered = np.zeros((len(rays), 3), dtype=np.float32)
        live = state.through(rays)
        start = np.zeros(len(live), dtype=np.float32)
        if not len(live):
            return
        for number in range(MAX_LAYERS):
            found = state.glass.first(rays[live] * start[:, None], rays[live])
            live, found = live[found >= 0], found[found >= 0]
            meeting = meet(state, found, rays[live])
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

    def _lit(self, state: State, meeting: Meeting) -> Array:
        """Return (n, 4) lit color with opacity."""
        if self._is_even:
            color = state.colors[meeting.face, 0]
        else:
            color = np.einsum("ni,nij->nj", meeting.weights, state.colors[meeting.face])
        self._apply_textures(state, meeting.face, meeting.weights, color)
        color[:, :3] *= meeting.diffuse[:, None]
        color[:, :3] += meeting.specular[:, None]
        return np.asarray(np.minimum(color, 1, out=color))

    def _apply_textures(self, state: State, face: Indices, weights: Array, color: Array) -> None:
        """Multiply the colors of textured hits by their texels, in place."""
        texture = state.texture[face]
        for index in np.unique(texture[texture >= 0]):
            rows = np.flatnonzero(texture == index)
            uv = np.einsum("ni,nij->nj", weights[rows], self._uv[face[rows]])
            color[rows] *= look.sample_bilinear(self._images[index], uv[:, 0], uv[:, 1])


def _spread(values: NDArray[Any], rows: Indices | slice, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return values (n, ...) of some pixels of a window (h, w) as (h, w, ...), others zero."""
    whole = values
    if not isinstance(rows, slice):
        whole = np.zeros((shape[0] * shape[1], *values.shape[1:]), values.dtype)
        whole[rows] = values
    return whole.reshape(*shape, *values.shape[1:])


def _edges(part: Indices, normal: Array, depth: Array) -> Mask:
    """Return the pixels (h, w) that look different from a neighbor: they get more rays."""
    edge = np.zeros(part.shape, dtype=bool)
    for one, two in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        differs = (part[one] != part[two]) | (np.abs(depth[one] - depth[two]) > JUMP)
        bent = np.einsum("...i,...i->...", normal[one], normal[two]) < CREASE
        differs |= bent & (part[one] >= 0)
        edge[one] |= differs
        edge[two] |= differs
    return edge


@lru_cache(maxsize=4)
def _rays(yfov_rad: float, pixels: int) -> Array:
    """Return directions (n, n, 3) through the centers of pixels, camera frame, z = -1."""
    camera = Camera(np.eye(4), yfov_rad, near=1.0, far=2.0)
    rays = look.pixel_rays(camera, pixels).astype(np.float32)
    rays.setflags(write=False)
    return rays


def _window(spots: NDArray[np.float64], pixels: int) -> tuple[slice, slice]:
    """Return the rows and columns of the pixels that can see the object."""
    points = spots.reshape(-1, 2)
    low = np.clip(np.floor(points.min(axis=0)) - 1, 0, pixels - 1).astype(int)
    high = np.clip(np.ceil(points.max(axis=0)) + 2, low + 1, pixels).astype(int)
    return slice(low[1], high[1]), slice(low[0], high[0])


def _bounds(region: Mask) -> tuple[slice, slice]:
    """Return the rows and columns of a region (n, n)."""
    found = (np.flatnonzero(region.any(axis=axis)) for axis in (1, 0))
    rows, columns = (slice(int(some[0]), int(some[-1]) + 1) for some in found)
    return rows, columns
