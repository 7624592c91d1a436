# SPDX-License-Identifier: Apache-2.0
"""One object in an OpenGL context: uploaded once, drawn in many states."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.render.camera import Camera
from aa_dataset.render.egl import Context, Program
from aa_dataset.render.prepared import ALWAYS, AT_REST, Prepared
from aa_dataset.render.surface import Surface

Array = NDArray[np.float64]

COLUMNS = (3, 3, 4, 2)  # floats of a corner: position, normal, color, texture coordinates
WIDTH = sum(COLUMNS)
PLAIN = np.zeros(4)  # paint that changes nothing


@dataclass(frozen=True, slots=True)
class _Run:
    """Triangles that follow each other and share a part, a texture and the way they are hidden."""

    first: int
    count: int
    part: int
    texture: int
    hidden: int


class GlScene:
    """The triangles and textures of an object in the memory of a context.

    Opaque faces stay there and are moved by matrices. Transparent ones are drawn from back to
    front, an order that every state changes, so they are sent again.
    """

    def __init__(self, context: Context, prepared: Prepared):
        from OpenGL import GL

        self._context, self._prepared = context, prepared
        solid = np.flatnonzero(~prepared.clear)
        surface = prepared.surface
        keys = (surface.part[solid], surface.texture[solid], prepared.hidden[solid])
        order = solid[np.lexsort(keys)]
        glass = np.flatnonzero(prepared.clear)
        glass = glass[np.lexsort((surface.part[glass], prepared.hidden[glass]))]
        order = np.concatenate([order, glass])
        self._runs = _runs(prepared, order)
        self._solid = len(solid)
        self._glass = glass
        self._arrays = [int(one) for one in GL.glGenVertexArrays(2)]
        self._buffers = [int(one) for one in GL.glGenBuffers(2)]
        for array, buffer in zip(self._arrays, self._buffers, strict=True):
            _describe(array, buffer)
        rows = _rows(surface, order)
        self._send(0, rows, GL.GL_STATIC_DRAW)
        self._images = [_upload(image) for image in surface.textures]

    def draw(
        self, poses: Array, camera: Camera, darkness: NDArray[np.float32], *,
        pixels: int, paints: Array | None = None,
    ) -> NDArray[np.uint8]:  # fmt: skip
        """Return a picture (pixels, pixels, 3).

        Parameters
        ----------
        poses : (p, 4, 4) float [m]
            Of every part, from rest.
        camera : Camera
        darkness : (k, k) float
            Of the ground, enlarged to the picture.
        pixels : int
        paints : (p, 4) float, optional
            Colors and opacity 1 in place of what the parts look like.
        """
        from OpenGL import GL

        target = self._context.target(pixels)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, target.many)
        GL.glViewport(0, 0, pixels, pixels)
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_MULTISAMPLE)
        self._draw_ground(darkness)
        view = _projection(camera) @ np.linalg.inv(camera.pose)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glDepthFunc(GL.GL_LESS)
        self._draw_runs(poses, view, paints)
        if paints is None and len(self._glass):
            self._draw_glass(poses, camera, view)
        GL.glDisable(GL.GL_CULL_FACE)
        GL.glBindVertexArray(0)
        return target.read()

    def delete(self) -> None:
        """Free what the object has in the context."""
        from OpenGL import GL

        if self._images:
            GL.glDeleteTextures(np.array(self._images, dtype=np.uint32))
        GL.glDeleteBuffers(2, self._buffers)
        GL.glDeleteVertexArrays(2, self._arrays)

    def _draw_ground(self, darkness: NDArray[np.float32]) -> None:
        from OpenGL import GL

        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_CULL_FACE)
        GL.glDisable(GL.GL_BLEND)
        GL.glUseProgram(self._context.ground.number)
        texture = int(GL.glGenTextures(1))
        GL.glBindTexture(GL.GL_TEXTURE_2D, texture)
        for name, value in (
            (GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
        ):
            GL.glTexParameteri(GL.GL_TEXTURE_2D, name, value)
        size = (len(darkness), len(darkness), 0)
        data = np.ascontiguousarray(darkness, dtype=np.float32)
        GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 4)
        GL.glTexImage2D(
            GL.GL_TEXTURE_2D, 0, GL.GL_R32F, *size, GL.GL_RED, GL.GL_FLOAT, data
        )  # fmt: skip
        GL.glBindVertexArray(self._context.empty)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        GL.glDeleteTextures([texture])

    def _draw_runs(self, poses: Array, view: Array, paints: Array | None) -> None:
        """Draw the opaque faces; with paints, all of them."""
        from OpenGL import GL

        GL.glBindVertexArray(self._arrays[0])
        at_rest = bool((poses == poses[0]).all())
        brush = _Brush(self._context, self._images)
        for run in self._runs:
            if paints is None and run.first >= 3 * self._solid:
                break
            brush.take(-1 if paints is not None else run.texture)
            brush.move(view, poses[run.part])
            brush.paint(PLAIN if paints is None else paints[run.part])
            is_hidden = run.hidden == ALWAYS or (run.hidden == AT_REST and at_rest)
            (GL.glEnable if is_hidden else GL.glDisable)(GL.GL_CULL_FACE)
            GL.glDrawArrays(GL.GL_TRIANGLES, run.first, run.count)

    def _draw_glass(self, poses: Array, camera: Camera, view: Array) -> None:
        """Send the transparent faces, the farthest first; none of them hides another."""
        from OpenGL import GL

        placed = self._seen_glass(poses, camera.pose[:3, 3])
        depth = placed.corners.mean(axis=1) @ camera.pose[:3, 2]
        order = np.lexsort((depth, placed.texture))
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
        GL.glDepthMask(GL.GL_FALSE)
        GL.glDisable(GL.GL_CULL_FACE)
        self._send(1, _rows(placed, order), GL.GL_STREAM_DRAW)
        GL.glBindVertexArray(self._arrays[1])
        brush = _Brush(self._context, self._images)
        for first, count, texture in _spans(placed.texture[order]):
            brush.take(texture)
            brush.move(view, np.eye(4))
            brush.paint(PLAIN)
            GL.glDrawArrays(GL.GL_TRIANGLES, 3 * first, 3 * count)
        GL.glDepthMask(GL.GL_TRUE)
        GL.glDisable(GL.GL_BLEND)

    def _seen_glass(self, poses: Array, eye: Array) -> Surface:
        """Return the transparent faces at their places, without those hidden from behind."""
        placed = _placed(self._prepared.surface.select(self._glass), poses)
        corners = placed.corners
        area = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        behind = (area * (eye - corners[:, 0])).sum(axis=1) <= 0
        culled = self._prepared.is_culled(poses)[self._glass]
        return placed.select(~(behind & culled))

    def _send(self, number: int, rows: NDArray[np.float32], use: Any) -> None:
        from OpenGL import GL

        GL.glBindBuffer(GL.GL_ARRAY_BUFFER, self._buffers[number])
        GL.glBufferData(GL.GL_ARRAY_BUFFER, rows.nbytes, rows, use)


class _Brush:
    """Tells the programs what changes from run to run, and only that."""

    def __init__(self, context: Context, images: list[int]):
        self._context, self._images = context, images
        self._program: Program | None = None
        self._texture, self._pose, self._color = -1, b"", b""

    def take(self, texture: int) -> None:
        """Use the program for a texture, or for none where it is negative."""
        from OpenGL import GL

        program = self._context.plain if texture < 0 else self._context.textured
        if program is not self._program:
            GL.glUseProgram(program.number)
            self._program, self._pose, self._color = program, b"", b""
        if texture >= 0 and texture != self._texture:
            GL.glBindTexture(GL.GL_TEXTURE_2D, self._images[texture])
            self._texture = texture

    def move(self, view: Array, pose: Array) -> None:
        """Place what is drawn next."""
        from OpenGL import GL

        if (key := pose.tobytes()) == self._pose:
            return
        self._pose = key
        for name, matrix, send in (
            ("clip", view @ pose, GL.glUniformMatrix4fv),
            ("turn", pose[:3, :3], GL.glUniformMatrix3fv),
        ):
            send(self._place(name), 1, GL.GL_TRUE, np.ascontiguousarray(matrix, np.float32))

    def paint(self, color: Array) -> None:
        """Set the color and opacity that replace those of the surface; opacity 0 changes none."""
        from OpenGL import GL

        if (key := color.tobytes()) != self._color:
            GL.glUniform4f(self._place("paint"), *map(float, color))
            self._color = key

    def _place(self, name: str) -> int:
        assert self._program is not None
        return self._program.place(name)


def _describe(array: int, buffer: int) -> None:
    """Tell a vertex array where the columns of a buffer are."""
    from OpenGL import GL

    GL.glBindVertexArray(array)
    GL.glBindBuffer(GL.GL_ARRAY_BUFFER, buffer)
    start = 0
    for place, width in enumerate(COLUMNS):
        GL.glEnableVertexAttribArray(place)
        pointer = ctypes.c_void_p(4 * start)
        GL.glVertexAttribPointer(place, width, GL.GL_FLOAT, GL.GL_FALSE, 4 * WIDTH, pointer)
        start += width


def _rows(surface: Surface, order: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the corners (f, 3, WIDTH) of faces in an order."""
    rows = np.empty((len(order), 3, WIDTH), np.float32)
    start = 0
    columns = (surface.corners, surface.normals, surface.colors, surface.uv)
    for column, width in zip(columns, COLUMNS, strict=True):
        rows[..., start : start + width] = column[order]
        start += width
    return rows


def _runs(prepared: Prepared, order: NDArray[np.int64]) -> list[_Run]:
    surface = prepared.surface
    columns = (surface.part, surface.texture, prepared.hidden, prepared.clear)
    keys = np.stack([column[order].astype(np.int64) for column in columns], axis=1)
    starts = np.flatnonzero(np.any(keys[1:] != keys[:-1], axis=1)) + 1
    bounds = [0, *starts.tolist(), len(order)]
    return [
        _Run(3 * low, 3 * (high - low), *keys[low, :3].tolist())
        for low, high in itertools.pairwise(bounds)
    ]


def _spans(values: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Yield first, count and value of the runs of equal values."""
    bounds = [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)]
    for low, high in itertools.pairwise(bounds):
        if high > low:
            yield low, high - low, int(values[low])


def _placed(surface: Surface, poses: Array) -> Surface:
    """Return a surface with its parts at rigid poses."""
    turn, shift = poses[surface.part, :3, :3], poses[surface.part, :3, 3]
    corners = surface.corners @ turn.transpose(0, 2, 1) + shift[:, None]
    return replace(surface, corners=corners, normals=surface.normals @ turn.transpose(0, 2, 1))


def _projection(camera: Camera) -> Array:
    """Return the matrix (4, 4) from the camera's frame to OpenGL's clip space."""
    scale = 1 / np.tan(camera.yfov_rad / 2)
    near, far = camera.near, camera.far
    matrix = np.diag([scale, scale, (far + near) / (near - far), 0.0])
    matrix[2, 3], matrix[3, 2] = 2 * far * near / (near - far), -1.0
    return matrix


def _upload(image: NDArray[np.uint8]) -> int:
    """Return the number of a texture that repeats, with smaller copies for small pictures."""
    from OpenGL import GL

    texture = int(GL.glGenTextures(1))
    GL.glBindTexture(GL.GL_TEXTURE_2D, texture)
    data = np.ascontiguousarray(image[::-1])  # OpenGL's first row is the lowest
    size = (image.shape[1], image.shape[0], 0)
    GL.glPixelStorei(GL.GL_UNPACK_ALIGNMENT, 4)
    GL.glTexImage2D(
        GL.GL_TEXTURE_2D, 0, GL.GL_RGBA8, *size, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, data
    )  # fmt: skip
    GL.glGenerateMipmap(GL.GL_TEXTURE_2D)
    filters = (GL.GL_LINEAR_MIPMAP_LINEAR, GL.GL_LINEAR)
    names = (GL.GL_TEXTURE_MIN_FILTER, GL.GL_TEXTURE_MAG_FILTER)
    for name, value in zip(names, filters, strict=True):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, name, value)
    for name in (GL.GL_TEXTURE_WRAP_S, GL.GL_TEXTURE_WRAP_T):
        GL.glTexParameteri(GL.GL_TEXTURE_2D, name, GL.GL_REPEAT)
    return texture
