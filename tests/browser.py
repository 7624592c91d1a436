# SPDX-License-Identifier: Apache-2.0
"""A real browser for pages: the system's Chromium, driven by Playwright, without a network.

`python -m tests.browser`, a part of `make test`, installs Debian's package where this user is root;
without a browser the tests that use `browser` are skipped. Playwright never downloads one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PACKAGE = "chromium"
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
WIDE, SMALL = (1440, 900), (390, 844)


def chromium() -> str | None:
    """Return the path of the system's Chromium, None if there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def main() -> None:
    """Install Chromium with apt if this user is root; else say in one line what is skipped."""
    if chromium():
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        sys.stderr.write(f"installing {PACKAGE} for the tests of pages\n")
        install = ("install", "--yes", "--no-install-recommends", PACKAGE)
        for words in (("update",), install):
            subprocess.run(
                ("apt-get", *words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
    if not chromium():
        sys.stderr.write(f"The tests of pages are skipped: install the Debian package {PACKAGE}.\n")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Return one headless Chromium for all tests of a process; skip without one."""
    path = chromium()
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if path is None:
        pytest.skip("chromium is not installed")
    with api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield started
        started.close()


class Opener:
    """Opens files in windows of their own, and writes down what must not happen.

    Attributes
    ----------
    trouble : list of str
        Errors in the console, exceptions, dialogs, and requests for anything but files and what is
        embedded. The fixture asserts that it is empty in the end.
    """

    def __init__(self, browser: Any) -> None:
        self.trouble: list[str] = []
        self._browser = browser
        self._contexts: list[Any] = []

    def __call__(
        self, file: Path, address: str = "", size: tuple[int, int] = WIDE, **options: Any
    ) -> Any:
        """Return Playwright's page of a file, with `address` after its `#`."""
        view = {"width": size[0], "height": size[1]}
        context = self._browser.new_context(viewport=view, offline=True, **options)
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: self.trouble.append(f"exception: {error}"))
        page.on("dialog", lambda dialog: self.trouble.append(f"dialog: {dialog.message}"))
        page.on("console", self._written)
        page.on("request", self._asked)
        page.goto(f"{file.as_uri()}#{address}" if address else file.as_uri())
        return page

    def close(self) -> None:
        """Close all windows."""
        for context in self._contexts:
            context.close()

    def _written(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.trouble.append(f"console: {message.text} {message.location.get('url', '')}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.trouble.append(f"request: {request.url}")


@pytest.fixture
def open_page(browser: Any) -> Iterator[Opener]:
    """Return an `Opener`; what its pages did must be no trouble."""
    opener = Opener(browser)
    yield opener
    opener.close()
    assert not opener.trouble


def until(page: Any, expression: str) -> None:
    """Wait for an expression; Playwright's own way needs `eval`, which our pages forbid."""
    for _ in range(400):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"it never came true: {expression}")


if __name__ == "__main__":
    main()
