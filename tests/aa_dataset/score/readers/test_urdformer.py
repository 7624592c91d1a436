# SPDX-License-Identifier: Apache-2.0
"""URDFormer: rotation vectors, limits of its table, its cabinet's frame; ten real outputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import Joint, JointType, KinematicTree, LimitSource
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder import PredictionFolder
from tests.kit.method_files import format_of, read_files, refused_files
from tests.kit.places import SAMPLES, skip_without_samples
from tests.kit.random_trees import trees
from tests.kit.round_trip import brought_back, put_files, require_same_motion, setting_of

LIMITS = {"drawer": (0, 0.4), "doorL": (-1.57, 0), "doorR": (0, 1.57), "doorD": (-1.57, 0)}


def link(name: str, mesh: str, origin: str = "0 0 0", rpy: str = "0 0 0") -> str:
    return (
        f'<link name="{name}"><visual><origin xyz="{origin}" rpy="{rpy}"/><geometry>'
        f'<mesh filename="../meshes/{mesh}.obj" scale="1 1 1"/></geometry></visual></link>'
    )


def joint(child: str, parent: str, kind: str, axis: str, xyz: str, rpy: str = "0 0 0") -> str:
    lower, upper = LIMITS.get(child.rstrip("0123456789"), (0, 1.57))
    return (
        f'<joint name="{child}_to_{parent}" type="{kind}"><axis xyz="{axis}"/>'
        f'<limit effort="5" lower="{lower}" upper="{upper}" velocity="2.283"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/><parent link="{parent}"/><child link="{child}"/></joint>'
    )


def robot(*parts: str, base: str = link("base_link", "cabinet")) -> dict[str, bytes]:
    text = f'<?xml version="1.0"?><robot name="my_urdf">{base}{"".join(parts)}</robot>'
    return {"output/image.urdf": text.encode()}


def test_the_three_numbers_of_a_rotation_are_its_vector(tmp_path):
    # A third of a turn about (1, 1, 1) takes x to y, y to z and z to x.
    third = " ".join([repr(2 * math.pi / 3 / math.sqrt(3))] * 3)
    parts = [link("drawer0", "parts/drawer"), link("doorL1", "parts/doorL")]
    parts += [joint("drawer0", "base_link", "prismatic", "1 0 0", "0 0.5 0.75", third)]
    parts += [joint("doorL1", "drawer0", "revolute", "0 0 1", "1 0 0")]
    drawer, door = read_files(tmp_path, robot(*parts)).tree.joints
    assert drawer.axis == pytest.approx([0, 1, 0], abs=1e-15)
    assert door.axis == pytest.approx([1, 0, 0], abs=1e-15)
    assert door.origin == pytest.approx([0, 1.5, 0.75], abs=1e-15)
    assert format_of(tmp_path) == "urdformer"


def test_limits_are_those_of_the_method_and_said(tmp_path):
    parts = [link("drawer0", "parts/drawer"), link("doorD1", "parts/doorD"), link("k2", "a")]
    parts += [joint("drawer0", "base_link", "prismatic", "1 0 0", "0 0 0")]
    parts += [joint("doorD1", "base_link", "revolute", "0 1 0", "0 0 0")]
    other = joint("k2", "base_link", "revolute", "0 1 0", "0 0 0").replace("1.57", "1.2")
    found = read_files(tmp_path, robot(*parts, other))
    table, given_ = LimitSource.TABLE, LimitSource.GIVEN
    assert [one.limit_source for one in found.tree.joints] == [table, table, given_]
    assert [one.limits for one in found.tree.joints] == [(0, 0.4), (-1.57, 0), (0, 1.2)]
    stated = "limits given by the method's table: drawer0_to_base_link, doorD1_to_base_link"
    assert found.notes == (stated,)


def test_a_handle_stays_fixed_though_it_states_limits(tmp_path):
    parts = [
        link("handle0", "parts/handle"),
        joint("handle0", "base_link", "fixed", "0 0 1", "0 0 0"),
    ]
    assert read_files(tmp_path, robot(*parts)).tree.joints[0].type is JointType.FIXED


def test_the_base_of_a_kitchen_is_read_in_the_frame_of_its_joints(tmp_path):
    base = link("base_link", "cabinet", "3 2 0", f"0 0 {math.pi / 2}")
    parts = [
        link("drawer0", "cabinet"),
        joint("drawer0", "base_link", "prismatic", "1 0 0", "0 1 0"),
    ]
    mesh = {"meshes/cabinet.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"}
    found = read_files(tmp_path, robot(*parts, base=base) | mesh)
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    shapes = found.triangles()
    assert (shapes["base_link"][0] == triangle).all()
    assert (shapes["drawer0"][0] == triangle + np.array([0, 1, 0])).all()
    assert "its place is left out" in found.notes[-1]


def test_meshes_outside_the_prediction_are_refused(tmp_path):
    text = robot()["output/image.urdf"]
    found = read_files(tmp_path, {"image.urdf": text})
    put_files(tmp_path, {"meshes/cabinet.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"})
    with pytest.raises(PredictionError, match="outside the prediction's folder"):
        found.triangles()


def test_a_urdf_without_the_base_mesh_is_no_urdformer(tmp_path):
    data = robot()["output/image.urdf"].replace(b"cabinet", b"shelf")
    read_files(tmp_path, {"image.urdf": data})
    assert format_of(tmp_path) == "urdf"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'type="revolute"', b'type="spherical"', "more than one degree of freedom"),
        (b'type="revolute"', b'type="unknown"', "the type 'unknown' is not known"),
        (b'rpy="0 0 0"/><parent', b'rpy="0 0 inf"/><parent', "holds NaN or infinity"),
        (b'rpy="0 0 0"/><parent', b'rpy="0 0"/><parent', "is not 3 numbers"),
        (b'parent link="base_link"', b'parent link="doorL0"', "cycle"),
        (b"</robot>", b"", "not well-formed"),
        (b'axis xyz="0 0 1"', b'axis xyz="0 0 0"', "the axis is zero"),
    ],
)
def test_broken_files_are_refused(tmp_path, old, new, words):
    parts = [
        link("doorL0", "parts/doorL"),
        joint("doorL0", "base_link", "revolute", "0 0 1", "0 0 0"),
    ]
    data = robot(*parts)["output/image.urdf"].replace(old, new)
    assert words in refused_files(tmp_path, {"output/image.urdf": data})


@given(trees())
def test_every_tree_comes_back_as_its_classes(tree):
    trip = brought_back("urdformer", tree)
    require_same_motion(trip.back, trip.kept)
    for one, two in zip(tree.joints, trip.kept.joints, strict=True):
        assert two.type in (one.type, JointType.FIXED, JointType.REVOLUTE)
        assert not two.is_movable or two.limit_source is LimitSource.TABLE


def test_what_the_classes_keep(tmp_path):
    """A drawer, a door hinged left, a flap, and a slide along the front, which has no class."""
    ends = {"lower": 0.0, "upper": 1.0}
    joints = (
        Joint("a", "prismatic", [2, 1, 0], [0.2, 0, 0.1], parent="r", child="l0", **ends),
        Joint("b", "revolute", [0, 0, -1], [0.4, -0.1, 0], parent="r", child="l1", **ends),
        Joint("c", "continuous", [0, 1, 0], [0.4, 0, 0.4], parent="r", child="l2"),
        Joint("d", "prismatic", [0, 1, 0], [0, 0, 0], parent="r", child="l3", **ends),
    )
    tree = KinematicTree("t", ("r", "l0", "l1", "l2", "l3"), joints)
    setting = setting_of(tree)
    trip = brought_back("urdformer", tree, setting)
    kept = trip.kept
    assert set(read_files(tmp_path, trip.written.files).triangles()) == set(kept.links)
    assert [one.child for one in kept.joints] == ["drawer0", "doorL1", "doorU2", "knob3"]
    longest = setting.shape.extents.max()
    drawer, door, _, _ = kept.joints
    assert drawer.limits == pytest.approx((0, 0.4 * longest)) and door.limits == (-1.57, 0.0)
    front = setting.shape.center[0] + setting.shape.extents[0] / 2
    assert door.origin[0] == pytest.approx(front)
    low = setting.shape.center[1] - setting.shape.extents[1] / 2
    steps = (door.origin[1] - low) / longest * 12
    assert steps == pytest.approx(round(steps)) and abs(door.origin[1] + 0.1) <= longest / 24


def test_ten_real_outputs(tmp_path):
    source = SAMPLES.parent / "predictions" / "urdformer"
    if not source.is_dir():
        skip_without_samples()
    meshes = {f"meshes/{one.relative_to(source / 'meshes')}": one.read_bytes()
              for one in (source / "meshes").rglob("*.obj")}  # fmt: skip
    outputs = sorted((source / "output").glob("*.urdf"))
    kinds: dict[str, int] = {}
    for path in outputs:
        put_files(tmp_path / path.stem, {f"output/{path.name}": path.read_bytes(), **meshes})
        predictions = PredictionFolder(tmp_path)
        assert predictions.format(path.stem)[0] == "urdformer"
        found = predictions.prediction(path.stem)
        require_urdformer(found.tree, kinds)
        require_in_front(found.triangles())
    # Counted in the files by their tags.
    text = b"".join(path.read_bytes() for path in outputs).decode()
    assert len(outputs) == 10
    assert kinds == {kind: text.count(f'type="{kind}"') for kind in kinds} and len(kinds) == 3


def require_urdformer(tree: KinematicTree, kinds: dict[str, int]) -> None:
    for one in tree.joints:
        kinds[one.type] = kinds.get(one.type, 0) + 1
        if one.is_movable:
            expected = next(v for k, v in LIMITS.items() if one.child.startswith(k))
            assert one.limits == expected and one.limit_source is LimitSource.TABLE
            assert one.axis.tolist() == ([1, 0, 0] if one.child.startswith("drawer") else [0, 0, 1])
            assert one.origin[0] == 0


def require_in_front(shapes: dict[str, np.ndarray]) -> None:
    """The body is behind x = 0 and the handles are before it: the front is +x."""
    body = shapes["base_link"]
    assert body[..., 0].max() < 0.05 and body[..., 0].min() < -1
    for name, corners in shapes.items():
        if name.startswith(("handle", "knob")):
            assert corners[..., 0].mean() > 0
        low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
        assert (low[1:] > -0.2).all() and high[1] < 1.2 and high[2] < 2.4, name
