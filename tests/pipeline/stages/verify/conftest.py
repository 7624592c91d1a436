# SPDX-License-Identifier: Apache-2.0
"""Objects for the checks: by URDF through normalize and verify."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import trimesh

from pipeline.engine.runner import Outcome, Task
from pipeline.handover.normalized import NormalRecord
from pipeline.stages.verify.stage import VerifyInput, verify
from tests.kit import bench
from tests.kit import settings as settings_kit

Meshes = Mapping[str, trimesh.Trimesh | Sequence[trimesh.Trimesh]]


@pytest.fixture
def check(tmp_path: Path, shipped: None) -> Callable[..., Outcome]:
    """Normalize and verify an object given by its URDF parts."""

    def run_one(
        *parts: str,
        files: dict[str, str] | None = None,
        label: str = "uncategorized",
        reviews: tuple[tuple[str, str], ...] = (),
        earlier: tuple[tuple[str, str], ...] = (),
        change: Callable[[NormalRecord], NormalRecord] = lambda row: row,
        **options: Any,
    ) -> Outcome:
        raw = bench.write_object(tmp_path / "raw", bench.robot(*parts), files)
        row, where = bench.stored(tmp_path / "object.tar", bench.normal(raw))
        row = change(row)
        settings = settings_kit.changed(settings_kit.SETTINGS, verify=options)
        given = VerifyInput(row, where, label, reviews, earlier)
        return verify(Task("test-object", given), settings)

    return run_one
