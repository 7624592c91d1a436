# SPDX-License-Identifier: Apache-2.0
"""Articulated-Object-Code: the manifest lists the objects, and may contain anything."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.base.errors import PipelineError, Rejection
from pipeline.engine.runner import Task
from pipeline.raw.inventory import adapter_module, scan_source
from pipeline.raw.records import RawRecord
from pipeline.stages.categorize.rules import decide
from pipeline.stages.ingest.stage import IngestInput, ingest
from tests.kit import raw_sources
from tests.kit.places import sample_folder
from tests.kit.settings import SETTINGS, facts_of

ADAPTER = "articulated_object_code"
PATH = "objects/cabinet/cabinet_001"


def row(path: str = PATH, tier: str = "viable", **more: Any) -> dict[str, Any]:
    """Return a row of the manifest."""
    return {"object_release_id": "7", "category": "cabinet", "tier": tier, "rel_path": path,
            "caption": "a cabinet", "n_links": 3, "viable": True, **more}  # fmt: skip


def write_manifest(root: Path, rows: list[dict[str, Any]], kind: str = "csv") -> None:
    """Write a manifest as the source has it."""
    root.mkdir(parents=True, exist_ok=True)
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), root / "manifest.parquet")
        return
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    (root / "manifest.csv").write_text(buffer.getvalue())


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_manifest_decides_what_is_an_object(tmp_path: Path, kind: str) -> None:
    raw_sources.write(tmp_path / PATH, raw_sources.lam())
    raw_sources.write(tmp_path / "objects/cabinet/not_listed", raw_sources.lam())
    write_manifest(tmp_path, [row(), row("imperfect/lamp/lamp_002", "broken")], kind)
    raw_sources.write(tmp_path / "imperfect/lamp/lamp_002", raw_sources.lam())
    said = raw_sources.read(ADAPTER, tmp_path)
    assert set(said) == {f"viable/{PATH}", "broken/imperfect/lamp/lamp_002"}
    record = said[f"viable/{PATH}"]
    assert (record.model, record.label, record.description) == (
        "generated.urdf", "cabinet", "a cabinet",
    )  # fmt: skip
    assert record.provenance == {
        "tier": "viable", "rel_path": PATH, "object_release_id": "7", "facts_from": "manifest",
    }  # fmt: skip


def test_csv_and_parquet_list_the_same(tmp_path: Path) -> None:
    rows = [row(gen_date="2025", reasons=""), row("objects/a b/c", gen_date="", reasons="x,y")]
    for kind in ("csv", "parquet"):
        write_manifest(tmp_path / kind, rows, kind)
    first, second = (
        list(adapter_module(ADAPTER).discover(tmp_path / k)) for k in ("csv", "parquet")
    )
    assert first == second
    assert [found.facts["category"] for found in first] == ["cabinet", "cabinet"]


def test_equal_release_ids_and_equal_paths_of_two_tiers_are_two_objects(tmp_path: Path) -> None:
    for tier in ("viable", "loads_only"):
        raw_sources.write(tmp_path / tier / PATH, raw_sources.lam())
    write_manifest(tmp_path, [row(tier="viable"), row(tier="loads_only")])
    listed = {found.name: found.paths for found in adapter_module(ADAPTER).discover(tmp_path)}
    assert listed == {f"{tier}/{PATH}": (f"{tier}/{PATH}",) for tier in ("viable", "loads_only")}


@pytest.mark.parametrize(
    "path",
    [
        "../outside",
        "/etc",
        "..",
        ".",
        "",
        "a/../../b",
        "C:\\x",
        "..\\..\\x",
        "x\0y",
        "y" * 300,
        "z/" * 3000,
    ],
)
def test_a_row_that_leads_out_is_a_reject_of_its_own(workspace: Path, path: str) -> None:
    raw_sources.write(Path("raw") / PATH, raw_sources.lam())
    write_manifest(Path("raw"), [row(path), row()], "parquet")
    assert len(scan_source("s", ADAPTER, Path("raw"))) == 2
    said = raw_sources.read(ADAPTER, Path("raw"))
    assert isinstance(said.pop(f"viable/{PATH}"), RawRecord)
    (rejection,) = said.values()
    assert str(rejection.reason) == "metadata_invalid"


def test_repeated_rows_are_counted_and_one_is_kept(workspace: Path) -> None:
    raw_sources.write(Path("raw") / PATH, raw_sources.lam())
    other = PATH.replace("/cab", "//cab", 1)
    rows = [row(), row(), row(), row(other), row(tier="broken"), row(f"{PATH}#2")]
    write_manifest(Path("raw"), rows)
    assert len(scan_source("s", ADAPTER, Path("raw"))) == 6
    said = raw_sources.read(ADAPTER, Path("raw"))
    good = [name for name, record in said.items() if isinstance(record, RawRecord)]
    assert good == [f"viable/{PATH}"]


def test_a_row_without_its_folder_is_a_reject(workspace: Path) -> None:
    write_manifest(Path("raw"), [row(), row("objects/link/x")])
    raw_sources.write(Path("elsewhere/x"), raw_sources.lam())
    Path("raw/objects").mkdir()
    Path("raw/objects/link").symlink_to(Path("elsewhere").absolute())
    facts = facts_of("raw", adapter=ADAPTER)
    for found in adapter_module(ADAPTER).discover(Path("raw")):
        with pytest.raises(Rejection) as caught:
            task = Task("x", IngestInput("s", facts, found, "d" * 64, None))
            ingest(task, SETTINGS)
        assert str(caught.value.reason) == "folder_invalid"
        assert ("link" if "link" in found.name else "does not exist") in caught.value.detail


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("manifest.csv", b""),
        ("manifest.csv", b"a,b\n1,2\n"),
        ("manifest.csv", b'rel_path,tier\n"' + b"x" * 1_100_000),
        ("manifest.parquet", b"PAR1"),
        ("manifest.parquet", b""),
    ],
)
def test_a_manifest_that_cannot_be_read_is_a_sentence_with_a_next_step(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PipelineError, match=r"cannot be read.*remove it"):
        list(adapter_module(ADAPTER).discover(tmp_path))


def test_broken_bytes_and_missing_cells_of_a_row_stop_nothing(tmp_path: Path) -> None:
    raw_sources.write(tmp_path / PATH, raw_sources.lam())
    text = f"rel_path,tier,category\n\xff\xfe,\n{PATH},viable,cabinet,too,many\n,,\n"
    (tmp_path / "manifest.csv").write_bytes(text.encode("latin-1"))
    said = raw_sources.read(ADAPTER, tmp_path)
    assert isinstance(said[f"viable/{PATH}"], RawRecord)
    assert len(said) == 3


def test_a_folder_without_a_manifest_works_and_copies_are_no_objects(tmp_path: Path) -> None:
    raw_sources.write(tmp_path / "a_cabinet_with_five_drawers_1", raw_sources.lam())
    raw_sources.write(tmp_path / "viable" / PATH, raw_sources.lam())
    raw_sources.write(tmp_path / "imperfect/lamp/lamp_002_1", raw_sources.lam())
    raw_sources.write(tmp_path / "logs_only", {"pipeline_logs/generated.urdf": "<robot/>"})
    said = raw_sources.read(ADAPTER, tmp_path)
    assert {name: getattr(record, "label", None) for name, record in said.items()} == {
        "a_cabinet_with_five_drawers_1": "a_cabinet_with_five_drawers",
        f"viable/{PATH}": "cabinet",
        "imperfect/lamp/lamp_002_1": "lamp",
        "logs_only": None,
    }
    assert str(said["logs_only"].reason) == "urdf_missing"
    tiers = {n: r.provenance.get("tier") for n, r in said.items() if isinstance(r, RawRecord)}
    assert sorted(tiers.values(), key=str) == [None, "broken", "viable"]
    assert said["a_cabinet_with_five_drawers_1"].description == "a cabinet with two doors"


def test_found_objects_do_not_depend_on_the_file_system(tmp_path: Path) -> None:
    for name in ("c", "a/y", "a/x", "b"):
        raw_sources.write(tmp_path / name, raw_sources.lam())
    names = [found.name for found in adapter_module(ADAPTER).discover(tmp_path)]
    assert names == ["a/x", "a/y", "b", "c"]


def test_real_objects_are_found_and_categorized() -> None:
    root = sample_folder(ADAPTER)
    said = raw_sources.read(ADAPTER, root)
    assert set(said) == {path.name for path in root.iterdir()}
    expected = {
        "a_cabinet_with_five_drawers_1": "cabinet", "a_keyboard_2": "keyboard",
        "robot_arm": "robotic_arm",
    }  # fmt: skip
    for name, record in said.items():
        assert isinstance(record, RawRecord)
        decision = decide(record.label, source=ADAPTER, source_id=name, name=record.name)
        assert decision.category is not None
        assert decision.category.name == expected.get(name, name)
    assert said["a_cabinet_with_five_drawers_1"].description == (
        (root / "a_cabinet_with_five_drawers_1/input_caption.txt").read_text().strip()
    )
