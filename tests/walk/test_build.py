# SPDX-License-Identifier: Apache-2.0
"""One object walks through every room: the whole workflow on a few real objects."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import trimesh
import yaml

from aa_dataset.format.schema import TABLES
from aa_dataset.kinematics.urdf_tree import read_tree
from aa_dataset.library.verify import verify_library
from pipeline.raw.inventory import object_id
from tests.kit.places import REPOSITORY
from tests.walk.raw_objects import BROKEN
from tests.walk.workspaces import COUNT, Workspace


def rows(workspace: Workspace, table: str, folder: str = "library") -> list[dict[str, object]]:
    return pq.read_table(workspace.root / folder / f"{table}.parquet").to_pylist()


def test_every_raw_object_is_in_the_library_or_in_the_rejects(built: Workspace) -> None:
    raw = {object_id("local", path.name) for path in (built.root / "raw/local").iterdir()}
    raw |= {f"generated-{p.name}" for p in (built.root / "work/raw/generated").glob("[a-z]*")}
    kept = {row["object_id"] for row in rows(built, "objects")}
    rejected = {row["object_id"] for row in rows(built, "rejects")}
    assert len(raw) == COUNT + len(BROKEN) + 6
    assert kept | rejected == raw
    assert not kept & rejected


def test_a_broken_object_has_its_reason_and_a_sentence(built: Workspace) -> None:
    found = {row["object_id"]: row for row in rows(built, "rejects")}
    for name, (_, reason) in BROKEN.items():
        row = found[f"local-{name}"]
        assert row["code"] == reason, row
        assert len(str(row["detail"]).split()) > 3
        assert str(built.root) not in str(row["detail"])
    assert found["local-empty"]["code"] == "metadata_missing"
    assert found[object_id("local", "two\nlines")]["code"] == "metadata_missing"
    assert found["local-linked"]["code"] == "folder_invalid"


@pytest.mark.parametrize("folder", ["library", "release"])
def test_no_law_is_broken(built: Workspace, folder: str) -> None:
    assert list(verify_library(built.root / folder)) == []


def test_of_equal_objects_one_is_kept(built: Workspace) -> None:
    rejected = {row["object_id"]: row["code"] for row in rows(built, "rejects")}
    kept = {row["object_id"] for row in rows(built, "objects")}
    assert rejected["local-chest_again"] == "duplicate"
    assert "local-chest" in kept


def test_tables_have_their_schema_and_units(built: Workspace) -> None:
    for folder in ("library", "release"):
        for name, schema in TABLES.items():
            found = pq.read_schema(built.root / folder / f"{name}.parquet")
            assert found.equals(schema), (folder, name)
            assert found.metadata[b"schema_version"] == schema.metadata[b"schema_version"]
            for ours in schema:
                assert ours.metadata.items() <= found.field(ours.name).metadata.items()


def test_every_object_is_whole_by_its_byte_range(built: Workspace) -> None:
    for row in rows(built, "objects"):
        data = (built.root / "library/assets" / f"{row['shard']}.tar").read_bytes()
        part = data[row["offset"] : row["offset"] + row["size"]]
        with tarfile.open(fileobj=io.BytesIO(part)) as tar:
            names = {member.name.split("/", 1)[1] for member in tar}
            assert {member.name.split("/", 1)[0] for member in tar} == {row["object_id"]}
        assert {"object.urdf", "object.glb", "preview.png", "preview_open.png"} <= names
        assert any(name.startswith("meshes/") and name.endswith(".obj") for name in names)


def test_joint_rows_agree_with_the_urdf(built: Workspace, tmp_path: Path) -> None:
    for path in (built.root / "library/assets").glob("*.tar"):
        with tarfile.open(path) as tar:
            tar.extractall(tmp_path, filter="data")
    for row in rows(built, "objects"):
        folder = tmp_path / str(row["object_id"])
        tree = read_tree(folder / "object.urdf")
        table = {j["joint"]: j for j in rows(built, "joints") if j["object_id"] == row["object_id"]}
        assert set(table) == {joint.name for joint in tree.joints}
        for joint in tree.joints:
            assert table[joint.name]["type"] == joint.type
            assert table[joint.name]["screw"] == pytest.approx(joint.screw, abs=1e-8)
        scene = trimesh.load_scene(folder / "object.glb")
        # A GLB is y-up with its front to z.
        deep, wide, high = row["extents"]
        assert scene.extents == pytest.approx([wide, high, deep], rel=1e-5)
        assert scene.bounds.sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-5)
        assert scene.bounds[0][1] == pytest.approx(row["floor_z"], abs=1e-5)


def test_the_release_holds_only_what_licenses_allow(built: Workspace) -> None:
    sources = {row["source"] for row in rows(built, "objects", "release")}
    assert sources == {"generated"}
    for name in ("links", "joints", "findings", "rejects", "splits"):
        ids = {str(row["object_id"]) for row in rows(built, name, "release")}
        assert not {i for i in ids if i.startswith("local-")}, name
    for path in (built.root / "release/assets").glob("*.tar"):
        with tarfile.open(path) as tar:
            assert all(member.name.startswith("generated-") for member in tar)


def test_checksums_of_the_release_hold(built: Workspace) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=built.root / "release", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    listed = {line.split("  ")[1] for line in (built.root / "release/SHA256SUMS").open()}
    there = {p.relative_to(built.root / "release").as_posix()
             for p in (built.root / "release").rglob("*") if p.is_file()}  # fmt: skip
    assert {name.strip() for name in listed} == there - {"SHA256SUMS"}


def test_no_output_knows_where_or_when_it_was_made(built: Workspace) -> None:
    for folder in ("library", "release"):
        for path in (built.root / folder).rglob("*"):
            if path.is_file():
                assert str(built.root).encode() not in path.read_bytes(), path


def test_the_summary_lists_what_was_built(built: Workspace) -> None:
    text = built.run("pipeline", "summary").stdout
    seal = json.loads((built.root / "library/library.json").read_bytes())
    assert f"{seal['objects']} of the 19,977 objects" in text
    assert "verify: movable_none" in text
    assert "helical" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_bad_config_stops_before_the_first_job(fresh: Workspace) -> None:
    text = (REPOSITORY / "config.yaml").read_text()
    for old, new, named in (
        ("seed: 20261116", "seed: -1", "generated.seed"),
        ("density:", "densities:", "densities"),
        ("backend: auto", "backend: vulkan", "render.backend"),
        ("reject: [movable_none", "reject: [no_such_code", "no_such_code"),
    ):
        assert old in text
        (fresh.root / "config.yaml").write_text(text.replace(old, new, 1))
        done = fresh.run("pipeline", "build", check=False)
        assert done.returncode == 2
        assert named in done.stderr
        assert "Traceback" not in done.stderr
        assert not (fresh.root / "library").exists()


def test_a_build_needs_a_core(fresh: Workspace) -> None:
    done = fresh.run("pipeline", "build", "--cores", "0", check=False)
    assert (done.returncode, done.stderr) == (2, "--cores 0: it must be at least 1.\n")


def test_a_build_without_the_generated_source_takes_the_others(copied: Workspace) -> None:
    config = yaml.safe_load((copied.root / "config.yaml").read_text())
    config["sources"]["generated"] = {"skip": True}
    (copied.root / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))
    shutil.rmtree(copied.root / "work/raw/generated")
    copied.run("pipeline", "build")
    seal = json.loads((copied.root / "library/library.json").read_bytes())
    assert set(seal["sources"]) == {"local"}
    assert not (copied.root / "work/raw/generated").exists()
