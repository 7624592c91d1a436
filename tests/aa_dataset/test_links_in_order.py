# SPDX-License-Identifier: Apache-2.0
"""The links of an object in the order of its tree, without building the tree."""

from __future__ import annotations

import random

from aa_dataset.kinematics.trees import TreeError, ordered_tree
from aa_dataset.library.catalog import _Edge, _link_names, _links_in_order


def drawn(random_: random.Random) -> tuple[_Edge, ...]:
    """Return joints: mostly of a tree, some of which in an odd order, or none of a tree."""
    count = random_.randrange(1, 7)
    edges = [_Edge(f"j{k}", f"l{random_.randrange(k + 1)}", f"l{k + 1}") for k in range(count)]
    if random_.random() < 0.5:
        edges.sort(key=lambda edge: int(edge.parent[1:]))
    if random_.random() < 0.3:
        random_.shuffle(edges)
    if random_.random() < 0.3:
        edges[random_.randrange(count)] = _Edge(
            f"j{random_.randrange(count)}",
            f"l{random_.randrange(count)}",
            f"l{random_.randrange(3)}",
        )
    return tuple(edges)


def test_what_is_returned_is_what_the_tree_has() -> None:
    random_ = random.Random(0)
    told = 0
    for _ in range(3000):
        edges = drawn(random_)
        found = _links_in_order(edges)
        try:
            expected = ordered_tree(_link_names(edges), edges)[0]
        except TreeError:
            assert found is None
            continue
        assert found in (None, expected)
        told += found is not None
    assert told > 500
    assert _links_in_order(()) is None
