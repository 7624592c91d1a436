# SPDX-License-Identifier: Apache-2.0
"""Folders that take long to make: once for all processes of a test run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.base.locks import locked


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that the first process to ask makes; the others wait for it.

    A `make` that fails leaves the folder without its mark: the next process fails with a sentence
    and does not try again, since a half-made folder may be in the way.
    """
    common = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        common = common.parent
    folder, mark = common / "shared" / name, common / "shared" / f"{name}.ready"
    with locked(common / "shared" / f"{name}.lock"):
        if not mark.exists():
            assert not folder.exists(), f"{name}: another test process failed to make it"
            make(folder)
            mark.touch()
    return folder
