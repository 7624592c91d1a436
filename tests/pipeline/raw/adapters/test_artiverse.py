# SPDX-License-Identifier: Apache-2.0
"""Artiverse: screws by attribute, cylinders that are none, annotations flat and nested.

No object of the release could be had: the objects are ours, after what its readers describe. One
real annotation of the same family is read where it is there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import Rejection
from pipeline.raw.files import open_raw
from pipeline.raw.records import RawRecord, Screw
from pipeline.stages.normalize.stage import normalize_raw
from tests.kit import bench, raw_sources
from tests.kit import settings as settings_kit
from tests.kit.places import sample_folder

ADAPTER = "artiverse"
NAME = "cabinet/wss/m1"


def described(root: Path, **changes: Any) -> Any:
    """Return the record of the made object; `urdf` and `annotation` may be others."""
    files = raw_sources.artiverse()
    if "urdf" in changes:
        files["urdf_w_collider/m1.urdf"] = changes["urdf"]
    if "annotation" in changes:
        files["m1.articulations.json"] = changes["annotation"]
    raw_sources.write(root / "data" / NAME, files)
    return raw_sources.read(ADAPTER, root)[NAME]


def test_category_source_and_parts_come_from_the_names(tmp_path: Path) -> None:
    record = described(tmp_path)
    assert (record.label, record.model) == ("cabinet", "urdf_w_collider/m1.urdf")
    assert record.provenance["upstream_source"] == "wss"
    assert record.parts == {
        "link_0_base": "base", "link_1_door": "door", "link_2_cap": "cap", "link_3_rod": "rod",
        "link_3_carrier": "carrier",
    }  # fmt: skip
    assert record.findings == ()


def test_a_screw_is_one_joint_with_pitch_and_travel_and_a_cylinder_is_none(tmp_path: Path) -> None:
    (screw,) = described(tmp_path).screws
    expected = Screw("joint_2_to_0", pitch=0.002, travel=(0.0, 0.012), evidence=screw.evidence)
    assert screw == expected
    assert "joint_2_to_0" in screw.evidence


def test_a_screw_of_two_joints_names_its_partner(tmp_path: Path) -> None:
    screw = 'artiverse_pid="2" artiverse_original_type="screw"'
    urdf = raw_sources.robot(
        raw_sources.link("link_0_base"), raw_sources.link("link_2_cap"),
        raw_sources.link("proxy", ""),
        raw_sources.joint("slide", "prismatic", "link_0_base", "proxy", extra=screw),
        raw_sources.joint("turn", "revolute", "proxy", "link_2_cap", extra=screw),
    )  # fmt: skip
    record = described(tmp_path, urdf=urdf, annotation="{}")
    assert [(screw.joint, screw.partner) for screw in record.screws] == [("turn", "slide")]


@pytest.mark.parametrize(
    ("attributes", "pitch", "travel", "said"),
    [
        ('artiverse_screw_pitch="-0.002"', -0.002, None, 0),
        ('artiverse_trans_min="0" artiverse_trans_max="0.01"', None, (0.0, 0.01), 0),
        ('artiverse_trans_min="0"', None, None, 0),
        (
            'artiverse_screw_pitch="0.5" artiverse_trans_min="0" artiverse_trans_max="0.012"',
            0.5, (0.0, 0.012), 1,
        ),
    ],
)  # fmt: skip
def test_pitch_and_travel_equal_the_attributes(
    tmp_path: Path, attributes: str, pitch: object, travel: object, said: int
) -> None:
    record = described(tmp_path, urdf=raw_sources.artiverse_urdf(attributes))
    assert [(screw.pitch, screw.travel) for screw in record.screws] == [(pitch, travel)]
    assert [str(f.code) for f in record.findings] == ["source_disagrees"] * said


@pytest.mark.parametrize("value", ["nan", "inf", "x", "", "1e300"])
def test_a_pitch_that_is_no_number_is_a_rejection(tmp_path: Path, value: str) -> None:
    urdf = raw_sources.artiverse_urdf(f'artiverse_screw_pitch="{value}"')
    rejection = described(tmp_path, urdf=urdf)
    assert str(rejection.reason) == "metadata_invalid"
    assert "joint_2_to_0" in rejection.detail


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("is_nested", [False, True])
def test_the_annotation_is_read_flat_and_nested_with_and_without_a_mark(
    tmp_path: Path, mark: bytes, is_nested: bool
) -> None:
    flat = raw_sources.artiverse_annotation() | {"parts": [None, {"pid": 1, "label": "glass door"}]}
    flat["articulations"][0]["type"] = "translation"  # the URDF has a turn
    content = {"appId": "a", "annotation": flat} if is_nested else flat
    record = described(tmp_path, annotation=mark + json.dumps(content).encode())
    assert record.parts["link_1_door"] == "glass door"
    assert [finding.detail.split(":")[1] for finding in record.findings] == [
        " part 1 is translation, but the URDF has turn for it."
    ]


def test_several_records_of_one_part_are_one_composite_joint(tmp_path: Path) -> None:
    annotation = raw_sources.artiverse_annotation()
    last = annotation["articulations"].pop()
    annotation["articulations"] += [last | {"type": "prismatic"}, last | {"type": "continuous"}]
    record = described(tmp_path, annotation=json.dumps(annotation))
    assert record.provenance["composite_parts"] == ["3"]
    assert record.findings == ()
    assert [screw.joint for screw in record.screws] == ["joint_2_to_0"]


def test_an_annotated_part_without_its_joint_is_a_finding(tmp_path: Path) -> None:
    annotation = raw_sources.artiverse_annotation()
    annotation["articulations"].append({"pid": 9, "type": "universal"})
    annotation["articulations"].append({"pid": 8, "type": "fixed"})
    record = described(tmp_path, annotation=json.dumps(annotation))
    assert ["part 9" in finding.detail for finding in record.findings] == [True]


@pytest.mark.parametrize(("names", "reason"), [((), "urdf_missing"), (("a", "b"), "urdf_several")])
def test_there_is_exactly_one_urdf(tmp_path: Path, names: tuple[str, ...], reason: str) -> None:
    files = {f"urdf_w_collider/{name}.urdf": raw_sources.artiverse_urdf() for name in names}
    files |= {"urdf_w_collider/objs/deep.urdf": "<robot/>", "material.json": "{}"}
    raw_sources.write(tmp_path / "data" / NAME, files)
    assert str(raw_sources.read(ADAPTER, tmp_path)[NAME].reason) == reason


@pytest.mark.parametrize(
    "annotation",
    ["[]", '{"articulations": {}}', '{"articulations": [1]}', '{"articulations": [{"pid": 1.5}]}',
     '{"articulations": [{"pid": 1, "type": 4}]}', '{"annotation": []}', '{"parts": [[]]}', "{"],
)  # fmt: skip
def test_an_annotation_of_another_layout_is_a_rejection(tmp_path: Path, annotation: str) -> None:
    rejection = described(tmp_path, annotation=annotation)
    assert isinstance(rejection, Rejection)
    assert str(rejection.reason) == "metadata_invalid"


@pytest.mark.parametrize("place", ["data/", "dataset_chunks/data/", ""])
def test_equal_ids_of_different_sources_are_different_objects(tmp_path: Path, place: str) -> None:
    names = {"lamp/abo/m1", "lamp/wss/m1", "desk/wss/m1"}
    for name in names:
        raw_sources.write(tmp_path / f"{place}{name}", raw_sources.artiverse())
    (tmp_path / f"{place}lamp" / "elsewhere").symlink_to(tmp_path)
    assert set(raw_sources.read(ADAPTER, tmp_path)) == names


def test_a_real_annotation_of_the_family_is_read(tmp_path: Path) -> None:
    (path,) = (sample_folder("artiverse_s2o") / "demo").glob("*.articulations.json")
    raw = path.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    written = json.loads(raw.decode("utf-8-sig"))["annotation"]
    parts = {part["pid"]: part["label"] for part in written["parts"] if part}
    (moving,) = written["articulations"]
    links = [raw_sources.link(f"link_{pid}_x") for pid in parts]
    hinge = raw_sources.joint("joint_1_to_5", "revolute", "link_5_x", f"link_{moving['pid']}_x")
    record = described(tmp_path, urdf=raw_sources.robot(*links, hinge), annotation=raw)
    assert isinstance(record, RawRecord)
    assert record.parts == {f"link_{pid}_x": label for pid, label in parts.items()}
    assert record.findings == ()


def test_joints_in_a_circle_are_described_and_refused_by_normalize(tmp_path: Path) -> None:
    urdf = raw_sources.robot(
        raw_sources.link("link_0_base"), raw_sources.link("link_1_a"), raw_sources.link("link_2_b"),
        raw_sources.joint("joint_1_to_2", "revolute", "link_2_b", "link_1_a"),
        raw_sources.joint("joint_2_to_1", "revolute", "link_1_a", "link_2_b"),
    )  # fmt: skip
    record = described(tmp_path, urdf=urdf, annotation="{}")
    assert record.parts["link_1_a"] == "a"
    files = open_raw(tmp_path / "data", (NAME,), most_bytes=10**6)
    with pytest.raises(Rejection) as caught:
        normalize_raw(files, bench.raw_record(record.model), settings_kit.SETTINGS)
    assert str(caught.value.reason) == "joint_cycle"
