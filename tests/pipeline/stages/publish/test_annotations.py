# SPDX-License-Identifier: Apache-2.0
"""What a release holds of an object whose files may not be passed on: numbers, and no word more."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import FilesNotHeldError
from aa_dataset.format.schema import TABLES
from aa_dataset.library.verify import verify_library
from pipeline.stages.publish.annotations import KEPT
from tests.kit import releases
from tests.kit.library_objects import ObjectSpec, object_files

MARKER = "zzmarkerzz"
BARE = sorted(key for key, word in releases.ALLOWED.items() if word == "annotations")
CLOSED = sorted(key for key, word in releases.ALLOWED.items() if word == "none")


def marked_picture(data: bytes) -> bytes:
    """Return a PNG with the marker as a comment, before its last chunk of 12 bytes."""
    body = b"tEXt" + MARKER.encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return data[:-12] + chunk + data[-12:]


def marked_animation(data: bytes) -> bytes:
    """Return a WebP with the marker as a chunk, before its last chunk of 12 bytes."""
    chunks = data[12:-12] + b"note" + struct.pack("<I", len(MARKER)) + MARKER.encode()
    chunks += b"aCRC" + struct.pack("<II", 4, zlib.crc32(chunks))
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


MARKED = {".png": marked_picture, ".webp": marked_animation}


def marked(spec: ObjectSpec) -> ObjectSpec:
    """Return an object with the marker in every file but the URDF, and in names of files."""
    inside = {
        name: MARKED.get(Path(name).suffix, lambda data: data + MARKER.encode())(data)
        for name, data in object_files(spec).items()
        if name != "object.urdf"
    }
    named = {f"meshes/{MARKER}.mtl": b"newmtl a", f"meshes/{MARKER}.png": MARKER.encode()}
    return replace(spec, extra_files={**inside, **named})


def mark_words(root: Path, keys: list[str]) -> None:
    """Put the marker into every text that a source or a check may have written about objects."""
    words = {
        "objects": ("name", "description", "label_provenance"),
        "links": ("source_name", "semantic"),
        "joints": ("source_name",),
        "findings": ("detail",),
    }
    for name, columns in words.items():
        releases.change_rows(
            root,
            name,
            lambda row, columns=columns: (
                row | dict.fromkeys(columns, MARKER) if row["object_id"] in keys else row
            ),
        )
    extra = [("facts_from", f"{MARKER}.json"), (MARKER, MARKER), ("raw_sha256", "f" * 64)]
    releases.change_rows(
        root,
        "objects",
        lambda row: row | {"provenance": extra} if row["object_id"] in keys else row,
    )


@pytest.fixture
def library(shipped: None) -> Path:
    """Return a library in which everything of the source `local` has the marker."""
    made = [marked(s) if s.source == "local" else s for s in releases.specs()]
    root = releases.write_library(made)
    add_remarks(root)
    mark_words(root, [*BARE, *CLOSED])
    return root


def add_remarks(root: Path) -> None:
    """Write a remark and a pair of links about every object."""
    links: dict[str, list[str]] = {}
    for row in releases.rows(root, "links"):
        links.setdefault(row["object_id"], []).append(row["link"])
    remark = {"stage": "verify", "code": "mesh_open", "severity": "info", "detail": "it is open."}
    made = {
        "findings": [{"object_id": key, **remark} for key in sorted(links)],
        "exclusions": [
            {"object_id": key, "first": first, "second": second, "reason": "overlap_at_rest"}
            for key, names in sorted(links.items())
            for first, second in [sorted(names)[:2]]
        ],
    }
    for name, found in made.items():
        table = pa.Table.from_pylist(found, schema=TABLES[name])
        pq.write_table(table, root / f"{name}.parquet")


def test_no_file_of_a_release_has_a_marker_of_what_may_not_be_passed_on(library: Path) -> None:
    names = {"preview.png", "preview_open.png", "preview_parts.png", "strip.webp"}
    assert all(names <= {*object_files(spec)} for spec in releases.specs())
    planted = "".join(releases.everything_in(library).values()).count(MARKER)
    assert planted > 10 * (len(BARE) + len(CLOSED))
    for name, text in releases.everything_in(releases.publish()).items():
        assert MARKER not in text, name
        for key in CLOSED:
            assert key not in text, f"{name} names {key}"


def test_the_same_marker_is_found_where_the_files_may_be_passed_on(library: Path) -> None:
    allow = {**releases.ALLOWED, **dict.fromkeys(BARE, "assets")}
    releases.change_rows(
        library, "objects", lambda row: {**row, "redistribution": allow[row["object_id"]]}
    )
    found = {n for n, text in releases.everything_in(releases.publish()).items() if MARKER in text}
    assert {"objects.parquet", "links.parquet", "joints.parquet", "findings.parquet"} <= found
    assert {"assets/local-0000.tar", "data/objects/train.parquet"} <= found


def test_the_numbers_are_those_of_the_library(library: Path) -> None:
    release = releases.publish()
    for name, columns in KEPT.items():
        mine = [row for row in releases.rows(release, name) if row["object_id"] in BARE]
        theirs = [row for row in releases.rows(library, name) if row["object_id"] in BARE]
        assert mine
        rest = [c for c in columns if c != "rebuild"]
        assert [{c: r[c] for c in rest} for r in mine] == [{c: r[c] for c in rest} for r in theirs]
    for row in releases.rows(release, "objects"):
        bare = row["object_id"] in BARE
        assert (row["shard"] is None) == (row["offset"] is None) == (row["size"] is None) == bare
        assert row["rebuild"] == ("aa fetch local && make library" if bare else None)
        if bare:
            assert row["provenance"] == [("raw_sha256", "f" * 64)]


def test_every_column_is_kept_or_can_be_empty() -> None:
    for name, columns in KEPT.items():
        assert set(columns) <= set(TABLES[name].names)
        for field in TABLES[name]:
            kind = str(field.type)
            free = field.nullable or kind == "string" or kind.startswith("map")
            assert field.name in columns or free, f"{name}.{field.name}"


def test_the_loader_opens_the_release_and_names_the_command(library: Path) -> None:
    release = releases.publish()
    assert [one.sentence for one in verify_library(release)] == []
    dataset = load_dataset(release, verbose=False)
    assert {one.object_id for one in dataset} == set(releases.ALLOWED) - set(CLOSED)
    whole = load_dataset(library, verbose=False)
    for key in BARE:
        assert str(dataset[key].tree) == str(whole[key].tree)
        with pytest.raises(FilesNotHeldError, match="aa fetch local && make library"):
            dataset[key].files()
    assert dataset["generated-a"].read("object.urdf")


def test_a_split_says_how_many_of_its_objects_are_here(library: Path) -> None:
    card = (releases.publish() / "README.md").read_text()
    assert "3 objects are here with their annotations alone" in card
    assert "2 objects of the library are not here" in card
    assert "3 of its 4 objects are here" in card
    assert "`aa fetch local && make library` makes their files" in card
