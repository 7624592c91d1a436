# SPDX-License-Identifier: Apache-2.0
"""Finished objects, as annotate leaves them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.engine.runner import Outcome
from pipeline.stages.annotate.stage import annotate
from tests.kit import bench
from tests.kit import settings as settings_kit


@pytest.fixture(scope="session")
def finish(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that annotates a normalized outcome and writes its folder."""
    root = tmp_path_factory.mktemp("finished")

    def finished(outcome: Outcome, name: str) -> Path:
        row, where = bench.stored(root / "object.tar", outcome)
        done = annotate(bench.annotate_task(row, where), settings_kit.SETTINGS)
        return bench.unpacked(done, root / name)

    return finished


@pytest.fixture(scope="session")
def family(normalized: Callable[..., tuple], finish: Callable[..., Path]) -> Callable[[str], Path]:
    """Return a maker, once per family, of the folder of a finished object."""

    @functools.cache
    def made(name: str) -> Path:
        return finish(normalized(name)[1], name)

    return made
