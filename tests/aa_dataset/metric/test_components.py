# SPDX-License-Identifier: Apache-2.0
"""Section 3.2 and table 3: the component protocol in three variants, and how it fails."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from aa_dataset.kinematics import Joint
from aa_dataset.metric import component_errors, joint_distance, motion_size
from tests.kit.metric_strategies import bounded_joints, directions, joints, numbers, vectors

HINGE = Joint("hinge", "revolute", [0, 0, 1], [0.5, 0.2, 0], 0.0, 1.5)
DRAWER = Joint("drawer", "prismatic", [1, 0, 0], [0, 0, 0.3], 0.0, 0.4)
WELD = Joint("weld", "fixed", [0, 0, 1], [0, 0, 0])


@given(bounded_joints(), bounded_joints())
def test_strict_formulas_of_section_3_2(predicted, truth):
    found = component_errors(predicted, truth)
    a, b = predicted.axis, truth.axis
    cosine = min(1.0, abs(a @ b))
    assert found.axis_error == pytest.approx(math.acos(cosine), abs=1e-7)
    offset, normal = predicted.origin - truth.origin, np.cross(a, b)
    if truth.type == "prismatic":
        assert found.origin_error == pytest.approx(np.linalg.norm(offset))
    elif np.linalg.norm(normal) > 1e-6:
        expected = abs(offset @ normal) / np.linalg.norm(normal)
        assert found.origin_error == pytest.approx(expected, abs=1e-7)
    m1, m2 = (j.axis * (j.upper - j.lower) for j in (predicted, truth))
    assert found.range_error == pytest.approx(np.linalg.norm(m1 - m2), abs=1e-12)
    sizes = np.linalg.norm(m1) * np.linalg.norm(m2)
    if sizes > 1e-9:
        assert found.direction_error == pytest.approx(1 - m1 @ m2 / sizes, abs=1e-9)
    assert found.success == (
        found.type_error == 0 and found.axis_error < 0.25 and found.origin_error < 0.05
    )


@given(joints())
def test_truth_against_itself_succeeds_in_parallel_safe_and_never_in_strict_hinges(joint):
    safe = component_errors(joint, joint, variant="parallel-safe")
    assert safe.success
    strict = component_errors(joint, joint)
    if joint.type == "prismatic":
        assert strict.success
    else:
        assert not strict.success
        assert math.isnan(strict.origin_error)
        assert strict.type_error == 0


@given(directions, vectors, vectors)
def test_parallel_safe_measures_from_point_to_line(axis, origin, offset):
    one = Joint("a", "revolute", axis, origin, 0, 1)
    two = replace(one, origin=origin + offset)
    expected = np.linalg.norm(np.cross(offset, one.axis))
    for other in (two, two.reversed()):
        found = component_errors(other, one, variant="parallel-safe").origin_error
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("off", [0.06, 0.3, 1.0, 20.0])
def test_the_tilt_from_which_a_hinge_elsewhere_succeeds_in_parallel_safe(off):
    """Lines that meet are 0 apart, so the error is d (1e-2 - s) / 9e-3; it is 0.05 at this s."""
    limit = 1e-2 - 0.05 * 9e-3 / off
    if off == 1.0:
        assert limit == pytest.approx(9.55e-3)
    truth = Joint("h", "revolute", [0, 0, 1], [0, 0, 0], 0, 1)
    for share in (1 - 1e-6, 1 + 1e-6):
        sine = share * limit
        tilted = [sine, 0, math.sqrt(1 - sine * sine)]
        found = component_errors(
            Joint("p", "revolute", tilted, [off, 0, 0], 0, 1), truth, variant="parallel-safe"
        )
        assert found.origin_error == pytest.approx(off * (1e-2 - sine) / 9e-3)
        assert found.success == (share > 1)


def test_fixed_joint_never_succeeds_in_strict_and_has_no_axis_in_parallel_safe():
    strict = component_errors(WELD, WELD)
    assert strict.axis_error == math.pi / 2
    assert not strict.success
    safe = component_errors(WELD, WELD, variant="parallel-safe")
    assert math.isnan(safe.axis_error)
    assert safe.success
    assert not component_errors(HINGE, WELD, variant="parallel-safe").success


def test_types_continuous_and_helical():
    wheel = Joint("w", "continuous", [0, 0, 1], [0.5, 0.2, 0])
    screw = Joint("s", "helical", [0, 0, 1], [0.5, 0.2, 0], 0.0, 1.5, 0.01)
    assert component_errors(wheel, HINGE).type_error == 1
    assert component_errors(wheel, HINGE, merge_continuous=True).type_error == 0
    assert component_errors(screw, HINGE).type_error == 0


def test_unknown_variant_raises():
    with pytest.raises(ValueError, match="variant"):
        component_errors(HINGE, HINGE, variant="lenient")


# What the public Articulate-Anything code does (research notes 0.2), each fact by hand.


def test_released_takes_the_better_orientation_for_limits():
    """So row 1's direction error of 2 does not occur there, nor does a door opening backwards."""
    for other in (HINGE.reversed(), replace(HINGE, axis=-HINGE.axis)):
        found = component_errors(other, HINGE, variant="released")
        assert found.direction_error == pytest.approx(0)
        assert found.range_error == pytest.approx(0)
        assert found.success


@pytest.mark.parametrize(("shift", "expected"), [((1, 0, 0), 0.0), ((0, 1, 0), 1.0)])
def test_released_parallel_axes_use_one_arbitrary_direction(shift, expected):
    other = replace(HINGE, origin=HINGE.origin + np.array(shift))
    found = component_errors(other, HINGE, variant="released")
    assert found.origin_error == pytest.approx(expected)


def test_released_predicted_axis_of_minus_x_gives_nan_and_passes():
    one = Joint("a", "revolute", [1, 0, 0], [0, 0, 0], 0, 1)
    two = replace(one, axis=[-1, 0, 0], origin=[0, 5, 5])
    found = component_errors(two, one, variant="released")
    assert math.isnan(found.origin_error)
    assert found.success


def test_released_origin_gate_is_a_mean_with_the_frame_rotation():
    near = replace(HINGE, origin=HINGE.origin + np.array([0, 0.099, 0]))
    assert component_errors(near, HINGE, variant="released").success
    assert not component_errors(near, HINGE, variant="released", frame_rotation=0.01).success
    assert not component_errors(HINGE, HINGE, variant="released", frame_rotation=0.11).success


def test_released_limit_gates_and_mercy_on_prismatic_joints():
    wide = replace(HINGE, upper=HINGE.upper + 1.7)
    assert not component_errors(wide, HINGE, variant="released").success
    assert component_errors(wide, HINGE).success is False  # parallel axes, strict
    assert component_errors(wide, HINGE, variant="parallel-safe").success  # drops the limits
    far = replace(DRAWER, origin=[9, 9, 9], upper=5.0)
    assert component_errors(far, DRAWER, variant="released").success
    assert not component_errors(far, DRAWER).success


@pytest.mark.parametrize("lower", [-math.inf, 0.0])
@pytest.mark.parametrize(("axis", "passes"), [((0, 0, 1), True), ((1, 2, 3), False)])
def test_released_infinite_ranges_pass_along_a_coordinate_axis_only(axis, passes, lower):
    """That code's motion vector is (nan, nan, inf), of norm nan, or (inf, inf, inf), of norm inf.

    No direction is defined, so it takes the flipped prediction, and nothing cancels.
    """
    valve = Joint("valve", "revolute", axis, [0, 0, 0], lower, math.inf)
    for predicted in (valve, replace(valve, lower=0, upper=1)):
        found = component_errors(predicted, valve, variant="released")
        assert math.isnan(found.direction_error)
        assert math.isnan(found.range_error) == passes
        assert found.success == passes


def test_released_falls_back_to_the_axis_when_the_range_is_zero():
    still = replace(HINGE, upper=0.0)
    found = component_errors(still, HINGE, variant="released")
    assert found.direction_error == pytest.approx(0)
    assert found.range_error == pytest.approx(1.5)
    wheel = Joint("w", "continuous", [0, 0, 1], [0.5, 0.2, 0])
    assert component_errors(wheel, wheel, variant="released").range_error == 0


# Table 3: each row shows the old score failing and E succeeding.


@given(bounded_joints())
def test_table_3_row_1_axis_reversed_limits_negated(joint):
    found = component_errors(joint.reversed(), joint)
    if joint.upper - joint.lower > 1e-6:
        assert found.direction_error == pytest.approx(2)
    assert found.axis_error == pytest.approx(0, abs=1e-12)
    assert joint_distance(joint.reversed(), joint) == 0


@given(bounded_joints(), numbers(0.1, 2))
def test_table_3_row_2_interval_shifted(joint, shift):
    moved = replace(joint, lower=joint.lower + shift, upper=joint.upper + shift)
    found = component_errors(moved, joint)
    assert found.range_error == pytest.approx(0, abs=1e-9)
    assert joint_distance(moved, joint) > 0.05


def test_table_3_row_3_near_parallel_axes():
    """The paper says "diverges"; it is bounded by the offset but depends on how the axis tilts."""
    offset = np.array([0.04, 0.0258, 0.0])
    scores, ours = [], []
    for turn in (0.0, 0.5, math.pi / 2):
        for tilt in (1e-2, 1e-5, 1e-8):
            axis = [tilt * math.cos(turn), tilt * math.sin(turn), 1.0]
            other = replace(HINGE, axis=axis, origin=HINGE.origin + offset)
            scores.append(component_errors(other, HINGE).origin_error)
            shifted = replace(HINGE, origin=HINGE.origin + offset)
            ours.append(abs(joint_distance(other, HINGE) - joint_distance(shifted, HINGE)) / tilt)
            assert scores[-1] <= np.linalg.norm(offset) + 1e-6
    assert max(scores[2::3]) - min(scores[2::3]) > 0.02  # same tilt of 1e-8, different answers
    assert max(ours) < 5  # ours changes by at most a constant times the tilt
    exact = component_errors(replace(HINGE, origin=HINGE.origin + offset), HINGE)
    assert math.isnan(exact.origin_error)
    assert not component_errors(HINGE, HINGE).success


@given(bounded_joints(kinds=("prismatic",)), vectors)
def test_table_3_row_4_prismatic_origin(joint, offset):
    moved = replace(joint, origin=joint.origin + offset)
    assert component_errors(moved, joint).origin_error == pytest.approx(np.linalg.norm(offset))
    assert joint_distance(moved, joint) == 0


@pytest.mark.parametrize("reach", [1.0, 1e-3, 1e-9])
def test_table_3_row_5_small_range_against_fixed(reach):
    small = replace(HINGE, upper=reach)
    assert component_errors(small, WELD).type_error == 1
    unit = motion_size(replace(HINGE, upper=1.0))
    assert joint_distance(small, WELD) == pytest.approx(reach * unit)


def test_table_3_row_6_continuous_joint():
    wheel = Joint("w", "continuous", [0, 0, 1], [0.5, 0.2, 0])
    found = component_errors(HINGE, wheel)
    assert math.isnan(found.range_error)
    assert math.isnan(found.direction_error)
    gaps = [
        joint_distance(replace(HINGE, lower=-reach, upper=reach), wheel, compactify=math.pi)
        for reach in (1, 3, 10, 30)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-6


def test_table_3_row_7_thresholds_discard_magnitude():
    """Two failures of very different size look alike to the indicator, not to E."""
    bad = replace(HINGE, axis=[math.sin(0.3), 0, math.cos(0.3)], origin=[0.5, 0.2, 1.0])
    worse = replace(HINGE, axis=[1, 0, 0.1], origin=[5, 5, 5])
    assert component_errors(bad, HINGE).success is component_errors(worse, HINGE).success is False
    assert joint_distance(worse, HINGE) > 3 * joint_distance(bad, HINGE)


def test_pitch_is_invisible_to_components():
    one = Joint("a", "helical", [0, 0, 1], [0, 0, 0], 0.0, 6.0, 0.001)
    two = replace(one, pitch=5.0)
    found = component_errors(two, one, variant="parallel-safe")
    assert found.success
    assert found.range_error == 0
    assert joint_distance(one, two) == pytest.approx(4.999 * 6.0)


def tilted(angle, toward, offset=1.0):
    """Return a hinge `offset` [m] off along x, tilted in the plane of z and (cos, sin) `toward`."""
    axis = [
        math.sin(angle) * math.cos(toward),
        math.sin(angle) * math.sin(toward),
        math.cos(angle),
    ]
    return Joint("p", "revolute", axis, [offset, 0, 0], 0, 1)


UPRIGHT = Joint("t", "revolute", [0, 0, 1], [0, 0, 0], 0, 1)


@pytest.mark.parametrize("angle", [0.0, 1e-14, 1e-11, 1e-9, 1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("toward", [0.0, 0.7, math.pi / 2, math.pi])
def test_parallel_safe_sees_a_hinge_one_meter_off(angle, toward):
    """Tilted towards the offset the lines meet, up to 10^11 m away: that is no small error."""
    found = component_errors(tilted(angle, toward), UPRIGHT, variant="parallel-safe")
    assert found.origin_error == pytest.approx(1.0, rel=1e-12)
    assert not found.success


@pytest.mark.parametrize("toward", [0.0, 0.4, math.pi / 2])
def test_parallel_safe_is_continuous_in_the_tilt(toward):
    """Point to line is 1 m, line to line |sin toward|: between them the slope is bounded."""
    angles = np.concatenate([[0.0], np.logspace(-15, -3, 100), np.linspace(1e-3, 2e-2, 4001)])
    errors = np.array(
        [
            component_errors(tilted(a, toward), UPRIGHT, variant="parallel-safe").origin_error
            for a in angles
        ]
    )
    most = (1 - abs(math.sin(toward))) / (1e-2 - 1e-3)
    assert (np.abs(np.diff(errors)) <= 1.001 * most * np.diff(angles) + 1e-9).all()
    assert errors[0] == pytest.approx(1.0)
    strict = component_errors(tilted(2e-2, toward), UPRIGHT).origin_error
    assert errors[-1] == strict == pytest.approx(abs(math.sin(toward)), abs=1e-12)


def test_errors_print_as_a_small_table():
    text = str(component_errors(tilted(0.0, 0.0, 0.03), UPRIGHT, variant="parallel-safe"))
    assert text.splitlines()[0] == "component errors (parallel-safe): success"
    assert "origin     0.03 m" in text
    strict = str(component_errors(tilted(0.0, 0.0, 0.03), UPRIGHT))
    assert "failure" in strict and "origin     undefined" in strict
