# SPDX-License-Identifier: Apache-2.0
"""Human corrections: applied if the file is what the person saw, reported in either case."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from aa_dataset.kinematics.urdf import parse_urdf
from pipeline.base import layout
from pipeline.base.errors import PipelineError, Rejection
from pipeline.base.tables import read_rows
from pipeline.engine.config import load_config
from pipeline.engine.inventory.refresh import refresh
from pipeline.engine.runner import Outcome
from pipeline.engine.settings import Config
from pipeline.raw.curation.repairs import parse_repair, read_repairs
from pipeline.stages.normalize.stage import run
from tests.kit import bench, small_build
from tests.kit.places import REPOSITORY
from tests.kit.settings import with_shards


def parts(**joint: Any) -> list[str]:
    """Return two boxes, of which one is a mesh, and a joint whose name has everything."""
    options = {"limit": 'lower="1" upper="-1"', "axis": "0 0 1", **joint}
    return [
        bench.box_link("a"),
        bench.mesh_link("b: c", "meshes/wrong.obj"),
        bench.joint_text("j:|x", "revolute", "a", "b: c", **options),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a raw object with reversed limits that names a mesh by a wrong name."""
    files = {"meshes/right.obj": bench.box_text((0.1, 0.1, 0.1))}
    return bench.write_object(tmp_path / "raw", bench.robot(*parts()), files)


MESH = "link:b: c:visual.0.filename\tmeshes/wrong.obj\tmeshes/right.obj"
ENDS = ["joint:j:|x:lower\t1\t-1.0", "joint:j:|x:upper\t-1\t1"]


def repaired(folder: Path, *rows: str, **options: Any) -> Outcome:
    """Normalize with corrections."""
    repairs = [parse_repair(f"test-object\t{row}\tbecause") for row in rows]
    return bench.normal(folder, **options, repairs=repairs)


def test_corrections_are_applied_first_with_a_finding(folder: Path) -> None:
    with pytest.raises(Rejection, match="limits_reversed"):
        repaired(folder, MESH)
    with pytest.raises(Rejection, match="mesh_missing"):
        repaired(folder, *ENDS)
    outcome = repaired(folder, MESH, *ENDS)
    joint = parse_urdf(outcome.files["object.urdf"]).joints[0]
    assert (joint.lower, joint.upper) == (-1.0, 1.0)
    assert bench.codes(outcome) == ["effort_default", "repaired", "repaired", "repaired"]
    assert any("1 became -1 (because)" in finding.detail for finding in outcome.findings)


@pytest.mark.parametrize(
    "row",
    [
        "joint:j:|x:effort\t7\t8",
        "joint:ghost:lower\t0\t1",
        "joint:j:|x:type\tprismatic\trevolute",
        "joint:j:|x:axis\t\t1 0 0",
        "joint:j:|x:origin\t1 0 0 0 0 0\t0 0 0 0 0 0",
        "link:ghost:visual.0.filename\ta.obj\tb.obj",
        "link:b: c:visual.7.filename\ta.obj\tb.obj",
        "link:b: c:collision.0.filename\ta.obj\tb.obj",
        "link:a:visual.0.filename\ta.obj\tb.obj",
        "frame.up\ty\tz",
        "scale\tarbitrary\tmetric",
        "unit\t0.01\t1",
    ],
)
def test_a_correction_of_another_file_is_not_applied_and_is_an_error_finding(
    folder: Path, row: str
) -> None:
    good = repaired(folder, MESH, *ENDS)
    outcome = repaired(folder, MESH, *ENDS, row)
    stale = [finding for finding in outcome.findings if finding.code == "repair_stale"]
    assert [str(finding.severity) for finding in stale] == ["error"]
    assert row.split("\t")[0] in stale[0].detail
    assert outcome.files == good.files


def test_every_field_can_be_corrected(folder: Path, tmp_path: Path) -> None:
    rows = [
        MESH,
        *ENDS,
        "joint:j:|x:axis\t0 0 1\t0 0 -2",
        "joint:j:|x:origin\t0 0 0 0 0 0\t0.5 0 0 0 0 0.25",
        "joint:j:|x:effort\t\t7",
        "joint:j:|x:velocity\t\t3",
        "joint:j:|x:type\trevolute\tprismatic",
        "link:b: c:visual.0.scale\t\t2 2 2",
        "link:b: c:visual.0.origin\t\t0 0 1 0 0 0",
        "frame.up\tz\ty",
        "frame.front\tx\tz",
        "scale\tmetric\tunit_sphere",
        "unit\t1\t0.5",
    ]
    outcome = repaired(folder, *rows)
    assert bench.codes(outcome) == ["repaired"] * len(rows)
    urdf = bench.robot(
        bench.box_link("a"),
        '<link name="b: c"><visual><origin xyz="0 0 1"/><geometry>'
        '<mesh filename="meshes/right.obj" scale="2 2 2"/></geometry></visual></link>',
        bench.joint_text("j:|x", "prismatic", "a", "b: c", xyz="0.5 0 0", rpy="0 0 0.25",
                         axis="0 0 -2", limit='lower="-1" upper="1" effort="7" velocity="3"'),
    )  # fmt: skip
    files = {"meshes/right.obj": bench.box_text((0.1, 0.1, 0.1))}
    meant = bench.write_object(tmp_path / "meant", urdf, files)
    source = {"frame": {"up": "y", "front": "z"}, "scale": "unit_sphere", "unit": 0.5}
    expected = bench.normal(meant, source)
    assert outcome.files == expected.files
    assert outcome.record.to_row() == expected.record.to_row()


def test_a_frame_needs_two_directions_after_its_repairs(folder: Path) -> None:
    rows = (MESH, *ENDS, "frame.up\tz\tx")
    with pytest.raises(Rejection, match=r"metadata_invalid.*one axis; correct both"):
        repaired(folder, *rows)
    outcome = repaired(folder, *rows, "frame.front\tx\t-z")
    assert outcome.record.rotation == (0, 0, -1, 0, 1, 0, 1, 0, 0)


def test_a_limit_can_be_taken_out(folder: Path) -> None:
    outcome = repaired(folder, MESH, "joint:j:|x:lower\t1\t", "joint:j:|x:upper\t-1\t")
    assert parse_urdf(outcome.files["object.urdf"]).joints[0].type == "continuous"


@pytest.mark.parametrize(
    "row",
    [
        "a-1\tjoint:j:lower\t0\t1",  # no reason
        "a-1\tjoint:j:lower\t0\t1\t ",
        "\tjoint:j:lower\t0\t1\twhy",
        "a-1\tjoint:j:color\tred\tblue\twhy",
        "a-1\tjoint:j:lower\tnan\t1\twhy",
        "a-1\tjoint:j:axis\t1 0\t1 0 0\twhy",
        "a-1\tjoint:j:type\trevolute\thinge\twhy",
        "a-1\tjoint:j:type\trevolute\t\twhy",
        "a-1\tlink:l:visual.x.filename\ta\tb\twhy",
        "a-1\tframe.up\tz\tup\twhy",
        "a-1\tunit\t1\t-1\twhy",
        "a-1\tscale\tmetric\tinches\twhy",
        "a-1\tlabel\tDoor\tGate\twhy",
        "a-1\tsomething\t0\t1\twhy",
    ],
)
def test_a_row_that_could_never_be_applied_is_a_sentence(row: str) -> None:
    with pytest.raises(PipelineError, match=r"repairs\.tsv.*\.$"):
        parse_repair(row)


def test_a_label_is_sent_where_labels_are_corrected() -> None:
    with pytest.raises(PipelineError, match=r"taxonomy/reviews\.tsv"):
        parse_repair("a-1\tlabel\tDoor\tGate\twhy")


def test_the_shipped_file_is_readable(tmp_path: Path) -> None:
    lines = (REPOSITORY / layout.REPAIRS).read_text().splitlines()
    assert lines[0].split("\t") == ["object_id", "field", "old", "new", "why"]
    (tmp_path / "slice.tsv").write_text("\n".join(lines[1:]))
    read_repairs(tmp_path / "slice.tsv")


def write_sources() -> Config:
    """Write two raw objects with reversed limits; return a config of one shard."""
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("pipeline", "aa_dataset"):
        shutil.copytree(REPOSITORY / name, name, ignore=ignore, dirs_exist_ok=True)
    urdf = bench.robot(
        bench.box_link("a"),
        bench.box_link("b"),
        bench.joint_text("j", "revolute", "a", "b", limit='lower="1" upper="-1"'),
    )
    for name in ("o1", "o2"):
        bench.write_object(Path("work/raw/generated") / name, urdf, {"meta.json": "{}"})
    return with_shards(load_config(), generated=1)


def test_the_stage_applies_the_rows_of_its_objects(workspace: Path) -> None:
    from pipeline.stages.ingest.stage import run as ingest

    config = write_sources()
    with layout.REPAIRS.open("a") as stream:
        stream.write("generated-o2\tjoint:j:lower\t1\t-1\tends swapped\n")
        stream.write("generated-o2\tjoint:j:upper\t-1\t1\tends swapped")
    refresh(config)
    ingest(small_build.stage_job("ingest", "generated", "0000", config))
    job = small_build.stage_job("normalize", "generated", "0000", config)
    run(job)
    assert [row["object_id"] for row in read_rows(job.outputs["records"])] == ["generated-o2"]
    rejects = read_rows(job.outputs["rejects"])
    assert [(row["object_id"], row["code"]) for row in rejects] == [
        ("generated-o1", "limits_reversed")
    ]
    found = [row["code"] for row in read_rows(job.outputs["findings"])]
    assert found.count("repaired") == 2


def test_a_broken_row_stops_the_build_before_the_first_job(workspace: Path) -> None:
    config = write_sources()
    with layout.REPAIRS.open("a") as stream:
        stream.write("generated-o2\tjoint:j:lower\t1\n")
    with pytest.raises(PipelineError, match="generated-o2"):
        refresh(config)
