# SPDX-License-Identifier: Apache-2.0
"""Changes bytes in the ways that break readers; the same seed makes the same bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

MOST_BYTES = 40_000
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_WORD = re.compile(rb"[A-Za-z_]\w*")
ODD_NUMBERS = (
    b"0", b"-1", b"1", b"1e999", b"nan", b"-inf", b"9" * 400, b"9" * 20, b"-9223372036854775808",
    b"4294967295", b"1e-320", b"1_0", b"", b"0x10", b"1e12", b"99999",
)  # fmt: skip
TOKENS = (
    b"\\", b"\\\n", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"<!--", b"<?", b"]]>", b"&lt;", b"&x;",
    b"..", b"../../etc/passwd", b"/", b"#", b"\r", b"\t", b'"', b"{", b"[", b"\x1b[2J", b"\xed\xa0",
    b"usemtl m\n", b"f -1 -2 -3\n", b"v \n", b"null", b"true", b"<include ", b"%s", b"*a", b"&a ",
)  # fmt: skip

Change = Callable[[random.Random, bytes], bytes]


def mutated(seeds: Sequence[bytes], key: str) -> bytes:
    """Return a changed seed; `key` alone decides which and how."""
    draw = random.Random(key)
    data = draw.choice(seeds)
    for _ in range(draw.randint(0, 4)):
        data = draw.choice(CHANGES)(draw, data)[:MOST_BYTES]
    if draw.random() < 0.1:
        other = draw.choice(seeds)
        data = data[: draw.randint(0, len(data))] + other[draw.randint(0, len(other)) :]
    return data


def _place(draw: random.Random, data: bytes) -> int:
    return draw.randint(0, len(data))


def _flip(draw: random.Random, data: bytes) -> bytes:
    if not data:
        return data
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << draw.randrange(8))]) + data[place + 1 :]


def _cut(draw: random.Random, data: bytes) -> bytes:
    start = _place(draw, data)
    return data[:start] + data[start + draw.randint(1, 60) :]


def _end(draw: random.Random, data: bytes) -> bytes:
    return data[: _place(draw, data)]


def _repeat(draw: random.Random, data: bytes) -> bytes:
    start = _place(draw, data)
    part = data[start : start + draw.randint(1, 40)]
    return data[:start] + part * draw.choice([2, 10, 500]) + data[start:]


def _insert(draw: random.Random, data: bytes) -> bytes:
    start = _place(draw, data)
    return data[:start] + draw.choice(TOKENS) * draw.choice([1, 1, 1, 200]) + data[start:]


def _number(draw: random.Random, data: bytes) -> bytes:
    return _replaced(draw, data, _NUMBER, draw.choice(ODD_NUMBERS))


def _word(draw: random.Random, data: bytes) -> bytes:
    words = _WORD.findall(data) or [b"x"]
    return _replaced(draw, data, _WORD, draw.choice(words))


def _replaced(draw: random.Random, data: bytes, what: re.Pattern[bytes], new: bytes) -> bytes:
    places = [found.span() for found in what.finditer(data)]
    if not places:
        return data
    start, end = draw.choice(places)
    return data[:start] + new + data[end:]


def _random(draw: random.Random, data: bytes) -> bytes:
    start = _place(draw, data)
    return data[:start] + draw.randbytes(draw.randint(1, 8)) + data[start:]


CHANGES: tuple[Change, ...] = (
    _flip, _cut, _end, _repeat, _insert, _number, _number, _number, _word, _word, _random,
)  # fmt: skip
