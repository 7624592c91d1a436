# SPDX-License-Identifier: Apache-2.0
"""The real lists of the sources, a folder of tables to change, and a tiny library to ask."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import shutil
import tarfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset.schema import SCHEMA_VERSION, TABLES
from pipeline.raw.taxonomy import Taxonomy, read_taxonomy
from pipeline.stages.categorize.rules import Decision, decide
from tests.kit.places import REPOSITORY, SAMPLES

LISTS = SAMPLES / "categories"
LEFT_OUT_RUN = "hy3"  # in the model's name; see taxonomy/README.md

Rows = list[dict[str, str]]


def read_list(name: str) -> Rows:
    """Read one of the real lists, or skip the test where they are not."""
    path = LISTS / name
    if not path.is_file():
        pytest.skip(f"the sources' real lists are not here ({name}); they are not ours to ship")
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def is_kept(record: dict[str, str]) -> bool:
    """Tell whether a record passes the filter that reproduces the paper."""
    rating = int(record["rating"] or 0)
    return rating >= 4 and LEFT_OUT_RUN not in record["model_id"]


@dataclass(frozen=True)
class Census:
    """What the rules make of all real lists together."""

    by_source: dict[str, Counter[str]]
    taxonomy: Taxonomy
    unknown: list[str]

    @property
    def counts(self) -> Counter[str]:
        return sum(self.by_source.values(), Counter())

    @property
    def supercategories(self) -> Counter[str]:
        groups: Counter[str] = Counter()
        for name, count in self.counts.items():
            groups[self.taxonomy.categories[name].supercategory] += count
        return groups


@pytest.fixture(scope="session")
def tables() -> Taxonomy:
    """The repository's taxonomy, wherever pytest was started."""
    return read_taxonomy(REPOSITORY / "taxonomy")


@pytest.fixture(scope="session")
def rule(tables: Taxonomy) -> Callable[..., Decision]:
    """`decide` with the repository's tables."""

    def run(label: str, source: str, source_id: str = "x", **more: Any) -> Decision:
        return decide(label, source=source, source_id=source_id, taxonomy=tables, **more)

    return run


@pytest.fixture(scope="session")
def articraft() -> Rows:
    """Every record of the real index."""
    return read_list("articraft_records_index.csv")


@pytest.fixture(scope="session")
def census(tables: Taxonomy, rule: Callable[..., Decision], articraft: Rows) -> Census:
    """Run the rules over every real list, once."""
    by_source: dict[str, Counter[str]] = {}
    unknown = []

    def enter(source: str, decision: Decision, count: int) -> None:
        if decision.category is None:
            unknown.append(f"{source}: {decision.label}")
        else:
            by_source.setdefault(source, Counter())[decision.category.name] += count

    for record in filter(is_kept, articraft):
        decision = rule(record["category_slug"], "articraft", record["record_id"])
        enter("articraft", decision, 1)
    for source, name in (
        ("artiverse", "artiverse_prerelease_84.csv"),
        ("partnet_mobility", "partnet_mobility_46.csv"),
        ("gapartnet_akb48", "gapartnet_akb48_4.csv"),
    ):
        for row in read_list(name):
            enter(source, rule(row["category"], source), int(row["count"]))
    return Census(by_source, tables, unknown)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the tables that a test may change."""
    return Path(shutil.copytree(REPOSITORY / "taxonomy", tmp_path / "taxonomy"))


def _blank(kind: pa.DataType) -> Any:
    if pa.types.is_fixed_size_list(kind):
        return [0.0] * kind.list_size
    if pa.types.is_map(kind):
        return []
    return "" if pa.types.is_string(kind) else kind.to_pandas_dtype()(0)


def _tar(object_id: str, files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(f"{object_id}/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        end = tar.offset
    return buffer.getvalue()[:end]


@pytest.fixture
def build_library(
    bench: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Write a library of given rows, which the loader opens and `aa taxonomy` asks."""
    monkeypatch.setenv("AA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("AA_LIBRARY", raising=False)

    def build(objects: list[dict[str, Any]], **others: list[dict[str, Any]]) -> Path:
        root = tmp_path / "library"
        (root / "assets").mkdir(parents=True)
        stream = b""
        for row in objects:
            fragment = _tar(row["object_id"], {"preview.png": bench.png(b"a picture")})
            row |= {"shard": "s-0000", "offset": len(stream), "size": len(fragment)}
            row["content_sha256"] = hashlib.sha256().hexdigest()  # of no file but the picture
            stream += fragment
        (root / "assets" / "s-0000.tar").write_bytes(stream + bytes(1024))
        for name, schema in TABLES.items():
            given = objects if name == "objects" else others.get(name, [])
            blank = {field.name: _blank(field.type) for field in schema if not field.nullable}
            empty = dict.fromkeys(schema.names) | blank
            table = pa.Table.from_pylist([empty | row for row in given], schema=schema)
            pq.write_table(table, root / f"{name}.parquet")
        _seal(root, objects)
        return root

    return build


def _seal(root: Path, objects: list[dict[str, Any]]) -> None:
    files = {
        path.relative_to(root).as_posix(): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in sorted([*root.glob("*.parquet"), *root.glob("assets/*.tar")])
    }
    seal = {
        "name": "articulatearena-20k",
        "schema_version": SCHEMA_VERSION,
        "revision": "0123456789abcdef",
        "expected_objects": 19977,
        "objects": len(objects),
        "sources": dict(Counter(row["source"] for row in objects)),
        "splits": {},
        "benchmark": None,
        "files": files,
    }
    (root / "library.json").write_text(json.dumps(seal))
