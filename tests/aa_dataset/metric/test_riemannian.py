# SPDX-License-Identifier: Apache-2.0
"""Any symmetric positive definite matrix as the norm, in every function and every library."""

import importlib
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aa_dataset.errors import ArgumentError, JointError, NormError
from aa_dataset.kinematics import Joint, RigidBody
from aa_dataset.metric import (
    KineticNorm,
    RiemannianNorm,
    SplitNorm,
    as_norm,
    component_errors,
    constant_penalty_distance,
    contract,
    endpoint_twists,
    fixed_skeleton_distance,
    joint_distance,
    motion_size,
    nearest_joints,
    nearest_objects,
    pairwise_distance,
    path_distance,
    relaxed_tree_distance,
    sampled_distance,
    tree_distance,
    tree_distances,
    twist_norm,
)
from aa_dataset.metric.losses import invariant_loss, soft_min_loss
from tests.kit.metric_strategies import bodies, bounded_joints, joints, norms, numbers, trees

HINGE = Joint("h", "revolute", [0, 0, 1], [0.3, 0, 0], 0, 1)
SLIDE = Joint("s", "prismatic", [1, 2, 0], [0, 0, 0], -0.2, 0.5)


def tensor(seed):
    """Return a well-conditioned symmetric positive definite matrix."""
    root = np.random.default_rng(seed).normal(size=(6, 6))
    return root @ root.T + np.eye(6)


tensors = st.integers(0, 10_000).map(tensor)


def direct(first, second, matrix):
    """Return E by its definition: both assignments of endpoints, each square as z' G z."""
    one, two = endpoint_twists(first)[0], endpoint_twists(second)[0]
    costs = [sum(float(z @ matrix @ z) for z in one - ends) for ends in (two, two[::-1])]
    return math.sqrt(min(costs))


@given(bounded_joints(), bounded_joints(), tensors)
def test_distance_is_the_quadratic_form(first, second, matrix):
    found = joint_distance(first, second, norm=RiemannianNorm(matrix))
    assert found == pytest.approx(direct(first, second, matrix), rel=1e-9, abs=1e-7)


@given(joints(), joints(), norms, st.sampled_from([None, 2.0]))
def test_the_gram_matrix_of_another_norm_is_that_norm(first, second, norm, scale):
    if scale is None:
        first, second = (replace(j, lower=-0.5, upper=1) for j in (first, second))
        first, second = (
            replace(j, type="revolute", lower=-0.5, upper=1) if j.type == "continuous" else j
            for j in (first, second)
        )
    same = RiemannianNorm(norm.factor.T @ norm.factor)
    for quantity in (
        lambda n: joint_distance(first, second, norm=n, compactify=scale),
        lambda n: motion_size([first, second], norm=n, compactify=scale).sum(),
    ):
        assert quantity(same) == pytest.approx(quantity(norm), rel=1e-9, abs=1e-7)


@given(numbers(0.1, 5.0), bounded_joints(), bounded_joints())
def test_a_diagonal_matrix_is_the_split_norm(alpha, first, second):
    norm = RiemannianNorm(np.diag([1.0] * 3 + [alpha * alpha] * 3))
    expected = joint_distance(first, second, norm=SplitNorm(alpha))
    assert joint_distance(first, second, norm=norm) == pytest.approx(expected, rel=1e-12)


@given(trees(most=4), trees(most=4), bodies())
def test_trees_take_it(first, second, body):
    kinetic = KineticNorm(body)
    same = RiemannianNorm(kinetic.factor.T @ kinetic.factor)
    for quantity in (
        lambda n: tree_distance(first, second, norm=n).value,
        lambda n: relaxed_tree_distance(first, second, norm=n),
        lambda n: constant_penalty_distance(first, second, norm=n, penalty=0.3).value,
        lambda n: nearest_objects(first, [second], norm=n)[0].distance,
        lambda n: tree_distances([first], [second], norm=n, exact=True).upper[0, 0],
    ):
        assert quantity(same) == pytest.approx(quantity(kinetic), rel=1e-9, abs=1e-7)


def test_paths_and_neighbors_take_it():
    matrix = tensor(3)
    norm = RiemannianNorm(matrix)
    low, high = endpoint_twists(HINGE)[0] - endpoint_twists(SLIDE)[0]
    if direct(HINGE, SLIDE, matrix) < math.sqrt(low @ matrix @ low + high @ matrix @ high) - 1e-12:
        low, high = endpoint_twists(HINGE)[0] - endpoint_twists(SLIDE)[0][::-1]
    form = low @ matrix @ low + low @ matrix @ high + high @ matrix @ high
    for found in (
        path_distance([HINGE], [SLIDE], norm=norm),
        sampled_distance([HINGE], [SLIDE], samples=5, norm=norm),
    ):
        assert found[0] == pytest.approx(math.sqrt(form / 3), rel=1e-12)
    expected = direct(HINGE, SLIDE, matrix)
    assert nearest_joints(HINGE, [SLIDE], norm=norm)[0].distance == pytest.approx(expected)
    assert fixed_skeleton_distance([HINGE], [SLIDE], norms=[norm]) == pytest.approx(expected)


@pytest.mark.parametrize("engine", ["numpy", "numba"])
@pytest.mark.parametrize("per_column", [False, True])
@pytest.mark.parametrize("scale", [None, 1.5])
def test_matrices_take_it_in_both_engines(engine, per_column, scale):
    if engine == "numba":
        pytest.importorskip("numba", reason="numba is an optional extra")
    rng = np.random.default_rng(0)
    many = [
        Joint("j", kind, rng.normal(size=3), rng.normal(size=3), *sorted(rng.normal(size=2)))
        for kind in ["revolute", "prismatic"] * 30
    ]
    norm = (
        [RiemannianNorm(tensor(k)) for k in range(60)] if per_column else RiemannianNorm(tensor(1))
    )
    found = pairwise_distance(many, many, norm=norm, compactify=scale, engine=engine)
    for i, j in [(0, 1), (5, 40), (59, 3), (7, 7)]:
        own = norm[j] if per_column else norm
        expected = joint_distance(many[i], many[j], norm=own, compactify=scale)
        assert found[i, j] == pytest.approx(expected, rel=1e-9, abs=1e-14)


@pytest.mark.parametrize("name", ["numpy", "torch", "jax"])
def test_losses_take_it(name):
    matrix = tensor(5)
    if name != "numpy":
        pytest.importorskip(name, reason=f"{name} is an optional extra")
    xp = importlib.import_module({"jax": "jax.numpy"}.get(name, name))
    if name == "jax":
        importlib.import_module("jax").config.update("jax_enable_x64", True)

    def pair(joint):
        return xp.asarray(joint.screw), xp.asarray(np.array(joint.limits))

    norm = RiemannianNorm(matrix)
    one, two = pair(HINGE), pair(SLIDE)
    soft = float(soft_min_loss(one, two, temperature=1e-9, norm=norm))
    assert soft == pytest.approx(direct(HINGE, SLIDE, matrix) ** 2, rel=1e-6)
    (a, b), (c, d) = endpoint_twists(HINGE)[0], endpoint_twists(SLIDE)[0]
    s, root = a + b - c - d, np.linalg.cholesky(matrix).T
    outer = [np.outer(root @ z, root @ z) for z in (a - b, c - d)]
    expected = s @ matrix @ s + np.square(outer[0] - outer[1]).sum()
    assert float(invariant_loss(one, two, norm=norm)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("matrix", "word"),
    [
        (np.eye(5), "shape"),
        (np.full((6, 6), np.nan), "finite"),
        ("split", "numbers"),
        (np.eye(6) + np.triu(np.ones((6, 6)), 1), "symmetric"),
        (np.diag([1.0, 1, 1, 1, 1, 0]), "positive definite"),
        (np.diag([1.0, 1, 1, 1, 1, -1]), "positive definite"),
        (np.ones((6, 6)), "positive definite"),
        (np.zeros((6, 6)), "positive definite"),
    ],
)
def test_what_is_no_inner_product_is_refused(matrix, word):
    with pytest.raises(NormError, match=word):
        RiemannianNorm(matrix)


def test_units_do_not_decide_what_is_definite():
    """Lengths in nm or Gm are legal: the pivots are compared with their own diagonal."""
    scale = np.diag([1.0] * 3 + [1e-12] * 3)
    norm = RiemannianNorm(scale @ tensor(2) @ scale)
    z = np.array([0, 0, 0, 1, 0, 0.0])
    assert twist_norm(z, norm) == pytest.approx(1e-12 * math.sqrt(tensor(2)[3, 3]), rel=1e-12)


BODY = RigidBody(1.0, np.zeros(3), np.eye(3))


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("split", "the text 'split'"),
        (None, "None"),
        (1.0, "1.0"),
        (BODY, r"KineticNorm\(body\)"),
        (np.eye(6), r"RiemannianNorm\(matrix\)"),
        (SplitNorm, "of type"),
    ],
)
def test_what_is_no_norm_gets_a_sentence(value, word):
    for call in (
        lambda: as_norm(value),
        lambda: joint_distance(HINGE, SLIDE, norm=value),
        lambda: joint_distance([HINGE], [SLIDE], norm=[value]),
        lambda: pairwise_distance([HINGE], [SLIDE], norm=value),
        lambda: motion_size(HINGE, norm=value),
        lambda: path_distance([HINGE], [SLIDE], norm=value),
        lambda: twist_norm(HINGE.screw, value),
    ):
        with pytest.raises(NormError, match=word):
            call()


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("door.urdf", "read_tree"),
        (None, "None"),
        (HINGE.screw, "JointArray"),
        ([None], "None"),
        (BODY, "RigidBody"),
        (3, "3"),
    ],
)
def test_what_is_no_joint_gets_a_sentence(value, word):
    for call in (
        lambda: joint_distance(value, HINGE),
        lambda: pairwise_distance([HINGE], value),
        lambda: motion_size(value),
        lambda: path_distance(HINGE, value),
    ):
        with pytest.raises(ArgumentError, match=word):
            call()


@given(trees(most=2))
def test_trees_take_one_norm_and_anything_else_is_refused(tree):
    with pytest.raises(ArgumentError, match="tree_distance"):
        joint_distance(tree, HINGE)
    for norm in ([SplitNorm()] * len(tree.joints), (), "split", None, BODY):
        for distance in (tree_distance, relaxed_tree_distance):
            with pytest.raises(NormError, match=r"BodyNorms\(\)|SplitNorm|KineticNorm"):
                distance(tree, tree, norm=norm)


@pytest.mark.parametrize("value", ["door.urdf", None, HINGE, [HINGE]])
def test_what_is_no_tree_gets_a_sentence(value):
    for call in (contract, lambda x: tree_distance(x, x), lambda x: relaxed_tree_distance(x, x)):
        with pytest.raises(ArgumentError, match=r"read_tree\(path\)|pass a `KinematicTree`"):
            call(value)


def test_numbers_that_are_none_get_a_sentence():
    for value in ("1", None, True, [1.0], np.ones(2)):
        with pytest.raises(NormError, match="`alpha` is"):
            SplitNorm(value)
    for value in ("pi", True, [1.0], math.nan, 0.0):
        with pytest.raises(NormError, match="`compactify` is"):
            joint_distance(HINGE, SLIDE, compactify=value)
    for value in (None, "body", HINGE):
        with pytest.raises(ArgumentError, match=r"a body was expected, .*joint.body"):
            KineticNorm(value)
    with pytest.raises(JointError, match="Pass a `Joint`"):
        component_errors("door", HINGE)
    assert SplitNorm(np.float32(0.5)).factor[5, 5] == 0.5
