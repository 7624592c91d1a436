# SPDX-License-Identifier: Apache-2.0
"""The stage: inertials of the URDF equal the tables, screws by their formula, welded bodies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aa_dataset.assets.contents import content_digest
from aa_dataset.convention.document import check_convention
from pipeline.base.assets import COLUMNS
from pipeline.base.tables import read_rows, write_table
from pipeline.engine.runner import Outcome
from pipeline.generate.registry import family_names
from pipeline.handover.annotated import AnnotatedRecord
from pipeline.handover.categorized import CategoryRecord
from pipeline.handover.ingested import IngestedRecord
from pipeline.handover.normalized import NormalRecord
from pipeline.handover.verified import VerifiedRecord
from pipeline.stages.annotate.stage import annotate, run
from tests.kit import bench
from tests.kit import settings as settings_kit

DENSITY = 500.0
SAMPLE = family_names()[::5]


@pytest.fixture
def annotated(tmp_path: Path) -> Callable[..., Outcome]:
    """Annotate a normalized object."""

    def run_one(outcome: Outcome, parts: dict[str, str] | None = None) -> Outcome:
        row, where = bench.stored(tmp_path / "object.tar", outcome)
        return annotate(bench.annotate_task(row, where, parts), settings_kit.SETTINGS)

    return run_one


def screw_lamp(folder: Path) -> Path:
    """Return an object with all five joint types, welded children, off every origin."""
    joint, box = bench.joint_text, bench.box_link
    return bench.write_object(
        folder,
        bench.robot(
            box("foot", "0.4 0.4 0.1", '<origin xyz="0.3 0.2 0.1"/>'),
            box("arm", "0.1 0.1 0.6"),
            box("plate", "0.3 0.2 0.1"),
            '<link name="carrier"/>',
            box("bulb", "0.1 0.1 0.2", '<origin xyz="0 0 0.1" rpy="0 0 0.5"/>'),
            box("wheel", "0.2 0.2 0.02"),
            box("slider", "0.1 0.3 0.1"),
            joint("tilt", "revolute", "foot", "arm", xyz="0.1 0 0.4", axis="1 1 0", rpy="0 0 0.3"),
            joint("weld", "fixed", "arm", "plate", xyz="0.2 0.1 0.5"),
            joint("screw", "revolute", "plate", "carrier", xyz="0 0.1 0", axis="0 0.6 0.8"),
            joint("lift", "prismatic", "carrier", "bulb", axis="0 0.6 0.8",
                  more='<mimic joint="screw" multiplier="0.003"/>'),
            joint("spin", "continuous", "plate", "wheel", xyz="0.1 0 0", axis="0 1 0", limit=None),
            joint("slide", "prismatic", "foot", "slider", xyz="-0.3 0 0", axis="0 3 4"),
        ),
    )  # fmt: skip


def test_an_annotated_object_follows_the_whole_convention(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    outcome = annotated(bench.normal(screw_lamp(tmp_path / "raw")))
    assert outcome.files is not None
    assert check_convention(outcome.files["object.urdf"], outcome.files) == []
    assert {"object_id", *outcome.record.to_row()} == set(AnnotatedRecord.schema().names)
    robot = bench.judge(bench.unpacked(outcome, tmp_path / "out") / "object.urdf")
    for link in robot.link_map.values():
        values = np.linalg.eigvalsh(link.inertial.inertia)
        assert link.inertial.mass > 0
        assert values[0] > 0
        assert values[2] <= values[0] + values[1]


def assert_inertials_are_the_table(outcome: Outcome, folder: Path) -> None:
    """Compare what another URDF reader sees with the links table, in the object frame."""
    path = bench.unpacked(outcome, folder) / "object.urdf"
    robot, frames = bench.judge(path), bench.judged_frames(path, {})
    links = {row.link: row for row in outcome.record.links}
    assert set(links) == {name for name in robot.link_map if not name.endswith("_carrier")}
    for name, row in links.items():
        inertial = robot.link_map[name].inertial
        center = frames[name] @ inertial.origin @ [0, 0, 0, 1]
        assert row.mass == pytest.approx(inertial.mass, rel=1e-9)
        assert row.com == pytest.approx(center[:3].tolist(), abs=1e-9)
        size = np.trace(inertial.inertia)
        found = np.array(row.inertia).reshape(3, 3)
        assert found == pytest.approx(inertial.inertia, abs=1e-9 * size)


def test_the_urdfs_inertials_are_the_links_table(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    outcome = annotated(bench.normal(screw_lamp(tmp_path / "raw")))
    # All joints at zero put every link of this object at rest.
    assert_inertials_are_the_table(outcome, tmp_path / "out")
    masses = {row.link: row.mass for row in outcome.record.links}
    expected = {"base": 0.4 * 0.4 * 0.1, "arm": 0.006, "plate": 0.006, "bulb": 0.002,
                "wheel": 0.0008, "slider": 0.003}  # fmt: skip
    assert masses == pytest.approx({k: DENSITY * v for k, v in expected.items()}, rel=1e-9)
    assert {row.inertia_method for row in outcome.record.links} == {"primitive"}
    assert all(row.watertight and row.faces == 12 for row in outcome.record.links)
    assert set(bench.codes(outcome)) <= {"contact_excluded"}  # its boxes penetrate each other


@pytest.mark.parametrize("family", SAMPLE)
def test_generated_objects_have_the_same_inertials_in_urdf_and_table(
    annotated: Callable[..., Outcome],
    normalized: Callable[[str], Any],
    tmp_path: Path,
    family: str,
) -> None:
    _, outcome, _ = normalized(family)
    final = annotated(outcome)
    assert_inertials_are_the_table(final, tmp_path / "out")
    assert_screws_are_the_formula(final)


def assert_screws_are_the_formula(outcome: Outcome) -> None:
    """Recompute every screw: (omega, o x omega + h omega), (0, axis), or zero."""
    for row in outcome.record.joints:
        axis, origin = np.array(row.axis), np.array(row.origin)
        if row.type == "fixed":
            expected = np.zeros(6)
        elif row.type == "prismatic":
            expected = np.concatenate([np.zeros(3), axis])
        else:
            expected = np.concatenate([axis, np.cross(origin, axis) + row.pitch * axis])
        assert row.screw == pytest.approx(expected.tolist(), abs=1e-8)
        assert np.linalg.norm(axis) == pytest.approx(float(row.type != "fixed"), abs=1e-9)


def test_the_joints_table_holds_the_screws_of_all_five_types(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    normal = bench.normal(screw_lamp(tmp_path / "raw"))
    outcome = annotated(normal)
    assert_screws_are_the_formula(outcome)
    joints = {row.joint: row for row in outcome.record.joints}
    assert {row.type for row in joints.values()} == {
        "fixed", "revolute", "prismatic", "continuous", "helical",
    }  # fmt: skip
    assert joints["screw"].pitch == pytest.approx(0.003)
    assert joints["screw"].pitch_source == "source"
    assert joints["slide"].axis == pytest.approx([0, 0.6, 0.8])
    assert (joints["spin"].lower, joints["spin"].upper) == (-np.inf, np.inf)
    tilt = np.array([np.cos(0.3) - np.sin(0.3), np.sin(0.3) + np.cos(0.3), 0]) / np.sqrt(2)
    assert joints["tilt"].axis == pytest.approx(tilt.tolist())
    place = np.array([0.1, 0, 0.4]) - normal.record.center
    assert joints["tilt"].origin == pytest.approx(place.tolist(), abs=1e-8)
    # The foot carries arm, then screw, spin; three levels with the bulb below tilt.
    assert outcome.record.depth == 2


def test_a_moving_body_is_the_child_with_its_welded_children(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    outcome = annotated(bench.normal(screw_lamp(tmp_path / "raw")))
    links = {row.link: row for row in outcome.record.links}
    joints = {row.joint: row for row in outcome.record.joints}
    welded = {"tilt": ["arm", "plate"], "screw": ["bulb"], "spin": ["wheel"], "slide": ["slider"]}
    for name, parts in welded.items():
        masses = np.array([links[part].mass for part in parts])
        centers = np.array([links[part].com for part in parts])
        center = masses @ centers / masses.sum()
        inertia = np.zeros((3, 3))
        for part, mass, place in zip(parts, masses, centers, strict=True):
            arm = place - center
            inertia += np.array(links[part].inertia).reshape(3, 3)
            inertia += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        row = joints[name]
        assert row.body_mass == pytest.approx(masses.sum())
        assert row.body_com == pytest.approx(center.tolist(), abs=1e-9)
        found = np.array(row.body_inertia).reshape(3, 3)
        assert found == pytest.approx(inertia, abs=1e-9 * np.trace(inertia))
    assert joints["weld"].body_mass is None


def test_an_approximate_mass_is_a_finding_and_the_labels_arrive(
    annotated: Callable[..., Outcome], tmp_path: Path
) -> None:
    sheet = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"
    bowl = "\n".join(bench.box_text((1, 1, 1)).splitlines()[:-2]) + "\n"
    urdf = bench.robot(
        bench.box_link("a"),
        bench.mesh_link("The Sheet", "sheet.obj"),
        bench.mesh_link("bowl", "bowl.obj"),
        bench.joint_text("j", "revolute", "a", "The Sheet"),
        bench.joint_text("k", "revolute", "a", "bowl"),
    )
    raw = bench.write_object(tmp_path / "raw", urdf, {"sheet.obj": sheet, "bowl.obj": bowl})
    outcome = annotated(bench.normal(raw), {"The Sheet": "cloth"})
    links = {row.link: row for row in outcome.record.links}
    assert links["the_sheet"].inertia_method == "shell"
    assert links["the_sheet"].mass == pytest.approx(DENSITY * 0.002)
    assert links["the_sheet"].inertia_error == 1.0
    assert links["bowl"].inertia_method == "shell"
    assert links["bowl"].mass == pytest.approx(DENSITY * 5 * 0.002)  # five sides of 1 m^2
    assert links["bowl"].inertia_error == 1.0
    assert not links["bowl"].watertight
    assert bench.codes(outcome).count("mass_approximate") == 2
    assert links["the_sheet"].source_name == "The Sheet"
    assert (links["the_sheet"].semantic, links["bowl"].semantic) == ("cloth", "")
    assert links["the_sheet"].bounds_upper[2] == links["the_sheet"].bounds_lower[2]


def test_the_content_digest_covers_every_byte_and_name(
    annotated: Callable[..., Outcome], door: Path
) -> None:
    outcome = annotated(bench.normal(door))
    files = dict(outcome.files or {})
    assert outcome.record.content_sha256 == content_digest(files)
    for name in files:
        assert content_digest(files | {name: files[name] + b" "}) != content_digest(files)
    renamed = {f"x{name}": data for name, data in files.items()}
    assert content_digest(renamed) != content_digest(files)
    assert content_digest(dict(reversed(files.items()))) == content_digest(files)


def test_only_verified_objects_are_annotated(elsewhere: Path, door: Path) -> None:
    row, where = bench.stored(Path("0000.tar"), bench.normal(door))
    place = {"asset_offset": where.offset, "asset_size": where.size, "asset_sha256": where.sha256}
    schema = NormalRecord.schema()
    for column in COLUMNS:
        schema = schema.append(column)
    rows = [{"object_id": name, **row.to_row(), **place} for name in ("good", "refused")]
    write_table(Path("records.parquet"), rows, schema)
    verified = {"object_id": "good", **VerifiedRecord(0).to_row()}
    write_table(Path("verified.parquet"), [verified], VerifiedRecord.schema())
    raw = bench.raw_record().to_row()
    sources = [{"object_id": name, **raw} for name in ("good", "refused")]
    write_table(Path("sources.parquet"), sources, IngestedRecord.schema())
    label = CategoryRecord("door", "Architectural Fixtures", "metadata: door").to_row()
    labels = [{"object_id": name, **label} for name in ("good", "refused")]
    write_table(Path("categories.parquet"), labels, CategoryRecord.schema())
    names = ("records", "verified", "sources", "categories")
    inputs = {name: Path(f"{name}.parquet") for name in names} | {"assets": Path("0000.tar")}
    job = bench.shard_job(Path("out"), "annotate", inputs=inputs, assets=True)
    run(job)
    assert [r["object_id"] for r in read_rows(job.outputs["records"])] == ["good"]
    assert read_rows(job.outputs["rejects"]) == []
