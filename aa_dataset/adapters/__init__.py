# SPDX-License-Identifier: Apache-2.0
"""Loaders of one object into five simulators, with the couplings that their importers ignore.

Three more modules hand objects to other libraries: `torch`, `datasets` and `yourdfpy`.

``from aa_dataset.adapters import mujoco; mujoco.load(item)``. Every loader fixes the base, keeps
mass and inertia of the URDF, and returns a `Simulated` with the simulator's own handles and a few
methods that all five share.
"""

from __future__ import annotations

import importlib
from typing import Any

from aa_dataset.adapters.common import (
    Coupling,
    ObjectFiles,
    Simulated,
    SimulatorError,
    couplings,
    open_object,
)

SIMULATORS = ("pinocchio", "mujoco", "drake", "pybullet", "sapien")

__all__ = [
    "SIMULATORS",
    "Coupling",
    "ObjectFiles",
    "Simulated",
    "SimulatorError",
    "couplings",
    "load",
    "open_object",
]


def load(simulator: str, item: Any, **options: Any) -> Simulated:
    """Load an object into one of `SIMULATORS`; options are those of the adapter's `load`."""
    if simulator not in SIMULATORS:
        known = ", ".join(SIMULATORS)
        raise SimulatorError(f"{simulator!r} is not a simulator; choose one of {known}.")
    loaded: Simulated = importlib.import_module(f"{__name__}.{simulator}").load(item, **options)
    return loaded
