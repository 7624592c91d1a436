# SPDX-License-Identifier: Apache-2.0
"""What only strangers' collections have: shared names, joints of one state, single triangles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pinocchio
import pytest

from aa_dataset.convention.document import check_convention
from aa_dataset.kinematics import JointType, KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from aa_dataset.untrusted.obj import read_obj
from pipeline.engine.runner import Outcome
from tests.kit import bench
from tests.pipeline.stages.normalize.pictures import picture

Make = Callable[..., Outcome]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize a URDF given by its parts; `files` are further files of the object."""

    def run(*parts: str, files: dict[str, str | bytes] | None = None, **options: Any) -> Outcome:
        folder = bench.write_object(tmp_path / "raw", bench.robot(*parts), files)
        return bench.normal(folder, **options)

    return run


def tree_of(outcome: Outcome) -> KinematicTree:
    return urdf_tree(parse_urdf((outcome.files or {})["object.urdf"]))


def details(outcome: Outcome, code: str) -> list[str]:
    return [one.detail for one in outcome.findings if one.code == code]


def limits(lower: float, upper: float) -> str:
    return f'lower="{lower}" upper="{upper}" effort="1" velocity="1"'


def loaded_by_pinocchio(path: Path) -> set[str]:
    """Return the names of joints that pinocchio finds without ambiguity."""
    model = pinocchio.buildModelFromUrdf(str(path))
    document = parse_urdf(path.read_bytes())
    for link in document.links:
        model.getFrameId(link.name)  # raises if a joint has the same name
    return {*model.names}


def test_a_joint_never_has_the_name_of_a_link(make: Make, tmp_path: Path) -> None:
    outcome = make(
        bench.box_link("lid"),
        bench.box_link("arm"),
        bench.box_link("Arm joint"),
        bench.joint_text("Arm", "revolute", "lid", "arm"),
        bench.joint_text("base", "revolute", "arm", "Arm joint"),
    )
    record, tree = outcome.record, tree_of(outcome)
    names = [*tree.links, *(joint.name for joint in tree.joints)]
    assert len(set(names)) == len(names)
    assert set(record.joint_names.values()) == {"Arm", "base"}
    assert set(record.link_names.values()) == {"lid", "arm", "Arm joint"}
    done = bench.annotated(tmp_path / "made.tar", outcome)
    folder = bench.unpacked(done, tmp_path / "made")
    assert loaded_by_pinocchio(folder / "object.urdf") >= set(record.joint_names)


def test_the_names_of_a_screw_are_unique_too(make: Make) -> None:
    screw = '<mimic joint="turn" multiplier="0.1"/>'
    outcome = make(
        bench.box_link("a"),
        '<link name="between"/>',
        bench.box_link("cap"),
        bench.box_link("cap_carrier"),
        bench.box_link("turn_slide"),
        bench.joint_text("turn", "revolute", "a", "between"),
        bench.joint_text("slide", "prismatic", "between", "cap", more=screw),
        bench.joint_text("x", "fixed", "a", "cap_carrier", axis=None),
        bench.joint_text("y", "fixed", "a", "turn_slide", axis=None),
    )
    document = parse_urdf((outcome.files or {})["object.urdf"])
    names = [one.name for one in (*document.links, *document.joints)]
    assert len(set(names)) == len(names)
    kinds = {joint.name: joint.type for joint in tree_of(outcome).joints}
    assert kinds["turn"] is JointType.HELICAL


def test_no_link_has_a_name_that_a_simulator_keeps_for_itself(make: Make) -> None:
    outcome = make(
        bench.box_link("a"),
        bench.box_link("World"),
        bench.box_link("universe"),
        bench.joint_text("j", "revolute", "a", "World"),
        bench.joint_text("k", "revolute", "World", "universe"),
    )
    assert not {"world", "universe"} & set(tree_of(outcome).links)
    assert {"World", "universe"} < set(outcome.record.link_names.values())


def test_the_check_names_a_joint_with_the_name_of_a_link(make: Make) -> None:
    parts = [bench.box_link("a"), bench.box_link("b"), bench.joint_text("j", "revolute", "a", "b")]
    files = dict(make(*parts).files or {})
    files["object.urdf"] = files["object.urdf"].replace(b'joint name="j"', b'joint name="b"')
    problems = check_convention(files["object.urdf"], files, with_inertials=False)
    assert "Joint b has the name of a link; rename it." in problems


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("value", [0.0, 0.5])
def test_a_joint_of_one_state_becomes_fixed(make: Make, kind: str, value: float) -> None:
    outcome = make(
        *map(bench.box_link, "abc"),
        bench.joint_text("j", kind, "a", "b", xyz="1 0 0", limit=limits(value, value)),
        bench.joint_text("k", "revolute", "b", "c"),
    )
    found = {joint.name: joint for joint in tree_of(outcome).joints}
    assert (found["j"].type, found["k"].limits) == (JointType.FIXED, (-1.0, 1.0))
    assert details(outcome, "limit_zero") == [
        f"joint j: lower and upper are both {value:g}; it became fixed."
    ]
    # The stored state stays: b is 1 m beside a.
    assert found["k"].origin - found["j"].origin == pytest.approx(np.zeros(3))


def test_the_followers_of_a_joint_of_one_state_are_fixed_too(make: Make) -> None:
    outcome = make(
        *map(bench.box_link, "abcd"),
        bench.joint_text("third", "revolute", "a", "d", more='<mimic joint="second"/>'),
        bench.joint_text("second", "revolute", "a", "c", more='<mimic joint="first"/>'),
        bench.joint_text("first", "revolute", "a", "b", limit=limits(0, 0)),
    )
    assert {joint.type for joint in tree_of(outcome).joints} == {JointType.FIXED}
    assert len(details(outcome, "limit_zero")) == 3


@pytest.mark.parametrize(
    ("kind", "leader", "more", "expected"),
    [
        ("revolute", 'lower="-1" upper="2"', 'multiplier="-2" offset="0.5"', (-3.5, 2.5)),
        ("prismatic", 'lower="0" upper="2"', 'multiplier="0.25"', (0.0, 0.5)),
        ("revolute", None, 'multiplier="1"', (-np.inf, np.inf)),
    ],
)
def test_a_follower_without_range_gets_the_one_that_its_leader_drives(
    make: Make, kind: str, leader: str | None, more: str, expected: tuple[float, float]
) -> None:
    outcome = make(
        *map(bench.box_link, "abc"),
        bench.joint_text(
            "f", kind, "a", "c", limit=limits(0, 0), more=f'<mimic joint="l" {more}/>'
        ),
        bench.joint_text("l", "revolute", "a", "b", limit=leader),
    )
    found = {joint.name: joint for joint in tree_of(outcome).joints}
    assert found["f"].limits == pytest.approx(expected)
    assert details(outcome, "limit_zero") == [
        "joint f: its empty range became the one of its leader l."
    ]


def test_a_follower_that_never_moves_is_fixed(make: Make) -> None:
    still = '<mimic joint="l" multiplier="0"/>'
    outcome = make(
        *map(bench.box_link, "abc"),
        bench.joint_text("f", "revolute", "a", "c", limit=limits(0, 0), more=still),
        bench.joint_text("l", "continuous", "a", "b", limit=None),
    )
    assert {j.name: j.type for j in tree_of(outcome).joints}["f"] is JointType.FIXED


def test_a_long_chain_of_followers_is_settled_without_recursion(make: Make) -> None:
    count = 900
    parts = [bench.box_link("base"), *(bench.box_link(f"l{n}") for n in range(count))]
    parts += [
        bench.joint_text(f"j{n}", "revolute", "base", f"l{n}", more=f'<mimic joint="j{n + 1}"/>')
        for n in range(count - 1)
    ]
    last = bench.joint_text(f"j{count - 1}", "revolute", "base", f"l{count - 1}",
                            limit=limits(1, 1))  # fmt: skip
    outcome = make(*parts, last)
    assert not tree_of(outcome).movable


def thing(make: Make, mesh: str, head: str = "") -> Outcome:
    """Return a box on which a flap of one mesh turns."""
    return make(
        bench.box_link("box", "1 1 1"),
        bench.mesh_link("flap", "flap.obj"),
        bench.joint_text("j", "revolute", "box", "flap"),
        files={"flap.obj": head + mesh},
    )


def loaded_by_mujoco(outcome: Outcome, folder: Path) -> Any:
    """Return MuJoCo's model of every visual mesh of an outcome, as the loader asks for it."""
    meshes = sorted((bench.unpacked(outcome, folder) / "meshes").glob("*_[0-9].obj"))
    visuals = [mesh for mesh in meshes if "-collision" not in mesh.name]
    spec = mujoco.MjSpec()
    for mesh in visuals:
        spec.add_mesh(name=mesh.stem, file=str(mesh),
                      inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)  # fmt: skip
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh.stem, contype=0, conaffinity=0
        )
    return spec.compile()


@pytest.mark.parametrize("faces", ["f 1 2 3\n", "f 1 2 3\nf 3 2 1\n", "f 3 1 2\n", "f 2 1 3\n"])
def test_a_single_triangle_is_cut_in_two_and_keeps_its_place(
    make: Make, tmp_path: Path, faces: str
) -> None:
    text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    outcome = thing(make, text + faces)
    written = read_obj((outcome.files or {})["meshes/flap_0.obj"])
    corners = written.points[np.concatenate([group.corners for group in written.groups])]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2
    sides = faces.count("f")
    assert len(corners) == 2 * sides
    assert np.abs(areas) == pytest.approx(0.25)  # each is half of 1/2 m^2
    front = -1.0 if faces == "f 2 1 3\n" else 1.0
    assert areas[:2] == pytest.approx([front / 4] * 2)
    assert np.ptp(corners.reshape(-1, 3), axis=0) == pytest.approx([1, 1, 0])
    assert details(outcome, "visual_left_out") == []
    assert loaded_by_mujoco(outcome, tmp_path / "made").nmesh == 2


def test_texture_coordinates_of_a_cut_triangle_are_interpolated(make: Make) -> None:
    mesh = (
        "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"
    )
    outcome = make(
        bench.box_link("box", "1 1 1"),
        bench.mesh_link("flap", "flap.obj"),
        bench.joint_text("j", "revolute", "box", "flap"),
        files={"flap.obj": mesh, "m.mtl": "newmtl m\nmap_Kd p.png\n", "p.png": picture("PNG")},
    )
    written = read_obj((outcome.files or {})["meshes/flap_0.obj"])
    (group,) = written.groups
    assert group.uv_corners is not None
    places = written.points[group.corners][..., :2]
    shift = places.reshape(-1, 2).min(axis=0)
    assert written.uv[group.uv_corners] == pytest.approx(places - shift)


@pytest.mark.parametrize(
    "mesh",
    [
        "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",  # a line
        "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n",
        "v 0 0 0\nv 1 0 0\nf 1 2 2\n",
        "v 0 0 9\nv 1e-8 0 9\nv 0 1e-8 9\nf 1 2 3\n",
    ],
)
def test_triangles_without_area_are_left_out_with_a_finding(
    make: Make, tmp_path: Path, mesh: str
) -> None:
    outcome = make(
        bench.box_link("box", "1 1 1"),
        '<link name="flap">'
        '<visual><geometry><mesh filename="flap.obj"/></geometry></visual>'
        '<visual><geometry><box size="0.1 0.1 0.1"/></geometry>'
        '<material name="red"><color rgba="1 0 0 1"/></material></visual></link>',
        bench.joint_text("j", "revolute", "box", "flap"),
        files={"flap.obj": mesh},
    )
    assert details(outcome, "visual_left_out") == [
        "link 'flap': triangles without area were left out of its visuals."
    ]
    assert [name for name in outcome.files or {} if "flap_" in name] == ["meshes/flap_0.obj"]
    # The box of the object is that of what can be seen.
    assert outcome.record.extents == pytest.approx((1, 1, 1))
    assert outcome.record.primitives["flap"][0].solid.kind == "box"
    assert loaded_by_mujoco(outcome, tmp_path / "made").nmesh == 2
