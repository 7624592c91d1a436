# SPDX-License-Identifier: Apache-2.0
"""One object with every joint type and a welded part, and the simulators with contacts."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from aa_dataset.judge.known import lacks
from aa_dataset.judge.run import PACKAGES
from tests.kit.library_objects import Part, write_urdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of an object with all joint types."""
    part = Part
    parts = (
        part("door", "revolute", xyz=(0.3, -0.2, 0.1), axis=(0.0, 0.6, 0.8), upper=1.6),
        part("knob", "fixed", parent="door", xyz=(0.05, 0.3, 0.0)),
        part("wheel", "continuous", parent="knob", axis=(1.0, 0.0, 0.0), xyz=(0.1, 0.0, 0.2)),
        part("drawer", "prismatic", axis=(1.0, 0.0, 0.0), upper=0.35),
        part("lid", "helical", xyz=(0.0, 0.1, 0.2), upper=6.0, pitch=0.004, mass=0.2),
    )
    root = tmp_path / "object"
    (root / "meshes").mkdir(parents=True)
    (root / "object.urdf").write_bytes(write_urdf("thing", parts))
    mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    for name in ("base", *(one.name for one in parts)):
        (root / "meshes" / f"{name}.obj").write_text(mesh)
    return root


@pytest.fixture(
    params=[
        pytest.param(name, marks=() if name == "mujoco" else pytest.mark.judges)
        for name in PACKAGES
        if not lacks(name, "contacts")
    ]
)
def simulator(request: pytest.FixtureRequest) -> str:
    """Return every simulator with contacts that is installed."""
    name = str(request.param)
    if importlib.util.find_spec(PACKAGES[name]) is None:
        pytest.skip(f"{name} is not installed; `make judges` installs it")
    return name
