# SPDX-License-Identifier: Apache-2.0
"""Where every triangle of an object is, by independent readers: yourdfpy and trimesh."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
import yourdfpy
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from pipeline.engine.runner import Outcome
from pipeline.raw.records import Screw
from tests.kit import bench

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
    links, names = record.link_names, record.joint_names
    rotation, scale = source_rotation(source["frame"]), record.scale_factor
    diagonal = float(np.linalg.norm(record.extents))
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
            expected = scale * before[links[name]] @ rotation.T - np.array(record.center)
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


class Raw:
    """A raw object by yourdfpy's kinematics and our own reading of vertices; curved shapes apart.

    `points` holds the corners (n, 3) of meshes and boxes by link, in the link frame; `curved` the
    spheres, cylinders and capsules, of which a tessellation only lies on the surface.
    """

    def __init__(self, path: Path) -> None:
        self.robot = yourdfpy.URDF.load(str(path), load_meshes=False, build_scene_graph=True)
        for joint in self.robot.joint_map.values():  # yourdfpy slides by the axis's length
            if joint.axis is not None and np.any(joint.axis):
                joint.axis = np.asarray(joint.axis) / np.linalg.norm(joint.axis)
        self.points: dict[str, np.ndarray] = {}
        self.curved: dict[str, list[tuple[np.ndarray, Any]]] = {}
        for name, link in self.robot.link_map.items():
            self._read(name, path.parent, link.visuals)

    def _read(self, name: str, folder: Path, visuals: Any) -> None:
        arrays, curved = [], []
        for visual in visuals:
            pose = np.eye(4) if visual.origin is None else visual.origin
            shape = visual.geometry
            if shape.mesh is not None:
                scale = 1.0 if shape.mesh.scale is None else np.asarray(shape.mesh.scale, float)
                arrays.append(_placed(_used_vertices(folder / shape.mesh.filename) * scale, pose))
            elif shape.box is not None:
                signs = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
                arrays.append(_placed(signs * np.asarray(shape.box.size, float), pose))
            else:
                curved.append((pose, shape.sphere or shape.cylinder))
        if curved or any(len(array) for array in arrays):
            self.points[name] = np.concatenate([np.zeros((0, 3)), *arrays])
            self.curved[name] = curved

    def frames(self, values: Mapping[str, float]) -> dict[str, np.ndarray]:
        """Return the frame (4, 4) of every link with visuals in the root's frame."""
        robot = self.robot
        robot.update_cfg({name: values.get(name, 0.0) for name in robot.actuated_joint_names})
        return {name: robot.get_transform(name, robot.base_link) for name in self.points}


def _used_vertices(path: Path) -> np.ndarray:
    """Return the vertices (n, 3) that a triangle of the file uses."""
    if path.suffix.lower() != ".obj":
        mesh = trimesh.load_mesh(path, process=False)
        return np.asarray(mesh.vertices)[np.unique(mesh.faces)]
    rows, used = [], set()
    for line in path.read_text(errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            rows.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            numbers = [int(word.split("/")[0]) for word in words[1:]]
            used |= {number - 1 if number > 0 else len(rows) + number for number in numbers}
    return np.array(rows).reshape(-1, 3)[sorted(used)]


def _surface_gap(points: np.ndarray, pose: np.ndarray, shape: Any) -> np.ndarray:
    """Return how far points (n, 3) of a link lie from the surface of a sphere or a cylinder."""
    local = (points - pose[:3, 3]) @ pose[:3, :3]
    if hasattr(shape, "length"):
        around = np.hypot(local[:, 0], local[:, 1]) - shape.radius
        above = np.abs(local[:, 2]) - shape.length / 2
        outside = np.hypot(np.maximum(around, 0), np.maximum(above, 0))
        return np.where((around > 0) | (above > 0), outside, np.minimum(-around, -above))
    return np.abs(np.linalg.norm(local, axis=1) - shape.radius)


def _mapping(record: Mapping[str, Any]) -> np.ndarray:
    """Return the recorded transform (4, 4) from the source's frame to the object frame."""
    out = np.eye(4)
    out[:3, :3] = record.scale_factor * np.reshape(record.rotation, (3, 3))
    out[:3, 3] = -np.array(record.center)
    return out


def _assert_same_rest(
    raw: Raw, link: str, points: np.ndarray, frame: np.ndarray, *, tolerance: float
) -> None:
    """Compare the vertices of a link at rest; `frame` maps the raw link to the object frame."""
    expected = _placed(raw.points[link], frame)
    gaps = np.full(len(points), np.inf)
    if len(expected):
        assert cKDTree(points).query(expected)[0].max() <= tolerance
        gaps = cKDTree(expected).query(points)[0]
    scale = np.cbrt(np.linalg.det(frame[:3, :3]))
    local = _placed(points, np.linalg.inv(frame))
    for pose, shape in raw.curved[link]:
        gaps = np.minimum(gaps, _surface_gap(local, pose, shape) * scale)
    assert gaps.max() <= tolerance


def assert_law_of_motion(
    path: Path,
    outcome: Outcome,
    folder: Path,
    *,
    coupled: Mapping[str, tuple[str, float]] | None = None,
    states: int = 2,
) -> None:
    """Assert that every vertex of every link is the source's, mapped by what the record says.

    `coupled` gives, for the slide of a folded screw, the turn and the pitch [source length/rad].
    """
    record, random = outcome.record, np.random.default_rng(17)
    links, names = record.link_names, record.joint_names
    raw, normal = Raw(path), Raw(folder / "object.urdf")
    mapping = _mapping(record)
    tolerance = 1e-6 * float(np.linalg.norm(record.extents))
    assert sorted(links[name] for name in normal.points) == sorted(raw.points)
    rest, placed = raw.frames({}), normal.frames({})
    for name, points in normal.points.items():
        where = mapping @ rest[links[name]]
        _assert_same_rest(
            raw, links[name], _placed(points, placed[name]), where, tolerance=tolerance
        )
    for _ in range(states):
        values = {name: float(random.uniform(-1, 1)) for name in raw.robot.actuated_joint_names}
        values |= {s: pitch * values[turn] for s, (turn, pitch) in (coupled or {}).items()}
        kinds = {name: joint.type for name, joint in raw.robot.joint_map.items()}
        mapped = {
            new: values[old] * (record.scale_factor if kinds[old] == "prismatic" else 1.0)
            for new, old in names.items()
            if old in values
        }
        before, after = raw.frames(values), normal.frames(mapped)
        for name, points in normal.points.items():
            moved = mapping @ before[links[name]] @ np.linalg.inv(mapping @ rest[links[name]])
            expected = _placed(_placed(points, placed[name]), moved)
            assert np.abs(_placed(points, after[name]) - expected).max() <= tolerance


@pytest.fixture(scope="session")
def law_of_motion() -> Callable[..., None]:
    """Return the judge of single vertices."""
    return assert_law_of_motion


@pytest.fixture
def textured(tmp_path: Path) -> Callable[..., Outcome]:
    """Normalize an object of one textured mesh and a box."""

    def run(
        files: Mapping[str, str | bytes], *, mesh: str = "a.obj", inner: str = "", **options: Any
    ) -> Outcome:
        urdf = bench.robot(
            bench.box_link("box", "0.1 0.1 0.1"),
            bench.mesh_link("part", mesh, inner),
            bench.joint_text("j", "revolute", "box", "part"),
        )
        return bench.normal(bench.write_object(tmp_path / "raw", urdf, files), **options)

    return run


@pytest.fixture
def screwed(tmp_path: Path) -> Callable[..., Outcome]:
    """Normalize parts with declared screws and a label."""

    def run(parts: list[str], *screws: Any, source: Any = None, label: str = "") -> Outcome:
        facts = {"screws": tuple(Screw(**screw) for screw in screws), "label": label}
        folder = bench.write_object(tmp_path / "raw", bench.robot(*parts))
        return bench.normal(folder, {**(source or bench.METRIC), **facts})

    return run
