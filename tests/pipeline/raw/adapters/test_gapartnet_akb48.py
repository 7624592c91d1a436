# SPDX-License-Identifier: Apache-2.0
"""GAPartNet-AKB48: four URDFs of which one counts, categories from a list, scans beside meshes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aa_dataset.kinematics.urdf import pose_matrix
from pipeline.base.errors import Rejection
from pipeline.raw.files import open_raw
from pipeline.raw.records import Frame, RawRecord
from pipeline.stages.normalize.frame import frame_rotation
from pipeline.stages.normalize.stage import normalize_raw
from tests.kit import bench, raw_sources
from tests.kit import settings as settings_kit
from tests.kit.places import sample_folder

ADAPTER = "gapartnet_akb48"
HOME = "akb48_all_annotated_new"
LIST = "Box 100\nBox 102\nBucket 0\nTrashCan 213\n\nodd line here\n"
VARIANTS = (
    "mobility_annotation_gapartnet.urdf", "motion_sapien_v2.urdf", "motion_sapien.urdf",
    "motion_unity.urdf",
)  # fmt: skip


def described(root: Path, name: str = "100", **options: Any) -> Any:
    """Return the record of the made object."""
    raw_sources.write(root / HOME / name, raw_sources.akb48(**options))
    (root / "akb48_all_id_list.txt").write_text(LIST)
    return raw_sources.read(ADAPTER, root)[name]


def codes(record: RawRecord) -> list[str]:
    return [str(finding.code) for finding in record.findings]


@pytest.mark.parametrize(("name", "label"), [("100", "Box"), ("0", "Bucket"), ("7", "")])
def test_the_category_comes_from_the_list(tmp_path: Path, name: str, label: str) -> None:
    record = described(tmp_path, name)
    assert record.label == label
    assert record.name == f"{label} {name}".strip()
    assert record.parts == {"base_link": "body", "link1": "lid"}
    assert record.provenance["model"] == VARIANTS[0]


@pytest.mark.parametrize("count", range(1, 5))
def test_the_most_finished_urdf_counts(tmp_path: Path, count: int) -> None:
    for variant in VARIANTS[-count:]:
        record = described(tmp_path, model=variant)
    assert record.model == VARIANTS[-count]
    assert ("frame_uncertain" in codes(record)) == (record.model == "motion_unity.urdf")


def test_a_root_joint_sets_the_object_upright(tmp_path: Path) -> None:
    assert described(tmp_path).frame is None  # that of the source holds


@pytest.mark.parametrize(
    ("name", "frame", "said"),
    [
        ("100", Frame("z", "x"), []),
        ("0", Frame("z"), ["frame_uncertain"]),
        ("213", Frame("z"), ["frame_uncertain"]),
        ("7", Frame("z"), ["frame_uncertain"]),
    ],
)
def test_without_a_root_joint_only_the_turn_of_boxes_is_known(
    tmp_path: Path, name: str, frame: Frame, said: list[str]
) -> None:
    record = described(tmp_path, name, model="motion_sapien.urdf", upright=False)
    assert record.frame == frame
    assert [code for code in codes(record) if code != "mesh_substituted"] == said


def test_a_box_without_its_root_joint_ends_as_one_with_it() -> None:
    turned = pose_matrix((0, 0, 0), (0, 0, np.pi))[:3, :3]  # the root joint of GAPartNet's boxes
    with_root = frame_rotation(Frame("z", "-x")) @ turned
    without = frame_rotation(Frame("z", "x"))
    np.testing.assert_allclose(with_root, without, atol=1e-12)


def test_a_scan_beside_an_absent_mesh_is_read_in_its_place(tmp_path: Path) -> None:
    record = described(tmp_path)
    assert record.substitutes == {"./part_meshes/link1.obj": "./part_meshes/link1.ply"}
    assert codes(record) == ["mesh_substituted"]
    row = bench.raw_record(record.model)
    files = open_raw(tmp_path / HOME, ("100",), most_bytes=10**6)
    with pytest.raises(Rejection, match=r"link1\.obj"):
        normalize_raw(files, row, settings_kit.SETTINGS)
    row = replace(row, substitutes=record.substitutes)
    outcome = normalize_raw(files, row, settings_kit.SETTINGS)
    assert outcome.record.extents == (1.0, 1.0, 2.0)
    assert outcome.record.joint_names == {
        name: "base_link|revolute|link1" for name in outcome.record.joint_names
    }


@pytest.mark.parametrize(
    "ply", ["", "ply\nelement face 4\n", "ply\nelement vertex 3\nend_header\n",
            "ply\nelement face 0\nend_header\n"],
)  # fmt: skip
def test_a_point_cloud_is_no_mesh(tmp_path: Path, ply: str) -> None:
    files = raw_sources.akb48() | {"part_meshes/link1.ply": ply}
    raw_sources.write(tmp_path / HOME / "100", files)
    record = raw_sources.read(ADAPTER, tmp_path)["100"]
    assert (record.substitutes, record.findings) == ({}, ())


@pytest.mark.parametrize(
    "name", ["../../x.obj", "/etc/x.obj", "http://x/y.obj", "package://a/b.obj"]
)
def test_a_mesh_name_that_leads_out_is_left_to_normalize(tmp_path: Path, name: str) -> None:
    files = raw_sources.akb48()
    files[VARIANTS[0]] = files[VARIANTS[0]].replace("./part_meshes/link1.obj", name)
    raw_sources.write(tmp_path / HOME / "100", files)
    raw_sources.write(tmp_path, {"x.ply": raw_sources.PLY})
    assert raw_sources.read(ADAPTER, tmp_path)["100"].substitutes == {}


def test_objects_of_partnet_name_their_original(tmp_path: Path) -> None:
    partnet = raw_sources.partnet()
    files = partnet | {
        "mobility_annotation_gapartnet.urdf": partnet["mobility.urdf"],
        "mobility_texture_gapartnet.urdf": partnet["mobility.urdf"],
        "semantics_gapartnet.txt": "link_0 hinge hinge_lid\n",
    }
    raw_sources.write(tmp_path / "partnet_all_annotated_new" / "100", files)
    raw_sources.write(tmp_path / HOME / "100", raw_sources.akb48())
    said = raw_sources.read(ADAPTER, tmp_path)
    assert set(said) == {"100", "partnet/100"}
    record = said["partnet/100"]
    assert record.same_as == ("partnet_mobility/100",)
    assert (record.scale, record.label) == ("unit_sphere", "Bottle")
    assert record.parts == {"link_0": "hinge_lid"}
    assert said["100"].same_as == ()


@pytest.mark.parametrize("place", ["", "dataset/"])
@pytest.mark.parametrize("where", ["", "meta/", "dataset/render_tools/meta/"])
def test_folder_and_list_are_found_where_the_publisher_puts_them(
    tmp_path: Path, place: str, where: str
) -> None:
    raw_sources.write(tmp_path / f"{place}{HOME}" / "100", raw_sources.akb48())
    raw_sources.write(tmp_path, {f"{where}akb48_all_id_list.txt": LIST})
    said = raw_sources.read(ADAPTER, tmp_path)
    assert {name: record.label for name, record in said.items()} == {"100": "Box"}


def test_objects_may_lie_in_the_sources_folder_itself(tmp_path: Path) -> None:
    raw_sources.write(tmp_path, {"meta/akb48_all_id_list.txt": LIST})
    raw_sources.write(tmp_path / "100", raw_sources.akb48())
    raw_sources.write(tmp_path / "102", {"part_meshes/link1.ply": raw_sources.PLY})
    said = raw_sources.read(ADAPTER, tmp_path)
    assert set(said) == {"100", "102"}
    assert str(said["102"].reason) == "urdf_missing"


def test_the_real_object_has_one_scan_that_is_a_mesh_and_one_that_is_not() -> None:
    root = sample_folder(ADAPTER)
    (record,) = raw_sources.read(ADAPTER, root).values()
    assert (record.model, record.label) == ("motion_unity.urdf", "")
    (meshes,) = root.glob("*/part_meshes")
    with_faces = {
        p.stem for p in meshes.glob("link*.ply") if b"element face" in p.read_bytes()[:999]
    }
    assert record.substitutes == {
        f"./part_meshes/{stem}.obj": f"./part_meshes/{stem}.ply" for stem in with_faces
    }
    assert sorted(codes(record)) == ["frame_uncertain", "mesh_substituted"]


def test_the_real_object_of_the_other_half_is_partnet_again() -> None:
    record = raw_sources.read(ADAPTER, sample_folder("gapartnet"))["102442"]
    assert record.same_as == ("partnet_mobility/102442",)
    assert record.label == "Camera"
    assert sorted(record.parts.values()).count("button") == 12
