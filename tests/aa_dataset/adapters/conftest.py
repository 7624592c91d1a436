# SPDX-License-Identifier: Apache-2.0
"""Small objects whose motion has a closed form, and the simulators that are installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

PACKAGES = {
    "pinocchio": "pinocchio",
    "mujoco": "mujoco",
    "drake": "pydrake",
    "pybullet": "pybullet",
    "sapien": "sapien",
}
TETRAHEDRON = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"

CUBE = (
    "".join(f"v {x} {y} {z}\n" for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1))
    + "f 1 2 4\nf 1 4 3\nf 5 7 8\nf 5 8 6\nf 1 5 6\nf 1 6 2\n"
    + "f 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n"
)


def link(name: str, mass: float, *, shape: bool = True, center: str = "0 0 0") -> str:
    mesh = f'<geometry><mesh filename="meshes/{name}.obj"/></geometry>'
    shapes = f'<visual name="{name}">{mesh}</visual><collision name="{name}-c">{mesh}</collision>'
    inertia = 'ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"'
    if not shape:
        inertia = 'ixx="1e-9" ixy="0" ixz="0" iyy="1e-9" iyz="0" izz="1e-9"'
    return (
        f'<link name="{name}"><inertial><origin xyz="{center}"/><mass value="{mass}"/>'
        f"<inertia {inertia}/></inertial>{shapes if shape else ''}</link>"
    )


def joint(
    name: str, kind: str, ends: tuple[str, str], *, axis: str, limits: str, more: str = ""
) -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{ends[0]}"/><child link="{ends[1]}"/>'
        f'<origin xyz="0.1 0.2 0.3"/><axis xyz="{axis}"/>'
        f'<limit {limits} effort="1e3" velocity="1e3"/>{more}</joint>'
    )


def screw_text(pitch: float) -> str:
    """Return a vertical screw of pitch [m/rad], 2 kg, with 0.025 kg m^2 about its axis."""
    mimic = f'<mimic joint="turn" multiplier="{pitch!r}" offset="0"/>'
    slide = joint("slide", "prismatic", ("carrier", "nut"), axis="0 0 1",
                  limits=f'lower="{-50 * pitch}" upper="{50 * pitch}"', more=mimic)  # fmt: skip
    return "".join(
        [
            link("base", 5.0),
            link("carrier", 1e-6, shape=False),
            link("nut", 2.0),
            joint("turn", "revolute", ("base", "carrier"), axis="0 0 1",
                  limits='lower="-50" upper="50"'),
            slide.replace("0.1 0.2 0.3", "0 0 0"),
        ]
    )  # fmt: skip


def geared_text() -> str:
    """Return two hinges side by side about vertical axes, the second geared to the first."""
    mimic = '<mimic joint="first" multiplier="-2" offset="0.25"/>'
    return "".join(
        [
            link("base", 5.0),
            link("wheel", 1.0),
            link("pinion", 0.5),
            joint("first", "revolute", ("base", "wheel"), axis="0 0 1",
                  limits='lower="-1" upper="1"'),
            joint("second", "revolute", ("base", "pinion"), axis="0 0 1",
                  limits='lower="-2" upper="2.5"', more=mimic),
        ]
    )  # fmt: skip


def write(folder: Path, body: str) -> Path:
    (folder / "meshes").mkdir(parents=True)
    for name in ("base", "nut", "wheel", "pinion"):
        (folder / "meshes" / f"{name}.obj").write_text(TETRAHEDRON)
    (folder / "object.urdf").write_text(f'<robot name="thing">{body}</robot>')
    return folder


@pytest.fixture
def heavy(tmp_path: Path) -> Path:
    """Return a slide of 20 t that stands on its lower limit; its picture is a flat sheet."""
    ends = ("base", "nut")
    slide = joint("slide", "prismatic", ends, axis="0 0 1", limits='lower="0" upper="1"')
    folder = write(tmp_path / "heavy", link("base", 5.0) + link("nut", 2e4) + slide)
    text = (folder / "object.urdf").read_text()
    sheet = '<visual name="nut"><geometry><mesh filename="meshes/sheet.obj"/></geometry></visual>'
    start, end = text.index('<visual name="nut">'), text.index('<collision name="nut-c">')
    (folder / "object.urdf").write_text(text[:start] + sheet + text[end:])
    flat = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv .1 .1 0\nf 1 2 3\nf 2 4 3\n"
    (folder / "meshes/sheet.obj").write_text(flat)
    return folder


@pytest.fixture
def screw(tmp_path: Path) -> Path:
    return write(tmp_path / "screw", screw_text(0.05))


@pytest.fixture
def geared(tmp_path: Path) -> Path:
    return write(tmp_path / "geared", geared_text())


@pytest.fixture
def cubes(tmp_path: Path) -> Path:
    """Return two cubes of 0.1 m on one base, in one place; the wheel slides off along x."""
    ends = (("base", "wheel"), ("base", "pinion"))
    slide = joint("slide", "prismatic", ends[0], axis="1 0 0", limits='lower="0" upper="1"')
    turn = joint("turn", "revolute", ends[1], axis="0 0 1", limits='lower="-1" upper="1"')
    links = [link(name, 1.0) for name in ("base", "wheel", "pinion")]
    folder = write(tmp_path / "cubes", "".join([*links, slide, turn]))
    for name in ("wheel", "pinion"):
        (folder / "meshes" / f"{name}.obj").write_text(CUBE)
    return folder


@pytest.fixture(
    params=[
        pytest.param(name, marks=() if name in ("pinocchio", "mujoco") else pytest.mark.judges)
        for name in PACKAGES
    ]
)
def simulator(request: Any) -> str:
    name = str(request.param)
    if importlib.util.find_spec(PACKAGES[name]) is None:
        pytest.skip(f"{name} is not installed; `make judges` installs it")
    return name
