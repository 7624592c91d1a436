# SPDX-License-Identifier: Apache-2.0
"""A library of two thousand objects with a hostile name, and its report, once for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.layout import ReportLayout
from tests.browser import browser, open_page
from tests.kit.many_objects import write_many
from tests.kit.reports import write_report
from tests.kit.shared import made_once

__all__ = ["browser", "open_page"]

COUNT = 2000


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `library/` of `COUNT` objects and the folder `report/`."""

    def make(folder: Path) -> None:
        write_many(folder / "library", COUNT)
        write_report(folder / "library", folder)

    return made_once(tmp_path_factory, "many_objects", make)


@pytest.fixture(scope="session")
def library(many: Path) -> Path:
    return many / "library"


@pytest.fixture(scope="session")
def report(many: Path) -> ReportLayout:
    return ReportLayout(many / "report")
