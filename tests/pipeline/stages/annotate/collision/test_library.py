# SPDX-License-Identifier: Apache-2.0
"""Generated objects and real samples: what can be seen to be free stays mostly free."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from aa_dataset.kinematics.urdf import UrdfLink, parse_urdf
from pipeline.engine.runner import Outcome
from pipeline.generate.registry import family_names
from tests.kit import bench
from tests.kit.places import SAMPLES, skip_without_samples

DIRECTIONS = np.array([d for d in product((-1, 0, 1), repeat=3) if any(d)], dtype=float)
# Of the hull of a link: at most so much may be seen to be free and yet filled. The rule is 5 % of
# every part; cells with surface in them come on top. A hull over a drawer fills more than half.
MOST_FILLED = 0.25
# Of the object's diagonal, edge of a cube: less than this is not worth a look.
SMALLEST = 0.02
# Of the object's diagonal, twice the hull's volume over its area: a knob without its back that is
# not wider than this is a solid.
SOLID_WIDTH = 0.02


def filled_without_a_word(outcome: Outcome, diagonal: float) -> dict[str, float]:
    """Return the links of an annotated object, with the share of their hulls, that are filled."""
    said = " ".join(f.detail for f in outcome.findings if str(f.code) == "collision_filled")
    files = outcome.files or {}
    found = {}
    for link in parse_urdf(files["object.urdf"]).links:
        if link.collisions and link.visuals and f"link {link.name}:" not in said:
            share, volume = filled(link, files, SOLID_WIDTH * diagonal)
            if share > MOST_FILLED and volume > (SMALLEST * diagonal) ** 3:
                found[link.name] = share
    return found


def filled(link: UrdfLink, files: dict[str, bytes], narrow: float) -> tuple[float, float]:
    """Return the share and the volume [m^3] of a link's hull that is free to see, but filled.

    None of it for a hull that is flat, or not wider than `narrow` [m].
    """
    shown = trimesh.util.concatenate([read(files, s.geometry.filename) for s in link.visuals])
    parts = [read(files, shape.geometry.filename).convex_hull for shape in link.collisions]
    if np.linalg.matrix_rank(shown.vertices - shown.vertices.mean(axis=0), tol=1e-6) < 3:
        return 0.0, 0.0
    random, hull = np.random.default_rng(1), shown.convex_hull
    if 2 * hull.volume <= narrow * hull.area:
        return 0.0, 0.0
    points = random.uniform(*shown.bounds, size=(600, 3))
    points = points[is_in(points, [hull])]
    free = np.zeros(len(points), dtype=bool)
    for direction in DIRECTIONS:
        free |= ~shown.ray.intersects_any(points, np.tile(direction, (len(points), 1)))
    share = float((free & is_in(points, parts)).mean()) if len(points) else 0.0
    return share, share * float(hull.volume)


def read(files: dict[str, bytes], name: str) -> trimesh.Trimesh:
    """Return a mesh by an independent reader."""
    stream = trimesh.util.wrap_as_stream(files[name].decode())
    mesh = trimesh.load_mesh(stream, file_type="obj", process=False)
    return trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)


def is_in(points: np.ndarray, hulls: list[trimesh.Trimesh]) -> np.ndarray:
    """Tell which points (n, 3) lie in one of the convex meshes."""
    found = np.zeros(len(points), dtype=bool)
    for hull in hulls:
        normals, origins = hull.face_normals, hull.triangles[:, 0]
        found |= (points @ normals.T - np.einsum("ij,ij->i", normals, origins)).max(axis=1) <= 0
    return found


def finished(normal: Outcome, folder: Path) -> tuple[Outcome, float]:
    """Annotate with the library's own budget of parts; also return the diagonal [m]."""
    outcome = bench.annotated(folder / "object.tar", normal, collision_parts=64)
    return outcome, float(np.linalg.norm(normal.record.extents))


@pytest.mark.parametrize(
    "family",
    [
        name if number % 8 == 0 else pytest.param(name, marks=pytest.mark.slow)
        for number, name in enumerate(family_names())
    ],
)
def test_links_of_every_family_stay_open(
    normalized: Callable[[str], Any], tmp_path: Path, family: str
) -> None:
    assert filled_without_a_word(*finished(normalized(family)[1], tmp_path)) == {}


@pytest.mark.parametrize(
    "name",
    ["partnet_mobility/40147", pytest.param("partnet_mobility/7179", marks=pytest.mark.slow)]
    + [
        pytest.param(f"partnet_mobility_edited/{name}", marks=pytest.mark.slow)
        for name in ("100435", "100952", "101593", "102387", "103477", "3558")
    ],
)
def test_links_of_real_objects_stay_open(tmp_path: Path, name: str) -> None:
    if not (SAMPLES / name).is_dir():
        skip_without_samples()
    source = bench.METRIC | {"scale": "unit_sphere"}
    normal = bench.normal(SAMPLES / name, source, urdf="mobility.urdf")
    assert filled_without_a_word(*finished(normal, tmp_path)) == {}


def test_one_hull_over_a_hollow_link_would_be_seen(
    normalized: Callable[[str], Any], tmp_path: Path
) -> None:
    normal = normalized("small_drawers")[1]
    outcome = bench.annotated(tmp_path / "object.tar", normal, collision_parts=1)
    silent = Outcome(outcome.record, [], outcome.files)
    diagonal = float(np.linalg.norm(normal.record.extents))
    assert filled_without_a_word(silent, diagonal)
