# SPDX-License-Identifier: Apache-2.0
"""Remark Re-anchoring: trees stored in another state, and finding that state."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aa_dataset.errors import JointError
from aa_dataset.kinematics import Joint, KinematicTree, Mimic, exp_twist
from aa_dataset.metric import anchor_offset, joint_distance, tree_distance
from tests.kit.metric_strategies import bodies, bounded_joints, numbers, trees, vectors


@settings(max_examples=30)
@given(trees(most=4), st.lists(numbers(-1, 1), min_size=4, max_size=4))
def test_reanchored_tree_moves_the_same_way(tree, shifts):
    """Placements at q + shift, seen from the new rest state, are those of the new tree at q."""
    names = [joint.name for joint in tree.joints]
    shift = dict(zip(names, shifts, strict=False))
    stored = tree.reanchored(shift)
    q = {name: 0.3 * k - 0.2 for k, name in enumerate(names)}
    there = tree.placements({name: shift[name] + q[name] for name in names})
    rest = tree.placements(shift)
    here = stored.placements(q)
    for link in tree.links:
        assert np.allclose(here[link] @ rest[link], there[link], atol=1e-9)


@settings(max_examples=30)
@given(trees(most=4), st.lists(numbers(-1, 1), min_size=4, max_size=4))
def test_reanchoring_back_costs_nothing(tree, shifts):
    shift = {j.name: s for j, s in zip(tree.joints, shifts, strict=False)}
    back = {name: -value for name, value in shift.items()}
    again = tree.reanchored(shift).reanchored(back)
    assert tree_distance(tree, again).value == pytest.approx(0, abs=1e-9)


@given(bounded_joints(), bodies(), numbers(-1, 1))
def test_bodies_move_along(joint, body, shift):
    moved = replace(joint, body=body).reanchored(shift)
    placement = exp_twist(shift * joint.screw)
    assert np.allclose(moved.body.center, placement[:3, :3] @ body.center + placement[:3, 3])
    tree = KinematicTree(
        "t", ("a", "b"), (replace(joint, body=body, parent="a", child="b"),)
    ).reanchored({joint.name: shift})
    assert np.allclose(tree.joints[0].body.center, moved.body.center)
    assert np.allclose(tree.joints[0].body.inertia, moved.body.inertia)


def test_mimic_offsets_follow():
    lead = Joint("lead", "prismatic", [1, 0, 0], [0, 0, 0], 0, 1, parent="a", child="b")
    echo = Joint(
        "echo",
        "prismatic",
        [0, 1, 0],
        [0, 0, 0],
        -9,
        9,
        parent="a",
        child="c",
        mimic=Mimic("lead", 2.0, 0.1),
    )
    tree = KinematicTree("t", ("a", "b", "c"), (lead, echo))
    stored = tree.reanchored({"lead": 0.3})
    whole = tree.placements({"lead": 0.5})["c"]
    split = stored.placements({"lead": 0.2})["c"] @ tree.placements({"lead": 0.3})["c"]
    assert np.allclose(whole, split)


@given(bounded_joints(), numbers(-3, 3))
def test_anchor_offset_finds_the_state(joint, state):
    found = anchor_offset(joint, exp_twist(state * joint.screw))
    assert found.rotation_residual == pytest.approx(0, abs=1e-6)
    assert found.translation_residual == pytest.approx(0, abs=1e-6)
    again = exp_twist(found.coordinate * joint.screw)
    assert np.allclose(again, exp_twist(state * joint.screw), atol=1e-6)


def test_anchor_offset_distinguishes_turns_of_a_screw_and_reports_residuals():
    screw = Joint("s", "helical", [0, 0, 1], [0.1, 0, 0], -99, 99, 0.01)
    far = 5 * math.pi
    assert anchor_offset(screw, exp_twist(far * screw.screw)).coordinate == pytest.approx(far)
    hinge = Joint("h", "revolute", [0, 0, 1], [0, 0, 0], -9, 9)
    wrong = anchor_offset(hinge, exp_twist(np.array([0.2, 0, 0, 0, 0, 0.5])))
    assert wrong.rotation_residual == pytest.approx(0.2)
    assert wrong.translation_residual == pytest.approx(0.5, rel=0.1)
    weld = Joint("w", "fixed", [0, 0, 1], [0, 0, 0])
    assert anchor_offset(weld, np.eye(4)).coordinate == 0


def test_a_drawer_saved_half_open_is_not_charged():
    """Table 3 row 2 against the remark: the shift is an error unless the anchor explains it."""
    drawer = Joint("d", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 0.4)
    half_open = drawer.reanchored(0.2)
    assert joint_distance(drawer, half_open) > 0.2
    found = anchor_offset(drawer, exp_twist(0.2 * drawer.screw)).coordinate
    assert joint_distance(drawer, half_open.reanchored(-found)) == pytest.approx(0, abs=1e-15)


@given(bounded_joints(kinds=("revolute",)), numbers(-1.5, 1.5), vectors)
def test_anchor_offset_leaves_the_smallest_rotation_residual(joint, state, error):
    """Also where the found pose turns about another axis than the joint's."""
    wrong = exp_twist(np.concatenate([0.3 * np.tanh(error), np.zeros(3)]))
    pose = wrong @ exp_twist(state * joint.screw)
    found = anchor_offset(joint, pose)
    for step in (-0.01, 0.01):
        rest = exp_twist(-(found.coordinate + step) * joint.screw) @ pose
        cosine = float(np.clip((np.trace(rest[:3, :3]) - 1) / 2, -1, 1))
        assert math.acos(cosine) >= found.rotation_residual


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_state_that_is_not_finite_is_refused_by_name(value):
    wheel = Joint("wheel", "continuous", [0, 0, 1], [0, 0, 0], parent="a", child="b")
    with pytest.raises(JointError, match=r"wheel.*coordinate"):
        KinematicTree("t", ("a", "b"), (wheel,)).reanchored({"wheel": value})


def test_a_mimic_of_nothing_is_refused_by_name():
    echo = Joint("e", "prismatic", [0, 0, 1], [0, 0, 0], 0, 1, parent="a", child="b")
    tree = KinematicTree("t", ("a", "b"), (replace(echo, mimic=Mimic("nobody")),))
    with pytest.raises(JointError, match="nobody"):
        tree.reanchored({"e": 0.5})
