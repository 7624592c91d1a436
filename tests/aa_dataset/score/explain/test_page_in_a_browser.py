# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: it works from a file, and nothing of a prediction runs in it."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from aa_dataset.score.explain.picture import object_svg
from aa_dataset.score.explain.run import explain_object, result_page
from aa_dataset.untrusted.foreign_text import UNPRINTABLE

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
needs_browser = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")
HOSTILE = "</script><img src=x onerror=document.title='owned'>"
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n')


class Elements(HTMLParser):
    """Every element and attribute of a page, and its text outside of style and script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.text = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self._inside = tag
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside not in ("style", "script"):
            self.text += data


@pytest.fixture(scope="module")
def text(result, dataset, predictions):
    return result_page(result, dataset, predictions)


def test_the_page_is_elements_of_ours_and_no_address(text):
    page = Elements(text)
    assert page.tags == {
        "html", "head", "meta", "title", "style", "body", "h1", "dl", "dt", "dd", "p", "ul", "li",
        "div", "label", "input", "select", "option", "output", "span", "main", "details", "summary",
        "section", "table", "caption", "thead", "tbody", "tr", "th", "td", "b", "br", "code",
        "data", "figure", "figcaption", "svg", "g", "rect", "circle", "text", "path", "script",
    }  # fmt: skip
    assert not [name for name in page.attributes if name.startswith("on") or name == "style"]
    assert not {"src", "href", "srcset", "action", "xlink:href"} & page.attributes.keys()
    assert set(re.findall(r"https?://[^\"' ]*", text)) == {"http://www.w3.org/2000/svg"}
    assert HOSTILE in page.text and not UNPRINTABLE.search(page.text.replace("\n", ""))


def test_the_policy_names_the_style_and_the_script_of_the_page(text):
    (policy,) = re.findall(r'Security-Policy" content="([^"]*)"', text)
    style = re.findall(r"<style>(.*?)</style>", text, re.S)
    script = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert len(style) == len(script) == 1
    for kind, content in (("style", style[0]), ("script", script[0])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; img-src data:; ")
    assert "unsafe" not in policy


def opened(text: str, folder: Path) -> tuple[str, str]:
    """Return what a browser makes of a page, and what it complains about."""
    page = folder / "page.html"
    page.write_text(text)
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        "--disable-dev-shm-usage", "--enable-logging=stderr", "--virtual-time-budget=5000",
        f"--user-data-dir={folder / 'profile'}", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=True,
        env={**os.environ, "HOME": str(folder)},
    )  # fmt: skip
    return done.stdout, done.stderr


def title_of(text: str) -> str:
    (title,) = re.findall("<title>(.*?)</title>", text.partition("</head>")[0])
    return title


@needs_browser
def test_the_page_opens_from_a_file_and_its_script_runs(text, tmp_path):
    dom, complaints = opened(text, tmp_path)
    assert ">5 of 5 shown</output>" in dom and '<div class="tools">' in dom
    assert "Content Security Policy" not in complaints
    assert title_of(dom) == title_of(text) != "owned"


@needs_browser
def test_a_name_that_got_past_the_escaping_would_not_run(text, tmp_path):
    """The policy is the second wall; without it the same page shows that the attack works."""
    broken = text.replace("<main", "<script>document.title = 'owned'</script><main", 1)
    dom, complaints = opened(broken, tmp_path)
    assert title_of(dom) != "owned" and "Content Security Policy" in complaints
    dom, _ = opened(POLICY.sub("", broken), tmp_path)
    assert title_of(dom) == "owned"


@needs_browser
def test_filter_status_and_sort(text, tmp_path):
    driver = """<script>
      const set = (id, value, kind) => {
        const node = document.getElementById(id);
        node.value = value;
        node.dispatchEvent(new Event(kind));
      };
      const shown = () => document.querySelectorAll(".object:not([hidden])");
      const visible = () => [...shown()].map((x) => x.id).join(" ");
      const seen = [];
      set("sort", "text", "change"); seen.push(visible());
      set("sort", "tree", "change");
      set("filter", "CABINET missing", "input"); seen.push(visible());
      set("filter", "", "input");
      set("status", "unreadable", "change"); seen.push(visible());
      document.title = seen.join("|");
    </script></body>"""
    dom, _ = opened(POLICY.sub("", text).replace("</body>", driver), tmp_path)
    assert title_of(dom).split("|") == [
        "generated-cabinet generated-jar generated-lamp local-plain local-stool",
        "local-plain",
        "local-stool",
    ]


@needs_browser
def test_a_picture_is_drawn_by_the_browser(dataset, predictions, tmp_path):
    svg = tmp_path / "object.svg"
    svg.write_text(object_svg(explain_object(dataset["generated-cabinet"], predictions)))
    shot = tmp_path / "object.png"
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        "--disable-dev-shm-usage", f"--user-data-dir={tmp_path / 'profile'}",
        "--window-size=900,400", f"--screenshot={shot}", svg.as_uri(),
    ]  # fmt: skip
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    image = pytest.importorskip("PIL.Image").open(shot).convert("RGB")
    colors = {color for _, color in image.getcolors(maxcolors=1 << 20)}
    for shade in ("0072b2", "b87500", "d55e00"):  # a pair that succeeds, one that fails, one alone
        assert tuple(bytes.fromhex(shade)) in colors
