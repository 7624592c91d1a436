# SPDX-License-Identifier: Apache-2.0
"""Damping, friction and armature against the stated rule, worked out by hand for point masses."""

from __future__ import annotations

import math

import pytest

from aa_dataset.kinematics.urdf import Dynamics, parse_urdf
from pipeline.shapes.urdf_text import format_urdf
from pipeline.stages.annotate.dynamics import with_dynamics

G = 9.81
SPIN = 1e-12  # kg m^2, so small that a body is a point


def link(name: str, mass: float, at: str = "0 0 0") -> str:
    tensor = f'<inertia ixx="{SPIN}" iyy="{SPIN}" izz="{SPIN}" ixy="0" ixz="0" iyz="0"/>'
    inertial = f'<inertial><origin xyz="{at}"/><mass value="{mass}"/>{tensor}</inertial>'
    shape = '<visual><geometry><mesh filename="m.obj"/></geometry></visual>'
    return f'<link name="{name}">{inertial}{"" if name == "carrier" else shape}</link>'


def joint(name: str, kind: str, ends: str, limits: str = "", more: str = "") -> str:
    parent, child = ends.split()
    limit = f'<limit {limits} effort="1" velocity="1"/>' if limits else ""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 0 1"/>{limit}{more}</joint>'
    )


def dynamics(*parts: str) -> dict[str, Dynamics | None]:
    model = with_dynamics(parse_urdf(f"<robot>{''.join(parts)}</robot>".encode()))
    again = parse_urdf(format_urdf(model))  # what a file of the library says
    return {one.name: one.dynamics for one in again.joints}


def expected(mass: float, inertia: float, path: float, total: float) -> tuple[float, float, float]:
    """Return the rule: tau <= 0.5 s, 2 % of the weight at radius k, 1 % of the inertia."""
    armature = inertia * max(0.01, 1e-4 * total / mass)
    damping = (inertia + armature) / min(0.5, math.sqrt(path / 1.0))
    return damping, 0.02 * G * mass * math.sqrt(inertia / mass), armature


def test_a_slide_and_a_hinge_follow_the_rule() -> None:
    found = dynamics(
        link("base", 5.0),
        link("drawer", 2.0),
        link("door", 3.0, "0.4 0 0"),
        joint("slide", "prismatic", "base drawer", 'lower="0" upper="0.36"'),
        joint("hinge", "revolute", "base door", 'lower="0" upper="0.1"'),
    )
    slide, hinge = found["slide"], found["hinge"]
    assert slide == Dynamics(*map(pytest.approx, (2.02 / 0.5, 0.02 * 2 * G, 0.02)))
    # k = 0.4 m, J = 0.48 kg m^2, and 0.04 m of path: a time constant of 0.2 s.
    assert hinge == Dynamics(*(pytest.approx(x, rel=1e-3) for x in expected(3, 0.48, 0.04, 10)))
    assert hinge.damping == pytest.approx(0.48 * 1.01 / 0.2, rel=1e-3)


def test_a_joint_moves_everything_behind_it_and_a_free_turn_is_a_full_one() -> None:
    found = dynamics(
        link("base", 1.0),
        link("arm", 1.0, "0.3 0 0"),
        link("hand", 2.0, "0 0.4 0"),
        joint("spin", "continuous", "base arm"),
        joint("lift", "prismatic", "arm hand", 'lower="-0.1" upper="0.1"'),
    )
    inertia = 1.0 * 0.3**2 + 2.0 * 0.4**2
    path = 2 * math.pi * math.sqrt(inertia / 3)
    assert found["spin"].damping == pytest.approx(expected(3, inertia, path, 4)[0], rel=1e-3)
    assert found["lift"].damping == pytest.approx(2.02 / math.sqrt(0.2), rel=1e-3)


def test_a_leader_resists_for_its_followers_and_they_do_not() -> None:
    mimic = '<mimic joint="first" multiplier="-3" offset="0.1"/>'
    found = dynamics(
        link("base", 1.0),
        link("one", 1.0),
        link("two", 2.0),
        joint("first", "prismatic", "base one", 'lower="0" upper="1"'),
        joint("second", "prismatic", "base two", 'lower="-3" upper="0.1"', mimic),
        joint("weld", "fixed", "base plate"),
        link("plate", 1.0),
    )
    assert found["second"] is None
    assert found["weld"] is None
    assert found["first"].armature == pytest.approx(0.01 * (1 + 2 * 9), rel=1e-3)
    assert found["first"].damping == pytest.approx(1.01 * 19 / 0.5, rel=1e-3)


def test_a_thread_holds_its_own_weight_and_has_its_numbers_at_the_rotation() -> None:
    pitch = 0.02
    found = dynamics(
        link("base", 1.0),
        link("carrier", 1e-6),
        link("nut", 2.0, "0.001 0 0"),
        joint("turn", "revolute", "base carrier", 'lower="0" upper="9"'),
        joint("slide", "prismatic", "carrier nut", 'lower="0" upper="0.18"',
              f'<mimic joint="turn" multiplier="{pitch}"/>'),
    )  # fmt: skip
    assert found["slide"] is None
    assert found["turn"].friction == pytest.approx(1.5 * 2 * G * pitch, rel=1e-3)
    inertia = 2 * (0.001**2 + pitch**2)
    assert found["turn"].armature == pytest.approx(0.01 * inertia, rel=1e-3)


def test_a_tiny_key_has_a_share_of_the_objects_mass() -> None:
    found = dynamics(
        link("base", 9.999),
        link("key", 0.001),
        joint("press", "prismatic", "base key", 'lower="-0.0025" upper="0"'),
    )
    assert found["press"].armature == pytest.approx(1e-4 * 10, rel=1e-3)
    assert found["press"].damping == pytest.approx((0.001 + 0.001) / math.sqrt(0.0025), rel=1e-3)


def test_what_a_source_says_is_replaced() -> None:
    more = '<dynamics damping="77" friction="5"/>'
    found = dynamics(
        link("base", 1.0), link("a", 1.0), joint("w", "fixed", "base a", more=more),
        link("b", 1.0), joint("j", "prismatic", "base b", 'lower="0" upper="1"', more),
    )  # fmt: skip
    assert found["w"] is None
    assert found["j"].damping == pytest.approx(1.01 / 0.5, rel=1e-3)
