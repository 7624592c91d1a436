# SPDX-License-Identifier: Apache-2.0
"""Nearest joints and objects are what an exhaustive search finds."""

import math

import numpy as np
from metric_trees import corrupted, random_joint, random_tree

from aa_dataset.metric import (
    joint_distance,
    nearest_joints,
    nearest_objects,
    retrieval,
    tree_distance,
)


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
    calls = []

    def counted(*args, **options):
        calls.append(1)
        return tree_distance(*args, **options)

    monkeypatch.setattr(retrieval, "tree_distance", counted)
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
