# SPDX-License-Identifier: Apache-2.0
"""Every real sample that normalizes, before its judges; skipped where the samples are absent."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from aa_dataset.judge.checks import judge_object
from aa_dataset.judge.run import PACKAGES
from pipeline.base.errors import PipelineError, Rejection
from pipeline.engine.runner import Outcome
from tests.kit import bench
from tests.kit.places import SAMPLES

URDFS = sorted(
    path
    for path in SAMPLES.glob("*/**/*.urdf")
    if not path.name.endswith(("_vhacd.urdf", "_w_collider.urdf"))
)

pytestmark = [pytest.mark.slow, pytest.mark.judges]


def test_there_are_samples() -> None:
    if not SAMPLES.is_dir():
        pytest.skip(f"the raw samples are not at {SAMPLES.name}")
    assert len(URDFS) > 100


@pytest.fixture
def sample(finish: Callable[..., Path]) -> Callable[[Path], Path]:
    """Return a maker of a finished object from a sample's URDF; one that is rejected skips."""

    def made(urdf: Path) -> Path:
        source = bench.METRIC | {"scale": "unit_sphere"} if "partnet" in str(urdf) else bench.METRIC
        # Textures of PartNet lie beside the folder of the meshes, both below the URDF's own.
        try:
            outcome: Outcome = bench.normal(urdf.parent, source, urdf=urdf.name)
        except (Rejection, PipelineError) as error:
            pytest.skip(f"rejected: {error}")
        return finish(outcome, urdf.parent.name)

    return made


@pytest.mark.parametrize("urdf", URDFS, ids=lambda path: f"{path.parent.name[:60]}-{path.stem}")
def test_every_judge_agrees(urdf: Path, sample: Callable[[Path], Path]) -> None:
    folder = sample(urdf)
    asked = [name for name in PACKAGES if importlib.util.find_spec(PACKAGES[name])]
    found = {name: judge_object(folder, name) for name in asked}
    assert [f"{n}: {v}" for n, all_ in found.items() for v in all_ if not v.passed] == []
