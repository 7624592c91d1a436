# SPDX-License-Identifier: Apache-2.0
"""Strict parser for untrusted JSON, with limits on depth and on the size of numbers.

Python's parser accepts duplicate names, NaN, Infinity, numbers that overflow, and integers that no
float can represent. Other parsers would read such a file differently, and arithmetic with such
values fails later. All of these are refused.
"""

from __future__ import annotations

import codecs
import json
import math
import reprlib
from typing import Any

MOST_DEPTH = 100
# Digits of an integer: enough for 128 bits, which some sources use as an id.
MOST_DIGITS = 39

_QUICK_DEPTH = 16
# Digits as 0, the letter of an exponent as e, everything else but signs as a blank.
_DIGITS = bytes(
    ord("0" if byte in b"0123456789" else "e" if byte in b"eE" else " ") for byte in range(256)
)
# What a number of too many digits, or one that overflows, has at least; or a word for such a one.
_LARGE = (b"0" * (MOST_DIGITS + 1), b"0e000")
_WORDS = (b"NaN", b"Infinity")
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b'"[]{}')


class JsonError(ValueError):
    """The bytes are not valid JSON; the message has no final period."""


def parse_json(data: bytes) -> Any:
    """Return the value of JSON bytes in UTF-8; a byte order mark is allowed.

    Raises
    ------
    JsonError
        If the bytes are not JSON, an object has a duplicate name, a number is not finite or has too
        many digits, or lists and objects are nested too deeply.
    """
    try:
        value = json.loads(
            data.removeprefix(codecs.BOM_UTF8).decode(),
            object_pairs_hook=_object_without_duplicates,
            **({} if _has_small_numbers(data) else _CAREFUL),
        )
    except RecursionError:
        raise JsonError(f"it is nested too deeply, by more than {MOST_DEPTH} levels") from None
    except UnicodeDecodeError as error:
        raise JsonError(f"it is not UTF-8: {error}") from None
    except json.JSONDecodeError as error:
        raise JsonError(str(error)) from None
    if not _has_few_levels(data):
        _require_shallow(value)
    return value


def _has_small_numbers(data: bytes) -> bool:
    """Return whether no number of the text can be too large, so that Python's own parser is right.

    Only the digits are looked at: a number below has at most 39 in a row, and two in its exponent.
    """
    digits = data.translate(_DIGITS, b"+-")
    return not any(large in digits for large in _LARGE) and not any(one in data for one in _WORDS)


def _has_few_levels(data: bytes) -> bool:
    """Return whether valid JSON is nested in few levels, by its brackets outside of texts."""
    if b"\\" in data:  # a quotation mark may be part of a text
        return False
    brackets = b"".join(data.translate(_BRACKETS, _NO_BRACKETS).split(b'"')[::2])
    for _ in range(_QUICK_DEPTH):
        brackets = brackets.replace(b"[]", b"")  # the innermost level
    return not brackets


def _refuse_constant(word: str) -> float:
    raise JsonError(f"it has {word}, which is not JSON")


def _finite_float(word: str) -> float:
    value = float(word)
    if not math.isfinite(value):
        raise JsonError(f"it has {reprlib.repr(word)}, which is not a finite number")
    return value


def _short_integer(word: str) -> int:
    if len(word.lstrip("-")) > MOST_DIGITS:
        raise JsonError(f"it has an integer of more than {MOST_DIGITS} digits")
    return int(word)


_CAREFUL: dict[str, Any] = {
    "parse_constant": _refuse_constant,
    "parse_float": _finite_float,
    "parse_int": _short_integer,
}


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise JsonError(
            f"it has the name {reprlib.repr(_first_duplicate(pairs))} twice in one place"
        )
    return found


def _first_duplicate(pairs: list[tuple[str, Any]]) -> str:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return name
        seen.add(name)
    return ""


def _require_shallow(value: Any) -> None:
    """Refuse deep nesting, level by level: later code may walk the value recursively."""
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise JsonError(f"it is nested too deeply, by more than {MOST_DEPTH} levels")
