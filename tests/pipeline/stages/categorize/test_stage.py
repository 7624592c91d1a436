# SPDX-License-Identifier: Apache-2.0
"""The stage keeps every object: a category, or a finding and a proposal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.tables import read_rows, write_table
from pipeline.engine.runner import Job
from pipeline.engine.settings import CategorizeSettings
from pipeline.handover.ingested import IngestedRecord
from pipeline.raw.proposals import PROPOSAL_COLUMNS
from pipeline.raw.taxonomy import UNKNOWN, load_taxonomy
from pipeline.stages.categorize import stage
from tests.kit import bench
from tests.kit.settings import BUDGETS
from tests.pipeline.stages.categorize.conftest import REPOSITORY

LABELS = {
    "artiverse-1": "Nightstand",
    "artiverse-2": "Sun\tdial\n",
    "artiverse-3": "",
}


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job[CategorizeSettings]:
    """A shard of three objects, in a folder with the repository's tables."""
    (tmp_path / "taxonomy").symlink_to(REPOSITORY / "taxonomy")
    monkeypatch.chdir(tmp_path)
    load_taxonomy.cache_clear()
    rows: list[dict[str, Any]] = [
        {
            "object_id": key,
            **replace(bench.raw_record(), label=label, source="artiverse", name="?").to_row(),
        }
        for key, label in LABELS.items()
    ]
    write_table(tmp_path / "in.parquet", rows, IngestedRecord.schema())
    outputs = {name: tmp_path / f"out.{name}.parquet" for name in ("rejects", "findings")}
    outputs["records"] = tmp_path / "out.parquet"
    return Job("categorize", "artiverse", "0000", {"records": tmp_path / "in.parquet"},
                    outputs, CategorizeSettings(BUDGETS))  # fmt: skip


def test_unknown_labels_become_findings_and_proposals(job: Job[CategorizeSettings]) -> None:
    stage.run(job)
    records = {row["object_id"]: row for row in read_rows(job.outputs["records"])}
    assert list(records) == list(LABELS)
    assert records["artiverse-1"]["category"] == "nightstand"
    assert records["artiverse-1"]["label_provenance"] == "metadata: nightstand"
    assert records["artiverse-2"]["category"] == UNKNOWN
    findings = read_rows(job.outputs["findings"])
    assert {row["object_id"] for row in findings} == {"artiverse-2", "artiverse-3"}
    assert all(row["code"] == "label_unknown" for row in findings)
    lines = job.outputs["records"].with_suffix(".proposals.tsv").read_text().splitlines()
    table = [line.split("\t") for line in lines]
    assert tuple(table[0]) == PROPOSAL_COLUMNS
    assert [row[:3] for row in table[1:]] == [
        ["artiverse-2", "Sun dial", "sun_dial"],
        ["artiverse-3", "", ""],
    ]


def test_proposals_are_written_to_the_output_of_the_rule(job: Job, tmp_path: Path) -> None:
    job.outputs["proposals"] = tmp_path / "elsewhere.tsv"  # type: ignore[index]
    stage.run(job)
    assert (tmp_path / "elsewhere.tsv").read_text().count("\n") == 3
