# SPDX-License-Identifier: Apache-2.0
"""Both backends show every family and every sample where its triangles are."""

from __future__ import annotations

from pathlib import Path

import pytest

from aa_dataset.render.backend import BACKENDS, available
from pipeline.base.errors import Rejection
from pipeline.generate.registry import family_names
from tests.kit import bench
from tests.kit.places import needs_samples
from tests.pipeline.stages.normalize.test_samples import BUDGETS, described, sample_names

pytest.importorskip("matplotlib", reason="the reference silhouettes need matplotlib")

from tests.kit.silhouettes import agreements, family_files

LEAST = 0.98
SMALL, LARGE = 96, 512  # pixels; rods thinner than a pixel need the larger picture


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    if not available(request.param):
        pytest.skip(f"the {request.param} backend does not work on this machine")
    return str(request.param)


def least_agreement(files: dict[str, bytes], backend: str) -> float:
    found = min(agreements(files, backend, SMALL))
    return found if found >= LEAST else min(agreements(files, backend, LARGE))


@pytest.mark.parametrize("family", family_names())
def test_every_family_is_where_its_triangles_are(family: str, backend: str, tmp_path: Path) -> None:
    assert least_agreement(family_files(family, tmp_path), backend) >= LEAST


@needs_samples
@pytest.mark.slow
@pytest.mark.parametrize("name", sample_names())
def test_every_sample_is_where_its_triangles_are(name: str, backend: str) -> None:
    folder, urdf, facts = described(name)
    try:
        outcome = bench.normal(folder, facts, urdf=urdf, budgets=BUDGETS)
    except Rejection as rejection:
        pytest.skip(f"normalize rejects it: {rejection}")
    assert least_agreement(dict(outcome.files or {}), backend) >= LEAST
