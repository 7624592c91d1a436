# SPDX-License-Identifier: Apache-2.0
"""The uncompressed size of the pages of a Parquet file, computed before Arrow unpacks them.

The footer of a file may claim any size, and Arrow does not verify it. The header of each page
(Thrift's compact protocol) states its uncompressed size: Arrow allocates that much and unpacks no
more. Except for dictionaries, a build uses no encoding that expands a few bytes to many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, Union

import pyarrow.parquet as pq

# Pages and column chunks of one table; a build writes a few hundred.
_MOST_PAGES = 100_000
_DEEPEST = 4  # nested structs of a header: the page's, its kind's, its statistics
_ENCODINGS = (0, 2, 3, 8)  # plain, plain_dictionary, rle, rle_dictionary
_DATA, _DICTIONARY, _DATA_V2 = 5, 7, 8  # header fields, each for one kind of page
_ENCODING_FIELD = {_DATA: 2, _DICTIONARY: 2, _DATA_V2: 4}
_WIDTH = 8  # bytes of one number in memory
_TRUE, _FALSE, _INT16, _INT32, _INT64, _BINARY, _STRUCT = 1, 2, 4, 5, 6, 8, 12
_INTEGERS = (_INT16, _INT32, _INT64)

_Fields: TypeAlias = dict[int, Union[int, "_Fields"]]


@dataclass(frozen=True, slots=True)
class PageSizes:
    """Uncompressed sizes of the pages of a table.

    Attributes
    ----------
    total : int [B]
        Size of all pages, where every value counts as one number at least.
    dictionaries : tuple of int [B]
        The largest dictionary of each text column that has one. It bounds the longest text, which
        may occur in every row.
    """

    total: int
    dictionaries: tuple[int, ...]


def page_sizes(data: bytes, metadata: pq.FileMetaData) -> PageSizes:
    """Read the header of every page of a table.

    Raises
    ------
    ValueError
        For a header, an encoding or a number of pages that no build writes.
    """
    total, left = 0, _MOST_PAGES
    largest: dict[int, int] = {}
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for index in range(group.num_columns):
            chunk = group.column(index)
            place, end = _chunk_range(chunk, len(data))
            is_text = chunk.physical_type.endswith("BYTE_ARRAY")
            left -= 1
            while place < end and left >= 0:
                header, place = _read_struct(data, place, end)
                kind, values = _checked_header(header)
                size = _count_field(header, 2)
                place += _count_field(header, 3)
                total += max(size, _WIDTH * values)
                left -= 1
                if kind == _DICTIONARY and is_text:
                    largest[index] = max(largest.get(index, 0), size)
            if place > end:
                raise ValueError("a page extends beyond its column")
            if left < 0:
                raise ValueError(f"it has more than {_MOST_PAGES:,} pages")
    return PageSizes(total, tuple(largest.values()))


def _chunk_range(chunk: pq.ColumnChunkMetaData, size: int) -> tuple[int, int]:
    """Return the byte range that Arrow reads for a column chunk."""
    if chunk.num_values <= 0:  # Arrow reads nothing, and an empty chunk has no offset
        return 0, 0
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    end = start + chunk.total_compressed_size
    if not 0 <= start <= end <= size:
        raise ValueError("a column is outside the file")
    return start, end


def _checked_header(header: _Fields) -> tuple[int, int]:
    """Return the kind of a page and its number of values."""
    for kind, field in _ENCODING_FIELD.items():
        facts = header.get(kind)
        if isinstance(facts, dict):
            if facts.get(field) not in _ENCODINGS:
                raise ValueError(f"a page has the encoding {facts.get(field)}")
            return kind, _count_field(facts, 1)
    raise ValueError("a page is of an unknown kind")


def _count_field(fields: _Fields, number: int) -> int:
    """Return a field that holds a count or a size."""
    value = fields.get(number)
    if not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ValueError("a page header lacks a size")
    return value


def _read_struct(data: bytes, place: int, end: int, depth: int = 1) -> tuple[_Fields, int]:
    """Read one struct; return its fields by number, and its end.

    Anything that a page header never has (lists, maps, duplicate fields) is refused, so that no
    other reader can interpret it differently.
    """
    fields: _Fields = {}
    last = 0
    while place < end:
        head = data[place]
        place += 1
        if not head:
            return fields, place
        kind, number = head & 15, last + (head >> 4)
        if number == last:
            number, place = _read_varint(data, place, end)
            number >>= 1
        if number <= last:
            break
        last = number
        if kind in (_TRUE, _FALSE):
            continue
        if kind in _INTEGERS:
            value, place = _read_varint(data, place, end)
            if kind != _INT64 and value >> 32:
                break
            fields[number] = (value >> 1) ^ -(value & 1)
        elif kind == _BINARY:
            size, place = _read_varint(data, place, end)
            place += size
        elif kind == _STRUCT and depth < _DEEPEST:
            fields[number], place = _read_struct(data, place, end, depth + 1)
        else:
            break
    raise ValueError("a page's header is broken")


def _read_varint(data: bytes, place: int, end: int) -> tuple[int, int]:
    """Read a number of at most 64 bits, seven per byte; return it and its end."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= end:
            break
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128 and value < 1 << 64:
            return value, place
    raise ValueError("a page's header is broken")
