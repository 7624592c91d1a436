# SPDX-License-Identifier: Apache-2.0
"""`croissant.json`: its own consistency, and what mlcroissant makes of it where it is installed."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.kit import releases

READ = """
import json, sys
import mlcroissant
dataset = mlcroissant.Dataset(sys.argv[1])
issues = dataset.metadata.ctx.issues
found = {"errors": sorted(issues.errors), "warnings": sorted(issues.warnings)}
text = lambda cell: cell.decode() if isinstance(cell, bytes) else cell
for one in dataset.metadata.record_sets:
    rows = [{key.split("/")[-1]: cell for key, cell in row.items()}
            for row in dataset.records(one.id)]
    keys = ("object_id", "joint", "category", "split", "axis")
    found[one.id] = [{key: list(row[key]) if key == "axis" else text(row[key])
                      for key in keys if key in row} for row in rows]
print(json.dumps(found, default=str))
"""


@pytest.fixture
def release(shipped: None) -> Path:
    """Return a release in which some objects have no files."""
    releases.write_library(releases.specs())
    return releases.publish(version="2.3.4", date="2027-01-02")


def described(release: Path) -> dict[str, Any]:
    """Return the content of `croissant.json`."""
    return dict(json.loads((release / "croissant.json").read_bytes()))


def test_it_names_every_tar_and_view_with_its_digest_and_states_the_version(release: Path) -> None:
    content = described(release)
    assert (content["version"], content["datePublished"]) == ("2.3.4", "2027-01-02")
    for one in content["distribution"]:
        data = (release / one["contentUrl"]).read_bytes()
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
    named = {one["contentUrl"] for one in content["distribution"]}
    there = [*(release / "data").rglob("*.parquet"), *(release / "assets").glob("*.tar")]
    assert named == {path.relative_to(release).as_posix() for path in there}


def test_every_record_set_is_one_file_and_its_fields_are_columns_of_it(release: Path) -> None:
    for one in described(release)["recordSet"]:
        files = {field["source"]["fileObject"]["@id"] for field in one["field"]}
        assert files == {f"data/{one['@id']}.parquet"}
        names = set(pq.read_schema(release / files.pop()).names)
        assert {field["source"]["extract"]["column"] for field in one["field"]} <= names


def test_mlcroissant_finds_nothing_wrong_and_reads_the_rows(release: Path) -> None:
    if importlib.util.find_spec("mlcroissant") is None:
        pytest.skip("mlcroissant is not installed; `pip install mlcroissant` to run this")
    found = read_by_mlcroissant(release)
    assert found.pop("errors") == [] and found.pop("warnings") == []
    assert set(found) == {one["@id"] for one in described(release)["recordSet"]}
    for key, mine in found.items():
        theirs = pq.read_table(release / f"data/{key}.parquet").to_pylist()
        assert len(mine) == len(theirs)
        for row, other in zip(mine, theirs, strict=True):
            assert row == {name: other[name] for name in row}
    assert all("axis" in row for row in found["joints/train"])


def read_by_mlcroissant(release: Path) -> dict[str, Any]:
    """Return issues and records by record set, from a process of its own."""
    command = [sys.executable, "-c", READ, str((release / "croissant.json").absolute())]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))
