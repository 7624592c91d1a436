# SPDX-License-Identifier: Apache-2.0
"""The frozen versions of `eval200`: lists that are checked, never resampled.

A version is two tables in `frozen/`: `<version>.objects.tsv` with the id, content digest and size
of every object, and `<version>.joints.tsv` with the ground truth for scoring. A library contains
the version if every id and every number agrees; digests show which objects have the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aa_dataset.format.benchmark import SPLIT, VERSION, Benchmark
from aa_dataset.format.truth import (
    MIMIC,
    NAMES,
    NUMBERS,
    Truth,
    Value,
    compare_members,
    difference,
)
from pipeline.base.errors import PipelineError

FOLDER = Path(__file__).with_name("frozen")
OBJECT_COLUMNS = ("object_id", "content_sha256", "is_metric", "extents", "joints")
JOINT_COLUMNS = ("object_id", *NAMES, *NUMBERS, *MIMIC)


@dataclass(frozen=True, slots=True)
class FrozenList:
    """One version: the content digest and the truth of every member by object id."""

    version: str
    contents: Mapping[str, str]
    truths: Mapping[str, Truth]

    @property
    def digest(self) -> str:
        """16 hex digits of the whole list; the same on every machine that has the version."""
        return hashlib.sha256(b"".join(list_files(self).values())).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Recognition:
    """Whether a library contains a version, and how many objects agree by bytes or by numbers.

    Attributes
    ----------
    by_bytes, by_numbers : int
        Objects whose truth agrees, with equal content and without.
    problem : str
        Why the library does not contain the version, empty if it does.
    """

    frozen: FrozenList
    by_bytes: int
    by_numbers: int
    problem: str

    @property
    def benchmark(self) -> Benchmark:
        """The seal's entry of a library that contains the version."""
        count = len(self.frozen.contents)
        proof = (self.frozen.digest, self.by_bytes, self.by_numbers)
        return Benchmark(self.frozen.version, SPLIT, count, *proof)


def recognize(
    frozen: FrozenList, objects: Iterable[Mapping[str, Any]], joints: Iterable[Mapping[str, Any]]
) -> Recognition:
    """Compare a library's rows with a frozen version, object by object."""
    found = compare_members(frozen.contents, frozen.truths, objects, joints)
    return Recognition(frozen, found.by_bytes, found.by_numbers, found.problem(frozen.version))


def best_recognition(
    objects: Iterable[Mapping[str, Any]], joints: Iterable[Mapping[str, Any]]
) -> Recognition | None:
    """Return the version that a library contains, or why not the newest; None if there is none.

    Several versions may agree in everything that scoring uses. Then the one with more equal bytes
    is chosen, and of equal ones the newer.
    """
    objects, joints = list(objects), list(joints)
    versions = [read_frozen(name, FOLDER) for name in frozen_versions(FOLDER)]
    found = [recognize(frozen, objects, joints) for frozen in versions]
    held = [one for one in reversed(found) if not one.problem]
    return max(held, key=lambda one: one.by_bytes) if held else (found[-1] if found else None)


def changes(older: FrozenList, newer: FrozenList) -> dict[str, str]:
    """Return what changed for scoring between two versions, by object; contents do not count."""
    found = {key: "is not in the newer version" for key in older.truths if key not in newer.truths}
    for key, truth in newer.truths.items():
        if key not in older.truths:
            found[key] = "is not in the older version"
        elif problem := difference(older.truths[key], truth):
            found[key] = problem
    return dict(sorted(found.items()))


def frozen_versions(folder: Path = FOLDER) -> list[str]:
    """Return the versions that this repository has, oldest first."""
    names = {path.name.split(".")[0] for path in folder.glob("*.tsv")}
    return sorted(filter(VERSION.fullmatch, names), key=lambda name: int(name.rsplit("v", 1)[1]))


def frozen_members() -> dict[str, str]:
    """Return the content digest of every object of the newest version, by object id."""
    versions = frozen_versions(FOLDER)
    return dict(read_frozen(versions[-1], FOLDER).contents) if versions else {}


def list_paths(version: str, folder: Path = FOLDER) -> dict[str, Path]:
    """Return the two files of a version."""
    return {name: folder / f"{version}.{name}.tsv" for name in ("objects", "joints")}


@cache
def read_frozen(version: str, folder: Path = FOLDER) -> FrozenList:
    """Read one version; raise if its two files do not match."""
    paths = list_paths(version, folder)
    objects, joints = (_read_tsv(paths[name]) for name in ("objects", "joints"))
    by_object: dict[str, list[Mapping[str, Value]]] = {row["object_id"]: [] for row in objects}
    for row in joints:
        by_object.setdefault(row["object_id"], []).append(_frozen_joint(row))
    counts = {row["object_id"]: int(row["joints"]) for row in objects}
    if counts != {key: len(rows) for key, rows in by_object.items()}:
        raise PipelineError(
            f"the joints of {paths['joints']} are not those that {paths['objects'].name} counts. "
            "Restore both files from the repository."
        )
    contents = {row["object_id"]: row["content_sha256"] for row in objects}
    return FrozenList(
        version, contents, {r["object_id"]: _frozen_truth(r, by_object) for r in objects}
    )


def _frozen_truth(row: Mapping[str, str], joints: Mapping[str, list[Mapping[str, Value]]]) -> Truth:
    is_metric = {"true": True, "false": False}[row["is_metric"]]
    return Truth(is_metric, _parse_numbers(row["extents"]) or (), tuple(joints[row["object_id"]]))


def _frozen_joint(row: Mapping[str, str]) -> dict[str, Value]:
    texts = {name: row[name] for name in NAMES}
    numbers = {name: _parse_numbers(row[name]) for name in (*NUMBERS, *MIMIC[1:])}
    return {**texts, **numbers, "mimic_joint": row["mimic_joint"] or None}


def _parse_numbers(text: str) -> tuple[float, ...] | None:
    return tuple(map(float, text.split(" "))) if text else None


def _read_tsv(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream, delimiter="\t"))
    except FileNotFoundError as error:
        raise PipelineError(
            f"{path} is missing; a frozen version is two files. Restore both from the repository."
        ) from error


def list_files(frozen: FrozenList) -> dict[str, bytes]:
    """Return the contents of both files; numbers are written so that they read back to the bit."""
    objects: list[tuple[str, ...]] = [OBJECT_COLUMNS]
    joints: list[tuple[str, ...]] = [JOINT_COLUMNS]
    for key in sorted(frozen.contents):
        truth = frozen.truths[key]
        facts = (_cell_text(truth.is_metric), _cell_text(truth.extents), str(len(truth.joints)))
        objects.append((key, frozen.contents[key], *facts))
        joints += [
            (key, *(_cell_text(j[name]) for name in JOINT_COLUMNS[1:])) for j in truth.joints
        ]
    return {"objects": _tsv_bytes(objects), "joints": _tsv_bytes(joints)}


def _cell_text(value: Value) -> str:
    if isinstance(value, tuple):
        return " ".join(map(repr, value))
    return str(value).lower() if isinstance(value, bool) else (value or "")


def _tsv_bytes(rows: Iterable[Iterable[str]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode()
