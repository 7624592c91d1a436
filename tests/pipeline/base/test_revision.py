# SPDX-License-Identifier: Apache-2.0
"""A library's revision depends on its tables, and not on how its pictures were drawn.

Its seal names the benchmark that it holds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import LibraryError
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from pipeline.base import layout
from pipeline.base.assets import AssetWriter, pack
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.base.seal import revision
from pipeline.base.tables import write_bytes, write_table
from pipeline.engine.config import load_config
from pipeline.stages.manifest.stage import run as make_manifest
from pipeline.stages.publish.stage import run as publish
from pipeline.stages.render.stage import without_pictures
from pipeline.stages.split.frozen import list_files, list_paths
from pipeline.stages.split.stage import run as choose_split
from pipeline.tools.build.summary import print_summary
from pipeline.tools.freeze import frozen_from
from tests.kit import small_build


def draw_again(records: Path) -> None:
    """Give every object of a shard other pictures, of another size, by another backend."""
    table = pq.read_table(records)
    rows = table.to_pylist()
    with records.with_suffix(".tar").open("wb") as stream:
        writer = AssetWriter(stream)
        for number, row in enumerate(rows):
            files = {"preview.png": small_build.png(b"drawn by another driver " * (number + 50))}
            place = writer.append(pack(row["object_id"], files))
            row["asset_offset"], row["asset_size"], row["asset_sha256"] = place
            row["preview_backend"] = "embree"
        writer.close()
    pq.write_table(table.from_pylist(rows, schema=table.schema), records)


def undraw(records: Path) -> None:
    """Let every object of a shard fail in `render`, as the stage writes it."""
    table = pq.read_table(records)
    rows = table.to_pylist()
    with records.with_suffix(".tar").open("wb") as stream:
        writer = AssetWriter(stream)
        for row in rows:
            place = writer.append(pack(row["object_id"], {}))
            row["asset_offset"], row["asset_size"], row["asset_sha256"] = place
            row["preview_backend"] = None
        writer.close()
    pq.write_table(table.from_pylist(rows, schema=table.schema), records)
    (finding,) = without_pictures(Rejection(Reason.WORKER_CRASHED, "x")).findings
    told = {"stage": "render", "code": str(finding.code), "severity": str(finding.severity),
            "detail": finding.detail}  # fmt: skip
    found = [{"object_id": row["object_id"], **told} for row in rows]
    write_table(records.with_suffix(".findings.parquet"), found, TABLES["findings"])


def seals() -> list[dict[str, Any]]:
    """Return the seals of the library and of the release."""
    return [json.loads((f / "library.json").read_bytes()) for f in (layout.LIBRARY, layout.RELEASE)]


def pictures() -> set[bytes]:
    """Return the previews of the library."""
    return {item.read("preview.png") for item in load_dataset("library", verbose=False)}


def test_other_pictures_are_the_same_revision(copied: Path) -> None:
    before = seals()
    previews = pictures()
    for records in (layout.WORK / "render").rglob("*.tar"):
        draw_again(records.with_suffix(".parquet"))
    config = load_config()
    for stage, run in (("manifest", make_manifest), ("split", choose_split), ("publish", publish)):
        run(small_build.library_job(stage, config))
    after = seals()
    for old, new in zip(before, after, strict=True):
        assert new["revision"] == old["revision"]
        assert new["splits"] == old["splits"]
        tars = [name for name in old["files"] if name.endswith(".tar")]
        assert any(old["files"][name] != new["files"][name] for name in tars)
    assert not pictures() & previews


def test_objects_that_cannot_be_drawn_stay_with_a_finding_and_the_revision(copied: Path) -> None:
    before, count = seals(), len(load_dataset("library", verbose=False))
    for records in (layout.WORK / "render").rglob("*.tar"):
        undraw(records.with_suffix(".parquet"))
    config = load_config()
    for stage, run in (("manifest", make_manifest), ("split", choose_split), ("publish", publish)):
        run(small_build.library_job(stage, config))
    assert [seal["revision"] for seal in seals()] == [seal["revision"] for seal in before]
    dataset = load_dataset("library", verbose=False)
    assert len(dataset) == count
    codes = dataset.table("findings").column("code").to_pylist()
    assert codes.count("preview_failed") == count
    with pytest.raises(LibraryError, match="could not be drawn"):
        dataset[0].preview  # noqa: B018
    assert dataset[0].card().picture == b""
    for path in (layout.RELEASE / "data/objects").glob("*.parquet"):
        shown = pq.read_table(path)
        assert shown["preview"].null_count == shown.num_rows


@pytest.mark.parametrize("name", ["objects", "links", "joints", "splits"])
def test_every_other_fact_is_another_revision(copied: Path, name: str) -> None:
    library = LibraryLayout(Path("library"))
    before = revision(library)
    table = pq.read_table(library.table(name))
    rows = table.to_pylist()
    column = {"objects": "category", "links": "mass", "joints": "upper", "splits": "version"}[name]
    rows[0][column] = 0.25 if isinstance(rows[0][column], float) else "other"
    pq.write_table(table.from_pylist(rows, schema=table.schema), library.table(name))
    assert revision(library) != before


def test_a_small_library_and_its_release_hold_no_version(built: Path) -> None:
    for folder in ("library", "release"):
        assert json.loads((built / folder / "library.json").read_bytes())["benchmark"] is None
    card = (built / "release/README.md").read_text()
    assert "holds no version of the benchmark" in card


@pytest.mark.parametrize(
    ("members", "is_released"),
    [(["generated-o1", "generated-o3"], True), (["generated-o1", "local-secret"], False)],
)
def test_a_frozen_version_reaches_seal_loader_summary_and_release(
    copied: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    members: list[str],
    is_released: bool,
) -> None:
    monkeypatch.setattr("pipeline.stages.split.frozen.FOLDER", copied / "frozen")
    library = LibraryLayout(Path("library"))
    frozen = frozen_from(library, "eval200-v4", members)
    for name, data in list_files(frozen).items():
        write_bytes(list_paths("eval200-v4", copied / "frozen")[name], data)
    config = load_config()
    choose_split(small_build.library_job("split", config))
    publish(small_build.library_job("publish", config))
    sealed, released = (seal["benchmark"] for seal in seals())
    assert sealed == {
        "version": "eval200-v4",
        "split": "eval200",
        "objects": 2,
        "digest": frozen.digest,
        "by_bytes": 2,
        "by_numbers": 0,
    }
    assert released == (sealed if is_released else None)
    dataset = load_dataset("library", split="eval200-v4", verbose=False)
    assert dataset.object_ids == members and dataset.benchmark is not None
    versions = {row["version"] for row in dataset.table("splits").to_pylist()}
    assert versions == {"eval200-v4", None}  # they are in `library`, too
    print_summary()
    said = " ".join(capsys.readouterr().out.split())
    assert f"eval200 is the benchmark eval200-v4, list {frozen.digest}: 2 objects agree" in said
    card = (layout.RELEASE / "README.md").read_text()
    assert ("eval200-v4" in card) == is_released
    release = load_dataset(layout.RELEASE, split="eval200", verbose=False)
    assert (release.benchmark is not None) == is_released
    versions = {row["version"] for row in release.table("splits").to_pylist()}
    assert ("eval200-v4" in versions) == is_released
