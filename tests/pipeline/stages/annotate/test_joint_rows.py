# SPDX-License-Identifier: Apache-2.0
"""Rows of `joints`: endpoint pairs, motion sizes and moving bodies against their definitions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from aa_dataset.kinematics import Mimic
from aa_dataset.kinematics.screws import exp_twist
from pipeline.engine.runner import Outcome
from pipeline.stages.annotate.stage import annotate
from tests.kit import bench
from tests.kit import settings as settings_kit

KAPPA = math.pi
DENSITY = 500.0
# Size, place in the link frame and turn of every visual box, and of every link in its parent.
BOXES = {
    "foot": ((0.4, 0.4, 0.1), (0.3, 0.2, 0.1)),
    "arm": ((0.1, 0.1, 0.6), (0.0, 0.05, 0.3)),
    "plate": ((0.3, 0.2, 0.1), (0.0, 0.0, 0.0)),
    "knob": ((0.05, 0.06, 0.07), (0.1, 0.0, 0.0)),
    "bulb": ((0.1, 0.1, 0.2), (0.0, 0.0, 0.1)),
    "wheel": ((0.2, 0.2, 0.02), (0.0, 0.1, 0.0)),
    "slider": ((0.1, 0.3, 0.1), (0.0, 0.0, 0.0)),
}
FRAMES = {
    "arm": ("foot", (0.1, 0, 0.4), 0.3),
    "plate": ("arm", (0.2, 0.1, 0.5), -0.4),
    "knob": ("plate", (0.0, 0.3, 0.1), 1.0),
    "bulb": ("plate", (0, 0.1, 0), 0.0),
    "wheel": ("plate", (0.1, 0, 0), 0.0),
    "slider": ("foot", (-0.3, 0, 0), 0.0),
}
WELDED = {"tilt": ("arm", "plate", "knob"), "screw": ("bulb",), "spin": ("wheel",),
          "slide": ("slider",)}  # fmt: skip


@pytest.fixture
def lamp(tmp_path: Path) -> tuple[Outcome, np.ndarray]:
    """Return an annotated object with all joint types, and its frame's place in the source."""

    def part(name: str) -> str:
        size, place = BOXES[name]
        text = " ".join(map(str, place))
        return bench.box_link(name, " ".join(map(str, size)), f'<origin xyz="{text}"/>')

    def joint(name: str, kind: str, child: str, **more: str) -> str:
        parent, place, turn = FRAMES[child]
        text, rpy = " ".join(map(str, place)), f"0 0 {turn}"
        return bench.joint_text(name, kind, parent, child, xyz=text, rpy=rpy, **more)

    limit = 'effort="1" velocity="1" '
    urdf = bench.robot(
        *map(part, BOXES),
        '<link name="carrier"/>',
        joint("tilt", "revolute", "arm", axis="1 1 0", limit=limit + 'lower="-0.3" upper="1.2"'),
        joint("weld", "fixed", "plate"),
        joint("glue", "fixed", "knob"),
        bench.joint_text("screw", "revolute", "plate", "carrier", xyz="0 0.1 0", axis="0 0.6 0.8",
                         limit=limit + 'lower="0" upper="6"'),
        bench.joint_text("lift", "prismatic", "carrier", "bulb", axis="0 0.6 0.8",
                         more='<mimic joint="screw" multiplier="0.003"/>'),
        joint("spin", "continuous", "wheel", axis="0 1 0", limit=None),
        joint("slide", "prismatic", "slider", axis="0 3 4",
              limit=limit + 'lower="-0.1" upper="0.25"',
              more='<mimic joint="tilt" multiplier="0.2" offset="0.05"/>'),
    )  # fmt: skip
    normal = bench.normal(bench.write_object(tmp_path / "raw", urdf))
    row, where = bench.stored(tmp_path / "object.tar", normal)
    outcome = annotate(bench.annotate_task(row, where), settings_kit.SETTINGS)
    return outcome, np.array(normal.record.center)


def rows(outcome: Outcome) -> dict[str, dict]:
    """Return the joints by name."""
    return {row.joint: row for row in outcome.record.joints}


def link_frame(link: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rotation and place of a link in the source's frame."""
    if link not in FRAMES:
        return np.eye(3), np.zeros(3)
    parent, place, turn = FRAMES[link]
    rotation, origin = link_frame(parent)
    return rotation @ Rotation.from_euler("z", turn).as_matrix(), origin + rotation @ place


def point_masses(link: str, center: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eight masses and places (8, 3) in the object frame that have the box's moments.

    Gauss points integrate every polynomial up to the third degree exactly, so that sums over
    them are the integrals, without any formula for the inertia of a box.
    """
    size, place = BOXES[link]
    corners = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T / math.sqrt(3)
    rotation, origin = link_frame(link)
    points = (corners * np.array(size) / 2 + place) @ rotation.T + origin - center
    return np.full(8, DENSITY * np.prod(size) / 8), points


@pytest.mark.parametrize("name", WELDED)
def test_a_moving_body_is_the_sum_over_its_matter(
    lamp: tuple[Outcome, np.ndarray], name: str
) -> None:
    outcome, center = lamp
    parts = [point_masses(link, center) for link in WELDED[name]]
    masses = np.concatenate([part[0] for part in parts])
    points = np.concatenate([part[1] for part in parts])
    row = rows(outcome)[name]
    middle = masses @ points / masses.sum()
    arms = points - middle
    inertia = sum(
        m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True)
    )
    assert row.body_mass == pytest.approx(masses.sum(), rel=1e-6)
    assert row.body_com == pytest.approx(middle.tolist(), abs=1e-6)
    found = np.array(row.body_inertia).reshape(3, 3)
    assert found == pytest.approx(inertia, abs=1e-6 * np.trace(inertia))


def test_a_fixed_joint_moves_no_body_and_a_helical_pair_is_one_row(
    lamp: tuple[Outcome, np.ndarray],
) -> None:
    found = rows(lamp[0])
    assert set(found) == {*WELDED, "weld", "glue"}
    assert found["screw"].type == "helical"
    assert found["screw"].child == "bulb"
    for name in ("weld", "glue"):
        assert found[name].body_mass is None
        assert found[name].motion_kinetic is None
        assert found[name].motion_alpha == 0.0
        assert found[name].endpoint_lower == found[name].endpoint_upper == (0.0,) * 6


def test_mimics_are_marked_and_only_they(lamp: tuple[Outcome, np.ndarray]) -> None:
    found = rows(lamp[0])
    assert found["slide"].mimic == Mimic("tilt", 0.2, 0.05)
    assert [name for name, row in found.items() if row.mimic] == ["slide"]


def test_endpoint_pairs_are_limits_times_screws_eq_4(lamp: tuple[Outcome, np.ndarray]) -> None:
    for row in rows(lamp[0]).values():
        for end in ("lower", "upper"):
            twist, limit = getattr(row, f"endpoint_{end}"), getattr(row, end)
            if math.isinf(limit):
                assert twist is None
            else:
                assert twist == pytest.approx((limit * np.array(row.screw)).tolist(), abs=1e-8)
    assert rows(lamp[0])["spin"].endpoint_lower is None


@pytest.mark.parametrize("name", ["tilt", "screw", "slide"])
def test_the_endpoint_twist_carries_matter_to_the_end_of_the_range(
    lamp: tuple[Outcome, np.ndarray], name: str
) -> None:
    """Turn and shift points about the axis by hand, and by the exponential of the twist."""
    row = rows(lamp[0])[name]
    axis, origin, end = np.array(row.axis), np.array(row.origin), row.upper
    point = np.array([0.3, -0.2, 0.5])
    if row.type == "prismatic":
        expected = point + end * axis
    else:
        turned = Rotation.from_rotvec(end * axis).apply(point - origin)
        expected = origin + turned + end * row.pitch * axis
    moved = exp_twist(np.array(row.endpoint_upper)) @ [*point, 1.0]
    assert moved[:3] == pytest.approx(expected, abs=1e-8)


def test_motion_sizes_are_the_closed_form_under_both_norms(
    lamp: tuple[Outcome, np.ndarray],
) -> None:
    """E^phi to the fixed joint: the root of the squares of tanh(limit |screw| / kappa)."""
    outcome, center = lamp
    for name, links in WELDED.items():
        row = rows(outcome)[name]
        omega, v = np.split(np.array(row.screw), 2)
        alpha = math.sqrt(omega @ omega + v @ v)
        parts = [point_masses(link, center) for link in links]
        masses = np.concatenate([part[0] for part in parts])
        points = np.concatenate([part[1] for part in parts])
        # The kinetic norm is the root mean square speed of the matter.
        speeds = v + np.cross(omega, points)
        kinetic = math.sqrt(masses @ (speeds**2).sum(axis=1) / masses.sum())
        for column, norm in (("motion_alpha", alpha), ("motion_kinetic", kinetic)):
            ends = [math.tanh(getattr(row, end) * norm / KAPPA) for end in ("lower", "upper")]
            found = getattr(row, column)
            assert found == pytest.approx(math.hypot(*ends), rel=1e-5), (name, column)


def test_densities_follow_the_part_then_the_source_then_the_default(tmp_path: Path) -> None:
    urdf = bench.robot(
        bench.box_link("a", "1 1 1"), bench.box_link("b", "1 1 1"),
        bench.joint_text("hinge", "revolute", "a", "b"),
    )  # fmt: skip
    normal = bench.normal(bench.write_object(tmp_path / "raw", urdf))
    row, where = bench.stored(tmp_path / "object.tar", normal)

    def masses(source: str, **densities: dict[str, float]) -> list[float]:
        settings = settings_kit.changed(settings_kit.SETTINGS, annotate=densities)
        task = bench.annotate_task(row, where, {"b": "glass"}, source)
        return [link.mass for link in annotate(task, settings).record.links]

    by_source, by_part = (
        {"density_by_source": {"mill": 700.0}},
        {"density_by_part": {"glass": 2500.0}},
    )
    assert masses("mill") == pytest.approx([500, 500], rel=1e-5)
    assert masses("mill", **by_source) == pytest.approx([700, 700], rel=1e-5)
    assert masses("other-mill", **by_source) == pytest.approx([500, 500], rel=1e-5)
    assert masses("mill", **by_source, **by_part) == pytest.approx([700, 2500], rel=1e-5)


def test_a_needle_has_no_kinetic_size_and_a_finding(tmp_path: Path) -> None:
    urdf = bench.robot(
        bench.box_link("a", "1 1 1"), bench.box_link("b", "0.0001 0.0001 100"),
        bench.joint_text("hinge", "revolute", "a", "b"),
    )  # fmt: skip
    normal = bench.normal(bench.write_object(tmp_path / "raw", urdf))
    row, where = bench.stored(tmp_path / "object.tar", normal)
    outcome = annotate(bench.annotate_task(row, where), settings_kit.SETTINGS)
    assert rows(outcome)["hinge"].motion_kinetic is None
    assert "body_line" in bench.codes(outcome)
