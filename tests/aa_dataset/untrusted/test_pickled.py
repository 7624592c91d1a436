# SPDX-License-Identifier: Apache-2.0
"""Pickles of plain data: what numpy saves comes back, and nothing that a pickle names ever runs."""

from __future__ import annotations

import io
import os
import pickle
import pickletools
import subprocess
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aa_dataset.untrusted.pickled import PickledDataError, pickled_items

PROTOCOLS = (3, 4)  # that numpy.save has used
DTYPES = [np.dtype(order + kind) for order in "<>" for kind in ("i2", "i8", "u4", "f4", "f8")]
DTYPES.append(np.dtype("?"))
ARRAYS = st.sampled_from(DTYPES).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0))
)
PLAIN = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text()
    | st.binary() | ARRAYS | ARRAYS.filter(lambda a: a.size).map(lambda a: a.ravel()[0])
)  # fmt: skip
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def saved(value: Any, protocol: int = 4, shape: tuple[int, ...] = ()) -> bytes:
    array = np.empty(shape, dtype=object)
    array[(0,) * len(shape)] = value
    return pickle.dumps(array, protocol=protocol)


def are_alike(one: Any, other: Any) -> bool:
    """Compare two values with their types; a number of numpy is one of Python."""
    if isinstance(other, np.generic):
        other = other.item()
    if type(one) is not type(other):
        return False
    if isinstance(other, np.ndarray):
        native = other.astype(other.dtype.newbyteorder("="))
        return (one.dtype, one.shape, one.tobytes()) == (native.dtype, native.shape,
                                                         native.tobytes())  # fmt: skip
    if isinstance(other, dict):
        return list(one) == list(other) and all(are_alike(one[k], other[k]) for k in other)
    if isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(are_alike, one, other))
    return repr(one) == repr(other)  # nan is nan


@given(VALUES, st.sampled_from(PROTOCOLS))
def test_plain_data_comes_back(value: Any, protocol: int) -> None:
    (found,) = pickled_items(saved(value, protocol))
    assert are_alike(found, value)


def test_the_same_object_twice_is_the_same_again() -> None:
    shared = np.arange(3.0)
    (found,) = pickled_items(saved({"a": shared, "b": shared, "c": [shared]}))
    assert found["a"] is found["b"] is found["c"][0]
    assert found["a"].tolist() == [0, 1, 2]


def test_an_array_of_a_dict_is_its_list() -> None:
    """What numpy makes of a tuple of one dict, as Ditto saves it."""
    stream = io.BytesIO()
    np.save(stream, ({"a": 1},), allow_pickle=True)
    data = stream.getvalue()
    body = data[10 + int.from_bytes(data[8:10], "little") :]
    assert pickled_items(body) == [{"a": 1}]


class Bomb:
    def __init__(self, function: Any, *arguments: Any):
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize(
    ("bomb", "named"),
    [
        (Bomb(os.system, "true"), "posix.system"),
        (Bomb(eval, "1"), "builtins.eval"),
        (Bomb(subprocess.Popen, ["true"]), "subprocess.Popen"),
        (Bomb(np.load, "x"), "numpy.load"),
        (OrderedDict(a=1), "collections.OrderedDict"),
        ({1, 2}, "EMPTY_SET"),
        (np.timedelta64(1), "something other than plain numbers"),
        (np.array(["text"]), "something other than plain numbers"),
        (np.zeros(2, dtype="f4,i4"), "something other than plain numbers"),
        (1 + 2j, "builtins.complex"),
        (Path("x"), "pathlib"),
    ],
)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_whatever_else_it_names_is_refused(bomb: Any, named: str, protocol: int) -> None:
    if isinstance(bomb, set) and protocol == 3:
        named = "builtins.set"
    with pytest.raises(PickledDataError, match=named):
        pickled_items(saved([bomb], protocol))


def test_nothing_is_ever_run(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    bomb = saved(Bomb(os.mkdir, str(victim)))
    with pytest.raises(PickledDataError, match="it was not run"):
        pickled_items(bomb)
    assert not victim.exists()
    pickle.loads(bomb)
    assert victim.exists()  # the bomb is live


GLOBAL = b"cnumpy.core.multiarray\n%s\n"
NEW_ARRAY = GLOBAL % b"_reconstruct" + b"cnumpy\nndarray\nK\0\x85C\x01b\x87R"
DTYPE = b"cnumpy\ndtype\nX\x02\0\0\0f8\x89\x88\x87R"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (b"", "broken pickle"),
        (b"N", "broken pickle"),
        (b"N.", "not a pickled array of objects"),
        (b"}.", "not a pickled array of objects"),
        (b"]N", "it is a broken pickle"),
        (b"].", ""),
        (b"(.", "a mark is no value"),
        (b"t.", "broken pickle"),
        (b"a.", "broken pickle"),
        (b"NNa.", "there is no list to fill"),
        (b"]h\x05a.", "broken pickle"),
        (b"NR.", "broken pickle"),
        (b"N)R.", "something is called that is no function"),
        (b"cnumpy\nndarray\n)R.", "an array is called"),
        (b"cnumpy\ndtype\n)R.", "broken pickle"),
        (b"}(NNu.", "a key is no text"),
        (b"}(K\x01Nu.", "a key is no text"),
        (b"](cnumpy\nndarray\ne.", "a piece of an array stands alone"),
        (b"](" + NEW_ARRAY + b"e.", "a piece of an array stands alone"),
        (NEW_ARRAY + b"Nb.", "something is filled that is no array"),
        (NEW_ARRAY + b"(K\1)NNN" + b"tb.", "numbers have no bytes"),
        (NEW_ARRAY + b"(K\1)NNC\x08" + bytes(8) + b"tb.", "numbers have no type"),
        (NEW_ARRAY + b"(K\1(K\5t" + DTYPE + b"NC\x08" + bytes(8) + b"tb.", "not those of its"),
        (NEW_ARRAY + b"(K\1(J\xff\xff\xff\xfft" + DTYPE + b"NC\0tb.", "not those of its"),
        (NEW_ARRAY + b"(K\2)" + DTYPE + b"NC\x08" + bytes(8) + b"tb.", "an array has no shape"),
        (DTYPE + b"(K\3X\1\0\0\0?tb.", "something is filled that is no array"),
        (b"\x8c\x02os\x8c\x06system\x93.", "names 'os.system'"),
        (b"N\x8c\x06system\x93.", "a name is no text"),
        (b"P1\n.", "the instruction PERSID"),
        (b"I1\n.", "the instruction INT"),
        (b"\x8e" + b"\xff" * 8 + b".", "broken pickle"),
        (b"(ios\nsystem\n.", "the instruction INST"),
        (b"]\x81.", "the instruction NEWOBJ"),
    ],
)
def test_a_broken_program_is_a_sentence(program: bytes, said: str) -> None:
    if not said:
        assert pickled_items(program) == []
        return
    with pytest.raises(PickledDataError, match=said) as error:
        pickled_items(program)
    assert str(error.value).endswith(".")


def test_bombs_are_refused() -> None:
    with pytest.raises(PickledDataError, match="more than 200,000 instructions"):
        pickled_items(b"]" * 300_000 + b".")
    # One megabyte that becomes the body of a hundred arrays.
    body = b"B" + (1_000_000).to_bytes(4, "little") + bytes(1_000_000) + b"q\0"
    fill = NEW_ARRAY + b"(K\1(J" + (125_000).to_bytes(4, "little") + b"t" + DTYPE + b"Nh\0tb"
    with pytest.raises(PickledDataError, match="its arrays have more than 64,000,000 bytes"):
        pickled_items(b"](" + body + fill * 100 + b"e.")


def test_deep_nesting_and_cycles_are_only_data() -> None:
    found = pickled_items(b"]q\0" + b"]" * 1000 + b"a" * 1000 + b"h\0a.")
    assert found[1] is found  # a reader looks for names, and walks through nothing


@given(st.data())
def test_damaged_bytes_never_raise_anything_else(data: st.DataObject) -> None:
    good = saved({"axis": np.arange(3, dtype="f4"), "config": np.float32(1.5), "type": 0},
                 data.draw(st.sampled_from(PROTOCOLS)), (1,))  # fmt: skip
    bad = bytearray(good[: data.draw(st.integers(1, len(good)))])
    for place in data.draw(st.lists(st.integers(0, len(bad) - 1), max_size=4)):
        bad[place] ^= data.draw(st.integers(1, 255))
    try:
        pickled_items(bytes(bad))
    except PickledDataError as error:
        assert str(error).endswith(".")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_both_protocols_are_those_of_numpy(protocol: int) -> None:
    """The bytes that are tested are of the kind that numpy writes."""
    names = {code.name for code, _, _ in pickletools.genops(saved({"a": np.zeros(2)}, protocol))}
    assert {"REDUCE", "BUILD"} <= names
    assert ("GLOBAL" in names) == (protocol == 3)
