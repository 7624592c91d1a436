# SPDX-License-Identifier: Apache-2.0
"""Depth, masks, clouds, cameras and meshes agree with meshes that trimesh read and posed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from trimesh.ray.ray_triangle import RayMeshIntersector

from aa_dataset.dataset import Dataset
from aa_dataset.format.layout import GLB
from aa_dataset.inputs.make import Made, Settings, make
from aa_dataset.inputs.states import MOVED, REST, STATES
from tests.kit.inputs_library import CABINET, JAR, LAMP, posed_truth

BORDER = 1  # pixel


def truth(dataset: Dataset, object_id: str, coordinates: dict[str, float]) -> trimesh.Trimesh:
    item = dataset[object_id]
    parts = posed_truth(item.read(GLB), item.tree.placements(coordinates))
    return trimesh.util.concatenate(list(parts.values()))


def state_values(made: Made, state: str) -> dict[str, float]:
    return {} if state == REST else dict(made.coordinates)


def cast(mesh: trimesh.Trimesh, eye: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Return the distance of the first hit in units of the rays, inf for none.

    trimesh's own caster in numpy, in double precision: it shares no code with embree.
    """
    places, ray, _ = RayMeshIntersector(mesh).intersects_location(
        np.broadcast_to(eye, rays.shape), rays, multiple_hits=True
    )
    along = ((places - eye) * rays[ray]).sum(axis=1) / (rays[ray] ** 2).sum(axis=1)
    first = np.full(len(rays), np.inf)
    np.minimum.at(first, ray, along)
    return first


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("object_id", [CABINET, LAMP, JAR])
def test_depth_and_mask_are_those_of_an_independent_ray_caster(
    dataset: Dataset, object_id: str, state: str
) -> None:
    made = make(dataset[object_id], object_id, Settings(views=2, size=64))
    mesh = truth(dataset, object_id, state_values(made, state))
    for one in made.states[state].pictures:
        camera = one.view.intrinsics
        row, column = (axis.ravel() for axis in np.mgrid[:64, :64])
        # Rays from the written numbers: the OpenCV form of the pose and the camera matrix.
        pixel = np.stack([column + 0.5, row + 0.5, np.ones(64 * 64)], axis=1)
        rays = pixel @ np.linalg.inv(camera).T @ one.view.opencv[:3, :3].T
        first = cast(mesh, one.view.opencv[:3, 3], rays).reshape(64, 64)
        seen, expected = one.depth > 0, np.isfinite(first)
        assert expected.sum() > 100
        assert not (seen != expected)[~near_border(expected)].any()
        both = seen & expected & ~near_edge(first)
        error = np.abs(one.depth * made.depth_scale - first)[both]
        assert both.sum() > 50 and error.max() < 1e-4 * first[both].max()


def near_border(mask: np.ndarray) -> np.ndarray:
    """Return the pixels with another value within `BORDER` pixels."""
    padded = np.pad(mask, BORDER, mode="edge")
    size = 2 * BORDER + 1
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size))
    return windows.any(axis=(2, 3)) != windows.all(axis=(2, 3))


def near_edge(depth: np.ndarray, jump: float = 0.05) -> np.ndarray:
    """Return the pixels beside a jump of depth or the background: a ray on an edge may see both."""
    padded = np.pad(np.where(np.isfinite(depth), depth, -1.0), 1, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    return ~(windows.max(axis=(2, 3)) - windows.min(axis=(2, 3)) <= jump)


@pytest.mark.parametrize("form", ["opencv", "opengl"])
def test_cameras_reproject_points_of_the_surface_to_half_a_pixel(
    dataset: Dataset, made: Made, form: str
) -> None:
    """The pixel into which a point of the true surface falls has the depth of the point's plane.

    On a slanted face depth changes from pixel to pixel, so an error of depth is one of place.
    """
    mesh = truth(dataset, CABINET, dict(made.coordinates))
    points, face = (np.asarray(one) for one in trimesh.sample.sample_surface(mesh, 3000, seed=1))
    errors = []
    for one in made.states[MOVED].pictures:
        pose, turn = (
            (one.view.opencv, (1, 1, 1)) if form == "opencv" else (one.view.pose, (1, -1, -1))
        )
        local = (points - pose[:3, 3]) @ pose[:3, :3] * turn
        normal = mesh.face_normals[face] @ pose[:3, :3] * turn
        uvw = local @ one.view.intrinsics.T
        column, row = np.floor(uvw[:, :2] / uvw[:, 2:]).astype(int).T
        middle = np.stack([column + 0.5, row + 0.5, np.ones(len(row))], axis=1)
        ray = middle @ np.linalg.inv(one.view.intrinsics).T
        expected = (normal * local).sum(axis=1) / (normal * ray).sum(axis=1)
        # How much depth changes over one pixel along the plane: an error in pixels follows.
        focal = one.view.intrinsics[0, 0]
        slope = expected * np.linalg.norm(normal[:, :2], axis=1) / focal
        slope /= np.abs((normal * ray).sum(axis=1))
        visible = np.abs(cast(mesh, pose[:3, 3], points - pose[:3, 3]) - 1) < 1e-6
        found = one.depth[row, column] * made.depth_scale
        visible &= ~near_edge(one.depth * made.depth_scale)[row, column]
        visible &= slope > 20 * made.depth_scale  # facing the camera, depth tells nothing of place
        errors.append((np.abs(found - expected) / slope)[visible])
    pixels = np.concatenate(errors)
    assert len(pixels) > 1500
    assert np.percentile(pixels, 99) < 0.1 and (pixels > 0.5).mean() < 0.01


def test_the_two_forms_of_a_pose_see_the_same(made: Made) -> None:
    """A point's pixel by OpenCV, and by OpenGL with its y up and z backward, are one."""
    points = made.states[REST].points.astype(float)[:500]
    for one in made.states[REST].pictures:
        gl = (points - one.view.pose[:3, 3]) @ one.view.pose[:3, :3]
        focal, middle = one.view.intrinsics[0, 0], one.view.intrinsics[0, 2]
        by_gl = np.stack(
            [middle + focal * gl[:, 0] / -gl[:, 2], middle - focal * gl[:, 1] / -gl[:, 2]], 1
        )
        by_cv, depth = one.view.project(points)
        assert np.abs(by_gl - by_cv).max() < 1e-9
        assert np.abs(depth + gl[:, 2]).max() < 1e-12
        assert np.linalg.det(one.view.opencv[:3, :3]) == pytest.approx(1.0)
        assert np.abs(one.view.pose[:3, :3].T @ one.view.pose[:3, :3] - np.eye(3)).max() < 1e-12


@pytest.mark.parametrize("state", STATES)
def test_clouds_lie_on_the_posed_surface(dataset: Dataset, made: Made, state: str) -> None:
    mesh = truth(dataset, CABINET, state_values(made, state))
    points = made.states[state].points.astype(float)
    assert len(points) > 20_000
    away = np.array(trimesh.proximity.closest_point_naive(mesh, points[::40])[1])
    assert away.max() < 1e-4 * np.linalg.norm(made.states[state].pictures[0].view.eye)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("object_id", [CABINET, LAMP, JAR])
def test_a_mesh_is_the_posed_truth(dataset: Dataset, object_id: str, state: str) -> None:
    """The same triangles in another order: their sorted centroids and areas agree."""
    made = make(dataset[object_id], object_id, Settings(views=1, size=32))
    mesh = made.states[state].mesh
    given = mesh.points.astype(float)[mesh.faces]
    true = truth(dataset, object_id, state_values(made, state)).triangles
    assert len(given) == len(true)
    distance, nearest = trimesh.proximity.cKDTree(given.reshape(-1, 9)).query(true.reshape(-1, 9))
    assert distance.max() < 1e-6
    assert len(np.unique(nearest)) >= len(true) - 4  # a wall drawn twice has equal triangles


def test_files_hold_what_the_memory_holds(run, tmp_path: Path, dataset: Dataset) -> None:  # type: ignore[no-untyped-def]
    assert run(tmp_path / "out") == 0
    made = make(dataset[CABINET], CABINET, Settings(views=5, size=96, points=4000))
    for state in STATES:
        folder = tmp_path / "out" / CABINET / state
        mesh = made.states[state].mesh
        corners = mesh.points.astype(float)[mesh.faces]
        as_obj = trimesh.load_mesh(folder / "mesh.obj", process=False)
        assert np.array_equal(as_obj.triangles.astype(np.float32), corners.astype(np.float32))
        scene = trimesh.load_scene(folder / "mesh.glb", process=False)
        (as_glb,) = scene.geometry.values()  # one mesh
        # glTF is y up with its front to +z.
        assert np.abs(as_glb.triangles[..., [2, 0, 1]] - corners).max() == 0
        cloud = trimesh.load(folder / "cloud.ply")
        assert np.array_equal(np.asarray(cloud.vertices, np.float32), made.states[state].points)
        assert np.array_equal(np.asarray(cloud.colors)[:, :3], made.states[state].colors)
