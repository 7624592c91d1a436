# SPDX-License-Identifier: Apache-2.0
"""Builds the site as `make docs` does and follows every link inside it."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from aa_dataset.format.schema import TABLES
from tests.kit.places import REPOSITORY
from tests.kit.shared import made_once

# What a browser loads by itself, as opposed to a link that a reader may follow.
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """Anchors, links and loaded files of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value for key, value in attrs if value}
        self.anchors |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADED and LOADED[tag] in found:
            self.loaded.append(found[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="the extra `docs` is not installed")
    pytest.importorskip("furo", reason="the extra `docs` is not installed")
    return made_once(tmp_path_factory, "site", build_site)


def build_site(folder: Path) -> None:
    line = re.search(r"^docs: .*\n\t@\$\(BIN\)/python (.*) docs site$", makefile(), re.M)
    assert line is not None, "the Makefile builds the site in another way"
    command = [sys.executable, *line[1].split(), str(REPOSITORY / "docs"), str(folder)]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def makefile() -> str:
    return (REPOSITORY / "Makefile").read_text()


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def test_every_link_leads_to_a_file_and_an_anchor(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "data"):
                continue
            assert not parts.path.startswith("/"), (path, link)  # would not work from files
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), (path, link)
            if parts.fragment and target.suffix == ".html":
                assert unquote(parts.fragment) in pages[target].anchors | {"top"}, (path, link)


def test_pages_load_nothing_from_the_network(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        for address in page.loaded:
            assert not urlsplit(address).netloc, (path, address)
    for path in site.rglob("*.css"):
        for address in re.findall(r"(?:url\(|@import )[\"']?([^\"')\s]+)", path.read_text()):
            assert urlsplit(address).scheme in ("", "data"), (path, address)


def test_every_column_is_on_the_page_of_the_format(site: Path) -> None:
    text = (site / "format.html").read_text()
    for schema in TABLES.values():
        for field in schema:
            assert f">{field.name}<" in text, field.name


def test_every_formula_is_drawn(site: Path) -> None:
    text = (site / "metric.html").read_text()
    assert text.count("<math ") > 20
    assert "$" not in re.sub(r"<(script|style|pre|svg).*?</\1>", "", text, flags=re.S)


def test_no_source_is_lacking(site: Path) -> None:
    from pipeline.engine.config import load_sources

    text = (site / "sources.html").read_text()
    assert all(f">{name}<" in text for name in load_sources())
