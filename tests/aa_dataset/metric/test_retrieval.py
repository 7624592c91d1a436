# SPDX-License-Identifier: Apache-2.0
"""Nearest joints and objects are what an exhaustive search finds."""

import math
from dataclasses import replace

import numpy as np
import pytest

from aa_dataset.kinematics import KinematicTree
from aa_dataset.metric import (
    joint_distance,
    nearest_joints,
    nearest_objects,
    tree_distance,
)
from aa_dataset.metric.tree.relaxation import TreeBatch
from benchmarks.metric_trees import corrupted, random_joint, random_tree


def test_nearest_joints_is_a_sorted_scan():
    rng = np.random.default_rng(0)
    library = [random_joint(rng, f"j{k}") for k in range(60)]
    library[7] = library[3]
    query = library[3]
    found = nearest_joints(query, library, k=9, compactify=math.pi)
    each = [joint_distance(query, joint, compactify=math.pi) for joint in library]
    order = sorted(range(60), key=lambda k: (each[k], k))[:9]
    assert [n.index for n in found] == order
    assert [n.name for n in found] == [library[k].name for k in order]
    assert found[0].distance == found[1].distance == 0


def test_nearest_objects_is_a_sorted_scan_that_prunes(monkeypatch):
    rng = np.random.default_rng(1)
    base = random_tree(rng, 6, shape="random")
    library = [corrupted(rng, base) for _ in range(6)]
    library += [random_tree(rng, int(rng.integers(1, 8)), shape="random") for _ in range(20)]
    each = [tree_distance(base, tree, compactify=math.pi).value for tree in library]
    order = sorted(range(26), key=lambda k: (each[k], k))[:3]
    calls, search = [], TreeBatch.search

    def counted(self, *args, **options):
        calls.append(1)
        return search(self, *args, **options)

    monkeypatch.setattr(TreeBatch, "search", counted)
    found = nearest_objects(base, library, k=3, compactify=math.pi)
    assert [n.index for n in found] == order
    assert all(n.exact for n in found)
    assert len(calls) < 20


def test_asking_for_more_than_there_is():
    rng = np.random.default_rng(2)
    tree = random_tree(rng, 3, shape="chain")
    assert len(nearest_objects(tree, [tree], k=5, compactify=math.pi)) == 1
    assert nearest_objects(tree, [], k=5, compactify=math.pi) == []
    assert len(nearest_joints(tree.joints[0], tree.joints, k=9, compactify=math.pi)) == 3


def test_rounding_of_the_bounds_does_not_break_ties():
    """The same star with its drawers in another order: distance 0, bounds of about 1e-16."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        drawers = [random_joint(rng, f"j{k}") for k in range(6)]

        def star(order, drawers=drawers):
            joints = [
                replace(drawers[k], name=f"j{n}", parent="base", child=f"link{n}")
                for n, k in enumerate(order)
            ]
            return KinematicTree("star", ("base", *(j.child for j in joints)), tuple(joints))

        library = [star(rng.permutation(6)) for _ in range(6)]
        found = nearest_objects(star(range(6)), library, k=2, compactify=math.pi)
        assert [(n.index, n.distance) for n in found] == [(0, 0.0), (1, 0.0)]


@pytest.mark.parametrize("k", [0, -1])
def test_asking_for_nothing_raises(k):
    tree = random_tree(np.random.default_rng(4), 2, shape="chain")
    with pytest.raises(ValueError, match="at least one"):
        nearest_objects(tree, [tree], k=k, compactify=math.pi)
    with pytest.raises(ValueError, match="at least one"):
        nearest_joints(tree.joints[0], tree.joints, k=k, compactify=math.pi)
