# SPDX-License-Identifier: Apache-2.0
"""What the pages of a Parquet file unpack to is known before Arrow unpacks one."""

from __future__ import annotations

import io
import itertools
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aa_dataset.untrusted import parquet_batches
from aa_dataset.untrusted import parquet_pages as pages
from aa_dataset.untrusted.parquet_pages import page_sizes

TEXTS = [f"text {number % 7}" for number in range(5000)]
HUGE = 2_000_000_000


def packed(columns: dict[str, Any], **options: Any) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, **{"compression": "zstd", **options})
    return stream.getvalue()


def sizes_of(data: bytes) -> pages.PageSizes:
    return page_sizes(data, pq.read_metadata(io.BytesIO(data)))


def varint(number: int) -> bytes:
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + varint(rest) if rest else bytes([low])


def forged(data: bytes, column: int, claim: int) -> bytes:
    """Let the first page of a column claim that it unpacks to another size; what follows moves."""
    chunk = pq.read_metadata(io.BytesIO(data)).row_group(0).column(column)
    place = chunk.dictionary_page_offset or chunk.data_page_offset
    assert data[place] == data[place + 2] == 0x15  # its kind, then its size, as 32 bits
    size = varint(claim << 1)
    end = place + 3 + next(n for n in itertools.count(1) if data[place + 2 + n] < 128)
    return data[: place + 3] + size + data[end:]


def peak(path: Path, data: bytes, reader: str) -> tuple[int, str]:
    """Return what Arrow asks for at most [B] while a process reads a table, and the error."""
    path.write_bytes(data)
    code = (
        "import pyarrow as pa, pyarrow.parquet as pq\n"
        "from aa_dataset.untrusted.parquet_batches import read_batches\n"
        f"data = open({str(path)!r}, 'rb').read()\n"
        "try:\n"
        f"    {reader}\n"
        "finally:\n"
        "    print(pa.default_memory_pool().max_memory())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return int(done.stdout), done.stderr.splitlines()[-1]


ARROW = "pq.ParquetFile(pa.BufferReader(data)).read()"
OURS = "read_batches(data)"


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd"])
@pytest.mark.parametrize("checksums", [False, True])
def test_the_pages_of_every_honest_table_are_counted(
    version: str, codec: str, checksums: bool
) -> None:
    lists = [[float(n)] * (n % 3) for n in range(5000)]
    nulls = [None if n % 2 else n for n in range(5000)]
    columns = {"a": TEXTS, "b": range(5000), "c": lists, "d": [None] * 5000, "e": nulls}
    options = {"data_page_version": version, "compression": codec, "row_group_size": 1900}
    for dictionary in (True, False):
        data = packed(
            {name: pa.array(list(cells)) for name, cells in columns.items()},
            use_dictionary=dictionary, write_page_checksum=checksums, **options,
        )  # fmt: skip
        found = sizes_of(data)
        assert found.dictionaries == ((7 * (4 + len("text 0")),) if dictionary else ())
        plain = sum(4 + len(text) for text in TEXTS)
        assert found.total >= (0 if dictionary else plain) + 8 * 5000 * 4
        table = parquet_batches.read_batches(data)
        assert table.num_rows == 5000 and table["a"].to_pylist() == TEXTS


def test_a_table_without_rows_has_no_pages_to_speak_of() -> None:
    data = packed({"a": pa.array([], pa.string())})
    assert sizes_of(data).total < 100 and parquet_batches.read_batches(data).num_rows == 0


@pytest.mark.parametrize("codec", ["snappy", "gzip", "zstd"])
def test_a_header_that_claims_gigabytes_is_refused_before_memory_is_allocated(
    tmp_path: Path, codec: str
) -> None:
    data = forged(packed({"a": TEXTS}, compression=codec), 0, HUGE)
    assert len(data) < 5000
    assert peak(tmp_path / "a", data, ARROW)[0] > HUGE
    asked, error = peak(tmp_path / "a", data, OURS)
    assert asked < 1_000_000
    assert error.startswith(("ValueError: its pages unpack to more", "ValueError: a page"))


def test_a_page_that_unpacks_to_much_is_refused_packed(tmp_path: Path) -> None:
    data = packed({"a": ["x" * 100_000_000]}, use_dictionary=False, write_statistics=False)
    assert len(data) < 100_000
    asked, error = peak(tmp_path / "a", data, OURS)
    assert asked < 1_000_000
    assert error == "ValueError: its pages unpack to more than 67,174,400 bytes"


def test_a_list_without_end_is_refused_by_its_number_of_values() -> None:
    data = packed({"a": [[1.0] * 10_000_000]})
    assert len(data) < 100_000
    with pytest.raises(ValueError, match="its pages unpack to more than"):
        parquet_batches.read_batches(data)


@pytest.mark.parametrize("size", [5_000_000, 30_000_000])
def test_of_a_long_text_in_every_row_few_rows_are_unpacked(tmp_path: Path, size: int) -> None:
    """Of 2,048 rows at a time the first batch would have 10 or 60 GB."""
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 4096, pa.int32()), ["x" * size])
    data = packed({"a": text}, store_schema=False, write_statistics=False)
    assert len(data) < 50_000
    asked, error = peak(tmp_path / "a", data, OURS)
    assert asked < 4 * parquet_batches.STRANGE_BATCH_BYTES
    assert re.match(r"ValueError: its first \d+ rows unpack to more than", error)


def test_short_texts_are_read_in_large_batches_and_long_ones_in_small() -> None:
    def step(*sizes: int) -> int:
        found = pages.PageSizes(0, sizes)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parquet_batches, "page_sizes", lambda *_: found)
            data = packed({"a": TEXTS})
            return parquet_batches.batch_rows(data, pq.read_metadata(io.BytesIO(data)))

    assert step() == step(1 << 20) == step(*[1 << 20] * 4) == parquet_batches.BATCH_ROWS
    for sizes in ([1 << 20] * 14, [1 << 22] * 14, [1 << 23], [1 << 27] * 3, [1 << 31]):
        assert step(*sizes) * sum(sizes) <= max(parquet_batches.BATCH_BYTES, sum(sizes))
    assert step(1 << 23) == 32 and step(1 << 31) == 1


def test_encodings_that_make_much_of_little_are_refused() -> None:
    """One entry of it is what two have in common, which a long text has with the next."""
    data = packed({"a": TEXTS}, use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"})
    with pytest.raises(ValueError, match="a page has the encoding 7"):
        parquet_batches.read_batches(data)


def test_more_pages_than_a_build_makes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({"a": range(100)}, row_group_size=10)
    sizes_of(data)
    monkeypatch.setattr(pages, "_MOST_PAGES", 20)
    with pytest.raises(ValueError, match="more than 20 pages"):
        sizes_of(data)


def test_a_damaged_header_is_a_sentence_or_counts() -> None:
    """Every byte of the first pages, changed in every bit."""
    data = packed({"a": TEXTS[:50], "b": range(50)})
    end = pq.read_metadata(io.BytesIO(data)).row_group(0).column(1).data_page_offset + 40
    for place, bit in itertools.product(range(4, end), range(8)):
        changed = bytearray(data)
        changed[place] ^= 1 << bit
        try:
            found = page_sizes(bytes(changed), pq.read_metadata(io.BytesIO(data)))
        except ValueError as error:
            assert "page" in str(error)
        else:
            assert found.total >= 0
