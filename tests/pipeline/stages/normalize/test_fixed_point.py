# SPDX-License-Identifier: Apache-2.0
"""Normalizing a normalized object changes no byte; its GLB and its OBJ files are one geometry."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image

from pipeline.engine.runner import Outcome
from pipeline.generate.registry import family_names
from pipeline.shapes.glb import read_links
from pipeline.stages.normalize.frame import find_similarity
from tests.kit import bench

UV_OBJ = """mtllib m.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vt 0.25 0.75
usemtl painted
f 1/1 2/2 3/3
f 1/1 3/3 4/4
f 3/1 2/5 5/2
usemtl plain
f 1/2 4/3 5/4
"""


def changed_files(outcome: Outcome, folder: Path, source: Any) -> set[str]:
    """Normalize the outcome's own files again and return the names of those that differ."""
    bench.unpacked(outcome, folder)
    again = bench.normal(folder, source, urdf="object.urdf").files
    assert outcome.files is not None
    assert again is not None
    return {name for name in {*outcome.files, *again} if outcome.files.get(name) != again.get(name)}


@pytest.mark.parametrize("family", family_names()[::4])
def test_generated_objects_are_a_fixed_point(
    normalized: Callable[[str], Any], tmp_path: Path, family: str
) -> None:
    _, outcome, _ = normalized(family)
    assert changed_files(outcome, tmp_path / "again", bench.METRIC) == set()


def oblique(folder: Path, *, files: dict[str, Any] | None = None) -> Path:
    """Return an object with odd numbers everywhere: axes, places, colors, a screw, a mimic."""
    color = '<material name="m"><color rgba="0.12345 0.5 0.99 {}"/></material>'
    urdf = bench.robot(
        bench.box_link("Root", "0.123456789 0.2 0.3333333333", color.format(0.3)),
        bench.mesh_link("Door Leaf", "meshes/a.obj", '<origin xyz="0.1 0 0" rpy="1 1 1"/>'),
        '<link name="c"/>',
        bench.box_link("cap", "0.1 0.1 0.1", color.format(1)),
        bench.box_link("follower"),
        bench.joint_text("Hinge!", "revolute", "Root", "Door Leaf", xyz="0.33333333333 1 1e-5",
                         rpy="0.1 0.2 0.3", axis="1 2 3", limit='lower="-0.12345678901" upper="2"'),
        bench.joint_text("t", "revolute", "Root", "c", rpy="0 1 0", axis="0.1 0.1 0.9"),
        bench.joint_text("s", "prismatic", "c", "cap", axis="0.1 0.1 0.9",
                         more='<mimic joint="t" multiplier="0.00123456789"/>'),
        bench.joint_text("f", "prismatic", "Root", "follower", axis="3 2 1", limit=None,
                         more='<mimic joint="t" multiplier="-0.7" offset="0.01"/>'),
    )  # fmt: skip
    return bench.write_object(
        folder, urdf, {"meshes/a.obj": bench.box_text((0.7, 0.11, 0.3), (3, 2, 1)), **(files or {})}
    )


@pytest.mark.parametrize("scale", ["metric", "unit_sphere", "arbitrary"])
@pytest.mark.parametrize("up", ["z", "y"])
def test_an_object_of_odd_numbers_becomes_a_fixed_point(
    tmp_path: Path, scale: str, up: str
) -> None:
    source = {"frame": {"up": up, "front": "x"}, "scale": scale}
    outcome = bench.normal(oblique(tmp_path / "raw"), source)
    upright = {"frame": {"up": "z", "front": "x"}, "scale": scale}
    assert changed_files(outcome, tmp_path / "again", upright) == set()


def test_textures_and_their_coordinates_are_a_fixed_point(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.linear_gradient("L").resize((8, 8)).convert("RGB").save(buffer, "JPEG")
    mtl = (
        "newmtl painted\nKd 1 1 1\nd 0.5\nmap_Kd ../images/p.jpg\nnewmtl plain\nKd 0.2 0.3 0.123\n"
    )
    side = {"meshes/m.mtl": mtl, "images/p.jpg": buffer.getvalue(), "meshes/a.obj": UV_OBJ}
    outcome = bench.normal(oblique(tmp_path / "raw", files=side))
    assert changed_files(outcome, tmp_path / "again", bench.METRIC) == set()
    assert outcome.files is not None
    pictures = [data for name, data in outcome.files.items() if name.endswith((".png", ".jpg"))]
    assert pictures == [buffer.getvalue()]
    textured = trimesh.load_mesh(tmp_path / "again/meshes/door_leaf_0.obj", process=False)
    raw = trimesh.load_scene(tmp_path / "raw/meshes/a.obj", process=False)
    painted = next(mesh for mesh in raw.geometry.values() if len(mesh.faces) == 3)
    assert uv_by_corner(textured) == pytest.approx(uv_by_corner(painted), abs=1e-6)


def uv_by_corner(mesh: trimesh.Trimesh) -> np.ndarray:
    """Return the texture coordinates of every corner, faces in an order that motion leaves."""
    corners = np.asarray(mesh.visual.uv)[np.asarray(mesh.faces)].reshape(len(mesh.faces), -1)
    return corners[np.lexsort(corners.round(4).T)]


@pytest.mark.parametrize("diagonal", [1.0, 10.0, 0.001])
@pytest.mark.parametrize("factor", [1.0, 1 - 1e-15, 1 + 1e-15])
def test_a_diagonal_at_a_power_of_ten_gives_one_grid(diagonal: float, factor: float) -> None:
    corner = np.array([2.0, 3.0, 6.0]) / 7 * diagonal  # |(2, 3, 6)| = 7
    source = bench.raw_record()
    exact = find_similarity(np.stack([np.zeros(3), corner]), source)
    nearly = find_similarity(np.stack([np.zeros(3), corner * factor]), source)
    assert exact.decimals == nearly.decimals


@pytest.mark.parametrize("family", family_names()[2::6])
def test_the_glb_is_the_geometry_of_the_obj_files(
    normalized: Callable[[str], Any],
    triangles_of: Callable[..., dict[str, np.ndarray]],
    same_triangles: Callable[..., None],
    family: str,
) -> None:
    _, outcome, folder = normalized(family)
    expected = triangles_of(folder / "object.urdf")
    found = read_links(outcome.files["object.glb"], tuple(expected))
    diagonal = float(np.linalg.norm(outcome.record.extents))
    for link, triangles in expected.items():
        parts = [np.asarray(mesh.triangles) for mesh in found[link]]
        # GLB holds single precision: 2^-24 of the largest coordinate.
        same_triangles(np.concatenate(parts), triangles, 3e-7 * diagonal)


@pytest.mark.parametrize(
    "names",
    [
        ["a", "object"],
        ["a", "Object"],
        ["a", "world"],
        ["world", "base"],
        ["r", "a", "a_collision"],
        ["r", "a", "a_0", "a_0_0"],
        ["r", "a", "a_0_mesh", "a_0.mesh"],
        ["r", "a", "a_carrier", "material_0"],
        ["r", "A", "a", "ä", "日本", "!?"],
    ],
)
def test_no_link_name_disturbs_another_link(
    tmp_path: Path,
    triangles_of: Callable[..., dict[str, np.ndarray]],
    same_triangles: Callable[..., None],
    names: list[str],
) -> None:
    links = [bench.box_link(name, f"0.{n + 2} 0.1 0.1") for n, name in enumerate(names)]
    joints = [
        bench.joint_text(f"j{n}", "revolute", names[0], name, xyz=f"{n} 0 0")
        for n, name in enumerate(names)
        if n
    ]
    outcome = bench.normal(bench.write_object(tmp_path / "raw", bench.robot(*links, *joints)))
    folder = bench.unpacked(outcome, tmp_path / "out")
    expected = triangles_of(folder / "object.urdf")
    found = read_links(outcome.files["object.glb"], tuple(expected))
    assert len(expected) == len(names)
    widths = []
    for link, triangles in expected.items():
        same_triangles(np.concatenate([m.triangles for m in found[link]]), triangles, 1e-6)
        widths.append(round(float(np.ptp(triangles[..., 0])), 6))
        hull = trimesh.load_mesh(folder / f"meshes/{link}-collision_0.obj")
        assert np.ptp(hull.vertices[:, 0]) == pytest.approx(widths[-1])
    assert sorted(widths) == [round(0.1 * (n + 2), 6) for n in range(len(names))]
