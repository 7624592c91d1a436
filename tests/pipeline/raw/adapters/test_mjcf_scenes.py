# SPDX-License-Identifier: Apache-2.0
"""A file with several root bodies becomes several objects, each with its own parts only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from aa_dataset.kinematics.urdf import parse_urdf
from pipeline.base.errors import Rejection
from pipeline.engine.runner import Outcome, Task
from pipeline.raw.adapters import urdf_folder
from pipeline.raw.inventory import scan_source
from pipeline.stages.ingest.stage import IngestInput, ingest
from pipeline.stages.normalize.stage import NormalizeInput, normalize
from tests.kit.settings import SETTINGS, facts_of

FACTS: dict[str, Any] = {
    "title": "A kitchen",
    "label_from": "file",
    "license": "MIT",
    "attribution": "Somebody",
    "frame": {"up": "z", "front": "x"},
    "scale": "metric",
    "format": "mjcf",
}
OVEN = """<mujoco><body name="oven" pos="0 2 0"><geom size=".3 .3 .4"/>
<body name="oven_door" pos=".3 0 0"><joint name="o" type="hinge" axis="0 1 0" range="0 90"/>
<geom size=".01 .3 .3"/></body></body></mujoco>"""
SCENE = """<mujoco model="kitchen"><compiler angle="degree" autolimits="true"/>
<default><geom type="box"/></default>
<worldbody><geom size="5 5 .1"/>
<body name="drawers" pos="0 -2 0"><geom size=".2 .3 .4"/>
<body name="drawer" pos=".3 0 0"><joint name="d" type="slide" axis="1 0 0" range="0 .25"/>
<geom size=".2 .1 .1"/></body></body>
<include file="parts/oven.xml"/>
<body name="robot"><freejoint/><geom size=".1 .1 .1"/>
<body name="arm" pos="0 0 .2"><joint name="a" type="hinge" axis="0 0 1" range="-45 45"/>
<geom size=".5 .05 .05"/></body></body>
<body name="cup" pos="1 1 1"><freejoint/><geom size=".04 .04 .05"/></body>
</worldbody></mujoco>"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder of a source with one collection, which has one scene."""
    folder = tmp_path / "home"
    (folder / "parts").mkdir(parents=True)
    (folder / "scene.xml").write_text(SCENE)
    (folder / "parts/oven.xml").write_text(OVEN)
    describe(tmp_path)
    return tmp_path


def describe(root: Path, **changes: Any) -> None:
    (root / "home/source.yaml").write_text(yaml.safe_dump(FACTS | changes))


def names(root: Path) -> list[str]:
    return [found.name for found in urdf_folder.discover(root)]


def normal(root: Path) -> dict[str, Outcome[Any]]:
    """Return the normal form of every object of the source, by the end of its name."""
    facts, made = facts_of(root, adapter="urdf_folder"), {}
    for raw in scan_source("tail", "urdf_folder", root):
        task = Task("x", IngestInput("tail", facts, raw.found, "d", raw.mark))
        record = ingest(task, SETTINGS).record
        made[raw.found.name.partition("#")[2]] = normalize(
            Task("x", NormalizeInput(root, record)), SETTINGS
        )
    return made


def test_every_root_body_with_joints_is_an_object(root: Path) -> None:
    made = normal(root)
    assert [*made] == ["drawers", "oven", "robot"]
    joints = {
        name: parse_urdf((outcome.files or {})["object.urdf"]).joints
        for name, outcome in made.items()
    }
    assert {name: [(j.child, j.type) for j in of] for name, of in joints.items()} == {
        "drawers": [("drawer", "prismatic")],
        "oven": [("oven_door", "revolute")],
        "robot": [("arm", "revolute")],
    }
    assert joints["drawers"][0].upper == pytest.approx(0.25)
    # The drawer, 0.4 m deep about x = 0.3 m, ends 0.5 m in front of the middle of its body, whose
    # back is at -0.2 m; the floor, the oven and the robot do not count.
    assert made["drawers"].record.extents == pytest.approx((0.7, 0.6, 0.8))


def test_an_object_of_a_scene_names_the_others_and_is_labeled_by_its_body(root: Path) -> None:
    outcome = normal(root)["oven"]
    (said,) = [one.detail for one in outcome.findings if "others are" in one.detail]
    assert said == "of the file, only 'oven' is this object; others are drawers, robot."
    found = next(one for one in urdf_folder.discover(root) if one.name.endswith("#oven"))
    facts = facts_of(root, adapter="urdf_folder")
    record = ingest(Task("x", IngestInput("tail", facts, found, "d", None)), SETTINGS).record
    assert (record.label, record.name, record.body) == ("oven", "oven", "oven")
    assert record.source_id == "home/scene.xml#oven"


def test_the_owner_can_say_that_a_file_is_one_object(root: Path) -> None:
    assert names(root) == [f"home/scene.xml#{one}" for one in ("drawers", "oven", "robot")]
    describe(root, one_object=True)
    assert names(root) == ["home/scene.xml"]
    with pytest.raises(Rejection, match="several objects in one file"):
        normal(root)


@pytest.mark.parametrize("text", ["<mujoco>", "<mujoco><include file='gone.xml'/></mujoco>", "<a"])
def test_a_scene_that_cannot_be_read_is_one_object_until_normalize_says_why(
    root: Path, text: str
) -> None:
    (root / "home/scene.xml").write_text(text)
    (root / "home/parts/oven.xml").unlink()
    assert names(root) in ([], ["home/scene.xml"], ["home"])


def test_a_change_of_the_scene_renames_only_the_changed_object(root: Path) -> None:
    before = names(root)
    text = (root / "home/scene.xml").read_text().replace('name="robot"', 'name="arm_robot"')
    (root / "home/scene.xml").write_text(text)
    assert names(root) == [*before[:2], "home/scene.xml#arm_robot"]
