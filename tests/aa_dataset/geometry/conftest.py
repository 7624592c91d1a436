# SPDX-License-Identifier: Apache-2.0
"""A library with geometry."""

from __future__ import annotations

from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.dataset import Dataset
from tests.kit.inputs_library import build_inputs_library


@pytest.fixture(scope="session")
def shown_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_inputs_library(tmp_path_factory.mktemp("shown") / "library")


@pytest.fixture(scope="session")
def dataset(shown_library: Path) -> Dataset:
    return load_dataset(shown_library, verbose=False)
