# SPDX-License-Identifier: Apache-2.0
"""MJCF: degrees, defaults, frames, states, couplings; MuJoCo gets nothing but what moves."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import JointType, LimitSource
from aa_dataset.score.budgets import PredictionError
from aa_dataset.score.readers.folder import PredictionFolder
from aa_dataset.score.readers.mjcf import _Document
from aa_dataset.untrusted.safe_xml import parse_xml
from tests.kit.method_files import format_of, read_files, refused_files
from tests.kit.places import sample_folder
from tests.kit.random_trees import trees
from tests.kit.round_trip import OBJECT_ID, brought_back, put_files, require_same_motion

pytest.importorskip("mujoco", reason="pip install 'aa-dataset[mjcf]'")

GEOM = '<geom type="box" size="1 1 1"/>'


def model(world: str, head: str = "", tail: str = "") -> dict[str, bytes]:
    return {"m.xml": f"<mujoco>{head}<worldbody>{world}</worldbody>{tail}</mujoco>".encode()}


def test_units_frames_defaults_and_the_stored_state(tmp_path):
    head = '<default><default class="door"><joint type="hinge" axis="0 2 0" range="-10 80"/>' \
           "</default></default>"  # fmt: skip
    world = f"""<frame pos="1 0 0" euler="0 0 90"><body name="a" pos="1 2 3">{GEOM}
    <joint name="h" class="door" pos="0 0 1" ref="10"/><body name="b" pos="0 0 1">{GEOM}
    <joint name="s" type="slide" axis="1 0 0" range="0 0.4" ref="0.1"/></body></body></frame>"""
    found = read_files(tmp_path, model(world, head))
    hinge, slide = found.tree.joint("h"), found.tree.joint("s")
    # A quarter turn about z takes x to y and y to -x.
    assert hinge.axis == pytest.approx([-1, 0, 0], abs=1e-12)
    assert hinge.origin == pytest.approx([1 - 2, 1, 4], abs=1e-12)
    assert np.degrees(hinge.limits) == pytest.approx((-20, 70))
    assert slide.axis == pytest.approx([0, 1, 0], abs=1e-12)
    assert slide.limits == pytest.approx((-0.1, 0.3)) and slide.parent == "a"
    assert format_of(tmp_path) == "mjcf"


def test_limits_that_are_not_stated(tmp_path):
    world = f"""<body name="a">{GEOM}<joint name="h"/></body><body name="b">{GEOM}
    <joint name="s" type="slide"/></body><body name="c">{GEOM}
    <joint name="o" range="0 90" limited="false"/></body>"""
    found = read_files(tmp_path, model(world))
    kinds = {one.name: (one.type, one.limit_source) for one in found.tree.movable}
    free = (JointType.CONTINUOUS, LimitSource.GIVEN)
    assert kinds == {"h": free, "o": free, "s": (JointType.PRISMATIC, LimitSource.ABSENT)}
    assert found.notes == ("no limits stated: s",)


def test_a_coupled_hinge_and_slide_of_one_body_are_a_screw(tmp_path):
    world = f"""<body name="cap">{GEOM}<joint name="turn" axis="0 0 1" range="0 180"/>
    <joint name="lift" type="slide" axis="0 0 1"/></body>"""
    tail = '<equality><joint joint1="lift" joint2="turn" polycoef="0 0.01 0 0 0"/></equality>'
    (screw,) = read_files(tmp_path, model(world, tail=tail)).tree.movable
    assert (screw.type, screw.pitch) == (JointType.HELICAL, 0.01)
    assert screw.limits == pytest.approx((0, math.pi))


def test_a_free_joint_below_the_world_places_the_object(tmp_path):
    world = f'<body name="a" pos="0 0 5"><freejoint/>{GEOM}<body name="b">{GEOM}<joint name="h"/>'
    found = read_files(tmp_path, model(f"{world}</body></body>"))
    assert [one.name for one in found.tree.movable] == ["h"]
    assert found.tree.joint("h").origin.tolist() == [0, 0, 5]
    assert "counts as fixed" in found.notes[0]


def test_what_a_urdf_cannot_express_is_said(tmp_path):
    world = f'<body name="a">{GEOM}<joint name="h"/></body><body name="b">{GEOM}<joint name="g"/>'
    tail = '<equality><joint joint1="h" joint2="g" polycoef="0 1 1 0 0"/></equality>'
    found = read_files(tmp_path, model(f"{world}</body>", tail=tail))
    assert found.notes == (
        "joint h: an equality constraint that is no line, or a second one, is lost",
    )


def test_includes_are_read_within_the_prediction(tmp_path):
    part = (
        f"<mujocoinclude><body name='a'>{GEOM}<joint name='h' range='0 90'/></body></mujocoinclude>"
    )
    files = model('<include file="parts/a.xml"/>') | {"parts/a.xml": part.encode()}
    assert [one.name for one in read_files(tmp_path, files).tree.movable] == ["h"]
    for written in ("../x.xml", "/etc/passwd", "absent.xml", ""):
        found = refused_files(tmp_path / "b", model(f'<include file="{written}"/>'))
        assert "not in the prediction's folder" in found
    twice = model('<include file="parts/a.xml"/>' * 2) | {"parts/a.xml": part.encode()}
    assert "included twice" in refused_files(tmp_path / "c", twice)
    itself = model('<include file="m.xml"/>')
    assert "included twice" in refused_files(tmp_path / "d", itself)


@given(trees())
def test_every_tree_comes_back(tree):
    trip = brought_back("mjcf", tree)
    require_same_motion(trip.back, trip.kept)
    for one, two in zip(tree.joints, trip.kept.joints[1:], strict=True):
        if all(map(math.isfinite, one.limits)) or not one.is_movable:
            assert (two.type, two.limits, two.pitch) == (one.type, one.limits, one.pitch)


BODY = f'<body name="a">{GEOM}<joint name="h" axis="0 0 1"/></body>'


@pytest.mark.parametrize(
    ("world", "tail", "words"),
    [
        ("<body><joint type='ball'/></body>", "", "more than one degree of freedom"),
        ("<body><body><freejoint/></body></body>", "", "MuJoCo says"),
        (BODY.replace("0 0 1", "0 0 0"), "", "MuJoCo says"),
        (BODY.replace("0 0 1", "0 0 nan"), "", "holds NaN"),
        (BODY.replace('axis="0 0 1"', 'class="none"'), "", "MuJoCo says"),
        (BODY + BODY, "", "MuJoCo says"),
        ("<composite/>", "", "are not in the file"),
        ("<replicate count='1000000'/>", "", "are not in the file"),
        (BODY + BODY.replace('"a"', '"b"').replace('"h"', '"g"'),
         '<equality><connect body1="a" body2="b" anchor="0 0 0"/></equality>', "closes a loop"),
        ("<body>" * 300 + "</body>" * 300, "", "deep"),
        ("<body/>" * 5001, "", "more than 5,000 bodies"),
        ("<body>", "", "not well-formed"),
        ("<!DOCTYPE x>", "", "not well-formed"),
    ],
)  # fmt: skip
def test_broken_documents_are_refused(tmp_path, world, tail, words):
    assert words in refused_files(tmp_path, model(world, tail=tail))


def test_mujoco_gets_only_what_moves():
    text = f"""<mujoco><compiler meshdir="/etc" plugindir="/x"/><extension><plugin plugin="p"/>
    </extension><asset><mesh file="/etc/passwd"/><texture file="a.png"/></asset>
    <size memory="100T"/><option timestep="1"/><custom/><worldbody><geom hfield="x"/>
    <body user="1 2" gravcomp="1">{GEOM}<joint user="1" solreflimit="1 1"/><camera/><site/>
    <plugin/></body></worldbody><actuator/><sensor/><keyframe/></mujoco>"""
    found = _Document(parse_xml(text.encode()), "m.xml")
    for word in ("file", "plugin", "dir", "asset", "geom", "hfield", "memory", "user", "option"):
        assert word not in found.text, word
    assert found.solid == {"", "body_1"}


def test_a_urdf_beside_it_is_a_second_prediction(tmp_path):
    put_files(tmp_path / OBJECT_ID, {**model(BODY), "m.urdf": b"<robot name='a'/>"})
    with pytest.raises(PredictionError, match=r"two readers fit, urdf .* and mjcf"):
        PredictionFolder(tmp_path).format(OBJECT_ID)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("hingecabinet", {"revolute": 2}),
        ("slidecabinet", {"prismatic": 1}),
        ("microwave", {"revolute": 1}),
    ],
)
def test_real_models_with_includes(tmp_path, name, kinds):
    """Counted by eye in the `<joint>` tags of the three files with bodies."""
    folder = sample_folder("tail") / "furniture_sim"
    paths = [folder / f"{name}.xml", *(folder / name).glob("*.xml")]
    files = {str(one.relative_to(folder.parent)): one.read_bytes() for one in paths}
    tree = read_files(tmp_path, files).tree
    found: dict[str, int] = {}
    for one in tree.movable:
        found[one.type] = found.get(one.type, 0) + 1
        assert one.limit_source is LimitSource.GIVEN and one.lower < one.upper
    assert found == kinds


def test_without_mujoco_the_command_that_installs_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(PredictionError, match=r"pip install .*aa-dataset\[mjcf\]"):
        read_files(tmp_path, model(BODY))
