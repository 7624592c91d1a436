# SPDX-License-Identifier: Apache-2.0
"""Archives of arrays: what numpy writes comes back bit by bit, everything else is a sentence."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aa_dataset.untrusted.npz import NpzBudget, NpzError, NpzFile

DTYPES = [np.dtype(order + kind) for order in "<>" for kind in ("i2", "i4", "i8", "u2", "f2",
                                                               "f4", "f8")]  # fmt: skip
DTYPES += [np.dtype(kind) for kind in ("?", "i1", "u1")]
ARRAYS = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0))
)


def saved(*, packed: bool = False, **arrays: Any) -> bytes:
    stream = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(stream, **arrays)
    return stream.getvalue()


def archive(files: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as written:
        for name, data in files.items():
            written.writestr(name, data)
    return stream.getvalue()


def npy(header: str, body: bytes = b"", version: int = 1) -> bytes:
    text = header.encode() + b"\n"
    size = struct.pack("<H" if version == 1 else "<L", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + body


def good_header(shape: str = "(2,)", descr: str = "<f8") -> str:
    return f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"


@given(ARRAYS, st.booleans(), st.booleans())
def test_an_array_comes_back_with_its_type_shape_and_bits(
    array: np.ndarray, packed: bool, fortran: bool
) -> None:
    stored = np.asfortranarray(array) if fortran and array.ndim else array
    file = NpzFile(saved(packed=packed, first=stored, second=np.arange(3)))
    found = file.array("first")
    assert file.names == ("first", "second")
    assert found.shape == array.shape
    assert found.dtype == array.dtype.newbyteorder("=")
    assert found.tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()
    assert file.array("second").tolist() == [0, 1, 2]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_version_of_the_header(version: int) -> None:
    body = np.array([1.0, -2.0]).tobytes()
    file = NpzFile(archive({"a.npy": npy(good_header(), body, version)}))
    assert file.array("a").tolist() == [1.0, -2.0]


def test_pickled_objects_are_bytes_and_never_loaded() -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return exec, ("raise SystemExit('the pickle was loaded')",)

    file = NpzFile(saved(a=np.array(Bomb(), dtype=object), b=np.zeros(2)))
    with pytest.raises(NpzError, match="array 'a' is a pickled Python object"):
        file.array("a")
    assert b"SystemExit" in file.pickled("a")
    with pytest.raises(SystemExit):  # numpy's pickle is live: what is left unloaded here is a bomb
        pickle.loads(file.pickled("a"))
    with pytest.raises(NpzError, match="array 'b' holds plain numbers"):
        file.pickled("b")


def test_a_missing_array_names_those_there_are() -> None:
    with pytest.raises(NpzError, match="array 'c' is missing; the file has 'a', 'b'"):
        NpzFile(saved(a=1, b=2)).array("c")


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        (npy(good_header("(3,)"), b"\0" * 16), "16 bytes, not those of its shape"),
        (npy(good_header("(0, 999999999999999)")), "not those of its shape"),
        (npy(good_header(f"({'1, ' * 9})"), b"\0" * 8), "more than 8 dimensions"),
        (npy(good_header("(-1,)"), b"\0" * 16), "another one"),
        (npy(good_header("(2**9,)"), b"\0" * 16), "another one"),
        (npy(good_header(descr="<f16"), b"\0" * 32), "numbers of 16 bytes"),
        (npy(good_header(descr="<U4"), b"\0" * 32), "another one"),
        (npy(good_header() + " or exit()"), "another one"),
        (npy("[" * 5000), "another one"),
        (npy(" " * 20_000, version=2), "does not start like an array"),
        (b"\x93NUMPY\x01\0\xff\xff{}", "does not start like an array"),
        (b"\x93NUMPY\x09\0\x02\0{}    ", "does not start like an array"),
        (b"", "does not start like an array"),
    ],
)
def test_a_broken_array_is_a_sentence(member: bytes, problem: str) -> None:
    with pytest.raises(NpzError, match=problem):
        NpzFile(archive({"a.npy": member})).array("a")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "cut off"),
        (b"PK\5\6" + b"\0" * 30, "cut off"),
        (archive({}), ""),
        (saved(a=1)[:-5], "cut off"),
        (archive({"a.txt": b""}), "is not an array"),
        (archive({"a.npy": b""}, zipfile.ZIP_LZMA), "packed in a way"),
        (archive({f"{n}.npy": b"" for n in range(300)}), "more than 256 arrays"),
        (archive({"a" * 60_000 + f"{n}.npy": b"" for n in range(3)}), "very long names"),
    ],
)
def test_a_broken_archive_is_a_sentence(data: bytes, problem: str) -> None:
    if not problem:  # an archive without arrays is one, as of `numpy.savez()`
        assert NpzFile(data).names == ()
        return
    with pytest.raises(NpzError, match=problem):
        NpzFile(data)


def test_a_name_twice_is_refused() -> None:
    twice = saved(a=1, b=2).replace(b"b.npy", b"a.npy")
    with pytest.raises(NpzError, match="there twice"):
        NpzFile(twice)


def test_a_bomb_is_not_unpacked() -> None:
    bomb = saved(packed=True, a=np.zeros(1_000_000), b=np.zeros(1_000_000))
    assert len(bomb) < 50_000
    with pytest.raises(NpzError, match="array 'a': the file unpacks to more than 1,000 bytes"):
        NpzFile(bomb, NpzBudget(max_bytes=1000)).array("a")
    both = NpzFile(bomb, NpzBudget(max_bytes=9_000_000))
    both.array("a")  # 8 MB
    with pytest.raises(NpzError, match="array 'b': the file unpacks to more than"):
        both.array("b")


def test_a_lie_about_the_size_is_found() -> None:
    data = saved(a=np.arange(4.0))
    claimed = data.replace(struct.pack("<LL", 160, 160), struct.pack("<LL", 10**9, 10**9))
    assert claimed != data
    with pytest.raises(NpzError, match="array 'a'"):
        NpzFile(claimed).array("a")


@given(st.data())
def test_damaged_bytes_never_raise_anything_else(data: st.DataObject) -> None:
    good = saved(packed=data.draw(st.booleans()), a=np.arange(6.0).reshape(2, 3))
    bad = bytearray(good[: data.draw(st.integers(0, len(good)))])
    for place in data.draw(st.lists(st.integers(0, max(len(bad) - 1, 0)), max_size=4)):
        if bad:
            bad[place] ^= data.draw(st.integers(1, 255))
    try:
        file = NpzFile(bytes(bad))
        for name in file.names:
            file.array(name)
    except NpzError as error:
        assert str(error).endswith((".", "'"))


def test_a_damaged_stream_is_a_sentence() -> None:
    data = bytearray(saved(packed=True, a=np.arange(1000.0)))
    middle = len(data) // 2
    data[middle : middle + 50] = bytes(50)
    with pytest.raises(NpzError, match="array 'a' cannot be unpacked"):
        NpzFile(bytes(data)).array("a")
