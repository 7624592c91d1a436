# SPDX-License-Identifier: Apache-2.0
"""Appendix B.1 to B.3: one test per theorem, proposition and remark on single joints."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aa_dataset.errors import JointError, NormError, UnboundedRangeError
from aa_dataset.kinematics import Joint, RigidBody, exp_twist
from aa_dataset.metric import (
    JointArray,
    KineticNorm,
    SplitNorm,
    compactified_endpoints,
    endpoint_twists,
    joint_distance,
    motion_size,
    twist_norm,
)
from tests.kit.metric_references import distance, size
from tests.kit.metric_strategies import (
    bodies,
    bounded_joints,
    directions,
    joints,
    norms,
    numbers,
    scales,
    vectors,
)

FIXED = Joint("weld", "fixed", [0, 0, 1], [0, 0, 0])


@given(bounded_joints(), bounded_joints(), norms)
def test_closed_form_is_equation_5(first, second, norm):
    expected = distance(first, second, norm)
    assert joint_distance(first, second, norm=norm) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(joints(), joints(), norms, scales)
def test_compactified_form_is_algorithm_1(first, second, norm, scale):
    expected = distance(first, second, norm, scale)
    found = joint_distance(first, second, norm=norm, compactify=scale)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(bounded_joints(), bounded_joints(), bounded_joints(), norms)
def test_theorem_endpoint_metric(first, second, third, norm):
    def d(a, b):
        return joint_distance(a, b, norm=norm)

    assert d(first, second) >= 0
    assert d(first, first) == 0
    assert d(first, second) == pytest.approx(d(second, first), rel=1e-12)
    assert d(first, third) <= (d(first, second) + d(second, third)) * (1 + 1e-12) + 1e-12


@given(joints(), joints(), joints(), norms, scales)
def test_proposition_compact_metric(first, second, third, norm, scale):
    def d(a, b):
        return joint_distance(a, b, norm=norm, compactify=scale)

    assert d(first, first) == 0
    assert d(first, second) == pytest.approx(d(second, first), rel=1e-12)
    assert d(first, third) <= (d(first, second) + d(second, third)) * (1 + 1e-12) + 1e-12
    assert d(FIXED, FIXED) == 0
    for joint in (first, second):
        size_of = motion_size(joint, norm=norm, compactify=scale)
        assert d(joint, FIXED) == pytest.approx(size_of, rel=1e-12)


@given(joints(), joints(), norms, scales)
def test_proposition_axis_flip(joint, other, norm, scale):
    assert joint_distance(joint, joint.reversed(), norm=norm, compactify=scale) == 0
    kept = joint_distance(joint, other, norm=norm, compactify=scale)
    turned = joint_distance(joint.reversed(), other, norm=norm, compactify=scale)
    assert turned == pytest.approx(kept, rel=1e-12, abs=1e-15)


@given(bounded_joints(kinds=("prismatic",)), vectors, norms)
def test_proposition_prismatic_gauge(joint, origin, norm):
    assert joint_distance(joint, replace(joint, origin=origin), norm=norm) == 0


@given(bounded_joints(), numbers(-3, 3), norms)
def test_origin_may_slide_along_a_rotation_axis(joint, step, norm):
    moved = replace(joint, origin=joint.origin + step * joint.axis)
    reach = 1 + float(motion_size(joint, norm=norm))
    assert joint_distance(joint, moved, norm=norm) <= 1e-13 * reach


@given(bounded_joints(), bounded_joints(), norms)
def test_proposition_identifiability(first, second, norm):
    """Equal endpoint pairs come from equal joints up to orientation, and only from those."""
    ends1, ends2 = endpoint_twists(first)[0], endpoint_twists(second)[0]
    same = any(np.allclose(ends1, ends2[list(order)], atol=1e-12) for order in ((0, 1), (1, 0)))
    assert (joint_distance(first, second, norm=norm) < 1e-9) == same
    assume(np.abs(ends1).max() > 1e-6)
    big = int(np.abs(ends1).max(axis=1).argmax())
    screw, limit = first.screw, first.limits[big]
    unit = ends1[big] / (np.linalg.norm(ends1[big][:3]) or np.linalg.norm(ends1[big][3:]))
    assert np.allclose(unit, math.copysign(1, limit) * screw)


@given(directions, vectors, norms)
def test_remark_fixed_joint_has_no_direction(axis, origin, norm):
    still = Joint("a", "revolute", axis, origin, 0.0, 0.0)
    assert joint_distance(still, FIXED, norm=norm) == 0


@given(bounded_joints(), numbers(0.01, 100), st.booleans())
def test_remark_unit_normalization_leaves_only_the_sign(joint, length, reverse):
    """Screws along one line differ by sign alone, so coordinate changes are affine with slope 1."""
    sign = -1 if reverse else 1
    other = replace(joint, axis=sign * length * joint.axis)
    assert np.allclose(other.screw, sign * joint.screw, atol=1e-14)


@given(directions, vectors, numbers(-50, 50), norms, scales)
def test_remark_continuous_joints_have_no_anchor(axis, origin, shift, norm, scale):
    wheel = Joint("w", "continuous", axis, origin)
    assert joint_distance(wheel, wheel.reanchored(shift), norm=norm, compactify=scale) == 0


@given(bounded_joints(), st.integers(-2, 2), st.booleans())
def test_proposition_same_motion(joint, turns, reverse):
    """Curves coincide iff the encodings agree up to reversal and, for hinges, whole turns."""
    assume(joint.upper - joint.lower > 0.1)
    shift = 2 * math.pi * turns
    other = replace(joint, lower=joint.lower + shift, upper=joint.upper + shift)
    other = other.reversed() if reverse else other
    q = np.linspace(joint.lower, joint.upper, 5)
    here = exp_twist(q[:, None] * joint.screw)
    sign = -1 if reverse else 1
    there = exp_twist((sign * (q + shift))[:, None] * other.screw)
    hinge = joint.type == "revolute" or (joint.pitch == 0.0 and joint.type == "helical")
    assert np.allclose(here, there, atol=1e-9) == (hinge or turns == 0)
    assert (joint_distance(joint, other) < 1e-9) == (turns == 0)


@given(bounded_joints(kinds=("revolute",)), st.integers(-3, 3), norms)
def test_remark_anchor_optional_wrap_identifies_turns(joint, turns, norm):
    shift = 2 * math.pi * turns
    other = replace(joint, lower=joint.lower + shift, upper=joint.upper + shift)
    for same in (other, other.reversed()):
        found = joint_distance(joint, same, norm=norm, wrap_turns=True)
        assert found <= 1e-9 * (1 + size(joint.screw, norm))


def test_remark_anchor_wrap_seam_keeps_orientation_invariance():
    """The paper's rule alone sends [0, 2 pi] and its own reversal 2 sqrt(2) pi apart."""
    full = Joint("a", "revolute", [0, 0, 1], [0, 0, 0], 0.0, 2 * math.pi)

    def wrapped(joint):
        middle = (joint.lower + joint.upper) / 2
        shift = 2 * math.pi * math.floor((middle + math.pi) / (2 * math.pi))
        return replace(joint, lower=joint.lower - shift, upper=joint.upper - shift)

    literal = joint_distance(wrapped(full), wrapped(full.reversed()))
    assert literal == pytest.approx(2 * math.sqrt(2) * math.pi)
    assert joint_distance(full, full.reversed(), wrap_turns=True) == 0
    almost = replace(full, upper=2 * math.pi - 1e-6)
    assert joint_distance(full, almost) == pytest.approx(1e-6)
    far = joint_distance(wrapped(full), wrapped(almost))
    assert far == pytest.approx(2 * math.sqrt(2) * math.pi, rel=1e-5)


@given(bounded_joints(), numbers(-2, 2), norms)
def test_remark_anchor_reanchoring_a_joint(joint, shift, norm):
    """A drawer saved half open is the same drawer: shifting back costs nothing."""
    stored = joint.reanchored(shift)
    assert stored.lower == joint.lower - shift
    back = stored.reanchored(-shift)
    reach = 1e-12 * (10 + size(joint.screw, norm))
    assert joint_distance(joint, back, norm=norm) <= reach
    assume(abs(shift) > 1e-3)
    assert joint_distance(joint, stored, norm=norm) > 0


@given(directions, vectors, numbers(-3, 3), norms, st.sampled_from(["revolute", "prismatic"]))
def test_proposition_fixed_continuity(axis, origin, reach, norm, kind):
    joint = Joint("a", kind, axis, origin, min(0, reach), max(0, reach))
    expected = abs(reach) * size(joint.screw, norm)
    assert joint_distance(joint, FIXED, norm=norm) == pytest.approx(expected, rel=1e-12)


@given(directions, vectors, numbers(0, 20), norms, scales)
def test_proposition_continuous_limit(axis, origin, reach, norm, scale):
    endless = Joint("c", "continuous", axis, origin)
    finite = Joint("f", "revolute", axis, origin, -reach, reach)
    x = reach * size(finite.screw, norm) / scale
    expected = math.sqrt(2) * 2 / (1 + math.exp(2 * x))  # sqrt(2) (1 - tanh x), without rounding
    found = joint_distance(finite, endless, norm=norm, compactify=scale)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(joints(), norms, scales)
def test_remark_completion_puts_infinite_ends_on_the_sphere(joint, norm, scale):
    ends = compactified_endpoints(joint, factor=norm.factor, scale=scale)[0]
    radii = twist_norm(ends, norm)
    for radius, limit in zip(radii, joint.limits, strict=True):
        if math.isinf(limit):
            assert radius == pytest.approx(1)
        elif abs(limit) * size(joint.screw, norm) / scale < 15:
            assert radius < 1


def test_one_sided_range_is_the_limit_of_growing_ranges():
    ray = Joint("a", "revolute", [0, 0, 1], [1, 0, 0], 0.0, math.inf)
    endless = Joint("b", "continuous", [0, 0, 1], [1, 0, 0])
    gaps = [joint_distance(replace(ray, upper=10.0**k), ray, compactify=math.pi) for k in range(4)]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 1e-100
    assert joint_distance(ray, endless, compactify=math.pi) == pytest.approx(1)


@given(bounded_joints(), bounded_joints(), bodies(), numbers(0.1, 10), scales)
def test_remark_scale(first, second, body, factor, kappa):
    """E_B scales with the object; E_B^phi does not if kappa scales along."""

    def scaled(joint):
        slide = joint.type == "prismatic"
        span = factor if slide else 1.0
        return replace(
            joint,
            origin=joint.origin * factor,
            lower=joint.lower * span,
            upper=joint.upper * span,
            pitch=joint.pitch * factor,
        )

    small, large = KineticNorm(body), KineticNorm(body.scaled(factor))
    one, two = scaled(first), scaled(second)
    raw = joint_distance(first, second, norm=small)
    assert joint_distance(one, two, norm=large) == pytest.approx(factor * raw, rel=1e-9, abs=1e-12)
    compact = joint_distance(first, second, norm=small, compactify=kappa)
    found = joint_distance(one, two, norm=large, compactify=kappa * factor)
    assert found == pytest.approx(compact, rel=1e-9, abs=1e-12)


@given(joints(), joints(), norms, scales)
def test_remark_scale_bound_is_2_with_zero_in_range_and_2_sqrt_2_without(a, b, norm, scale):
    """The paper's [0, 2] needs 0 in both ranges."""
    found = joint_distance(a, b, norm=norm, compactify=scale)
    assert found <= 2 * math.sqrt(2) + 1e-12
    if all(j.lower <= 0 <= j.upper for j in (a, b)):
        assert found <= 2 + 1e-12


def test_remark_scale_counterexample_beyond_2():
    one = Joint("a", "revolute", [0, 0, 1], [0, 0, 0], 20, 21)
    two = replace(one, lower=-21, upper=-20)
    assert joint_distance(one, two, compactify=math.pi) == pytest.approx(2 * math.sqrt(2), rel=1e-4)


def test_opening_the_wrong_way_costs_sqrt_2():
    """The swap pairs 0 with -l, so the price is sqrt(2) l |xi| and not twice the range."""
    door = Joint("a", "revolute", [0, 0, 1], [0.5, 0, 0], 0.0, 1.5)
    other = replace(door, lower=-1.5, upper=0.0)
    norm = SplitNorm()
    expected = math.sqrt(2) * 1.5 * size(door.screw, norm)
    assert joint_distance(door, other) == pytest.approx(expected)


def test_aligned_arrays_equal_single_pairs_with_one_norm_each():
    rng = np.random.default_rng(3)
    first, second, kinetic = [], [], []
    for k in range(20):
        lower, upper = sorted(rng.normal(size=2))
        for side in (first, second):
            side.append(
                Joint(f"{k}", "revolute", rng.normal(size=3), rng.normal(size=3), lower, upper)
            )
        points = rng.normal(size=(3, 3))
        kinetic.append(
            KineticNorm(RigidBody(1.0, rng.normal(size=3), points @ points.T + np.eye(3)))
        )
    together = joint_distance(first, second, norm=kinetic)
    alone = [joint_distance(a, b, norm=n) for a, b, n in zip(first, second, kinetic, strict=True)]
    assert together == pytest.approx(alone, rel=1e-13)
    assert joint_distance([], []).shape == (0,)


def test_infinite_range_raises_in_raw_distance_and_names_the_joint():
    wheel = Joint("wheel", "continuous", [0, 0, 1], [0, 0, 0])
    with pytest.raises(UnboundedRangeError, match=r"joint 'wheel', field `limits`"):
        joint_distance(wheel, wheel)
    with pytest.raises(UnboundedRangeError, match="wheel"):
        motion_size(wheel)
    with pytest.raises(UnboundedRangeError, match="wheel"):
        endpoint_twists(wheel)


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("axis", {"axis": [0, 0, 0]}),
        ("axis", {"axis": [math.nan, 0, 1]}),
        ("origin", {"origin": [0, math.inf, 0]}),
        ("limits", {"lower": 2.0, "upper": 1.0}),
        ("limits", {"lower": math.nan}),
        ("limits", {"lower": math.inf, "upper": math.inf}),
        ("limits", {"lower": -math.inf, "upper": -math.inf}),
        ("type", {"type": "ball"}),
        ("pitch", {"pitch": 0.1}),
    ],
)
def test_bad_joints_are_named_with_their_field(field, changes):
    good = {"name": "lid", "type": "revolute", "axis": [0, 0, 1], "origin": [0, 0, 0]}
    with pytest.raises(JointError, match=f"joint 'lid', field `{field}`"):
        Joint(**{**good, "lower": 0.0, "upper": 1.0, **changes})


@pytest.mark.parametrize(
    ("screw", "limits", "field"),
    [
        ([0, 0, 2, 0, 0, 0], [0, 1], "screw"),
        ([0, 0, math.nan, 0, 0, 1], [0, 1], "screw"),
        ([0, 0, 1, 0, 0, 0], [1, 0], "limits"),
        ([0, 0, 1, 0, 0, 0], [math.nan, 0], "limits"),
        ([0, 0, 1, 0, 0, 0], [math.inf, math.inf], "limits"),
    ],
)
def test_bad_arrays_are_named_with_their_field(screw, limits, field):
    with pytest.raises(JointError, match=f"joint 'lid', field `{field}`"):
        JointArray([[0, 0, 1, 0, 0, 0], screw], [[0, 1], limits], ("ok", "lid"))


def test_zero_screw_with_infinite_limits_is_a_fixed_joint():
    array = JointArray([[0.0] * 6], [[-math.inf, math.inf]])
    assert motion_size(array)[0] == 0


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf, True])
def test_bad_scale_is_refused(scale):
    door = Joint("a", "revolute", [0, 0, 1], [0, 0, 0], 0, 1)
    with pytest.raises(NormError, match="compactify"):
        joint_distance(door, door, compactify=scale)


def test_wrapping_turns_breaks_the_triangle_inequality_on_the_seam():
    """[0, 2 pi] has two representatives, so it is near two joints a full turn apart."""
    short = 0.01

    def hinge(lower, upper):
        return Joint("h", "revolute", [0, 0, 1], [0, 0, 0], lower, upper)

    turn = 2 * math.pi
    ahead, seam, back = hinge(0, turn - short), hinge(0, turn), hinge(short - turn, 0)
    near = [joint_distance(seam, other, wrap_turns=True) for other in (ahead, back)]
    assert near == pytest.approx([short, short], rel=1e-9)
    apart = joint_distance(ahead, back, wrap_turns=True)
    assert apart == pytest.approx(math.sqrt(2) * (turn - short), rel=1e-12)
    assert apart > 100 * sum(near)
    assert "not a metric" in " ".join(joint_distance.__doc__.split())
