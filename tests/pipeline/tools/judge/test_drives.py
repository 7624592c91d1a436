# SPDX-License-Identifier: Apache-2.0
"""Generated families with contacts on: joints reach their ends, nothing overlaps, balls stay.

In MuJoCo, three families daily and all by `make judges` and `make test-slow`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from aa_dataset.judge.ball import drop_balls
from aa_dataset.judge.drive import Outcome, drive_object
from pipeline.engine.config import load_config
from pipeline.engine.settings import AnnotateSettings, select
from pipeline.generate.registry import family_names
from pipeline.stages.annotate.stage import annotate
from tests.kit import bench

pytest.importorskip("mujoco", reason="`make test` installs mujoco")

# A drawer, a door before racks, and a screw.
DAILY = ("bottle", "chest_of_drawers", "oven")
FAMILIES = [
    name if name in DAILY else pytest.param(name, marks=(pytest.mark.slow, pytest.mark.judges))
    for name in family_names()
]


@pytest.fixture(scope="session")
def built(
    normalized: Callable[..., tuple], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Return a maker of a finished object with the settings of a build.

    Those of the other tests allow eight convex parts a link, which fill many hollows.
    """
    root, settings = tmp_path_factory.mktemp("built"), select(load_config(), AnnotateSettings)

    @functools.cache
    def made(name: str) -> Path:
        row, where = bench.stored(root / "object.tar", normalized(name)[1])
        return bench.unpacked(annotate(bench.annotate_task(row, where), settings), root / name)

    return made


@pytest.mark.parametrize("name", FAMILIES)
def test_every_joint_reaches_its_ends_with_contacts(
    name: str, built: Callable[[str], Path]
) -> None:
    trials = drive_object(built(name), "mujoco")
    assert [str(trial) for trial in trials if not trial.passed] == []
    driven = [trial.value for trial in trials if trial.check == "drive"]
    assert driven and min(driven) >= 0.98
    assert [trial.outcome for trial in trials if trial.check == "rest"] == [Outcome.CLEAR]


@pytest.mark.parametrize("name", FAMILIES)
def test_a_ball_stays_in_every_hollow_link(name: str, built: Callable[[str], Path]) -> None:
    assert [str(trial) for trial in drop_balls(built(name)) if not trial.passed] == []
