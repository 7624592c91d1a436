# SPDX-License-Identifier: Apache-2.0
"""Pictures by OpenGL: pyrender on EGL, which is imported when it is first used."""

from __future__ import annotations

import functools
import gc
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.render import look
from aa_dataset.render.camera import Camera
from aa_dataset.render.errors import BackendUnavailableError
from aa_dataset.render.surface import Surface

OBJECTS_PER_CONTEXT = 50  # bounds the memory that a driver may keep


class _Context:
    """An OpenGL context for pictures of one size; it draws several objects.

    A new one compiles its shaders, which takes longer than to draw an object.
    """

    def __init__(self, pixels: int) -> None:
        try:
            self._pyrender = _import_pyrender()
            self._renderer = self._pyrender.OffscreenRenderer(pixels, pixels)
        except Exception as error:  # a missing library or driver raises various errors
            raise BackendUnavailableError("egl") from error
        self._renderer._renderer._program_cache = _shader_cache()
        self._renderer._renderer._read_main_framebuffer = self._read_color
        self.pixels, self.objects = pixels, 0

    def paint(
        self, surface: Surface, camera: Camera, images: dict[int, Any]
    ) -> NDArray[np.float32]:
        """Draw a surface; `images` are the textures of the object so far."""
        scene = _egl_scene(surface, camera, images)
        color, _ = self._renderer.render(scene, self._pyrender.RenderFlags.RGBA)
        return np.asarray(color, dtype=np.float32) / np.float32(255)

    def _read_color(self, _scene: Any, _flags: int) -> tuple[NDArray[np.uint8], None]:
        """Read the picture; pyrender would also read the depth and turn it into meters."""
        from OpenGL import GL

        renderer, size = self._renderer._renderer, self.pixels
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, renderer._main_fb_ms)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, renderer._main_fb)
        whole = (0, 0, size, size)
        GL.glBlitFramebuffer(*whole, *whole, GL.GL_COLOR_BUFFER_BIT, GL.GL_LINEAR)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, renderer._main_fb)
        read = GL.glReadPixels(*whole, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)
        picture = np.frombuffer(read, dtype=np.uint8).reshape(size, size, 4)
        return np.flip(picture, axis=0), None

    def forget(self) -> None:
        """Free what the last object left in the context."""
        self._renderer._platform.make_current()
        self._renderer._renderer._update_context(self._pyrender.Scene(), 0)
        gc.collect()  # pyrender's scenes are cycles with all triangles
        self.objects += 1

    def close(self) -> None:
        """Free the context."""
        self._renderer.delete()


_contexts: dict[int, _Context] = {}  # by thread, which alone may use one


def close_context() -> None:
    """Close the context that this thread has kept, if any."""
    context = _contexts.pop(threading.get_ident(), None)
    if context is not None:
        context.close()


@contextmanager
def open_egl(pixels: int) -> Iterator[Callable[[Surface, Camera], NDArray[np.float32]]]:
    """Take the OpenGL context of the last object, or a new one."""
    place = threading.get_ident()
    kept = _contexts.get(place)
    if kept and (kept.pixels != pixels or kept.objects >= OBJECTS_PER_CONTEXT):
        close_context()
    context = _contexts.pop(place, None) or _Context(pixels)
    try:
        yield functools.partial(context.paint, images={})
        context.forget()
    except BaseException:
        context.close()
        raise
    _contexts[place] = context


@cache
def _import_pyrender() -> Any:
    """Import pyrender for EGL, which must be chosen before OpenGL is first imported."""
    if os.environ.setdefault("PYOPENGL_PLATFORM", "egl") != "egl":
        raise BackendUnavailableError("egl")
    if not hasattr(np, "infty"):
        np.infty = np.inf  # type: ignore[attr-defined]  # numpy 2 dropped it, pyrender uses it
    import pyrender

    # The garbage collector runs for every object. Freezing the modules before saves a third of a
    # small object's time.
    gc.freeze()
    return pyrender


def _shader_cache() -> Any:
    """Return a pyrender shader cache that serves the library's shaders for every material."""
    from pyrender.shader_program import ShaderProgram

    class Program(ShaderProgram):  # type: ignore[misc]
        def _load(self, name: str) -> str:
            text = look.VERTEX_SHADER if name == "mesh.vert" else look.FRAGMENT_SHADER
            defines = "".join(f"#define {key} {value}\n" for key, value in self.defines.items())
            return f"#version 330 core\n{defines}{text}"

    class Cache:
        def __init__(self) -> None:
            self.programs: dict[tuple[tuple[str, int], ...], Program] = {}

        def get_program(self, *, defines: dict[str, int], **_names: str) -> Program:
            key = tuple(sorted(defines.items()))
            if key not in self.programs:
                self.programs[key] = Program("mesh.vert", "mesh.frag", defines=defines)
            return self.programs[key]

        def clear(self) -> None:
            for program in self.programs.values():
                program.delete()

    return Cache()


def _egl_scene(surface: Surface, camera: Camera, images: dict[int, Any]) -> Any:
    """Return a pyrender scene with one mesh, whose primitives are drawn in their order.

    `images` has the textures by the identity of their pictures; one that is also in the scene
    before is not loaded again.
    """
    pyrender = _import_pyrender()
    clear = surface.is_transparent()
    solid, glass = surface.select(~clear), surface.select(clear)
    depth = glass.corners.mean(axis=1) @ camera.pose[:3, 2]
    glass = glass.select(np.argsort(depth, kind="stable"))  # the farthest first
    primitives = _primitives(solid, images, blend=False) + _primitives(glass, images, blend=True)
    scene = pyrender.Scene(bg_color=[*look.BACKGROUND, 0.0])
    scene.add(pyrender.Mesh(primitives))
    lens = pyrender.PerspectiveCamera(camera.yfov_rad, znear=camera.near, zfar=camera.far)
    scene.add(lens, pose=camera.pose)
    return scene


def _primitives(surface: Surface, images: dict[int, Any], *, blend: bool) -> list[Any]:
    """Return one pyrender primitive per texture; corner colors carry the materials."""
    pyrender = _import_pyrender()
    make = _glass_primitive() if blend else pyrender.Primitive
    primitives = []
    for index in np.unique(surface.texture):
        rows = surface.select(surface.texture == index)
        material = pyrender.MetallicRoughnessMaterial(
            baseColorTexture=None if index < 0 else _image(surface.textures[index], images),
            alphaMode="BLEND" if blend else "OPAQUE",
            doubleSided=True,
        )
        primitives.append(
            make(
                positions=rows.corners.reshape(-1, 3),
                normals=rows.normals.reshape(-1, 3),
                texcoord_0=None if index < 0 else rows.uv.reshape(-1, 2),
                color_0=rows.colors.reshape(-1, 4),
                material=material,
            )
        )
    return primitives


def _image(picture: NDArray[np.uint8], images: dict[int, Any]) -> Any:
    """Return pyrender's texture of a picture, made once."""
    if id(picture) not in images:
        images[id(picture)] = _import_pyrender().Texture(source=picture, source_channels="RGBA")
    return images[id(picture)]


@cache
def _glass_primitive() -> Any:
    """Return pyrender's primitive without depth writing, so that no glass hides other glass."""
    from OpenGL.GL import GL_FALSE, GL_TRUE, glDepthMask

    class Glass(_import_pyrender().Primitive):  # type: ignore[misc]
        def _bind(self) -> None:
            super()._bind()
            glDepthMask(GL_FALSE)

        def _unbind(self) -> None:
            glDepthMask(GL_TRUE)
            super()._unbind()

    return Glass
