# SPDX-License-Identifier: Apache-2.0
"""Laws as plain functions of a few milliseconds: the mutation check runs wrong code through them.

A law raises AssertionError when broken. Expected values come from `metric_references` or from
closed forms, never from the code under test.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from aa_dataset import metric
from aa_dataset.kinematics import Joint, KinematicTree, RigidBody, merge_bodies
from aa_dataset.metric.losses import soft_min_loss
from aa_dataset.metric.tree.skeleton import contract
from benchmarks.metric_trees import knobs, random_tree
from tests.kit import metric_references as reference

PI = math.pi


def both_norms():
    """Make new ones, so that a mutation of their constructors shows."""
    body = RigidBody(2.0, np.array([0.4, -0.3, 0.2]), np.diag([0.5, 0.6, 0.9]))
    return metric.SplitNorm(2.0), metric.KineticNorm(body)


def sample_joints(count, seed=0):
    rng = np.random.default_rng(seed)
    out = []
    for k in range(count):
        kind = ("revolute", "prismatic", "helical")[k % 3]
        lower, upper = sorted(rng.normal(scale=1.5, size=2))
        pitch = 0.1 if kind == "helical" else 0.0
        out.append(
            Joint(f"j{k}", kind, rng.normal(size=3), rng.normal(size=3), lower, upper, pitch)
        )
    return out


def close(found, expected, rel=1e-9):
    assert math.isclose(found, expected, rel_tol=rel, abs_tol=1e-12), (found, expected)


def law_orientation_invariance():
    for joint in sample_joints(9):
        for norm in both_norms():
            close(metric.joint_distance(joint, joint.reversed(), norm=norm), 0.0)


def law_definition():
    some = sample_joints(8)
    for a in some:
        for b in some:
            for norm in both_norms():
                close(metric.joint_distance(a, b, norm=norm), reference.distance(a, b, norm))


def law_compactified_definition():
    some = [*sample_joints(6), Joint("w", "continuous", [1, 2, 3], [0, 1, 0])]
    some.append(replace(some[0], upper=math.inf))
    for a in some:
        for b in some:
            for norm in both_norms():
                found = metric.joint_distance(a, b, norm=norm, compactify=1.7)
                close(found, reference.distance(a, b, norm, 1.7))


def law_continuous_limit():
    wheel = Joint("w", "continuous", [0, 0, 1], [1, 0, 0])
    for reach in (0.1, 1.0, 4.0):
        finite = Joint("f", "revolute", [0, 0, 1], [1, 0, 0], -reach, reach)
        x = reach * reference.size(finite.screw, both_norms()[0]) / PI
        found = metric.joint_distance(finite, wheel, norm=both_norms()[0], compactify=PI)
        close(found, math.sqrt(2) * (1 - math.tanh(x)), rel=1e-7)


def law_split_norm():
    z = np.array([1.0, -2.0, 0.5, 0.3, 0.7, -1.1])
    expected = math.sqrt(z[:3] @ z[:3] + 4.0 * z[3:] @ z[3:])
    close(float(metric.twist_norm(z, both_norms()[0])), expected)


def law_material_motion():
    rng = np.random.default_rng(1)
    points, z = rng.normal(size=(9, 3)) + 0.5, rng.normal(size=6)
    center = points.mean(axis=0)
    arms = points - center
    inertia = sum(y @ y * np.eye(3) - np.outer(y, y) for y in arms)
    field = np.cross(z[:3], points) + z[3:]
    norm = metric.KineticNorm(RigidBody(9.0, center, inertia))
    close(float(metric.twist_norm(z, norm)), math.sqrt((field**2).sum(axis=1).mean()))


def law_accuracy_near_zero():
    for joint in sample_joints(6):
        near = replace(joint, upper=joint.upper + 1e-11, origin=joint.origin + 1e-12)
        for scale in (None, 2.0):
            exact = reference.precise_distance(joint, near, both_norms()[0], scale)
            found = metric.joint_distance(joint, near, norm=both_norms()[0], compactify=scale)
            assert abs(found - exact) / exact < 1e-9


def law_accuracy_of_matrices():
    some = sample_joints(60)
    near = [replace(joint, upper=joint.upper + 1e-10) for joint in some]
    matrix = metric.pairwise_distance(some, near, norm=both_norms()[0], engine="numpy")
    for k in range(0, 60, 7):
        exact = reference.precise_distance(some[k], near[k], both_norms()[0])
        assert abs(matrix[k, k] - exact) / exact < 1e-9


def law_brute_force_trees():
    for seed in range(14):
        rng = np.random.default_rng(seed)
        one = random_tree(rng, 4, shape=("random", "chain")[seed % 2], repeats=0.5)
        two = random_tree(rng, 4, shape=("chain", "random")[seed % 2], repeats=0.5)
        found = metric.tree_distance(one, two, norm=both_norms()[0], compactify=PI, engine="numpy")
        close(found.value, reference.tree_distance(one, two, both_norms()[0], PI))


def law_knobs():
    one, two = knobs(4)
    sizes = metric.motion_size(contract(one).array, compactify=PI)
    found = metric.tree_distance(one, two, compactify=PI, engine="numpy")
    close(found.value, 8 * sizes.min())
    assert found.exact


def law_base_choice():
    a, b, c = sample_joints(3)
    links = ("l0", "l1", "l2", "l3")
    chain = [(a, "l0", "l1"), (b, "l1", "l2"), (c, "l2", "l3")]
    upside = [(a, "l1", "l0"), (b, "l2", "l1"), (c, "l3", "l2")]
    trees = [
        KinematicTree("t", links, tuple(replace(j, parent=p, child=q) for j, p, q in edges))
        for edges in (chain, upside)
    ]
    close(metric.tree_distance(*trees, engine="numpy").value, 0.0)


def law_welded_bodies():
    drawer = RigidBody(1.0, np.zeros(3), np.eye(3))
    handle = RigidBody(0.5, np.array([1.0, 0, 0]), 0.1 * np.eye(3))
    slide = Joint("s", "revolute", [0, 0, 1], [1, 1, 0], 0, 1, parent="a", child="b", body=drawer)
    still = Joint("h", "revolute", [1, 0, 0], [0, 0, 0], parent="b", child="c", body=handle)
    merged = contract(KinematicTree("t", ("a", "b", "c"), (slide, still))).joints[0].body
    expected = merge_bodies([drawer, handle])
    close(merged.mass, expected.mass)
    assert np.allclose(merged.inertia, expected.inertia)


def law_honest_budget():
    rng = np.random.default_rng(3)
    one, two = (random_tree(rng, 16, shape="caterpillar") for _ in range(2))
    hurried = metric.tree_distance(one, two, compactify=PI, budget=0, engine="numpy")
    assert not hurried.exact
    assert hurried.lower < hurried.upper


def law_raw_sum_of_prices():
    rng = np.random.default_rng(4)
    tree = random_tree(rng, 3, shape="random")
    stone = KinematicTree("stone", ("base",), ())
    total = sum(
        reference.distance(j, Joint("w", "fixed", [0, 0, 1], [0, 0, 0]), both_norms()[0], PI)
        for j in tree.joints
    )
    close(metric.tree_distance(tree, stone, norm=both_norms()[0], compactify=PI).value, total)


def law_undefined_is_nan():
    hinge = Joint("h", "revolute", [0, 0, 1], [0, 0, 0], 0, 1)
    assert math.isnan(metric.component_errors(hinge, hinge).origin_error)
    assert not metric.component_errors(hinge, hinge).success


def law_bootstrap_unit():
    rng = np.random.default_rng(5)
    values = rng.normal(size=30)
    one = metric.bootstrap_mean(list(values), resamples=500)
    ten = metric.bootstrap_mean([[v] * 10 for v in values], resamples=500)
    close(ten.low, one.low)


def law_soft_min():
    a, b = sample_joints(2)
    first, second = ((j.screw, np.array(j.limits)) for j in (a, b))
    square = reference.distance(a, b, both_norms()[0]) ** 2
    soft = float(soft_min_loss(first, second, temperature=1e-10, norm=both_norms()[0]))
    close(soft, square, rel=1e-6)


def law_path():
    slide = Joint("a", "prismatic", [1, 0, 0], [0, 0, 0], 0.0, 1.0)
    wider = replace(slide, lower=-0.5, upper=1.5)
    found = metric.path_distance(slide, wider)
    close(found, reference.distance(slide, wider, metric.SplitNorm()) / math.sqrt(6))


LAWS = {name[4:]: law for name, law in list(globals().items()) if name.startswith("law_")}
