# SPDX-License-Identifier: Apache-2.0
"""Libraries that the loader's tests open; `tests/kit/library_folder.py` writes them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.kit.library_folder import build_library
from tests.kit.library_objects import LIBRARY_OBJECTS


@pytest.fixture(scope="session")
def pristine_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that no test may change."""
    return build_library(tmp_path_factory.mktemp("pristine") / "library")


@pytest.fixture
def frozen_library(tmp_path: Path) -> Path:
    """A library whose split of three objects is the frozen `eval200-v0`."""
    swapped = [
        replace(t, splits=tuple(name.replace("eval200_1a2b3c4d", "eval200") for name in t.splits))
        for t in LIBRARY_OBJECTS
    ]
    return build_library(tmp_path / "frozen_library", tuple(swapped))


@pytest.fixture
def library(pristine_library: Path, tmp_path: Path) -> Path:
    """A copy of the library for one test to break."""
    return Path(shutil.copytree(pristine_library, tmp_path / "library"))


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the user's cache or environment."""
    monkeypatch.setenv("AA_HOME", str(tmp_path / "aa_home"))
    monkeypatch.delenv("AA_LIBRARY", raising=False)
