# SPDX-License-Identifier: Apache-2.0
"""Collision geometry of objects: the source's own where it drew one, else of what it shows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from aa_dataset.untrusted.obj import read_obj
from pipeline.engine.runner import Outcome
from pipeline.generate.registry import family_names
from pipeline.handover.collisions import COLLISIONS, CollisionShapes
from tests.kit import bench
from tests.kit.places import SAMPLES, skip_without_samples

MESH = '<geometry><mesh filename="{}"/></geometry>'
BOX = '<geometry><box size="{}"/></geometry>'


def finished_link(folder: Path, inner: str, files: Mapping[str, Any] | None = None) -> Outcome:
    """Normalize and annotate an object of one link."""
    urdf = bench.robot(f'<link name="a">{inner}</link>')
    return finished(bench.write_object(folder / "raw", urdf, files or {}))


def finished(folder: Path, **options: Any) -> Outcome:
    """Normalize and annotate an object; records and findings of both."""
    normal = bench.normal(folder, **options)
    with tempfile.TemporaryDirectory() as place:
        final = bench.annotated(Path(place) / "object.tar", normal)
    return Outcome(normal.record, [*normal.findings, *final.findings], final.files)


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
    return outcome.record.collision_sources["base"]


def is_ring(parts: list[trimesh.Trimesh]) -> bool:
    """Tell whether parts hold a ring of radii 0.5 to 1, and leave most of its hole free."""
    angles = np.arange(0.03, 2 * np.pi, 0.16)  # off the planes between parts
    around = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    held, free = (
        np.any([part.contains(radius * around) for part in parts], axis=0) for radius in (0.75, 0.3)
    )
    return bool(held.all() and not free.any())


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


def test_a_drawer_of_boards_stays_hollow(tmp_path: Path) -> None:
    files = {f"{n}.obj": bench.obj_text(board) for n, board in enumerate(boards())}
    visuals = "".join(f"<visual>{MESH.format(name)}</visual>" for name in files)
    outcome = finished_link(tmp_path, visuals, files)
    hulls = collisions_of(outcome)
    assert len(hulls) == 5
    assert sum(hull.volume for hull in hulls) == pytest.approx(sum(b.volume for b in boards()))
    inside = np.array([[0.0, 0.0, 0.1]])  # in the hollow, above the floor
    assert not any(hull.contains(inside)[0] for hull in hulls)
    assert source_of(outcome) == "hulls"


def test_a_drawer_in_one_file_is_taken_apart_by_its_components(tmp_path: Path) -> None:
    parts = boards()
    for number, part in enumerate(parts):  # boards that do not share a corner
        part.apply_translation([0, 0, 0.001 * number])
    files = {"a.obj": bench.obj_text(trimesh.util.concatenate(parts))}
    outcome = finished_link(tmp_path, f"<visual>{MESH.format('a.obj')}</visual>", files)
    assert len(collisions_of(outcome)) == 5


@pytest.mark.parametrize("name", ["a.obj", "copy.obj"])
def test_a_copy_of_the_visuals_is_not_the_sources_own(tmp_path: Path, name: str) -> None:
    ring = trimesh.creation.annulus(0.5, 1.0, 0.2)
    files = {"a.obj": bench.obj_text(ring), "copy.obj": bench.obj_text(ring)}
    shapes = f"<visual>{MESH.format('a.obj')}</visual><collision>{MESH.format(name)}</collision>"
    outcome = finished_link(tmp_path, shapes, files)
    assert source_of(outcome) == "hulls"
    assert is_ring(collisions_of(outcome))


def test_the_sources_own_convex_parts_are_kept(tmp_path: Path) -> None:
    ring = trimesh.creation.annulus(0.5, 1.0, 0.2)
    sphere = trimesh.creation.icosphere(subdivisions=2, radius=0.4)
    sphere.apply_translation([0.7, 0, 0])
    files = {"a.obj": bench.obj_text(ring), "c.obj": bench.obj_text(sphere)}
    shapes = (
        f"<visual>{MESH.format('a.obj')}</visual><collision>{MESH.format('c.obj')}</collision>"
        f'<collision><origin xyz="-0.7 0 0"/>{BOX.format("0.3 0.2 0.1")}</collision>'
    )
    outcome = finished_link(tmp_path, shapes, files)
    assert source_of(outcome) == "source"
    found = collisions_of(outcome)
    assert [len(mesh.faces) for mesh in found] == [len(sphere.faces), 12]
    assert [mesh.volume for mesh in found] == pytest.approx([sphere.volume, 0.006])
    assert found[1].bounds[0] == pytest.approx([-0.85, -0.1, -0.05])


def test_a_hollow_collision_mesh_becomes_convex_parts(tmp_path: Path) -> None:
    files = {"c.obj": bench.obj_text(trimesh.creation.annulus(0.5, 1.0, 0.2))}
    shapes = f"<visual>{BOX.format('1 1 1')}</visual><collision>{MESH.format('c.obj')}</collision>"
    outcome = finished_link(tmp_path, shapes, files)
    assert source_of(outcome) == "source"
    assert is_ring(collisions_of(outcome))


def test_collision_shapes_reach_annotate_as_numbers(tmp_path: Path) -> None:
    """They used to be OBJ text between the stages."""
    shapes = f"<visual>{BOX.format('1 1 1')}</visual><collision>{MESH.format('c.obj')}</collision>"
    mesh = trimesh.creation.icosphere(subdivisions=1, radius=1 / 3)
    mesh.apply_translation([0.1, 0.2, 1 / 7])
    files = {"c.obj": bench.obj_text(mesh)}
    urdf = bench.robot(f'<link name="a">{shapes}</link>')
    normal = bench.normal(bench.write_object(tmp_path / "raw", urdf, files))
    assert not [name for name in normal.files if "-collision_" in name]
    ((name, piece),) = CollisionShapes.from_bytes(normal.files[COLLISIONS]).pieces.items()
    assert name == "meshes/base-collision_0.obj"
    final = bench.annotated(tmp_path / "object.tar", normal)
    assert COLLISIONS not in final.files
    # It is convex, so what annotate wrote is what it got, to the last bit.
    text = read_obj(final.files[name])
    order = np.lexsort(piece.vertices.T[::-1])
    assert np.array_equal(text.points, piece.vertices[order])
    assert len(text.whole.corners) == len(piece.faces) == 80


@pytest.mark.parametrize("content", [None, "v 0 0 0\nf 1 2 3\n"])
def test_an_unusable_collision_mesh_is_a_finding(tmp_path: Path, content: str | None) -> None:
    shapes = f"<visual>{BOX.format('1 1 1')}</visual><collision>{MESH.format('c.obj')}</collision>"
    files = {} if content is None else {"c.obj": content}
    outcome = finished_link(tmp_path, shapes, files)
    assert bench.codes(outcome) == ["collision_replaced"]
    assert source_of(outcome) == "hulls"
    assert collisions_of(outcome)[0].volume == pytest.approx(1)


def test_parts_beyond_the_budget_are_reported(tmp_path: Path) -> None:
    boxes = "".join(
        f'<visual><origin xyz="{n} 0 0"/>{BOX.format(f"0.{n + 1} 0.5 0.5")}</visual>'
        for n in range(9)
    )
    outcome = finished_link(tmp_path, boxes)  # the tests' budget is 8
    assert bench.codes(outcome) == ["collision_left_out"]
    widths = sorted(round(float(mesh.extents[0]), 6) for mesh in collisions_of(outcome))
    assert widths == [round(0.1 * (n + 2), 6) for n in range(8)]


def test_real_convex_decompositions_are_kept(tmp_path: Path) -> None:
    folder = SAMPLES / "partnet_mobility/3763"
    if not folder.is_dir():
        skip_without_samples()
    outcome = finished(folder, urdf="mobility_vhacd.urdf")
    sources = outcome.record.collision_sources
    assert set(sources.values()) == {"source", "none"}  # the helper link of the screw is empty
    plain = finished(folder, urdf="mobility.urdf")
    assert set(plain.record.collision_sources.values()) == {"hulls", "none"}
    # The bottle is hollow: its decomposition fills less than the hulls of what it shows.
    volumes = [sum(m.volume for m in collisions_of(one)) for one in (outcome, plain)]
    assert volumes[0] != pytest.approx(volumes[1])


# The slow ones take seconds; `test_samples.py` of normalize builds 7179 twice as well.
@pytest.mark.parametrize(
    "name",
    ["40147", "3763", *(pytest.param(n, marks=pytest.mark.slow) for n in ("7179", "100809"))],
)
def test_real_objects_of_partnet_are_a_fixed_point(tmp_path: Path, name: str) -> None:
    folder = SAMPLES / "partnet_mobility" / name
    if not folder.is_dir():
        skip_without_samples()
    outcome = finished(folder, urdf="mobility.urdf")
    again = finished(bench.unpacked(outcome, tmp_path / "out"), urdf="object.urdf")
    assert outcome.files == again.files
    pictures = [data for file, data in (outcome.files or {}).items() if file.endswith(".jpg")]
    raw = {path.read_bytes() for path in (folder / "images").glob("*.jpg")}
    assert bool(pictures) == bool(raw)
    assert all(picture in raw for picture in pictures)


def test_every_moving_link_of_every_hand_made_object_collides(door: Path, tmp_path: Path) -> None:
    outcome = finished(door)
    robot = bench.judge(bench.unpacked(outcome, tmp_path / "out") / "object.urdf")
    for link in robot.link_map.values():
        names = [shape.geometry.mesh.filename for shape in link.collisions]
        meshes = [trimesh.load_mesh(tmp_path / "out" / name) for name in names]
        assert len(meshes) == 1
        assert meshes[0].is_convex
        assert meshes[0].is_volume


def test_a_tiny_or_flat_part_still_collides_after_rounding(tmp_path: Path) -> None:
    shapes = {
        "point": "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n",
        "speck": bench.box_text((1e-7, 1e-7, 1e-7)),
        "flat speck": "v 0 0 0\nv 1e-6 0 0\nv 0 1e-6 0\nf 1 2 3\n",
        "sheet": "v 0 0 0\nv 1 0 0.3\nv 0 1 0.1\nf 1 2 3\n",
        "needle": "v 0 0 0\nv 1 1 1\nv 0.5 0.5 0.5\nf 1 2 3\n",
    }
    for text in shapes.values():
        urdf = bench.robot(
            bench.box_link("box"),
            bench.mesh_link("part", "a.obj"),
            bench.joint_text("j", "revolute", "box", "part"),
        )
        outcome = finished(bench.write_object(tmp_path / "raw", urdf, {"a.obj": text}))
        folder = bench.unpacked(outcome, tmp_path / "out")
        hull = trimesh.load_mesh(folder / "meshes/part-collision_0.obj", process=False)
        assert len(np.unique(hull.vertices, axis=0)) == 8
        assert hull.volume > 0
        assert np.linalg.matrix_rank(hull.vertices - hull.vertices.mean(axis=0), tol=1e-7) == 3


@pytest.mark.parametrize("family", family_names()[::8])
def test_building_a_finished_object_again_changes_no_byte(
    normalized: Callable[[str], Any], tmp_path: Path, family: str
) -> None:
    folder, _, _ = normalized(family)
    first = finished(folder)
    again = finished(bench.unpacked(first, tmp_path / "out"), urdf="object.urdf")
    assert first.files == again.files
