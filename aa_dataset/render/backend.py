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
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from aa_dataset.errors import RenderError
from aa_dataset.render import look, raycast
from aa_dataset.render.camera import Camera
from aa_dataset.render.egl import SAMPLES as EGL_SAMPLES
from aa_dataset.render.egl import open_context
from aa_dataset.render.errors import BackendUnavailableError
from aa_dataset.render.prepared import Prepared, prepare
from aa_dataset.render.ray_state import Hits
from aa_dataset.render.surface import Surface, place, read_surface, require_drawable

if TYPE_CHECKING:
    import trimesh

    Part = tuple[trimesh.Trimesh, ArrayLike]

Array = NDArray[np.float64]
Picture = NDArray[np.uint8]

BACKENDS = ("egl", "embree")
PROBE_TIMEOUT_S = 600  # so long that only a driver that hangs fails, never a busy machine

# A successful import is not enough: only creating a context proves that EGL works.
_PROBE = "import pyrender; pyrender.OffscreenRenderer(8, 8).delete()"


class Painter(Protocol):
    """Draws one state of an object: (pixels, pixels, 3)."""

    def __call__(
        self,
        poses: Array,
        camera: Camera,
        darkness: NDArray[np.float32],
        *,
        pixels: int,
        paints: Array | None,
    ) -> Picture:
        """Draw a state with its parts at poses (p, 4, 4)."""


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
    pictures = []
    for surface in surfaces:
        whole = replace(surface, part=np.zeros_like(surface.part))
        with open_scene(whole, backend=backend) as scene:
            picture = scene.draw(np.eye(4)[None], camera, size=size * factor, ground=ground)
        pictures.append(_shrink(picture, size))
    return pictures


class Scene:
    """One object, read and sent to the backend once, drawn in many states."""

    def __init__(self, prepared: Prepared, paint: Painter):
        self._prepared, self._paint = prepared, paint
        self._checked: Camera | None = None

    def draw(
        self,
        poses: Array,
        camera: Camera,
        *,
        size: int,
        ground: bool = True,
        paints: Array | None = None,
    ) -> Picture:
        """Return a picture (size, size, 3) of one state.

        Parameters
        ----------
        poses : (p, 4, 4) float [m]
            Rigid displacement of every part of the surface from rest.
        camera : Camera
            Object frame.
        size : int
            Width and height in pixels.
        ground : bool
            Whether a soft shadow shows where the object stands.
        paints : (p, 3) float, optional
            Display colors in [0, 1] in place of what the parts look like; nothing is transparent.

        Raises
        ------
        RenderError
            If a pose is not finite; as a `CrowdedError` if triangles cover the picture too often.
        """
        corners = self._prepared.placed(poses)
        if self._checked is not camera:
            require_drawable(corners, camera)
            self._checked = camera
        darkness = look.shadow(corners, camera, size) if ground else look.no_shadow(size)
        colors = None if paints is None else np.column_stack([paints, np.ones(len(paints))])
        return self._paint(poses, camera, darkness, pixels=size, paints=colors)


@contextmanager
def open_scene(surface: Surface, *, backend: str = "auto") -> Iterator[Scene]:
    """Send an object to the backend, and free what it holds there in the end.

    Parameters
    ----------
    surface : Surface
        Object frame at rest; `part` says which pose moves a face.
    backend : {"auto", "egl", "embree"}
        A named backend is not probed.
    """
    name = backend if backend in BACKENDS else choose_backend(backend)
    prepared = prepare(surface)
    with (_open_egl if name == "egl" else _open_embree)(prepared) as paint:
        yield Scene(prepared, paint)


def encode_png(picture: NDArray[np.unsignedinteger[Any]], *, quickly: bool = False) -> bytes:
    """Return a picture, (h, w, 3) uint8, as PNG bytes: fixed options and no metadata.

    (h, w, 4) has opacity, (h, w) is gray, also with 16 bits. `quickly` takes less than half of the
    time and about a tenth more bytes.
    """
    stream = io.BytesIO()
    more = {"compress_type": zlib.Z_RLE} if quickly else {}
    Image.fromarray(picture).save(stream, format="PNG", compress_level=6, **more)
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


def _shrink(picture: Picture, size: int) -> Picture:
    """Average (n, n, 3) pixels over square blocks to (size, size, 3)."""
    factor = len(picture) // size
    if factor == 1:
        return picture
    blocks = picture.reshape(size, factor, size, factor, 3)
    return np.asarray(np.rint(blocks.mean(axis=(1, 3))), dtype=np.uint8)


def _compose(layer: NDArray[np.float32], darkness: NDArray[np.float32]) -> Picture:
    """Darken the plain background (n, n, 4) of a layer where the ground shows a shadow."""
    size = len(layer)
    color = np.ascontiguousarray(layer[..., :3]).reshape(-1, 3)
    color *= 255
    shade = look.enlarged(darkness, size)
    shade *= 1 - layer[..., 3]
    rows = np.flatnonzero(shade)
    plain = np.array(look.BACKGROUND, dtype=np.float32) * np.float32(255 * look.SHADOW_STRENGTH)
    color[rows] -= shade.ravel()[rows, None] * plain
    # In place, because a new array for every step takes as long as the step.
    return np.rint(color, out=color).astype(np.uint8).reshape(size, size, 3)


@contextmanager
def _open_egl(prepared: Prepared) -> Iterator[Painter]:
    with open_context() as context:
        from aa_dataset.render.gl_scene import GlScene

        scene = GlScene(context, prepared)
        yield scene.draw
        scene.delete()


# --- Embree ----------------------------------------------------------------------------------


@contextmanager
def _open_embree(prepared: Prepared) -> Iterator[Painter]:
    scene = raycast.RayScene(prepared, embree_hits)

    def paint(
        poses: Array,
        camera: Camera,
        darkness: NDArray[np.float32],
        *,
        pixels: int,
        paints: Array | None,
    ) -> Picture:
        layer = scene.draw(poses, camera, pixels=pixels, paints=paints)
        return _compose(layer, darkness)

    yield paint


def embree_hits(corners: NDArray[np.float32]) -> Hits:
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
