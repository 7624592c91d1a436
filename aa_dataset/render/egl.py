# SPDX-License-Identifier: Apache-2.0
"""An OpenGL context on EGL, without a display: programs, framebuffers, pictures of any size.

pyrender opens the context and is imported when it is first used; its renderer is not.
"""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.render import shaders
from aa_dataset.render.errors import BackendUnavailableError

OBJECTS_PER_CONTEXT = 200  # bounds the memory that a driver may keep
SAMPLES = 4  # per pixel; OpenGL 3 guarantees that they exist
MOST_TARGETS = 4  # sizes of pictures for which a context keeps framebuffers


class Program:
    """A compiled program and its uniforms."""

    def __init__(self, vertex: str, fragment: str):
        from OpenGL import GL
        from OpenGL.GL import shaders as compiler

        kinds = ((vertex, GL.GL_VERTEX_SHADER), (fragment, GL.GL_FRAGMENT_SHADER))
        self.number = GL.glCreateProgram()
        for text, kind in kinds:
            one = compiler.compileShader(text, kind)
            GL.glAttachShader(self.number, one)
            GL.glDeleteShader(one)
        GL.glLinkProgram(self.number)
        if not GL.glGetProgramiv(self.number, GL.GL_LINK_STATUS):
            raise RuntimeError(GL.glGetProgramInfoLog(self.number))
        self._places: dict[str, int] = {}

    def place(self, name: str) -> int:
        """Return the location of a uniform."""
        from OpenGL import GL

        if name not in self._places:
            self._places[name] = GL.glGetUniformLocation(self.number, name)
        return self._places[name]


class _Target:
    """Framebuffers for one size: one with samples, and one that they are averaged into."""

    def __init__(self, pixels: int):
        from OpenGL import GL

        self.pixels = pixels
        self.many, self.plain = (int(one) for one in GL.glGenFramebuffers(2))
        self._buffers = [int(one) for one in GL.glGenRenderbuffers(3)]
        formats = (GL.GL_RGBA8, GL.GL_DEPTH_COMPONENT24, GL.GL_RGBA8)
        ends = (GL.GL_COLOR_ATTACHMENT0, GL.GL_DEPTH_ATTACHMENT, GL.GL_COLOR_ATTACHMENT0)
        frames = (self.many, self.many, self.plain)
        for buffer, kind, end, frame in zip(self._buffers, formats, ends, frames, strict=True):
            GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, buffer)
            if frame == self.many:
                storage = (GL.GL_RENDERBUFFER, SAMPLES, kind, pixels, pixels)
                GL.glRenderbufferStorageMultisample(*storage)
            else:
                GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, kind, pixels, pixels)
            GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, frame)
            GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, end, GL.GL_RENDERBUFFER, buffer)

    def read(self) -> NDArray[np.uint8]:
        """Return the picture (n, n, 3)."""
        from OpenGL import GL

        size = self.pixels
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.many)
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, self.plain)
        whole = (0, 0, size, size)
        GL.glBlitFramebuffer(*whole, *whole, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.plain)
        data = GL.glReadPixels(*whole, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE)
        rows = np.frombuffer(data, dtype=np.uint8).reshape(size, size, 4)
        return np.ascontiguousarray(rows[::-1, :, :3])

    def delete(self) -> None:
        """Free the framebuffers."""
        from OpenGL import GL

        GL.glDeleteFramebuffers(2, [self.many, self.plain])
        GL.glDeleteRenderbuffers(3, self._buffers)


class Context:
    """An OpenGL context; it draws several objects.

    A new one compiles its shaders, which takes longer than to draw an object.
    """

    def __init__(self) -> None:
        try:
            self._platform = _open_platform()
            from OpenGL import GL

            # A program that may read a texture takes longer even where it reads none.
            self.plain = Program(shaders.MESH_VERTEX, shaders.PLAIN_FRAGMENT)
            self.textured = Program(shaders.MESH_VERTEX, shaders.TEXTURED_FRAGMENT)
            self.ground = Program(shaders.GROUND_VERTEX, shaders.GROUND_FRAGMENT)
            self.empty = int(GL.glGenVertexArrays(1))
        except Exception as error:  # a missing library or driver raises various errors
            raise BackendUnavailableError("egl") from error
        self._targets: dict[int, _Target] = {}
        self.objects = 0

    def target(self, pixels: int) -> _Target:
        """Return framebuffers of one size, made when they are first needed."""
        if pixels not in self._targets:
            if len(self._targets) == MOST_TARGETS:
                self._targets.pop(next(iter(self._targets))).delete()
            self._targets[pixels] = _Target(pixels)
        return self._targets[pixels]

    def make_current(self) -> bool:
        """Let the thread's next commands go to this context; return whether it still exists.

        Another user of EGL in this process may have ended the display that both share.
        """
        try:
            self._platform.make_current()
        except Exception:  # OpenGL's own error, or an assertion of pyrender
            return False
        return True

    def close(self) -> None:
        """Free the context and everything in it, if it still exists."""
        with suppress(Exception):
            self._platform.delete_context()


_contexts: dict[int, Context] = {}  # by thread, which alone may use one


def close_context() -> None:
    """Close the context that this thread has kept, if any."""
    context = _contexts.pop(threading.get_ident(), None)
    if context is not None:
        context.close()


@contextmanager
def open_context() -> Iterator[Context]:
    """Take the OpenGL context of the last object, or a new one; an error closes it."""
    context = _take_context()
    try:
        yield context
        context.objects += 1
    except BaseException:
        context.close()
        raise
    _contexts[threading.get_ident()] = context


def prepare_context() -> None:
    """Open the context of this thread's next object now, if it needs a new one.

    Raises
    ------
    BackendUnavailableError
        Also if a limit on the memory of this process leaves no room for it.
    """
    _contexts[threading.get_ident()] = _take_context()


def _take_context() -> Context:
    kept = _contexts.pop(threading.get_ident(), None)
    if kept is not None and (kept.objects >= OBJECTS_PER_CONTEXT or not kept.make_current()):
        kept.close()
        kept = None
    return kept or Context()


@cache
def _import_platform() -> Any:
    """Import pyrender for EGL, which must be chosen before OpenGL is first imported."""
    if os.environ.setdefault("PYOPENGL_PLATFORM", "egl") != "egl":
        raise BackendUnavailableError("egl")
    if not hasattr(np, "infty"):
        np.infty = np.inf  # type: ignore[attr-defined]  # numpy 2 dropped it, pyrender uses it
    from pyrender.platforms.egl import EGLPlatform

    gc.freeze()  # the modules stay for ever
    return EGLPlatform


def _open_platform() -> Any:
    platform = _import_platform()(8, 8)
    platform.init_context()
    return platform
