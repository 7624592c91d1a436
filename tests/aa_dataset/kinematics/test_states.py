# SPDX-License-Identifier: Apache-2.0
"""Many states at once against one at a time, and random states within limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aa_dataset.errors import JointError, ShapeError
from aa_dataset.kinematics import Joint, KinematicTree, Mimic
from aa_dataset.kinematics.states import posed, random_state


def branching(*more: Joint) -> KinematicTree:
    """Return a tree with every type of joint, a branch and a coupling."""
    joints = (
        Joint("hinge", "revolute", [0.1, 0.2, 1], [0.3, 0, 0.1], -1, 2, parent="base", child="a"),
        Joint("slide", "prismatic", [1, 1, 0], [0, 0, 0], 0, 0.5, parent="a", child="b"),
        Joint("weld", "fixed", [0, 0, 0], [0, 0, 0], parent="b", child="c"),
        Joint("cap", "helical", [0, 1, 0], [0, 0, 2], 0, 6, 0.01, parent="c", child="d"),
        Joint("wheel", "continuous", [1, 0, 0], [0, 5, 0], parent="base", child="e"),
        Joint(
            "gear", "revolute", [1, 0, 0], [0, 6, 0], -4, 4, parent="base", child="f",
            mimic=Mimic("wheel", -2.0, 0.5),
        ),
        *more,
    )  # fmt: skip
    return KinematicTree("all", ("base", *(joint.child for joint in joints)), joints)


@pytest.mark.parametrize("count", [1, 5, 3000])
def test_many_states_are_those_one_at_a_time(count):
    tree, rng = branching(), np.random.default_rng(1)
    state = {joint.name: rng.uniform(-3, 3, count) for joint in tree.movable if joint.mimic is None}
    together = posed(tree, state)
    for k in range(0, count, max(1, count // 7)):
        alone = tree.placements({name: values[k] for name, values in state.items()})
        for link in tree.links:
            assert together[link].shape == (count, 4, 4)
            np.testing.assert_allclose(together[link][k], alone[link], rtol=0, atol=1e-13)


def test_one_state_and_arrays_by_column():
    tree = branching()
    single = posed(tree, {"hinge": 0.4})
    assert single["b"].shape == (4, 4)
    np.testing.assert_allclose(single["b"], tree.placements({"hinge": 0.4})["b"], atol=1e-14)
    # wheel and gear, the last two columns, are both given: the coupling is not asked.
    values = np.array([[0.1, 0.2, 0.3, 0.4, 0.0], [0.5, 0.1, 0.0, 0.0, 0.7]])
    found = posed(tree, values)
    names = [joint.name for joint in tree.movable]
    for row, state in enumerate(values):
        expected = tree.placements(dict(zip(names, state, strict=True)))
        for link in tree.links:
            np.testing.assert_allclose(found[link][row], expected[link], atol=1e-14)
    with pytest.raises(ShapeError, match=r"`q` has shape \(2,\)"):
        posed(tree, [0.1, 0.2])
    with pytest.raises(JointError, match="is not finite"):
        posed(tree, {"hinge": math.nan})
    with pytest.raises(JointError, match="no such joint"):
        posed(tree, {"hinges": 0.1})


def test_joints_with_other_numbers_of_states_are_a_sentence():
    tree = branching()
    with pytest.raises(ShapeError, match=r"`q` has shape \(4,\), expected \(3\)"):
        posed(tree, {"hinge": np.zeros(3), "slide": np.zeros(4)})
    one_for_all = posed(tree, {"hinge": np.zeros(3), "slide": np.full(1, 0.1)})
    assert {matrices.shape for matrices in one_for_all.values()} == {(3, 4, 4)}


def test_a_tree_without_movable_joints_has_one_state():
    tree = KinematicTree("still", ("base",), ())
    assert np.array_equal(posed(tree, {})["base"], np.eye(4))
    assert random_state(tree, 3) == {}


def test_random_states_stay_within_limits_and_couplings():
    tree = branching()
    drawn = [random_state(tree, seed) for seed in range(300)]
    for state in drawn:
        assert state["gear"] == -2.0 * state["wheel"] + 0.5
        for joint in tree.movable:
            assert joint.lower <= state[joint.name] <= joint.upper
    hinge = np.array([state["hinge"] for state in drawn])
    # Uniform on [-1, 2]: mean 0.5, standard error 3 / sqrt(12 * 300) = 0.05.
    assert abs(hinge.mean() - 0.5) < 0.25 and hinge.min() < -0.9 and hinge.max() > 1.9
    assert random_state(tree, 7) == drawn[7] != drawn[8]


def test_open_ends_and_contradictions_still_give_a_state():
    open_slide = Joint(
        "rod", "prismatic", [0, 0, 1], [0, 0, 0], 0.2, math.inf, parent="base", child="g"
    )
    torn = Joint(
        "torn", "prismatic", [0, 0, 1], [0, 0, 0], 5, 6, parent="base", child="h",
        mimic=Mimic("slide", 1.0),
    )  # fmt: skip
    tree = branching(open_slide, torn)
    state = random_state(tree, 0)
    assert state["rod"] == 0.2
    assert 0 <= state["slide"] <= 0.5 and state["torn"] == state["slide"]


def test_other_joints_do_not_change_what_is_drawn():
    more = Joint("extra", "revolute", [0, 0, 1], [0, 0, 0], 0, 1, parent="d", child="z")
    small, large = random_state(branching(), 5), random_state(branching(more), 5)
    assert small == {name: large[name] for name in small}
