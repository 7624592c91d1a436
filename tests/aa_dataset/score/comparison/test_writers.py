# SPDX-License-Identifier: Apache-2.0
"""Every format: complete, escaped, the same bytes twice, and valid."""

from __future__ import annotations

import csv
import functools
import io
import json
import math
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from aa_dataset.score.comparison.writers.files import WRITERS, write_comparison
from aa_dataset.score.comparison.writers.html import html_text
from aa_dataset.score.comparison.writers.latex import escaped, latex_text
from aa_dataset.score.comparison.writers.machine import CSV_COLUMNS, csv_text, json_text
from aa_dataset.score.comparison.writers.markdown import markdown_text
from aa_dataset.score.comparison.writers.text import text_lines
from tests.aa_dataset.score.comparison.results import compared, simple

HOSTILE = (
    r"\input{/etc/passwd} $x$ 100% a_b^c~d #1 & {",
    '<script>alert(1)</script> "quoted" | `code` [link](http://example.org)',
    "=HYPERLINK(1)\n\r\x1b[31mred \u202ereversed \ud800 日本 é ł ß \U0001f600",
    "-- '' ,, !` ?` <<",
)


@functools.cache
def hostile_report(copy=0):
    """Return a report that was computed once for every number of a copy."""
    results = [
        simple(name, {"x": 0.1 + 0.1 * k, "<y>&_": 0.5, "z": None if k else 0.2},
               method={"reference": name, "inputs": name})
        for k, name in enumerate(HOSTILE)
    ]  # fmt: skip
    return compared(*results, published=True)


def every_text():
    texts = {name: write(hostile_report()) for name, (_, write) in WRITERS.items()}
    return texts | {"text": "\n".join(text_lines(hostile_report()))}


@pytest.mark.parametrize("name", [*WRITERS, "text"])
def test_equal_reports_give_equal_text_without_control_characters(name):
    text = every_text()[name]
    other = hostile_report(copy=1)
    again = WRITERS[name][1](other) if name in WRITERS else "\n".join(text_lines(other))
    assert text == again
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e\ud800]", text)
    text.encode()


def test_the_files_are_those_of_the_formats(tmp_path):
    names = write_comparison(hostile_report(), tmp_path / "out")
    assert sorted(names) == sorted(path.name for path in (tmp_path / "out").iterdir())
    first = [(tmp_path / "out" / name).read_bytes() for name in names]
    write_comparison(hostile_report(copy=1), tmp_path / "out")
    assert first == [(tmp_path / "out" / name).read_bytes() for name in names]


def test_a_terminal_of_80_columns_is_wide_enough():
    many = [
        simple(f"a method with a rather long name, number {k}", {"x": 0.1 * k, "y": 1000.0 * k})
        for k in range(12)
    ]
    for report in (hostile_report(), compared(*many, published=True)):
        assert max(map(len, text_lines(report))) <= 80
    lines = text_lines(compared(*many))
    assert sum("a method with a rather" in line for line in lines) > 12


def test_the_terminal_keeps_short_names_whole():
    lines = text_lines(compared(simple("short", {"x": 0.25}), simple("other", {"x": 0.75})))
    start = lines.index("Main table")
    assert any(re.match(r"short +100\.0 +0\.0\*", line) for line in lines[start:])
    assert any(re.search(r"0\.250\*", line) for line in lines[start:])


# Markdown


def test_markdown_tables_are_rectangular_and_foreign_text_has_no_markup():
    blocks = re.findall(r"(?:^\|.*\n)+", markdown_text(hostile_report()), re.M)
    assert len(blocks) == 1 + sum(len(s.tables) for s in hostile_report().sections)
    for block in blocks:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block
    assert "<script>" not in markdown_text(hostile_report())
    assert not re.search(r"(?<!\\)\]\(", markdown_text(hostile_report()))


def test_the_best_value_is_bold_in_markdown():
    text = markdown_text(compared(simple("a", {"x": 0.25}), simple("b", {"x": 0.75})))
    assert re.search(r"^\| a \|.*\*\*0\.250\*\*", text, re.M)
    assert not re.search(r"^\| b \|.*\*\*0\.750\*\*", text, re.M)


# LaTeX


def test_foreign_text_is_ascii_and_names_no_command():
    for name in HOSTILE:
        text = escaped(name)
        assert text.isascii()
        commands = set(re.findall(r"\\([A-Za-z]+)", text))
        known = {"backslash", "textasciicircum", "textasciitilde", "textquoteleft", "texttt"}
        assert commands <= known | {"char", "ss", "l"}
    assert escaped("é ł ß 日") == r"\'{e} \l{} \ss{} \texttt{U+65E5}"
    assert escaped("a--b''") == "a-{}-b'{}'"
    assert escaped("ï") == r"\"{\i }"


def test_latex_is_balanced_and_its_rows_have_as_many_cells_as_columns():
    text = latex_text(hostile_report())
    assert text.isascii()
    plain = re.sub(r"\\[{}\\$&%#_]", "", text)
    depth = 0
    for character in plain:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    for begun, ended in (("table", "table"), ("tabular", "tabular"), ("document", "document")):
        assert text.count(rf"\begin{{{begun}}}") == text.count(rf"\end{{{ended}}}") > 0
    bodies = re.findall(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}(.*?)\\end\{tabular\}", text, re.S)
    for columns, body in bodies:
        for line in body.splitlines():
            if line.endswith(r"\\"):
                spans = [int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line)]
                cells = len(re.findall(r"(?<!\\)&", line)) + 1 + sum(spans)
                assert cells == len(columns), line


def test_labels_are_unique_and_shading_is_never_on_marked_rows():
    text = latex_text(hostile_report())
    labels = re.findall(r"\\label\{(.*?)\}", text)
    assert len(labels) == len(set(labels)) > 4
    shaded = [line for line in text.splitlines() if r"\cellcolor{aabest}" in line]
    assert shaded
    assert not any("dagger" in line.split("&")[0] for line in shaded)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_document_compiles(tmp_path):
    (tmp_path / "compare.tex").write_text(latex_text(hostile_report()))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "compare.tex"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    assert (tmp_path / "compare.pdf").stat().st_size > 10_000


# CSV and JSON


def test_csv_has_one_line_per_entry_and_no_formula():
    rows = list(csv.DictReader(io.StringIO(csv_text(hostile_report()))))
    tables = [hostile_report().methods, *(t for s in hostile_report().sections for t in s.tables)]
    assert len(rows) == sum(len(t.rows) * len(t.columns) for t in tables)
    assert tuple(rows[0]) == CSV_COLUMNS
    assert not any(row[key][:1] in tuple("=@+") for row in rows for key in ("name", "other_name"))
    for row in rows:
        if row["low"]:
            assert float(row["low"]) <= float(row["high"])
    assert {row["kind"] for row in rows if row["best"]} == {"own"}


def test_json_has_the_numbers_of_the_tables():
    data = json.loads(json_text(hostile_report()))
    for section, read in zip(hostile_report().sections, data["sections"], strict=True):
        for table, found in zip(section.tables, read["tables"], strict=True):
            for line, row in zip(table.rows, found["rows"], strict=True):
                for cell, entry in zip(line.cells, row["cells"], strict=True):
                    is_nan = isinstance(cell.value, float) and math.isnan(cell.value)
                    assert entry["value"] == (None if is_nan else cell.value)
    assert json_text(hostile_report()).isascii()


# HTML


class Page(HTMLParser):
    """Tags, their attributes, and how deep they are nested."""

    VOID = ("meta", "br", "line", "polygon", "polyline")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@functools.cache
def page():
    return Page(html_text(hostile_report()))


def test_the_page_is_well_formed_and_loads_nothing():
    assert page().open == []
    for tag, attributes in page().tags:
        assert tag in {
            "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "nav", "ul",
            "li", "a", "details", "summary", "dl", "dt", "dd", "div", "table", "thead", "tbody",
            "tr", "th", "td", "button", "span", "br", "i", "sub", "sup", "figure", "figcaption",
            "svg", "line", "text", "polygon", "polyline", "script",
        }  # fmt: skip
        assert not {"src", "srcset", "onclick", "onload", "action"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")
    assert sum(tag == "script" for tag, _ in page().tags) == 1
    assert "http:" not in re.sub(r"\(http://example.org\)", "", html_text(hostile_report()))
    policy = [a["content"] for t, a in page().tags if a.get("http-equiv")]
    assert policy[0].startswith("default-src 'none'")


def test_links_of_the_page_lead_to_its_tables():
    ids = [a["id"] for _, a in page().tags if "id" in a]
    assert len(ids) == len(set(ids))
    links = [a["href"] for t, a in page().tags if t == "a"]
    assert len(links) == sum(len(section.tables) for section in hostile_report().sections)
    assert {link[1:] for link in links} <= set(ids)


def test_every_column_can_be_sorted_with_the_keyboard():
    heads = [a for t, a in page().tags if t == "th" and a.get("scope") == "col"]
    buttons = [a for t, a in page().tags if t == "button"]
    assert len(heads) == len(buttons) > 0
    assert all(head["aria-sort"] == "none" for head in heads)
    assert all(button["type"] == "button" for button in buttons)


def test_published_rows_are_a_body_of_their_own():
    text = html_text(hostile_report())
    bodies = re.findall(r'<tbody class="published">(.*?)</tbody>', text, re.S)
    assert len(bodies) == 4
    assert all("‡ Published by others" in body and 'class="best"' not in body for body in bodies)
