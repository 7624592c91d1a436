# SPDX-License-Identifier: Apache-2.0
"""Contract: every family gives a valid raw object, and together they use all joint types."""

import ast
import io
import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yourdfpy

import pipeline.generate
from pipeline.generate.assembly import Assembly
from pipeline.generate.collection import members
from pipeline.generate.draw import Draw
from pipeline.generate.registry import (
    categories,
    family,
    family_categories,
    family_names,
    supercategories,
)

SEED = 7
FAMILIES = family_names()
SUPERCATEGORIES = {
    "Storage Furniture",
    "Mechanisms",
    "Kitchen & Cooking",
    "Tools",
    "Electronics",
    "Architectural Fixtures",
    "Mobility",
    "Tables & Seating",
    "Containers",
    "Lighting",
    "Infrastructure",
    "Home Appliances",
    "Personal & Household Items",
    "Robotics",
    "Recreation",
}


def robot(collection: Path, name: str) -> ET.Element:
    """Return the URDF of the first object of a family."""
    return ET.parse(collection / f"{name}_00000" / "model.urdf").getroot()


def drawn(name: str, index: int) -> Assembly:
    """Build one object of a family."""
    return family(name)(Draw(SEED, name, index))


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


@pytest.mark.parametrize("name", FAMILIES)
def test_meshes_are_watertight_once_a_reader_welds_them(collection: Path, name: str) -> None:
    for path in (collection / f"{name}_00000" / "meshes").glob("*.obj"):
        loaded = trimesh.load(io.BytesIO(path.read_bytes()), file_type="obj", process=False)
        mesh = trimesh.Trimesh(loaded.vertices, loaded.faces, process=True)
        assert mesh.is_watertight and mesh.is_winding_consistent, path.name
        assert mesh.volume > 0, path.name


@pytest.mark.parametrize("name", FAMILIES)
def test_yourdfpy_loads_every_family(collection: Path, name: str) -> None:
    for folder in sorted(collection.glob(f"{name}_0*")):
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
    assert found >= 8


def test_families_use_all_joint_types_and_screws_are_common() -> None:
    kinds: Counter[str] = Counter()
    for name in FAMILIES:
        found = [drawn(name, k) for k in range(len(family_categories(name)))]
        kinds.update({joint.kind for assembly in found for joint in assembly.joints.values()})
    assert set(kinds) == {"fixed", "revolute", "prismatic", "continuous", "helical"}
    assert kinds["helical"] >= 8
    assert min(kinds.values()) >= 8


def test_some_objects_are_deep_and_some_are_large(collection: Path) -> None:
    depths = {name: levels(robot(collection, name)) for name in FAMILIES}
    assert depths["folding_ruler"] >= 7 and depths["snake_robot"] >= 8
    assert sum(depth >= 3 for depth in depths.values()) >= 15
    assert min(depths.values()) >= 1
    for name in ("keyboard", "slats"):
        moving = [j for j in drawn(name, 0).joints.values() if j.kind != "fixed"]
        assert len(moving) > 100, name


def test_every_object_has_a_category_that_its_family_lists() -> None:
    for name in FAMILIES:
        listed = family_categories(name)
        assert {drawn(name, k).category for k in range(len(listed))} == set(listed), name
        assert set(listed.values()) <= SUPERCATEGORIES, name


def test_there_are_enough_families_and_categories() -> None:
    assert len(FAMILIES) >= 56
    assert len(categories()) >= 135
    sizes = Counter(supercategories().values())
    assert set(sizes) == SUPERCATEGORIES
    wanted = {"Kitchen & Cooking": 18, "Electronics": 16, "Containers": 14}
    wanted |= {"Architectural Fixtures": 13, "Tools": 13}
    assert all(sizes[name] >= wanted.get(name, 5) for name in SUPERCATEGORIES), sizes


def test_a_category_has_one_supercategory_everywhere() -> None:
    for category, names in categories().items():
        assert len({family_categories(name)[category] for name in names}) == 1, category


def test_no_two_categories_share_family_and_ranges() -> None:
    """Compare what two categories of one family draw from, apart from the category itself."""
    for name in FAMILIES:
        seen: dict[object, str] = {}
        for k, category in enumerate(family_categories(name)):
            draw = Draw(SEED, name, k)
            family(name)(draw)
            spans = tuple(sorted((p, s) for p, s in draw.ranges.items() if p != "category"))
            assert spans not in seen, (name, category, seen.get(spans))
            seen[spans] = category


def test_the_default_library_holds_every_category_often_enough() -> None:
    found = Counter(
        list(family_categories(name))[index % len(family_categories(name))]
        for name, index in members(1000)
    )
    assert set(found) == set(categories())
    assert min(found.values()) >= 3


def test_families_differ_in_topology_or_geometry() -> None:
    seen: dict[object, str] = {}
    for name in FAMILIES:
        assembly = drawn(name, 0)
        sizes = tuple(sorted(sum(len(s.faces) for s in p.shapes) for p in assembly.parts.values()))
        key = (tuple(j.kind for j in assembly.joints.values()), sizes)
        assert key not in seen, (name, seen.get(key))
        seen[key] = name


def test_no_function_is_too_long() -> None:
    for path in sorted(Path(pipeline.generate.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 45, (path.name, node.name)
