# SPDX-License-Identifier: Apache-2.0
"""Loaders: frames, bodies, floor and couplings against closed forms, in every simulator."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.adapters import SIMULATORS, SimulatorError, couplings, load, open_object
from aa_dataset.errors import MissingExtraError
from aa_dataset.judge.known import lacks
from aa_dataset.kinematics.urdf import parse_urdf

GRAVITY, MASS, SPIN, PITCH = 9.81, 2.0, 0.025 + 1e-9, 0.05


def test_a_screw_turns_and_advances(screw: Path, simulator: str) -> None:
    loaded = load(simulator, screw)
    loaded.set_coordinates({"turn": 0.7})
    found = loaded.frames()["nut"]
    c, s = math.cos(0.7), math.sin(0.7)
    expected = [[c, -s, 0, 0.1], [s, c, 0, 0.2], [0, 0, 1, 0.3 + 0.7 * PITCH], [0, 0, 0, 1]]
    assert found == pytest.approx(np.array(expected), abs=1e-6)
    assert loaded.coordinates() == pytest.approx({"turn": 0.7, "slide": 0.7 * PITCH}, abs=1e-6)


def test_a_misspelled_joint_is_refused(screw: Path, simulator: str) -> None:
    loaded = load(simulator, screw)
    for call in (
        lambda: loaded.set_coordinates({"tern": 1}),
        lambda: loaded.set_motion({"turn": 0.1}, {"nut": 1.0}),
    ):
        with pytest.raises(SimulatorError, match=r"is no movable joint of the object.*turn"):
            call()


def test_a_falling_nut_follows_the_equation_of_motion(screw: Path, simulator: str) -> None:
    loaded = load(simulator, screw)
    loaded.set_coordinates({"turn": 10.0})
    loaded.step(0.5)
    found = loaded.coordinates()
    # Kinetic energy (I + m h^2) w^2 / 2, potential energy m g h q.
    acceleration = -MASS * GRAVITY * PITCH / (SPIN + MASS * PITCH**2)
    assert found["turn"] == pytest.approx(10.0 + acceleration * 0.5**2 / 2, rel=0.01)
    assert found["slide"] == pytest.approx(PITCH * found["turn"], abs=1e-3 * 100 * PITCH)


def test_wheels_on_one_parent_stay_geared(geared: Path, simulator: str) -> None:
    loaded = load(simulator, geared)
    loaded.set_motion({"first": -0.5}, {"first": 2.0})
    assert loaded.coordinates()["second"] == pytest.approx(1.25, abs=1e-6)
    loaded.step(0.2)
    found = loaded.coordinates()
    assert found["first"] == pytest.approx(-0.1, abs=0.01)  # nothing pulls: 0.4 rad in 0.2 s
    assert found["second"] == pytest.approx(0.25 - 2 * found["first"], abs=1e-3)


def test_a_limit_holds_twenty_tons_that_look_like_a_sheet(heavy: Path, simulator: str) -> None:
    loaded = load(simulator, heavy)
    loaded.set_coordinates({})
    loaded.step(0.5)
    assert loaded.coordinates()["slide"] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("apart", "expected"),
    [(0.05, [("pinion", "wheel")]), (0.0995, [("pinion", "wheel")]), (0.1005, []), (0.2, [])],
)
def test_parts_touch_where_they_overlap_and_not_half_a_millimeter_apart(
    cubes: Path, simulator: str, apart: float, expected: list[tuple[str, str]]
) -> None:
    if lacks(simulator, "contacts"):
        pytest.skip(f"{simulator} has no contacts")
    loaded = load(simulator, cubes, self_contacts=True)
    loaded.set_coordinates({"slide": apart})
    assert loaded.contacts() == expected  # before any step


def test_bodies_are_those_of_the_urdf(screw: Path, simulator: str) -> None:
    body = load(simulator, screw).bodies()["nut"]
    assert body.mass == pytest.approx(MASS)
    assert body.center == pytest.approx(np.zeros(3), abs=1e-7)
    tensor = [[0.02, 0.001, 0], [0.001, 0.03, 0], [0, 0, 0.025]]
    assert body.inertia == pytest.approx(np.array(tensor), abs=1e-8)


def test_an_object_of_a_library_stands_on_the_floor(library: Path, simulator: str) -> None:
    item = load_dataset(library, verbose=False)["generated-cabinet"]
    standing, lying = (load(simulator, item, on_floor=flag) for flag in (True, False))
    for loaded in (standing, lying):
        loaded.set_coordinates({"door_joint": 0.5})
    assert _height(standing) - _height(lying) == pytest.approx(-item.floor_z, abs=1e-6)
    raised, level = standing.frames(), lying.frames()
    for name, frame in level.items():  # frames are the object's own, wherever it stands
        assert raised[name] == pytest.approx(frame, abs=1e-6)
    for name, body in lying.bodies().items():
        assert standing.bodies()[name].center == pytest.approx(body.center, abs=1e-6)


def _height(loaded: Any) -> float:
    """Return the height of the door in the simulator's world, by its own means."""
    name = loaded.simulator
    if name == "mujoco":
        loaded.frames()
        return float(loaded.data.body("door").xpos[2])
    if name == "pinocchio":
        loaded.frames()
        return float(loaded.data.oMf[loaded.model.getFrameId("door")].translation[2])
    if name == "drake":
        body = loaded.plant.GetBodyByName("door")
        return float(loaded.plant.EvalBodyPoseInWorld(loaded.context, body).translation()[2])
    if name == "pybullet":
        import pybullet

        return float(
            pybullet.getLinkState(loaded.body, 0, 0, True, physicsClientId=loaded.client)[4][2]
        )
    return float(loaded.articulation.find_link_by_name("door").entity_pose.p[2])


def test_pinocchio_understands_the_pair_as_one_degree_of_freedom(screw: Path) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="`make test` installs pin")
    model = pinocchio.buildModelFromUrdf(str(screw / "object.urdf"), mimic=True)
    assert (model.nq, model.nv) == (1, 1)
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, np.array([0.7]))
    found = data.oMf[model.getFrameId("nut")].translation
    assert found == pytest.approx([0.1, 0.2, 0.3 + 0.7 * PITCH], abs=1e-12)


def test_the_floor_of_a_path_is_the_lowest_point_of_its_meshes(screw: Path) -> None:
    files = open_object(screw)
    # Tetrahedra of 0.1 m at the origin and at (0.1, 0.2, 0.3).
    assert files.bounds == pytest.approx(np.array([[0, 0, 0], [0.2, 0.3, 0.4]]))
    text = (screw / "meshes/nut.obj").read_text().replace("v 0 0 0\n", "v 0 0 -0.7\n")
    (screw / "meshes/nut.obj").write_text(text)
    assert open_object(screw).lift(True) == pytest.approx(0.4)
    (screw / "object.urdf").write_text('<robot name="none"><link name="base"/></robot>')
    with pytest.raises(SimulatorError, match="has no visual mesh"):
        open_object(screw).lift(True)


@pytest.mark.parametrize("name", SIMULATORS)
def test_a_missing_package_is_a_pip_command(
    name: str, screw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pinocchio", "mujoco", "pydrake", "pydrake.all", "pybullet", "sapien"):
        monkeypatch.setitem(sys.modules, module, None)
    extra = "mjcf" if name == "mujoco" else name
    with pytest.raises(MissingExtraError, match=rf"pip install 'aa-dataset\[{extra}\]'"):
        load(name, screw)


def test_an_unknown_simulator_and_a_missing_file_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(SimulatorError, match="not a simulator; choose one of pinocchio"):
        load("gazebo", tmp_path)
    with pytest.raises(SimulatorError, match="is not a file"):
        open_object(tmp_path / "nothing.urdf")


def test_chains_of_mimics_end_at_an_independent_joint() -> None:
    ends = '<parent link="a"/><child link="{}"/>'
    text = "".join(
        f'<joint name="{name}" type="revolute">{ends.format(name)}{mimic}</joint>'
        for name, mimic in (
            ("p", ""),
            ("q", '<mimic joint="p" multiplier="3" offset="1"/>'),
            ("r", '<mimic joint="q" multiplier="-2" offset="5"/>'),
        )
    )
    found = {one.follower: one for one in couplings(parse_urdf(f"<robot>{text}</robot>".encode()))}
    assert (found["q"].leader, found["q"].multiplier, found["q"].offset) == ("p", 3, 1)
    # r = -2 (3 p + 1) + 5
    assert (found["r"].leader, found["r"].multiplier, found["r"].offset) == ("p", -6, 3)


def test_mimics_in_a_circle_are_refused() -> None:
    text = "".join(
        f'<joint name="{a}" type="revolute"><parent link="x"/><child link="{a}"/>'
        f'<mimic joint="{b}"/></joint>'
        for a, b in (("p", "q"), ("q", "p"))
    )
    with pytest.raises(SimulatorError, match="has no independent leader"):
        couplings(parse_urdf(f"<robot>{text}</robot>".encode()))


def test_importing_the_adapters_loads_no_simulator() -> None:
    import subprocess

    program = (
        "import sys, aa_dataset.adapters, aa_dataset.judge.checks, aa_dataset.export\n"
        "names = ('pinocchio', 'mujoco', 'pydrake', 'pybullet', 'sapien', 'pxr')\n"
        "print([n for n in names if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
