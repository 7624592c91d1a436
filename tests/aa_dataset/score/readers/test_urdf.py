# SPDX-License-Identifier: Apache-2.0
"""URDF: frames, helper links, absent limits, several files of one object, triangles."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from aa_dataset import load_dataset
from aa_dataset.kinematics import KinematicTree, LimitSource
from aa_dataset.kinematics.joints_file import write_joints
from aa_dataset.kinematics.urdf import Geometry
from aa_dataset.metric import SplitNorm, contract, tree_distance
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.evaluate import evaluate
from aa_dataset.score.readers import triangles
from aa_dataset.score.readers.folder import PredictionFolder
from aa_dataset.score.readers.triangles import ALONG, AROUND, primitive_triangles
from aa_dataset.score.simulated.urdf import SIMULATED
from tests.kit.method_files import format_of, read_files, refused_files
from tests.kit.places import sample_folder
from tests.kit.random_trees import trees
from tests.kit.round_trip import (
    OBJECT_ID,
    brought_back,
    put_files,
    require_same_motion,
    setting_of,
)
from tests.kit.score_rows import values

HALF = math.pi / 2


def link(name: str, shape: str = "") -> str:
    visual = f"<visual><geometry>{shape}</geometry></visual>" if shape else ""
    return f'<link name="{name}">{visual}</link>'


def joint(name: str, parent: str, child: str, kind: str, inner: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inner}</joint>"
    )


def robot(*parts: str) -> bytes:
    return f"<robot name='t'>{''.join(parts)}</robot>".encode()


@given(trees())
def test_every_tree_comes_back(tree):
    trip = brought_back("urdf", tree)
    require_same_motion(trip.back, trip.kept)
    # The names of Articulate-Anything, and an empty base that is welded to the root.
    assert trip.kept.root == "base" and trip.kept.joints[0].name == f"base_to_{tree.root}"
    moving = {f"{one.parent}_to_{one.child}" for one in tree.movable}
    assert {one.name for one in trip.kept.movable} == moving


def test_shapes_of_a_written_tree_are_those_of_the_setting(tmp_path, hinge_below_a_slide):
    setting = setting_of(hinge_below_a_slide)
    kept = SIMULATED.keep_expressible(hinge_below_a_slide, setting)
    found = read_files(tmp_path, dict(SIMULATED.write(kept, setting).files)).triangles()
    assert set(found) == set(setting.triangles)
    for name, corners in setting.triangles.items():
        assert np.abs(found[name] - corners).max() <= 1e-15


@pytest.fixture
def hinge_below_a_slide(tmp_path) -> KinematicTree:
    """A slide in a turned frame, and a hinge in a frame that is turned again."""
    slide = joint(
        "slide", "root", "tray", "prismatic",
        f'<origin xyz="1 2 3" rpy="0 0 {HALF}"/><axis xyz="2 0 0"/><limit lower="0" upper="0.5"/>',
    )  # fmt: skip
    hinge = joint(
        "hinge", "tray", "lid", "revolute",
        f'<origin xyz="1 0 0" rpy="{HALF} 0 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="2"/>',
    )  # fmt: skip
    data = robot(link("root"), link("tray"), link("lid"), slide, hinge)
    return read_files(tmp_path / "fixture", {"model.urdf": data}).tree


def test_chained_origins(hinge_below_a_slide):
    slide, hinge = hinge_below_a_slide.joints
    # A quarter turn about z takes x to y. A length of the axis has no meaning.
    assert slide.axis == pytest.approx([0, 1, 0], abs=1e-15)
    # The hinge is 1 along the turned x, which is y; a quarter turn about its own x takes y to z.
    assert hinge.origin == pytest.approx([1, 3, 3], abs=1e-15)
    assert hinge.axis == pytest.approx([0, 0, 1], abs=1e-15)
    assert (slide.limits, hinge.limits) == ((0.0, 0.5), (-1.0, 2.0))


def test_limits_that_are_not_stated_are_absent_and_said(tmp_path):
    kinds = {"a": "revolute", "b": "prismatic", "c": "continuous", "d": "revolute"}
    inner = {"a": "<limit effort='1' velocity='1'/>", "d": "<limit lower='0' upper='1'/>"}
    parts = [joint(f"j_{k}", "root", k, kind, inner.get(k, "")) for k, kind in kinds.items()]
    found = read_files(tmp_path, {"m.urdf": robot(link("root"), *map(link, kinds), *parts)})
    sources = {one.name: one.limit_source for one in found.tree.joints}
    assert [name for name, one in sources.items() if one is LimitSource.ABSENT] == ["j_a", "j_b"]
    assert found.notes == ("no limits stated: j_a, j_b",)


def larm(number: int, *, base: str = "base", y: float = 0.0, folder: str = "") -> dict[str, bytes]:
    """Return a file as LARM writes it: the state is the upper end, every name is the same."""
    turn = joint(
        "joint", base, "part", "revolute",
        f'<origin xyz="0 {y} 0"/><axis xyz="0 0 1"/><limit lower="-{number + 1}" upper="0"/>',
    )  # fmt: skip
    name = f"eval_44817_joint_{number}"
    box = f'<box size="{number + 1} 1 1"/>'
    return {f"{folder}{name}.urdf": robot(link(base, box), link("part", box), turn)}


def test_a_broken_file_of_several_is_refused(tmp_path):
    broken = larm(1)["eval_44817_joint_1.urdf"]
    name = "eval_44817_joint_1.urdf"
    cases = {
        "holds NaN": broken.replace(b'xyz="0 0.0 0"', b'xyz="0 nan 0"'),
        "not well-formed": broken[:-9],
        "has no <child>": broken.replace(b'<child link="part"/>', b""),
        "does not exist": broken.replace(b'<parent link="base"/>', b'<parent link="lid"/>'),
    }
    for number, (words, data) in enumerate(cases.items()):
        text = refused_files(tmp_path / str(number), larm(0) | {name: data})
        assert words in text and (name in text or "'joint_1'" in text)


@pytest.mark.parametrize("folder", ["", "eval_44817_joint_{}/"])
def test_files_of_one_joint_each_join_at_their_base(tmp_path, folder):
    files = {}
    for number in (0, 2, 10):
        files |= larm(number, y=number / 10, folder=folder.format(number))
    found = read_files(tmp_path, files)
    assert found.tree.root == "base" and found.tree.links == ("base", "part_0", "part_2", "part_10")
    assert [one.origin[1] for one in found.tree.joints] == [0.0, 0.2, 1.0]
    assert [one.limits for one in found.tree.joints] == [(-1, 0), (-3, 0), (-11, 0)]
    assert "3 URDFs of one joint each" in found.notes[0]
    assert format_of(tmp_path) == "urdf"
    # The base of the others would hold the parts of the rest a second time.
    assert np.ptp(found.triangles()["base"][..., 0]) == 1.0


def test_files_of_one_joint_each_that_contradict_each_other_are_refused_files(tmp_path):
    text = refused_files(tmp_path, larm(0) | larm(1, base="body"))
    assert "eval_44817_joint_1.urdf: its root is 'body'" in text and "'base'" in text
    two_roots = {"eval_44817_joint_1.urdf": robot(link("base"), link("part"))}
    assert "2 links have no parent" in refused_files(tmp_path / "b", larm(0) | two_roots)
    other = {name.replace("44817", "7"): data for name, data in larm(1).items()}
    assert "expected object.urdf" in refused_files(tmp_path / "c", larm(0) | other)
    again = {"eval_44817_joint_00.urdf": next(iter(larm(0).values()))}
    assert "expected object.urdf" in refused_files(tmp_path / "d", larm(0) | again)


def test_a_mesh_beside_a_file_in_a_folder_is_found(tmp_path):
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    files = larm(0, folder="a/") | larm(1, folder="b/")
    files = {n: d.replace(b'<box size="1 1 1"/>', b'<mesh filename="p.obj" scale="2 3 4"/>')
             for n, d in files.items()}  # fmt: skip
    found = read_files(tmp_path, {**files, "a/p.obj": mesh}).triangles()
    assert found["base"].tolist() == [[[0, 0, 0], [2, 0, 0], [0, 3, 0]]]


def test_an_empty_root_that_floats_only_places_the_object(tmp_path):
    turn = joint("hinge", "body", "lid", "revolute", '<limit lower="0" upper="1"/>')
    place = joint("place", "l_world", "body", "floating", '<origin xyz="0 0 2"/>')
    parts = [link("l_world"), link("body", '<sphere radius="1"/>'), link("lid"), place, turn]
    found = read_files(tmp_path, {"m.urdf": robot(*parts)})
    assert [one.type for one in found.tree.joints] == ["fixed", "revolute"]
    assert found.tree.joint("hinge").origin.tolist() == [0, 0, 2]
    assert "counts as fixed" in found.notes[0]


@pytest.mark.parametrize(
    "parts",
    [
        # The root has a shape; the root carries two; the joint is inside the object.
        [link("a", '<sphere radius="1"/>'), link("b"), joint("j", "a", "b", "floating")],
        [link("a"), link("b"), link("c"), joint("j", "a", "b", "floating"),
         joint("k", "a", "c", "floating")],
        [link("a"), link("b"), link("c"), joint("j", "a", "b", "fixed"),
         joint("k", "b", "c", "floating")],
    ],
)  # fmt: skip
def test_other_floating_joints_are_refused_files(tmp_path, parts):
    assert "more than one degree of freedom" in refused_files(tmp_path, {"m.urdf": robot(*parts)})


def with_helpers(tree: KinematicTree) -> bytes:
    """Return the tree as URDF below `l_world` and `base`, each link with an empty `abstract_`."""
    setting = setting_of(tree)
    kept = SIMULATED.keep_expressible(tree, setting)
    text = SIMULATED.write(kept, setting).files["object.urdf"].decode()
    more = [link("l_world"), joint("w", "l_world", kept.root, "fixed")]
    for name in kept.links:
        more += [link(f"abstract_{name}"), joint(f"a_{name}", name, f"abstract_{name}", "fixed")]
    return text.replace("</robot>", f"{''.join(more)}</robot>").encode()


@given(trees(most=4))
def test_helper_links_cost_nothing_in_the_tree_distance(tree):
    with tempfile.TemporaryDirectory() as folder:
        back = read_files(Path(folder), {"object.urdf": with_helpers(tree)}).tree
    assert len(back.links) == 2 * (len(tree.links) + 1) + 1
    norm = SplitNorm()
    found = tree_distance(contract(back), contract(tree), norm=norm, compactify=math.pi)
    assert found.value == pytest.approx(0, abs=1e-12)


def test_helper_links_cost_nothing_in_any_score(pristine_library, tmp_path):
    dataset = load_dataset(pristine_library, split="eval200", verbose=False)
    for item in dataset:
        put_files(tmp_path / item.object_id, {"object.urdf": with_helpers(item.tree)})
    result = evaluate(dataset, PredictionFolder(tmp_path))
    assert result.count("scored") == 3 and max(values(result)) <= 1e-12


def facet(corners: int, radius: float = 1.0) -> float:
    """Return the area of a regular polygon in a circle."""
    return corners / 2 * math.sin(2 * math.pi / corners) * radius**2


def volume(corners: np.ndarray) -> float:
    """Return the volume inside closed, outward triangles."""
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6


def ball_volume() -> float:
    """Return the volume of the facets in the unit ball: frusta between polygons."""
    angles = np.linspace(0, math.pi, ALONG + 1)
    areas, heights = facet(AROUND) * np.sin(angles) ** 2, np.cos(angles)
    means = (areas[1:] + areas[:-1] + np.sqrt(areas[1:] * areas[:-1])) / 3
    return float((means * (heights[:-1] - heights[1:])).sum())


@pytest.mark.parametrize(
    ("geometry", "expected", "half"),
    [
        (Geometry("box", (1.0, 2.0, 3.0)), 6.0, (0.5, 1.0, 1.5)),
        (Geometry("cylinder", (2.0, 3.0)), 3 * facet(AROUND, 2.0), (2.0, 2.0, 1.5)),
        (Geometry("sphere", (2.0,)), 8 * ball_volume(), (2.0, 2.0, 2.0)),
        (Geometry("capsule", (2.0, 3.0)), 8 * ball_volume() + 3 * facet(AROUND, 2.0), (2, 2, 3.5)),
    ],
)
def test_primitives_are_closed_and_outward(geometry, expected, half):
    corners = primitive_triangles(geometry)
    assert volume(corners) == pytest.approx(expected, rel=1e-12)
    assert np.abs(corners).max(axis=(0, 1)) == pytest.approx(half, rel=1e-12)
    edges = np.round(
        np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), 9
    )
    edges += 0.0  # no negative zeros
    there = {edge.tobytes() for edge in edges}
    assert {edge[::-1].tobytes() for edge in edges} == there and len(there) == len(edges)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ('<mesh filename="../a.obj"/>', "outside the prediction's folder"),
        ('<mesh filename="/etc/a.obj"/>', "outside the prediction's folder"),
        ('<mesh filename="a.glb"/>', "is no OBJ file"),
        ('<mesh filename="absent.obj"/>', "cannot be read"),
        ('<mesh filename="wrong.obj"/>', "cannot be read"),
        ('<mesh filename="nan.obj"/>', "not finite"),
    ],
)
def test_a_shape_that_cannot_be_read_leaves_no_half_object(tmp_path, shape, words):
    files = {"wrong.obj": b"v 0 0 0\nf 1 2 3\n", "nan.obj": b"v 0 0 nan\nv 0 0 1\nf 1 2 1\n"}
    found = read_files(tmp_path, {"m.urdf": robot(link("a", shape)), **files})
    with pytest.raises(PredictionError, match=words):
        found.triangles()


def test_a_mesh_that_is_too_large_is_not_read_in_part(monkeypatch, tmp_path):
    monkeypatch.setattr(triangles, "MOST_MESH_BYTES", 30)
    mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
    found = read_files(
        tmp_path, {"m.urdf": robot(link("a", '<mesh filename="a.obj"/>')), "a.obj": mesh}
    )
    with pytest.raises(PredictionError, match="too large"):
        found.triangles()


def test_real_objects_of_articraft_are_read_with_their_shapes():
    folder = sample_folder("articraft")
    predictions = PredictionFolder(folder)
    names = sorted(path.name for path in folder.iterdir() if path.is_dir())
    for number, name in enumerate(names):
        found = predictions.prediction(name)
        assert predictions.format(name)[0] == "urdf"
        assert found.notes == ()  # every joint of Articraft v0 states its limits
        if number % 8:
            continue  # the shapes of some are enough
        boxes, corners = found.boxes().boxes, found.triangles()
        assert set(boxes) == set(corners)
        for part, (lower, upper) in boxes.items():
            size = (upper - lower).max()
            assert corners[part].min(axis=(0, 1)) == pytest.approx(lower, abs=0.02 * size)
            assert corners[part].max(axis=(0, 1)) == pytest.approx(upper, abs=0.02 * size)
    assert len(names) > 100


def test_real_objects_of_lam_are_read():
    folder = sample_folder("articulated_object_code")
    predictions = PredictionFolder(folder)
    trees_of = {}
    for path in sorted(folder.iterdir()):
        if (path / "generated.urdf").is_file() and len(list(path.glob("*.urdf"))) == 1:
            trees_of[path.name] = predictions.tree(path.name)
    assert len(trees_of) >= 5 and all(tree.movable for tree in trees_of.values())


def test_the_interchange_file_and_the_urdf_agree(tmp_path, hinge_below_a_slide):
    put_files(tmp_path / OBJECT_ID, {"joints.json": write_joints(hinge_below_a_slide)})
    require_same_motion(PredictionFolder(tmp_path).tree(OBJECT_ID), hinge_below_a_slide, 0.0)
