# SPDX-License-Identifier: Apache-2.0
"""Joints, bodies, norms and trees in the form of the authors' package, and what is refused."""

import math
import subprocess
import sys
from types import SimpleNamespace

import articulatearena as authors
import numpy as np
import pytest
from articulatearena.previous_metrics.component_scores import JointTuple
from hypothesis import given, settings

from aa_dataset.errors import ArgumentError, JointError, NormError, TreeError
from aa_dataset.kinematics import Joint, RigidBody, exp_twist
from aa_dataset.metric import (
    BodyNorms,
    KineticNorm,
    RiemannianNorm,
    SplitNorm,
    component_errors,
    contract,
    endpoint_twists,
    joint_distance,
    material_motion,
    motion_size,
    nearest_joints,
    nearest_objects,
    pairwise_distance,
    path_distance,
    placement_discrepancy,
    sampled_distance,
    skeleton_distance,
    tree_distance,
    tree_distances,
    twist_norm,
)
from aa_dataset.metric.foreign import gram_matrix, screw_and_limits, screw_joint
from aa_dataset.metric.losses import smooth_loss
from aa_dataset.metric.tree import batch
from tests.kit.metric_strategies import bodies, bounded_joints, joints, scales, trees

SCREW = np.array([0, 0.6, 0.8, 0.1, -0.4, 0.3])
Z = np.array([0, 0, 1.0])


def their_joint(joint):
    kind = "revolute" if joint.type == "continuous" else str(joint.type)
    screw = authors.screw_twist(joint.axis, joint.origin, kind, joint.pitch)
    return authors.Joint(screw, joint.lower, joint.upper, kind)


def their_pair(joint):
    return authors.make_endpoint_pair(joint.screw, *joint.limits)


def arrays(pair):
    return pair.u.data, pair.v.data


# What the ends of a pair say of its screw.


@given(bounded_joints(kinds=("revolute", "prismatic", "helical", "fixed")))
def test_a_pair_keeps_its_endpoints(joint):
    """The screw found times the limits found is the pair again, in one of the two orders."""
    pair = their_pair(joint)
    screw, limits = screw_and_limits(pair, "j")
    found = np.outer(limits, screw)
    straight, crossed = (
        np.abs(found - np.stack(p)).max() for p in (arrays(pair), arrays(pair)[::-1])
    )
    assert min(straight, crossed) <= 1e-14 * (1 + np.abs(found).max())
    assert limits[0] <= limits[1]
    turn = np.linalg.norm(screw[:3])
    assert not screw.any() or (turn or np.linalg.norm(screw[3:])) == pytest.approx(1, abs=1e-14)


@given(joints(), joints(), scales)
def test_all_forms_of_a_joint_are_one(first, second, scale):
    expected = joint_distance(first, second, compactify=scale)
    assert joint_distance(their_joint(first), second, compactify=scale) == pytest.approx(
        expected, rel=1e-9, abs=1e-14
    )
    assert joint_distance(first, their_joint(second), compactify=scale) == pytest.approx(
        expected, rel=1e-9, abs=1e-14
    )


@given(bounded_joints(), bounded_joints(), bodies())
def test_pairs_arrays_and_their_body(first, second, body):
    inertia = authors.LinkInertia(body.mass, body.center, body.inertia)
    norm = authors.make_kinetic_energy_norm(inertia)
    pairs = their_pair(first), their_pair(second)
    expected = authors.joint_metric(*arrays(pairs[0]), *arrays(pairs[1]), norm)
    for one, two in (pairs, tuple(map(arrays, pairs))):
        for given_norm in (inertia, KineticNorm(inertia), [inertia]):
            found = joint_distance(one, two, norm=given_norm)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-13)


def test_an_unordered_pair_and_a_reversed_joint():
    pair = authors.EndpointPair(authors.Twist(1.2 * SCREW), authors.Twist(-0.3 * SCREW))
    screw, limits = screw_and_limits(pair, "j")
    np.testing.assert_allclose(screw, SCREW, atol=1e-15)
    assert limits == pytest.approx((-0.3, 1.2))
    screw, limits = screw_and_limits(authors.Joint(authors.Twist(SCREW), 1.2, -0.3, "helical"), "j")
    assert limits == (-0.3, 1.2)


def test_a_screw_of_another_length_is_scaled():
    """Their joints need not have unit screws; the endpoints are what counts."""
    joint = authors.Joint(authors.Twist(4 * SCREW), -0.5, 0.25, "helical")
    np.testing.assert_allclose(endpoint_twists(joint)[0], [-2 * SCREW, SCREW], atol=1e-14)


@pytest.mark.parametrize("gap", [1e-9, 1e-3, 1.0])
def test_ends_of_two_screws_are_refused(gap):
    pair = (SCREW, 0.5 * SCREW + gap * np.eye(6)[0])
    with pytest.raises(JointError, match=r"'#0', field `endpoints`: .* not multiples of one screw"):
        joint_distance(pair, pair)
    with pytest.raises(JointError, match="'#1'"):
        motion_size([(SCREW, SCREW), pair])


def test_ends_apart_by_rounding_are_one_screw():
    turned = np.nextafter(0.7 * SCREW, 1)
    assert joint_distance((SCREW, turned), (SCREW, 0.7 * SCREW)) < 1e-15


@pytest.mark.parametrize(
    "bad", [(np.zeros(5), np.zeros(6)), (np.full(6, np.nan), np.zeros(6)), (np.zeros(3),) * 2]
)
def test_twists_are_six_finite_numbers(bad):
    with pytest.raises(JointError, match="six finite numbers"):
        motion_size(bad)
    with pytest.raises(JointError, match="NaN"):
        motion_size(authors.Joint(authors.Twist(SCREW), math.nan, 1.0, "helical"))


def test_what_is_no_joint_is_still_refused():
    for value in ([SCREW, SCREW], [1.0], object(), [their_pair(Joint("", "fixed", Z, Z)), "a"]):
        with pytest.raises(ArgumentError, match="a joint was expected"):
            motion_size(value)


def test_every_function_of_joints_takes_theirs():
    own = [
        Joint("a", "revolute", [0, 1, 2], [0.1, 0.2, 0], -0.4, 1.0),
        Joint("b", "prismatic", [1, 1, 0], [0, 0, 0], 0.1, 0.3),
        Joint("c", "helical", [1, 0, 0], [0, 0.5, 0], 0.0, 2.0, 0.05),
    ]
    other = [joint.reversed() for joint in own[::-1]]
    theirs = [their_pair(own[0]), their_joint(own[1]), arrays(their_pair(own[2]))]
    body = RigidBody(1.0, [0.1, 0, 0], np.eye(3))
    for function in (
        lambda x: joint_distance(x, other),
        lambda x: pairwise_distance(x, other),
        lambda x: pairwise_distance(other, x),
        lambda x: motion_size(x),
        lambda x: path_distance(x, other),
        lambda x: sampled_distance(x, other, samples=3),
        lambda x: material_motion(x, other, body=body),
        lambda x: skeleton_distance(x, other[:2], penalty=0.3),
        lambda x: [n.distance for n in nearest_joints(x[0], other, k=3)],
        lambda x: [n.distance for n in nearest_joints(other[0], x, k=3)],
    ):
        np.testing.assert_allclose(function(theirs), function(own), rtol=1e-12, atol=1e-15)


# Norms.


@given(bodies())
def test_the_matrix_of_a_norm_function(body):
    inertia = authors.LinkInertia(body.mass, body.center, body.inertia)
    matrix = gram_matrix(authors.make_kinetic_energy_norm(inertia))
    factor = KineticNorm(body).factor
    size = np.sqrt(np.diag(factor.T @ factor))
    np.testing.assert_allclose(
        matrix / np.outer(size, size), factor.T @ factor / np.outer(size, size), atol=1e-14
    )


def test_a_split_norm_keeps_small_weights():
    """Angles and lengths do not mix, however different their weights are."""
    matrix = gram_matrix(authors.make_split_norm(1e-9))
    np.testing.assert_allclose(matrix, np.diag([1, 1, 1, 1e-18, 1e-18, 1e-18]), rtol=1e-12)


def test_a_function_that_is_no_squared_norm_is_refused():
    def length(z):
        return float(np.linalg.norm(z))

    def cube(z):
        return float(z @ z + abs(z[0]) ** 3)

    for function in (length, cube):
        with pytest.raises(NormError, match="squared"):
            motion_size([Joint("", "revolute", Z, Z, 0, 1)], norm=function)
    with pytest.raises(NormError, match="must be positive"):
        motion_size([Joint("", "revolute", Z, Z, 0, 1)], norm=authors.make_split_norm(0.0))
    indefinite = np.diag([1.0] * 6)
    indefinite[0, 1] = indefinite[1, 0] = 2.0
    with pytest.raises(NormError, match="not positive definite"):
        motion_size([Joint("", "revolute", Z, Z, 0, 1)], norm=lambda z: float(z @ indefinite @ z))


def test_twists_and_trees_take_their_norms():
    norm = authors.make_riemannian_norm(np.diag([1.0, 2, 3, 4, 5, 6]))
    assert twist_norm(SCREW, norm) == pytest.approx(norm(SCREW) ** 0.5, rel=1e-12)
    tree = [("a", "b", (0 * SCREW, SCREW))]
    assert tree_distance(tree, [], norm=norm).value == pytest.approx(norm(SCREW) ** 0.5, rel=1e-12)


def test_their_body_where_a_body_is_expected():
    body = RigidBody(2.0, [0.1, 0.2, 0.3], np.diag([0.3, 0.4, 0.5]))
    inertia = authors.LinkInertia(body.mass, body.center, body.inertia)
    placed = exp_twist(0.7 * SCREW)
    expected = placement_discrepancy(placed, np.eye(4), body=body)
    assert placement_discrepancy(placed, np.eye(4), body=inertia) == expected
    assert isinstance(KineticNorm(inertia).body, RigidBody)
    with pytest.raises(ArgumentError, match="a body was expected"):
        KineticNorm("door.obj")


# Trees.


def their_edges(tree):
    return [(j.parent, j.child, arrays(their_pair(j))) for j in tree.joints]


@settings(max_examples=40)
@given(trees(name="a"), trees(name="b"))
def test_edges_are_the_tree(first, second):
    expected = tree_distance(first, second)
    found = tree_distance(their_edges(first), their_edges(second))
    assert found.value == pytest.approx(expected.value, rel=1e-9, abs=1e-12)
    assert found.counts == expected.counts
    assert tree_distance(their_edges(first), second).value == pytest.approx(
        expected.value, rel=1e-9, abs=1e-12
    )


def test_edges_in_any_order_and_direction():
    pairs = [(0 * SCREW, q * SCREW) for q in (0.5, 1.0, 1.5)]
    chain = [("a", "b", pairs[0]), ("b", "c", pairs[1]), ("c", "d", pairs[2])]
    mixed = [(3, 2, pairs[2]), (1, "1", pairs[0]), (2, "1", pairs[1])]  # 1 and "1" are two nodes
    assert tree_distance(chain, mixed).value == pytest.approx(0.0, abs=1e-15)
    star = [("a", k, pair) for k, pair in enumerate(pairs)]
    assert tree_distance(chain, star).value > 0.1


def test_a_matching_names_edges_by_their_position():
    edges = [("a", "b", (0 * SCREW, SCREW)), ("a", "c", (0 * SCREW, 3 * SCREW))]
    assert set(tree_distance(edges, edges[::-1]).matching) == {("#0", "#1"), ("#1", "#0")}
    assert contract([]).names == ()


@pytest.mark.parametrize("ends", ["ab bc ca", "ab cd", "ab ab", "aa"])
def test_edges_that_are_no_tree(ends):
    edges = [(word[0], word[1], (0 * SCREW, SCREW)) for word in ends.split()]
    with pytest.raises(TreeError, match="are no tree"):
        contract(edges)


def test_lists_that_are_no_edges():
    for value in ([1], [("a", "b")], [("a", "b", "c")], [Joint("", "fixed", Z, Z)]):
        with pytest.raises(ArgumentError, match="edges"):
            contract(value)
    with pytest.raises(JointError, match="body"):
        tree_distance([], [("a", "b", (0 * SCREW, SCREW))], norm=BodyNorms())


@given(joints())
def test_a_screw_is_a_joint_again(joint):
    again = screw_joint(joint.screw, joint.limits)
    np.testing.assert_allclose(again.screw, joint.screw, atol=1e-14)
    assert again.limits == joint.limits


# The older protocol.


def test_joint_tuples_are_joints():
    one = JointTuple("revolute", [1, 0, 0], [0, 0, 0], (0, 1))
    two = JointTuple("prismatic", [0, 0, 1], [0, 3, 4], (0, 2))
    found = component_errors(two, one, variant="authors")
    assert (found.type_error, found.origin_error) == (1.0, 5.0)
    assert found.range_error == pytest.approx(math.sqrt(5))
    with pytest.raises(JointError, match=r"'predicted', field `origin`: Joint has no type, axis"):
        component_errors(their_joint(Joint("", "revolute", Z, Z, 0, 1)), one)


# Never imported, known by attributes alone.


def test_theirs_is_never_imported():
    code = "import sys, aa_dataset.metric.foreign; assert 'articulatearena' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_attributes_alone_decide():
    pair = SimpleNamespace(
        u=SimpleNamespace(data=[0.0] * 6), v=SimpleNamespace(data=SCREW.tolist())
    )
    assert motion_size([pair])[0] == pytest.approx(np.linalg.norm(SCREW))
    body = SimpleNamespace(mass=1.0, com=[0, 0, 0], inertia=np.eye(3))
    assert motion_size([pair], norm=body)[0] == pytest.approx(np.linalg.norm(SCREW))
    assert motion_size([pair], norm=lambda z: 4 * float(z @ z))[0] == pytest.approx(
        2 * np.linalg.norm(SCREW)
    )
    same = RiemannianNorm(4 * np.eye(6)), SplitNorm()
    assert motion_size([pair], norm=same[0])[0] == 2 * motion_size([pair], norm=same[1])[0]


def test_all_pairs_of_trees_take_their_edges_and_norms(monkeypatch):
    """Also in other processes, to which a function of theirs could not be sent."""
    monkeypatch.setattr(batch, "SEARCHES", 1)
    norm = authors.make_riemannian_norm(np.diag([1.0, 2, 3, 4, 5, 6]))
    a, b, c = ((0 * SCREW, q * np.roll(SCREW, k)) for k, q in ((0, 0.5), (2, 1.0), (3, 1.6)))
    library = [
        [("a", "b", a), ("b", "c", b), ("c", "d", c)],
        [("a", "b", b), ("b", "c", a), ("c", "d", c)],
        [("a", "b", b), ("b", "c", c), ("c", "d", a)],
        [("a", "b", a), ("a", "c", b), ("a", "d", c)],
    ]
    found = [[authors.exact_tree_distance(x, y, norm) for y in library] for x in library]
    assert sum(not certified for row in found for _, certified in row) >= 6
    expected = np.array([[value for value, _ in row] for row in found])
    for workers in (1, 2):
        own = tree_distances(library, library, norm=norm, exact=True, workers=workers)
        assert own.proven.all()
        np.testing.assert_allclose(own.upper, expected, rtol=1e-9, atol=1e-12)
    near = nearest_objects(library[2], library, k=4, norm=norm)
    assert [n.distance for n in near] == pytest.approx(sorted(expected[2]), rel=1e-9, abs=1e-12)


def test_losses_take_their_norms():
    hinge = (SCREW, np.array([0.0, 1.5]))
    other = (np.roll(SCREW, 3) / np.linalg.norm(np.roll(SCREW, 3)[:3]), np.array([-0.2, 1.0]))
    ends = [q * screw for screw, limits in (hinge, other) for q in limits]
    body = authors.LinkInertia(2.0, np.array([0.1, 0.2, 0.3]), np.diag([0.3, 0.4, 0.5]))
    norm = authors.make_kinetic_energy_norm(body)
    expected = authors.training_loss(*ends, norm, 1e-3)
    for given_norm in (body, norm, KineticNorm(body)):
        found = smooth_loss(hinge, other, epsilon=1e-3, norm=given_norm)
        assert found == pytest.approx(expected, rel=1e-12)
