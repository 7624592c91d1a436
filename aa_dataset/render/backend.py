# SPDX-License-Identifier: Apache-2.0
"""Pictures of placed meshes, by OpenGL (pyrender on EGL) or by ray casting (embreex).

The libraries are imported when they are first used. The backends share geometry
(`surface`), lights and ground (`look`) and camera, so that they differ by little more than the
anti-aliasing of edges.
"""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from aa_dataset.errors import RenderError
from aa_dataset.render import look, raycast
from aa_dataset.render.camera import Camera
from aa_dataset.render.egl import open_egl
from aa_dataset.render.errors import BackendUnavailableError
from aa_dataset.render.surface import (
    Surface,
    place,
    read_surface,
    require_drawable,
    without_backs,
)

if TYPE_CHECKING:
    import trimesh

    Part = tuple[trimesh.Trimesh, ArrayLike]

Picture = NDArray[np.uint8]

BACKENDS = ("egl", "embree")
EGL_SAMPLES = 4  # pyrender's framebuffer; OpenGL 3 guarantees that it exists
MAX_LAYERS = 6  # transparent faces that one ray passes
PROBE_TIMEOUT_S = 600  # so long that only a driver that hangs fails, never a busy machine

# A successful import is not enough: only creating a context proves that EGL works.
_PROBE = "import pyrender; pyrender.OffscreenRenderer(8, 8).delete()"


class _Painter(Protocol):
    """Draws a placed surface: (n, n, 4) float, color over the background and coverage."""

    def __call__(self, surface: Surface, camera: Camera) -> NDArray[np.float32]: ...


@cache
def available(backend: str) -> bool:
    """Return whether a backend (`egl` or `embree`) works on this machine; cached."""
    if backend == "embree":
        return importlib.util.find_spec("embreex") is not None
    if backend != "egl" or importlib.util.find_spec("pyrender") is None:
        return False
    if os.environ.get("PYOPENGL_PLATFORM", "egl") != "egl":
        return False
    # In a child process, because a broken driver can crash it.
    environment = {**os.environ, "PYOPENGL_PLATFORM": "egl"}
    command = [sys.executable, "-P", "-c", _PROBE]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, timeout=PROBE_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def choose_backend(backend: str = "auto") -> str:
    """Return the backend to use: `auto` prefers `egl` and falls back to `embree`."""
    if backend not in ("auto", *BACKENDS):
        raise RenderError(f"There is no rendering backend {backend!r}; choose auto, egl or embree.")
    wanted = BACKENDS if backend == "auto" else (backend,)
    for name in wanted:
        if available(name):
            return name
    raise BackendUnavailableError(backend)


def render(
    parts: Sequence[Part],
    camera: Camera,
    *,
    size: int = 512,
    backend: str = "auto",
    samples: int = 4,
    ground: bool = True,
) -> Picture:
    """Draw one view; see `render_views`."""
    options = {"size": size, "backend": backend, "samples": samples, "ground": ground}
    return render_views([parts], camera, **options)[0]  # type: ignore[arg-type]


def render_views(
    parts_per_view: Sequence[Sequence[Part]],
    camera: Camera,
    *,
    size: int = 512,
    backend: str = "auto",
    samples: int = 4,
    ground: bool = True,
) -> list[Picture]:
    """Draw several states of one object through one camera and one graphics context.

    Parameters
    ----------
    parts_per_view : sequence of views, each a sequence of (mesh, (4, 4) pose)
        Meshes in their part frames [m] and part-to-object poses [m]. Views that hold the same
        mesh objects are read once.
    camera : Camera
        Object frame.
    size : int
        Width and height in pixels.
    backend : {"auto", "egl", "embree"}
        A named backend is not probed: call `choose_backend` once, then pass its result.
    samples : int
        Samples per pixel, 4 n**2 (4, 16, 36, ...).
    ground : bool
        Whether a soft shadow shows where the object stands.

    Returns
    -------
    list of (size, size, 3) uint8
        One picture per view.

    Raises
    ------
    RenderError
        If a view has nothing to draw or a mesh or pose is not finite; as a `CrowdedError` if its
        triangles cover the picture too often.
    BackendUnavailableError
        If the backend does not work here.
    """
    surfaces = _place_views(parts_per_view)
    return draw_surfaces(
        surfaces, camera, size=size, backend=backend, samples=samples, ground=ground
    )


def draw_surfaces(
    surfaces: Sequence[Surface],
    camera: Camera,
    *,
    size: int = 512,
    backend: str = "auto",
    samples: int = 4,
    ground: bool = True,
) -> list[Picture]:
    """Draw placed surfaces, one picture (size, size, 3) each; options as for `render_views`."""
    factor = round((samples / EGL_SAMPLES) ** 0.5)
    if factor < 1 or EGL_SAMPLES * factor**2 != samples:
        raise RenderError(f"{samples} samples per pixel cannot be drawn; choose 4, 16 or 36.")
    name = backend if backend in BACKENDS else choose_backend(backend)
    opener = open_egl if name == "egl" else _open_embree
    pictures = []
    with opener(size * factor) as paint:
        for surface in surfaces:
            visible = without_backs(surface, camera.pose[:3, 3])
            require_drawable(visible, camera)
            layer = _shrink(paint(visible, camera), size)
            behind = look.backdrop(surface.corners, camera, size=size, ground=ground)
            pictures.append(_compose(layer, behind))
    return pictures


def encode_png(picture: NDArray[np.unsignedinteger[Any]]) -> bytes:
    """Return a picture, (h, w, 3) uint8, as PNG bytes: fixed options and no metadata.

    (h, w, 4) has opacity, (h, w) is gray, also with 16 bits.
    """
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, format="PNG", compress_level=6)
    return stream.getvalue()


def _place_views(parts_per_view: Sequence[Sequence[Part]]) -> list[Surface]:
    """Return the surface of each view in the object frame."""
    known: dict[tuple[int, ...], Surface] = {}
    placed = []
    for parts in parts_per_view:
        meshes = [mesh for mesh, _ in parts]
        key = tuple(map(id, meshes))
        if key not in known:
            known[key] = read_surface(meshes)
        poses = np.array([pose for _, pose in parts], dtype=np.float64).reshape(-1, 4, 4)
        placed.append(place(known[key], poses))
    return placed


def _shrink(layer: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """Average (n, n, 4) pixels over square blocks to (size, size, 4)."""
    factor = len(layer) // size
    if factor == 1:
        return layer
    blocks = layer.reshape(size, factor, size, factor, 4)
    return np.asarray(blocks.mean(axis=(1, 3)), dtype=np.float32)


def _compose(layer: NDArray[np.float32], behind: NDArray[np.float32]) -> Picture:
    """Replace the plain background of a layer by another one."""
    color = behind - np.array(look.BACKGROUND, dtype=np.float32)
    # In place, because a new array for every step takes as long as the step.
    color *= 1 - layer[..., 3:]
    color += layer[..., :3]
    np.clip(color, 0, 1, out=color)
    color *= 255
    return np.rint(color, out=color).astype(np.uint8)


# --- Embree ----------------------------------------------------------------------------------


@contextmanager
def _open_embree(pixels: int) -> Iterator[_Painter]:
    """Open the ray caster; `pixels` is a framebuffer's width with EGL's samples per pixel."""
    factor = round(EGL_SAMPLES**0.5)

    def paint(surface: Surface, camera: Camera) -> NDArray[np.float32]:
        layer = raycast.cast_rays(
            surface, camera, pixels=pixels * factor, layers=MAX_LAYERS, build=embree_hits
        )
        return _shrink(layer, pixels)

    yield paint


def embree_hits(corners: NDArray[np.float32]) -> raycast.Hits:
    """Build a ray query over (f, 3, 3) triangles."""
    try:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene
    except ImportError as error:
        raise BackendUnavailableError("embree") from error
    scene = EmbreeScene()
    TriangleMesh(scene, corners)

    def hits(origins: NDArray[np.float32], directions: NDArray[np.float32]) -> NDArray[np.int64]:
        return np.asarray(scene.run(origins, directions), dtype=np.int64)

    return hits
