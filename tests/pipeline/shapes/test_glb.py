# SPDX-License-Identifier: Apache-2.0
"""The GLB shows upright and from its front in any viewer; reading gives the object frame exactly.

The files are read here by hand from the glTF 2.0 specification, and by trimesh as a second viewer.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from pipeline.generate.registry import family_names
from pipeline.shapes.glb import read_links
from tests.kit import bench

# glTF: +y is up and the front faces +z. Object frame: +z is up and the front faces +x.
TO_GLTF = [1, 2, 0]


def parse(glb: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the document and the binary chunk of a GLB (specification, section 4)."""
    magic, version, total, length, kind = struct.unpack_from("<4sIIII", glb)
    assert (magic, version, total, kind) == (b"glTF", 2, len(glb), 0x4E4F534A)
    end = 20 + length
    size, kind = struct.unpack_from("<II", glb, end)
    assert (end % 4, kind, end + 8 + size) == (0, 0x004E4942, total)
    return json.loads(glb[20:end]), glb[end + 8 :]


def turned(quaternion: list[float], points: np.ndarray) -> np.ndarray:
    """Turn points (n, 3) by a unit quaternion (x, y, z, w)."""
    axis, w = np.array(quaternion[:3]), quaternion[3]
    across = np.cross(axis, points)
    return points + 2 * (w * across + np.cross(axis, across))


def stored_points(tree: dict[str, Any], binary: bytes, mesh: int) -> np.ndarray:
    """Return the positions (n, 3) of a mesh as the file holds them, in double precision."""
    number = tree["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"]
    accessor = tree["accessors"][number]
    start = tree["bufferViews"][accessor["bufferView"]]["byteOffset"]
    assert start % 4 == 0
    values = np.frombuffer(binary, "<f4", 3 * accessor["count"], start).reshape(-1, 3)
    assert values.min(axis=0).tolist() == accessor["min"]
    assert values.max(axis=0).tolist() == accessor["max"]
    return values.astype(float)


def shown_points(glb: bytes) -> np.ndarray:
    """Return all vertices (n, 3) where a viewer shows them: y up."""
    tree, binary = parse(glb)
    nodes = tree["nodes"]
    (root,) = tree["scenes"][tree["scene"]]["nodes"]
    out = []
    for link in nodes[root]["children"]:
        for child in nodes[link].get("children", ()):
            points = stored_points(tree, binary, nodes[child]["mesh"]) + nodes[link]["translation"]
            out.append(turned(nodes[root]["rotation"], points))
    return np.concatenate(out)


def test_the_root_turns_up_to_y_and_front_to_z(door: Path) -> None:
    tree, _ = parse(bench.normal(door).files["object.glb"])
    root = tree["nodes"][tree["scenes"][0]["nodes"][0]]
    assert root["name"] == "Object"
    assert not {"matrix", "scale", "translation"} & set(root)
    up, front = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    # Halves are exact: a viewer that computes by this formula gets no noise.
    assert turned(root["rotation"], up[None]).tolist() == [[0.0, 1.0, 0.0]]
    assert turned(root["rotation"], front[None]).tolist() == [[0.0, 0.0, 1.0]]


@pytest.mark.parametrize("family", family_names()[1::9])
def test_an_object_stands_upright_for_two_readers(
    normalized: Callable[[str], Any], family: str
) -> None:
    _, outcome, _ = normalized(family)
    points = shown_points(outcome.files["object.glb"])
    scene = trimesh.load_scene(io.BytesIO(outcome.files["object.glb"]), file_type="glb")
    expected = np.array(outcome.record.extents)[TO_GLTF]
    diagonal = float(np.linalg.norm(expected))
    for lower, upper in ((points.min(axis=0), points.max(axis=0)), scene.bounds):
        assert upper - lower == pytest.approx(expected, abs=3e-7 * diagonal)
        assert lower[1] == pytest.approx(outcome.record.floor_z, abs=3e-7 * diagonal)


def test_a_knob_on_the_front_and_a_lid_on_top_are_shown_there(tmp_path: Path) -> None:
    urdf = bench.robot(
        bench.box_link("body", "0.4 0.6 0.8"),
        bench.box_link("knob", "0.02 0.02 0.02"),
        bench.box_link("lid", "0.4 0.6 0.01"),
        bench.joint_text("turn", "continuous", "body", "knob", xyz="0.21 0.1 0", axis="1 0 0"),
        bench.joint_text("open", "revolute", "body", "lid", xyz="0 0 0.41"),
    )
    outcome = bench.normal(bench.write_object(tmp_path / "raw", urdf))
    scene = trimesh.load_scene(io.BytesIO(outcome.files["object.glb"]), file_type="glb")
    knob, lid = (scene.graph[f"{name}_0.mesh"][0][:3, 3] for name in ("knob", "lid"))
    # (0.21, 0.1, -0.41) in the object frame.
    assert knob - lid == pytest.approx([0.1, -0.41, 0.21])


@pytest.mark.parametrize("family", family_names()[4::9])
@pytest.mark.parametrize("looks", [True, False])
def test_reading_gives_the_object_frame_to_the_bit(
    normalized: Callable[[str], Any], family: str, looks: bool
) -> None:
    glb = normalized(family)[1].files["object.glb"]
    tree, binary = parse(glb)
    links = [tree["nodes"][number] for number in tree["nodes"][0]["children"]]
    found = read_links(glb, tuple(link["name"] for link in links), looks=looks)
    for link in links:
        children = [tree["nodes"][number] for number in link.get("children", ())]
        assert len(found[link["name"]]) == len(children)
        meshes = [node["mesh"] for node in sorted(children, key=lambda node: node["name"])]
        for mesh, number in zip(found[link["name"]], meshes, strict=True):
            expected = stored_points(tree, binary, number) + link["translation"]
            assert np.asarray(mesh.vertices).tobytes() == expected.tobytes()


def test_points_are_shown_by_a_swap_of_the_coordinates_that_are_read(
    normalized: Callable[[str], Any],
) -> None:
    glb = normalized("kettle")[1].files["object.glb"]
    tree, _ = parse(glb)
    links = tuple(tree["nodes"][number]["name"] for number in tree["nodes"][0]["children"])
    meshes = [mesh for parts in read_links(glb, links).values() for mesh in parts]
    read = np.concatenate([np.asarray(mesh.vertices) for mesh in meshes])
    shown = shown_points(glb)
    assert np.abs(np.sort(shown, axis=0) - np.sort(read[:, TO_GLTF], axis=0)).max() < 1e-15
