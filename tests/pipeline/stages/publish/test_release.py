# SPDX-License-Identifier: Apache-2.0
"""Manifest and release of a whole little library: books, places of bytes, licenses, checksums."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tarfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from aa_dataset.format.credits import Credit
from aa_dataset.format.layout import LibraryLayout
from aa_dataset.format.schema import TABLES
from aa_dataset.format.seal import Seal, read_seal
from pipeline.stages.publish.card import dataset_card, license_text
from pipeline.stages.publish.facts import Facts
from tests.kit import small_build
from tests.kit.settings import ABOUT

NAMES = tuple(TABLES)


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return pq.read_table(folder / f"{name}.parquet").to_pylist()


def ids(folder: Path, name: str) -> set[str]:
    """Return the object ids of a table."""
    return {row["object_id"] for row in table(folder, name)}


@pytest.mark.parametrize("folder", ["library", "release"])
def test_tables_are_sorted_have_their_schema_and_speak_of_objects_that_are_there(
    built: Path, folder: str
) -> None:
    root = built / folder
    kept = ids(root, "objects")
    for name in NAMES:
        rows = table(root, name)
        assert pq.read_schema(root / f"{name}.parquet").equals(TABLES[name], check_metadata=False)
        keys = [row["category" if name == "categories" else "object_id"] for row in rows]
        if name != "splits":
            assert keys == sorted(keys)
        if name in ("links", "joints"):
            assert set(keys) == kept
        if name in ("findings", "splits"):
            assert set(keys) <= kept
    counted = {
        row["object_id"]: (row["links"], row["joints_movable"]) for row in table(root, "objects")
    }
    assert set(counted.values()) == {(2, 1)}
    assert sum(row["objects"] for row in table(root, "categories")) == len(kept)


@pytest.mark.parametrize("folder", ["library", "release"])
def test_what_to_cite_travels_with_a_folder_for_its_own_sources_alone(
    built: Path, folder: str
) -> None:
    seal = read_seal(LibraryLayout(built / folder))
    assert (
        {*seal.credits}
        == {*seal.sources}
        == {row["source"] for row in table(built / folder, "objects")}
    )
    assert seal.credits["generated"].title == "The generated collection of ArticulateArena"


@pytest.mark.parametrize("folder", ["library", "release"])
def test_place_columns_give_each_objects_own_bytes(built: Path, folder: str) -> None:
    seen = set()
    for row in table(built / folder, "objects"):
        if row["shard"] is None:
            assert row["redistribution"] == "annotations"
            continue
        path = built / folder / "assets" / f"{row['shard']}.tar"
        with path.open("rb") as stream:
            stream.seek(row["offset"])
            fragment = stream.read(row["size"])
        part = built / "part.tar"
        part.write_bytes(fragment + bytes(1024))
        with tarfile.open(part) as tar:
            names = tar.getnames()
            preview = tar.extractfile(f"{row['object_id']}/preview.png")
            assert preview is not None
            assert preview.read() == small_build.png(row["object_id"].encode())
            content = hashlib.sha256()
            for name in sorted(names):
                stream = tar.extractfile(name)
                assert stream is not None
                short = name.split("/", 1)[1]
                if not short.startswith("preview"):
                    digest = hashlib.sha256(stream.read()).hexdigest()
                    content.update(f"{short}\0{digest}\0".encode())
        assert {name.split("/")[0] for name in names} == {row["object_id"]}
        assert content.hexdigest() == row["content_sha256"]
        seen.add(row["object_id"])
    in_tars = set()
    for path in (built / folder / "assets").glob("*.tar"):
        with tarfile.open(path) as tar:
            in_tars |= {name.split("/")[0] for name in tar.getnames()}
    assert in_tars == seen


def test_the_release_holds_exactly_what_licenses_allow(
    built: Path, stored_objects: dict[str, dict[str, tuple[float, str]]]
) -> None:
    allowed = {
        f"{source}-{name}": {"CC0-1.0": "assets", "CC-BY-NC-4.0": "annotations"}.get(terms)
        for source, objects in stored_objects.items()
        for name, (_, terms) in objects.items()
        if name != "twin"
    }
    found = {row["object_id"]: row["redistribution"] for row in table(built / "release", "objects")}
    assert found == {key: word for key, word in allowed.items() if word}
    assert found["generated-closed"] == "annotations"
    files = {row["object_id"]: row["shard"] for row in table(built / "release", "objects")}
    assert [key for key, shard in files.items() if shard is None] == ["generated-closed"]


def test_no_file_of_the_release_names_an_object_that_may_not_be_passed_on(built: Path) -> None:
    closed = ["local-secret", "local-copy", "local-broken"]
    for path in (built / "release").rglob("*"):
        if path.suffix == ".parquet":
            text = json.dumps(pq.read_table(path).to_pylist(), default=str)
        elif path.is_file():
            text = path.read_bytes().decode("latin-1")
        else:
            continue
        for name in closed:
            assert name not in text, f"{path.name} names {name}"


def test_what_a_release_may_name_it_names(built: Path) -> None:
    details = {row["object_id"]: row["detail"] for row in table(built / "release", "findings")}
    assert "generated-twin" in details["generated-o0"]
    assert "not released" in details["generated-o1"]
    rejects = {row["object_id"]: row["detail"] for row in table(built / "release", "rejects")}
    assert set(rejects) == {"generated-broken", "generated-twin"}
    assert "generated-o0" in rejects["generated-twin"]


def test_the_evaluation_split_is_one_tar_of_the_release(built: Path) -> None:
    splits = table(built / "library", "splits")
    chosen = {row["object_id"] for row in splits if row["split"].startswith("eval200")}
    assert chosen
    shards = {row["object_id"]: row["shard"] for row in table(built / "release", "objects")}
    filed = {key for key, shard in shards.items() if shard is not None}
    assert {key for key, shard in shards.items() if shard == "eval200"} == chosen & filed


def test_checksums_cover_every_file_and_verify(built: Path) -> None:
    release = built / "release"
    lines = (release / "SHA256SUMS").read_text().splitlines()
    listed = dict(reversed(line.split("  ", 1)) for line in lines)
    present = {p.relative_to(release).as_posix() for p in release.rglob("*") if p.is_file()}
    assert set(listed) == present - {"SHA256SUMS"}
    for name, digest in listed.items():
        assert hashlib.sha256((release / name).read_bytes()).hexdigest() == digest
    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=release, check=False
    )
    assert checked.returncode == 0


@pytest.mark.parametrize("folder", ["library", "release"])
def test_the_seal_proves_the_tables_and_the_tars(built: Path, folder: str) -> None:
    root = built / folder
    seal = json.loads((root / "library.json").read_bytes())
    assert seal["objects"] == len(ids(root, "objects"))
    assert sum(seal["sources"].values()) == seal["objects"]
    for name, mark in seal["files"].items():
        data = (root / name).read_bytes()
        assert mark == {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    tars = {f"assets/{p.name}" for p in (root / "assets").iterdir()}
    assert set(seal["files"]) == {f"{name}.parquet" for name in NAMES} | tars


def test_the_license_file_names_the_terms_of_every_object(built: Path) -> None:
    rows = table(built / "release", "objects")
    text = (built / "release/LICENSE").read_text()
    counts = Counter((row["license"], row["attribution"]) for row in rows)
    assert counts
    for (kind, who), count in counts.items():
        assert f"{count} objects: {kind}, {who}" in text


def test_the_card_counts_what_is_there(built: Path) -> None:
    card = (built / "release/README.md").read_text()
    count = len(ids(built / "release", "objects"))
    assert card.startswith("---\nlicense: other\n")
    assert f"| revolute | {count} |" in card
    assert "| generated | CC0-1.0 |" in card
    assert "| generated | CC-BY-NC-4.0 | ArticulateArena contributors | annotations | 1 |" in card


def test_foreign_text_stays_text_in_card_and_license() -> None:
    words = "me\n\n# Free | for [all](http://evil)\n<img src=x>\x1b[2J"
    seal = Seal(
        name="n", revision="r", schema_version="1", expected_objects=1, objects=1,
        sources={"tail": 1}, splits={"train": 1}, benchmark=None, files={},
    )  # fmt: skip
    nothing = {key: {} for key in ("joints", "findings", "inertia", "labels", "rows")}
    facts = Facts(
        seal=seal, version="1", date="", whole_splits=seal.splits, kept_back=0, views=[],
        about={"tail": replace(ABOUT, credit=Credit(words, words, ()))}, in_no_split=0, metric=1,
        categories=1,
        terms={("tail", "MIT\nlanguage: x", words, "assets"): 1}, asset_bytes=0, table_bytes=0,
        supercategories={words: 1}, **nothing,
    )  # fmt: skip
    card = dataset_card(facts)
    front = yaml.safe_load(card.split("---\n")[1])
    assert front["license"] == "mit\nlanguage: x"
    assert front["language"] == ["en"]
    (row,) = [line for line in card.splitlines() if line.startswith("| tail")]
    cells = re.split(r"(?<!\\)\|", row)
    assert len(cells) == 7
    assert "# Free" not in card.splitlines()
    assert "<img" not in card
    assert "](http" not in card.replace("\\](", "")
    terms = license_text(facts)
    (line,) = [line for line in terms.splitlines() if "Free" in line]
    assert line.startswith("  1 objects: MIT language: x, me")
    assert "\x1b" not in card + terms
