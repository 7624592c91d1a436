# SPDX-License-Identifier: Apache-2.0
"""No moving link has an inertia that simulators cannot compute with; unusual masses are said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from aa_dataset.kinematics.urdf import UrdfModel, parse_urdf
from pipeline.engine.runner import Outcome
from pipeline.handover.categorized import CategoryRecord
from pipeline.stages.annotate.floor import FAR_OFF, LEAST_MOMENT, LEAST_SHARE
from tests.kit import bench


def chain(
    folder: Path, *sizes: str, category: CategoryRecord | None = None, **facts: Any
) -> Outcome:
    """Return a chain of hinged boxes after annotate; `facts` are those of its source."""
    names = [f"l{number}" for number in range(len(sizes))]
    links = [bench.box_link(name, size) for name, size in zip(names, sizes, strict=True)]
    joints = [
        bench.joint_text(f"j{number}", "revolute", names[number], names[number + 1])
        for number in range(len(sizes) - 1)
    ]
    raw = bench.write_object(folder / "raw", bench.robot(*links, *joints))
    normal = bench.normal(raw, {**bench.METRIC, **facts})
    return bench.annotated(folder / "made.tar", normal, category)


def moments(outcome: Outcome) -> dict[str, np.ndarray]:
    """Return the principal moments of every link [kg m^2], ascending."""
    model: UrdfModel = parse_urdf((outcome.files or {})["object.urdf"])
    links = [(link.name, link.inertial) for link in model.links]
    return {name: np.linalg.eigvalsh(one.inertia) for name, one in links if one is not None}


def found(outcome: Outcome, code: str) -> list[str]:
    return [one.detail for one in outcome.findings if one.code == code]


def box_moment(edge: float) -> float:
    """Return the moment of a cube of the default density, 500 kg/m^3."""
    return 500 * edge**5 / 6


def test_a_usual_chain_is_left_alone(tmp_path: Path) -> None:
    outcome = chain(tmp_path, "1 1 1", "0.1 0.1 0.1", "0.01 0.01 0.01")
    assert found(outcome, "inertia_raised") == []
    assert moments(outcome)["l2"] == pytest.approx(box_moment(0.01), rel=1e-6)


def test_a_speck_gets_the_least_moment_and_mujoco_loads_it(tmp_path: Path) -> None:
    outcome = chain(tmp_path, "0.1 0.1 0.1", "0.0002 0.0002 0.0002")
    assert box_moment(0.0002) < 1e-15
    assert moments(outcome)["l1"] == pytest.approx(LEAST_MOMENT, rel=1e-6)
    assert found(outcome, "inertia_raised")[0].startswith("link l1: the least moment of inertia")
    folder = bench.unpacked(outcome, tmp_path / "made")
    text = (folder / "object.urdf").read_text()
    head = '<mujoco><compiler discardvisual="true" balanceinertia="false"/></mujoco></robot>'
    model = mujoco.MjModel.from_xml_string(
        text.replace("</robot>", head), {path.name: path.read_bytes()
                                         for path in (folder / "meshes").iterdir()}
    )  # fmt: skip
    assert model.njnt == 1


def test_the_floor_follows_the_moving_neighbors_not_the_base(tmp_path: Path) -> None:
    heavy = chain(tmp_path / "a", "1 1 1", "9 9 9", "0.004 0.004 0.004")
    floor = LEAST_SHARE * 3 * box_moment(9.0)
    assert moments(heavy)["l2"] == pytest.approx(floor, rel=1e-6)
    based = chain(tmp_path / "b", "9 9 9", "0.004 0.004 0.004")
    assert moments(based)["l1"] == pytest.approx(box_moment(0.004), rel=1e-6)


def test_unusual_masses_are_said_where_meters_are_true(tmp_path: Path) -> None:
    outcome = chain(tmp_path, "10 10 10", "0.004 0.004 0.004")  # of 500 kg/m^3
    assert found(outcome, "mass_unusual") == ["link l1 has 0.032 g.", "the object has 500 t."]
    assert found(chain(tmp_path / "x", "1 1 1", "1 1 1"), "mass_unusual") == []


def test_light_links_are_said_once_for_an_object(tmp_path: Path) -> None:
    cubes = [
        "1 1 1",
        "0.005 0.005 0.005",
        "0.004 0.004 0.004",
        "0.0058 0.0058 0.0058",
        "0.1 0.1 0.1",
    ]
    # Of 500 kg/m^3: 0.0625 g, 0.032 g, 0.0976 g and 500 g.
    assert found(chain(tmp_path, *cubes), "mass_unusual") == [
        "3 links have less than 0.1 g each; the lightest link l2 has 0.032 g."
    ]


def test_a_mass_far_from_the_usual_of_its_category_is_said(tmp_path: Path) -> None:
    total = 2 * 500.0  # two cubes of 1 m
    for number, (lightest, heaviest) in enumerate(
        [(100, 200), (total * FAR_OFF * 0.99, 1e5), (1, total / FAR_OFF * 1.01)]
    ):
        fits = CategoryRecord("door", "Doors", "metadata: door", lightest, heaviest)
        outcome = chain(tmp_path / str(number), "1 1 1", "1 1 1", category=fits)
        assert found(outcome, "mass_unusual") == []
    for number, (lightest, heaviest) in enumerate(
        [(total * FAR_OFF * 1.01, 1e5), (1, total / FAR_OFF * 0.99)]
    ):
        off = CategoryRecord("door", "Doors", "metadata: door", lightest, heaviest)
        outcome = chain(tmp_path / f"off{number}", "1 1 1", "1 1 1", category=off)
        assert found(outcome, "mass_unusual") == [
            f"a mass of 1e+03 kg is far from the {lightest:g} to {heaviest:g} kg that a door "
            "usually has."
        ]
        outcome = chain(tmp_path / f"u{number}", "1 1 1", "1 1 1", category=off, scale="arbitrary")
        assert found(outcome, "mass_unusual") == []


def test_a_heavy_category_may_exceed_five_tons(tmp_path: Path) -> None:
    truck = CategoryRecord("truck", "Mobility", "metadata: truck", 1500.0, 20000.0)
    outcome = chain(tmp_path, "3 3 2", "1 1 1", category=truck)  # 9.5 t
    assert found(outcome, "mass_unusual") == []
