# SPDX-License-Identifier: Apache-2.0
"""Records: frozen dataclasses that are rows of tables.

A stage hands its objects to the next one as records, one Parquet row each. A record class is its
fields; schema and conversion follow from their types:

==========================================  =================================
field                                       column
==========================================  =================================
``str``, ``float``, ``int``, ``bool``       string, float64, int32, bool
``X | None``                                the same, may be null
``tuple[X, ...]``                           list
``tuple[float, float]``                      list of two
``Annotated[tuple[float, ...], Sizes(9)]``  list of nine
``Annotated[np.ndarray, Sizes(3, 3)]``      list of nine, by rows
another dataclass                           struct
``dict[str, X]``                            map, sorted by key
==========================================  =================================

`object_id` is not a field: it is the key of every record, and the runner writes it.
"""

from __future__ import annotations

import dataclasses
import math
import operator
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import numpy as np
import pyarrow as pa

from pipeline.base.tables import encodable, read_rows, record_schema

_INT32 = range(-(2**31), 2**31)
_KNOWN: dict[type[Any], dict[str, _Form]] = {}


class Sizes:
    """The shape of a tuple or an array of numbers; used in `Annotated`."""

    def __init__(self, *sizes: int) -> None:
        self.sizes, self.count = sizes, math.prod(sizes)


Vec3 = Annotated[tuple[float, ...], Sizes(3)]
Vec6 = Annotated[tuple[float, ...], Sizes(6)]
Mat3 = Annotated[tuple[float, ...], Sizes(9)]  # row by row


class Record:
    """Base of the records; a subclass is a frozen dataclass."""

    __slots__ = ()

    @classmethod
    def schema(cls) -> pa.Schema:
        """Return the schema of a table of such records, `object_id` first."""
        return record_schema(*(form.field(name) for name, form in _field_forms(cls).items()))

    def to_row(self) -> dict[str, Any]:
        """Return the record as a row; raise `TypeError` for a value of another type."""
        return dict(_encode_fields(_field_forms(type(self)), self))

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the record of a row; columns that are not fields are ignored."""
        return cls(**_decode_fields(_field_forms(cls), row))


R = TypeVar("R", bound=Record)


def read_records(path: Path, kind: type[R]) -> dict[str, R]:
    """Return the records of a table by object id; columns that are not fields are not read."""
    rows = read_rows(path, columns=["object_id", *_field_forms(kind)])
    return {row["object_id"]: kind.from_row(row) for row in rows}


@dataclasses.dataclass(frozen=True, slots=True)
class _Form:
    """How one field is stored: the type of its column, and the conversions."""

    type: pa.DataType
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]
    nullable: bool = False

    def field(self, name: str) -> pa.Field:
        return pa.field(name, self.type, nullable=self.nullable)


def _encode_fields(forms: Mapping[str, _Form], value: Any) -> dict[str, Any]:
    row = {}
    for name, form in forms.items():
        try:
            row[name] = form.encode(getattr(value, name))
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"{type(value).__name__}.{name}: {error}") from None
    return row


def _decode_fields(forms: Mapping[str, _Form], row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: form.decode(row[name]) for name, form in forms.items()}


def _field_forms(kind: type[Any]) -> dict[str, _Form]:
    """Return the form of every field of a dataclass, in order."""
    if kind not in _KNOWN:
        hints = typing.get_type_hints(kind, include_extras=True)
        names = [field.name for field in dataclasses.fields(kind)]
        _KNOWN[kind] = {name: _form_of_type(hints[name]) for name in names}
    return _KNOWN[kind]


def _form_of_type(hint: Any) -> _Form:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if origin is Annotated:
        return _fixed_length_form(*arguments)
    if origin in (typing.Union, types.UnionType):
        (inner,) = (one for one in arguments if one is not type(None))
        return _optional_form(inner)
    if origin is tuple and set(arguments) == {float}:
        return _fixed_length_form(tuple, Sizes(len(arguments)))
    if origin is tuple and arguments[1:] == (...,):
        return _list_form(_form_of_type(arguments[0]))
    if origin is dict and arguments[0] is str:
        return _map_form(_form_of_type(arguments[1]))
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _struct_form(hint)
    raise TypeError(f"no column can hold {hint}; pipeline/base/records.py lists what one can.")


def _optional_form(hint: Any) -> _Form:
    form = (
        _struct_form(hint, in_null=True) if dataclasses.is_dataclass(hint) else _form_of_type(hint)
    )
    return _Form(
        form.type,
        lambda value: None if value is None else form.encode(value),
        lambda value: None if value is None else form.decode(value),
        nullable=True,
    )


def _struct_form(kind: Any, *, in_null: bool = False) -> _Form:
    """Return the form of a nested dataclass.

    Parquet's reader fails on a struct that is null and has a fixed-size list that may not be.
    """
    forms = _field_forms(kind)
    fields = [
        form.field(name).with_nullable(
            form.nullable or (in_null and pa.types.is_fixed_size_list(form.type))
        )
        for name, form in forms.items()
    ]

    def encode(value: Any) -> dict[str, Any]:
        if not isinstance(value, kind):
            raise TypeError(f"{type(value).__name__} is not {kind.__name__}")
        return _encode_fields(forms, value)

    return _Form(pa.struct(fields), encode, lambda row: kind(**_decode_fields(forms, row)))


def _list_form(item: _Form) -> _Form:
    return _Form(
        pa.list_(pa.field("item", item.type)),
        lambda values: [item.encode(value) for value in values],
        lambda values: tuple(item.decode(value) for value in values),
    )


def _map_form(item: _Form) -> _Form:
    return _Form(
        pa.map_(pa.string(), item.field("value")),
        lambda values: sorted(_map_cells(item, values).items(), key=operator.itemgetter(0)),
        lambda pairs: {key: item.decode(value) for key, value in pairs},
    )


def _map_cells(item: _Form, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return keys and values as stored; two invalid texts may become the same key."""
    return {_require_text(key): item.encode(value) for key, value in values.items()}


def _fixed_length_form(base: Any, shape: Sizes) -> _Form:
    """Return the form of a fixed number of values, stored flat."""

    def encode(values: Any) -> list[float]:
        if base is np.ndarray:
            values = np.asarray(values, dtype=float).reshape(-1).tolist()
        if len(values) != shape.count:
            raise ValueError(f"{len(values)} numbers, not {shape.count}")
        return [_require_number(value) for value in values]

    def array(values: list[float]) -> np.ndarray:
        return np.array(values, dtype=float).reshape(shape.sizes)

    decode = array if base is np.ndarray else tuple
    return _Form(pa.list_(pa.float64(), shape.count), encode, decode)


def _require_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is not a text")
    return value if value.isascii() else encodable(value)


def _require_number(value: Any) -> float:
    if not isinstance(value, float | int):
        raise TypeError(f"{type(value).__name__} is not a number")
    return float(value)


def _require_integer(value: Any) -> int:
    number = operator.index(value)
    if number not in _INT32:
        raise OverflowError(f"{number} does not fit into 32 bits")
    return number


def _require_bool(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{type(value).__name__} is not true or false")
    return bool(value)


def _unchanged(value: Any) -> Any:
    return value


_SCALARS: dict[Any, _Form] = {
    str: _Form(pa.string(), _require_text, _unchanged),
    float: _Form(pa.float64(), _require_number, _unchanged),
    int: _Form(pa.int32(), _require_integer, _unchanged),
    bool: _Form(pa.bool_(), _require_bool, _unchanged),
}
