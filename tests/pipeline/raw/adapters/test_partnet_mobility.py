# SPDX-License-Identifier: Apache-2.0
"""PartNet-Mobility: the URDF counts; the JSON tells which sliders turn, and may disagree."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from pipeline.base.errors import Rejection
from pipeline.raw.records import RawRecord, Screw
from tests.kit import bench, raw_sources
from tests.kit.places import REPOSITORY, sample_folder

ADAPTER = "partnet_mobility"


def described(root: Path, **changes: Any) -> Any:
    """Return the record of the made object after some of its files were changed."""
    files = {**raw_sources.partnet(), **{name.replace("__", "."): c for name, c in changes.items()}}
    raw_sources.write(
        root / "100", {name: content for name, content in files.items() if content is not None}
    )
    return raw_sources.read(ADAPTER, root)["100"]


def details(record: RawRecord) -> str:
    assert {str(finding.code) for finding in record.findings} <= {"source_disagrees"}
    return " ".join(finding.detail for finding in record.findings)


def test_facts_come_from_the_files_that_state_them(tmp_path: Path) -> None:
    record = described(tmp_path)
    assert (record.model, record.label, record.name) == ("mobility.urdf", "Bottle", "Bottle 100")
    assert record.parts == {
        "link_0": "lid", "link_1": "knob", "link_2": "rotation_lid", "link_3": "body",
    }  # fmt: skip
    assert record.provenance["anno_id"] == "809"
    assert "absent" not in record.provenance
    assert record.findings == ()


def test_a_slider_that_turns_is_a_screw_of_the_pair_around_its_helper(tmp_path: Path) -> None:
    evidence = "semantics.txt: slider+; mobility_v2.json: rotates"
    screw = Screw("joint_2", "joint_4", turn=(0.0, math.pi), evidence=evidence)
    assert described(tmp_path).screws == (screw,)


@pytest.mark.parametrize(
    ("limit", "turn"),
    [
        ({"rotationLimit": 90, "noRotationLimit": True}, None),
        ({"rotationLimit": 0, "noRotationLimit": False}, None),
        ({"noRotationLimit": False}, None),
        ({"rotationLimit": -90}, (-math.pi / 2, 0.0)),
        ({"rotationLimit": 720}, (0.0, 4 * math.pi)),
    ],
)
def test_the_turn_is_what_the_json_bounds(
    tmp_path: Path, limit: dict[str, Any], turn: object
) -> None:
    motions = [raw_sources.partnet_entry(2, "slider", a=-0.1, b=0, rotates=True, **limit)]
    record = described(tmp_path, mobility_v2__json=json.dumps(motions))
    assert [screw.turn for screw in record.screws] == [turn]


def test_either_file_alone_declares_a_screw(tmp_path: Path) -> None:
    alone = described(tmp_path / "a", mobility_v2__json=None)
    assert [(s.joint, s.turn, s.evidence) for s in alone.screws] == [
        ("joint_2", None, "semantics.txt: slider+")
    ]
    alone = described(tmp_path / "b", semantics__txt=None)
    assert [(s.joint, s.evidence) for s in alone.screws] == [
        ("joint_2", "mobility_v2.json: rotates")
    ]


def test_a_turn_and_a_slide_without_a_declaration_stay_two_joints(tmp_path: Path) -> None:
    motions = [raw_sources.partnet_entry(2, "slider", a=-0.1, b=0, rotates=False)]
    semantics = "link_2 slider lid\n"
    record = described(tmp_path, mobility_v2__json=json.dumps(motions), semantics__txt=semantics)
    assert record.screws == ()


def test_a_helper_with_geometry_is_no_screw(tmp_path: Path) -> None:
    urdf = raw_sources.partnet()["mobility.urdf"]
    solid = urdf.replace(raw_sources.link("link_2_helper", ""), raw_sources.link("link_2_helper"))
    assert solid != urdf
    record = described(tmp_path, mobility__urdf=solid)
    assert record.screws == ()
    assert "no pair of joints" in details(record)


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ({"kind": "hinge", "a": 0, "b": 90}, "range"),
        ({"kind": "hinge", "a": 0, "b": 0, "noLimit": True}, "is revolute"),
        ({"kind": "slider", "a": 0, "b": 1}, "is revolute"),
        ({"kind": "hinge", "a": 90, "b": -45, "parent": 1}, "hangs on 'link_3'"),
        ({"number": 9, "kind": "hinge", "a": 0, "b": 1}, "no joint"),
        ({"kind": "free", "parent": -1}, "is revolute"),
    ],
)
def test_a_contradiction_in_the_json_is_a_finding(
    tmp_path: Path, entry: dict[str, Any], word: str
) -> None:
    limit = {"noLimit": False} | entry if "a" in entry else {}
    kind, parent = entry["kind"], entry.get("parent", 3)
    limit = {key: value for key, value in limit.items() if key in ("a", "b", "noLimit")}
    motions = [raw_sources.partnet_entry(entry.get("number", 0), kind, parent, **limit)]
    record = described(tmp_path, mobility_v2__json=json.dumps(motions))
    assert len(record.findings) == 1
    assert word in details(record)


@pytest.mark.parametrize("turns", [-2, -1, 0, 1])
@pytest.mark.parametrize("flip", [1, -1])
def test_whole_turns_and_a_reversed_axis_are_no_disagreement(
    tmp_path: Path, turns: int, flip: int
) -> None:
    ends = [flip * (end + 360 * turns) for end in (-90.0, 45.0)]
    for a, b in (ends, ends[::-1]):
        motions = [raw_sources.partnet_entry(0, "hinge", a=a, b=b, noLimit=False)]
        record = described(tmp_path / f"{a}", mobility_v2__json=json.dumps(motions))
        assert not [f for f in record.findings if "range" in f.detail]


def test_a_shifted_slider_is_a_disagreement(tmp_path: Path) -> None:
    motions = [raw_sources.partnet_entry(2, "slider", a=-0.1 + math.tau, b=math.tau, rotates=True)]
    record = described(tmp_path, mobility_v2__json=json.dumps(motions))
    assert "range" in details(record)


@pytest.mark.parametrize("name", ["meta.json", "mobility_v2.json", "semantics.txt"])
def test_a_file_that_older_objects_lack_is_listed_as_absent(tmp_path: Path, name: str) -> None:
    record = described(tmp_path, **{name.replace(".", "__"): None})
    assert record.provenance["absent"] == [name]
    assert record.name == ("100" if name == "meta.json" else "Bottle 100")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("mobility.urdf", None, "urdf_missing"),
        ("mobility.urdf", "<robot", "xml_invalid"),
        ("meta.json", "[]", "metadata_invalid"),
        ("meta.json", '{"model_cat": 5}', "metadata_invalid"),
        ("semantics.txt", "link_0 hinge\n", "metadata_invalid"),
        ("semantics.txt", b"\xff\xff\n", "metadata_invalid"),
        ("mobility_v2.json", '{"id": 0}', "metadata_invalid"),
        ("mobility_v2.json", "[5]", "metadata_invalid"),
        ("mobility_v2.json", '[{"id": "0"}]', "metadata_invalid"),
        ("mobility_v2.json", '[{"id": 0, "jointData": []}]', "metadata_invalid"),
        ("mobility_v2.json", '[{"id": 0, "jointData": {"limit": {"a": "x"}}}]', "metadata_invalid"),
        (
            "mobility_v2.json",
            '[{"id": 0, "jointData": {"limit": {"a": 1e300}}}]',
            "metadata_invalid",
        ),
    ],
)
def test_another_layout_is_a_rejection(
    tmp_path: Path, name: str, content: str | None, reason: str
) -> None:
    rejection = described(tmp_path, **{name.replace(".", "__"): content})
    assert isinstance(rejection, Rejection)
    assert str(rejection.reason) == reason
    assert name in rejection.detail


def test_folders_without_a_urdf_are_listed_and_the_old_archive_nests(tmp_path: Path) -> None:
    raw_sources.write(tmp_path / "dataset" / "7", raw_sources.partnet())
    raw_sources.write(tmp_path / "dataset" / "8", {"meta.json": "{}"})
    raw_sources.write(tmp_path / "9", raw_sources.partnet())
    (tmp_path / ".cache").mkdir()
    said = raw_sources.read(ADAPTER, tmp_path)
    assert set(said) == {"7", "8", "9"}
    assert str(said["8"].reason) == "urdf_missing"
    assert said["7"].label == said["9"].label == "Bottle"


@pytest.mark.parametrize("folder", ["partnet_mobility", "partnet_mobility_edited", "gapartnet"])
def test_real_objects_are_described_as_an_independent_reading_has_them(folder: str) -> None:
    root = sample_folder(folder)
    said = raw_sources.read(ADAPTER, root)
    assert set(said) == {path.name for path in root.iterdir() if path.is_dir()}
    for name, record in said.items():
        assert isinstance(record, RawRecord), record
        meta = json.loads((root / name / "meta.json").read_text())
        lines = re.findall(r"(\S+) (\S+) (\S+)", (root / name / "semantics.txt").read_text())
        assert record.label == meta["model_cat"]
        assert record.parts == {link: label for link, _, label in lines}
        joints = ET.parse(root / name / "mobility.urdf").findall("joint")
        slides = {j.find("child").get("link") for j in joints if j.get("type") == "prismatic"}
        declared = {link for link, kind, _ in lines if kind == "slider+"}
        assert len(record.screws) == len([x for x in declared if f"{x}_helper" in slides])


def test_untouched_objects_agree_with_their_json_and_frozen_ones_do_not() -> None:
    for record in raw_sources.read(ADAPTER, sample_folder("partnet_mobility")).values():
        assert record.findings == ()
    root = sample_folder("partnet_mobility_edited")
    for name, record in raw_sources.read(ADAPTER, root).items():
        text = (root / name / "mobility_v2.json").read_text()
        wanted = sum(e["joint"] in ("hinge", "slider") for e in json.loads(text))
        joints = ET.parse(root / name / "mobility.urdf").findall("joint")
        fixed = sum(joint.get("type") == "fixed" for joint in joints)
        frozen = wanted != len(joints) - fixed
        assert bool(record.findings) == (frozen or name in ("3558", "101673")), name


def test_the_real_screw_turns_by_half_a_turn() -> None:
    screw = raw_sources.read(ADAPTER, sample_folder("partnet_mobility"))["3763"].screws[0]
    assert (screw.joint, screw.partner) == ("joint_0", "joint_2")
    assert screw.turn == pytest.approx((0, math.pi))


def test_drawers_of_real_objects_slide_to_the_stated_front() -> None:
    facts = yaml.safe_load((REPOSITORY / "pipeline/raw/sources.yaml").read_text())
    assert facts[ADAPTER]["frame"] == {"up": "z", "front": "-x"}
    for name, joint in (("40147", "joint_1"), ("7179", "joint_0")):
        model = bench.judge(sample_folder(ADAPTER) / name / "mobility.urdf")
        start = model.get_transform(model.joint_map[joint].child, model.base_link)[:3, 3]
        model.update_cfg({joint: 0.5})
        end = model.get_transform(model.joint_map[joint].child, model.base_link)[:3, 3]
        np.testing.assert_allclose(end - start, [-0.5, 0, 0], atol=1e-9)
