# SPDX-License-Identifier: Apache-2.0
"""Generated families before their judges: some of them daily in pinocchio and mujoco, all by
`make judges` and `make test-slow`, there in every simulator that is installed.

200 random states each; frames to 1e-9, bodies to 1e-6, one second of gravity, couplings to 1e-3.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from aa_dataset.judge.checks import judge_object
from aa_dataset.judge.run import PACKAGES
from pipeline.generate.registry import family_names
from tests.pipeline.tools.judge.test_exports import HELICAL

ALWAYS = ("pinocchio", "mujoco")
OTHERS = tuple(name for name in PACKAGES if name not in ALWAYS)
# Every fourth family, and three with a screw. The others repeat the same checks.
DAILY = {*family_names()[::4], *HELICAL}
FAMILIES = [
    name if name in DAILY else pytest.param(name, marks=(pytest.mark.slow, pytest.mark.judges))
    for name in family_names()
]


def failures(folder: Path, simulator: str) -> list[str]:
    if importlib.util.find_spec(PACKAGES[simulator]) is None:
        pytest.skip(f"{simulator} is not installed; `make judges` installs it")
    verdicts = judge_object(folder, simulator, configurations=200)
    assert {"load", "placement", "twist", "body", "gravity"} <= {v.check for v in verdicts}
    return [str(verdict) for verdict in verdicts if not verdict.passed]


@pytest.mark.parametrize("simulator", ALWAYS)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_judge_agrees(name: str, simulator: str, family: Callable[[str], Path]) -> None:
    assert failures(family(name), simulator) == []


@pytest.mark.judges
@pytest.mark.slow
@pytest.mark.parametrize("simulator", OTHERS)
@pytest.mark.parametrize("name", family_names())
def test_the_other_judges_agree(name: str, simulator: str, family: Callable[[str], Path]) -> None:
    assert failures(family(name), simulator) == []
