# SPDX-License-Identifier: Apache-2.0
"""Print every digit of many tree distances as JSON, for `test_machines` to compare."""

import json
import math
import sys

import numpy as np

from aa_dataset.metric import PackedTrees, nearest_trees, tree_distance, tree_distances
from aa_dataset.metric._engine import has_numba
from benchmarks.metric_trees import SHAPES, corrupted, knobs, random_tree
from tests.kit.metric_laws import both_norms

PI = math.pi
ENGINES = ("numpy", "numba") if has_numba() else ("numpy",)


def pairs():
    """Yield a name, two trees and a budget: ties, repeated parts, unproven ones."""
    for seed in range(8):
        rng = np.random.default_rng([seed, 9])
        tree = random_tree(rng, 6 + seed % 4, shape=SHAPES[seed % 4], repeats=0.6)
        yield tree, corrupted(rng, tree), None
        yield tree, random_tree(rng, 7, shape=SHAPES[seed % 3], repeats=0.6), None
        yield tree, random_tree(rng, 9, shape=SHAPES[seed % 3], repeats=0.2), 60_000
    yield *knobs(4), None
    rng = np.random.default_rng(7)
    large = random_tree(rng, 30, shape="caterpillar", repeats=0.3)
    yield large, corrupted(rng, large), None
    yield large, random_tree(rng, 28, shape="random", repeats=0.3), 20_000_000


def digits(found) -> list:
    numbers = [found.value, found.lower, found.upper, found.relaxed]
    edits = [edit.cost.hex() for edit in found.script]
    facts = [found.exact, found.certified, found.stage, found.work, found.matching, edits]
    return [*(number.hex() for number in numbers), *facts]


def single_results() -> list:
    out = []
    for one, two, budget in pairs():
        options = {} if budget is None else {"budget": budget}
        for norm in both_norms():
            for engine in ENGINES:
                found = tree_distance(one, two, norm=norm, compactify=PI, engine=engine, **options)
                out.append(digits(found))
    return out


def batch_results() -> list:
    rng = np.random.default_rng(11)
    trees = [random_tree(rng, int(rng.integers(0, 9)), shape="random") for _ in range(20)]
    library, out = PackedTrees.of(trees), []
    for norm in both_norms():
        for engine in ENGINES:
            found = tree_distances(library, norm=norm, compactify=PI, exact=True, engine=engine)
            out.append([[x.hex() for x in row] for row in found.lower.tolist()])
            near = nearest_trees(library, k=3, norm=norm, compactify=PI, engine=engine)
            out.append([[(n.index, n.distance.hex()) for n in row] for row in near])
    return out


if __name__ == "__main__":
    json.dump([single_results(), batch_results()], sys.stdout)
