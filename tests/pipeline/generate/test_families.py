# SPDX-License-Identifier: Apache-2.0
"""Contract: every family gives a valid raw object, and together they use all joint types."""

import io
import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yourdfpy

from pipeline.generate.draw import Draw
from pipeline.generate.registry import family, family_names
from pipeline.generate.shape import Shape

SEED = 7
FAMILIES = family_names()


def robot(collection: Path, name: str) -> ET.Element:
    """Return the URDF of the first object of a family."""
    return ET.parse(collection / f"{name}_00000" / "model.urdf").getroot()


def levels(root: ET.Element) -> int:
    """Movable joints on the longest way from the root, a screw counted once."""
    parent = {j.find("child").get("link"): j for j in root.iter("joint")}

    def depth(link: str) -> int:
        joint = parent.get(link)
        if joint is None:
            return 0
        moves = joint.get("type") != "fixed" and joint.find("mimic") is None
        return int(moves) + depth(joint.find("parent").get("link"))

    return max(depth(link.get("name")) for link in root.iter("link"))


def winding(points: np.ndarray, shape: Shape) -> np.ndarray:
    """Winding number of a closed solid around each point: 1 inside, 0 outside."""
    a, b, c = (shape.vertices[shape.faces[:, k]] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=-1) for v in (a, b, c))
    top = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
    bottom = la * lb * lc
    for u, v, w in ((a, b, lc), (b, c, la), (c, a, lb)):
        bottom = bottom + np.einsum("ijk,ijk->ij", u, v) * w
    return 2 * np.arctan2(top, bottom).sum(axis=1) / (4 * np.pi)


def inside(points: np.ndarray, shapes: tuple[Shape, ...]) -> np.ndarray:
    """Tell which points lie in any of the solids."""
    result = np.zeros(len(points), dtype=bool)
    for shape in shapes:
        low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
        near = np.flatnonzero(((points > low) & (points < high)).all(axis=1) & ~result)
        if len(near):
            result[near] = winding(points[near], shape) > 0.5
    return result


def bounds(shapes: tuple[Shape, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Bounding box of some solids."""
    points = np.vstack([s.vertices for s in shapes])
    return points.min(axis=0), points.max(axis=0)


@pytest.mark.parametrize("name", FAMILIES)
def test_meshes_are_watertight_also_after_a_reader_welds_them(collection: Path, name: str) -> None:
    for path in (collection / f"{name}_00000" / "meshes").iterdir():
        mesh = trimesh.load(io.BytesIO(path.read_bytes()), file_type="obj", process=True)
        assert mesh.is_watertight and mesh.is_winding_consistent, path.name
        assert mesh.volume > 0, path.name


@pytest.mark.parametrize("name", FAMILIES)
def test_yourdfpy_loads_every_family(collection: Path, name: str) -> None:
    for index in range(2):
        folder = collection / f"{name}_{index:05d}"
        model = yourdfpy.URDF.load(folder / "model.urdf", load_meshes=False)
        parts = json.loads((folder / "meta.json").read_text())["parts"]
        with_geometry = {name for name, link in model.link_map.items() if link.visuals}
        assert with_geometry == set(parts)
        assert len(model.joint_map) == len(model.link_map) - 1


@pytest.mark.parametrize("name", FAMILIES)
def test_joints_follow_the_convention(collection: Path, name: str) -> None:
    for joint in robot(collection, name).iter("joint"):
        if joint.get("type") == "fixed":
            continue
        axis = np.array(joint.find("axis").get("xyz").split(), dtype=float)
        assert np.linalg.norm(axis) == pytest.approx(1, abs=1e-8)
        limit = joint.find("limit").attrib
        assert float(limit["effort"]) > 0 and float(limit["velocity"]) > 0
        if joint.get("type") == "continuous":
            assert "lower" not in limit and "upper" not in limit
        else:
            assert float(limit["lower"]) <= 0 <= float(limit["upper"])
            assert float(limit["lower"]) < float(limit["upper"])


def test_a_screw_is_a_turn_and_a_coupled_slide_on_one_axis(collection: Path) -> None:
    found = 0
    for path in collection.glob("*/model.urdf"):
        root = ET.parse(path).getroot()
        joints = {joint.get("name"): joint for joint in root.iter("joint")}
        for slide in (j for j in joints.values() if j.find("mimic") is not None):
            found += 1
            turn = joints[slide.find("mimic").get("joint")]
            carrier = turn.find("child").get("link")
            assert (turn.get("type"), slide.get("type")) == ("revolute", "prismatic")
            assert slide.find("parent").get("link") == carrier
            assert root.find(f"link[@name='{carrier}']/visual") is None
            assert turn.find("axis").get("xyz") == slide.find("axis").get("xyz")
            pitch = float(slide.find("mimic").get("multiplier"))
            ends = [float(turn.find("limit").get(end)) * pitch for end in ("lower", "upper")]
            given = [float(slide.find("limit").get(end)) for end in ("lower", "upper")]
            assert given == pytest.approx(sorted(ends), abs=1e-9)
    assert found >= 3


def test_families_use_all_joint_types_and_reach_deep() -> None:
    kinds: Counter[str] = Counter()
    for name in FAMILIES:
        kinds.update({joint.kind for joint in family(name)(Draw(SEED, name, 0)).joints.values()})
    assert set(kinds) == {"fixed", "revolute", "prismatic", "continuous", "helical"}
    assert min(kinds.values()) >= 3


def test_some_families_have_three_or_more_movable_levels(collection: Path) -> None:
    depths = {name: levels(robot(collection, name)) for name in FAMILIES}
    assert depths["robotic_arm"] >= 5
    assert sum(depth >= 3 for depth in depths.values()) >= 5
    assert min(depths.values()) >= 1


def test_there_are_enough_families_and_categories(collection: Path) -> None:
    metas = [json.loads(path.read_text()) for path in collection.glob("*/meta.json")]
    assert len(FAMILIES) >= 20
    assert len({meta["category"] for meta in metas}) >= len(FAMILIES) - 1


def test_families_differ_in_topology_or_geometry() -> None:
    seen = {}
    for name in FAMILIES:
        assembly = family(name)(Draw(SEED, name, 0))
        sizes = tuple(sorted(sum(len(s.faces) for s in p.shapes) for p in assembly.parts.values()))
        key = (tuple(j.kind for j in assembly.joints.values()), sizes)
        assert key not in seen, (name, seen.get(key))
        seen[key] = name


@pytest.mark.parametrize("name", FAMILIES)
def test_parts_hardly_overlap_at_rest(name: str) -> None:
    """Sample the common box of each pair; the shared volume is below 2 % of the smaller part."""
    assembly = family(name)(Draw(SEED, name, 0))
    rng = np.random.default_rng(0)
    parts = list(assembly.parts.values())[:12]
    boxes = [bounds(part.shapes) for part in parts]
    for i, first in enumerate(parts):
        for j in range(i):
            low = np.maximum(boxes[i][0], boxes[j][0])
            high = np.minimum(boxes[i][1], boxes[j][1])
            if (high - low <= 1e-4).any():
                continue
            points = rng.uniform(low, high, (200, 3))
            both = inside(points, first.shapes)
            both[both] = inside(points[both], parts[j].shapes)
            shared = both.mean() * float(np.prod(high - low))
            smaller = min(sum(s.volume for s in p.shapes) for p in (first, parts[j]))
            assert shared <= 0.02 * smaller, (first.name, parts[j].name)
