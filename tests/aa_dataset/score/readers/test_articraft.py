# SPDX-License-Identifier: Apache-2.0
"""`model.json` of Articraft: turned joint frames, null limits, loops."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given

from aa_dataset.kinematics import JointType, LimitSource
from tests.kit.method_files import format_of, read_files, refused_files
from tests.kit.random_trees import trees
from tests.kit.round_trip import brought_back, require_same_motion

HALF = math.pi / 2


def row(kind: str, parent: str, child: str, **fields: Any) -> dict[str, Any]:
    content = {
        "name": f"{parent}_to_{child}",
        "type": kind,
        "parent": parent,
        "child": child,
        "origin": {"xyz": [0, 0, 0], "rpy": [0, 0, 0]},
        "axis": [0, 0, 1],
        "motion_limits": {"effort": 1.0, "velocity": 1.0, "lower": 0.0, "upper": 1.0},
    }
    return content | fields


def manifest(*rows: dict[str, Any], **fields: Any) -> dict[str, bytes]:
    links = dict.fromkeys(["base", *(one[end] for one in rows for end in ("parent", "child"))])
    content = {
        "name": "t", "units": "meters", "meters_per_unit": 1.0, "up_axis": "Z",
        "parts": [{"name": link, "mass": None, "shapes": []} for link in links],
        "articulations": list(rows), "files": {"usdz": "usdz/0000.usdz"},
    }  # fmt: skip
    return {"result/model.json": json.dumps(content | fields).encode()}


def test_an_axis_is_in_the_turned_frame_of_its_joint(tmp_path):
    slide = row("prismatic", "base", "tray", axis=[3, 0, 0],
                origin={"xyz": [1, 2, 3], "rpy": [0, 0, HALF]})  # fmt: skip
    hinge = row("revolute", "tray", "lid", axis=[0, 1, 0],
                origin={"xyz": [1, 0, 0], "rpy": [HALF, 0, 0]})  # fmt: skip
    one, two = read_files(tmp_path, manifest(slide, hinge)).tree.joints
    # A quarter turn about z takes x to y; then one about the new x takes y to z.
    assert one.axis == pytest.approx([0, 1, 0], abs=1e-15)
    assert two.origin == pytest.approx([1, 3, 3], abs=1e-15)
    assert two.axis == pytest.approx([0, 0, 1], abs=1e-15)
    assert format_of(tmp_path) == "articraft"


def test_limits_that_are_null(tmp_path):
    null = {"effort": 1.0, "velocity": 1.0, "lower": None, "upper": None}
    rows = [
        row("continuous", "base", "a", motion_limits=null),
        row("revolute", "base", "b", motion_limits=null),
        row("prismatic", "base", "c", motion_limits=None),
        row("revolute", "base", "d", motion_limits=null | {"lower": -1}),
        row("fixed", "base", "e", motion_limits=None),
    ]
    found = read_files(tmp_path, manifest(*rows))
    joints = {one.child: one for one in found.tree.joints}
    assert joints["a"].type is JointType.CONTINUOUS
    absent = [name for name, one in joints.items() if one.limit_source is LimitSource.ABSENT]
    assert absent == ["b", "c"] and joints["d"].limits == (-1, math.inf)
    assert found.notes == ("no limits stated: base_to_b, base_to_c",)


def test_the_unit_is_stated(tmp_path):
    slide = row("prismatic", "base", "tray", origin={"xyz": [10, 0, 0], "rpy": [0, 0, 0]})
    files = manifest(slide, units="centimeters", meters_per_unit=0.01)
    joint = read_files(tmp_path, files).tree.joints[0]
    assert joint.origin == pytest.approx([0.1, 0, 0]) and joint.limits == pytest.approx((0, 0.01))


@given(trees())
def test_every_tree_comes_back(tree):
    trip = brought_back("articraft", tree)
    require_same_motion(trip.back, trip.kept)
    for one, two in zip(tree.joints, trip.kept.joints, strict=True):
        helical = one.type is JointType.HELICAL
        assert two.type is (JointType.REVOLUTE if helical else one.type)
        assert two.limits == one.limits


def limited(limits: dict[str, Any]) -> dict[str, bytes]:
    return manifest(row("revolute", "base", "a", motion_limits=limits))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (manifest(row("revolute", "base", "a"), row("revolute", "base", "b"),
                  row("revolute", "a", "b", closes_loop=True)), "cannot hold a loop"),
        (manifest(row("revolute", "base", "a"), row("fixed", "base", "b"),
                  row("revolute", "a", "b")), "is the child of both"),
        (manifest(joints=[], articulations=[{"name": "main", "root": "base"}]), "version 2"),
        (manifest(row("revolute", "a", "b"), row("revolute", "b", "a")), "cycle"),
        (manifest(row("floating", "base", "a")), "the type 'floating' is not one of"),
        (manifest(row("revolute", "base", "a", axis=[0, 0, 0])), "the axis is zero"),
        (manifest(row("revolute", "base", "a", axis=[0, 0])), "give three finite numbers"),
        (manifest(row("revolute", "base", "a", origin={"xyz": [0, 0, 0]})), "the field `rpy`"),
        (limited({"lower": 0}), "lacks the field `upper`"),
        (limited({"lower": 2, "upper": 1}), "greater"),
        (limited({"lower": "0", "upper": 1}), "give one finite number"),
        (manifest(up_axis="Y"), "is not 'Z'"),
        (manifest(meters_per_unit=0), "is not positive"),
        (manifest(meters_per_unit=-1e-400), "is not positive"),
        (manifest(parts=[]), "has no link"),
        (manifest(parts=[{"name": "a"}] * 5001), "at most 5,000 are read"),
        ({"model.json": manifest()["result/model.json"][:-3]}, "model.json"),
        ({"model.json": b'["meters_per_unit"]'}, "lacks the field"),
        (manifest() | {"model.json": manifest()["result/model.json"]}, "expected one model.json"),
    ],
)  # fmt: skip
def test_broken_files_are_refused(tmp_path, files, words):
    assert words in refused_files(tmp_path, files)
