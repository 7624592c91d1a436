# SPDX-License-Identifier: Apache-2.0
"""Each preset gives the numbers that follow by hand from the project's formulas.

The cases are those of the research on the projects' code: reversed lines, parallel hinges, gates.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from aa_dataset.cli.presets import NAMES
from aa_dataset.errors import ArenaError
from aa_dataset.kinematics import Joint, JointType
from aa_dataset.score.presets import PRESETS, JointPair, by_name

Z, X, Y = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def hinge(axis=Z, origin=(0.0, 0.0, 0.0), lower=0.0, upper=1.5) -> Joint:
    return Joint("hinge", JointType.REVOLUTE, np.array(axis), np.array(origin), lower, upper)


def slide(axis=X, origin=(0.0, 0.0, 0.0), lower=0.0, upper=0.4) -> Joint:
    return Joint("slide", JointType.PRISMATIC, np.array(axis), np.array(origin), lower, upper)


def tilted(angle: float) -> tuple[float, float, float]:
    """The z axis turned about x."""
    return 0.0, -math.sin(angle), math.cos(angle)


def numbers(name: str, *pairs: JointPair, spurious: int = 0) -> dict[str, float]:
    rows = by_name(name).compute(pairs, spurious=spurious)
    return {row.column.key: row.number for row in rows}


def one(name: str, predicted: Joint | None, truth: Joint, **facts: float) -> dict[str, float]:
    return numbers(name, JointPair("a", truth, predicted, **facts))


def rows(name: str, *pairs: JointPair):
    return {row.column.key: row for row in by_name(name).compute(pairs)}


# --- Ditto ----------------------------------------------------------------------------------------


def test_ditto_places_the_same_line_reversed_at_twice_its_distance_from_the_origin():
    truth = hinge(origin=(1.0, 0.0, 0.0))
    found = one("ditto", truth.reversed(), truth)
    assert found["revolute/axis_displacement"] == pytest.approx(2.0, abs=1e-12)
    assert found["revolute/axis_orientation"] == 0.0
    # The coordinate is negated with the axis, so the state change agrees.
    assert found["revolute/config_err"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("distance", [0.25, 3.0])
def test_ditto_measures_the_distance_of_lines_of_one_direction(distance):
    found = one("ditto", hinge(origin=(0.0, distance, 7.0)), hinge())
    assert found["revolute/axis_displacement"] == pytest.approx(distance, abs=1e-12)


def test_ditto_measures_skew_lines_by_the_reciprocal_product():
    # Lines along z and y, 0.3 apart along x.
    found = one("ditto", hinge(axis=Y, origin=(0.3, 5.0, 2.0)), hinge())
    assert found["revolute/axis_displacement"] == pytest.approx(0.3)
    assert found["revolute/axis_orientation"] == pytest.approx(90.0)


def test_ditto_gives_degrees_for_hinges_and_radians_for_slides():
    turned = one("ditto", hinge(axis=tilted(0.2), upper=1.2), hinge(upper=1.5))
    assert turned["revolute/axis_orientation"] == pytest.approx(math.degrees(0.2))
    assert turned["revolute/config_err"] == pytest.approx(math.degrees(0.3))
    moved = one("ditto", slide(axis=tilted(0.2), upper=0.3), slide(axis=Z, upper=0.4))
    assert moved["prismatic/axis_orientation"] == pytest.approx(0.2)
    assert moved["prismatic/config_err"] == pytest.approx(0.1)


def test_ditto_sees_a_door_that_opens_the_wrong_way():
    found = one("ditto", hinge(lower=-1.5, upper=0.0), hinge())
    assert found["revolute/config_err"] == pytest.approx(math.degrees(3.0))


def test_ditto_loses_a_perfect_axis_to_rounding_and_drops_it_from_the_mean():
    truth = hinge(axis=(1.0, 1.0, 1.0))
    assert sum(float(a) * float(a) for a in truth.axis) > 1.0  # why the arc cosine is undefined
    row = rows("ditto", JointPair("a", truth, truth))["revolute/axis_orientation"]
    assert math.isnan(row.number) and (row.count, row.undefined) == (0, 1)
    pairs = JointPair("a", truth, truth), JointPair("b", hinge(), hinge(axis=tilted(0.1)))
    row = rows("ditto", *pairs)["revolute/axis_orientation"]
    assert row.number == pytest.approx(math.degrees(0.1))
    assert (row.count, row.undefined) == (1, 1)


def test_ditto_measures_a_wrong_type_and_leaves_absent_outputs_out():
    wrong = rows("ditto", JointPair("a", hinge(), slide(axis=Z)), JointPair("b", hinge(), None))
    accuracy, axis = wrong["joint_type/accuracy"], wrong["revolute/axis_orientation"]
    assert (accuracy.number, accuracy.count, accuracy.silent) == (0.0, 1, 1)
    assert (axis.number, axis.count, axis.silent) == (0.0, 1, 1)


# --- PARIS ----------------------------------------------------------------------------------------


def test_paris_forgives_exactly_parallel_axes():
    assert one("paris", hinge(origin=(1.0, 1.0, 0.0)), hinge())["rotate/pos_err"] == 0.0
    # A tilt about x by any angle: the common normal is x, on which the offset has length 1.
    found = one("paris", hinge(axis=tilted(1e-3), origin=(1.0, 1.0, 0.0)), hinge())
    assert found["rotate/pos_err"] == pytest.approx(1.0)


def test_paris_doubles_the_predicted_translation():
    assert one("paris", slide(), slide())["translate/trans_err"] == pytest.approx(0.4)
    assert one("paris", slide(upper=0.2), slide())["translate/trans_err"] == pytest.approx(0.0)


def test_paris_measures_rotations_by_the_angle_between_them():
    found = one("paris", hinge(upper=1.2), hinge(upper=1.5))
    assert found["rotate/geo_dist"] == pytest.approx(math.degrees(0.3))
    # Half turns about two axes at the angle t differ by a turn of 2 t.
    found = one("paris", hinge(axis=tilted(0.4), upper=math.pi), hinge(upper=math.pi))
    assert found["rotate/geo_dist"] == pytest.approx(math.degrees(0.8))
    assert found["rotate/ang_err"] == pytest.approx(math.degrees(0.4))


def test_paris_agrees_with_rotation_matrices():
    from scipy.spatial.transform import Rotation

    first, second = hinge(axis=(0.3, -0.5, 0.8), upper=1.1), hinge(axis=(0.1, 0.9, 0.2), upper=2.0)
    turns = [Rotation.from_rotvec(joint.axis * joint.upper) for joint in (first, second)]
    expected = math.degrees((turns[0] * turns[1].inv()).magnitude())
    assert one("paris", first, second)["rotate/geo_dist"] == pytest.approx(expected)


def test_paris_has_no_state_change_without_limits():
    wheel = Joint("wheel", JointType.CONTINUOUS, np.array(Z), np.zeros(3))
    row = rows("paris", JointPair("a", wheel, hinge()))["rotate/geo_dist"]
    assert math.isnan(row.number) and (row.count, row.silent) == (0, 1)


# --- Real2Code and the arbitrary direction for parallel axes --------------------------------------


@pytest.mark.parametrize("name, key", [
    ("real2code", "pos"), ("articulate-anything-code", "joint_origin"),
    ("urdf-anything", "origin_xyz_error/mean"),
])  # fmt: skip
def test_parallel_hinges_a_meter_apart_count_along_y_but_not_along_x(name, key):
    assert one(name, hinge(origin=(1.0, 0.0, 0.0)), hinge())[key] == 0.0
    assert one(name, hinge(origin=(0.0, 1.0, 0.0)), hinge())[key] == 1.0


@pytest.mark.parametrize("name, key, expected", [
    ("real2code", "pos", math.nan), ("articulate-anything-code", "joint_origin", math.nan),
    ("urdf-anything", "origin_xyz_error/mean", 5.0),  # falls back to the distance of origins
])  # fmt: skip
def test_the_axis_minus_x_has_no_direction_to_measure_along(name, key, expected):
    truth = hinge(axis=X)
    found = one(name, hinge(axis=(-1.0, 0.0, 0.0), origin=(0.0, 3.0, 4.0)), truth)
    assert found[key] == pytest.approx(expected, nan_ok=True)
    # The axis +x has its own rule: along z, x cross y.
    assert one(name, hinge(axis=X, origin=(0.0, 3.0, 4.0)), truth)[key] == pytest.approx(4.0)


def test_real2code_reports_nothing_but_the_type_for_a_wrong_type():
    pairs = (
        JointPair("a", hinge(), slide(axis=Z)),
        JointPair("a", hinge(), hinge(axis=tilted(0.3))),
    )
    found = rows("real2code", *pairs)
    assert found["type"].number == 0.5
    assert found["rot"].number == pytest.approx(math.degrees(0.3))
    assert (found["rot"].count, found["rot"].silent) == (1, 1)


def test_real2code_drops_missing_joints_unless_all_are_missing():
    found, missed = JointPair("a", hinge(), hinge()), JointPair("a", slide(), None)
    assert rows("real2code", found, missed)["type"].number == 1.0
    both = JointPair("b", hinge(), None), JointPair("b", slide(), None)
    row = rows("real2code", found, missed, *both)["type"]
    assert (row.number, row.count, row.silent) == (pytest.approx(1 / 3), 3, 1)


# --- Articulate-Anything --------------------------------------------------------------------------


def test_the_printed_protocol_fails_a_perfect_hinge_and_the_released_one_accepts_it():
    printed = rows("articulate-anything-paper", JointPair("a", hinge(), hinge()))
    assert printed["success"].number == 0.0
    assert math.isnan(printed["joint_origin"].number) and printed["joint_origin"].undefined == 1
    assert one("articulate-anything-code", hinge(), hinge())["success"] == 1.0


def test_a_reversed_joint_has_direction_error_two_in_print_and_none_in_code():
    truth = hinge()
    printed = one("articulate-anything-paper", truth.reversed(), truth)
    assert printed["direction_diff"] == pytest.approx(2.0)
    released = one("articulate-anything-code", truth.reversed(), truth)
    assert (released["direction_diff"], released["range_diff"]) == (0.0, 0.0)


def test_the_released_code_accepts_a_door_that_opens_the_wrong_way():
    found = one("articulate-anything-code", hinge(axis=(0.0, 0.0, -1.0)), hinge())
    assert (found["direction_diff"], found["range_diff"], found["success"]) == (0.0, 0.0, 1.0)


def test_the_released_origin_gate_is_a_mean_of_meters_and_radians():
    def success(offset: float, turn: float) -> float:
        guess = hinge(axis=tilted(0.1), origin=(offset, 0.0, 0.0))
        return one("articulate-anything-code", guess, hinge(), frame_rotation=turn)["success"]

    assert (success(0.099, 0.0), success(0.101, 0.0)) == (1.0, 0.0)
    assert (success(0.0, 0.09), success(0.0, 0.11)) == (1.0, 0.0)


def test_the_released_code_lets_an_undefined_origin_pass():
    found = one("articulate-anything-code", hinge(axis=(-1.0, 0.0, 0.0)), hinge(axis=X))
    assert math.isnan(found["joint_origin"]) and found["success"] == 1.0


def test_a_missing_joint_fails_with_infinite_errors_in_the_released_code():
    found = numbers(
        "articulate-anything-code", JointPair("a", hinge(), hinge()), JointPair("a", slide(), None)
    )
    assert (found["success"], found["joint_axis"]) == (0.5, math.inf)
    printed = rows("articulate-anything-paper", JointPair("a", slide(), None))["success"]
    assert math.isnan(printed.number) and printed.silent == 1


# --- URDF-Anything --------------------------------------------------------------------------------


@pytest.mark.parametrize("offset, turn, passes", [
    (0.099, 0.0, 1.0), (0.101, 0.0, 0.0), (0.04, 0.055, 1.0), (0.04, 0.065, 0.0),
])  # fmt: skip
def test_urdf_anything_gates_half_of_meters_and_radians(offset, turn, passes):
    guess = hinge(axis=tilted(0.1), origin=(offset, 0.0, 0.0))
    found = one("urdf-anything", guess, hinge(), frame_rotation=turn)
    assert found["origin_combined/mean"] == pytest.approx((offset + turn) / 2)
    assert (found["origin_within"], found["success"]) == (passes, passes)


def test_urdf_anything_fails_missing_joints_but_leaves_them_out_of_the_errors():
    good = JointPair("a", hinge(), hinge(axis=tilted(0.2)))
    worse = JointPair("a", hinge(), hinge(axis=tilted(0.6)))
    found = rows("urdf-anything", good, worse, JointPair("a", slide(), None))
    assert found["success"].number == 0.3333  # one of three, four decimals
    assert found["type_correct"].number == 0.6667
    error = found["axis_angle_error/mean"]
    assert (error.number, error.count, error.silent) == (pytest.approx(0.4), 2, 1)
    assert found["axis_angle_error/median"].number == pytest.approx(0.4)
    assert found["axis_angle_error/std"].number == pytest.approx(0.2)


def test_urdf_anything_compares_continuous_joints_by_their_origins():
    wheel = Joint("wheel", JointType.CONTINUOUS, np.array(Z), np.zeros(3))
    guess = replace(wheel, origin=np.array([0.0, 0.0, 0.7]))  # the same line
    found = one("urdf-anything", guess, wheel)
    assert found["origin_xyz_error/mean"] == pytest.approx(0.7)
    assert found["origin_within"] == 0.0


def test_urdf_anything_gives_a_fixed_joint_a_right_angle():
    fixed = Joint("weld", JointType.FIXED, np.zeros(3), np.zeros(3))
    assert one("urdf-anything", fixed, hinge())["axis_angle_error/mean"] == math.pi / 2


# --- SPARK and S2O --------------------------------------------------------------------------------


def test_spark_has_no_pivot_for_slides():
    found = rows(
        "spark",
        JointPair("a", slide(), slide(origin=(9.0, 0.0, 0.0))),
        JointPair("a", hinge(), hinge(origin=(0.3, 0.4, 0.0))),
    )
    pivot = found["PivotErr"]
    assert (pivot.number, pivot.count) == (pytest.approx(0.5), 1)
    assert (found["AxisErr"].number, found["TypeErr"].number) == (0.0, 0.0)


@pytest.mark.parametrize("angle, offset, axis_passes, origin_passes", [
    (math.radians(4.9), 0.09, 1.0, 1.0), (math.radians(5.1), 0.09, 0.0, 0.0),
    (math.radians(4.9), 0.11, 1.0, 0.0),
])  # fmt: skip
def test_s2o_gates_five_degrees_and_a_tenth_of_the_diagonal(
    angle, offset, axis_passes, origin_passes
):
    # Origin along x, perpendicular to the true axis; the part's diagonal is 2 m.
    guess = hinge(axis=tilted(angle), origin=(2.0 * offset, 0.0, 0.8))
    found = one("s2o", guess, hinge(), part_diagonal=2.0)
    assert found["micro_M"] == 1.0
    assert (found["micro_MA"], found["micro_MAO"]) == (axis_passes, origin_passes)
    assert found["micro_origin_diff"] == pytest.approx(offset)


def test_s2o_ignores_the_origin_of_slides_and_the_sign_of_axes():
    guess = slide(axis=(-1.0, 0.0, 0.0), origin=(0.0, 9.0, 0.0))
    found = one("s2o", guess, slide(), part_diagonal=1.0)
    assert found["micro_MAO"] == 1.0
    assert math.isnan(found["micro_origin_diff"])


def test_s2o_divides_precision_by_predictions_and_recall_by_matches():
    pairs = (
        JointPair("a", hinge(), hinge(), part_diagonal=1.0),
        JointPair("a", hinge(), slide(), part_diagonal=1.0),
        JointPair("b", slide(), slide(), part_diagonal=1.0),
        JointPair("b", slide(), None, part_diagonal=1.0),
    )
    found = numbers("s2o", *pairs, spurious=1)
    assert found["micro_M"] == pytest.approx(2 / 4)  # three partners and one spurious joint
    assert found["micro_M_recall"] == pytest.approx(2 / 3)
    assert found["macro_M"] == pytest.approx((1 / 2 + 1) / 2)


# --- all of them ----------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_states_units_and_quirks_and_survives_no_pairs(preset):
    assert preset.quirks and preset.reference and preset.protocol in ("one-joint", "all-joints")
    keys = [column.key for column in preset.columns]
    assert len(keys) == len(set(keys))
    assert {column.unit for column in preset.columns} <= {
        "1", "deg", "rad", "m", "rad or m", "m and rad",
    }  # fmt: skip
    assert all(row.count == 0 and math.isnan(row.number) for row in preset.compute([]))


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_value_of_a_preset_has_a_column(preset):
    pairs = [
        JointPair("a", truth, predicted)
        for truth in (hinge(), slide())
        for predicted in (None, hinge(), slide(axis=Z))
    ]
    known = {column.value or column.key for column in preset.columns}
    found = {name for values in preset.measure(pairs) for name in values}
    assert found == known


def test_an_unknown_preset_is_named_with_the_known_ones():
    with pytest.raises(ArenaError, match=r"no preset .dito.\. Choose from ditto, paris"):
        by_name("dito")


def test_the_names_of_presets_are_those_of_the_projects():
    assert [preset.name for preset in PRESETS] == [
        "ditto", "paris", "real2code", "articulate-anything-paper", "articulate-anything-code",
        "urdf-anything", "spark", "s2o",
    ]  # fmt: skip


def test_the_command_knows_every_preset():
    assert list(NAMES) == [preset.name for preset in PRESETS]
