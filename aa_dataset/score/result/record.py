# SPDX-License-Identifier: Apache-2.0
"""The result of a scoring run: two tables, and what was scored how.

`write_result` writes a folder and `read_result` opens it. Every number of a report is computed from
the two tables, also from those of a folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

import aa_dataset
from aa_dataset.errors import ArenaError
from aa_dataset.files import replacing, write_bytes
from aa_dataset.score.method import METHOD, Method, marked, read_method
from aa_dataset.score.parameters import METRIC_VERSION, RESULT_VERSION, Parameters
from aa_dataset.score.result.arrays import Arrays
from aa_dataset.score.result.checks import check_tables, checked_table
from aa_dataset.score.result.scores import ALL_JOINTS
from aa_dataset.score.result.summary import Summary, summarize
from aa_dataset.score.result.tables import ORDER, TABLES
from aa_dataset.score.rows import Row
from aa_dataset.untrusted.foreign_text import one_line
from aa_dataset.untrusted.json_fields import FieldError, checked, checked_fields, parse_json
from aa_dataset.untrusted.parquet_batches import MOST_BYTES, read_batches

__all__ = [
    "METRIC_VERSION",
    "RESULT_VERSION",
    "DatasetFacts",
    "Parameters",
    "PredictionFacts",
    "Result",
    "read_result",
    "write_result",
]

SUMMARY, TIMING = "summary.json", "timing.tsv"
MOST_SUMMARY_BYTES = 256_000_000
ROW_BYTES = 1 << 21  # an edit script of a thousand joints with the longest names
_VERSIONS = {"result_version": RESULT_VERSION, "metric_version": METRIC_VERSION}


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """What was scored against.

    Attributes
    ----------
    name, revision : str
        The library.
    objects, expected_objects : int
        Objects of the library, and those of the benchmark's complete library.
    split : str
        Name of the split.
    benchmark, list : str or None
        Version of the benchmark and digest of its list; None if the split is not one.
    members : str
        Digest of the members.
    member_count : int
        Number of the members.
    by_bytes, by_numbers : int or None
        Members of the benchmark that agree with its list by their files, and by their numbers only.
    """

    name: str
    revision: str
    objects: int
    expected_objects: int
    split: str
    benchmark: str | None
    list: str | None
    members: str
    member_count: int
    by_bytes: int | None
    by_numbers: int | None


@dataclass(frozen=True, slots=True)
class PredictionFacts:
    """What was scored: a label, and the names of predictions for no object of the split."""

    label: str
    surplus: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Result:
    """A complete scoring run.

    Attributes
    ----------
    dataset : DatasetFacts
        What was scored against.
    predictions : PredictionFacts
        What was scored.
    parameters : Parameters
        Every choice that changes a number.
    method : Method
        What the method says about itself.
    per_joint, per_object : Table
        The rows, see `result.tables`.
    by : tuple of str
        The breakdowns that its summary holds.
    seconds : dict of str to float [s]
        How long each object took; empty for a result that was read.
    key : str
        Digest of everything that decides the tables; empty if the run had no folder.
    """

    dataset: DatasetFacts
    predictions: PredictionFacts
    parameters: Parameters
    method: Method
    per_joint: pa.Table
    per_object: pa.Table
    by: tuple[str, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    key: str = ""

    @cached_property
    def arrays(self) -> Arrays:
        """The tables as arrays."""
        return Arrays(self.per_joint, self.per_object, self.parameters.penalty)

    @cached_property
    def summary(self) -> Summary:
        """Every mean with its interval, computed from the tables at the first access."""
        return summarize(self.arrays, self.parameters, self.by)

    def count(self, status: str) -> int:
        """Return the number of objects with a status."""
        return int(self.arrays.objects_with("status", status).sum())

    @property
    def generated_percent(self) -> float:
        """Share of the split's objects with a valid articulated output [%]; nan without objects.

        A valid output (paper appendix D) is readable and moves if the object moves, so an empty
        URDF does not count.
        """
        return 100.0 * self.count("scored") / len(self.arrays) if len(self.arrays) else float("nan")

    def joint_counts(self, protocol: str = ALL_JOINTS) -> dict[str, int]:
        """Return the number of truth joints, in total and by outcome, and of spurious ones."""
        return self.summary.joint_counts[protocol]

    def rows(self, protocol: str = ALL_JOINTS) -> list[dict[str, Any]]:
        """Return the rows of `per_joint` in one protocol."""
        return self.per_joint.filter(self.arrays.joints_with("protocol", protocol)).to_pylist()  # type: ignore[no-any-return]

    def as_dict(self) -> dict[str, Any]:
        """Return the contents of ``summary.json``; an undefined number is None."""
        return {
            "result_version": RESULT_VERSION,
            "metric_version": METRIC_VERSION,
            "package_version": aa_dataset.__version__,
            "key": self.key,
            "dataset": asdict(self.dataset),
            "predictions": asdict(self.predictions) | {"surplus": list(self.predictions.surplus)},
            "parameters": asdict(self.parameters),
            "frame": self.parameters.frame,
            "by": list(self.by),
            **self.summary.as_dict(),
        }


def table_of(rows: Sequence[Row], name: str) -> pa.Table:
    """Return rows as a table in its order."""
    order = ORDER[name]
    ranked = sorted(rows, key=lambda row: tuple(str(row[column] or "") for column in order))
    return pa.Table.from_pylist(ranked, schema=TABLES[name])


def write_result(result: Result, folder: Path) -> None:
    """Write a result into a folder, each file whole or not at all; ``summary.json`` comes last."""
    if not folder.absolute().parent.is_dir():
        raise ArenaError(f"{folder.parent} is not a folder. Create it or choose another.")
    try:
        folder.mkdir(exist_ok=True)
        for name in TABLES:
            write_table(getattr(result, name), folder / f"{name}.parquet")
        write_bytes(folder / METHOD, result.method.as_bytes())
        if result.seconds:
            write_bytes(folder / TIMING, timing_text(result.seconds).encode())
        text = json.dumps(result.as_dict(), indent=1, allow_nan=False, ensure_ascii=True)
        write_bytes(folder / SUMMARY, f"{text}\n".encode())
    except OSError as error:
        raise ArenaError(
            f"cannot write {folder} ({error.strerror}). Choose another folder for the result."
        ) from error


def write_table(table: pa.Table, path: Path) -> None:
    """Write one table as Parquet, atomically; equal tables give equal bytes."""
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def timing_text(seconds: Mapping[str, float]) -> str:
    """Return the seconds of every object as tab-separated text."""
    lines = [f"{one_line(name)}\t{seconds[name]:.6f}" for name in sorted(seconds)]
    return "\n".join(["object_id\tseconds", *lines]) + "\n"


def read_seconds(path: Path) -> dict[str, float]:
    """Read `timing_text`."""
    lines = _bounded_bytes(path, MOST_SUMMARY_BYTES).decode().splitlines()[1:]
    rows = [line.rpartition("\t") for line in lines]
    return {name: float(number) for name, _, number in rows}


def read_result(folder: Path) -> Result:
    """Read a result of `write_result`; the tables must agree with each other and their schema."""
    data = read_summary(folder)
    try:
        dataset = DatasetFacts(**_fields(data, "dataset", DatasetFacts))
        if (dataset.benchmark is None) != (dataset.list is None):
            raise FieldError("only one of dataset.benchmark and dataset.list is null")
        predictions = PredictionFacts(**_fields(data, "predictions", PredictionFacts))
        parameters = Parameters(**_fields(data, "parameters", Parameters))
        by = tuple(checked(data.get("by"), list[str], "by"))
        key = checked(data.get("key"), str, "key")
        tables = {name: read_table(folder, name) for name in TABLES}
        result = Result(
            dataset,
            predictions,
            parameters,
            read_method(folder / METHOD),
            **tables,
            by=by,
            key=key,
        )
        check_tables(result.arrays)
        if marked(result.method, result.per_joint, result.per_object) != result.method:
            raise FieldError(
                "method.json lacks a dagger, but per_joint has imputed limits or per_object has a "
                "registration by the truth"
            )
    except (FieldError, ValueError, pa.ArrowException, OSError) as error:
        problem = str(error).rstrip(".")
        raise ArenaError(f"{folder}: {problem}. Score the predictions again.") from error
    return result


def read_summary(folder: Path) -> dict[str, Any]:
    """Return ``summary.json`` of a result of this version."""
    path = folder / SUMMARY
    if folder.is_file():
        raise ArenaError(
            f"{folder} is a file, but a result is a folder since result version 4. "
            "Score the predictions again with `aa score --out DIR`."
        )
    try:
        data = checked(parse_json(_bounded_bytes(path, MOST_SUMMARY_BYTES)), dict, SUMMARY)
        versions = {name: checked(data.get(name), str, name) for name in _VERSIONS}
    except (OSError, ValueError) as error:
        raise ArenaError(
            f"{path} is not a result: {error}. Write one with `aa score --out`."
        ) from error
    for name, expected in _VERSIONS.items():
        if versions[name] != expected:
            raise ArenaError(
                f"{path} has {name} {versions[name]}, this package has {expected}; their numbers "
                "are not comparable. Score the predictions again."
            )
    return data  # type: ignore[no-any-return]


def require_summary(folder: Path) -> None:
    """Raise unless ``summary.json`` is that of a result of any version, and may be replaced."""
    try:
        data = parse_json(_bounded_bytes(folder / SUMMARY, MOST_SUMMARY_BYTES))
    except (OSError, ValueError):
        data = None
    if not isinstance(data, dict) or "result_version" not in data:
        raise ArenaError(f"{folder} has files of something else. Choose a new folder.")


def _fields(data: dict[str, Any], name: str, kind: type[object]) -> dict[str, Any]:
    """Return the fields of one part of ``summary.json``, checked by those of a class."""
    if name not in data:
        raise FieldError(f"{name} is missing")
    return checked_fields(data[name], get_type_hints(kind), name)


def read_table(folder: Path, name: str) -> pa.Table:
    """Read one table of a folder in bounded memory, and check it against its schema."""
    path = folder / f"{name}.parquet"
    try:
        table = read_batches(_bounded_bytes(path, MOST_BYTES), row_bytes=ROW_BYTES)
        return checked_table(table, name)
    except (ValueError, pa.ArrowException, OSError) as error:
        raise ValueError(f"{path.name}: {' '.join(str(error).split())[:400]}") from error


def _bounded_bytes(path: Path, most: int) -> bytes:
    if not path.is_file():
        raise FileNotFoundError("the file is missing")
    with path.open("rb") as stream:
        data = stream.read(min(path.stat().st_size, most) + 1)
    if len(data) > most:
        raise ValueError(f"it has more than {most:,} bytes")
    return data
