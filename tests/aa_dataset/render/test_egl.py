# SPDX-License-Identifier: Apache-2.0
"""One OpenGL context draws many objects: no picture tells what was drawn before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

from aa_dataset.render import backend as rendering
from aa_dataset.render import egl
from aa_dataset.render.camera import look_at
from tests.kit import scenes

pytestmark = pytest.mark.skipif(not rendering.available("egl"), reason="EGL does not work here")


def textured(seed: int) -> trimesh.Trimesh:
    """Return a square with a picture of random pixels, facing +x."""
    pixels = np.random.default_rng(seed).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    vertices = [[0, -0.5, -0.5], [0, 0.5, -0.5], [0, 0.5, 0.5], [0, -0.5, 0.5]]
    square = trimesh.Trimesh(vertices, [[0, 1, 2], [0, 2, 3]], process=False)
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=float)
    material = PBRMaterial(baseColorTexture=Image.fromarray(pixels))
    square.visual = TextureVisuals(uv=uv, material=material)
    return square


def glass() -> trimesh.Trimesh:
    return scenes.colored(trimesh.creation.box((0.2, 0.8, 0.8)), (0.2, 0.4, 0.8, 0.4))


OBJECTS: dict[str, list[Any]] = {
    "first picture": [(textured(1), np.eye(4))],
    "second picture": [(textured(2), np.eye(4)), (glass(), scenes.shift(0.5, 0, 0))],
    "plain": [(scenes.sphere(0.3), np.eye(4))],
}


def drawn(name: str, size: int = 64) -> list[np.ndarray]:
    """Draw an object in two states."""
    views, camera = states(name)
    return rendering.render_views(views, camera, size=size, backend="egl")


def states(name: str) -> tuple[list[Any], Any]:
    """Return two views of an object, and their camera."""
    parts = OBJECTS[name]
    moved = [(mesh, scenes.shift(0, 0.2, 0.1) @ pose) for mesh, pose in parts]
    return [parts, moved], look_at(scenes.points_of(parts, moved))


def test_a_used_context_draws_as_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egl, "OBJECTS_PER_CONTEXT", 4)
    alone = {}
    for name in OBJECTS:
        egl.close_context()
        alone[name] = drawn(name)
    for name in [*OBJECTS, *reversed(OBJECTS), *OBJECTS]:
        assert all((a == b).all() for a, b in zip(drawn(name), alone[name], strict=True))


@pytest.mark.parametrize("name", OBJECTS)
def test_two_states_that_share_textures_are_drawn_as_each_alone(name: str) -> None:
    views, camera = states(name)
    for view, expected in zip(views, drawn(name), strict=True):
        egl.close_context()
        assert (rendering.render(view, camera, size=64, backend="egl") == expected).all()


def test_pictures_of_all_sizes_share_one_context() -> None:
    egl.close_context()
    small = drawn("plain", 64)
    (context,) = egl._contexts.values()
    sizes = [8 * k for k in range(1, 3 + egl.MOST_TARGETS)]
    assert [len(drawn("plain", size)[0]) for size in sizes] == sizes
    assert list(egl._contexts.values()) == [context]
    assert len(context._targets) == egl.MOST_TARGETS
    assert all((a == b).all() for a, b in zip(drawn("plain", 64), small, strict=True))


def test_a_context_that_another_user_of_egl_ended_is_replaced() -> None:
    expected = drawn("plain")
    import pyrender

    pyrender.OffscreenRenderer(8, 8).delete()  # ends the display that both share
    assert all((a == b).all() for a, b in zip(drawn("plain"), expected, strict=True))


def test_a_context_is_given_up_after_an_error() -> None:
    expected = drawn("plain")
    with pytest.raises(RuntimeError, match="stop"), egl.open_context():
        raise RuntimeError("stop")
    assert not egl._contexts
    assert all((a == b).all() for a, b in zip(drawn("plain"), expected, strict=True))
