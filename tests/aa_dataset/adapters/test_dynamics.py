# SPDX-License-Identifier: Apache-2.0
"""Damping, friction, armature and pushes against closed forms in every simulator."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from aa_dataset.adapters import SimulatorError, load
from aa_dataset.judge.known import lacks
from tests.aa_dataset.adapters.conftest import joint, link, write

# Inertia about the axis of the two kinds of joints below.
JOINTS = {"revolute": ("0 0 1", 0.025), "prismatic": ("1 0 0", 2.0)}


def single(folder: Path, kind: str, **dynamics: float) -> Path:
    """Return one joint that gravity does not move, with dynamics as multiples of its inertia."""
    axis, inertia = JOINTS[kind]
    values = " ".join(f'{name}="{value * inertia!r}"' for name, value in dynamics.items())
    move = joint("move", kind, ("base", "nut"), axis=axis, limits='lower="-9" upper="9"',
                 more=f"<dynamics {values}/>")  # fmt: skip
    return write(folder / "single", link("base", 5.0) + link("nut", 2.0) + move)


def coordinate_after(folder: Path, simulator: str, seconds: float, **options: bool) -> float:
    """Return where a joint is that leaves 0 with rate 1."""
    loaded = load(simulator, folder, **options)
    loaded.set_motion({}, {"move": 1.0})
    loaded.step(seconds)
    return loaded.coordinates()["move"]


@pytest.mark.parametrize("kind", JOINTS)
def test_a_damped_joint_decays_exponentially(tmp_path: Path, simulator: str, kind: str) -> None:
    found = coordinate_after(single(tmp_path, kind, damping=4.0), simulator, 0.5)
    assert found == pytest.approx((1 - math.exp(-4 * 0.5)) / 4, rel=0.01)


@pytest.mark.parametrize("kind", JOINTS)
def test_armature_is_inertia(tmp_path: Path, simulator: str, kind: str) -> None:
    if lacks(simulator, "armature"):
        pytest.skip(f"{simulator} has no armature")
    found = coordinate_after(single(tmp_path, kind, damping=4.0, armature=1.0), simulator, 0.5)
    assert found == pytest.approx((1 - math.exp(-4 / 2 * 0.5)) / (4 / 2), rel=0.01)


@pytest.mark.parametrize("kind", JOINTS)
def test_friction_stops_a_joint_after_half_its_speed_squared(
    tmp_path: Path, simulator: str, kind: str
) -> None:
    if lacks(simulator, "friction"):
        pytest.skip(f"{simulator} has no dry friction")
    found = coordinate_after(single(tmp_path, kind, friction=2.0), simulator, 1.0)
    share = 0.15 if simulator == "sapien" else 0.01  # PhysX: a share of the carried force
    assert found == pytest.approx(1 / (2 * 2.0), rel=share)


def test_without_dynamics_nothing_resists(tmp_path: Path, simulator: str) -> None:
    folder = single(tmp_path, "prismatic", damping=4.0, friction=2.0, armature=1.0)
    found = coordinate_after(folder, simulator, 0.5, dynamics=False)
    assert found == pytest.approx(0.5, rel=1e-3)


def test_a_push_ends_at_its_speed_and_a_release_ends_it(cubes: Path, simulator: str) -> None:
    loaded = load(simulator, cubes)
    if simulator == "pinocchio":
        with pytest.raises(SimulatorError, match="does not push"):
            loaded.push("slide", force=1.0, speed=1.0)
        return
    loaded.set_motion({"slide": 0.2}, {"turn": 0.5})
    loaded.push("slide", force=50.0, speed=0.5)  # 1 kg: a time constant of 0.01 s
    loaded.step(0.1)
    before = loaded.coordinates()
    loaded.step(0.5)
    after = loaded.coordinates()
    assert after["slide"] - before["slide"] == pytest.approx(0.25, rel=0.01)
    assert after["turn"] == pytest.approx(0.0, abs=2e-3)  # held, whatever its rate was
    loaded.set_motion({"slide": 0.2}, {"turn": 0.5})
    loaded.release()
    loaded.step(0.5)
    assert loaded.coordinates() == pytest.approx({"slide": 0.2, "turn": 0.25}, abs=5e-3)
