# SPDX-License-Identifier: Apache-2.0
"""Reader of untrusted pickles that hold plain data: nothing in them is ever called or imported.

A pickle is a program for a small machine, and Python's own machine imports and calls what the
program names. This one knows the few instructions that `numpy.savez` writes for dicts, lists, texts
and numbers. It imports nothing: of the functions that numpy names for its arrays and numbers it
knows what they mean. Everything else is refused with its name.
"""

from __future__ import annotations

import pickletools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from aa_dataset.errors import ArenaError
from aa_dataset.untrusted.npz import plain_array

MOST_STEPS = 200_000  # instructions; each array, number and text is some of them
MOST_BYTES = 64_000_000  # of all arrays
_CORE = ("numpy.core.multiarray", "numpy._core.multiarray")
_ARRAY, _DTYPE = ("numpy", "ndarray"), ("numpy", "dtype")
_NEW_ARRAYS = tuple((module, "_reconstruct") for module in _CORE)
_NUMBERS = tuple((module, "scalar") for module in _CORE)
_PLAIN_DTYPE = re.compile(r"b1|[iu][1248]|f[248]|O8")
_MARK = object()


class PickledDataError(ArenaError, ValueError):
    """The bytes are no pickle, or one that holds more than plain data."""


@dataclass(frozen=True, slots=True)
class _Named:
    """Something that the pickle names; it is neither imported nor called."""

    module: str
    name: str


@dataclass(slots=True, eq=False)
class _Dtype:
    """The type of numbers of an array, which a later instruction completes by its byte order."""

    code: str
    order: str = "="


@dataclass(slots=True, eq=False)
class _NewArray:
    """An array that a later instruction fills, and where it is kept until then."""

    kept_as: list[int] = field(default_factory=list)


def pickled_items(data: bytes) -> list[Any]:
    """Return the items of a pickled array of objects, as `numpy.save` writes it.

    They are dicts with text as keys, lists, tuples, texts, bytes, numbers, booleans,
    None, arrays of numbers (in the machine's byte order), and lists for arrays of objects.

    Raises
    ------
    PickledDataError
        If the bytes are no pickle, or hold anything else.
    """
    value = _Machine().run(data)
    if not isinstance(value, list):
        raise PickledDataError("it is not a pickled array of objects.")
    return value


class _Machine:
    """The stack, the marks on it, and the values that are kept to be used again."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._kept: dict[int, Any] = {}
        self._unpacked = 0

    def run(self, data: bytes) -> Any:
        """Return the value on top of the stack at the end."""
        try:
            for step, (code, argument, _) in enumerate(pickletools.genops(data)):
                if step > MOST_STEPS:
                    raise PickledDataError(f"it has more than {MOST_STEPS:,} instructions.")
                if code.name == "STOP":
                    return self._popped()
                self._do(code.name, argument)
        except PickledDataError:
            raise
        # `genops` raises ValueError for broken bytes; the others come of values in wrong places.
        except (ValueError, IndexError, KeyError, TypeError, OverflowError) as error:
            raise PickledDataError(f"it is a broken pickle: {error}.") from None
        raise PickledDataError("it is a broken pickle: it has no end.")

    def _do(self, name: str, argument: Any) -> None:
        if name in _VALUES:
            self._stack.append(argument)
        elif name in _CONSTANTS:
            self._stack.append(_CONSTANTS[name]())
        elif name in _ACTIONS:
            _ACTIONS[name](self, argument)
        elif name not in ("PROTO", "FRAME"):
            raise PickledDataError(f"it has the instruction {name}, which plain data has not.")

    def _popped(self) -> Any:
        value = self._stack.pop()
        if value is _MARK:
            raise ValueError("a mark is no value")
        return value

    def _marked(self) -> list[Any]:
        """Return what is on the stack since the last mark, and take it off."""
        place = len(self._stack) - 1
        while self._stack[place] is not _MARK:
            place -= 1
            if place < 0:
                raise ValueError("a mark is missing")
        found = self._stack[place + 1 :]
        del self._stack[place:]
        return found

    def _top(self, kind: type) -> Any:
        if not isinstance(self._stack[-1], kind):
            raise ValueError(f"there is no {kind.__name__} to fill")
        return self._stack[-1]

    def _tuple(self, count: int | None) -> None:
        if count is None:
            self._stack.append(tuple(self._marked()))
        else:
            self._stack.append(tuple(reversed([self._popped() for _ in range(count)])))

    def _extend(self, values: list[Any]) -> None:
        _require_plain(values)
        self._top(list).extend(values)

    def _set(self, values: list[Any]) -> None:
        if len(values) % 2 or not all(isinstance(key, str) for key in values[::2]):
            raise ValueError("a key is no text")
        _require_plain(values)
        self._top(dict).update(zip(values[::2], values[1::2], strict=True))

    def _keep(self, place: int | None) -> None:
        key = len(self._kept) if place is None else place
        value = self._stack[-1]
        if isinstance(value, _NewArray):
            value.kept_as.append(key)
        self._kept[key] = value

    def _name(self, text: str | None) -> None:
        if text is None:  # both words are on the stack
            name, module = self._popped(), self._popped()
        else:
            module, _, name = text.partition(" ")
        if not isinstance(module, str) or not isinstance(name, str):
            raise ValueError("a name is no text")
        if (module, name) not in (_ARRAY, _DTYPE, *_NEW_ARRAYS, *_NUMBERS):
            shown = f"{module[:80]}.{name[:80]}"
            raise PickledDataError(f"it names {shown!r}, which is not plain data; it was not run.")
        self._stack.append(_Named(module, name))

    def _call(self) -> None:
        """Put what a function of numpy would return on the stack."""
        arguments, function = self._popped(), self._popped()
        if not isinstance(function, _Named) or not isinstance(arguments, tuple):
            raise ValueError("something is called that is no function")
        one = (function.module, function.name)
        if one == _DTYPE:
            self._stack.append(_new_dtype(arguments))
        elif one in _NEW_ARRAYS:
            self._stack.append(_NewArray())
        elif one in _NUMBERS:
            self._stack.append(self._array((), *arguments, is_fortran=False).item())
        else:
            raise ValueError("an array is called")

    def _build(self) -> None:
        """Complete a type of numbers or an array by its state."""
        state, target = self._popped(), self._popped()
        if isinstance(target, _Dtype) and isinstance(state, tuple) and state[1] in ("<", ">", "|"):
            target.order = state[1]
            self._stack.append(target)
        elif isinstance(target, _NewArray) and isinstance(state, tuple):
            array = self._filled(*state)
            for key in target.kept_as:
                self._kept[key] = array
            target.kept_as.clear()
            self._stack.append(array)
        else:
            raise ValueError("something is filled that is no array")

    def _filled(self, version: Any, shape: Any, dtype: Any, is_fortran: Any, body: Any) -> Any:
        """Return an array of numbers, or the list of an array of objects."""
        counts = shape if isinstance(shape, tuple) else (None,)
        if version != 1 or not all(type(count) is int for count in counts):
            raise ValueError("an array has no shape")
        if isinstance(body, list):
            return body
        return self._array(counts, dtype, body, is_fortran=is_fortran is True)

    def _array(self, shape: tuple[int, ...], dtype: Any, body: Any, *, is_fortran: bool) -> Any:
        if not isinstance(body, bytes):
            raise ValueError("numbers have no bytes")
        # The same bytes may be named again and again.
        self._unpacked += len(body)
        if self._unpacked > MOST_BYTES:
            raise PickledDataError(f"its arrays have more than {MOST_BYTES:,} bytes.")
        return plain_array(_numpy_dtype(dtype), shape, body, is_fortran=is_fortran)


def _new_dtype(arguments: tuple[Any, ...]) -> _Dtype:
    code = arguments[0]
    if not isinstance(code, str) or not _PLAIN_DTYPE.fullmatch(code):
        raise PickledDataError("it has an array of something other than plain numbers.")
    return _Dtype(code)


def _numpy_dtype(dtype: Any) -> np.dtype[Any]:
    if not isinstance(dtype, _Dtype) or dtype.code == "O8":
        raise ValueError("numbers have no type")
    return np.dtype(dtype.order.replace("|", "=") + dtype.code)


def _require_plain(values: list[Any]) -> None:
    """Refuse values that only an array may be made of."""
    if any(isinstance(value, _Named | _Dtype | _NewArray) for value in values):
        raise ValueError("a piece of an array stands alone")


# Instructions whose argument is the value.
_VALUES = (
    "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE",
    "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8",
)  # fmt: skip
_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_DICT": dict,
    "EMPTY_LIST": list,
    "EMPTY_TUPLE": tuple,
    "MARK": lambda: _MARK,
}
_ACTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "TUPLE": lambda machine, _: machine._tuple(None),
    "TUPLE1": lambda machine, _: machine._tuple(1),
    "TUPLE2": lambda machine, _: machine._tuple(2),
    "TUPLE3": lambda machine, _: machine._tuple(3),
    "APPEND": lambda machine, _: machine._extend([machine._popped()]),
    "APPENDS": lambda machine, _: machine._extend(machine._marked()),
    "SETITEM": lambda machine, _: machine._set([machine._popped(), machine._popped()][::-1]),
    "SETITEMS": lambda machine, _: machine._set(machine._marked()),
    "BINPUT": lambda machine, place: machine._keep(place),
    "LONG_BINPUT": lambda machine, place: machine._keep(place),
    "MEMOIZE": lambda machine, _: machine._keep(None),
    "BINGET": lambda machine, place: machine._stack.append(machine._kept[place]),
    "LONG_BINGET": lambda machine, place: machine._stack.append(machine._kept[place]),
    "GLOBAL": lambda machine, text: machine._name(text),
    "STACK_GLOBAL": lambda machine, _: machine._name(None),
    "REDUCE": lambda machine, _: machine._call(),
    "BUILD": lambda machine, _: machine._build(),
}
