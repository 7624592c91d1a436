# SPDX-License-Identifier: Apache-2.0
"""Text of strangers stays text: in Markdown, HTML, YAML, tab-separated files and terminals."""

from __future__ import annotations

import html.parser
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.foreign_text import (
    html_text,
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
]  # fmt: skip
TEXTS = st.one_of(st.sampled_from(NASTY), st.text(max_size=40))
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@given(TEXTS)
def test_a_markdown_cell_is_one_cell_without_markup(text: str) -> None:
    cell = markdown_cell(text)
    assert not CONTROL.search(cell)
    bare = re.sub(r"\\[\\`*_\[\]|~$]", "", cell)
    assert not re.search(r"[|`*\[\]<>~$\\]", bare)
    assert not re.search(r"(^|\W)_|_(\W|$)", bare)


@given(TEXTS)
def test_html_is_text_alone(text: str) -> None:
    seen: list[str] = []

    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            seen.append(f"<{tag}>")

        def handle_data(self, data: str) -> None:
            seen.append(data)

    parser = Parser()
    parser.feed(f"<p>{html_text(text)}</p>")
    parser.close()
    assert seen == ["<p>", *([plain_line(text)] if plain_line(text) else [])]


@given(TEXTS)
def test_yaml_gives_the_text_back(text: str) -> None:
    line = yaml_text(text)
    assert "\n" not in line
    assert yaml.safe_load(f"license: {line}\nnext: 1") == {"license": text, "next": 1}


@pytest.mark.parametrize("word", ["cc0-1.0", "mit", "apache-2.0", "other", "cc-by-4.0"])
def test_licenses_stand_in_yaml_as_they_are(word: str) -> None:
    assert yaml_text(word) == word


@pytest.mark.parametrize("word", ["no", "null", "1.0", "1e5", "2020-01-01", "true", "~", ""])
def test_words_that_yaml_takes_for_something_else_are_quoted(word: str) -> None:
    assert yaml.safe_load(yaml_text(word)) == word


@given(TEXTS)
def test_a_line_is_one_line_and_a_terminal_obeys_nothing(text: str) -> None:
    for line in (one_line(text), plain_line(text), terminal_line(text)):
        assert not CONTROL.search(line)
        assert "\t" not in line
    assert not CONTROL.search(terminal_text(text).replace("\n", ""))


def test_ordinary_words_stay_as_they_are() -> None:
    for text in ("Vikash Kumar, furniture_sim (2020)", "CC-BY-4.0", "https://example.org/a-b"):
        assert markdown_cell(text) == plain_line(text) == terminal_line(text) == text
