# SPDX-License-Identifier: Apache-2.0
"""Collision geometry: the source's own where it drew one, else hulls that keep links hollow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull

from pipeline.normalize.collision import FLATNESS, link_hulls
from pipeline.normalize.pieces import Piece
from pipeline.runner import Outcome

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
MESH = '<geometry><mesh filename="{}"/></geometry>'
BOX = '<geometry><box size="{}"/></geometry>'


def normal_link(
    bench: SimpleNamespace, folder: Path, inner: str, files: Mapping[str, Any] | None = None
) -> Outcome:
    """Normalize an object of one link."""
    urdf = bench.robot(f'<link name="a">{inner}</link>')
    return bench.normal(bench.write_object(folder / "raw", urdf, files or {}))


def collisions_of(outcome: Outcome) -> list[trimesh.Trimesh]:
    """Return the collision meshes, as an independent reader sees them."""
    found = [
        trimesh.load_mesh(
            trimesh.util.wrap_as_stream(data.decode()), file_type="obj", process=False
        )
        for name, data in sorted((outcome.files or {}).items())
        if "-collision_" in name
    ]
    assert all(mesh.is_volume and mesh.is_convex for mesh in found)
    return found


def source_of(outcome: Outcome) -> str:
    """Return whose collision geometry the link has."""
    return json.loads(outcome.record["collision_sources"])["base"]


def boards() -> list[trimesh.Trimesh]:
    """Return a drawer: a floor and four walls that share corners exactly."""
    slabs = [((1, 1, 0.1), (0, 0, 0)), ((1, 0.1, 0.5), (0, -0.45, 0.3)),
             ((1, 0.1, 0.5), (0, 0.45, 0.3)), ((0.1, 0.8, 0.5), (-0.45, 0, 0.3)),
             ((0.1, 0.8, 0.5), (0.45, 0, 0.3))]  # fmt: skip
    found = []
    for size, center in slabs:
        found.append(trimesh.creation.box(size))
        found[-1].apply_translation(center)
    return found


def test_a_drawer_of_boards_stays_hollow(bench: SimpleNamespace, tmp_path: Path) -> None:
    files = {f"{n}.obj": bench.obj_text(board) for n, board in enumerate(boards())}
    visuals = "".join(f"<visual>{MESH.format(name)}</visual>" for name in files)
    outcome = normal_link(bench, tmp_path, visuals, files)
    hulls = collisions_of(outcome)
    assert len(hulls) == 5
    assert sum(hull.volume for hull in hulls) == pytest.approx(sum(b.volume for b in boards()))
    inside = np.array([[0.0, 0.0, 0.1]])  # in the hollow, above the floor
    assert not any(hull.contains(inside)[0] for hull in hulls)
    assert source_of(outcome) == "hulls"


def test_a_drawer_in_one_file_is_taken_apart_by_its_components(
    bench: SimpleNamespace, tmp_path: Path
) -> None:
    parts = boards()
    for number, part in enumerate(parts):  # boards that do not share a corner
        part.apply_translation([0, 0, 0.001 * number])
    files = {"a.obj": bench.obj_text(trimesh.util.concatenate(parts))}
    outcome = normal_link(bench, tmp_path, f"<visual>{MESH.format('a.obj')}</visual>", files)
    assert len(collisions_of(outcome)) == 5


@pytest.mark.parametrize("name", ["a.obj", "copy.obj"])
def test_a_copy_of_the_visuals_is_not_the_sources_own(
    bench: SimpleNamespace, tmp_path: Path, name: str
) -> None:
    ring = trimesh.creation.annulus(0.5, 1.0, 0.2)
    files = {"a.obj": bench.obj_text(ring), "copy.obj": bench.obj_text(ring)}
    shapes = f"<visual>{MESH.format('a.obj')}</visual><collision>{MESH.format(name)}</collision>"
    outcome = normal_link(bench, tmp_path, shapes, files)
    assert source_of(outcome) == "hulls"
    assert collisions_of(outcome)[0].volume == pytest.approx(ring.convex_hull.volume)


def test_the_sources_own_convex_parts_are_kept(bench: SimpleNamespace, tmp_path: Path) -> None:
    ring = trimesh.creation.annulus(0.5, 1.0, 0.2)
    sphere = trimesh.creation.icosphere(subdivisions=2, radius=0.4)
    sphere.apply_translation([0.7, 0, 0])
    files = {"a.obj": bench.obj_text(ring), "c.obj": bench.obj_text(sphere)}
    shapes = (
        f"<visual>{MESH.format('a.obj')}</visual><collision>{MESH.format('c.obj')}</collision>"
        f'<collision><origin xyz="-0.7 0 0"/>{BOX.format("0.3 0.2 0.1")}</collision>'
    )
    outcome = normal_link(bench, tmp_path, shapes, files)
    assert source_of(outcome) == "source"
    found = collisions_of(outcome)
    assert [len(mesh.faces) for mesh in found] == [len(sphere.faces), 12]
    assert [mesh.volume for mesh in found] == pytest.approx([sphere.volume, 0.006])
    assert found[1].bounds[0] == pytest.approx([-0.85, -0.1, -0.05])


def test_a_hollow_collision_mesh_becomes_hulls_of_its_components(
    bench: SimpleNamespace, tmp_path: Path
) -> None:
    parts = [trimesh.creation.annulus(0.1, 0.2, 0.1), trimesh.creation.box((0.2, 0.2, 0.2))]
    parts[1].apply_translation([1, 0, 0])
    files = {"c.obj": bench.obj_text(trimesh.util.concatenate(parts))}
    shapes = f"<visual>{BOX.format('1 1 1')}</visual><collision>{MESH.format('c.obj')}</collision>"
    outcome = normal_link(bench, tmp_path, shapes, files)
    assert source_of(outcome) == "source"
    expected = sorted(ConvexHull(part.vertices).volume for part in parts)
    assert sorted(mesh.volume for mesh in collisions_of(outcome)) == pytest.approx(expected)


@pytest.mark.parametrize("content", [None, "v 0 0 0\nf 1 2 3\n"])
def test_an_unusable_collision_mesh_is_a_finding(
    bench: SimpleNamespace, tmp_path: Path, content: str | None
) -> None:
    shapes = f"<visual>{BOX.format('1 1 1')}</visual><collision>{MESH.format('c.obj')}</collision>"
    files = {} if content is None else {"c.obj": content}
    outcome = normal_link(bench, tmp_path, shapes, files)
    assert bench.codes(outcome) == ["collision_replaced"]
    assert source_of(outcome) == "hulls"
    assert collisions_of(outcome)[0].volume == pytest.approx(1)


def test_parts_beyond_the_budget_are_said(bench: SimpleNamespace, tmp_path: Path) -> None:
    boxes = "".join(
        f'<visual><origin xyz="{n} 0 0"/>{BOX.format(f"0.{n + 1} 0.5 0.5")}</visual>'
        for n in range(9)
    )
    outcome = normal_link(bench, tmp_path, boxes)  # the tests' budget is 8
    assert bench.codes(outcome) == ["collision_left_out"]
    widths = sorted(round(float(mesh.extents[0]), 6) for mesh in collisions_of(outcome))
    assert widths == [round(0.1 * (n + 2), 6) for n in range(8)]


def test_an_inverted_shape_gets_a_hull_that_faces_outward() -> None:
    box = trimesh.creation.box((1, 2, 3))
    hulls, _ = link_hulls([Piece(np.asarray(box.vertices), np.asarray(box.faces)[:, ::-1])], most=4)
    assert trimesh.Trimesh(hulls[0].vertices, hulls[0].faces).volume == pytest.approx(6)


@pytest.mark.parametrize("turn", [0.0, 0.3, np.pi / 4])
def test_the_box_around_a_flat_square_does_not_stand_askew(turn: float) -> None:
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)
    matrix = trimesh.transformations.rotation_matrix(turn, (1, 2, 3))[:3, :3]
    faces = np.array([(0, 1, 2), (0, 2, 3)])
    hulls, _ = link_hulls([Piece(square @ matrix.T, faces)], most=1)
    volume = trimesh.Trimesh(hulls[0].vertices, hulls[0].faces).volume
    assert volume == pytest.approx(1 * 1 * 10 * FLATNESS, rel=1e-3)


def test_hulls_are_the_same_a_second_time() -> None:
    random = np.random.default_rng(5)
    shapes = []
    for number in range(12):
        points = random.normal(size=(40, 3)) * [1, 1, [1, 1e-2, 0][number % 3]]
        shapes.append(Piece(np.round(points + 5 * number, 9) + 0.0,
                            np.arange(39).reshape(-1, 3)))  # fmt: skip
        shapes[-1].faces[:, 0] = 0  # one component
    first, left_out = link_hulls(shapes, most=99)
    again, _ = link_hulls([Piece(hull.vertices, hull.faces) for hull in first], most=99)
    assert left_out == 0
    assert len(first) == len(again) == 12
    for one, two in zip(first, again, strict=True):
        assert np.array_equal(one.vertices, two.vertices)
        assert np.array_equal(one.faces, two.faces)


def test_real_convex_decompositions_are_kept(bench: SimpleNamespace, tmp_path: Path) -> None:
    folder = SAMPLES / "partnet_mobility/3763"
    if not folder.is_dir():
        pytest.skip("no decomposed sample: ../shared/samples is absent")
    outcome = bench.normal(folder, urdf="mobility_vhacd.urdf")
    sources = json.loads(outcome.record["collision_sources"])
    assert set(sources.values()) == {"source", "none"}  # the helper link of the screw is empty
    plain = bench.normal(folder, urdf="mobility.urdf")
    assert set(json.loads(plain.record["collision_sources"]).values()) == {"hulls", "none"}
    # The bottle is hollow: its decomposition fills less than the hulls of what it shows.
    volumes = [sum(m.volume for m in collisions_of(one)) for one in (outcome, plain)]
    assert volumes[0] != pytest.approx(volumes[1])


@pytest.mark.parametrize("name", ["7179", "40147", "100809"])
def test_real_objects_of_partnet_are_a_fixed_point(
    bench: SimpleNamespace, tmp_path: Path, name: str
) -> None:
    folder = SAMPLES / "partnet_mobility" / name
    if not folder.is_dir():
        pytest.skip("no real objects: ../shared/samples is absent")
    outcome = bench.normal(folder, urdf="mobility.urdf")
    again = bench.normal(bench.unpacked(outcome, tmp_path / "out"), urdf="object.urdf")
    assert outcome.files == again.files
    pictures = [data for file, data in (outcome.files or {}).items() if file.endswith(".jpg")]
    raw = {path.read_bytes() for path in (folder / "images").glob("*.jpg")}
    assert bool(pictures) == bool(raw)
    assert all(picture in raw for picture in pictures)
