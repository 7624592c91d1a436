# SPDX-License-Identifier: Apache-2.0
"""Splits as files: exported from a library, and found again in another one.

An object of another library is the same if its ground truth agrees (`aa_dataset.format.truth`). Its
files may differ in bytes, as they do for a frozen list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aa_dataset.format.split_file import Member, SplitFile, read_split_file
from aa_dataset.format.truth import (
    NAMES,
    NUMBERS,
    Agreement,
    compare_members,
    read_truths,
)
from aa_dataset.library.catalog import Catalog, Rows, SelectionError

_TEXTS = ("object_id", "source", "source_id", "license", "attribution", "content_sha256")
_OBJECT_COLUMNS = [*_TEXTS, "is_metric", "extents"]
_JOINT_COLUMNS = ["object_id", *NAMES, *NUMBERS, "mimic"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A split file whose members are all in the library.

    Attributes
    ----------
    name : str
        Name of the split where it was exported.
    proofs : mapping of int to str
        What stands for every member in the digest of the members, by row of the objects table.
    by_bytes, by_numbers : int
        Members whose files are equal, and those that agree only in every number.
    """

    name: str
    proofs: Mapping[int, str]
    by_bytes: int
    by_numbers: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a library agrees with a split file.

    Attributes
    ----------
    rejected : mapping of str to str
        Of absent members that the build of this library left out: stage, code and detail.
    trained : tuple of str
        Members that this library's own `train` holds.
    """

    split: SplitFile
    agreement: Agreement
    rejected: Mapping[str, str]
    trained: tuple[str, ...]


def export_split(catalog: Catalog, name: str) -> SplitFile:
    """Return a split of a library, given by its name or its stem, for `write_split_file`."""
    full, seal = catalog.resolve_split(name), catalog.seal
    rows = catalog.split_rows(full)
    proofs = dict(zip(_object_ids(catalog, rows), member_proofs(catalog, rows), strict=True))
    objects, joints = _member_rows(catalog, proofs)
    truths = read_truths(objects, joints)
    held = seal.benchmark
    version = held.version if held is not None and full == held.split else None
    members = tuple(
        Member(
            **{column: row[column] for column in _TEXTS},
            proof=proofs[row["object_id"]],
            truth=truths[row["object_id"]],
        )
        for row in sorted(objects, key=lambda row: str(row["object_id"]))
    )
    return SplitFile(full, version, seal.name, seal.revision, members)


def member_proofs(catalog: Catalog, rows: Rows) -> list[str]:
    """Return what stands for objects in a digest of members.

    It is the digest of the frozen list for objects of the benchmark, whose bytes may differ between
    machines, and the content digest for all others.
    """
    held = catalog.seal.benchmark
    proofs = list(catalog.objects["content_sha256"].take(pa.array(rows)).to_pylist())
    if held is None:
        return proofs
    is_frozen = np.isin(rows, catalog.split_rows(held.split))
    return [held.digest if it else proof for it, proof in zip(is_frozen, proofs, strict=True)]


def compare_split(catalog: Catalog, split: SplitFile) -> Comparison:
    """Look for the members of a split file in a library."""
    agreement = _agreement(catalog, split)
    ids = [member.object_id for member in split.members]
    return Comparison(
        split,
        agreement,
        _rejections(catalog, agreement.absent),
        tuple(_ids_in_train(catalog, ids)),
    )


def open_split_file(catalog: Catalog, path: Path) -> Exchange:
    """Return the split of a file, or raise `SelectionError` unless all members are here."""
    split = read_split_file(path)
    found = _agreement(catalog, split)
    if not found.is_complete:
        raise SelectionError(
            f"the split {split.name} of {path} is not complete in {catalog.layout.root}: "
            f"{found.problem(split.name)}. Run `aa split import {path}`, which lists all of "
            "them and says how to get them."
        )
    ids = pa.chunked_array([pa.array([m.object_id for m in split.members], pa.string())])
    rows = catalog.rows_of(ids).tolist()
    proofs = {row: member.proof for row, member in zip(rows, split.members, strict=True)}
    return Exchange(split.name, proofs, found.by_bytes, found.by_numbers)


def _agreement(catalog: Catalog, split: SplitFile) -> Agreement:
    contents = {member.object_id: member.content_sha256 for member in split.members}
    truths = {member.object_id: member.truth for member in split.members}
    return compare_members(contents, truths, *_member_rows(catalog, contents))


def _member_rows(
    catalog: Catalog, ids: Iterable[str]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of `objects` and `joints` of some objects, as far as they are compared."""
    wanted = pa.array(list(ids), pa.string())
    rows = []
    for name, columns in (("objects", _OBJECT_COLUMNS), ("joints", _JOINT_COLUMNS)):
        table = catalog.table(name)
        chosen = table.filter(pc.is_in(table["object_id"], value_set=wanted)).select(columns)
        rows.append(list(chosen.to_pylist()))
    objects, joints = rows
    return objects, joints


def _object_ids(catalog: Catalog, rows: Rows) -> list[str]:
    return list(catalog.objects["object_id"].take(pa.array(rows)).to_pylist())


def _rejections(catalog: Catalog, absent: Iterable[str]) -> dict[str, str]:
    table = catalog.table("rejects")
    wanted = pa.array(list(absent), pa.string())
    found = table.filter(pc.is_in(table["object_id"], value_set=wanted)).to_pylist()
    return {
        row["object_id"]: f"left out by {row['stage']}, {row['code']}: {row['detail']}"
        for row in found
    }


def _ids_in_train(catalog: Catalog, ids: list[str]) -> list[str]:
    if "train" not in catalog.seal.splits:
        return []
    trained = set(_object_ids(catalog, catalog.split_rows("train")))
    return [object_id for object_id in ids if object_id in trained]
