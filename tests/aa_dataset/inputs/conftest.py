# SPDX-License-Identifier: Apache-2.0
"""A library with geometry, and the inputs of its cabinet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.dataset import Dataset
from aa_dataset.inputs.make import Made, Settings, make
from tests.kit.inputs_library import CABINET, build_inputs_library

Run = Callable[..., int]
SMALL = ("--views", "5", "--size", "96", "--points", "4000")


@pytest.fixture(scope="session")
def shown_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_inputs_library(tmp_path_factory.mktemp("shown") / "library")


@pytest.fixture(scope="session")
def dataset(shown_library: Path) -> Dataset:
    return load_dataset(shown_library)


@pytest.fixture(scope="session")
def made(dataset: Dataset) -> Made:
    """The inputs of the cabinet in memory, with pictures large enough to measure in."""
    return make(dataset[CABINET], CABINET, Settings(views=6, size=256))


@pytest.fixture
def run(shown_library: Path) -> Run:
    """Run `aa inputs` on objects of the library, small."""

    def command(out: Path, *words: str, objects: tuple[str, ...] = (CABINET,)) -> int:
        chosen = ("--objects", *objects) if objects else ()
        place = ("--library", str(shown_library), "--out", str(out))
        return main(["inputs", *chosen, *place, *SMALL, *words])

    return command
