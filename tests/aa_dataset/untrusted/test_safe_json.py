# SPDX-License-Identifier: Apache-2.0
"""Untrusted JSON: what is found by looking at the text is what every value would tell."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aa_dataset.untrusted.safe_json import JsonError, parse_json

TEXTS = st.text('ab"\\[]{}:,0e- ', max_size=6)
NUMBERS = st.one_of(
    st.integers(-(10**41), 10**41).map(str),
    st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.sampled_from(["NaN", "Infinity", "-Infinity", "1e308", "1e309", "2" * 400 + ".5"]),
)


def listed(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(TEXTS.map(json.dumps), inner).map(": ".join)
    return st.one_of(
        st.lists(inner, max_size=3).map(lambda some: f"[{','.join(some)}]"),
        st.lists(pairs, max_size=3).map(lambda some: f"{{{', '.join(some)}}}"),
    )


DOCUMENTS = st.recursive(st.one_of(NUMBERS, TEXTS.map(json.dumps)), listed, max_leaves=12)


def depth(value: object) -> int:
    """Return how deep lists and objects are nested."""
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth, value.values() if isinstance(value, dict) else value), default=0)


def refused(text: str) -> bool:
    """Return what the rules say, looked up value by value in Python's own reading."""
    wrong = []

    def whole(word: str) -> int:
        wrong.append(len(word.lstrip("-")) > 39)
        return 0

    def real(word: str) -> float:
        wrong.append(not math.isfinite(float(word)))
        return 0.0

    def names(pairs: list[tuple[str, object]]) -> dict[str, object]:
        wrong.append(len({name for name, _ in pairs}) < len(pairs))
        return dict(pairs)

    value = json.loads(
        text, parse_int=whole, parse_float=real, parse_constant=real, object_pairs_hook=names
    )
    return any(wrong) or depth(value) > 100


@settings(max_examples=400)
@given(DOCUMENTS)
@example('{"a":1,"a":1}')
@example('["\\"", [[[]]]]')
@example('["]", ["[", {"}": 1e-05}]]')
@example("1" + "0" * 39)
@example("1" * 39)
@example("[1e999, 0.5e-3]")
@example("0." + "3" * 60)
def test_the_same_texts_are_refused_and_the_others_have_the_same_value(text: str) -> None:
    if refused(text):
        with pytest.raises(JsonError):
            parse_json(text.encode())
    else:
        assert repr(parse_json(text.encode())) == repr(json.loads(text))


@pytest.mark.parametrize("levels", [1, 15, 16, 17, 99, 100, 101, 102, 5000])
@pytest.mark.parametrize("text", ["", '"]]"', '"\\""', '"[["'])
def test_a_hundred_levels_are_enough(levels: int, text: str) -> None:
    """Brackets in texts count for nothing, whether or not a backslash makes them hard to find."""
    data = ("[" * levels + text + "]" * levels).encode()
    if levels > 100:
        with pytest.raises(JsonError, match="nested too deeply, by more than 100 levels"):
            parse_json(data)
    else:
        assert depth(parse_json(data)) == levels


def test_brackets_in_texts_do_not_hide_levels() -> None:
    """Without the quotation marks, these brackets would be in few levels."""
    data = b'["]", ' * 150 + b"0" + b', "["]' * 150
    with pytest.raises(JsonError, match="nested too deeply"):
        parse_json(data)
