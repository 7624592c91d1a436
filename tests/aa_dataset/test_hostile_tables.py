# SPDX-License-Identifier: Apache-2.0
"""Hostile tables of a library are a sentence that names the table and the column."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset import load_dataset
from aa_dataset.errors import LibraryError
from tests.kit.library_folder import write_seal
from tests.kit.library_objects import JAR


def change(library: Path, name: str, column: str, value: Any, row: int = 0) -> None:
    """Change one cell of one table."""
    path = library / f"{name}.parquet"
    table = pq.read_table(path)
    index = table.schema.get_field_index(column)
    cells = table[column].to_pylist()
    cells[row] = value
    field = pa.field(column, table.schema.field(index).type)
    pq.write_table(table.set_column(index, field, pa.array(cells, field.type)), path)


def jar_row(library: Path) -> int:
    return pq.read_table(library / "objects.parquet")["object_id"].to_pylist().index(JAR)


CELLS: dict[str, tuple[str, Any]] = {
    "an offset before the tar": ("offset", -512),
    "an offset beyond the tar": ("offset", 1 << 40),
    "an offset between blocks": ("offset", 7),
    "an offset that overflows": ("offset", (1 << 63) - 512),
    "a negative size": ("size", -1024),
    "no size": ("size", 0),
    "a size beyond the tar": ("size", 1 << 40),
    "a size that overflows": ("size", (1 << 63) - 512),
    "a shard elsewhere": ("shard", "../../outside"),
    "a shard that is no file": ("shard", "generated-9999"),
    "no shard": ("shard", None),
    "no size at all": ("size", None),
    "a command beside files": ("rebuild", "make library"),
    "a word that no schema has": ("redistribution", "yes"),
    "no id": ("object_id", None),
    "no offset": ("offset", None),
    "a digest that is none": ("content_sha256", "../x"),
    "a count below zero": ("joints_fixed", -1),
}


@pytest.mark.parametrize("case", CELLS)
def test_a_row_that_does_not_fit_the_files_is_a_sentence(library, case):
    column, value = CELLS[case]
    change(library, "objects", column, value, jar_row(library))
    write_seal(library)
    with pytest.raises(LibraryError, match=rf"objects\.parquet, column '{column}'.*make library"):
        load_dataset(library, verbose=False)


def latin(table: pa.Table, column: str) -> pa.Table:
    """Return the table with bytes in a text column that are not UTF-8."""
    cells = [b"\xff\xfe\x80"] * len(table)
    broken = pa.array(cells, pa.binary()).cast(pa.string(), safe=False)
    index = table.schema.get_field_index(column)
    return table.set_column(index, table.schema.field(index), broken)


TABLES: dict[str, tuple[str, Callable[[pa.Table], pa.Table]]] = {
    "objects: text that is not UTF-8": ("objects", lambda t: latin(t, "name")),
    "joints: text that is not UTF-8": ("joints", lambda t: latin(t, "joint")),
    "splits: text that is not UTF-8": ("splits", lambda t: latin(t, "reason")),
    "objects: a column is missing": ("objects", lambda t: t.drop_columns(["shard"])),
    "joints: a column is missing": ("joints", lambda t: t.drop_columns(["mimic"])),
    "objects: numbers as text": (
        "objects",
        lambda t: t.set_column(t.column_names.index("offset"), "offset", [["0"] * len(t)]),
    ),
    "joints: a column more": ("joints", lambda t: t.append_column("more", t["joint"])),
    "joints: a column twice": ("joints", lambda t: t.append_column("axis", t["axis"])),
    "joints: no rows and no columns": ("joints", lambda t: pa.table({})),
    "joints: nulls": (
        "joints",
        lambda t: t.set_column(t.column_names.index("type"), "type", [pa.nulls(len(t), "string")]),
    ),
    "joints: an axis without numbers": (
        "joints",
        lambda t: t.set_column(
            t.column_names.index("axis"),
            "axis",
            [pa.array([[None] * 3] * len(t), pa.list_(pa.float64(), 3))],
        ),
    ),
    "joints: mimics as text": ("joints", lambda t: with_cells(t, "mimic", '{"joint": "a"}')),
    "joints: mimics of a list": ("joints", lambda t: with_cells(t, "mimic", [1])),
    "joints: mimics without an offset": (
        "joints",
        lambda t: with_cells(t, "mimic", {"joint": "a", "multiplier": 1.0}),
    ),
    "joints: mimics of a number": (
        "joints",
        lambda t: with_cells(t, "mimic", {"joint": 1, "multiplier": 1.0, "offset": 0.0}),
    ),
    "joints: mimics whose fields may be null": (
        "joints",
        lambda t: with_cells(t, "mimic", {"joint": "a", "multiplier": None, "offset": 0.0}, LOOSE),
    ),
    "joints: mimics with a surplus field": (
        "joints",
        lambda t: with_cells(
            t, "mimic", {"joint": "a", "multiplier": 1.0, "offset": 0.0, "more": "b"}
        ),
    ),
    "joints: mimics that are not UTF-8": ("joints", lambda t: with_mimics(t, b"\xff\xfe", 1.0)),
    "joints: endless mimics": ("joints", lambda t: with_mimics(t, "nobody", np.inf)),
    "joints: mimics that are no number": ("joints", lambda t: with_mimics(t, "nobody", np.nan)),
    "objects: provenance as text": ("objects", lambda t: with_cells(t, "provenance", "{}")),
    "objects: provenance of numbers": (
        "objects",
        lambda t: with_cells(t, "provenance", [("a", 1)], pa.map_(pa.string(), pa.int32())),
    ),
    "objects: no provenance": (
        "objects",
        lambda t: with_cells(t, "provenance", None, t.schema.field("provenance").type),
    ),
    "objects: provenance that is not UTF-8": (
        "objects",
        lambda t: with_texts(t, "provenance", b"\xff\xfe"),
    ),
}


LOOSE = pa.struct([("joint", pa.string()), ("multiplier", pa.float64()), ("offset", pa.float64())])


def with_cells(
    table: pa.Table, column: str, cell: Any, kind: pa.DataType | None = None
) -> pa.Table:
    """Return the table with one value in every row of a column, of another type."""
    cells = pa.array([cell] * len(table), kind)
    return table.set_column(table.schema.get_field_index(column), column, cells)


def broken_texts(text: str | bytes, count: int) -> pa.Array:
    """Return an array of texts, which need not be UTF-8."""
    data = text.encode() if isinstance(text, str) else text
    return pa.array([data] * count, pa.binary()).cast(pa.string(), safe=False)


def with_mimics(table: pa.Table, joint: str | bytes, number: float) -> pa.Table:
    """Return the table with one coupling in every row, of the right type."""
    place = table.schema.get_field_index("mimic")
    field = table.schema.field(place)
    numbers = pa.array([number] * len(table), pa.float64())
    children = [broken_texts(joint, len(table)), numbers, numbers]
    return table.set_column(
        place, field, pa.StructArray.from_arrays(children, fields=[*field.type])
    )


def with_texts(table: pa.Table, column: str, text: bytes) -> pa.Table:
    """Return the table with one broken entry in every row of a map."""
    place = table.schema.get_field_index(column)
    texts = broken_texts(text, len(table))
    cells = pa.MapArray.from_arrays(range(len(table) + 1), texts, texts)
    return table.set_column(place, table.schema.field(place), cells)


@pytest.mark.parametrize("case", TABLES)
def test_a_hostile_table_is_a_sentence(library, case):
    name, damage = TABLES[case]
    path = library / f"{name}.parquet"
    pq.write_table(damage(pq.read_table(path)), path)
    write_seal(library, revision="0" * 16)
    with pytest.raises(LibraryError, match=rf"{name}\.parquet"):
        load_dataset(library, verbose=False)["generated-cabinet"].tree  # noqa: B018


def test_a_small_table_that_unpacks_to_gigabytes_is_refused_early(library):
    """One long text in every row takes one entry of a dictionary in the file."""
    path = library / "objects.parquet"
    table = pq.read_table(path)
    rows = pa.Table.from_pylist(table.to_pylist()[:1] * 8192, table.schema)
    text = pa.DictionaryArray.from_arrays(np.zeros(8192, dtype=np.int32), ["x" * 100_000])
    for name in ("name", "description", "attribution", "label_provenance"):
        rows = rows.set_column(rows.schema.get_field_index(name), name, text)
    pq.write_table(rows, path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 50_000
    seal = json.loads((library / "library.json").read_text())
    mark = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "size": path.stat().st_size}
    seal["files"]["objects.parquet"] = mark
    (library / "library.json").write_text(json.dumps(seal))
    code = (
        "import pyarrow as pa\n"
        "from aa_dataset import load_dataset\n"
        "try:\n"
        f"    load_dataset({str(library)!r}, verbose=False)\n"
        "finally:\n"
        "    print(pa.default_memory_pool().max_memory())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "objects.parquet is not readable" in done.stderr and "to more than" in done.stderr
    assert int(done.stdout) < 1_000_000_000  # bytes


def test_provenance_that_names_a_field_twice_is_a_sentence(library):
    change(library, "objects", "provenance", [("a", "1"), ("a", "2")], jar_row(library))
    write_seal(library)
    with pytest.raises(LibraryError, match=r"'generated-jar'.*provenance has a duplicate field"):
        load_dataset(library, verbose=False)[JAR].provenance  # noqa: B018


def test_provenance_may_name_a_field_without_a_value(library):
    change(library, "objects", "provenance", [("b", None), ("a", "[1]")], jar_row(library))
    write_seal(library)
    assert load_dataset(library, verbose=False)[JAR].provenance == {"a": "[1]", "b": None}
