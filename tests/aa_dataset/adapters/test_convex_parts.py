# SPDX-License-Identifier: Apache-2.0
"""Convex parts in SAPIEN have the corners of the file; PhysX alone moves those of small parts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from aa_dataset.adapters import load
from tests.aa_dataset.adapters.conftest import joint, link, write

WHEEL = [
    (0.02 * math.cos(turn), 0.02 * math.sin(turn), z)
    for turn in (2 * math.pi * k / 24 for k in range(24))
    for z in (0.0, 0.006)
]
WEDGE = [(0, 0, 0), (0.004, 0, 0), (0, 0.003, 0), (0, 0, 3e-4), (0.004, 0, 3e-4), (0, 0.003, 3e-4)]


def obj_text(points: list[tuple[float, float, float]]) -> str:
    """Return the hull of points as OBJ."""
    vertices = "".join("v {!r} {!r} {!r}\n".format(*map(float, point)) for point in points)
    faces = ConvexHull(points).simplices + 1
    return vertices + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)


def hinged(folder: Path, text: str) -> Path:
    """Return an object whose link wheel has this mesh."""
    limits = 'lower="-1" upper="1"'
    parts = [link("base", 5.0), link("wheel", 1.0),
             joint("turn", "revolute", ("base", "wheel"), axis="0 0 1", limits=limits)]  # fmt: skip
    write(folder, "".join(parts))
    (folder / "meshes/wheel.obj").write_text(text)
    return folder


@pytest.mark.judges
@pytest.mark.parametrize("points", [WHEEL, WEDGE], ids=["wheel", "wedge"])
def test_a_hull_has_all_corners(tmp_path: Path, points: list[tuple[float, float, float]]) -> None:
    pytest.importorskip("sapien")
    loaded = load("sapien", hinged(tmp_path / "one", obj_text(points)), self_contacts=True)
    (wheel,) = (one for one in loaded.articulation.get_links() if one.name == "wheel")
    (shape,) = wheel.get_collision_shapes()
    corners = np.asarray(shape.vertices) * np.asarray(shape.scale)
    away = np.linalg.norm(corners[:, None] - np.array(points)[None], axis=2)
    assert away.min(axis=0).max() < 1e-8  # every corner of the file is there
    assert away.min(axis=1).max() < 1e-8  # and no other
