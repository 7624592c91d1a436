# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser, opened from a file without a network."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import Any

import pytest
from PIL import Image

from pipeline.base.layout import ReportLayout
from pipeline.stages.report.paper import compare_with_paper
from pipeline.stages.report.tables import read_tables
from tests.browser import SMALL, until
from tests.kit.many_objects import HOSTILE, write_many
from tests.kit.reports import rows, write_report

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
READY = "html[data-ready]"
TYPES = ("revolute", "continuous", "prismatic", "helical", "fixed")
EXAMPLE = "alpha-o00003"  # a row with findings, joints and all pictures


@pytest.fixture(scope="module")
def objects(library):
    """Return the objects as the tests judge them: a row with findings and splits."""
    found = {row["object_id"]: row | {"codes": set(), "splits": set()}
             for row in rows(library, "objects")}  # fmt: skip
    for table, name, key in (("findings", "code", "codes"), ("splits", "split", "splits")):
        for row in rows(library, table):
            found[row["object_id"]][key].add(row[name])
    return list(found.values())


@pytest.fixture
def page(open_page, report):
    made = open_page(report.page)
    made.wait_for_selector(READY)
    return made


def count_of(page: Any) -> int:
    """Return how many objects the page says it shows."""
    return int(page.locator("#count").inner_text().split()[0].replace(",", ""))


def choose(page: Any, name: str, value: str) -> None:
    page.locator(f"#filter-{name}").select_option(value)


def shown(page: Any, most: int = 8) -> list[str]:
    """Return the ids of the first tiles, in order."""
    links = page.locator(".cell a").evaluate_all("links => links.map((a) => a.hash)")
    return [link.removeprefix("#object=") for link in links[:most]]


def test_the_page_opens_from_a_file_with_the_numbers_of_the_tables(page, library, report):
    tables = read_tables(library, library / "none")
    assert count_of(page) == len(rows(library, "objects")) == 2000
    numbers = page.locator(".numbers li").all_inner_texts()
    joints = sum(row["type"] != "fixed" for row in rows(library, "joints"))
    assert "2,000 of 19,977 objects" in numbers and f"{joints:,} movable joints" in numbers
    page.locator('nav a[href="#paper"]').click()
    lines = page.locator("table.paper tbody tr:has(td)").all_inner_texts()
    expected = [
        f"{row.quantity}\t{row.paper:,}\t{row.ours:,}\t{row.ours - row.paper:+,}"
        for row in compare_with_paper(tables)
    ]
    told = [line.replace("\N{MINUS SIGN}", "-") for line in lines]
    assert told == [line.removesuffix("+0") + "0" * line.endswith("\t+0") for line in expected]
    page.locator('nav a[href="#figures"]').click()
    width = "async (one) => { await one.decode(); return one.naturalWidth; }"
    widths = f"all => Promise.all(all.map({width}))"
    pictures = page.locator("figure img")
    pictures.evaluate_all("pictures => pictures.forEach((one) => { one.loading = 'eager'; })")
    assert pictures.count() and all(width > 100 for width in pictures.evaluate_all(widths))


def test_search_finds_words_of_name_description_and_category(page, objects):
    names = ("name", "description", "category", "object_id")
    raw = [" ".join(row[name] for name in names).lower() for row in objects]
    texts = [f"{text} {text.replace('_', ' ')}" for text in raw]
    for text in ("bottle", "CAP unscrews", "kind 007", "Kind_007", "door 1", "o0199", "no such"):
        page.locator("#search").fill(text)
        fits = [all(word in one for word in text.lower().split()) for one in texts]
        assert count_of(page) == sum(fits), text
    assert page.locator("#nothing").inner_text().startswith("No object fits")


def test_every_value_of_every_filter_shows_its_objects(page, objects):
    tests = {
        "supercategory": lambda row, value: row["supercategory"] == value,
        "category": lambda row, value: row["category"] == value,
        "source": lambda row, value: row["source"] == value,
        "license": lambda row, value: row["license"] == value,
        "type": lambda row, value: row[f"joints_{value}"] > 0,
        "split": lambda row, value: value in row["splits"],
        "finding": lambda row, value: value in (row["codes"] or {"none"}),
        "metric": lambda row, value: row["is_metric"] == (value == "yes"),
    }  # fmt: skip
    read = "select => [...select.options].map((one) => [one.value, one.textContent])"
    for name, fits in tests.items():
        options = page.locator(f"#filter-{name}").evaluate(read)
        assert len(options) > 2
        for value, label in options[1:]:
            choose(page, name, value)
            expected = sum(fits(row, value) for row in objects)
            assert count_of(page) == expected and f"({expected:,})" in label, (name, value)
        choose(page, name, "")
    for low, high in ((2, 3), (4, None), (None, 0)):
        page.locator("#filter-from").fill("" if low is None else str(low))
        page.locator("#filter-to").fill("" if high is None else str(high))
        expected = sum(
            (low or 0) <= row["joints_movable"] <= (99 if high is None else high) for row in objects
        )
        assert count_of(page) == expected


def test_filters_work_together_and_the_address_brings_them_back(page, open_page, report, objects):
    page.locator("#search").fill("a")
    choose(page, "supercategory", "Group 3")
    offered = page.locator("#filter-category option").count() - 1
    assert offered == len({r["category"] for r in objects if r["supercategory"] == "Group 3"})
    choose(page, "license", "CC0-1.0")
    choose(page, "type", "prismatic")
    page.locator("#sort").select_option("joints")
    until(page, "location.hash.includes('sort=joints')")
    expected = count_of(page)
    assert 0 < expected < 200 and page.locator("#active").inner_text() == "3"
    again = open_page(report.page, page.evaluate("location.hash.slice(1)"))
    again.wait_for_selector(READY)
    assert count_of(again) == expected and shown(again) == shown(page)
    again.locator("#clear").click()
    assert count_of(again) == len(objects)


def test_sorts(page, objects):
    by_id = {row["object_id"]: row for row in objects}
    diagonal = {key: sum(x * x for x in row["extents"]) ** 0.5 for key, row in by_id.items()}
    keys = {
        "joints": lambda key: -by_id[key]["joints_movable"],
        "depth": lambda key: -by_id[key]["depth"],
        "largest": lambda key: -float(f"{diagonal[key]:.3g}"),
        "smallest": lambda key: float(f"{diagonal[key]:.3g}"),
        "findings": lambda key: -len(by_id[key]["codes"]),
        "id": lambda key: key,
        "category": lambda key: (by_id[key]["supercategory"], by_id[key]["category"]),
    }
    for name, key in keys.items():
        page.locator("#sort").select_option(name)
        values = [key(one) for one in shown(page)]
        assert values == sorted(map(key, by_id))[: len(values)], name
    page.locator("#sort").select_option("name")
    names = [by_id[key]["name"] for key in shown(page)]
    assert names[0] == HOSTILE and names[1:] == sorted(names[1:], key=lambda text: text.split()[:2])


def test_the_large_view_tells_what_the_tables_say(page, library, objects):
    page.evaluate(f"location.hash = 'object={EXAMPLE}'")
    page.wait_for_selector("#object[open] section")
    (row,) = (row for row in objects if row["object_id"] == EXAMPLE)
    text = page.locator("#object-body").inner_text()
    for told in (row["name"], EXAMPLE, row["license"], row["attribution"], row["content_sha256"]):
        assert told in text
    joints = [one for one in rows(library, "joints") if one["object_id"] == EXAMPLE]
    table = page.locator("section:has(h3:has-text('Joints')) tbody tr")
    assert table.count() == len(joints)
    assert Counter(one["type"] for one in joints) == Counter(
        cell.strip() for cell in page.locator("td.type").all_inner_texts()
    )
    cards = page.locator(".tree svg g > title").evaluate_all("all => all.map((e) => e.textContent)")
    assert len(cards) == len(joints) + 1
    codes = page.locator("section:has(h3:has-text('Findings')) td:nth-child(2)").all_inner_texts()
    assert set(codes) == row["codes"]
    for name, value in row["provenance"]:
        assert value in text and name.replace("_", " ") in text
    for button in page.locator(".choice button").all():
        button.click()
        until(page, "document.querySelector('.stage img')?.naturalWidth > 0")
    assert page.locator(".choice button").count() == 4


def test_an_address_opens_its_object_and_back_closes_it(open_page, report):
    page = open_page(report.page, f"object={EXAMPLE}")
    page.wait_for_selector("#object[open] section")
    page.keyboard.press("Escape")
    until(page, "!location.hash.includes('object')")
    page.locator(".cell a").nth(1).click()
    page.wait_for_selector("#object[open] section")
    assert page.evaluate("location.hash").startswith("#object=")
    page.go_back()
    until(page, "!document.getElementById('object').open")
    page.evaluate("location.hash = 'object=nobody'")
    page.wait_for_selector("#unknown:not([hidden])")
    assert "no object nobody" in page.locator("#unknown").inner_text()


def test_the_keyboard_alone_is_enough(page):
    focused = "document.activeElement.closest('.cell')?.getAttribute('aria-posinset')"
    page.keyboard.press("/")
    page.keyboard.type("bottle")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "1"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(focused) == "3"
    page.keyboard.press("Enter")
    page.wait_for_selector("#object[open] section")
    assert page.locator("#place").inner_text().startswith("3 of ")
    page.keyboard.press("ArrowRight")
    until(page, "document.getElementById('place').textContent.startsWith('4 of ')")
    page.keyboard.press("Escape")
    until(page, f"{focused} === '4'")
    page.keyboard.press("End")
    last = count_of(page)
    until(page, f"{focused} === '{last}'")
    page.keyboard.press("Home")
    until(page, f"{focused} === '1'")


def test_all_controls_are_reached_with_tab(page):
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    names = {"search", "sort", "tile", "skip", *(f"filter-{name}" for name in ("category", "from"))}
    assert names <= reached


HOLES = """() => {
  const box = document.getElementById("grid").getBoundingClientRect();
  const cells = [...document.querySelectorAll(".cell")].map((cell) => cell.getBoundingClientRect());
  const tops = new Set(cells.map((one) => Math.round(one.top)));
  const line = Math.min(...[...tops].filter((top) => top > Math.min(...tops))) - Math.min(...tops);
  let holes = 0;
  for (let y = Math.max(box.top, 0) + 1; y < Math.min(box.bottom, innerHeight); y += 20) {
    holes += !cells.some((one) => y >= one.top - 1 && y <= one.top + line + 1);
  }
  return [holes, cells.length];
}"""
FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def scroll_through(page: Any, steps: int) -> None:
    """Scroll from the first to the last row; assert that tiles are everywhere, and few."""
    end = page.evaluate("document.documentElement.scrollHeight")
    for step in range(steps + 1):
        page.evaluate(f"scrollTo(0, {end * step // steps})")
        page.evaluate(FRAME)
        holes, cells = page.evaluate(HOLES)
        assert holes == 0 and cells < 100


def is_drawn(page: Any, cell: Any) -> bool:
    """Return whether a tile's picture has colors, not the empty ground alone."""
    cell.locator(".thumb.ready").wait_for()
    box = cell.locator(".thumb").bounding_box()
    picture = Image.open(io.BytesIO(page.screenshot(clip=box))).convert("L")
    low, high = picture.getextrema()
    return high - low > 60


def test_scrolling_to_the_end_leaves_no_gap(page):
    first = page.locator('.cell[aria-posinset="1"]')
    assert is_drawn(page, first)
    scroll_through(page, 12)
    last = page.locator('.cell[aria-posinset="2000"]')
    last.scroll_into_view_if_needed()
    assert is_drawn(page, last)


@pytest.mark.slow
def test_twenty_thousand_rows(open_page, tmp_path):
    library = write_many(tmp_path / "library", 20_000, categories=628)
    report = write_report(library, tmp_path)
    page = open_page(report.page)
    page.wait_for_selector(READY)
    assert count_of(page) == 20_000
    scroll_through(page, 100)
    last = page.locator('.cell[aria-posinset="20000"]')
    last.scroll_into_view_if_needed()
    assert is_drawn(page, last)
    page.locator("#search").fill("19999")
    assert count_of(page) == 1


def test_a_hostile_name_is_text(page, report):
    assert HOSTILE in page.locator(".cell .name").all_inner_texts()
    page.locator("#search").fill("onerror")
    assert count_of(page) == 1
    page.locator(".cell a").first.click()
    page.wait_for_selector("#object[open] section")
    assert page.locator("#object-name").inner_text() == HOSTILE
    assert page.locator('img[src="x"]').count() == 0


def test_markup_that_got_past_the_escaping_would_not_run(open_page, report, tmp_path):
    """The policy is the second wall; without it the same page shows that the attack works."""
    owned = "<script>document.title = 'owned'</script>"
    broken = report.page.read_text().replace("<main>", f"{owned}<main>", 1)
    (tmp_path / "data").symlink_to(report.data)
    (tmp_path / "broken.html").write_text(broken)
    page = open_page(tmp_path / "broken.html")
    page.wait_for_selector(READY)
    assert page.title() != "owned" and "Content Security Policy" in open_page.trouble.pop()
    (tmp_path / "open.html").write_text(POLICY.sub("", broken))
    assert open_page(tmp_path / "open.html").title() == "owned"


def test_a_strip_plays_below_the_pointer(page):
    page.locator("#search").fill("o00003")
    page.locator(".cell").first.hover()
    page.wait_for_selector(".cell .moving")
    assert page.locator(".moving").get_attribute("src").endswith("-strip.webp")
    page.locator("#search").hover()
    page.wait_for_selector(".moving", state="detached")


def test_nothing_is_wider_than_a_small_window(open_page, report):
    page = open_page(report.page, size=SMALL, color_scheme="dark")
    page.wait_for_selector(READY)
    page.locator("#filters-button").click()
    choose(page, "type", "helical")
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not page.evaluate(wide)
    page.locator(".cell a").first.click()
    page.wait_for_selector("#object[open] section")
    assert not page.evaluate(wide)
    body = "document.getElementById('object-body')"
    assert page.evaluate(f"{body}.scrollWidth <= {body}.clientWidth")
    page.keyboard.press("Escape")
    for tab in ("figures", "paper"):
        page.evaluate(f"location.hash = '{tab}'")
        page.wait_for_selector(f"#{tab}:not([hidden])")
        assert not page.evaluate(wide)


def test_an_empty_library_is_a_sentence(open_page, tmp_path):
    report = write_report(write_many(tmp_path / "library", 0), tmp_path)
    page = open_page(report.page)
    page.wait_for_selector(READY)
    assert page.locator("#nothing").inner_text() == "The library is empty: it has no objects."
    assert page.locator(".cell").count() == 0


def test_one_category_without_pictures_is_a_gap_with_a_word(open_page, tmp_path):
    library = write_many(tmp_path / "library", 1, categories=1)  # the last object has no files
    page = open_page(write_report(library, tmp_path).page)
    page.wait_for_selector(READY)
    assert page.locator(".thumb").inner_text() == "no picture"
    page.locator(".cell a").click()
    page.wait_for_selector("#object[open] section")
    assert "no pictures of this object" in page.locator(".pictures").inner_text()


def test_a_page_without_its_folder_says_so(open_page, report, tmp_path):
    alone = ReportLayout(tmp_path)
    alone.page.write_bytes(report.page.read_bytes())
    page = open_page(alone.page)
    page.wait_for_selector("#unknown:not([hidden])")
    assert "table.js" in open_page.trouble.pop()
    assert "data/ is not beside this page" in page.locator("#unknown").inner_text()
