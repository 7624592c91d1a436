# SPDX-License-Identifier: Apache-2.0
"""An object of a release without files: its numbers load, and its files are a command."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import FilesNotHeldError
from aa_dataset.library.verify import verify_library
from tests.kit.library_folder import write_seal

COMMAND = "aa fetch local && make library"


def without_files(library: Path) -> str:
    """Take one object's files out of its tar and out of the table; return its id."""
    path = library / "objects.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    number = next(k for k, row in enumerate(rows) if row["source"] == "local")
    shard, offset, size = (rows[number][name] for name in ("shard", "offset", "size"))
    tar = library / "assets" / f"{shard}.tar"
    data = tar.read_bytes()
    tar.write_bytes(data[:offset] + data[offset + size :])
    for row in rows:
        if row["shard"] == shard and row["offset"] > offset:
            row["offset"] -= size
    rows[number] |= {"shard": None, "offset": None, "size": None, "rebuild": COMMAND}
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    write_seal(library)
    return str(rows[number]["object_id"])


def test_its_joints_load_and_its_files_are_a_sentence_with_the_command(library, tmp_path):
    whole = load_dataset(library, verbose=False)
    joints = {one.object_id: len(one.joints) for one in whole}
    key = without_files(library)
    dataset = load_dataset(library, verbose=False)
    assert {one.object_id: len(one.joints) for one in dataset} == joints
    for ask in (
        lambda one: one.folder,
        lambda one: one.urdf_path,
        lambda one: one.files(),
        lambda one: one.unpack(tmp_path / "one"),
    ):
        with pytest.raises(FilesNotHeldError, match=f"{key}.*`{COMMAND}`"):
            ask(dataset[key])
    other = next(one for one in dataset if one.object_id != key)
    assert other.urdf_path.is_file()


def test_nothing_is_unpacked_if_one_object_has_no_files(library, tmp_path):
    key = without_files(library)
    dataset = load_dataset(library, verbose=False)
    with pytest.raises(FilesNotHeldError, match=key):
        dataset.unpack(tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_the_full_check_finds_nothing_wrong_with_it(library):
    without_files(library)
    assert list(verify_library(library)) == []


def test_bytes_that_stay_in_the_tar_are_found(library):
    """A release that says it has no files of an object must not have them."""
    path = library / "objects.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    row = next(row for row in rows if row["source"] == "local")
    row |= {"shard": None, "offset": None, "size": None, "rebuild": COMMAND}
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    write_seal(library)
    assert {one.law for one in verify_library(library)} == {"places"}
