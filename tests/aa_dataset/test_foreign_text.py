# SPDX-License-Identifier: Apache-2.0
"""Untrusted text stays text: in Markdown, YAML, tab-separated files and terminals."""

from __future__ import annotations

import json
import re
import sys
import unicodedata

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.cli.terminal import say_json
from aa_dataset.untrusted.foreign_text import (
    UNPRINTABLE,
    markdown_cell,
    one_line,
    plain_line,
    terminal_line,
    terminal_text,
    yaml_text,
)

NASTY = [
    "a\n\n# title\n", "a | b", "| x |\n|---|\n", "<script>alert(1)</script>", "![x](http://e/x.png)",
    "[x](javascript:alert(1))", "**bold**", "`code`", "a\r\nlicense: mit", "\x1b[2J\x1b]0;x\x07",
    "x\u202ey", "a\u2028b", "\\|", "$x$", "~~x~~", "&lt;b&gt;", "a\x85b", "it's \"q\": {a: [1]}",
    "https://e.org", "WWW.e.org", "me@e.org", "@me", "x\u200by", "\ufeffx", "x\U000e0041y",
]  # fmt: skip
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(max_size=40))
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@given(TEXTS)
def test_a_markdown_cell_is_one_cell_without_markup(text: str) -> None:
    cell = markdown_cell(text)
    assert not CONTROL.search(cell)
    bare = re.sub(r"<span>[:@.]</span>", " ", re.sub(r"\\[\\`*_\[\]|~$]", "", cell))
    assert not re.search(r"(?i)://|www\.|@", bare)
    assert not re.search(r"[|`*\[\]<>~$\\]", bare)
    assert not re.search(r"(^|\W)_|_(\W|$)", bare)


@given(TEXTS)
def test_yaml_gives_the_text_back(text: str) -> None:
    line = yaml_text(text)
    assert "\n" not in line
    assert yaml.safe_load(f"license: {line}\nnext: 1") == {"license": text, "next": 1}


@pytest.mark.parametrize("word", ["cc0-1.0", "mit", "apache-2.0", "other", "cc-by-4.0"])
def test_licenses_are_unchanged_in_yaml(word: str) -> None:
    assert yaml_text(word) == word


@pytest.mark.parametrize("word", ["no", "null", "1.0", "1e5", "2020-01-01", "true", "~", ""])
def test_words_that_yaml_takes_for_something_else_are_quoted(word: str) -> None:
    assert yaml.safe_load(yaml_text(word)) == word


@given(TEXTS)
def test_foreign_text_is_one_line_without_terminal_commands(text: str) -> None:
    for line in (one_line(text), plain_line(text), terminal_line(text)):
        assert not CONTROL.search(line)
        assert "\t" not in line
    assert not CONTROL.search(terminal_text(text).replace("\n", ""))


def test_ordinary_words_stay_as_they_are() -> None:
    for text in ("Vikash Kumar, furniture_sim (2020)", "CC-BY-4.0", "Müller: 家具"):
        assert markdown_cell(text) == plain_line(text) == terminal_line(text) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("https://example.org/a-b", "https<span>:</span>//example.org/a-b"),
        ("Www.example.org", "Www<span>.</span>example.org"),
        ("@name, me@example.org", "<span>@</span>name, me<span>@</span>example.org"),
    ],
)
def test_an_address_becomes_no_link_by_itself(text: str, cell: str) -> None:
    assert markdown_cell(text) == cell and plain_line(text) == text


def test_every_invisible_character_is_caught() -> None:
    hidden = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
    signs = [chr(code) for code in range(sys.maxunicode + 1)]
    passed = [s for s in signs if unicodedata.category(s) in hidden and not UNPRINTABLE.match(s)]
    assert passed == []
    caught = [s for s in signs if UNPRINTABLE.match(s) and s < "\U000e0000"]
    assert {unicodedata.category(s) for s in caught} <= {*hidden, "Cn", "Mn"}  # none to read


def test_json_on_a_terminal_gives_hidden_characters_back(
    capsys: pytest.CaptureFixture[str],
) -> None:
    value = {"name": "a\u202eb\U000e0041c\u200bd"}
    say_json(value)
    shown = capsys.readouterr().out
    assert shown.isascii() and json.loads(shown) == value
