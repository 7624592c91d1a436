# SPDX-License-Identifier: Apache-2.0
"""Cost of the report of 2,000 and of 20,000 objects, and how quick its page is in Chromium.

The libraries are made of the demo's objects: pictures of 512 pixels, 628 categories, of the larger
one with large pictures and strips for three objects per category, as in `config.yaml`. Goals: a
report of 20,000 objects in 2 minutes on 2 idle cores (240 s of CPU time at most), memory that does
not follow the number of objects, a page that is usable 2 s after it is opened, and filters that
answer within 0.1 s. Without Chromium or Playwright, the figures of the page are left out.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pipeline.base.layout import ReportLayout
from tests.browser import ARGUMENTS, WIDE, chromium
from tests.kit.many_objects import write_many
from tests.kit.reports import write_report

COUNTS, CATEGORIES, COMPLETE = (2_000, 20_000), 628, 2_000
WORDS = ("o", "ov", "oven", "door 1", "kind 300", "zzz", "")
TYPED = """(word) => {
  const search = document.getElementById("search");
  search.value = word;
  const begin = performance.now();
  search.dispatchEvent(new Event("input"));
  document.body.offsetHeight;
  return performance.now() - begin;
}"""
SCROLLED = """async () => {
  const end = document.documentElement.scrollHeight;
  const times = [];
  let most = 0;
  for (let step = 0; step <= 100; step++) {
    const begin = performance.now();
    scrollTo(0, end * step / 100);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    times.push(performance.now() - begin);
    most = Math.max(most, document.querySelectorAll(".cell").length);
  }
  return [times.sort((a, b) => a - b)[95], most];
}"""


def main() -> None:
    """Print one table."""
    if len(sys.argv) == 3:
        print(json.dumps(measured(Path(sys.argv[1]), Path(sys.argv[2]))))
        return
    print(f"  {'report of':<18}{'wall s':>8}{'CPU s':>8}{'memory MB':>11}{'MB per 1,000':>14}")
    for count in COUNTS:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            write_many(
                root / "library", count, categories=CATEGORIES, pixels=512, complete=COMPLETE
            )
            words = [sys.executable, __file__, str(root / "library"), str(root)]
            done = subprocess.run(words, check=True, capture_output=True, text=True)
            wall, cpu, memory, size = json.loads(done.stdout.splitlines()[-1])
            told = f"{wall:>8.1f}{cpu:>8.1f}{memory:>11.0f}{size / count / 1e3:>14.1f}"
            print(f"  {f'{count:,} objects':<18}{told}")
            if count == max(COUNTS):
                print_page(ReportLayout(root / "report"))


def measured(library: Path, folder: Path) -> tuple[float, float, float, int]:
    """Return wall time [s], CPU time [s], peak memory [MB] and size [B] of a report."""
    from pipeline.engine.config import load_config

    settings = load_config().report
    wall, cpu = time.perf_counter(), time.process_time()
    report = write_report(library, folder, settings)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return wall, cpu, peak, sum(path.stat().st_size for path in report.root.rglob("*.*"))


def print_page(report: ReportLayout) -> None:
    """Print how quick the page of a report is."""
    path = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        print("  no Chromium or no Playwright: the page is not measured")
        return
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        page = browser.new_page(viewport={"width": WIDE[0], "height": WIDE[1]})
        begin = time.perf_counter()
        page.goto(report.page.as_uri())
        page.wait_for_selector("html[data-ready] .thumb.ready")
        print_times(page, time.perf_counter() - begin)
        browser.close()


def print_times(page: Any, opened: float) -> None:
    """Print the times of one opened page."""
    slowest = max(page.evaluate(TYPED, word) for word in WORDS)
    frame, tiles = page.evaluate(SCROLLED)
    print(f"  usable with pictures after    {opened:>8.2f} s (at most 2)")
    print(f"  slowest of {len(WORDS)} searches        {slowest:>8.0f} ms (at most 100)")
    print(f"  a jump to elsewhere, 95 %     {frame:>8.0f} ms, two frames, at most {tiles} tiles")


if __name__ == "__main__":
    main()
