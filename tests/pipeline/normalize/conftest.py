# SPDX-License-Identifier: Apache-2.0
"""Where every triangle of an object is, by independent readers: yourdfpy and trimesh."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
import yourdfpy
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from pipeline.runner import Outcome

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1),
        "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}  # fmt: skip


class Judge:
    """An object as yourdfpy and trimesh read it.

    Prismatic axes must be unit vectors: yourdfpy does not normalize them.
    """

    def __init__(self, path: Path) -> None:
        self.robot = yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=True)
        self.local: dict[str, np.ndarray] = {}
        for name, link in self.robot.link_map.items():
            shapes = [_shape_triangles(path.parent, visual) for visual in link.visuals]
            if any(len(shape) for shape in shapes):
                self.local[name] = np.concatenate(shapes)

    def triangles(self, values: Mapping[str, float]) -> dict[str, np.ndarray]:
        """Return the triangles (n, 3, 3) of every link with visuals, in the root's frame."""
        robot, out = self.robot, {}
        robot.update_cfg({name: values.get(name, 0.0) for name in robot.actuated_joint_names})
        for name, corners in self.local.items():
            frame = robot.get_transform(name, robot.base_link)
            out[name] = corners @ frame[:3, :3].T + frame[:3, 3]
        return out


def _shape_triangles(folder: Path, visual: Any) -> np.ndarray:
    geometry = visual.geometry
    if geometry.box is not None:
        mesh = trimesh.creation.box(extents=geometry.box.size)
    else:
        mesh = trimesh.load_mesh(folder / geometry.mesh.filename, process=False)
        scale = geometry.mesh.scale
        factors = np.ones(3) * (1.0 if scale is None else np.asarray(scale, dtype=float))
        corners = np.asarray(mesh.vertices)[np.asarray(mesh.faces)] * factors
        if np.prod(factors) < 0:
            corners = corners[:, ::-1]
        return _placed(corners, visual.origin)
    return _placed(np.asarray(mesh.vertices)[np.asarray(mesh.faces)], visual.origin)


def _placed(corners: np.ndarray, pose: np.ndarray | None) -> np.ndarray:
    return corners if pose is None else corners @ pose[:3, :3].T + pose[:3, 3]


def source_rotation(frame: Mapping[str, str]) -> np.ndarray:
    """Return the rotation that brings up to z and front to x."""
    targets, given = [(0, 0, 1), (1, 0, 0)], [AXES[frame["up"]], AXES[frame["front"]]]
    return np.round(Rotation.align_vectors(targets, given)[0].as_matrix())


def assert_same_triangles(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    """Compare two sets of triangles by corners and, for their orientation, by area vectors."""
    assert len(found) == len(expected)
    for one, two in ((found, expected), (expected, found)):
        gaps, _ = cKDTree(two.reshape(-1, 3)).query(one.reshape(-1, 3))
        assert gaps.max() <= tolerance
    size = np.ptp(expected.reshape(-1, 3), axis=0).max()
    rows = [
        np.hstack(
            [t.mean(axis=1), np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]) / max(size, tolerance)]
        )
        for t in (found, expected)
    ]
    for one, two in (rows, rows[::-1]):
        gaps, _ = cKDTree(two).query(one)
        assert gaps.max() <= 10 * tolerance


def assert_same_motion(
    reference: Path,
    outcome: Outcome,
    folder: Path,
    source: Mapping[str, Any],
    *,
    states: int = 3,
) -> None:
    """Assert that raw and normalized object move alike, but for the recorded transform."""
    record = outcome.record
    links, names = json.loads(record["link_names"]), json.loads(record["joint_names"])
    rotation, scale = source_rotation(source["frame"]), record["scale_factor"]
    diagonal = float(np.linalg.norm(record["extents"]))
    raw, normal = Judge(reference), Judge(folder / "object.urdf")
    kinds = {name: joint.type for name, joint in raw.robot.joint_map.items()}
    random = np.random.default_rng(11)
    for state in range(states):
        values = {
            name: float(random.uniform(-1, 1)) if state < states - 1 or states == 1 else 0.0
            for name in raw.robot.actuated_joint_names
        }
        mapped = {
            new: values[old] * (scale if kinds[old] == "prismatic" else 1.0)
            for new, old in names.items()
            if old in values
        }
        before, after = raw.triangles(values), normal.triangles(mapped)
        assert sorted(links[name] for name in after) == sorted(before)
        for name, triangles in after.items():
            expected = scale * before[links[name]] @ rotation.T - np.array(record["center"])
            assert_same_triangles(triangles, expected, 1e-6 * diagonal)


@pytest.fixture(scope="session")
def same_motion() -> Callable[..., None]:
    """Return the judge of motions."""
    return assert_same_motion


@pytest.fixture(scope="session")
def same_triangles() -> Callable[..., None]:
    """Return the judge of geometry."""
    return assert_same_triangles


@pytest.fixture(scope="session")
def triangles_of() -> Callable[..., dict[str, np.ndarray]]:
    """Return the independent reader of an object's triangles, at rest."""
    return lambda path: Judge(path).triangles({})
