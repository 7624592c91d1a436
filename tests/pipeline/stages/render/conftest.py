# SPDX-License-Identifier: Apache-2.0
"""Scenes and measures that the render tests share."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from pipeline.stages.render import backend as rendering


def shift(x: float, y: float, z: float) -> np.ndarray:
    """Return a (4, 4) translation [m]."""
    return trimesh.transformations.translation_matrix([x, y, z])


def colored(mesh: trimesh.Trimesh, rgba: tuple[float, ...]) -> trimesh.Trimesh:
    """Give a mesh a PBR material of one color."""
    mesh.visual = TextureVisuals(material=PBRMaterial(baseColorFactor=rgba))
    return mesh


def sphere(radius: float, rgba: tuple[float, ...] = (0.2, 0.3, 0.4, 1.0)) -> trimesh.Trimesh:
    """Return a fine sphere around the origin."""
    return colored(trimesh.creation.icosphere(subdivisions=5, radius=radius), rgba)


def points_of(*views: Any) -> np.ndarray:
    """Return the vertices of all parts of all views, object frame."""
    return np.concatenate(
        [trimesh.transform_points(mesh.vertices, pose) for view in views for mesh, pose in view]
    )


def silhouette(picture: np.ndarray) -> np.ndarray:
    """Return the (h, w) bool pixels that differ from the upper left corner's background."""
    return (np.abs(picture.astype(int) - picture[0, 0]) > 6).any(axis=2)


@pytest.fixture
def scene() -> list[tuple[trimesh.Trimesh, np.ndarray]]:
    """Return a box, a sphere and a torus in three saturated colors."""
    return [
        (colored(trimesh.creation.box((0.5, 0.4, 0.3)), (0.8, 0.2, 0.2, 1.0)), shift(0, 0, 0)),
        (sphere(0.2, (0.2, 0.6, 0.3, 1.0)), shift(0, 0.4, 0.2)),
        (colored(trimesh.creation.torus(0.2, 0.06), (0.2, 0.3, 0.8, 1.0)), shift(0.1, -0.3, 0.3)),
    ]


@pytest.fixture
def kit() -> SimpleNamespace:
    """Return the helpers of this file; tests are imported one by one and cannot share modules."""
    helpers = (colored, points_of, shift, silhouette, sphere)
    return SimpleNamespace(**{helper.__name__: helper for helper in helpers})


@pytest.fixture(params=rendering.BACKENDS)
def working_backend(request: pytest.FixtureRequest) -> str:
    """Return each backend in turn that works on this machine."""
    if not rendering.available(request.param):
        pytest.skip(f"the {request.param} backend does not work on this machine")
    return str(request.param)


@pytest.fixture
def draw(working_backend: str) -> Callable[..., np.ndarray]:
    """Return `render` for each working backend, small and without a ground shadow."""

    def draw_parts(parts: Any, camera: Any, **options: Any) -> np.ndarray:
        options = {"size": 160, "ground": False, **options}
        return rendering.render(parts, camera, backend=working_backend, **options)

    return draw_parts
