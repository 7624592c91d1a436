# SPDX-License-Identifier: Apache-2.0
"""The judge agrees with a right description and contradicts each wrong one."""

from __future__ import annotations

import logging
import os
import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aa_dataset.adapters import load
from aa_dataset.judge import checks
from aa_dataset.judge.checks import Verdict, judge_object
from aa_dataset.judge.quiet import captured_output
from aa_dataset.judge.reference import Reference
from aa_dataset.kinematics.trees import KinematicTree

JUDGES = ("pinocchio", "mujoco")

pytest.importorskip("mujoco", reason="`make test` installs mujoco")
pytest.importorskip("pinocchio", reason="`make test` installs pin")


def test_frames_of_many_states_are_the_trees_own(folder: Path) -> None:
    reference = Reference.of(folder)
    values = reference.configurations(7)
    many = reference.frames(values)
    for k in range(7):
        state = {name: float(value[k]) for name, value in values.items()}
        for link, placed in reference.tree.placements(state).items():
            assert many[link][k] == pytest.approx(placed @ reference.rest[link], abs=1e-14)


def test_states_reach_the_whole_range_and_no_further(folder: Path) -> None:
    values = Reference.of(folder).configurations(2000)
    assert set(values) == {"door_joint", "wheel_joint", "drawer_joint", "lid_joint"}
    for name, (lower, upper) in {"drawer_joint": (0, 0.35), "lid_joint": (0, 6)}.items():
        assert lower <= values[name].min() < lower + 0.01 * upper
        assert 0.99 * upper < values[name].max() <= upper
    assert np.abs(values["wheel_joint"]).max() == pytest.approx(2 * np.pi, rel=0.01)


@pytest.mark.parametrize("simulator", JUDGES)
def test_a_right_description_passes(folder: Path, simulator: str) -> None:
    verdicts = {v.check: v for v in judge_object(folder, simulator, configurations=20)}
    assert [v for v in verdicts.values() if not v.passed] == []
    assert {"load", "placement", "twist", "body", "gravity", "coupling"} <= set(verdicts)
    assert verdicts["placement"].deviation < 1e-12


def changed(reference: Reference, name: str, **changes: Any) -> Reference:
    """Return the reference with one joint described wrongly."""
    joints = tuple(
        replace(joint, **changes) if joint.name == name else joint
        for joint in reference.tree.joints
    )
    tree = KinematicTree(reference.tree.name, reference.tree.links, joints)
    return replace(reference, tree=tree)


WRONG = {
    "axis": ("door_joint", {"axis": np.array([0.0, 0.6, 0.8001])}),
    "origin": ("lid_joint", {"origin": np.array([1e-6, 0.1, 0.2])}),
    "sign": ("drawer_joint", {"axis": np.array([-1.0, 0.0, 0.0])}),
    "pitch": ("lid_joint", {"pitch": 0.004 + 1e-8}),
}


@pytest.mark.parametrize("simulator", JUDGES)
@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_joint_is_contradicted(folder: Path, simulator: str, wrong: str) -> None:
    name, changes = WRONG[wrong]
    reference = changed(Reference.of(folder), name, **changes)
    loaded = load(simulator, folder)
    assert not checks.placements(loaded, reference, 10).passed
    twist = checks.twists(loaded, reference)
    assert not twist.passed
    assert name in twist.detail


@pytest.mark.parametrize("simulator", JUDGES)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('<mass value="0.2"/>', '<mass value="0.200001"/>'),
        ('xyz="0.02 0.1 0.03"', 'xyz="0.02 0.100001 0.03"'),
        ('ixy="0.001"', 'ixy="0.00100004"'),
    ],
)
def test_a_wrong_body_is_contradicted(
    folder: Path, tmp_path: Path, simulator: str, old: str, new: str
) -> None:
    loaded = load(simulator, folder)
    text = (folder / "object.urdf").read_text()
    assert old in text
    (folder / "object.urdf").write_text(text.replace(old, new))
    assert not checks.bodies(loaded, Reference.of(folder)).passed


def test_a_coupling_that_slips_is_contradicted(folder: Path) -> None:
    loaded = load("mujoco", folder)
    assert checks.coupling(loaded, Reference.of(folder)).passed
    loaded.model.eq_active0[:] = 0
    verdict = checks.coupling(loaded, Reference.of(folder))
    assert not verdict.passed
    assert "lid_slide of lid_joint" in verdict.detail


def test_a_limit_that_yields_and_a_nan_are_contradicted(folder: Path) -> None:
    text = (
        (folder / "object.urdf").read_text().replace('axis xyz="1.0 0.0 0.0"', 'axis xyz="0 0 1"')
    )
    (folder / "object.urdf").write_text(text)
    loaded = load("mujoco", folder)
    assert checks.gravity(loaded, Reference.of(folder)).passed
    loaded.model.jnt_limited[:] = 0
    verdict = checks.gravity(loaded, Reference.of(folder))
    assert not verdict.passed  # the drawer falls out
    loaded.coordinates = lambda: dict.fromkeys(loaded._names, float("nan"))
    assert checks.gravity(loaded, Reference.of(folder)).deviation == np.inf


def test_parts_that_touch_at_rest_are_a_finding(folder: Path) -> None:
    # All parts are the same tetrahedron of 1 m: door and drawer, of different branches, overlap.
    text = (folder / "object.urdf").read_text()
    shapes = re.sub(
        r"<visual>(.*?)</visual>", r"<visual>\1</visual><collision>\1</collision>", text
    )
    (folder / "object.urdf").write_text(shapes)
    found = checks.contacts(load("mujoco", folder, self_contacts=True), Reference.of(folder))
    assert found.deviation > 0
    assert found.passed
    assert "door and drawer" in found.detail
    assert "base and door" not in found.detail  # parent and child


def test_messages_on_every_channel_are_captured() -> None:
    with captured_output() as lines:
        os.write(2, b"from the compiled side\n")
        print("from python", flush=True, file=sys.__stdout__)
        warnings.warn("a warning", stacklevel=1)
        logging.getLogger("drake").warning("a log line")
        logging.getLogger("drake").info("not this one")
    assert lines == ["a log line", "from the compiled side", "from python", "a warning"]


def test_a_message_of_a_simulator_fails_the_load(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noisy(*arguments: Any, **options: Any) -> Any:
        os.write(2, b"warning: unknown element\n")
        return load(*arguments, **options)

    monkeypatch.setattr(checks, "load", noisy)
    verdict = judge_object(folder, "mujoco", configurations=1, dynamics=False)[0]
    assert (verdict.check, verdict.passed) == ("load", False)
    assert verdict.detail == "warning: unknown element"


def test_nan_never_passes() -> None:
    assert not Verdict("body", float("nan"), 1e-6).passed
