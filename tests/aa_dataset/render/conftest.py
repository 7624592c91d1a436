# SPDX-License-Identifier: Apache-2.0
"""Fixtures that the render tests share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import trimesh

from aa_dataset.render import backend as rendering
from tests.kit.scenes import colored, shift, sphere


@pytest.fixture
def scene() -> list[tuple[trimesh.Trimesh, np.ndarray]]:
    """Return a box, a sphere and a torus in three saturated colors."""
    return [
        (colored(trimesh.creation.box((0.5, 0.4, 0.3)), (0.8, 0.2, 0.2, 1.0)), shift(0, 0, 0)),
        (sphere(0.2, (0.2, 0.6, 0.3, 1.0)), shift(0, 0.4, 0.2)),
        (colored(trimesh.creation.torus(0.2, 0.06), (0.2, 0.3, 0.8, 1.0)), shift(0.1, -0.3, 0.3)),
    ]


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
