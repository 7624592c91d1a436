# SPDX-License-Identifier: Apache-2.0
"""A floating root is dropped, a floating part is not, and loops count only if they hold a joint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aa_dataset.kinematics.urdf import parse_urdf
from aa_dataset.kinematics.urdf_tree import urdf_tree
from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome
from tests.kit import bench

Make = Callable[..., Outcome]
FLOATS = {"axis": None, "limit": None}
HINGE = '<joint name="{}" type="hinge" axis="0 0 1" range="-1 1" limited="true"/>'
GEOM = '<geom type="box" size=".1 .2 .3"/>'


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Normalize a URDF given by its parts."""

    def run(*parts: str) -> Outcome:
        return bench.normal(bench.write_object(tmp_path / "raw", bench.robot(*parts)))

    return run


@pytest.fixture
def scene(tmp_path: Path) -> Make:
    """Normalize an MJCF model given by its world and what follows it."""

    def run(world: str, tail: str = "", head: str = "") -> Outcome:
        text = f"<mujoco>{head}<worldbody>{world}</worldbody>{tail}</mujoco>"
        folder = bench.write_object(tmp_path / "raw", "", {"m.xml": text})
        return bench.normal(folder, {**bench.METRIC, "format": "mjcf"}, urdf="m.xml")

    return run


def reason(make: Make, *parts: str) -> str:
    with pytest.raises(Rejection) as caught:
        make(*parts)
    return str(caught.value.reason)


def findings(outcome: Outcome, code: str) -> list[str]:
    return [one.detail for one in outcome.findings if one.code == code]


def turned(outcome: Outcome) -> np.ndarray:
    """Return the axis of the only movable joint, in the object frame."""
    (joint,) = urdf_tree(parse_urdf((outcome.files or {})["object.urdf"])).movable
    return joint.axis


ROBOT = [
    bench.box_link("body"),
    bench.box_link("arm"),
    bench.joint_text("j", "revolute", "body", "arm"),
]


@pytest.mark.parametrize("world", ['<link name="anything"/>', bench.box_link("ground", "9 9 0.1")])
def test_a_robot_that_floats_in_the_world_loses_the_world(make: Make, world: str) -> None:
    name = "anything" if "anything" in world else "ground"
    free = bench.joint_text("free", "floating", name, "body", xyz="1 2 3", rpy="1.5707963 0 0",
                            **FLOATS)  # fmt: skip
    outcome = make(world, *ROBOT, free)
    assert set(outcome.record.link_names.values()) == {"body", "arm"}
    assert len(findings(outcome, "free_root")) == 1
    # It stays as it lay in the world: z of the body is -y of the world.
    assert turned(outcome) == pytest.approx([0, -1, 0], abs=1e-6)
    assert outcome.record.extents == pytest.approx((0.2, 0.4, 0.3), abs=1e-6)


def test_a_floating_part_of_anything_else_is_rejected(make: Make) -> None:
    loose = [bench.box_link("lid"), bench.joint_text("free", "floating", "body", "lid", **FLOATS)]
    assert reason(make, *ROBOT, *loose) == "joint_floating"
    inner = bench.joint_text("free", "floating", "arm", "lid", **FLOATS)
    assert reason(make, *ROBOT, loose[0], inner) == "joint_floating"
    world = ['<link name="world"/>', bench.joint_text("w", "fixed", "world", "body", axis=None)]
    assert reason(make, *world, *ROBOT, *loose) == "joint_floating"


def test_a_loose_thing_beside_an_attached_object_is_left_out(make: Make) -> None:
    world = ['<link name="world"/>', bench.joint_text("w", "fixed", "world", "body", axis=None)]
    cube = [
        bench.box_link("cube", "5 5 5"),
        bench.joint_text("free", "floating", "world", "cube", **FLOATS),
    ]
    outcome = make(*world, *ROBOT, *cube)
    assert set(outcome.record.link_names.values()) == {"body", "arm"}
    assert findings(outcome, "free_root") == [
        "'cube' is loose, without joints of its own; it was left out."
    ]


def test_several_floating_objects_are_not_one(make: Make) -> None:
    other = [
        bench.box_link("second"),
        bench.box_link("door"),
        bench.joint_text("k", "revolute", "second", "door"),
        bench.joint_text("f2", "floating", "world", "second", **FLOATS),
    ]
    first = bench.joint_text("f1", "floating", "world", "body", **FLOATS)
    assert reason(make, '<link name="world"/>', *ROBOT, first, *other) == "joint_floating"


@pytest.mark.parametrize("top", ["<freejoint/>", '<joint type="free" pos="1 2 3"/>'])
def test_a_free_body_of_mjcf_loses_floor_and_props(scene: Make, top: str) -> None:
    arm = f'<body name="arm">{HINGE.format("j")}{GEOM}</body>'
    outcome = scene(
        f'<geom type="box" size="9 9 .1"/><body name="a" pos="0 0 1">{top}{GEOM}{arm}</body>'
        f'<body name="wall"><geom type="box" size="1 1 8"/></body>'
    )
    assert set(outcome.record.link_names.values()) == {"a", "arm"}
    assert "everything else was left out" in findings(outcome, "free_root")[0]
    assert outcome.record.extents == pytest.approx((0.2, 0.4, 0.6))


def test_a_prop_of_an_mjcf_scene_is_left_out(scene: Make) -> None:
    arm = f'<body name="arm">{HINGE.format("j")}{GEOM}</body>'
    outcome = scene(f'<body name="a">{GEOM}{arm}</body><body name="cube"><freejoint/>{GEOM}</body>')
    assert set(outcome.record.link_names.values()) == {"a", "arm"}


ARMS = (
    f'<body name="a">{GEOM}<body name="left" pos="1 0 0">{HINGE.format("l")}{GEOM}'
    f'<body name="tip">{GEOM}</body></body>'
    f'<frame><body name="right" pos="-1 0 0">{HINGE.format("r")}{GEOM}<site name="s"/></body>'
    "</frame>"
    f'<body name="shelf">{GEOM}<site name="t"/></body></body>'
)


@pytest.mark.parametrize(
    ("constraint", "binds"),
    [
        ('<connect body1="left" body2="right" anchor="0 0 0"/>', True),
        ('<connect body1="left" anchor="0 0 0"/>', True),
        ('<weld body1="tip" body2="shelf"/>', True),
        ('<connect site1="s" site2="t"/>', True),
        ('<connect site1="s" site2="unknown"/>', True),
        ('<weld body1="tip" body2="left"/>', False),
        ('<weld body1="a" body2="shelf"/>', False),
        ('<weld body1="shelf"/>', False),
        ('<weld body1="hand" body2="left"/>', False),
        ('<connect body1="left" body2="right" anchor="0 0 0" active="false"/>', False),
    ],
)
def test_a_loop_counts_only_if_a_joint_depends_on_it(
    scene: Make, constraint: str, binds: bool
) -> None:
    hand = f'<body name="hand" mocap="true">{GEOM}</body>'
    world, tail = ARMS + hand, f"<equality>{constraint}</equality>"
    if binds:
        with pytest.raises(Rejection, match=r"joint_cycle.*motion depends on it"):
            scene(world, tail)
        return
    outcome = scene(world, tail)
    assert set(outcome.record.joint_names.values()) > {"l", "r"}
    assert "hand" not in outcome.record.link_names.values()


def test_a_scene_of_loose_things_says_that_nothing_moves(scene: Make) -> None:
    hammer = f'<body name="hammer"><freejoint/>{GEOM}</body>'
    with pytest.raises(Rejection, match=r"nothing in the file has a joint; 'hammer', 'table' are"):
        scene(f'{hammer}<body name="table">{GEOM}</body>')


def test_a_file_is_searched_beside_the_model_and_then_beside_the_include(tmp_path: Path) -> None:
    part = '<mujoco><asset><mesh name="m" file="../shapes/m.obj"/></asset></mujoco>'
    arm = f'<body name="arm">{HINGE.format("j")}<geom type="mesh" mesh="m"/></body>'
    world = f'<include file="assets/parts/a.xml"/><worldbody><body>{GEOM}{arm}</body></worldbody>'
    files = {"robot/m.xml": f"<mujoco>{world}</mujoco>", "robot/assets/parts/a.xml": part,
             "robot/assets/shapes/m.obj": bench.box_text((1, 2, 3))}  # fmt: skip
    place = {**bench.METRIC, "format": "mjcf"}
    beside_include = bench.normal(
        bench.write_object(tmp_path / "raw", "", files), place, urdf="robot/m.xml"
    )
    assert beside_include.record.extents == pytest.approx((1, 2, 3))
    files["shapes/m.obj"] = bench.box_text((4, 5, 6))
    beside_model = bench.normal(
        bench.write_object(tmp_path / "raw", "", files), place, urdf="robot/m.xml"
    )
    assert beside_model.record.extents == pytest.approx((4, 5, 6))


def test_an_asset_that_is_written_twice_is_read_once(scene: Make) -> None:
    texture = '<texture name="t" type="2d" builtin="flat" rgb1="1 0 0" width="8" height="8"/>'
    arm = f'<body name="a">{GEOM}<body name="arm">{HINGE.format("j")}{GEOM}</body></body>'
    head = f"<asset>{texture}</asset><asset>{texture}</asset>"
    assert scene(arm, head=head).record.link_names
    other = texture.replace("1 0 0", "0 1 0")
    mended = scene(arm, head=f"<asset>{texture}{other}</asset>")
    assert "document_mended" in bench.codes(mended)


def test_two_meshes_of_one_name_are_refused_with_the_name(scene: Make) -> None:
    mesh = '<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 {}"/>'
    arm = f'<body name="a">{GEOM}<body name="arm">{HINGE.format("j")}{GEOM}</body></body>'
    with pytest.raises(Rejection, match="repeated name 'm'"):
        scene(arm, head=f"<asset>{mesh.format(1)}{mesh.format(2)}</asset>")


def test_a_height_field_is_scenery(scene: Make) -> None:
    arm = f'<body name="a">{GEOM}<body name="arm">{HINGE.format("j")}{GEOM}</body></body>'
    field = '<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>'
    outcome = scene(f'<geom type="hfield" hfield="h"/>{arm}', head=field)
    assert outcome.record.extents == pytest.approx((0.2, 0.4, 0.6))
