# SPDX-License-Identifier: Apache-2.0
"""From URDF to the tree: motions against an independent reader, helical folding, welded bodies."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import yourdfpy
from scipy.spatial.transform import Rotation

from aa_dataset.errors import JointError
from aa_dataset.kinematics import JointType, KinematicTree
from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import read_tree, rest_frames, urdf_tree

KINDS = ("fixed", "revolute", "continuous", "prismatic")


def numbers(values: np.ndarray) -> str:
    """Return numbers as URDF writes them, with every digit."""
    return " ".join(repr(float(value)) for value in values)


def random_urdf(seed: int, links: int = 9) -> str:
    """Return a random tree with oblique unit axes, turned frames, and mimics of earlier joints."""
    random = np.random.default_rng(seed)
    parts = [f'<link name="l{n}"/>' for n in range(links)]
    drivers: list[str] = []
    for child in range(1, links):
        kind = KINDS[random.integers(len(KINDS))]
        axis = random.normal(size=3)
        mimic = ""
        if kind != "fixed" and drivers and random.random() < 0.4:
            driver = drivers[random.integers(len(drivers))]
            factor, offset = random.normal(size=2).tolist()
            mimic = f'<mimic joint="{driver}" multiplier="{factor!r}" offset="{offset!r}"/>'
        elif kind != "fixed":
            drivers.append(f"j{child}")
        parts.append(
            f'<joint name="j{child}" type="{kind}"><parent link="l{random.integers(child)}"/>'
            f'<child link="l{child}"/><origin xyz="{numbers(random.normal(size=3))}" '
            f'rpy="{numbers(random.uniform(-3, 3, size=3))}"/>'
            f'<axis xyz="{numbers(axis / np.linalg.norm(axis))}"/>'
            f'<limit lower="-1" upper="1" effort="1" velocity="1"/>{mimic}</joint>'
        )
    return f'<robot name="random">{"".join(parts)}</robot>'


def placed(tree: KinematicTree, rest: dict[str, np.ndarray], values: dict[str, float]) -> dict:
    """Return every link's frame at the given joint values, by our own kinematics."""
    moved = tree.placements(values)
    return {link: moved[link] @ rest[link] for link in tree.links}


@pytest.mark.parametrize("seed", range(12))
def test_forward_kinematics_agree_with_an_independent_reader(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "random.urdf"
    path.write_text(random_urdf(seed))
    judge = yourdfpy.URDF.load(str(path), load_meshes=False)
    tree, rest = read_tree(path), rest_frames(parse_urdf(path.read_bytes()))
    random = np.random.default_rng(1000 + seed)
    for _ in range(3):
        values = {name: float(random.uniform(-2, 2)) for name in judge.actuated_joint_names}
        judge.update_cfg(values)
        for link, frame in placed(tree, rest, values).items():
            assert frame == pytest.approx(judge.get_transform(link, judge.base_link), abs=1e-12)


def test_an_axis_of_any_length_is_a_direction() -> None:
    document = random_urdf(3)
    root = parse_urdf(document.encode())
    stretched = document
    for joint in root.joints:
        assert joint.axis is not None
        written = f'<axis xyz="{numbers(joint.axis)}"/>'
        stretched = stretched.replace(written, f'<axis xyz="{numbers(joint.axis * 1e-3)}"/>')
    assert stretched != document
    once, again = urdf_tree(root), urdf_tree(parse_urdf(stretched.encode()))
    for one, two in zip(once.joints, again.joints, strict=True):
        assert one.screw == pytest.approx(two.screw, abs=1e-13)


def test_a_mimic_chain_composes_and_a_mimic_circle_is_an_error() -> None:
    links = "".join(f'<link name="l{n}"/>' for n in range(4))

    def joint(number: int, mimic: str) -> str:
        return (
            f'<joint name="j{number}" type="prismatic"><parent link="l0"/><child '
            f'link="l{number}"/><axis xyz="1 0 0"/><limit lower="0" upper="9"/>{mimic}</joint>'
        )

    def mimic(name: str) -> str:
        return f'<mimic joint="{name}" multiplier="2" offset="1"/>'

    chain = joint(1, "") + joint(2, mimic("j1")) + joint(3, mimic("j2"))
    tree = urdf_tree(parse_urdf(f"<robot>{links}{chain}</robot>".encode()))
    moved = tree.placements({"j1": 5.0})
    assert moved["l2"][0, 3] == pytest.approx(2 * 5 + 1)
    assert moved["l3"][0, 3] == pytest.approx(2 * (2 * 5 + 1) + 1)
    circle = joint(1, mimic("j3")) + joint(2, mimic("j1")) + joint(3, mimic("j2"))
    looped = urdf_tree(parse_urdf(f"<robot>{links}{circle}</robot>".encode()))
    with pytest.raises(JointError):
        looped.placements({})


def screw_urdf(
    *,
    slide_axis: str = "0 0 1",
    mimic: str = '<mimic joint="turn" multiplier="0.01"/>',
    carrier: str = "",
    more: str = "",
    turn: str = "revolute",
    turn_limit: str = '<limit lower="-6" upper="9"/>',
    slide_limit: str = '<limit lower="-0.06" upper="0.09"/>',
) -> str:
    """Return a base, a carrier and a cap on a rotation with a coupled slide, off the origin."""
    return (
        f'<robot name="screw"><link name="base"/><link name="carrier">{carrier}</link>'
        f'<link name="cap"/>'
        f'<joint name="turn" type="{turn}"><parent link="base"/><child link="carrier"/>'
        f'<origin xyz="0.3 -0.2 0.1" rpy="0.4 0.5 0.6"/><axis xyz="0 0 1"/>{turn_limit}</joint>'
        f'<joint name="slide" type="prismatic"><parent link="carrier"/><child link="cap"/>'
        f'<origin xyz="0 0 0.05" rpy="0 0 1"/><axis xyz="{slide_axis}"/>{slide_limit}{mimic}'
        f"</joint>{more}</robot>"
    )


@pytest.mark.parametrize(("slide_axis", "sign"), [("0 0 1", 1.0), ("0 0 -1", -1.0), ("0 0 5", 1.0)])
def test_a_rotation_with_a_coupled_slide_is_one_helical_joint(slide_axis: str, sign: float) -> None:
    tree = urdf_tree(parse_urdf(screw_urdf(slide_axis=slide_axis).encode()))
    axis = Rotation.from_euler("xyz", [0.4, 0.5, 0.6]).as_matrix() @ [0, 0, 1]
    origin, pitch = np.array([0.3, -0.2, 0.1]), sign * 0.01
    assert tree.links == ("base", "cap")
    assert [joint.type for joint in tree.joints] == [JointType.HELICAL]
    joint = tree.joints[0]
    assert (joint.name, joint.parent, joint.child) == ("turn", "base", "cap")
    assert joint.limits == (-6.0, 9.0)
    assert joint.pitch == pytest.approx(pitch)
    expected = np.concatenate([axis, np.cross(origin, axis) + pitch * axis])
    assert joint.screw == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("slide_axis", ["0 0 1", "0 0 -1"])
def test_a_folded_screw_moves_like_the_pair_that_it_stands_for(
    slide_axis: str, tmp_path: Path
) -> None:
    path = tmp_path / "screw.urdf"
    path.write_text(screw_urdf(slide_axis=slide_axis))
    judge = yourdfpy.URDF.load(str(path), load_meshes=False)
    tree, rest = read_tree(path), rest_frames(parse_urdf(path.read_bytes()))
    for value in (-5.0, 0.0, 0.7, 8.0):
        judge.update_cfg({"turn": value})
        found = tree.placements({"turn": value})["cap"] @ rest["cap"]
        assert found == pytest.approx(judge.get_transform("cap", "base"), abs=1e-13)


SHAPE = '<geometry><box size="1 1 1"/></geometry>'
SECOND = (
    '<link name="other"/><joint name="more" type="fixed"><parent link="carrier"/>'
    '<child link="other"/></joint>'
)


@pytest.mark.parametrize(
    "document",
    [
        screw_urdf(mimic='<mimic joint="turn" multiplier="0.01" offset="0.001"/>'),
        screw_urdf(mimic='<mimic joint="turn" multiplier="0"/>'),
        screw_urdf(mimic=""),
        screw_urdf(carrier=f"<visual>{SHAPE}</visual>"),
        screw_urdf(carrier=f"<collision>{SHAPE}</collision>"),
        screw_urdf(more=SECOND),
        screw_urdf(slide_axis="0 0.01 1"),
        screw_urdf(turn="prismatic"),
        screw_urdf(turn="fixed"),
    ],
)
def test_a_pair_without_the_whole_pattern_stays_two_joints(document: str) -> None:
    tree = urdf_tree(parse_urdf(document.encode()))
    assert {"turn", "slide"} <= {joint.name for joint in tree.joints}
    assert JointType.HELICAL not in {joint.type for joint in tree.joints}
    assert "carrier" in tree.links


@pytest.mark.parametrize("factor", [0.01, -0.01])
def test_an_endless_rotation_takes_its_range_from_the_slide(factor: float) -> None:
    document = screw_urdf(
        turn="continuous",
        turn_limit="",
        slide_limit='<limit lower="-0.02" upper="0.05"/>',
        mimic=f'<mimic joint="turn" multiplier="{factor}"/>',
    )
    joint = urdf_tree(parse_urdf(document.encode())).joints[0]
    ends = sorted([-0.02 / factor, 0.05 / factor])
    assert joint.type is JointType.HELICAL
    assert joint.limits == pytest.approx(tuple(ends))


def test_an_endless_screw_stays_endless() -> None:
    document = screw_urdf(turn="continuous", turn_limit="", slide_limit="")
    joint = urdf_tree(parse_urdf(document.encode())).joints[0]
    assert joint.limits == (-math.inf, math.inf)


def test_who_follows_the_vanished_slide_follows_the_rotation(tmp_path: Path) -> None:
    follower = (
        '<link name="other"/><joint name="follow" type="prismatic"><parent link="base"/>'
        '<child link="other"/><axis xyz="1 0 0"/><limit lower="0" upper="1"/>'
        '<mimic joint="slide" multiplier="3" offset="0.5"/></joint>'
    )
    tree = urdf_tree(parse_urdf(screw_urdf(more=follower).encode()))
    # q_follow = 3 q_slide + 0.5 and q_slide = 0.01 q_turn.
    for turn in (-4.0, 2.0):
        found = tree.placements({"turn": turn})["other"][0, 3]
        assert found == pytest.approx(3 * 0.01 * turn + 0.5)


def inertial(mass: float, xyz: str, rpy: str, diagonal: tuple[float, float, float]) -> str:
    """Return an <inertial> with a diagonal tensor in its own frame."""
    xx, yy, zz = diagonal
    return (
        f'<inertial><origin xyz="{xyz}" rpy="{rpy}"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial>'
    )


def test_a_moving_body_is_the_child_with_everything_welded_to_it() -> None:
    document = (
        '<robot name="welded"><link name="base"/>'
        f'<link name="arm">{inertial(2.0, "1 0 0", "0 0 0", (1, 2, 2.5))}</link>'
        f'<link name="tip">{inertial(3.0, "0 1 0", "0.3 0 0", (2, 1, 1.5))}</link>'
        f'<link name="wheel">{inertial(5.0, "0 0 1", "0 0 0", (1, 1, 1))}</link>'
        '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>'
        '<origin xyz="0 0 2" rpy="0 0 0.7"/><axis xyz="0 0 1"/><limit lower="0" upper="1"/></joint>'
        '<joint name="weld" type="fixed"><parent link="arm"/><child link="tip"/>'
        '<origin xyz="0.5 0 0" rpy="0 0.2 0"/></joint>'
        '<joint name="spin" type="continuous"><parent link="tip"/><child link="wheel"/></joint>'
        "</robot>"
    )
    tree = urdf_tree(parse_urdf(document.encode()))
    arm = np.eye(4)
    arm[:3, :3], arm[:3, 3] = Rotation.from_euler("xyz", [0, 0, 0.7]).as_matrix(), [0, 0, 2]
    tip = np.eye(4)
    tip[:3, :3], tip[:3, 3] = Rotation.from_euler("xyz", [0, 0.2, 0]).as_matrix(), [0.5, 0, 0]
    tip = arm @ tip
    turned = tip[:3, :3] @ Rotation.from_euler("xyz", [0.3, 0, 0]).as_matrix()
    masses = [2.0, 3.0]
    centers = [(arm @ [1, 0, 0, 1])[:3], (tip @ [0, 1, 0, 1])[:3]]
    inertias = [
        arm[:3, :3] @ np.diag([1, 2, 2.5]) @ arm[:3, :3].T,
        turned @ np.diag([2, 1, 1.5]) @ turned.T,
    ]
    center = (2 * centers[0] + 3 * centers[1]) / 5
    whole = sum(
        inertia
        + mass * ((c - center) @ (c - center) * np.eye(3) - np.outer(c - center, c - center))
        for mass, c, inertia in zip(masses, centers, inertias, strict=True)
    )
    body = tree.joint("j").body
    assert body is not None
    assert body.mass == pytest.approx(5.0)
    assert body.center == pytest.approx(center)
    assert body.inertia == pytest.approx(whole)
    wheel = tree.joint("spin").body
    assert wheel is not None
    assert wheel.mass == pytest.approx(5.0)


def welded_tip(tip: str) -> KinematicTree:
    """Return an arm of 1 kg with a tip welded to it."""
    document = (
        f'<robot><link name="base"/><link name="arm">{inertial(1, "0 0 0", "0 0 0", (1, 1, 1))}'
        f'</link><link name="tip">{tip}</link><joint name="j" type="continuous">'
        '<parent link="base"/><child link="arm"/></joint><joint name="w" type="fixed">'
        '<parent link="arm"/><child link="tip"/></joint></robot>'
    )
    return urdf_tree(parse_urdf(document.encode()))


@pytest.mark.parametrize(
    "tip",
    [
        f"<visual>{SHAPE}</visual>",
        f"<collision>{SHAPE}</collision>",
        inertial(-1, "0 0 0", "0 0 0", (1, 1, 1)),
    ],
)
def test_a_body_with_an_unknown_part_is_unknown(tip: str) -> None:
    assert welded_tip(tip).joint("j").body is None


def test_a_welded_link_without_geometry_and_inertial_weighs_nothing() -> None:
    body = welded_tip("").joint("j").body
    assert body is not None and body.mass == 1.0


def test_a_joint_that_moves_only_empty_links_has_no_body() -> None:
    assert urdf_tree(parse_urdf(screw_urdf().encode())).joint("turn").body is None
