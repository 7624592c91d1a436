# SPDX-License-Identifier: Apache-2.0
"""Pictures of an object in any state, as the previews of the library are drawn."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from aa_dataset.errors import optional
from aa_dataset.render.backend import choose_backend, draw_surfaces
from aa_dataset.render.camera import Camera, look_at
from aa_dataset.render.glb import Model
from aa_dataset.render.surface import place

Array = NDArray[np.float64]


def picture(
    model: Model,
    placements: Mapping[str, Array],
    *,
    size: int,
    camera: Camera | None,
    backend: str,
) -> NDArray[np.uint8]:
    """Draw one state, (size, size, 3) uint8; without a camera the object fills the picture.

    Parameters
    ----------
    model : Model
    placements : mapping of link name to (4, 4) float [m]
        Displacements from rest.
    size : int
        Width and height in pixels.
    camera : Camera or None
        Object frame.
    backend : {"auto", "egl", "embree"}

    Raises
    ------
    RenderError
        If no link has a triangle.
    BackendUnavailableError
        If the backend does not work here.
    """
    _require_renderer()
    chosen = choose_backend(backend)
    poses = np.array([placements[piece.link] for piece in model.pieces]).reshape(-1, 4, 4)
    surface = place(model.surface(), poses)
    seen = look_at(surface.corners.reshape(-1, 3)) if camera is None else camera
    return draw_surfaces([surface], seen, size=size, backend=chosen)[0]


def _require_renderer() -> None:
    """Raise with the command that installs the renderers if neither of them is there."""
    if not any(importlib.util.find_spec(name) for name in ("pyrender", "embreex")):
        optional("embreex", "a picture of an object", "render")
