# SPDX-License-Identifier: Apache-2.0
"""Records: what a stage wrote is what the next one reads, and nothing else can be written."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.format.schema import SCHEMA_VERSION, TABLES
from aa_dataset.kinematics import Mimic
from pipeline.base.records import Record, Sizes, Vec3, read_records
from pipeline.base.tables import write_table
from pipeline.handover.annotated import AnnotatedFacts, AnnotatedRecord, Fingerprint
from pipeline.handover.ingested import IngestedRecord
from pipeline.handover.normalized import NormalRecord
from pipeline.stages.manifest.stage import COPIED


@dataclass(frozen=True, slots=True)
class Part:
    """Something nested, with a vector."""

    name: str
    size: Vec3
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Whole(Record):
    """One field of every kind."""

    text: str
    number: float
    count: int
    flag: bool
    ends: tuple[float, float]
    maybe: float | None = None
    names: tuple[str, ...] = ()
    part: Part | None = None
    parts: tuple[Part, ...] = ()
    by_name: dict[str, Part] = field(default_factory=dict)
    lists: dict[str, tuple[Part, ...]] = field(default_factory=dict)
    notes: dict[str, str | None] = field(default_factory=dict)
    ranges: tuple[tuple[float, float], ...] = ()


TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)
NUMBERS = st.floats(allow_nan=False)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
PARTS = st.builds(Part, TEXTS, VECTORS, st.none() | TEXTS)
WHOLES = st.builds(
    Whole,
    text=TEXTS,
    number=NUMBERS,
    count=st.integers(-(2**31), 2**31 - 1),
    flag=st.booleans(),
    ends=st.tuples(NUMBERS, NUMBERS),
    maybe=st.none() | NUMBERS,
    names=st.lists(TEXTS, max_size=3).map(tuple),
    part=st.none() | PARTS,
    parts=st.lists(PARTS, max_size=3).map(tuple),
    by_name=st.dictionaries(TEXTS, PARTS, max_size=3),
    lists=st.dictionaries(TEXTS, st.lists(PARTS, max_size=2).map(tuple), max_size=3),
    notes=st.dictionaries(TEXTS, st.none() | TEXTS, max_size=3),
    ranges=st.lists(st.tuples(NUMBERS, NUMBERS), max_size=3).map(tuple),
)


def written(path: Path, records: dict[str, Record], kind: type[Record]) -> Path:
    rows = [{"object_id": key, **record.to_row()} for key, record in records.items()]
    write_table(path, rows, kind.schema())
    return path


@given(st.lists(WHOLES, min_size=1, max_size=4))
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, wholes: list[Whole]
) -> None:
    records = {f"o-{number}": whole for number, whole in enumerate(wholes)}
    path = written(tmp_path_factory.mktemp("t") / "t.parquet", records, Whole)
    assert read_records(path, Whole) == records


GOOD = Whole("a", 1.0, 2, True, (0.0, 1.0))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"text": 5}, "Whole.text: int is not a text"),
        ({"text": None}, "Whole.text: NoneType is not a text"),
        ({"number": "1.0"}, "Whole.number: str is not a number"),
        ({"count": 1.5}, "Whole.count"),
        ({"count": 2**31}, "Whole.count: 2147483648 does not fit into 32 bits"),
        ({"flag": 1}, "Whole.flag: int is not true or false"),
        ({"ends": (1.0, 2.0, 3.0)}, "Whole.ends: 3 numbers, not 2"),
        ({"names": (b"a",)}, "Whole.names: bytes is not a text"),
        ({"part": {"name": "a"}}, "Whole.part: dict is not Part"),
        ({"part": Part("a", (1.0,))}, "Whole.part: Part.size: 1 numbers, not 3"),
        ({"notes": {1: "a"}}, "Whole.notes: int is not a text"),
    ],
)
def test_what_a_field_cannot_hold_is_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        replace(GOOD, **wrong).to_row()


def test_text_that_no_table_holds_is_written_with_a_question_mark() -> None:
    record = replace(GOOD, text="a\udc80", notes={"\ud800": "\udfff"})
    assert record.to_row()["text"] == "a?"
    assert record.to_row()["notes"] == [("?", "?")]


def test_maps_are_sorted_so_that_equal_records_are_equal_bytes() -> None:
    one = replace(GOOD, notes={"b": "1", "a": "2"})
    two = replace(GOOD, notes={"a": "2", "b": "1"})
    assert one.to_row() == two.to_row()


def test_arrays_keep_their_shape_in_a_round_trip() -> None:
    @dataclass(frozen=True, slots=True, eq=False)
    class Turn(Record):
        rotation: Annotated[np.ndarray, Sizes(3, 3)]

    Turn.__annotations__["rotation"] = Annotated[np.ndarray, Sizes(3, 3)]
    rotation = np.arange(9.0).reshape(3, 3)
    row = Turn(rotation).to_row()
    assert row == {"rotation": list(range(9))}
    np.testing.assert_array_equal(Turn.from_row(row).rotation, rotation)


def test_a_type_without_a_column_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Odd(Record):
        things: set[str]

    with pytest.raises(TypeError, match="no column can hold set"):
        Odd.schema()


def test_a_schema_begins_with_the_object_and_has_its_version() -> None:
    schema = Whole.schema()
    assert schema.names == ["object_id", *(one.name for one in fields(Whole))]
    assert schema.metadata[b"schema_version"] == SCHEMA_VERSION.encode()
    assert [one.name for one in schema if one.nullable] == ["maybe", "part"]


def test_a_part_of_a_record_reads_only_its_columns(tmp_path: Path) -> None:
    seen = Fingerprint(12, 0.5, True, (0.5,) * 16, ((0.5,) * 12, (0.25,) * 12))
    records: dict[str, Record] = {
        "o-1": AnnotatedRecord("d" * 64, seen, 1, links=(), joints=(), exclusions=()),
        "o-2": AnnotatedRecord("e" * 64, None, 2, links=(), joints=(), exclusions=()),
    }
    path = written(tmp_path / "t.parquet", records, AnnotatedRecord)
    assert read_records(path, AnnotatedRecord) == records
    assert read_records(path, AnnotatedFacts) == {
        "o-1": AnnotatedFacts("d" * 64, seen, 1),
        "o-2": AnnotatedFacts("e" * 64, None, 2),
    }


@pytest.mark.parametrize("table", ["links", "joints"])
def test_the_rows_of_a_record_are_those_of_the_library(table: str) -> None:
    """Names, order, types and nulls; the tables of the library are these rows as they stand."""
    kind = AnnotatedRecord.schema().field(table).type.value_type
    expected = [one for one in TABLES[table] if one.name != "object_id"]
    assert kind == pa.struct(expected)
    assert [one.name for one in kind] == [one.name for one in expected]


def test_the_columns_of_objects_are_fields_of_the_records_that_they_are_copied_from() -> None:
    kinds = {"ingest": IngestedRecord, "normalize": NormalRecord, "annotate": AnnotatedRecord}
    for stage, kind in kinds.items():
        for column in COPIED[stage]:
            found, expected = kind.schema().field(column), TABLES["objects"].field(column)
            assert (found.type, found.nullable) == (expected.type, expected.nullable), column


def test_a_coupling_is_a_struct_of_its_own_fields() -> None:
    names = [one.name for one in fields(Mimic)]
    assert [one.name for one in TABLES["joints"].field("mimic").type] == names
